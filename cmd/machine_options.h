/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --machine and --machines, for every command that models another machine's times. A child of the
 * command's struct argp; its input is a struct machine_options.
 */
#ifndef CMD_MACHINE_OPTIONS_H
#define CMD_MACHINE_OPTIONS_H

#include <argp.h>

#include "backends/machine.h"

#define MACHINE_OPTIONS_MAX 4u

struct machine_options {
	const char *name[MACHINE_OPTIONS_MAX], *path; /* of --machine, of --machines */
	unsigned nr;				      /* times --machine was given */
	struct machine_models models;
	/* Those named, in order: from the parent's ARGP_KEY_END on. */
	const struct machine_model *chosen[MACHINE_OPTIONS_MAX];
	const struct machine_model *model; /* the last of them, NULL if there is none */
};

extern const struct argp machine_options_argp;

#endif
