// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random operations on zswap and on a plain model of it: after each, all counts are equal. Then the
 * same with real contents: every page can be got back, from zswap or from the device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/poison.h"
#include "sim/zswap.h"
#include "tests/machine.h"
#include "tests/test.h"
#include "tests/zswap_model.h"

#define SLOTS 700

/* 10^6 in all over the four runs; a tenth under a sanitizer. */
#ifdef SIM_ASAN
#define OPERATIONS 25000
#else
#define OPERATIONS 250000
#endif

struct pair {
	struct machine *m;
	struct model *model;
	struct mem_cgroup *memcg[MODEL_MAX_MEMCGS];
	uint64_t rng;
	uint64_t operation;
	uint64_t seen[8]; /* outcomes, so that a run which tests nothing is noticed */
};

static unsigned below(struct pair *p, unsigned n)
{
	p->rng ^= p->rng << 13;
	p->rng ^= p->rng >> 7;
	p->rng ^= p->rng << 17;
	return (p->rng >> 20) % n;
}

static int online_memcg(struct pair *p)
{
	int i;

	do {
		i = below(p, p->model->nr_memcgs);
	} while (!p->model->memcgs[i].online);
	return i;
}

static int random_length(struct pair *p)
{
	switch (below(p, 20)) {
	case 0:
		return MODEL_ZERO;
	case 1:
		return -EINVAL;
	case 2:
		return 3700 + below(p, 340);
	default:
		return 1 + below(p, 3624);
	}
}

static void do_store(struct pair *p)
{
	static const enum model_where where[SWAPOUT_NR] = {
		[SWAPOUT_ZERO] = MODEL_ZEROES,
		[SWAPOUT_ZSWAP] = MODEL_ZSWAP,
		[SWAPOUT_DISK] = MODEL_DISK,
		[SWAPOUT_ACTIVATED] = MODEL_MEMORY,
	};
	unsigned order = below(p, 12) ? 0 : 2;
	int slot = below(p, SLOTS) & ~((1u << order) - 1), memcg = online_memcg(p);
	int nid = below(p, p->model->nr_nodes), lengths[4];
	enum model_where expected;
	struct folio folio;
	enum swapout got;
	uint32_t ids[4];

	for (unsigned i = 0; i < 1u << order; i++) {
		lengths[i] = random_length(p);
		ids[i] = lengths[i] == MODEL_ZERO ? ZSWAP_ZERO_ID : (uint32_t)lengths[i];
	}
	expected = model_store(p->model, slot, 1u << order, lengths, memcg, nid);
	p->m->memcg = p->memcg[memcg];
	folio = machine_folio(p->m, slot, order, ids);
	folio.page->nid = nid;
	assert_int_equal(swap_writeout(p->m->io, &folio, &got), 0);
	zswap_run_shrink_worker(p->m->z);
	assert_int_equal(where[got], expected);
	p->seen[expected]++;
}

static void do_load(struct pair *p)
{
	int slot = below(p, SLOTS), memcg = online_memcg(p), nid = below(p, p->model->nr_nodes);
	enum model_where expected = model_load(p->model, slot, memcg, nid);
	struct folio folio;
	enum swapin from;
	int ret;

	p->m->memcg = p->memcg[memcg];
	folio = machine_folio(p->m, slot, 0, NULL);
	folio.page->nid = nid;
	ret = swap_read_folio(p->m->io, &folio, &from);
	assert_int_equal(ret, expected == MODEL_NOWHERE ? -ENOENT : 0);
	if (!ret)
		assert_int_equal(from, expected == MODEL_ZEROES	 ? SWAPIN_ZERO
				       : expected == MODEL_ZSWAP ? SWAPIN_ZSWAP
								 : SWAPIN_DISK);
}

static void do_pressure(struct pair *p)
{
	int memcg = online_memcg(p), nid = below(p, p->model->nr_nodes);

	if (below(p, 2)) {
		assert_int_equal(zswap_shrinker_count(p->m->z, p->memcg[memcg], nid),
				 model_shrinker_count(p->model, memcg, nid));
	} else {
		uint64_t nr = below(p, 200);
		uint64_t got = zswap_shrinker_scan(p->m->z, p->memcg[memcg], nid, nr);

		assert_true(got == model_shrinker_scan(p->model, memcg, nid, nr));
	}
}

static void do_settings(struct pair *p)
{
	int memcg = online_memcg(p);

	switch (below(p, 4)) {
	case 0:
		if (memcg == MODEL_ROOT)
			return;
		p->model->memcgs[memcg].max =
			below(p, 3) ? below(p, 300) * 1024ull : MODEL_NO_LIMIT;
		p->memcg[memcg]->zswap_max = p->model->memcgs[memcg].max;
		break;
	case 1:
		p->model->memcgs[memcg].writeback = below(p, 4);
		p->memcg[memcg]->zswap_writeback = p->model->memcgs[memcg].writeback;
		break;
	case 2:
		p->model->max_percent = below(p, 101);
		assert_int_equal(zswap_set_max_pool_percent(p->m->z, p->model->max_percent), 0);
		break;
	case 3:
		p->model->accept_percent = below(p, 101);
		assert_int_equal(
			zswap_set_accept_threshold_percent(p->m->z, p->model->accept_percent), 0);
		break;
	}
}

static void do_memcg(struct pair *p)
{
	int memcg = online_memcg(p);
	unsigned online = 0;
	char path[32];

	for (unsigned i = 0; i < p->model->nr_memcgs; i++)
		online += p->model->memcgs[i].online;
	if (online < 4 || (online < 12 && below(p, 2))) {
		if (p->model->nr_memcgs == MODEL_MAX_MEMCGS)
			return;
		snprintf(path, sizeof(path), "/%u", p->model->nr_memcgs);
		p->memcg[p->model->nr_memcgs] =
			mem_cgroup_create(&p->m->memcgs, p->memcg[memcg], path);
		model_memcg_create(p->model, memcg);
	} else if (memcg != MODEL_ROOT && !model_memcg_has_online_child(p->model, memcg)) {
		assert_int_equal(zswap_memcg_offline(p->m->z, p->memcg[memcg]), 0);
		model_memcg_offline(p->model, memcg);
	}
}

static void compare(struct pair *p)
{
	const struct zswap_stats *s = zswap_stats(p->m->z);
	int memcg = online_memcg(p);

	assert_int_equal(s->stored_pages, model_stored_pages(p->model));
	assert_int_equal(zswap_total_pages(p->m->z), zs_get_total_pages(p->model->pool));
	assert_int_equal(s->pool_limit_hit, p->model->pool_limit_hit);
	assert_int_equal(s->reject_compress_fail, p->model->reject_compress_fail);
	assert_int_equal(s->written_back_pages, p->model->written_back_pages);
	assert_int_equal(s->lru_rotations, p->model->rotations);
	assert_int_equal(s->zswpin, p->model->zswpin);
	assert_int_equal(s->zswpout, p->model->zswpout);
	if (memcg != MODEL_ROOT)
		assert_int_equal(p->memcg[memcg]->zswap_bytes, model_memcg_bytes(p->model, memcg));
}

static void check_invariants(struct pair *p)
{
	char err[256] = "";

	zswap_check(p->m->z, err, sizeof(err));
	assert_string_equal(err, "");
	for (int i = 0; i < SLOTS; i++) {
		const struct model_slot *s = &p->model->slots[i];

		assert_int_equal(swap_slot_has_copy(p->m->io, (swp_entry_t){0, i}),
				 s->zero || s->in_zswap || s->on_disk);
	}
}

static void step(struct pair *p)
{
	unsigned what = below(p, 1000);

	if (what < 560) {
		do_store(p);
	} else if (what < 860) {
		do_load(p);
	} else if (what < 930) {
		int slot = below(p, SLOTS);

		model_invalidate(p->model, slot);
		swap_slot_free(p->m->io, (swp_entry_t){0, slot}, 0);
	} else if (what < 980) {
		do_pressure(p);
	} else if (what < 999) {
		do_settings(p);
	} else {
		do_memcg(p);
	}
	compare(p);
	if (p->operation % 500 == 0)
		check_invariants(p);
}

static void run(const char *kernel, unsigned nr_nodes, bool shrinker, uint64_t seed)
{
	struct machine_config config = {
		.kernel = kernel,
		.nr_nodes = nr_nodes,
		.totalram_pages = 700,
		.shrinker_enabled = shrinker,
		.lengths = true,
	};
	struct pair p = {.rng = seed, .model = malloc(sizeof(struct model))};
	struct mem_cgroup *own;

	p.m = machine_create(&config);
	own = p.m->memcg;
	model_init(p.model, &p.m->k->profile, nr_nodes, config.totalram_pages, shrinker);
	p.memcg[MODEL_ROOT] = root_mem_cgroup(&p.m->memcgs);
	p.memcg[model_memcg_create(p.model, MODEL_ROOT)] = own;
	for (p.operation = 0; p.operation < OPERATIONS; p.operation++)
		step(&p);
	assert_true(p.model->nr_memcgs > OPERATIONS / 4000 || p.model->nr_memcgs > 20);
	for (enum model_where w = MODEL_ZSWAP; w <= MODEL_MEMORY; w++)
		assert_true(p.seen[w] > OPERATIONS / 1000);
	assert_true(p.model->written_back_pages > OPERATIONS / 1000);
	assert_true(p.model->pool_limit_hit > OPERATIONS / 1000);
	model_finish(p.model);
	free(p.model);
	machine_destroy(p.m);
}

static void random_operations_agree_with_the_model_in_6_12(void **state)
{
	run("6.12", 1, false, 1);
}

static void random_operations_agree_with_the_model_in_7_2(void **state)
{
	run("7.2", 2, true, 2);
}

static void random_operations_agree_with_the_model_in_7_3(void **state)
{
	run("7.3", 1, true, 3);
}

static void random_operations_agree_with_the_model_on_two_nodes(void **state)
{
	run("7.3", 2, true, 4);
}

/* With contents: what was stored last in each slot is what comes back, wherever it went. */
static void every_page_is_recoverable_with_its_contents(void **state)
{
	static const char *const kernels[] = {"6.12", "6.18", "7.3"};

	for (unsigned k = 0; k < 3; k++) {
		struct machine *m = machine_create(&(struct machine_config){
			.kernel = kernels[k], .totalram_pages = 400, .shrinker_enabled = true});
		uint32_t content[256] = {0};
		bool used[256] = {false};
		uint64_t rng = 99 + k;

		for (unsigned i = 0; i < OPERATIONS / 25; i++) {
			unsigned slot, what;

			rng = rng * 6364136223846793005u + 1442695040888963407u;
			slot = (rng >> 33) % 256;
			what = (rng >> 48) % 10;
			if (what < 6 || !used[slot]) {
				content[slot] = (rng >> 20) % 1000;
				used[slot] =
					machine_store1(m, slot, content[slot]) != SWAPOUT_ACTIVATED;
			} else if (what < 8) {
				enum swapin from;

				assert_int_equal(machine_load(m, slot, content[slot], &from), 0);
				used[slot] = from != SWAPIN_ZSWAP;
			} else if (what < 9) {
				swap_slot_free(m->io, (swp_entry_t){0, slot}, 0);
				used[slot] = false;
			} else {
				zswap_shrinker_scan(m->z, m->memcg, 0, 20);
			}
		}
		assert_true(zswap_stats(m->z)->written_back_pages > 100);
		for (unsigned slot = 0; slot < 256; slot++) {
			if (used[slot])
				assert_int_equal(machine_load(m, slot, content[slot], NULL), 0);
		}
		machine_destroy(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_agree_with_the_model_in_6_12),
		cmocka_unit_test(random_operations_agree_with_the_model_in_7_2),
		cmocka_unit_test(random_operations_agree_with_the_model_in_7_3),
		cmocka_unit_test(random_operations_agree_with_the_model_on_two_nodes),
		cmocka_unit_test(every_page_is_recoverable_with_its_contents),
	};

	return cmocka_run_group_tests_name("zswap_model", tests, NULL, NULL);
}
