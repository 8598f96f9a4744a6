// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/pattern_options.h"
#include "cmd/version.h"
#include "traces/build.h"

static const char doc[] =
	"Makes a trace of the contents of files, each cut into pages of 4 KiB, the last one filled "
	"with zeros.\v"
	"Of a directory all files below it are taken, sorted by name. A file packed by gzip, "
	"bzip2, "
	"xz, lzip, lz4, zstd or (\".Z\") compress is unpacked; of a tar, zip, 7zip, cpio or ar "
	"archive "
	"whose name says that it is one, packed or not, all files in it are taken, in its order. "
	"Everything else is taken as it is. Empty files have no pages; links and devices are "
	"skipped.\n\n" PATTERN_OPTIONS_DOC "\n\nExamples:\n"
	"  zswapsim trace build -o silesia.bin silesia.tar\n"
	"  zswapsim trace build -o mine.bin ~/some/folder corpus.tar.zst\n"
	"  zswapsim trace build -o zipf.bin --pattern zipf:0.9 --events 1000000 core\n"
	"  zswapsim trace build -o thp.bin --folio 2M --cpus 4 --raw memory.gz";

enum key {
	KEY_RAW = 512,
};

struct options {
	struct pattern_options common;
	struct trace_build_config build;
	const char **inputs; /* of argv */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case KEY_RAW:
		o->build.raw = true;
		return 0;
	case ARGP_KEY_ARG:
		o->inputs[o->build.nr_inputs++] = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!o->common.output)
			options_error(state, "where to? -o TRACE is needed");
		if (!o->build.nr_inputs)
			options_error(state, "of what? a FILE, DIR or ARCHIVE is needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{"raw", KEY_RAW, NULL, 0, "Take every file as it is: unpack nothing, look into no archive",
	 0},
	{0},
};
static const struct argp_child children[] = {{&pattern_options_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "FILE|DIR|ARCHIVE...",
	.doc = doc,
	.children = children,
};

/* "silesia.tar", "dickens and 8 more". */
static char *title_of(const struct trace_build_config *build)
{
	char *copy = strdup(build->inputs[0]), *title = NULL;
	size_t len = copy ? strlen(copy) : 0;
	const char *name;
	int ret;

	if (!copy)
		return NULL;
	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	name = len > 1 && strrchr(copy, '/') ? strrchr(copy, '/') + 1 : copy;
	if (build->nr_inputs == 1)
		ret = asprintf(&title, "%s", name);
	else
		ret = asprintf(&title, "%s and %zu more", name, build->nr_inputs - 1);
	free(copy);
	return ret < 0 ? NULL : title;
}

/* What made it: --raw is said where it was given. */
static char *command_of(const struct options *o, const char *name)
{
	size_t nr = o->build.nr_inputs;
	const char **args = calloc(nr + 1, sizeof(*args));
	char *command;

	if (!args)
		return NULL;
	if (o->build.raw)
		args[0] = "--raw";
	memcpy(args + o->build.raw, o->build.inputs, nr * sizeof(*args));
	command = pattern_options_command(&o->common, name, args, nr + o->build.raw);
	free(args);
	return command;
}

static int build(const struct options *o, const char *name)
{
	struct trace_maker_config maker = {
		.path = o->common.output, .maker = VERSION_MAKER, .pattern = o->common.pattern};
	char *title = title_of(&o->build), *command = command_of(o, name);
	int status = STATUS_USAGE;
	struct trace_error err;
	struct trace_made made;

	if (!title || !command) {
		fprintf(stderr, "%s: out of memory\n", name);
		goto out;
	}
	maker.title = title;
	maker.command = command;
	if (trace_build(&o->build, &maker, &made, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		goto out;
	}
	pattern_options_print(&o->common, o->common.output, &made);
	status = STATUS_OK;
out:
	free(command);
	free(title);
	return status;
}

int cmd_trace_build(int argc, char **argv)
{
	struct options o = {.inputs = calloc(argc, sizeof(*o.inputs))};
	int status = STATUS_USAGE;

	if (!o.inputs) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		return status;
	}
	o.build.inputs = o.inputs;
	status = options_parse(&argp, argc, argv, &o);
	if (status == STATUS_OK)
		status = build(&o, argv[0]);
	free(o.inputs);
	return status;
}
