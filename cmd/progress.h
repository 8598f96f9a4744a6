/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far something long is, and how long it will take, on stderr: one line that is written over on
 * a terminal, elsewhere a line a second if it is asked for, and nothing if it is not.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *name, *what;
	uint64_t first, done, total; /* first: what was there already, of which nothing is known */
	uint64_t start_ns, shown_ns;
	bool shown, terminal;
};

/* @what is counted: "settings". @asked: also where there is no terminal. */
void progress_begin(struct progress *p, const char *name, const char *what, uint64_t first,
		    uint64_t total, bool asked);
void progress_step(struct progress *p);
/* @done of the total. */
void progress_set(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

/* "12 of 64 settings, about 1 min 20 s left", into @buf; returns @buf. */
const char *progress_text(const struct progress *p, uint64_t now_ns, char *buf, unsigned size);

#endif
