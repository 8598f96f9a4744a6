// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define NS_A_SECOND	  UINT64_C(1000000000)
#define TERMINAL_INTERVAL (NS_A_SECOND / 10)

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_A_SECOND + (uint64_t)ts.tv_nsec;
}

const char *progress_text(const struct progress *p, uint64_t now_ns, char *buf, unsigned size)
{
	uint64_t ran = p->done - p->first;
	unsigned n =
		snprintf(buf, size, "%" PRIu64 " of %" PRIu64 " %s", p->done, p->total, p->what);
	double left;
	uint64_t s;

	if (!ran || p->done >= p->total || n >= size)
		return buf;
	left = (double)(now_ns - p->start_ns) / (double)ran * (double)(p->total - p->done);
	s = (uint64_t)(left / (double)NS_A_SECOND + 0.5);
	if (s < 100)
		snprintf(buf + n, size - n, ", about %" PRIu64 " s left", s);
	else if (s < 6000)
		snprintf(buf + n, size - n, ", about %" PRIu64 " min %" PRIu64 " s left", s / 60,
			 s % 60);
	else
		snprintf(buf + n, size - n, ", about %" PRIu64 " h %" PRIu64 " min left", s / 3600,
			 s / 60 % 60);
	return buf;
}

static void show(struct progress *p)
{
	char text[160];

	progress_text(p, p->shown_ns, text, sizeof(text));
	/* To the end of the line, over what was longer. */
	fprintf(stderr, p->terminal ? "\r%s: %s\033[K" : "%s: %s\n", p->name, text);
}

void progress_begin(struct progress *p, const char *name, const char *what, uint64_t first,
		    uint64_t total, bool asked)
{
	bool terminal = isatty(STDERR_FILENO);

	*p = (struct progress){
		.name = name,
		.what = what,
		.first = first,
		.done = first,
		.total = total,
		.start_ns = now(),
		.shown = asked || terminal,
		.terminal = terminal,
	};
	p->shown_ns = p->start_ns;
	if (p->shown)
		show(p);
}

void progress_set(struct progress *p, uint64_t done)
{
	uint64_t ns;

	p->done = done;
	if (!p->shown)
		return;
	ns = now();
	if (done < p->total && ns - p->shown_ns < (p->terminal ? TERMINAL_INTERVAL : NS_A_SECOND))
		return;
	p->shown_ns = ns;
	show(p);
}

void progress_step(struct progress *p)
{
	progress_set(p, p->done + 1);
}

void progress_end(struct progress *p)
{
	if (p->shown && p->terminal)
		fprintf(stderr, "\r\033[K");
}
