// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/pattern_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"

#define MAX_EVENTS   (1ull << 40)
#define MAX_SEED     INT64_MAX /* so that JSON can hold it */
#define DEFAULT_SEED 1u

/* A command is for people to read: of very many inputs it names the first ones. */
#define MAX_COMMAND_ARGS 256u

enum key {
	KEY_PATTERN = 256,
	KEY_FOLIO,
	KEY_CPUS,
	KEY_EVENTS,
	KEY_SEED,
};

static void parse_zipf(const struct argp_state *state, const char *text, double *a)
{
	char *end;

	errno = 0;
	*a = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(*a) || *a <= 0 || *text == ' ')
		options_error(state, "--pattern 'zipf:%s': the exponent is not a number above 0",
			      text);
}

static void parse_burst(const struct argp_state *state, const char *text, uint64_t *scan)
{
	if (options_read_u64(text, scan) || *scan < 1 || *scan > INT32_MAX)
		options_error(
			state,
			"--pattern 'burst:%s': the entries to scan are not a number from 1 to %d",
			text, INT32_MAX);
}

static void parse_pattern(const struct argp_state *state, const char *text,
			  struct trace_pattern_config *p)
{
	if (!strcmp(text, "madvise"))
		p->kind = TRACE_PATTERN_MADVISE;
	else if (!strcmp(text, "random"))
		p->kind = TRACE_PATTERN_RANDOM;
	else if (!strcmp(text, "loop"))
		p->kind = TRACE_PATTERN_LOOP;
	else if (!strncmp(text, "zipf:", 5))
		p->kind = TRACE_PATTERN_ZIPF;
	else if (!strcmp(text, "burst") || !strncmp(text, "burst:", 6))
		p->kind = TRACE_PATTERN_BURST;
	else
		options_error(state,
			      "--pattern '%s': no such pattern; there are madvise, random, zipf:A, "
			      "loop and burst[:N]",
			      text);
	if (!strncmp(text, "burst:", 6))
		parse_burst(state, text + 6, &p->scan);
	if (p->kind == TRACE_PATTERN_ZIPF)
		parse_zipf(state, text + 5, &p->zipf_a);
}

/* The sizes that the kernel has a switch for: no folio of two pages is anonymous. */
static unsigned parse_folio(const struct argp_state *state, const char *text)
{
	uint64_t bytes;

	if (!options_read_size(text, &bytes)) {
		for (unsigned order = 0; order <= TRACE_MAX_ORDER; order++) {
			if (order != 1 && bytes == (uint64_t)TRACE_PAGE_SIZE << order)
				return order;
		}
	}
	options_error(state,
		      "--folio '%s': no size of a folio; there are 4K, 16K, 32K, 64K, 128K, 256K, "
		      "512K, 1M and 2M",
		      text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct pattern_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		memset(o, 0, sizeof(*o));
		o->pattern.nr_cpus = 1;
		o->pattern.seed = DEFAULT_SEED;
		o->pattern.scan = TRACE_PATTERN_SCAN;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_PATTERN:
		parse_pattern(state, arg, &o->pattern);
		return 0;
	case KEY_FOLIO:
		o->pattern.folio_order = parse_folio(state, arg);
		return 0;
	case KEY_CPUS:
		o->pattern.nr_cpus = options_u64(state, "--cpus", arg, 1, TRACE_MAX_CPUS);
		return 0;
	case KEY_EVENTS:
		o->pattern.nr_events = options_u64(state, "--events", arg, 1, MAX_EVENTS);
		return 0;
	case KEY_SEED:
		o->pattern.seed = options_u64(state, "--seed", arg, 0, MAX_SEED);
		return 0;
	case ARGP_KEY_END:
		if (o->pattern.nr_events && o->pattern.kind == TRACE_PATTERN_MADVISE)
			options_error(state, "--events: the pattern madvise is as long as it takes "
					     "to store and load every page once");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "TRACE", 0, "Where the trace goes; there, it is replaced when it is whole",
	 0},
	{"pattern", KEY_PATTERN, "PATTERN", 0,
	 "madvise (the default), random, zipf:A, loop or burst[:N]", 0},
	{"folio", KEY_FOLIO, "SIZE", 0,
	 "Store folios of this size: 4K (the default), 16K, 64K, 2M, or a power of two between", 0},
	{"cpus", KEY_CPUS, "N", 0, "How many CPUs take part (default 1)", 0},
	{"events", KEY_EVENTS, "N", 0,
	 "How many touches random, zipf, loop and burst have (default: four a page)", 0},
	{"seed", KEY_SEED, "S", 0, "What all that is random depends on (default 1)", 0},
	{0},
};

const struct argp pattern_options_argp = {.options = options, .parser = parse};

/* In as few digits as are read back as the same number. */
static void zipf_text(double a, char *buf, size_t size)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, size, "zipf:%.*g", digits, a);
		if (strtod(buf + strlen("zipf:"), NULL) == a)
			return;
	}
}

static void pattern_text(const struct trace_pattern_config *p, char *buf, size_t size)
{
	static const char *const names[] = {
		[TRACE_PATTERN_MADVISE] = "madvise",
		[TRACE_PATTERN_RANDOM] = "random",
		[TRACE_PATTERN_LOOP] = "loop",
	};

	if (p->kind == TRACE_PATTERN_ZIPF)
		zipf_text(p->zipf_a, buf, size);
	else if (p->kind == TRACE_PATTERN_BURST)
		snprintf(buf, size, "burst:%" PRIu64, p->scan);
	else
		snprintf(buf, size, "%s", names[p->kind]);
}

char *pattern_options_command(const struct pattern_options *o, const char *command,
			      const char *const *args, size_t nr_args)
{
	size_t shown = nr_args < MAX_COMMAND_ARGS ? nr_args : MAX_COMMAND_ARGS;
	char pattern[64], folio[32], cpus[32], events[32], seed[32], more[64];
	char *argv[MAX_COMMAND_ARGS + 16];
	int argc = 0;

	pattern_text(&o->pattern, pattern, sizeof(pattern));
	snprintf(folio, sizeof(folio), "%uK", 4u << o->pattern.folio_order);
	snprintf(cpus, sizeof(cpus), "%u", o->pattern.nr_cpus);
	snprintf(events, sizeof(events), "%" PRIu64, o->pattern.nr_events);
	snprintf(seed, sizeof(seed), "%" PRIu64, o->pattern.seed);
	argv[argc++] = (char *)command;
	argv[argc++] = "--pattern";
	argv[argc++] = pattern;
	argv[argc++] = "--folio";
	argv[argc++] = folio;
	argv[argc++] = "--cpus";
	argv[argc++] = cpus;
	if (o->pattern.nr_events) {
		argv[argc++] = "--events";
		argv[argc++] = events;
	}
	argv[argc++] = "--seed";
	argv[argc++] = seed;
	for (size_t i = 0; i < shown; i++)
		argv[argc++] = (char *)args[i];
	if (shown < nr_args) {
		snprintf(more, sizeof(more), "(and %zu more)", nr_args - shown);
		argv[argc++] = more;
	}
	return options_command_line(argc, argv);
}

void pattern_options_print(const struct pattern_options *o, const char *output,
			   const struct trace_made *made)
{
	printf("%s: %" PRIu64 " pages, %" PRIu64 " distinct, %" PRIu64 " events, %" PRIu64
	       " bytes (seed %" PRIu64 ")\n",
	       output, made->nr_pages, made->nr_distinct, made->nr_events, made->file_bytes,
	       o->pattern.seed);
}
