// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/future.h"
#include "sim/policy_trace.h"
#include "sim/zswap.h"
#include "traces/error.h"

struct run {
	const struct policy_table_config *config;
	struct policy_table *table;
	struct policy_trace trace,
		kernel_trace; /* kernel_trace: each page by its best compressor */
	struct future *future;
	struct policy *clairvoyant;
	uint8_t *stays; /* bits, by ordinal: pages that never reach the disk */
	unsigned done, total;
	struct trace_error *err;
};

static int fail(const struct run *run, int ret, const char *text)
{
	return trace_fail(run->err, trace_reader_path(run->config->reader), TRACE_NO_OFFSET, ret,
			  "%s", text);
}

static void step(struct run *run)
{
	run->done++;
	if (run->config->progress)
		run->config->progress(run->config->progress_arg, run->done, run->total);
}

/* ---- ideal ---- */

static int ideal_step(void *arg, const struct policy_event *ev)
{
	return ideal_event(arg, ev);
}

static int policy_error(const struct run *run, const struct policy_run *policy)
{
	char text[384];
	uint64_t event;
	const char *error = policy_run_failed(policy, &event);

	snprintf(text, sizeof(text), "event %llu: %s", (unsigned long long)event, error);
	return fail(run, policy_run_crashed(policy) ? -EFAULT : -EINVAL, text);
}

static int run_ideal(struct run *run, struct policy *policy, struct ideal_counts *counts)
{
	struct policy_run_config config = {
		.policy = policy,
		.objective = ZSWAPSIM_IDEAL,
		.nr_nodes = 1,
		.limit = run->table->capacity,
		.nr_events = trace_reader_info(run->config->reader)->nr_events,
		.future = run->future,
		.limit_ms = run->config->kernel->policy_limit_ms,
	};
	struct policy_run *at_work = NULL;
	struct ideal *ideal = NULL;
	char text[384];
	int ret = policy_run_create(&config, &at_work, text, sizeof(text));

	if (ret)
		return fail(run, ret, text);
	ret = ideal_create(at_work, run->table->capacity, &ideal);
	run->err->message[0] = '\0';
	if (!ret)
		ret = policy_trace_walk(&run->trace, ideal_step, ideal, run->err);
	policy_run_end(at_work);
	if (policy_run_failed(at_work, NULL))
		ret = policy_error(run, at_work);
	else if (ret && !run->err->message[0])
		fail(run, ret, strerror(-ret));
	if (!ret)
		*counts = *ideal_counts(ideal);
	ideal_destroy(ideal);
	policy_run_destroy(at_work);
	step(run);
	return ret;
}

/* What the kernel's own choice is without a pool: that of its list. */
static const char *ideal_of_kernel(const struct profile *p)
{
	return p->zswap.shrinker == ZSWAP_SHRINKER_PROTECTED ? "lru" : "second-chance";
}

static int run_ideal_row(struct run *run, struct policy *policy, struct policy_row *row)
{
	struct policy *stand_in = NULL;
	char text[384];
	int ret;

	if (!policy) {
		row->ideal_name = ideal_of_kernel(run->config->kernel->profile);
		ret = policy_load(row->ideal_name, 0, &stand_in, text, sizeof(text));
		if (ret)
			return fail(run, ret, text);
	}
	ret = run_ideal(run, policy ? policy : stand_in, &row->ideal);
	policy_unload(stand_in);
	return ret;
}

/* ---- the kernel ---- */

static void collect(const struct replay_result *result, struct policy_kernel_counts *counts)
{
	counts->hits = result->counts.in_pages[SWAPIN_ZSWAP];
	counts->disk_reads = result->counts.in_pages[SWAPIN_DISK];
	counts->written_back = result->zswap.written_back_pages;
	counts->refused = 0;
	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++)
		counts->refused += result->rejected[i];
	counts->refused_policy = result->rejected[ZSWAP_REJECT_POLICY];
	counts->peak_pages = result->pool_peak.pages;
	counts->compactions = result->compactions;
	counts->compacted_pages = result->compacted_pages;
	counts->mismatched = result->counts.mismatched_pages;
	counts->failed = result->counts.failed_loads;
}

static int run_kernel(struct run *run, struct policy *policy, struct policy_kernel_counts *counts)
{
	struct policy_table *table = run->table;
	struct replay_config config = *run->config->kernel;
	struct replay_result *result = malloc(sizeof(*result));
	int ret;

	if (!result)
		return fail(run, -ENOMEM, "out of memory");
	config.mode = REPLAY_POLICY;
	config.lengths = run->config->lengths;
	config.observer = NULL;
	config.sample_interval = 0;
	config.clock = NULL;
	config.policy = policy;
	config.policy_spec = NULL;
	config.future = run->future;
	config.stays = run->stays;
	ret = replay_run(&config, run->config->reader, result, run->err);
	if (!ret || ret == -ENODATA) {
		table->max_pages = result->max_pages;
		table->accept_thr_pages = result->accept_thr_pages;
	}
	if (!ret) {
		collect(result, counts);
		table->kernel_known = true;
		if (result->allowed_pages * PAGE_SIZE > table->kernel_capacity)
			table->kernel_capacity = result->allowed_pages * PAGE_SIZE;
		replay_result_finish(result);
	} else if (ret == -ENODATA) {
		snprintf(counts->stopped, sizeof(counts->stopped), "%s", run->err->message);
		ret = 0;
	}
	free(result);
	step(run);
	return ret;
}

/* ---- the bounds ---- */

struct bound_walk {
	const struct run *run;
	struct bound *bound;
	bool kernel;
};

static int bound_step(void *arg, const struct policy_event *ev)
{
	struct bound_walk *walk = arg;
	const uint8_t *stays = walk->kernel ? walk->run->stays : NULL;
	struct policy_event left_out = *ev;

	if (ev->type != POLICY_STORE)
		return bound_event(walk->bound, ev, 0);
	if (stays && stays[ev->ordinal / 8] >> ev->ordinal % 8 & 1) {
		left_out.class = POLICY_ZERO;
		ev = &left_out;
	}
	return bound_event(walk->bound, ev, future_next_use(walk->run->future, ev->ordinal));
}

static int find_bound(const struct run *run, bool kernel, struct bound_result *result)
{
	struct bound_walk walk = {.run = run, .kernel = kernel};
	int ret = bound_create(kernel ? run->table->kernel_capacity : run->table->capacity,
			       &walk.bound);

	run->err->message[0] = '\0';
	if (!ret)
		ret = policy_trace_walk(kernel ? &run->kernel_trace : &run->trace, bound_step,
					&walk, run->err);
	if (!ret)
		bound_result(walk.bound, result);
	else if (!run->err->message[0])
		fail(run, ret, strerror(-ret));
	bound_destroy(walk.bound);
	return ret;
}

/* ---- all of it ---- */

static int length_of(void *arg, uint32_t id)
{
	return lengths_of(arg, id);
}

/* Of two lengths; a failure is longer than any. */
static int shorter(int a, int b)
{
	return b > 0 && (a < 0 || b < a) ? b : a;
}

/* A policy may give the page to any. */
static int best_length_of(void *arg, uint32_t id)
{
	const struct policy_table_config *config = arg;
	int best = lengths_of(config->lengths, id);

	for (unsigned i = 0; best && i < config->kernel->nr_codecs; i++)
		best = shorter(best, lengths_of(config->kernel->codec_lengths[i], id));
	return best;
}

static bool is_clairvoyant(const struct policy *policy)
{
	return policy && policy->builtin && !strcmp(policy->ops.name, "clairvoyant");
}

static int run_row(struct run *run, struct policy *policy, struct policy_row *row)
{
	int ret = 0;

	row->name = policy ? policy->spec : POLICY_KERNEL;
	/* Our own one is gone before the table. */
	if (policy == run->clairvoyant)
		row->name = policy->ops.name;
	row->ideal_name = row->name;
	if (run->config->real)
		ret = run_kernel(run, policy, &row->kernel);
	if (!ret && run->config->ideal)
		ret = run_ideal_row(run, policy, row);
	return ret;
}

static int run_rows(struct run *run)
{
	const struct policy_table_config *config = run->config;
	const struct policy_row *reference = NULL;
	int ret = 0;

	for (unsigned i = 0; !ret && i < config->nr_policies; i++) {
		ret = run_row(run, config->policies[i], &run->table->rows[i]);
		if (is_clairvoyant(config->policies[i]))
			reference = &run->table->rows[i];
	}
	run->table->nr_rows = config->nr_policies;
	if (!ret && reference)
		run->table->clairvoyant = *reference;
	else if (!ret)
		ret = run_row(run, run->clairvoyant, &run->table->clairvoyant);
	return ret;
}

unsigned policy_table_nr_runs(const struct policy_table_config *config)
{
	unsigned rows = config->nr_policies;
	bool there = false;

	for (unsigned i = 0; i < config->nr_policies; i++)
		there |= is_clairvoyant(config->policies[i]);
	return (rows + !there) * (config->ideal + config->real);
}

static int set_up(struct run *run)
{
	const struct policy_table_config *config = run->config;
	const struct trace_info *info = trace_reader_info(config->reader);
	char text[384];
	int ret;

	run->trace = (struct policy_trace){
		.reader = config->reader,
		.profile = config->kernel->profile,
		.length = length_of,
		.length_arg = (struct lengths *)config->lengths,
		.zeros_length = config->lengths->zeros,
	};
	run->kernel_trace = run->trace;
	run->kernel_trace.length = best_length_of;
	run->kernel_trace.length_arg = (struct policy_table_config *)config;
	for (unsigned i = 0; i < config->kernel->nr_codecs; i++)
		run->kernel_trace.zeros_length = shorter(run->kernel_trace.zeros_length,
							 config->kernel->codec_lengths[i]->zeros);
	run->total = policy_table_nr_runs(config);
	if (config->replayed) {
		run->table->kernel_known = true;
		run->table->kernel_capacity = config->replayed->allowed_pages * PAGE_SIZE;
	}
	run->table->capacity = config->capacity;
	if (!config->capacity)
		run->table->capacity = config->kernel->totalram_pages *
				       config->kernel->max_pool_percent / 100 * PAGE_SIZE;
	run->stays = calloc(info->nr_stored_pages / 8 + 1, 1);
	if (!run->stays)
		return fail(run, -ENOMEM, "out of memory");
	ret = policy_load("clairvoyant", 0, &run->clairvoyant, text, sizeof(text));
	if (ret)
		return fail(run, ret, text);
	return policy_trace_future(&run->trace, &run->future, run->err);
}

int policy_table_run(const struct policy_table_config *config, struct policy_table *table,
		     struct trace_error *err)
{
	struct run run = {.config = config, .table = table, .err = err};
	int ret;

	memset(table, 0, sizeof(*table));
	memset(err, 0, sizeof(*err));
	ret = set_up(&run);
	if (!ret)
		ret = run_rows(&run);
	if (!ret && config->ideal)
		ret = find_bound(&run, false, &table->ideal_bound);
	if (!ret && config->real && table->kernel_known)
		ret = find_bound(&run, true, &table->kernel_bound);
	future_destroy(run.future);
	policy_unload(run.clairvoyant);
	free(run.stays);
	return ret;
}
