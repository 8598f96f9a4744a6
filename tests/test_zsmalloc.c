// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include <jemalloc/jemalloc.h>

#include "sim/poison.h"
#include "sim/zs_private.h"
#include "tests/test.h"

#ifdef SIM_ASAN
/* gcc has no sanitizer/allocator_interface.h. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

struct rig {
	struct kernel *k;
	struct zs_pool *pool;
};

static struct rig rig_with(const char *preset, unsigned chain, unsigned obj_word, bool contents)
{
	struct kernel_config config = {.no_contents = !contents, .nr_nodes = 2};
	struct profile profile;
	char err[256];
	struct rig r;

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	profile.zsmalloc.chain_size = chain;
	profile.zsmalloc.obj_word = obj_word;
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &r.k), 0);
	r.pool = zs_create_pool(r.k, "test");
	assert_non_null(r.pool);
	return r;
}

static struct rig rig_of(const char *preset)
{
	return rig_with(preset, 8, ZS_OBJ_WORD_CLASS9_IDX15, true);
}

static void finish(struct rig *r)
{
	assert_int_equal(zs_nr_mapped(r->pool), 0);
	zs_destroy_pool(r->pool);
	kernel_destroy(r->k);
}

static unsigned long must_malloc(struct rig *r, size_t size)
{
	unsigned long handle = zs_malloc(r->pool, size, 0);

	assert_false(IS_ERR_VALUE(handle));
	return handle;
}

static struct zs_obj_location locate(struct rig *r, unsigned long handle)
{
	struct zs_obj_location loc;

	zs_obj_locate(r->pool, handle, &loc);
	return loc;
}

static void sizes_of_0_and_above_a_page_are_refused(void **state)
{
	struct rig r = rig_of("7.3");

	assert_int_equal((long)zs_malloc(r.pool, 0, 0), -EINVAL);
	assert_int_equal((long)zs_malloc(r.pool, 4097, 0), -ENOSPC);
	assert_int_equal((long)zs_malloc(r.pool, SIZE_MAX, 0), -ENOSPC);
	zs_free(r.pool, 0);
	zs_free(r.pool, (unsigned long)-ENOMEM);
	assert_int_equal(zs_get_total_pages(r.pool), 0);
	finish(&r);
}

static void the_first_pool_sets_the_huge_class_size(void **state)
{
	struct rig r = rig_of("7.3");

	assert_int_equal(r.k->zs_huge_class_size, 3625);
	assert_int_equal(zs_huge_class_size(r.pool), 3625);
	assert_int_equal(zs_lookup_class_index(r.pool, 3624), 225);
	assert_int_equal(zs_lookup_class_index(r.pool, 3625), 254);
	assert_int_equal(zs_nr_classes(r.pool), 119);
	finish(&r);
}

static void a_fresh_zspage_hands_out_its_chunks_in_order(void **state)
{
	struct rig r = rig_of("7.3");

	for (unsigned i = 0; i < 18; i++)
		assert_int_equal(locate(&r, must_malloc(&r, 3600)).index, i % 9);
	assert_int_equal(zs_get_total_pages(r.pool), 16);
	finish(&r);
}

static void the_chunk_freed_last_is_handed_out_first(void **state)
{
	static const unsigned freed[] = {2, 7, 0, 5};
	struct rig r = rig_of("7.3");
	unsigned long h[9];

	for (unsigned i = 0; i < 9; i++)
		h[i] = must_malloc(&r, 3600);
	for (unsigned i = 0; i < 4; i++)
		zs_free(r.pool, h[freed[i]]);
	for (unsigned i = 4; i-- > 0;)
		assert_int_equal(locate(&r, must_malloc(&r, 3600)).index, freed[i]);
	finish(&r);
}

static void the_fullest_zspage_with_room_is_filled_first(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h[27], n;

	for (unsigned i = 0; i < 27; i++)
		h[i] = must_malloc(&r, 3600);
	/* 4, 8 and 8 of 9 left; the third zspage is filed last, at the head of its group. */
	for (unsigned i = 0; i < 5; i++)
		zs_free(r.pool, h[i]);
	zs_free(r.pool, h[9 + 3]);
	zs_free(r.pool, h[18 + 6]);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[18]).zspage);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[9]).zspage);
	n = must_malloc(&r, 3600);
	assert_ptr_equal(obj_place(r.pool, n).zspage, obj_place(r.pool, h[5]).zspage);
	assert_int_equal(zs_get_total_pages(r.pool), 24);
	finish(&r);
}

/* Class 48 has 256 objects, so one more or less seldom changes its group. */
static void a_zspage_keeps_its_position_while_its_group_is_the_same(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h[512];

	for (unsigned i = 0; i < 512; i++)
		h[i] = must_malloc(&r, 40);
	zs_free(r.pool, h[0]);	 /* first: 255 of 256, group 10 */
	zs_free(r.pool, h[256]); /* second: the same, in front of it */
	zs_free(r.pool, h[1]);	 /* first: 254, still group 10 */
	assert_ptr_equal(obj_place(r.pool, must_malloc(&r, 40)).zspage,
			 obj_place(r.pool, h[257]).zspage);
	finish(&r);
}

static void the_last_object_takes_its_pages_along(void **state)
{
	struct rig r = rig_of("7.3");
	struct page_frames_stats stats;
	unsigned long a = must_malloc(&r, 3600), b = must_malloc(&r, 3600);

	assert_int_equal(zs_get_total_pages(r.pool), 8);
	zs_free(r.pool, a);
	assert_int_equal(zs_get_total_pages(r.pool), 8);
	zs_free(r.pool, b);
	assert_int_equal(zs_get_total_pages(r.pool), 0);
	assert_int_equal(page_frames_stats(r.k->frames, &stats), 0);
	assert_int_equal(stats.live_pages, 0);
	finish(&r);
}

static void pages_are_on_the_node_that_was_asked_for(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long a = zs_malloc(r.pool, 100, 1), b = zs_malloc(r.pool, 100, 0);

	assert_int_equal(locate(&r, a).nid, 1);
	/* It fits in the zspage that is there: the node plays no part in the search. */
	assert_int_equal(locate(&r, b).nid, 1);
	assert_int_equal(locate(&r, zs_malloc(r.pool, 2000, 0)).nid, 0);
	finish(&r);
}

static void object_that_crosses_a_page_is_read_as_two_sg_entries(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned char data[3600], got[3600];
	struct scatterlist sg[2];
	unsigned long h;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = i * 7;
	must_malloc(&r, 3600);
	h = must_malloc(&r, 3600); /* its chunk begins at 3632 */
	zs_obj_write(r.pool, h, data, sizeof(data));
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 3600), 2);
	assert_int_equal(zs_nr_mapped(r.pool), 1);
	assert_int_equal(sg[0].offset, 3640);
	assert_int_equal(sg[0].length, 4096 - 3640);
	assert_false(sg[0].end);
	assert_int_equal(sg[1].offset, 0);
	assert_int_equal(sg[1].length, 3600 - (4096 - 3640));
	assert_true(sg[1].end);
	memcpy(got, (char *)page_address(sg[0].page) + sg[0].offset, sg[0].length);
	memcpy(got + sg[0].length, page_address(sg[1].page), sg[1].length);
	assert_memory_equal(got, data, sizeof(data));
	zs_obj_read_sg_end(r.pool, h);
	finish(&r);
}

static void a_chunk_that_crosses_but_whose_payload_does_not_is_one_entry(void **state)
{
	struct rig r = rig_of("7.3");
	struct scatterlist sg[2];
	unsigned long h;

	must_malloc(&r, 3600);
	h = must_malloc(&r, 3600);
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 4096 - 3640), 1);
	assert_int_equal(sg[0].length, 4096 - 3640);
	assert_true(sg[0].end);
	zs_obj_read_sg_end(r.pool, h);
	finish(&r);
}

static void a_raw_page_begins_at_offset_0_and_is_one_entry(void **state)
{
	struct rig r = rig_of("7.3");
	unsigned long h = must_malloc(&r, 4096);
	struct zs_obj_location loc = locate(&r, h);
	unsigned char data[4096], copy[4096];
	struct scatterlist sg[2];
	void *p;

	memset(data, 0x5a, sizeof(data));
	zs_obj_write(r.pool, h, data, 4096);
	assert_int_equal(loc.offset, 0);
	assert_true(loc.huge);
	assert_false(loc.straddles);
	assert_int_equal(zs_obj_read_sg_begin(r.pool, h, sg, 4096), 1);
	assert_int_equal(sg[0].offset, 0);
	zs_obj_read_sg_end(r.pool, h);
	p = zs_obj_read_begin(r.pool, h, 4096, copy);
	assert_ptr_not_equal(p, copy);
	assert_memory_equal(p, data, 4096);
	zs_obj_read_end(r.pool, h, 4096, p);
	finish(&r);
}

static void by_the_class_rule_the_whole_chunk_goes_through_a_buffer(void **state)
{
	struct rig r = rig_with("6.12", 8, ZS_OBJ_WORD_IDX24, true);
	unsigned long first = must_malloc(&r, 3600), second = must_malloc(&r, 3600);
	char *p = zs_map_object(r.pool, first, ZS_MM_WO);

	/* The first lies within a page: no copy. */
	assert_ptr_equal(p, (char *)page_address(obj_place(r.pool, first).page) + 8);
	memset(p, 1, 3600);
	zs_unmap_object(r.pool, first);

	p = zs_map_object(r.pool, second, ZS_MM_WO);
	assert_ptr_equal(p, r.pool->area.buf + 8);
	memset(p, 2, 3600);
	zs_unmap_object(r.pool, second);
	memset(r.pool->area.buf, 0, PAGE_SIZE);
	p = zs_map_object(r.pool, second, ZS_MM_RO);
	for (unsigned i = 0; i < 3600; i++)
		assert_int_equal(p[i], 2);
	p[0] = 9; /* is thrown away */
	zs_unmap_object(r.pool, second);
	p = zs_map_object(r.pool, second, ZS_MM_RW);
	assert_int_equal(p[0], 2);
	p[0] = 9; /* is kept */
	zs_unmap_object(r.pool, second);
	p = zs_map_object(r.pool, second, ZS_MM_RO);
	assert_int_equal(p[0], 9);
	zs_unmap_object(r.pool, second);
	finish(&r);
}

static void the_word_of_7_3_names_the_class(void **state)
{
	struct rig with = rig_of("7.3"), without = rig_with("7.3", 8, ZS_OBJ_WORD_IDX24, true);

	for (unsigned size = 1; size <= 4096; size += 50) {
		unsigned long h = must_malloc(&with, size), g = must_malloc(&without, size);
		unsigned long obj = handle_to_obj(h);

		assert_int_equal(obj >> 15 & 511, zs_lookup_class_index(with.pool, size));
		assert_int_equal(obj >> 24, page_to_pfn(obj_place(with.pool, h).page));
		assert_int_equal(obj & 32767, locate(&with, h).index);
		assert_int_equal(handle_to_obj(g) & 0xffffff, locate(&without, g).index);
		assert_ptr_equal(obj_to_class(with.pool, obj),
				 obj_place(with.pool, h).zspage->class);
	}
	finish(&with);
	finish(&without);
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
	finish(&r);
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
		finish(&r);
	}
}

/* cases.md C12 */
static void class_rule_and_payload_rule_pick_the_same_objects(void **state)
{
	for (unsigned chain = 4; chain <= 16; chain++) {
		struct zs_class_table table;
		unsigned differing = 0;

		assert_int_equal(zs_class_table_init(&table, PAGE_SIZE, chain, 0), 0);
		for (unsigned n = 1; n < table.huge_class_size; n++) {
			const struct zs_class_geometry *g = zs_class_lookup(&table, n);
			struct size_class class = {.size = g->size};

			for (unsigned i = 0; i < g->objs; i++) {
				unsigned start = i * g->size, payload = start + 8;
				bool by_class = start / 4096 != (start + g->size - 1) / 4096;
				bool by_payload = payload / 4096 != (payload + n - 1) / 4096;

				differing += by_class != by_payload;
				differing += by_payload != payload_straddles(&class, i, n);
				if (by_payload)
					assert_int_equal((4096 - payload % 4096) % 16, 8);
			}
		}
		assert_int_equal(differing, 0);
		zs_class_table_finish(&table);
	}
}

static void seven_of_nine_objects_of_class_3632_straddle(void **state)
{
	struct rig r = rig_of("7.3");
	struct zs_usage usage;
	unsigned n = 0;

	for (unsigned i = 0; i < 9; i++)
		n += locate(&r, must_malloc(&r, 3600)).straddles;
	zs_usage(r.pool, &usage);
	assert_int_equal(n, 7);
	assert_int_equal(usage.straddling_objs, 7);
	finish(&r);
}

/* What was in the frames before must not show: neither in payloads nor in what is counted. */
static void tails_that_were_never_written_do_not_matter(void **state)
{
	static const char *const presets[] = {"6.12", "7.3"};

	for (unsigned p = 0; p < 4; p++) {
		struct rig r = rig_of(presets[p % 2]);
		unsigned char data[3000], copy[4096], *got;
		struct page *page[8];
		unsigned long h[9];

		for (unsigned i = 0; i < 8; i++) {
			page[i] = alloc_pages(r.k->frames, 0, 0);
			memset(page_address(page[i]), p < 2 ? 0x00 : 0xff, PAGE_SIZE);
		}
		for (unsigned i = 0; i < 8; i++)
			free_pages(r.k->frames, page[i]);
		for (unsigned i = 0; i < 9; i++) {
			h[i] = must_malloc(&r, 3600);
			memset(data, i, sizeof(data));
			zs_obj_write(r.pool, h[i], data, sizeof(data));
		}
		for (unsigned i = 0; i < 9; i++) {
			memset(data, i, sizeof(data));
			got = zs_obj_read_begin(r.pool, h[i], sizeof(data), copy);
			assert_memory_equal(got, data, sizeof(data));
			zs_obj_read_end(r.pool, h[i], sizeof(data), got);
			if (r.k->profile.zsmalloc.straddle != ZS_STRADDLE_CLASS)
				continue;
			got = zs_map_object(r.pool, h[i], ZS_MM_RO);
			assert_memory_equal(got, data, sizeof(data));
			zs_unmap_object(r.pool, h[i]);
		}
		finish(&r);
	}
}

static void a_sanitizer_sees_every_byte_that_is_no_payload(void **state)
{
#ifdef SIM_ASAN
	struct rig r = rig_of("7.3");
	unsigned long h = must_malloc(&r, 3601);
	char *payload = (char *)page_address(obj_place(r.pool, h).page) + 8;

	assert_true(__asan_address_is_poisoned(payload - 1));
	assert_null(__asan_region_is_poisoned(payload, 3601));
	assert_true(__asan_address_is_poisoned(payload + 3601));
	must_malloc(&r, 3600);
	zs_free(r.pool, h);
	assert_true(__asan_address_is_poisoned(payload));
	finish(&r);
#else
	print_message("# SKIP not built with AddressSanitizer\n");
	skip();
#endif
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
			finish(&m.rig);
			finish(&m.twin);
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
		finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_0_and_above_a_page_are_refused),
		cmocka_unit_test(the_first_pool_sets_the_huge_class_size),
		cmocka_unit_test(a_fresh_zspage_hands_out_its_chunks_in_order),
		cmocka_unit_test(the_chunk_freed_last_is_handed_out_first),
		cmocka_unit_test(the_fullest_zspage_with_room_is_filled_first),
		cmocka_unit_test(a_zspage_keeps_its_position_while_its_group_is_the_same),
		cmocka_unit_test(the_last_object_takes_its_pages_along),
		cmocka_unit_test(pages_are_on_the_node_that_was_asked_for),
		cmocka_unit_test(object_that_crosses_a_page_is_read_as_two_sg_entries),
		cmocka_unit_test(a_chunk_that_crosses_but_whose_payload_does_not_is_one_entry),
		cmocka_unit_test(a_raw_page_begins_at_offset_0_and_is_one_entry),
		cmocka_unit_test(by_the_class_rule_the_whole_chunk_goes_through_a_buffer),
		cmocka_unit_test(the_word_of_7_3_names_the_class),
		cmocka_unit_test(every_failed_allocation_is_enomem_and_leaks_nothing),
		cmocka_unit_test(after_a_reserve_no_allocation_calls_malloc),
		cmocka_unit_test(class_rule_and_payload_rule_pick_the_same_objects),
		cmocka_unit_test(seven_of_nine_objects_of_class_3632_straddle),
		cmocka_unit_test(tails_that_were_never_written_do_not_matter),
		cmocka_unit_test(a_sanitizer_sees_every_byte_that_is_no_payload),
		cmocka_unit_test(contents_and_sums_survive_any_operations),
		cmocka_unit_test(straddling_equals_an_independent_computation_for_300000_objects),
	};

	return cmocka_run_group_tests_name("zsmalloc", tests, NULL, NULL);
}
