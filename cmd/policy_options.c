// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/policy_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/replay_lengths.h"

/* Above those of the commands themselves, and of the others that they share. */
enum { OPT_POLICY = 1024, OPT_TIMEOUT, OPT_CODEC };

static const struct argp_option options[] = {
	{"policy", OPT_POLICY, "NAME|FILE.so[:ARGS]", 0,
	 "Who chooses what is stored and written back: kernel, a built-in ('zswapsim policy "
	 "--list'), or a shared object of one's own (docs/policies.md)",
	 0},
	{"policy-timeout", OPT_TIMEOUT, "SECONDS", 0,
	 "That one call into a shared object may take, 1 to 86400, or 0: for ever; default 10", 0},
	{"policy-codec", OPT_CODEC, "NAME[:LEVEL]", 0,
	 "A compressor that a policy may choose for a page, beside that of --compressor; up to 7 "
	 "times",
	 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct policy_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit_ms = POLICY_LIMIT_MS;
		return 0;
	case OPT_POLICY:
		if (o->nr == POLICY_TABLE_MAX)
			options_error(state, "more than %u times --policy", POLICY_TABLE_MAX);
		for (unsigned i = 0; i < o->nr; i++) {
			if (!strcmp(o->specs[i], arg))
				options_error(state, "--policy %s is given twice", arg);
		}
		o->specs[o->nr++] = arg;
		return 0;
	case OPT_TIMEOUT:
		o->limit_ms = 1000 * options_u64(state, "--policy-timeout", arg, 0, 86400);
		return 0;
	case OPT_CODEC:
		if (o->nr_codecs == ZSWAP_MAX_CODECS - 1)
			options_error(state, "more than %u times --policy-codec",
				      ZSWAP_MAX_CODECS - 1);
		codec_option(state, "--policy-codec", arg);
		for (unsigned i = 0; i < o->nr_codecs; i++) {
			if (!strcmp(o->codecs[i], arg))
				options_error(state, "--policy-codec %s is given twice", arg);
		}
		o->codecs[o->nr_codecs++] = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp policy_options_argp = {.options = options, .parser = parse};

void policy_options_end_if_crashed(int ret)
{
	if (ret == -EFAULT)
		_exit(STATUS_USAGE);
}

static int load(const struct policy_options *o, const char *spec, unsigned *nr,
		struct policy *policies[POLICY_TABLE_MAX], const char *name)
{
	char err[1024];
	int ret = 0;

	policies[*nr] = NULL;
	if (strcmp(spec, POLICY_KERNEL))
		ret = policy_load(spec, o->limit_ms, &policies[*nr], err, sizeof(err));
	if (ret) {
		options_printable(err);
		fprintf(stderr, "%s: %s\n", name, err);
		policy_options_end_if_crashed(ret);
		return STATUS_USAGE;
	}
	++*nr;
	return STATUS_OK;
}

int policy_options_load(const struct policy_options *o, unsigned *nr,
			struct policy *policies[POLICY_TABLE_MAX], const char *name)
{
	int status = STATUS_OK;

	*nr = 0;
	for (unsigned i = 0; !status && i < o->nr; i++)
		status = load(o, o->specs[i], nr, policies, name);
	if (o->nr)
		return status;
	status = load(o, POLICY_KERNEL, nr, policies, name);
	for (const struct policy_builtin *b = policy_builtins; !status && b->ops; b++)
		status = load(o, b->ops->name, nr, policies, name);
	return status;
}

int policy_options_open_codecs(struct policy_options *o, const char *name, const char *trace,
			       struct trace_reader *reader, struct replay_config *config)
{
	struct replay_config one = *config;

	for (unsigned i = 0; i < o->nr_codecs; i++) {
		struct lengths *lengths;

		one.compressor = o->codecs[i];
		if (replay_lengths_open(name, trace, reader, &one, &lengths))
			return STATUS_USAGE;
		o->codec_lengths[i] = lengths;
	}
	config->nr_codecs = o->nr_codecs;
	config->codecs = o->codecs;
	config->codec_lengths = o->codec_lengths;
	return STATUS_OK;
}

void policy_options_close_codecs(struct policy_options *o)
{
	for (unsigned i = 0; i < o->nr_codecs; i++)
		lengths_close((struct lengths *)o->codec_lengths[i]);
	memset(o->codec_lengths, 0, sizeof(o->codec_lengths));
}
