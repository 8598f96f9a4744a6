/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "zswapsim batch" found, and its two forms. */
#ifndef CMD_BATCH_H
#define CMD_BATCH_H

#include <jansson.h>
#include <stdio.h>

#include "backends/iaa_model.h"
#include "cmd/machine_info.h"
#include "cmd/machine_warnings.h"
#include "cmd/options.h"
#include "sim/acomp_batch.h"
#include "sim/batching.h"

#define BATCH_SCHEMA	     "zswapsim.batch"
#define BATCH_SCHEMA_VERSION 1

#define BATCH_MAX_CODECS 8u
#define BATCH_MAX_SIZES	 12u

/* A codec and a size of folios, under each interface. */
struct batch_cell {
	uint64_t folios, pages, zero_folios; /* stored; left out */
	struct batching_result *result[BATCHING_NR_MODES];
	/*
	 * The same without writeback: what does not shrink is refused, and its folio with it. NULL
	 * if all pages shrink: then nothing is refused, and nothing would be another.
	 */
	struct batching_result *refusing[BATCHING_NR_MODES];
	struct batching_overhead overhead; /* rounds 0: not measured */
	bool same_objects[BATCHING_NR_MODES], same_counters[BATCHING_NR_MODES];
};

struct batch_report {
	const char *command, *trace_path;
	const struct trace_info *trace;
	const struct profile *profile;
	const struct machine_info *machine;
	const struct machine_warnings *warnings;
	const struct iaa_model *device;
	const struct bootstrap_config *bootstrap;
	uint64_t pages; /* of the trace's stores, that were taken */
	unsigned rounds;
	double mutex_ns; /* of an uncontended lock and unlock, measured */
	unsigned nr_codecs, nr_sizes;
	struct acomp_spec codec[BATCH_MAX_CODECS];
	unsigned order[BATCH_MAX_SIZES]; /* or BATCHING_AS_TRACED */
	struct batch_cell cell[BATCH_MAX_CODECS][BATCH_MAX_SIZES];
};

/* Loads over both runs. */
static inline uint64_t batch_verified(const struct batch_cell *cell, unsigned mode)
{
	const struct batching_result *refusing = cell->refusing[mode];

	return cell->result[mode]->verified_pages + (refusing ? refusing->verified_pages : 0);
}

static inline uint64_t batch_mismatched(const struct batch_cell *cell, unsigned mode)
{
	const struct batching_result *refusing = cell->refusing[mode];

	return cell->result[mode]->mismatched_pages + (refusing ? refusing->mismatched_pages : 0);
}

/* A device's calls have the time of a model. */
static inline bool batch_is_modelled(const struct acomp_spec *codec)
{
	return codec->alg->flags & ACOMP_ALG_MODELLED;
}

/* "64K", "trace" */
const char *batch_size_name(unsigned order, char buf[static 16]);

void batch_text(FILE *out, const struct batch_report *r);
/* NULL when out of memory. */
json_t *batch_json(const struct batch_report *r);

#endif
