// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/same_counts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "sim/lengths.h"
#include "tests/test.h"

/* Prints where two documents differ. */
static void print_difference(const char *path, json_t *a, json_t *b)
{
	char below[256];
	const char *key;
	json_t *value;

	if (json_equal(a, b))
		return;
	if (!json_is_object(a) || !json_is_object(b)) {
		char *x = json_dumps(a, JSON_COMPACT | JSON_ENCODE_ANY);
		char *y = json_dumps(b, JSON_COMPACT | JSON_ENCODE_ANY);

		print_error("%s: measure mode %.300s, policy mode %.300s\n", path, x, y);
		free(x);
		free(y);
		return;
	}
	json_object_foreach(a, key, value)
	{
		snprintf(below, sizeof(below), "%s.%s", path, key);
		print_difference(below, value, json_object_get(b, key));
	}
}

static void forget_times(struct zswap_stats *z)
{
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		z->dir[dir].init_ns = 0;
		z->dir[dir].codec_ns = 0;
		z->dir[dir].copy_ns = 0;
	}
}

#define assert_same(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

void assert_same_counts(const struct replay_result *m, const struct replay_result *p,
			const struct profile *profile)
{
	json_t *x = report_counts_json(m, profile, NULL), *y = report_counts_json(p, profile, NULL);
	struct zswap_stats zm = m->zswap, zp = p->zswap;
	struct swapdev_stats dm = m->dev, dp = p->dev;

	if (!json_equal(x, y)) {
		print_difference("counts", x, y);
		fail();
	}
	json_decref(x);
	json_decref(y);

	/* And what is in no report. */
	assert_same(m->counts, p->counts);
	forget_times(&zm);
	forget_times(&zp);
	assert_same(zm, zp);
	assert_same(m->swap, p->swap);
	dm.file_ns = dp.file_ns = 0;
	assert_same(dm, dp);
	assert_same(m->rejected, p->rejected);
	for (unsigned op = 0; op < REPLAY_NR_OPS; op++)
		assert_int_equal(m->op[op].count, p->op[op].count);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
			assert_int_equal(m->page[dir][path].count, p->page[dir][path].count);
	}
	assert_same(m->pool_peak, p->pool_peak);
	assert_same(m->pool_end, p->pool_end);
	assert_int_equal(m->stored_at_peak, p->stored_at_peak);
	assert_int_equal(m->peak_event, p->peak_event);
	assert_int_equal(m->stream_contexts, p->stream_contexts);
	assert_int_equal(m->stream_fallbacks, p->stream_fallbacks);
	assert_int_equal(m->slots_in_use, p->slots_in_use);
	assert_int_equal(m->nr_disk_swapins, p->nr_disk_swapins);
	assert_int_equal(m->trace_ns, p->trace_ns);
	assert_int_equal(m->max_pages, p->max_pages);
	assert_int_equal(m->accept_thr_pages, p->accept_thr_pages);
	assert_int_equal(m->nr_changes, p->nr_changes);
	for (unsigned i = 0; i < m->nr_changes; i++) {
		assert_int_equal(m->changes[i].event, p->changes[i].event);
		assert_string_equal(m->changes[i].text, p->changes[i].text);
	}
	assert_int_equal(m->nr_classes, p->nr_classes);
	assert_memory_equal(m->classes_at_peak, p->classes_at_peak,
			    m->nr_classes * sizeof(*m->classes_at_peak));
	assert_string_equal(m->first_failure, p->first_failure);

	/* No clock was read. */
	assert_int_equal(p->wall_ns + p->op_ns + p->read_ns + p->verify_ns + p->worker_ns +
				 p->compact_ns + p->file_ns + p->clock_ns,
			 0);
}

void assert_policy_is_same(const char *trace, struct trace_reader *reader,
			   const struct replay_config *config, const struct lengths *lengths,
			   int ret, const struct replay_result *measured,
			   const struct trace_error *measured_err)
{
	struct lengths_config lengths_config = {.crypto = config->crypto,
						.profile = config->profile,
						.compressor = config->compressor,
						.nr_threads = 1,
						.no_file = true};
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config policy = *config;
	struct lengths *made = NULL;
	struct trace_error err;

	assert_non_null(result);
	if (!lengths && lengths_open(trace, reader, &lengths_config, &made, &err)) {
		/* No such compressor: measure mode has not come further. */
		assert_true(ret < 0 && *err.message);
		free(result);
		return;
	}
	policy.mode = REPLAY_POLICY;
	policy.lengths = lengths ? lengths : made;
	policy.observer = NULL;
	policy.sample_interval = 0;
	assert_int_equal(replay_run(&policy, reader, result, &err), ret);
	if (ret) {
		assert_string_equal(err.message, measured_err->message);
	} else {
		assert_same_counts(measured, result, config->profile);
		replay_result_finish(result);
	}
	lengths_close(made);
	free(result);
}

void run_both_modes(const char *trace, struct trace_reader *reader,
		    const struct replay_config *config, const struct lengths *lengths,
		    struct same_totals *totals)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct trace_error err;
	int ret;

	assert_non_null(result);
	ret = replay_run(config, reader, result, &err);
	assert_policy_is_same(trace, reader, config, lengths, ret, result, &err);
	totals->runs++;
	totals->errors += ret != 0;
	if (ret)
		print_message("# %s\n", err.message);
	if (!ret) {
		totals->written_back += result->zswap.written_back_pages;
		for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++)
			totals->refused += result->rejected[i];
		totals->streamed += result->zswap.dir[ZSWAP_LOAD].pages[ZSWAP_PATH_STREAM];
		totals->raw += result->zswap.dir[ZSWAP_LOAD].pages[ZSWAP_PATH_RAW];
		replay_result_finish(result);
	}
	free(result);
}
