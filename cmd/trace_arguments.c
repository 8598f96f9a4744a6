// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/trace_arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trace_arguments *a = state->input;

	switch (key) {
	case 'j':
		a->json = true;
		return 0;
	case ARGP_KEY_ARG:
		options_one_trace(state, &a->path, arg);
		return 0;
	case ARGP_KEY_END:
		options_need_trace(state, a->path);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0},
};

const struct argp trace_arguments_argp = {.options = options, .parser = parse};

const char *limit_text(uint64_t limit, char buf[static LIMIT_SIZE])
{
	if (limit == TRACE_NO_LIMIT)
		return "max";
	snprintf(buf, LIMIT_SIZE, "%" PRIu64, limit);
	return buf;
}

json_t *limit_json(uint64_t limit)
{
	return limit == TRACE_NO_LIMIT ? json_null() : json_integer(limit);
}
