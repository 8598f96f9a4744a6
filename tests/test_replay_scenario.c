// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/test.h"
#include "tests/text_file.h"

static struct replay_result *result;

static int setup(void **state)
{
	result = malloc(sizeof(*result));
	return result ? text_dir_create(state) : -1;
}

static int teardown(void **state)
{
	free(result);
	return text_dir_remove(state);
}

static uint32_t raw(uint32_t i)
{
	return 4 * i + 3;
}

static int run(struct draft *d, const char *kernel, const char *scenario)
{
	struct replay_config config;

	replay_config_init(&config);
	config.scenario = text_file("s.ini", scenario);
	return draft_run_config(d, kernel, &config, result);
}

static const struct replay_memcg *memcg(const char *path)
{
	for (unsigned i = 0; i < result->nr_memcgs; i++) {
		if (!strcmp(result->memcgs[i].path, path))
			return &result->memcgs[i];
	}
	print_error("no memcg %s\n", path);
	fail();
	return NULL;
}

static void pages_go_to_the_memcg_that_their_first_rule_names(void **state)
{
	struct draft d;
	uint16_t a;

	draft_begin(&d);
	a = draft_memcg(&d, "/a", 0);
	draft_store_as(&d, 100, 2, a, 0);
	draft_store_as(&d, 101, 6, a, 3);
	draft_store_as(&d, 5, 10, 0, 3);
	draft_store_as(&d, 6, 14, 0, 1);
	draft_store_as(&d, 200, 18, 0, 0);
	/* On another CPU, and for the trace the root's: the page is the one's that stored it. */
	draft_load(&d, 101);
	assert_int_equal(run(&d, "7.3",
			     "[memcg /by/offset]\nfrom = offset 0-9\n"
			     "[memcg /by/cpu]\nfrom = cpu 3\n"
			     "[memcg /by/memcg]\nfrom = memcg 1\n"),
			 0);
	assert_int_equal(result->nr_memcgs, 6);
	assert_int_equal(memcg("/by/offset")->zswpout, 2);
	assert_int_equal(memcg("/by/cpu")->zswpout, 1);
	assert_int_equal(memcg("/by/cpu")->zswpin, 1);
	assert_int_equal(memcg("/by/memcg")->zswpout, 1);
	assert_int_equal(memcg("/by")->zswpout, 4);
	assert_int_equal(memcg("/a")->zswpout, 0);
	assert_int_equal(memcg("/")->zswpout, 5);
	assert_int_equal(result->counts.verified_pages, 1);
	replay_result_finish(result);
	draft_end(&d);
}

static void a_path_of_the_traces_is_the_traces_memcg(void **state)
{
	uint16_t a, late;
	struct draft d;

	draft_begin(&d);
	a = draft_memcg(&d, "/a", 0);
	late = draft_memcg(&d, "/late", 0);
	draft_memcg_event(&d, late, TRACE_MEMCG_OFFLINE, 0);
	draft_memcg_event(&d, late, TRACE_MEMCG_ONLINE, 0);
	draft_store_as(&d, 1, raw(1), a, 0);
	draft_store_as(&d, 2, raw(2), late, 0);
	assert_int_equal(run(&d, "7.3",
			     "[memcg /a]\nzswap.max = 0\nzswap.writeback = 0\n"
			     "[memcg /late]\nzswap.max = 0\n"),
			 0);
	/* The one that was there, and the one that was created in its place. */
	assert_int_equal(result->nr_memcgs, 4);
	assert_int_equal(memcg("/a")->rejected[ZSWAP_REJECT_MEMCG_LIMIT], 1);
	assert_false(memcg("/a")->zswap_writeback);
	assert_int_equal(result->memcgs[3].rejected[ZSWAP_REJECT_MEMCG_LIMIT], 1);
	assert_int_equal(result->counts.out_pages[SWAPOUT_ACTIVATED], 1);
	assert_int_equal(result->counts.out_pages[SWAPOUT_DISK], 1);
	replay_result_finish(result);
	draft_end(&d);
}

static void a_parents_limit_holds_for_its_children(void **state)
{
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 4; i++)
		draft_store(&d, i, raw(i));
	assert_int_equal(run(&d, "7.2",
			     "[memcg /p]\nzswap.max = 8K\n"
			     "[memcg /p/a]\nfrom = cpu 0-1\n"
			     "[memcg /p/b]\nfrom = cpu 2-3\n"),
			 0);
	assert_int_equal(memcg("/p")->zswapped_pages, 2);
	assert_int_equal(memcg("/p")->zswap_max_hits, 2);
	assert_int_equal(memcg("/p/a")->zswap_max_hits, 0);
	assert_int_equal(memcg("/p/b")->rejected[ZSWAP_REJECT_MEMCG_LIMIT], 2);
	replay_result_finish(result);
	draft_end(&d);
}

/* Case C03: a full pool of cold pages keeps the warm ones out, until the limit is raised. */
static void a_limit_may_be_raised_in_mid_run(void **state)
{
	struct draft d;

	draft_begin(&d);
	draft_mark(&d, "cold");
	for (uint32_t i = 0; i < 1000; i++)
		draft_store(&d, i, raw(i));
	draft_mark(&d, "warm");
	for (unsigned round = 0; round < 10; round++) {
		for (uint32_t warm = 2000; warm < 2006; warm++) {
			draft_store(&d, warm, raw(warm));
			draft_load(&d, warm);
		}
	}
	assert_int_equal(
		run(&d, "7.2", "[machine]\ntotalram = 400000K\n[zswap]\nmax_pool_percent = 1\n"),
		0);
	assert_int_equal(result->max_pages, 1000);
	assert_int_equal(result->zswap.pool_limit_hit, 60);
	assert_int_equal(result->rejected[ZSWAP_REJECT_POOL_LIMIT], 60);
	assert_int_equal(result->zswap.zswpin, 0);
	assert_int_equal(result->swap.pswpout, 60);
	assert_int_equal(result->swap.pswpin, 60);
	assert_int_equal(result->zswap.written_back_pages, 0);
	assert_int_equal(result->zswap.stored_pages, 1000);
	assert_int_equal(result->nr_disk_swapins, 60);
	assert_int_equal(result->zswap.shrink_worker_runs, 60);
	replay_result_finish(result);

	assert_int_equal(run(&d, "7.2",
			     "[machine]\ntotalram = 400000K\n[zswap]\nmax_pool_percent = 1\n"
			     "[at mark warm]\nmax_pool_percent = 2\n"),
			 0);
	assert_int_equal(result->zswap.pool_limit_hit, 0);
	assert_int_equal(result->zswap.zswpin, 60);
	assert_int_equal(result->swap.pswpout, 0);
	assert_int_equal(result->max_pool_percent, 1);
	assert_int_equal(result->nr_changes, 1);
	assert_int_equal(result->changes[0].event, 1001);
	assert_string_equal(result->changes[0].text, "max_pool_percent = 2");
	replay_result_finish(result);
	draft_end(&d);
}

static void changes_happen_before_the_event_of_their_number(void **state)
{
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 10; i++)
		draft_store(&d, i, raw(i));
	assert_int_equal(run(&d, "7.2",
			     "[memcg /m]\nfrom = memcg 0\n"
			     "[at 7]\nmemcg /m zswap.max = max\nmemcg /m zswap.writeback = 1\n"
			     "[at 4]\nmemcg /m zswap.max = 0\nmemcg /m zswap.writeback = 0\n"),
			 0);
	assert_int_equal(memcg("/m")->zswpout, 7);
	assert_int_equal(result->counts.out_pages[SWAPOUT_ACTIVATED], 3);
	assert_int_equal(result->nr_changes, 4);
	assert_int_equal(result->changes[0].event, 4);
	assert_string_equal(result->changes[0].text, "memcg /m zswap.max = 0");
	assert_int_equal(result->changes[3].event, 7);
	assert_string_equal(result->changes[2].text, "memcg /m zswap.max = max");
	replay_result_finish(result);
	draft_end(&d);
}

static void what_an_offline_memcg_had_is_its_parents(void **state)
{
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 10; i++)
		draft_store(&d, i, 2 * i + 2);
	for (uint32_t i = 0; i < 10; i++)
		draft_load(&d, i);
	draft_store(&d, 50, 2);
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		assert_int_equal(
			run(&d, *kernel,
			    "[memcg /p/c]\nfrom = memcg 0\n[at 10]\nmemcg /p/c = offline\n"),
			0);
		assert_false(memcg("/p/c")->online);
		assert_int_equal(memcg("/p/c")->zswapped_pages, 0);
		assert_int_equal(memcg("/p")->zswapped_pages, 1);
		assert_int_equal(result->counts.verified_pages, 10);
		assert_int_equal(result->counts.mismatched_pages, 0);
		replay_result_finish(result);
	}
	draft_end(&d);
}

static void what_was_chosen_otherwise_wins(void **state)
{
	struct replay_config config;
	struct draft d;

	replay_config_init(&config);
	config.scenario =
		text_file("s.ini", "[machine]\ntotalram = 1M\nnodes = 2\n[zswap]\n"
				   "max_pool_percent = 50\naccept_threshold_percent = 80\n"
				   "shrinker_enabled = 0\n");
	draft_begin(&d);
	draft_store(&d, 1, 2);
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(result->totalram_pages, 256);
	assert_int_equal(result->nr_nodes, 2);
	assert_int_equal(result->max_pages, 128);
	assert_int_equal(result->accept_thr_pages, 102);
	assert_false(result->shrinker_enabled);
	replay_result_finish(result);

	config.given = REPLAY_GIVEN_TOTALRAM | REPLAY_GIVEN_MAX_POOL_PERCENT |
		       REPLAY_GIVEN_ACCEPT_THRESHOLD | REPLAY_GIVEN_NODES | REPLAY_GIVEN_SHRINKER;
	config.shrinker_enabled = true;
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	assert_int_equal(result->totalram_pages, 262144);
	assert_int_equal(result->nr_nodes, 1);
	assert_int_equal(result->max_pool_percent, 20);
	assert_int_equal(result->accept_threshold_percent, 90);
	assert_true(result->shrinker_enabled);
	replay_result_finish(result);
	draft_end(&d);
}

/* 40 entries in one, 10 in the other: 25 to scan are 20 and 5. */
static void pressure_on_divided_pages_is_divided(void **state)
{
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 50; i++)
		draft_store(&d, i, raw(i));
	draft_pressure(&d, 0, 50);
	draft_pressure(&d, 0, 25);
	assert_int_equal(run(&d, "7.3",
			     "[zswap]\nshrinker_enabled = 1\n"
			     "[memcg /a]\nfrom = offset 0-39\n[memcg /b]\nfrom = offset 40-49\n"),
			 0);
	assert_int_equal(result->zswap.lru_rotations, 50);
	assert_int_equal(memcg("/a")->zswpwb, 20);
	assert_int_equal(memcg("/b")->zswpwb, 5);
	replay_result_finish(result);
	draft_end(&d);
}

static void what_a_scenario_gets_wrong_about_the_trace_is_told_first(void **state)
{
	static const struct {
		const char *scenario, *cause;
		unsigned line;
	} bad[] = {
		{"[memcg /x]\nfrom = memcg 4\n", "memcg 4: unknown; the trace has memcgs 0 to 3",
		 2},
		{"[memcg /x]\nfrom = cpu 2-4\n", "cpu 4: unknown; the trace has CPUs 0 to 3", 2},
		{"[memcg /x]\nfrom = offset 2:0-1\n", "the trace has swap devices 0 to 1", 2},
		{"[at 6]\nmax_pool_percent = 1\n", "[at 6]: the trace has 6 events", 1},
		{"[at mark load]\nmax_pool_percent = 1\n",
		 "the trace has no such mark; it has begin", 1},
		{"[at mark unused]\nmax_pool_percent = 1\n",
		 "the trace has the name, and no event of it", 1},
		{"[at 1]\nmemcg /x zswap.max = 1\n", "memcg /x is unknown", 2},
		{"[memcg /x]\nzswap.max = 1\n[at 2]\nmemcg /x = offline\n"
		 "[at 3]\nmemcg /x zswap.max = 1\n",
		 "memcg /x is not online at event 3", 6},
		{"[memcg /x/y]\nzswap.max = 1\n[at 2]\nmemcg /x = offline\n",
		 "its child /x/y is online", 4},
		{"[at 1]\nmemcg /a = offline\n", "memcg /a is the trace's", 2},
		{"[at 4]\nmemcg /dies zswap.max = 1\n", "memcg /dies is not online at event 4", 2},
		{"[at 1]\nmemcg /born zswap.max = 1\n", "memcg /born is not online at event 1", 2},
		{"[memcg /born/x]\nzswap.max = 1\n", "the trace has its parent /born, but not from",
		 1},
		{"[memcg /dies/x]\nzswap.max = 1\n",
		 "its parent /dies goes offline at event 3 of the trace", 1},
	};
	static const char *const good[] = {
		"[at 5]\nmax_pool_percent = 1\n",
		"[at 4]\nmemcg /born zswap.max = 1\n",
		"[at 3]\nmemcg /dies zswap.max = 1\n",
		"[at mark begin]\nmemcg /a zswap.writeback = 0\n",
		("[memcg /x/y]\nzswap.max = 1\n[at 2]\nmemcg /x/y = offline\n"
		 "[at 3]\nmemcg /x = offline\n"),
		"[memcg /dies/x]\nzswap.max = 1\n[at 2]\nmemcg /dies/x = offline\n",
		"[memcg /]\nzswap.writeback = 0\n",
	};
	struct trace_memcg born = {
		.path = "/born", .zswap_writeback = true, .zswap_max = TRACE_NO_LIMIT};
	uint16_t a, dies, late;
	uint64_t name;
	struct draft d;

	draft_begin(&d);
	a = draft_memcg(&d, "/a", 0);
	dies = draft_memcg(&d, "/dies", 0);
	assert_int_equal(trace_writer_memcg(d.w, &born, &late, &d.err), 0);
	draft_mark(&d, "begin");
	draft_store_as(&d, 1, 2, a, 0);
	draft_memcg_event(&d, late, TRACE_MEMCG_ONLINE, 0);
	draft_memcg_event(&d, dies, TRACE_MEMCG_OFFLINE, 0);
	draft_store_as(&d, 2, 6, late, 0);
	draft_load(&d, 2);
	assert_int_equal(trace_writer_mark_name(d.w, "unused", &name, &d.err), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char place[32];

		snprintf(place, sizeof(place), "s.ini:%u: ", bad[i].line);
		assert_int_equal(run(&d, "7.3", bad[i].scenario), -EINVAL);
		if (!strstr(d.err.message, place) || !strstr(d.err.message, bad[i].cause)) {
			print_error("case %u: \"%s\"\n  not \"%s...%s\"\n", i, d.err.message, place,
				    bad[i].cause);
			fail();
		}
	}
	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
		int ret = run(&d, "7.3", good[i]);

		if (ret)
			print_error("good %u: %s\n", i, d.err.message);
		assert_int_equal(ret, 0);
		replay_result_finish(result);
	}
	/* A rule of the scenario, and not the event, names a memcg that is not there yet. */
	assert_int_equal(run(&d, "7.3", "[memcg /born]\nfrom = offset 0-9\n"), -EINVAL);
	assert_non_null(strstr(d.err.message, "the memcg that the scenario gives slot 0:1 was not "
					      "created yet"));
	draft_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_go_to_the_memcg_that_their_first_rule_names),
		cmocka_unit_test(a_path_of_the_traces_is_the_traces_memcg),
		cmocka_unit_test(a_parents_limit_holds_for_its_children),
		cmocka_unit_test(a_limit_may_be_raised_in_mid_run),
		cmocka_unit_test(changes_happen_before_the_event_of_their_number),
		cmocka_unit_test(what_an_offline_memcg_had_is_its_parents),
		cmocka_unit_test(what_was_chosen_otherwise_wins),
		cmocka_unit_test(pressure_on_divided_pages_is_divided),
		cmocka_unit_test(what_a_scenario_gets_wrong_about_the_trace_is_told_first),
	};

	return cmocka_run_group_tests_name("replay_scenario", tests, setup, teardown);
}
