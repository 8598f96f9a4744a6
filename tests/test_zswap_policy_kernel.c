// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own choice, said through the interface of policies, is the kernel's own. */
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

#define SLOTS 400

#ifdef SIM_ASAN
#define OPERATIONS 15000
#else
#define OPERATIONS 150000
#endif

static struct policy *builtin(const char *name)
{
	struct policy *policy;
	char err[256];

	if (policy_load(name, 0, &policy, err, sizeof(err)))
		fail_msg("%s", err);
	return policy;
}

/* One operation, the same on both sides. */
struct operation {
	unsigned what, slot, order, memcg, nid, nr;
	uint32_t ids[4];
};

static void choose(struct operation *op, uint64_t *random, unsigned nr_nodes, const bool *online)
{
	op->what = plan_random(random, 100);
	op->order = plan_random(random, 12) ? 0 : 2;
	op->slot = plan_random(random, SLOTS) & ~((1u << op->order) - 1);
	do {
		op->memcg = plan_random(random, NR_MEMCGS);
	} while (!online[op->memcg]);
	op->nid = plan_random(random, nr_nodes);
	op->nr = plan_random(random, 40);
	for (unsigned i = 0; i < 4; i++)
		op->ids[i] =
			plan_random(random, 20) ? 1 + plan_random(random, 4096) : (uint32_t)-EINVAL;
}

static int operate(struct side *s, const struct operation *op, uint64_t number)
{
	struct folio folio;
	enum swapout where;
	enum swapin from;
	int ret;

	if (s->run)
		policy_run_at(s->run, number, 1000 * number, 0);
	s->m->memcg = s->memcg[op->memcg];
	if (op->what < 55) {
		folio = machine_folio(s->m, op->slot, op->order, op->ids);
		folio.page->nid = op->nid;
		assert_int_equal(zswap_reserve(s->m->z, folio.swap, op->order), 0);
		assert_int_equal(swap_writeout(s->m->io, &folio, &where), 0);
		zswap_run_shrink_worker(s->m->z);
		return where;
	}
	if (op->what < 80) {
		folio = machine_folio(s->m, op->slot, 0, NULL);
		folio.page->nid = op->nid;
		ret = swap_read_folio(s->m->io, &folio, &from);
		return ret ? ret : (int)from;
	}
	if (op->what < 88) {
		swap_slot_free(s->m->io, (swp_entry_t){0, op->slot}, 0);
		return 0;
	}
	if (op->what < 98)
		return zswap_shrinker_scan(s->m->z, s->memcg[op->memcg], op->nid, op->nr);
	return 0;
}

/* Limits that are met, and changes of them, now and then. */
static void disturb(struct side *s, uint64_t step, uint64_t random)
{
	struct mem_cgroup *memcg = s->memcg[step / 100 % NR_MEMCGS];

	if (step % 100)
		return;
	memcg->zswap_max = random % 3 ? MEMCG_MAX : (random % 60) * PAGE_SIZE;
	memcg->zswap_writeback = random % 7 != 0;
	if (step % 1000 == 0)
		assert_int_equal(zswap_set_max_pool_percent(s->m->z, 5 + random % 20), 0);
}

static void stats_without_rotations(const struct side *s, struct zswap_stats *stats)
{
	*stats = *zswap_stats(s->m->z);
	/* The policy does not say whom it passed by. */
	stats->lru_rotations = 0;
}

static void compare(const char *kernel, const char *name, unsigned nr_nodes)
{
	struct machine_config config = {.kernel = kernel,
					.nr_nodes = nr_nodes,
					.totalram_pages = 600,
					.shrinker_enabled = true,
					.lengths = true};
	struct policy *policy = builtin(name);
	bool online[NR_MEMCGS] = {true, true, true, true, true};
	struct side plain, with;
	uint64_t random = 11, written_back;
	char err[256];

	side_begin(&plain, &config, NULL);
	side_begin(&with, &config, policy);
	for (uint64_t step = 0; step < OPERATIONS; step++) {
		struct zswap_stats a, b;
		struct operation op;

		choose(&op, &random, nr_nodes, online);
		disturb(&plain, step, random);
		disturb(&with, step, random);
		/* A child and then its parent, so that entries move twice. */
		if (step == OPERATIONS / 2 || step == OPERATIONS * 3 / 4) {
			unsigned gone = step == OPERATIONS / 2 ? 4 : 1;

			if (gone == 1) {
				assert_int_equal(zswap_memcg_offline(plain.m->z, plain.memcg[3]),
						 0);
				assert_int_equal(zswap_memcg_offline(with.m->z, with.memcg[3]), 0);
				online[3] = false;
			}
			assert_int_equal(zswap_memcg_offline(plain.m->z, plain.memcg[gone]), 0);
			assert_int_equal(zswap_memcg_offline(with.m->z, with.memcg[gone]), 0);
			online[gone] = false;
			continue;
		}
		if (!online[op.memcg])
			continue;
		assert_int_equal(operate(&plain, &op, step), operate(&with, &op, step));
		assert_null(policy_run_failed(with.run, NULL));
		stats_without_rotations(&plain, &a);
		stats_without_rotations(&with, &b);
		if (memcmp(&a, &b, sizeof(a)) ||
		    zswap_total_pages(plain.m->z) != zswap_total_pages(with.m->z))
			fail_msg("%s %s: the counts differ after operation %lu", kernel, name,
				 step);
		if (step % 256 == 0 && zswap_check(with.m->z, err, sizeof(err)))
			fail_msg("%s", err);
	}
	written_back = zswap_stats(with.m->z)->written_back_pages;
	print_message("# %s: %u operations, %lu written back, %lu refused by the pool's limit\n",
		      kernel, OPERATIONS, written_back, zswap_stats(with.m->z)->reject_pool_limit);
	assert_true(written_back > 100);
	assert_true(zswap_stats(with.m->z)->reject_pool_limit > 20);
	side_end(&plain);
	side_end(&with);
	policy_unload(policy);
}

static void second_chance_through_the_interface_is_the_kernels_own(void **state)
{
	compare("6.12", "second-chance", 1);
	compare("7.2", "second-chance", 2);
	compare("7.3", "second-chance", 2);
}

static void lru_through_the_interface_is_the_choice_of_6_8(void **state)
{
	compare("6.8", "lru", 1);
}

static void all_builtins_keep_zswap_whole(void **state)
{
	struct machine_config config = {
		.nr_nodes = 2, .totalram_pages = 500, .shrinker_enabled = true, .lengths = true};
	static const char *const names[] = {"fifo", "clock", "size", "lru"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct policy *policy = builtin(names[i]);
		bool online[NR_MEMCGS] = {true, true, true, true, true};
		uint64_t random = 5 + i;
		struct side with;
		char err[256];

		side_begin(&with, &config, policy);
		for (uint64_t step = 0; step < OPERATIONS / 4; step++) {
			struct operation op;

			choose(&op, &random, 2, online);
			disturb(&with, step, random);
			operate(&with, &op, step);
			assert_null(policy_run_failed(with.run, NULL));
			if (step % 128 == 0 && zswap_check(with.m->z, err, sizeof(err)))
				fail_msg("%s", err);
			if (step == OPERATIONS / 8) {
				assert_int_equal(zswap_memcg_offline(with.m->z, with.memcg[4]), 0);
				online[4] = false;
			}
		}
		assert_true(zswap_stats(with.m->z)->written_back_pages > 20);
		side_end(&with);
		policy_unload(policy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_chance_through_the_interface_is_the_kernels_own),
		cmocka_unit_test(lru_through_the_interface_is_the_choice_of_6_8),
		cmocka_unit_test(all_builtins_keep_zswap_whole),
	};

	return cmocka_run_group_tests_name("zswap_policy_kernel", tests, NULL, NULL);
}
