/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of the released driver's loops, written once more from kernel-spec B.3 to B.5 and A.5
 * over libzstd's ordinary contexts: none of the port is in it.
 */
#ifndef TESTS_CLI_WALK_MODEL_H
#define TESTS_CLI_WALK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX_ENTRIES 8
#define MODEL_MAX_BYTES	  32768u

struct model_side {
	bool linear;
	unsigned nr, lengths[MODEL_MAX_ENTRIES];
};

struct model_request {
	bool compress, deferred;
	struct model_side src, dst;
	unsigned slen, dlen;
	const uint8_t *bytes; /* of all of the source */
};

struct model_result {
	int ret;
	bool oops;
	unsigned dlen, inits;
	enum { MODEL_NONE, MODEL_ONESHOT, MODEL_STREAM } path;
	uint8_t output[MODEL_MAX_BYTES];
	/* for the quirks */
	bool src_zero, dst_zero; /* an empty fragment, though there was more to come */
	bool src_zero_first;	 /* and it was the first */
	bool dst_full;		 /* an empty fragment, and there was no more */
	bool within_frame;	 /* what the last decoding call said */
};

void model_run(const struct model_request *request, struct model_result *result);

#endif
