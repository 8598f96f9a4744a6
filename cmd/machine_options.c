// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/machine_options.h"

#include <string.h>

#include "cmd/options.h"

enum { OPT_MACHINE = 0x5000, OPT_MACHINES };

static const struct argp_option options[] = {
	{"machine", OPT_MACHINE, "NAME", 0,
	 "Show beside measured times what a machine model makes of them, with each CPUID at its "
	 "price: "
	 "this, bare-metal, kvm-guest, vm, nested-vm, or one of --machines",
	 0},
	{"machines", OPT_MACHINES, "FILE", 0,
	 "Read more machine models from an INI file: [NAME], cpuid_ns = N, source = TEXT", 0},
	{0},
};

static void finish(struct machine_options *o, const struct argp_state *state)
{
	char err[1024];

	machine_models_init(&o->models);
	if (o->path && machine_models_read(&o->models, o->path, err, sizeof(err)))
		options_error(state, "--machines: %s", err);
	for (unsigned i = 0; i < o->nr; i++) {
		o->model = machine_models_find(&o->models, o->name[i], err, sizeof(err));
		if (!o->model)
			options_error(state, "--machine: %s", err);
		o->chosen[i] = o->model;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct machine_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		memset(o, 0, sizeof(*o));
		return 0;
	case OPT_MACHINE:
		if (o->nr == MACHINE_OPTIONS_MAX)
			options_error(state, "more than %u times --machine", MACHINE_OPTIONS_MAX);
		o->name[o->nr++] = arg;
		return 0;
	case OPT_MACHINES:
		o->path = arg;
		return 0;
	case ARGP_KEY_END:
		/* Now, so that the file may stand behind the name. */
		finish(o, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp machine_options_argp = {.options = options, .parser = parse};
