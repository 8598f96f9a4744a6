/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's callers of an acomp request make of its result. */
#ifndef CMD_WALK_CALLERS_H
#define CMD_WALK_CALLERS_H

#include "backends/walker.h"

struct walk_caller {
	const char *name;    /* "zswap_store" */
	const char *outcome; /* one word: "stored", "stored_raw", "rejected", "loaded", ... */
	const char *counter; /* of zswap, that goes up by one; NULL: none */
	char sees[256];	     /* in words */
};

#define WALK_MAX_CALLERS 3

/*
 * Fills @callers, and returns how many there are. zswap_store asks for a page to be compressed, and
 * zswap_load for a page to come back: they are only there if the request is such a one. None if the
 * kernel did not survive.
 */
unsigned walk_callers(const struct profile *profile, const struct walker_request *request,
		      const struct walker_result *result,
		      struct walk_caller callers[WALK_MAX_CALLERS]);

#endif
