// SPDX-License-Identifier: GPL-2.0-or-later
/* A policy in zswap's place: who is stored, who is written back, what the policy is told. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/policy_load.h"
#include "sim/poison.h"
#include "sim/slot_map.h"
#include "sim/zswap_policy.h"
#include "tests/machine.h"
#include "tests/policy_plan.h"
#include "tests/policy_side.h"
#include "tests/test.h"

/* ---- what a policy is told and asked, and that its answers are heeded ---- */

struct told {
	char log[4096];
	uint64_t victims[16]; /* slots that it will answer, in order */
	unsigned nr_victims, at_victim;
	uint64_t id_of[64]; /* by slot */
	uint64_t target;
	int admit, compact;
	struct zswapsim_entry admitted; /* as it was asked for */
	struct zswapsim_pool pool;	/* as it was shown last */
	struct zswapsim_want want;	/* so the victim was wanted */
} told;

static void note(const char *what, uint64_t slot)
{
	size_t len = strlen(told.log);

	snprintf(told.log + len, sizeof(told.log) - len, "%s %lu, ", what, slot);
}

static void on_stored(void *self, const struct zswapsim_entry *e)
{
	note("stored", e->slot);
	told.id_of[e->slot] = e->id;
}

static void on_loaded(void *self, const struct zswapsim_entry *e)
{
	note("loaded", e->slot);
}

static void on_invalidated(void *self, const struct zswapsim_entry *e)
{
	note("invalidated", e->slot);
}

static void on_written_back(void *self, const struct zswapsim_entry *e)
{
	note("written_back", e->slot);
}

static void on_kept(void *self, const struct zswapsim_entry *e)
{
	note("kept", e->slot);
}

static void on_reparented(void *self, uint32_t memcg, uint32_t parent)
{
	note("reparented", memcg * 10 + parent);
}

static int on_admit(void *self, const struct zswapsim_entry *page, const struct zswapsim_pool *pool)
{
	told.admitted = *page;
	told.pool = *pool;
	return told.admit;
}

static uint64_t on_victim(void *self, struct zswapsim_want *want, const struct zswapsim_pool *pool)
{
	told.want = *want;
	told.pool = *pool;
	if (told.at_victim == told.nr_victims)
		return ZSWAPSIM_NONE;
	return told.id_of[told.victims[told.at_victim++]];
}

static uint64_t on_target(void *self, const struct zswapsim_pool *pool)
{
	return told.target;
}

static int on_compact(void *self, const struct zswapsim_pool *pool)
{
	return told.compact;
}

static struct policy teller = {
	.ops = {.name = "teller",
		.stored = on_stored,
		.loaded = on_loaded,
		.invalidated = on_invalidated,
		.written_back = on_written_back,
		.kept = on_kept,
		.reparented = on_reparented,
		.admit = on_admit,
		.victim = on_victim},
	.spec = "teller",
	.args = "",
	.builtin = true,
};

static struct machine *tell(struct side *s, const char *kernel, uint64_t totalram)
{
	struct machine_config config = {
		.kernel = kernel, .totalram_pages = totalram, .lengths = true};

	memset(&told, 0, sizeof(told));
	told.admit = 1;
	told.target = UINT64_MAX;
	side_begin(s, &config, &teller);
	return s->m;
}

static enum swapout store(struct side *s, uint64_t slot, uint32_t length)
{
	struct folio folio = machine_folio(s->m, slot, 0, &length);
	enum swapout where;

	assert_int_equal(zswap_reserve(s->m->z, folio.swap, 0), 0);
	assert_int_equal(swap_writeout(s->m->io, &folio, &where), 0);
	zswap_run_shrink_worker(s->m->z);
	zswap_policy_settle(s->m->z, NULL, NULL);
	return where;
}

static void a_policy_is_told_of_every_entry_that_comes_and_goes(void **state)
{
	struct side s;
	struct machine *m = tell(&s, NULL, 100000);
	enum swapin from;

	store(&s, 1, 1000);
	store(&s, 2, 1000);
	store(&s, 1, 500); /* over the old one */
	assert_int_equal(machine_load(m, 2, 1000, &from), 0);
	swap_slot_free(m->io, (swp_entry_t){0, 1}, 0);
	swap_slot_free(m->io, (swp_entry_t){0, 3}, 0);
	assert_string_equal(
		told.log, "stored 1, stored 2, invalidated 1, stored 1, loaded 2, invalidated 1, ");
	side_end(&s);
}

static void admission_is_asked_with_the_size_and_a_refusal_goes_to_disk(void **state)
{
	struct side s;
	struct machine *m = tell(&s, NULL, 100000);
	enum swapin from;

	policy_run_at(s.run, 17, 4000, 0);
	told.admit = 0;
	assert_int_equal(store(&s, 9, 1234), SWAPOUT_DISK);
	assert_int_equal(told.admitted.id, ZSWAPSIM_NONE);
	assert_int_equal(told.admitted.slot, 9);
	assert_int_equal(told.admitted.size, 1234);
	assert_int_equal(told.admitted.event, 17);
	assert_int_equal(told.admitted.time_ns, 4000);
	assert_int_equal(told.admitted.memcg, m->memcg->id);
	assert_int_equal(m->memcg->zswap_rejects[ZSWAP_REJECT_POLICY], 1);
	assert_int_equal(zswap_stats(m->z)->reject_compress_fail, 0);
	assert_int_equal(machine_load(m, 9, 1234, &from), 0);
	assert_int_equal(from, SWAPIN_DISK);
	/* Pages that the kernel would not store are not asked about. */
	told.admitted.size = 0;
	assert_int_equal(zswap_set_max_pool_percent(m->z, 0), 0);
	told.admit = 1;
	assert_int_equal(store(&s, 9, 1234), SWAPOUT_DISK);
	assert_int_equal(told.admitted.size, 0);
	assert_string_equal(told.log, "");
	side_end(&s);
}

static void what_is_loaded_and_stored_again_has_hits_and_keeps_its_birth(void **state)
{
	struct side s;
	struct machine *m = tell(&s, NULL, 100000);
	enum swapin from;

	for (unsigned i = 0; i < 3; i++) {
		policy_run_at(s.run, 10 + i, 0, 0);
		store(&s, 5, 1000);
		assert_int_equal(told.admitted.hits, i);
		assert_int_equal(told.admitted.born, 10);
		assert_int_equal(machine_load(m, 5, 1000, &from), 0);
	}
	/* A slot that was freed begins anew. */
	swap_slot_free(m->io, (swp_entry_t){0, 5}, 0);
	policy_run_at(s.run, 20, 0, 0);
	store(&s, 5, 1000);
	assert_int_equal(told.admitted.hits, 0);
	assert_int_equal(told.admitted.born, 20);
	side_end(&s);
}

static void the_worker_asks_for_one_victim_a_memcg_and_node_and_writes_it_back(void **state)
{
	struct side s;
	struct machine *m = tell(&s, "7.2", 100);

	/* 20 pages of huge objects fill the pool. */
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(store(&s, i, 4096), SWAPOUT_ZSWAP);
	told.victims[0] = 7;
	told.victims[1] = 3;
	told.nr_victims = 2;
	told.log[0] = '\0';
	assert_int_equal(store(&s, 20, 4096), SWAPOUT_DISK);
	assert_string_equal(told.log, "written_back 7, written_back 3, ");
	assert_int_equal(zswap_stats(m->z)->written_back_pages, 2);
	assert_int_equal(zswap_total_pages(m->z), 18);
	assert_int_equal(told.want.memcg, m->memcg->id);
	assert_int_equal(told.want.node, 0);
	/* The kernel of 7.2 looks at one entry a list and round. */
	assert_int_equal(told.want.budget, 1);
	assert_int_equal(told.pool.limit, 20 * 4096);
	assert_int_equal(told.pool.accept, 18 * 4096);
	assert_int_equal(told.pool.payload, told.pool.entries * 4096);
	side_end(&s);
}

static void a_victim_that_cannot_be_written_back_stays_and_the_policy_is_told(void **state)
{
	struct side s;
	struct machine *m = tell(&s, "7.3", 100);

	for (unsigned i = 0; i < 20; i++)
		store(&s, i, 4096);
	swapdev_set_gone(m->dev, 0, true);
	for (unsigned i = 0; i < 16; i++)
		told.victims[i] = 4;
	told.nr_victims = 16;
	told.log[0] = '\0';
	store(&s, 20, 4096);
	assert_non_null(strstr(told.log, "kept 4, kept 4, "));
	assert_null(strstr(told.log, "written_back"));
	assert_int_equal(zswap_stats(m->z)->stored_pages, 20);
	assert_int_equal(zswap_stats(m->z)->reject_reclaim_fail, told.at_victim);
	side_end(&s);
}

static void a_target_is_when_and_how_far_in_the_kernels_place(void **state)
{
	struct side s;
	struct machine *m;

	teller.ops.target = on_target;
	m = tell(&s, "7.3", 1000);
	for (unsigned i = 0; i < 10; i++)
		store(&s, i, 4096);
	assert_int_equal(zswap_stats(m->z)->shrink_worker_runs, 0);
	told.target = 8 * 4096 + 4095;
	for (unsigned i = 0; i < 6; i++)
		told.victims[i] = i;
	told.nr_victims = 6;
	assert_int_equal(store(&s, 10, 4096), SWAPOUT_ZSWAP);
	/* Down to eight pages, from eleven: the 32 of a round are not asked for. */
	assert_int_equal(zswap_total_pages(m->z), 5);
	assert_int_equal(zswap_stats(m->z)->shrink_worker_runs, 1);
	teller.ops.target = NULL;
	side_end(&s);
}

static void a_global_policy_is_asked_until_the_target_is_reached(void **state)
{
	struct side s;
	struct machine *m;

	teller.ops.target = on_target;
	teller.ops.flags = ZSWAPSIM_GLOBAL;
	m = tell(&s, "7.3", 1000);
	for (unsigned i = 0; i < 10; i++)
		store(&s, i, 4096);
	told.target = 8 * 4096 + 4095;
	for (unsigned i = 0; i < 6; i++)
		told.victims[i] = i;
	told.nr_victims = 6;
	store(&s, 10, 4096);
	assert_int_equal(zswap_total_pages(m->z), 8);
	assert_int_equal(told.want.memcg, ZSWAPSIM_ANY);
	assert_int_equal(told.want.bytes, 4096);
	/* One whose memcg forbids it costs a failure, and stays. */
	m->memcg->zswap_writeback = false;
	told.log[0] = '\0';
	store(&s, 11, 3000);
	assert_string_equal(told.log, "stored 11, kept 3, kept 4, kept 5, ");
	m->memcg->zswap_writeback = true;
	teller.ops.target = NULL;
	teller.ops.flags = 0;
	side_end(&s);
}

static void compaction_is_done_when_the_policy_says_so(void **state)
{
	struct side s;
	struct machine *m;
	enum swapin from;

	teller.ops.compact = on_compact;
	m = tell(&s, "7.3", 100000);
	for (unsigned i = 0; i < 60; i++)
		store(&s, i, 3600);
	for (unsigned i = 0; i < 60; i++) {
		if (i % 9)
			assert_int_equal(machine_load(m, i, 3600, &from), 0);
	}
	assert_int_equal(zswap_policy_stats(m->z)->compactions, 0);
	told.compact = 1;
	store(&s, 60, 100);
	assert_int_equal(zswap_policy_stats(m->z)->compactions, 1);
	assert_true(zswap_policy_stats(m->z)->compacted_pages >= 32);
	teller.ops.compact = NULL;
	side_end(&s);
}

static void a_memcg_that_goes_offline_leaves_its_entries_to_its_parent(void **state)
{
	struct side s;
	struct machine *m = tell(&s, "7.3", 100000);
	uint32_t parent = s.memcg[0]->id, child = s.memcg[1]->id;
	struct mem_cgroup *own = m->memcg;

	assert_int_equal(zswap_memcg_offline(m->z, s.memcg[3]), 0);
	assert_int_equal(zswap_memcg_offline(m->z, s.memcg[4]), 0);
	m->memcg = s.memcg[1];
	store(&s, 1, 1000);
	m->memcg = own;
	told.log[0] = '\0';
	assert_int_equal(zswap_memcg_offline(m->z, s.memcg[1]), 0);
	assert_int_equal(told.log[0], 'r');
	assert_int_equal(strtoul(told.log + strlen("reparented "), NULL, 10), child * 10 + parent);
	side_end(&s);
}

/* ---- a policy that fails ---- */

static void expect_failure(struct side *s, const char *text)
{
	const char *error = policy_run_failed(s->run, NULL);
	char err[256];

	assert_non_null(error);
	if (!strstr(error, text))
		fail_msg("'%s' does not say '%s'", error, text);
	if (zswap_check(s->m->z, err, sizeof(err)))
		fail_msg("%s", err);
}

static void fill(struct side *s)
{
	for (unsigned i = 0; i < 20; i++)
		store(s, i, 4096);
	told.nr_victims = 1;
}

static void after_a_wrong_answer_zswap_is_whole_and_the_policy_is_not_asked_again(void **state)
{
	enum swapin from;
	struct side s;

	tell(&s, "7.3", 100);
	fill(&s);
	told.id_of[63] = UINT64_C(0x100004000);
	told.victims[0] = 63;
	store(&s, 20, 4096);
	expect_failure(&s, "policy teller: victim(): answered 0x100004000: there was never such");
	assert_int_equal(zswap_stats(s.m->z)->stored_pages, 20);
	told.log[0] = '\0';
	told.at_victim = 0;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(machine_load(s.m, i, 4096, &from), 0);
	store(&s, 21, 4096);
	assert_string_equal(told.log, "");
	assert_int_equal(told.at_victim, 0);
	expect_failure(&s, "there was never such");
	side_end(&s);
}

static void a_victim_that_is_gone_is_named_with_what_became_of_it(void **state)
{
	enum swapin from;
	struct side s;

	tell(&s, "7.3", 100);
	fill(&s);
	told.victims[0] = told.victims[1] = 6;
	told.nr_victims = 2;
	policy_run_at(s.run, 99, 0, 0);
	store(&s, 20, 4096);
	expect_failure(&s, "that entry was written back at event 99");
	assert_int_equal(zswap_stats(s.m->z)->written_back_pages, 1);
	side_end(&s);

	tell(&s, "7.3", 100);
	fill(&s);
	assert_int_equal(machine_load(s.m, 6, 4096, &from), 0);
	store(&s, 20, 4096); /* its number is used again */
	told.victims[0] = 6;
	store(&s, 21, 4096);
	expect_failure(&s, "that entry is gone");
	side_end(&s);
}

static void an_entry_of_another_memcg_is_no_victim(void **state)
{
	struct side s;
	struct machine *m = tell(&s, "7.3", 100);

	m->memcg = s.memcg[2];
	store(&s, 50, 4096);
	m->memcg = s.memcg[0];
	m->memcg->zswap_max = 4096 * 2;
	for (unsigned i = 0; i < 2; i++)
		store(&s, i, 4096);
	told.victims[0] = 50;
	told.nr_victims = 1;
	assert_int_equal(store(&s, 3, 4096), SWAPOUT_DISK);
	expect_failure(&s, "where one of memcg");
	side_end(&s);
}

static void answers_that_are_none_are_refused(void **state)
{
	struct side s;

	tell(&s, "7.3", 100);
	told.admit = -1;
	assert_int_equal(store(&s, 1, 1000), SWAPOUT_ZSWAP);
	expect_failure(&s, "admit(): answered -1, neither 0 nor 1");
	side_end(&s);

	teller.ops.compact = on_compact;
	tell(&s, "7.3", 100);
	told.compact = 1234567;
	store(&s, 1, 1000);
	expect_failure(&s, "compact(): answered 1234567");
	teller.ops.compact = NULL;
	side_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_policy_is_told_of_every_entry_that_comes_and_goes),
		cmocka_unit_test(admission_is_asked_with_the_size_and_a_refusal_goes_to_disk),
		cmocka_unit_test(what_is_loaded_and_stored_again_has_hits_and_keeps_its_birth),
		cmocka_unit_test(
			the_worker_asks_for_one_victim_a_memcg_and_node_and_writes_it_back),
		cmocka_unit_test(a_victim_that_cannot_be_written_back_stays_and_the_policy_is_told),
		cmocka_unit_test(a_target_is_when_and_how_far_in_the_kernels_place),
		cmocka_unit_test(a_global_policy_is_asked_until_the_target_is_reached),
		cmocka_unit_test(compaction_is_done_when_the_policy_says_so),
		cmocka_unit_test(a_memcg_that_goes_offline_leaves_its_entries_to_its_parent),
		cmocka_unit_test(
			after_a_wrong_answer_zswap_is_whole_and_the_policy_is_not_asked_again),
		cmocka_unit_test(a_victim_that_is_gone_is_named_with_what_became_of_it),
		cmocka_unit_test(an_entry_of_another_memcg_is_no_victim),
		cmocka_unit_test(answers_that_are_none_are_refused),
	};

	return cmocka_run_group_tests_name("zswap_policy", tests, NULL, NULL);
}
