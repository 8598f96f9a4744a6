/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine models: what a CPUID takes on a machine that one does not have. A measured time can be
 * priced anew with it. All else stays as measured here (codec, memory): what comes out is modelled,
 * and is never to be shown as if it were measured.
 *
 * Built-in: "this" (nothing changes), "bare-metal", "kvm-guest", "vm", "nested-vm". More can be
 *read from a file:
 *
 *	[my-guest]
 *	cpuid_ns = 1250
 *	source = perf kvm stat, September 2026
 *
 * An indented line goes on with the one above; a line has at most 199 bytes.
 */
#ifndef BACKENDS_MACHINE_H
#define BACKENDS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_MAX_MODELS   64
#define MACHINE_MAX_CPUID_NS 1e9

struct machine_model {
	char name[32];
	bool here;	  /* "this": whatever is measured */
	double cpuid_ns;  /* ns a CPUID, 0 to MACHINE_MAX_CPUID_NS */
	char source[512]; /* of the figure */
};

struct machine_models {
	unsigned nr;
	struct machine_model model[MACHINE_MAX_MODELS];
};

/* The built-in ones. */
void machine_models_init(struct machine_models *models);
/* Adds those of a file; one of a name that is there takes its place. 0; or a line in @err: -EINVAL
 * (what is wrong, and in which line), or why it cannot be read. */
int machine_models_read(struct machine_models *models, const char *path, char *err,
			size_t err_size);
/* NULL, with a line in @err that lists the names, if there is none. */
const struct machine_model *machine_models_find(const struct machine_models *models,
						const char *name, char *err, size_t err_size);

/*
 * The modelled time, ns, of what took @measured_ns here with @cpuids CPUIDs in it, of @here_ns
 * each. Not less than 0.
 */
double machine_model_ns(const struct machine_model *model, double measured_ns, double cpuids,
			double here_ns);

#endif
