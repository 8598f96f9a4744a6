// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include <jemalloc/jemalloc.h>

#include "sim/poison.h"
#include "tests/test.h"
#include "tests/zs_rig.h"

#ifdef SIM_ASAN
/* gcc has no sanitizer/allocator_interface.h. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

static void sizes_of_0_and_above_a_page_are_refused(void **state)
{
	struct rig r = rig_of("7.3");

	assert_int_equal((long)zs_malloc(r.pool, 0, 0), -EINVAL);
	assert_int_equal((long)zs_malloc(r.pool, 4097, 0), -ENOSPC);
	assert_int_equal((long)zs_malloc(r.pool, SIZE_MAX, 0), -ENOSPC);
	zs_free(r.pool, 0);
	zs_free(r.pool, (unsigned long)-ENOMEM);
	assert_int_equal(zs_get_total_pages(r.pool), 0);
	rig_finish(&r);
}

static void the_first_pool_sets_the_huge_class_size(void **state)
{
	struct rig r = rig_of("7.3");

	assert_int_equal(r.k->zs_huge_class_size, 3625);
	assert_int_equal(zs_huge_class_size(r.pool), 3625);
	assert_int_equal(zs_lookup_class_index(r.pool, 3624), 225);
	assert_int_equal(zs_lookup_class_index(r.pool, 3625), 254);
	assert_int_equal(zs_nr_classes(r.pool), 119);
	rig_finish(&r);
}

/* cases.md C23: the same 300 pages, half of whose bytes are random, by the grain of the halves. */
static void half_pages_take_160_pages_and_half_of_the_pages_take_150(void **state)
{
	struct rig r = rig_of("7.3");

	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(locate(&r, must_malloc(&r, 2075)).class_size, 2176);
	assert_int_equal(zs_get_total_pages(r.pool), 160);
	rig_finish(&r);

	r = rig_of("7.3");
	for (unsigned i = 0; i < 150; i++)
		must_malloc(&r, 4096);
	assert_int_equal(zs_get_total_pages(r.pool), 150);
	rig_finish(&r);
}

static void every_failed_allocation_is_enomem_and_leaks_nothing(void **state)
{
	struct rig r = rig_of("7.3");
	struct page_frames_stats stats;

	zs_fail_nth(r.pool, 2);
	must_malloc(&r, 100);
	assert_int_equal((long)zs_malloc(r.pool, 100, 0), -ENOMEM);
	must_malloc(&r, 100);

	kmem_cache_fail_nth(r.pool->handle_cache, 1);
	assert_int_equal((long)zs_malloc(r.pool, 100, 0), -ENOMEM);
	for (unsigned i = 1; i <= 8; i++) {
		page_frames_fail_nth(r.k->frames, i);
		assert_int_equal((long)zs_malloc(r.pool, 3600, 0), -ENOMEM);
	}
	kmem_cache_fail_nth(r.pool->classes[r.pool->table.nr - 2].zspage_cache, 1);
	assert_int_equal((long)zs_malloc(r.pool, 3600, 0), -ENOMEM);

	assert_int_equal(page_frames_stats(r.k->frames, &stats), 0);
	assert_int_equal(stats.live_pages, zs_get_total_pages(r.pool));
	assert_int_equal(kmem_cache_nr_live(r.pool->handle_cache), 2);
	must_malloc(&r, 3600);
	rig_finish(&r);
}

static uint64_t bytes_allocated_so_far(void)
{
#ifdef SIM_ASAN
	/* malloc is the sanitizer's there; frames still come from jemalloc. */
	uint64_t bytes = __sanitizer_get_current_allocated_bytes();
#else
	uint64_t bytes = 0;
#endif
	uint64_t thread;
	size_t size = sizeof(thread);

	assert_int_equal(mallctl("thread.allocated", &thread, &size, NULL, 0), 0);
	return bytes + thread;
}

static void after_a_reserve_no_allocation_calls_malloc(void **state)
{
	static const unsigned numbers[] = {1, 16, 512};

	for (unsigned chain = 4; chain <= 16; chain += 6) {
		struct rig r = rig_with("7.3", chain, ZS_OBJ_WORD_CLASS9_IDX15, true);

		for (unsigned n = 0; n < 3; n++) {
			unsigned nr = numbers[n];
			uint64_t before;

			/* Sizes that make as many zspages as can be. */
			assert_int_equal(zs_reserve(r.pool, nr), 0);
			before = bytes_allocated_so_far();
			for (unsigned i = 0; i < nr; i++)
				must_malloc(&r,
					    r.pool->table.classes[i % r.pool->table.nr].request_lo);
			assert_int_equal(bytes_allocated_so_far(), before);
		}
		rig_finish(&r);
	}
}

/* ---- the property: any operations, against a model that knows nothing of zspages ---- */

#define MODEL_SLOTS 700
#define MODEL_OPS   9000

struct model_object {
	unsigned long handle, twin; /* in the pool with contents, and in the one without */
	unsigned size;
	uint32_t seed;
};

struct model {
	struct rig rig, twin;
	struct model_object o[MODEL_SLOTS];
	uint64_t random;
	uint64_t objects; /* ever made */
};

static uint32_t next_random(struct model *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random >> 16;
}

static void pattern(uint32_t seed, unsigned char *buf, unsigned size)
{
	uint32_t x = seed | 1;

	for (unsigned i = 0; i < size; i += 4) {
		x = x * 1664525 + 1013904223;
		memcpy(buf + i, &x, size - i < 4 ? size - i : 4);
	}
}

static bool independent_straddle(unsigned class_size, unsigned index, unsigned size)
{
	unsigned long first = (unsigned long)index * class_size + 8;

	return class_size != 4096 && first >> 12 != (first + size - 1) >> 12;
}

static void check_object(struct model *m, const struct model_object *o)
{
	static unsigned char want[PAGE_SIZE], copy[PAGE_SIZE];
	struct zs_obj_location loc = locate(&m->rig, o->handle), twin = locate(&m->twin, o->twin);
	unsigned char *p;

	pattern(o->seed, want, o->size);
	if (m->rig.k->profile.zsmalloc.straddle == ZS_STRADDLE_CLASS) {
		p = zs_map_object(m->rig.pool, o->handle, ZS_MM_RO);
		assert_memory_equal(p, want, o->size);
		zs_unmap_object(m->rig.pool, o->handle);
	} else {
		p = zs_obj_read_begin(m->rig.pool, o->handle, o->size, copy);
		assert_memory_equal(p, want, o->size);
		assert_int_equal(p == copy, loc.straddles);
		zs_obj_read_end(m->rig.pool, o->handle, o->size, p);
	}
	assert_int_equal(loc.length, o->size);
	assert_int_equal(loc.straddles, independent_straddle(loc.class_size, loc.index, o->size));
	assert_int_equal(loc.index, twin.index);
	assert_int_equal(loc.offset, twin.offset);
	assert_int_equal(loc.class_size, twin.class_size);
}

static void make_object(struct model *m, struct model_object *o)
{
	unsigned char buf[PAGE_SIZE];

	/* Half of them anywhere, half of them small or near the huge class. */
	switch (next_random(m) % 4) {
	case 0:
		o->size = 1 + next_random(m) % 100;
		break;
	case 1:
		o->size = 3000 + next_random(m) % 1097;
		break;
	default:
		o->size = 1 + next_random(m) % 4096;
	}
	o->seed = next_random(m);
	o->handle = must_malloc(&m->rig, o->size);
	o->twin = must_malloc(&m->twin, o->size);
	pattern(o->seed, buf, o->size);
	if (m->rig.k->profile.zsmalloc.straddle == ZS_STRADDLE_CLASS) {
		memcpy(zs_map_object(m->rig.pool, o->handle, ZS_MM_WO), buf, o->size);
		zs_unmap_object(m->rig.pool, o->handle);
	} else {
		zs_obj_write(m->rig.pool, o->handle, buf, o->size);
	}
	m->objects++;
}

static void drop_object(struct model *m, struct model_object *o)
{
	check_object(m, o);
	zs_free(m->rig.pool, o->handle);
	zs_free(m->twin.pool, o->twin);
	o->handle = 0;
}

/* What the pool says of itself against what the model says, and against its own classes. */
static void check_sums(struct model *m)
{
	struct zs_usage usage, twin, sum = {0}, model = {0};
	unsigned long freeable = 0;

	zs_usage(m->rig.pool, &usage);
	zs_usage(m->twin.pool, &twin);
	assert_memory_equal(&usage, &twin, sizeof(usage));
	for (unsigned i = 0; i < MODEL_SLOTS; i++) {
		const struct model_object *o = &m->o[i];
		struct zs_obj_location loc;

		if (!o->handle)
			continue;
		check_object(m, o);
		loc = locate(&m->rig, o->handle);
		model.objects++;
		model.payload_bytes += o->size;
		model.rounding_bytes += loc.class_size - o->size;
		model.straddling_objs += loc.straddles;
	}
	for (unsigned i = 0; i < zs_nr_classes(m->rig.pool); i++) {
		struct zs_class_stats c;
		uint64_t zspages = 0;

		zs_class_stats(m->rig.pool, i, &c);
		assert_int_equal(c.zspages[0], 0);
		for (unsigned fg = 0; fg < ZS_NR_FULLNESS; fg++)
			zspages += c.zspages[fg];
		assert_int_equal(c.obj_allocated, zspages * c.geometry.objs);
		assert_int_equal(c.pages_used, zspages * c.geometry.pages);
		freeable += c.freeable_pages;
		sum.pages += c.pages_used;
		sum.zspages += zspages;
		sum.objects += c.obj_used;
		sum.straddling_objs += c.straddling_objs;
		sum.payload_bytes += c.payload_bytes;
		sum.rounding_bytes += c.obj_used * c.geometry.size - c.payload_bytes;
		sum.unused_bytes += (c.obj_allocated - c.obj_used) * c.geometry.size;
		sum.tail_bytes += zspages * c.geometry.wasted;
	}
	assert_memory_equal(&usage, &sum, sizeof(usage));
	assert_int_equal(usage.objects, model.objects);
	assert_int_equal(usage.payload_bytes, model.payload_bytes);
	assert_int_equal(usage.rounding_bytes, model.rounding_bytes);
	assert_int_equal(usage.straddling_objs, model.straddling_objs);
	assert_int_equal(usage.pages * 4096, usage.payload_bytes + usage.rounding_bytes +
						     usage.unused_bytes + usage.tail_bytes);
	assert_int_equal(usage.pages, zs_get_total_pages(m->rig.pool));
	assert_int_equal(freeable, zs_compactable_pages(m->rig.pool));
	assert_int_equal(kmem_cache_nr_live(m->rig.pool->handle_cache), usage.objects);
}

static void run_model(struct model *m)
{
	for (unsigned i = 0; i < MODEL_OPS; i++) {
		struct model_object *o = &m->o[next_random(m) % MODEL_SLOTS];
		/* Phases that fill and phases that drain. */
		bool filling = i / 1000 % 2 == 0;

		if (!o->handle && (filling || next_random(m) % 4 == 0))
			make_object(m, o);
		else if (o->handle && (!filling || next_random(m) % 2 == 0))
			drop_object(m, o);
		if (i % 1500 == 1499) {
			unsigned long before = zs_get_total_pages(m->rig.pool), freed;

			check_sums(m);
			freed = zs_compact(m->rig.pool);
			assert_int_equal(freed, zs_compact(m->twin.pool));
			assert_int_equal(zs_get_total_pages(m->rig.pool), before - freed);
			check_sums(m);
		}
	}
	for (unsigned i = 0; i < MODEL_SLOTS; i++) {
		if (m->o[i].handle)
			drop_object(m, &m->o[i]);
	}
	assert_int_equal(zs_get_total_pages(m->rig.pool), 0);
}

static void contents_and_sums_survive_any_operations(void **state)
{
	uint64_t objects = 0;

	for (unsigned chain = 4; chain <= 16; chain++) {
		for (unsigned word = 0; word < 2; word++) {
			const char *preset = word == ZS_OBJ_WORD_IDX24 ? "6.12" : "7.3";
			struct model m = {.random = chain * 2 + word + 1};

			m.rig = rig_with(preset, chain, word, true);
			m.twin = rig_with(preset, chain, word, false);
			run_model(&m);
			objects += m.objects;
			rig_finish(&m.rig);
			rig_finish(&m.twin);
		}
	}
	assert_true(objects >= 50000);
}

/* Straddling by index and size alone, for many more objects than the model holds contents of. */
static void straddling_equals_an_independent_computation_for_300000_objects(void **state)
{
	for (unsigned chain = 4; chain <= 16; chain += 4) {
		struct rig r = rig_with("7.3", chain, ZS_OBJ_WORD_CLASS9_IDX15, false);
		struct model m = {.random = chain};
		struct zs_usage usage;
		uint64_t straddling = 0;

		for (unsigned i = 0; i < 75000; i++) {
			unsigned size = 1 + next_random(&m) % 4096;
			struct zs_obj_location loc = locate(&r, must_malloc(&r, size));
			bool want = independent_straddle(loc.class_size, loc.index, size);

			assert_int_equal(loc.straddles, want);
			straddling += want;
		}
		zs_usage(r.pool, &usage);
		assert_int_equal(usage.straddling_objs, straddling);
		rig_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_0_and_above_a_page_are_refused),
		cmocka_unit_test(the_first_pool_sets_the_huge_class_size),
		cmocka_unit_test(half_pages_take_160_pages_and_half_of_the_pages_take_150),
		cmocka_unit_test(every_failed_allocation_is_enomem_and_leaks_nothing),
		cmocka_unit_test(after_a_reserve_no_allocation_calls_malloc),
		cmocka_unit_test(contents_and_sums_survive_any_operations),
		cmocka_unit_test(straddling_equals_an_independent_computation_for_300000_objects),
	};

	return cmocka_run_group_tests_name("zsmalloc", tests, NULL, NULL);
}
