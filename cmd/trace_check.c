// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "traces/reader.h"

static const char doc[] =
	"Checks everything in each TRACE: all checksums, that every page unpacks and has the key "
	"that "
	"it is listed under, every event, the hash of the file.\v"
	"Examples:\n"
	"  zswapsim trace check silesia.bin\n"
	"  zswapsim trace check *.bin\n\n"
	"Exit status: 0 all are whole; 2 one is not, and what is wrong is said with its offset.";

struct paths {
	char **first;
	int nr;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct paths *paths = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		paths->first = state->argv + state->next;
		paths->nr = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		options_error(state, "a trace is needed");
	}
	return ARGP_ERR_UNKNOWN;
}

static int check(const char *name, const char *path)
{
	struct trace_reader *reader = NULL;
	struct trace_error err;
	int status = STATUS_OK;

	if (trace_reader_open(path, &reader, &err) || trace_reader_check(reader, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		status = STATUS_USAGE;
	} else {
		printf("%s: ok, %" PRIu64 " pages, %" PRIu64 " events\n", path,
		       trace_reader_info(reader)->nr_pages, trace_reader_info(reader)->nr_events);
	}
	trace_reader_close(reader);
	return status;
}

int cmd_trace_check(int argc, char **argv)
{
	static const struct argp argp = {.parser = parse, .args_doc = "TRACE...", .doc = doc};
	struct paths paths = {0};
	int status = options_parse(&argp, argc, argv, &paths);

	if (status)
		return status;
	for (int i = 0; i < paths.nr; i++) {
		int ret = check(argv[0], paths.first[i]);

		if (ret)
			status = ret;
	}
	return status;
}
