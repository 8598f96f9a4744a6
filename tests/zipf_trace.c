// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/zipf_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/pattern.h"
#include "traces/random.h"
#include "traces/synth_plan.h"
#include "traces/writer.h"

/* The lengths of all pages of the corpus. */
static uint16_t *corpus_lengths(uint64_t seed, uint32_t *nr)
{
	uint16_t *lengths = NULL;

	*nr = 0;
	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		struct synth_plan plan;
		uint16_t *bigger;

		if (synth_plan_init(&plan, &synth_silesia[f], synth_silesia_sizes[f], seed, f))
			goto err;
		bigger = realloc(lengths, (*nr + plan.nr_pages) * sizeof(*lengths));
		if (bigger) {
			lengths = bigger;
			memcpy(lengths + *nr, plan.targets, plan.nr_pages * sizeof(*lengths));
			*nr += plan.nr_pages;
		}
		synth_plan_finish(&plan);
		if (!bigger)
			goto err;
	}
	return lengths;
err:
	free(lengths);
	return NULL;
}

static uint16_t length_in_trace(uint16_t target)
{
	if (target == SYNTH_TARGET_ZERO)
		return TRACE_LENGTH_ZERO;
	return target == SYNTH_TARGET_RANDOM ? TRACE_LENGTH_FAILED : target;
}

static int write_lengths(struct trace_writer *w, const struct zipf_trace_config *config,
			 struct trace_error *err)
{
	uint32_t nr, id;
	uint16_t *corpus = corpus_lengths(config->seed, &nr);
	struct random random;
	int ret = 0;

	if (!corpus)
		return -ENOMEM;
	random_init(&random, config->seed, 1);
	for (uint32_t i = 0; !ret && i < config->nr_pages; i++) {
		uint16_t length = length_in_trace(corpus[random_below(&random, nr)]);

		ret = trace_writer_lengths(w, &length, &id, err);
	}
	free(corpus);
	return ret;
}

static int write_events(struct trace_writer *w, const struct zipf_trace_config *config,
			struct trace_error *err)
{
	struct trace_pattern_config pattern = {
		.kind = TRACE_PATTERN_ZIPF,
		.zipf_a = config->a,
		.nr_cpus = 1,
		.nr_events = config->nr_events,
		.seed = config->seed,
	};
	struct trace_pattern_step step;
	struct trace_pattern *p;
	uint64_t mark;
	int ret = trace_writer_mark_name(w, "zipf", &mark, err);

	if (!ret)
		ret = trace_pattern_create(&pattern, &p);
	if (ret)
		return ret;
	ret = trace_pattern_add_file(p, config->nr_pages);
	while (!ret) {
		uint32_t id;
		int more = trace_pattern_next(p, &step);

		if (more <= 0) {
			ret = more;
			break;
		}
		id = step.page;
		ret = trace_writer_event(w, &step.event,
					 step.event.type == TRACE_STORE ? &id : NULL, err);
	}
	trace_pattern_destroy(p);
	return ret;
}

int zipf_trace_write(const char *path, const struct zipf_trace_config *config,
		     struct trace_error *err)
{
	const char *const compressors[] = {"zstd"};
	struct trace_writer_config writer = {
		.maker = "zswapsim benchmark",
		.command = "",
		.title = "zipf",
		.seed = config->seed,
		.nr_cpus = 1,
		.nr_swap_types = 1,
		.compressors = compressors,
		.nr_compressors = 1,
	};
	struct trace_writer *w;
	int ret;

	memset(err, 0, sizeof(*err));
	ret = trace_writer_create(path, &writer, &w, err);
	if (ret)
		return ret;
	ret = write_lengths(w, config, err);
	if (!ret)
		ret = write_events(w, config, err);
	if (!ret)
		return trace_writer_commit(w, err);
	if (!err->message[0])
		snprintf(err->message, sizeof(err->message), "%s: %s", path, strerror(-ret));
	trace_writer_abort(w);
	return ret;
}
