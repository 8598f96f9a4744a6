// SPDX-License-Identifier: GPL-2.0-or-later
/* A policy that refuses a page in the middle of a batch. */
#include <string.h>

#include "sim/zswap_batch.h"
#include "sim/zswap_policy.h"
#include "tests/batch_rig.h"
#include "tests/test.h"

#define ORDER 4u

/* The page that is refused next; what there is now. */
static struct {
	unsigned countdown;
	int entries;
	unsigned asked;
} told;

static void on_stored(void *self, const struct zswapsim_entry *e)
{
	told.entries++;
}

static void on_gone(void *self, const struct zswapsim_entry *e)
{
	told.entries--;
}

static int on_admit(void *self, const struct zswapsim_entry *page, const struct zswapsim_pool *pool)
{
	told.asked++;
	return !told.countdown || --told.countdown;
}

static uint64_t on_victim(void *self, struct zswapsim_want *want, const struct zswapsim_pool *pool)
{
	return ZSWAPSIM_NONE;
}

static struct policy refuser = {
	.ops = {.name = "refuser",
		.stored = on_stored,
		.loaded = on_gone,
		.invalidated = on_gone,
		.written_back = on_gone,
		.admit = on_admit,
		.victim = on_victim},
	.spec = "refuser",
	.args = "",
	.builtin = true,
};

static void any_page_of_a_folio_may_be_refused_and_then_all_are(void **state)
{
	struct policy_run_config config = {
		.policy = &refuser, .objective = ZSWAPSIM_KERNEL, .nr_nodes = 1, .limit_ms = 1000};

	for (unsigned mode = 0; mode < NR_BATCHING; mode++) {
		struct machine *m = batch_machine(&(struct machine_config){0}, mode);
		struct policy_run *run;
		char err[256] = "";
		uint32_t ids[1u << ORDER];
		uint64_t frames;

		memset(&told, 0, sizeof(told));
		assert_int_equal(policy_run_create(&config, &run, err, sizeof(err)), 0);
		zswap_set_policy(m->z, run);
		for (unsigned i = 0; i < 1u << ORDER; i++)
			ids[i] = 2 * i + 2;
		machine_folio(m, 0, ORDER, NULL);
		frames = machine_live_pages(m);
		for (unsigned nth = 1; nth <= 1u << ORDER; nth++) {
			struct folio folio = machine_folio(m, 0, ORDER, ids);

			told.asked = 0;
			told.countdown = nth;
			assert_int_equal(zswap_reserve(m->z, folio.swap, ORDER), 0);
			assert_false(zswap_store(m->z, &folio));
			zswap_policy_settle(m->z, NULL, NULL);
			assert_int_equal(told.asked, nth);
			assert_int_equal(told.entries, 0);
			assert_int_equal(zswap_stats(m->z)->stored_pages, 0);
			assert_int_equal(machine_live_pages(m), frames);
			zswap_check(m->z, err, sizeof(err));
			assert_string_equal(err, "");
		}
		assert_int_equal(machine_store(m, 0, ORDER, ids), SWAPOUT_ZSWAP);
		assert_int_equal(told.entries, 1 << ORDER);
		for (unsigned i = 0; i < 1u << ORDER; i++)
			assert_int_equal(machine_load(m, i, ids[i], NULL), 0);
		machine_destroy(m);
		policy_run_destroy(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_page_of_a_folio_may_be_refused_and_then_all_are),
	};

	return cmocka_run_group_tests_name("zswap_batch_policy", tests, NULL, NULL);
}
