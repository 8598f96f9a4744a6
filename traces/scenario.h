/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands beside a recording: the JSON of the same name, a list of checkpoints ("steps"), and
 * scenarios.json, the settings that neither of the two has. Both may be absent.
 * Errors: a negative errno and a line in *err.
 */
#ifndef TRACES_SCENARIO_H
#define TRACES_SCENARIO_H

#include <jansson.h>

#include "traces/format.h"

/* The parts of ".../zram_perpage_zstd.csv.zst" or ".../zswap_limit_lzo-rle_again.csv". */
struct scenario_name {
	char driver[16]; /* "zram", "zswap" */
	char kind[32];	 /* "perpage" */
	char algo[32];	 /* "zstd" */
};

/* 0, or -EINVAL if the file is not named like that. */
int scenario_name(const char *recording, struct scenario_name *name);

/*
 * The object of this scenario ("zram_perpage") in the scenarios.json beside the recording or, if
 * there is none with it, in the folder above. *settings is a new reference, NULL if there is none.
 */
int scenario_settings(const char *recording, json_t **settings, struct trace_error *err);

/*
 * All steps of the JSON beside the recording, a list of objects; a new reference, NULL if there is
 * no such file.
 */
int scenario_steps(const char *recording, json_t **steps, struct trace_error *err);
/* The first step of that name ("config"), borrowed; NULL if there is none, or if @steps is NULL. */
json_t *scenario_step(const json_t *steps, const char *step);

/*
 * 0, or -EINVAL if the step "done" of the JSON beside the recording says that it has another number
 * of @rows: a recording that was cut off between two rows.
 */
int scenario_check_rows(const char *recording, uint64_t rows, struct trace_error *err);

#endif
