// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/policy_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/options.h"

/* Above those of the commands themselves, and of the others that they share. */
enum { OPT_POLICY = 1024, OPT_TIMEOUT };

static const struct argp_option options[] = {
	{"policy", OPT_POLICY, "NAME|FILE.so[:ARGS]", 0,
	 "Who chooses what is stored and written back: kernel, a built-in ('zswapsim policy "
	 "--list'), or a shared object of one's own (docs/policies.md)",
	 0},
	{"policy-timeout", OPT_TIMEOUT, "SECONDS", 0,
	 "That one call into a shared object may take, 1 to 86400, or 0: for ever; default 10", 0},
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
