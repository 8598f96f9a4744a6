// SPDX-License-Identifier: GPL-2.0-or-later
/* Compaction in mid-run. draft_run() holds policy mode to the same counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/test.h"

static struct replay_config config_with(const char *when)
{
	struct replay_config config;
	char err[256];

	replay_config_init(&config);
	assert_int_equal(compact_when_parse(when, &config.compact, err, sizeof(err)), 0);
	return config;
}

static void draft_churn(struct draft *d, unsigned nr_events)
{
	static bool stored[300];

	memset(stored, 0, sizeof(stored));
	srand(8);
	for (unsigned i = 0; i < nr_events; i++) {
		unsigned slot = rand() % 300;

		if (!stored[slot])
			draft_store(d, slot, rand() % 300);
		else if (rand() % 4)
			draft_load(d, slot);
		else
			draft_event(d, TRACE_INVALIDATE, slot, 0, NULL);
		stored[slot] = !stored[slot];
	}
}

static void contents_survive_compaction_in_mid_run_under_every_preset(void **state)
{
	struct replay_config config = config_with("every:7");
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	draft_churn(&d, 2000);
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		assert_int_equal(draft_run_config(&d, *kernel, &config, result), 0);
		assert_int_equal(result->compaction.runs, 2000 / 7);
		assert_true(result->compaction.freed_pages > 30);
		assert_true(result->compaction.moved_objects > 30);
		assert_true(result->counts.verified_pages > 500);
		assert_int_equal(result->counts.mismatched_pages, 0);
		assert_int_equal(result->counts.failed_loads, 0);
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

static void chunks_that_are_copied_are_its_price(void **state)
{
	struct replay_config config = config_with("every:250");
	struct replay_result *result = malloc(sizeof(*result));
	struct zs_class_table table;
	const struct zs_class_geometry *c;
	struct machine *m = machine_create(&(struct machine_config){.kernel = "7.3"});
	uint64_t zspages, kept;
	struct draft d;

	machine_store1(m, 1, 5);
	assert_int_equal(zs_class_table_init(&table, PAGE_SIZE, 8, 0), 0);
	c = zs_class_lookup(&table, m->last.length);
	assert_true(c->objs > 2);

	/* 200 objects of one size; of each three in a row the first two are loaded again. */
	draft_begin(&d);
	for (unsigned i = 0; i < 200; i++)
		draft_store(&d, i, 5);
	for (unsigned i = 0; i < 50; i++)
		draft_load(&d, i / 2 * 3 + i % 2);
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	zspages = (200 + c->objs - 1) / c->objs;
	/* What is live fits into so many. */
	kept = (150 + c->objs - 1) / c->objs;
	assert_int_equal(result->compaction.runs, 1);
	assert_int_equal(result->pool_peak.pages, zspages * c->pages);
	assert_int_equal(result->pool_end.objects, 150);
	assert_int_equal(result->pool_end.pages, kept * c->pages);
	/* Zspages that were emptied by loads went before it. */
	assert_in_range(result->compaction.freed_pages, c->pages, (zspages - kept) * c->pages);
	assert_true(result->compaction.moved_objects > 0);
	assert_int_equal(result->compaction.copied_bytes,
			 result->compaction.moved_objects * c->size);
	replay_result_finish(result);
	zs_class_table_finish(&table);
	draft_end(&d);
	machine_destroy(m);
	free(result);
}

static void never_is_never(void **state)
{
	struct replay_config never = config_with("never"), rare = config_with("every:2001");
	struct replay_result *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	struct draft d;

	draft_begin(&d);
	draft_churn(&d, 2000);
	assert_int_equal(draft_run_config(&d, "7.3", &never, a), 0);
	assert_int_equal(draft_run_config(&d, "7.3", &rare, b), 0);
	assert_int_equal(a->compaction.runs, 0);
	assert_int_equal(b->compaction.runs, 0);
	assert_memory_equal(&a->pool_end, &b->pool_end, sizeof(a->pool_end));
	assert_int_equal(a->pool_pages_sum, b->pool_pages_sum);
	replay_result_finish(a);
	replay_result_finish(b);
	draft_end(&d);
	free(a);
	free(b);
}

struct watch {
	uint64_t runs, above, below;
};

/* Without a run the threshold was not reached; or, in a pool of few zspages, nothing could go. */
static void watch(void *arg, const struct replay_sample *s)
{
	struct watch *w = arg;

	if (s->compaction->runs == w->runs)
		w->below += s->pool.groups < 10 ||
			    s->pool.unused_bytes < s->pool.pages * PAGE_SIZE * 30 / 100;
	else
		w->above++;
	w->runs = s->compaction->runs;
}

static void a_threshold_compacts_when_so_much_is_unused_and_no_more_often(void **state)
{
	struct replay_config config = config_with("fragmentation:30");
	struct replay_result *result = malloc(sizeof(*result));
	struct watch w = {0};
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < 1000; i++)
		draft_store(&d, i, 5);
	for (unsigned i = 0; i < 900; i++)
		draft_load(&d, i * 7 % 1000);
	config.sample_interval = 1;
	config.sample = watch;
	config.sample_arg = &w;
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	/* From 1000 objects to 100: each run begins with 30 % unused and leaves next to nothing. */
	assert_in_range(result->compaction.runs, 4, 12);
	assert_int_equal(w.above, result->compaction.runs);
	assert_int_equal(w.below, 1900 - result->compaction.runs);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

static void compaction_lowers_the_pool_between_its_peaks(void **state)
{
	static const char *const whens[] = {"never", "every:100", "every:5"};
	struct replay_result *result = malloc(sizeof(*result));
	uint64_t last = UINT64_MAX;
	struct draft d;

	draft_begin(&d);
	draft_churn(&d, 3000);
	for (unsigned i = 0; i < 3; i++) {
		struct replay_config config = config_with(whens[i]);

		assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
		assert_true(result->pool_pages_sum < last);
		last = result->pool_pages_sum;
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

static void only_zsmalloc_compacts(void **state)
{
	struct replay_config config = config_with("every:5");
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	draft_store(&d, 1, 1);
	assert_int_equal(draft_run_set(&d, "7.3", "pool.allocator=zbud", &config, result), -EINVAL);
	assert_non_null(strstr(d.err.message, "zsmalloc"));
	draft_end(&d);
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_survive_compaction_in_mid_run_under_every_preset),
		cmocka_unit_test(chunks_that_are_copied_are_its_price),
		cmocka_unit_test(never_is_never),
		cmocka_unit_test(a_threshold_compacts_when_so_much_is_unused_and_no_more_often),
		cmocka_unit_test(compaction_lowers_the_pool_between_its_peaks),
		cmocka_unit_test(only_zsmalloc_compacts),
	};

	return cmocka_run_group_tests_name("replay_compact", tests, NULL, NULL);
}
