// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/codec.h"
#include "cmd/commands.h"
#include "sim/number.h"

struct wrapped {
	const struct argp *argp;
	void *input;
};

/* Without a stream argp prints nothing of its own; what getopt says is the one line. */
static error_t parse_wrapped(int key, char *arg, struct argp_state *state)
{
	const struct wrapped *w = state->input;

	if (key == ARGP_KEY_INIT)
		state->err_stream = NULL;
	state->input = w->input;
	return w->argp->parser(key, arg, state);
}

void options_printable(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
}

static void print_error(const char *name, char *text)
{
	options_printable(text);
	fprintf(stderr, "%s: %s\n", name, text);
}

int options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	struct wrapped w = {.argp = argp, .input = input};
	struct argp outer = *argp;
	int end = argc, ret;

	outer.parser = parse_wrapped;
	/* getopt repeats the names of options that it does not know. */
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (*argv[i] != '-')
			continue;
		if (value)
			*value = '\0';
		options_printable(argv[i]);
		if (value)
			*value = '=';
	}
	ret = argp_parse(&outer, argc, argv, 0, &end, &w);
	if (!ret && end == argc)
		return STATUS_OK;
	if (!ret) {
		options_printable(argv[end]);
		fprintf(stderr, "%s: unexpected argument '%s'\n", argv[0], argv[end]);
	}
	return STATUS_USAGE;
}

void options_error(const struct argp_state *state, const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	print_error(state->name, text);
	exit(STATUS_USAGE);
}

int options_read_u64(const char *text, uint64_t *value)
{
	return number_read_u64(text, value);
}

int options_read_size(const char *text, uint64_t *value)
{
	return number_read_size(text, value);
}

uint64_t options_u64(const struct argp_state *state, const char *name, const char *text,
		     uint64_t min, uint64_t max)
{
	uint64_t value;

	if (options_read_u64(text, &value) || value < min || value > max)
		options_error(state, "%s '%s': not a number from %" PRIu64 " to %" PRIu64, name,
			      text, min, max);
	return value;
}

uint64_t options_size(const struct argp_state *state, const char *name, const char *text,
		      uint64_t min, uint64_t max)
{
	uint64_t value;

	if (options_read_size(text, &value) || value < min || value > max)
		options_error(state,
			      "%s '%s': not a number of bytes from %" PRIu64 " to %" PRIu64
			      " (with K, M, G or T if you like)",
			      name, text, min, max);
	return value;
}

void options_one_trace(const struct argp_state *state, const char **trace, const char *arg)
{
	if (*trace)
		options_error(state, "one trace at a time, not '%s' too", arg);
	*trace = arg;
}

void options_need_trace(const struct argp_state *state, const char *trace)
{
	if (!trace)
		options_error(state, "a trace is needed");
}

static void put_quoted(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=./:,@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

char *options_command_line(int argc, char **argv)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	bool failed;

	if (!out)
		return NULL;
	/* argv[0] is the name of the command, of two or three words. */
	fputs(argv[0], out);
	for (int i = 1; i < argc; i++) {
		fputc(' ', out);
		put_quoted(out, argv[i]);
	}
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(line);
		return NULL;
	}
	return line;
}

/* Whether @assignment is of @key. */
static bool is_of(const char *assignment, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(assignment, key, len) && assignment[len] == '=';
}

static bool is_of_profile(const char *assignment)
{
	const struct profile_key *key;

	profile_for_each_key (key) {
		if (is_of(assignment, key->key))
			return true;
	}
	return false;
}

void options_add_set(struct options_kernel *o, const struct argp_state *state,
		     const char *assignment)
{
	struct settings s;
	char err[2048];

	if (o->machine && is_of(assignment, "kernel")) {
		o->name = assignment + strlen("kernel=");
		return;
	}
	if (o->machine && !is_of_profile(assignment)) {
		settings_init(&s);
		s.replay = *o->machine;
		if (settings_assign(&s, assignment, err, sizeof(err)))
			options_error(state, "--set: %s", err);
		if (is_of(assignment, "zswap.compressor"))
			codec_option(state, "--set", s.replay.compressor);
		*o->machine = s.replay;
		return;
	}
	if (o->nr_sets == OPTIONS_MAX_SETS)
		options_error(state, "more than %d times --set", OPTIONS_MAX_SETS);
	o->sets[o->nr_sets++] = assignment;
}

static void finish_kernel(struct options_kernel *o, const struct argp_state *state)
{
	char err[1024];

	if (profile_init(&o->profile, o->name ? o->name : PROFILE_DEFAULT, err, sizeof(err)))
		options_error(state, "--kernel: %s", err);
	for (unsigned i = 0; i < o->nr_sets; i++) {
		if (profile_set(&o->profile, o->sets[i], err, sizeof(err)))
			options_error(state, "--set: %s", err);
	}
}

static error_t parse_kernel(int key, char *arg, struct argp_state *state)
{
	struct options_kernel *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct options_kernel){.machine = o->machine};
		return 0;
	case 'k':
		o->name = arg;
		return 0;
	case 's':
		options_add_set(o, state, arg);
		return 0;
	case ARGP_KEY_END:
		/* Now, so that --set changes the preset wherever --kernel stands. */
		finish_kernel(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option kernel_options[] = {
	{"kernel", 'k', "NAME", 0,
	 "The kernel preset, " PROFILE_DEFAULT " by default ('zswapsim profiles' lists them)", 0},
	{"set", 's', "KEY=VALUE", 0,
	 "Change one switch of the preset ('zswapsim profiles' lists them); where a trace is "
	 "replayed, any setting ('zswapsim sweep --keys'); may be repeated",
	 0},
	{0},
};

const struct argp options_kernel_argp = {.options = kernel_options, .parser = parse_kernel};
