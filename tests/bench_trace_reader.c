// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench_trace_reader TRACE [ROUNDS]: what reading a trace costs, in ns of CPU, best of the rounds.
 * Pages in order and at random, events in order, and what opening and checking it takes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traces/reader.h"

static uint64_t now(void)
{
	struct timespec t;

	/* CPU time: others who want the core do not count. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void must(int ret, const struct trace_error *err)
{
	if (!ret)
		return;
	fprintf(stderr, "bench_trace_reader: %s\n", err->message);
	exit(2);
}

static void time_events(struct trace_reader *r)
{
	struct trace_event ev;
	struct trace_error err;

	for (uint64_t i = 0; i < trace_reader_info(r)->nr_events; i++)
		must(trace_reader_event(r, i, &ev, &err), &err);
}

static void time_pages(struct trace_reader *r)
{
	struct trace_error err;
	const void *page;

	for (uint64_t id = 0; id < trace_reader_info(r)->nr_pages; id++)
		must(trace_reader_page(r, id, &page, &err), &err);
}

static void time_random_pages(struct trace_reader *r)
{
	uint64_t nr = trace_reader_info(r)->nr_pages, x = 88172645463325252u;
	struct trace_error err;
	const void *page;

	for (uint64_t i = 0; i < nr; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		must(trace_reader_page(r, x % nr, &page, &err), &err);
	}
}

static void time_check(struct trace_reader *r)
{
	struct trace_error err;

	must(trace_reader_check(r, &err), &err);
}

static void report(const char *what, void (*fn)(struct trace_reader *), struct trace_reader *r,
		   uint64_t nr, unsigned rounds)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < rounds; i++) {
		uint64_t begin = now(), ns;

		fn(r);
		ns = now() - begin;
		if (ns < best)
			best = ns;
	}
	printf("%-24s %10.1f ns\n", what, nr ? (double)best / nr : 0);
}

static void print_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "RssAnon:", 8))
			fputs(line, stdout);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? atoi(argv[2]) : 5;
	const struct trace_info *info;
	struct trace_reader *r;
	struct trace_error err;
	uint64_t begin;

	if (argc < 2 || argc > 3 || rounds < 1) {
		fprintf(stderr, "usage: bench_trace_reader TRACE [ROUNDS]\n");
		return 2;
	}
	begin = now();
	must(trace_reader_open(argv[1], &r, &err), &err);
	printf("%-24s %10.1f ns\n", "open", (double)(now() - begin));
	info = trace_reader_info(r);
	report("event, in order", time_events, r, info->nr_events, rounds);
	if (!info->content_free) {
		report("page, in order", time_pages, r, info->nr_pages, rounds);
		report("page, at random", time_random_pages, r, info->nr_pages, rounds);
	}
	report("check, per page", time_check, r, info->nr_pages, rounds);
	print_memory();
	trace_reader_close(r);
	return 0;
}
