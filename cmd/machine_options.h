/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --machine and --machines, for every command that models another machine's times. A child of the
 * command's struct argp; its input is a struct machine_options.
 */
#ifndef CMD_MACHINE_OPTIONS_H
#define CMD_MACHINE_OPTIONS_H

#include <argp.h>

#include "backends/machine.h"

struct machine_options {
	const char *name, *path; /* of --machine, of --machines; NULL if not given */
	struct machine_models models;
	/* The machine named, NULL if none is: from the parent's ARGP_KEY_END on. */
	const struct machine_model *model;
};

extern const struct argp machine_options_argp;

#endif
