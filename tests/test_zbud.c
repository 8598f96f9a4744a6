// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zbud.h"
#include "sim/zpool.h"
#include "tests/test.h"

struct rig {
	struct kernel *k;
	struct zpool *zpool;
	struct zbud_pool *pool;
};

static struct rig begin(void)
{
	struct profile profile;
	struct kernel_config config = {.profile = &profile};
	struct rig r;
	char err[128];

	assert_int_equal(profile_init(&profile, "6.12", err, sizeof(err)), 0);
	assert_int_equal(kernel_create(&config, &r.k), 0);
	assert_int_equal(zpool_create_pool(r.k, "zbud", "test", &r.zpool), 0);
	r.pool = r.zpool->pool;
	return r;
}

static void finish(struct rig *r)
{
	char err[256] = "";

	assert_int_equal(zpool_check(r->zpool, err, sizeof(err)), 0);
	assert_string_equal(err, "");
	zpool_destroy_pool(r->zpool);
	kernel_destroy(r->k);
}

static unsigned long must_alloc(struct rig *r, size_t size)
{
	unsigned long handle = zbud_alloc(r->pool, size, 0);

	assert_false(IS_ERR_VALUE(handle));
	return handle;
}

static struct zpool_location locate(struct rig *r, unsigned long handle)
{
	struct zpool_location loc;

	zbud_locate(r->pool, handle, &loc);
	return loc;
}

static void an_object_leaves_room_for_the_header_and_one_chunk(void **state)
{
	struct rig r = begin();
	unsigned long handle;

	assert_int_equal(ZBUD_MAX_SIZE, 4096 - 64 - 64);
	assert_int_equal((long)zbud_alloc(r.pool, 0, 0), -EINVAL);
	assert_int_equal((long)zbud_alloc(r.pool, 3969, 0), -ENOSPC);
	assert_int_equal((long)zbud_alloc(r.pool, 4096, 0), -ENOSPC);
	assert_int_equal((long)zbud_alloc(r.pool, 1ul << 40, 0), -ENOSPC);
	assert_int_equal(zbud_get_pool_pages(r.pool), 0);
	handle = must_alloc(&r, 3968);
	assert_int_equal(zbud_nr_listed(r.pool, 1), 1);
	/* The chunk that is left is used. */
	must_alloc(&r, 64);
	assert_int_equal(zbud_get_pool_pages(r.pool), 1);
	zbud_free(r.pool, handle);
	assert_int_equal(zbud_nr_listed(r.pool, 62), 1);
	finish(&r);
}

static void the_first_buddy_lies_behind_the_header_and_the_last_at_the_end(void **state)
{
	struct rig r = begin();
	unsigned long first = must_alloc(&r, 1000), last = must_alloc(&r, 65);

	assert_int_equal(locate(&r, first).index, 0);
	assert_int_equal(locate(&r, first).offset, 64);
	assert_int_equal(locate(&r, first).slot_size, 1024);
	assert_int_equal(locate(&r, last).index, 1);
	assert_int_equal(locate(&r, last).offset, 4096 - 128);
	assert_int_equal(locate(&r, last).slot_size, 128);
	assert_int_equal(zbud_get_pool_pages(r.pool), 1);
	/* There is room for a third, but a page has two buddies. */
	must_alloc(&r, 64);
	assert_int_equal(zbud_get_pool_pages(r.pool), 2);
	finish(&r);
}

static void the_first_buddys_place_is_filled_again_before_the_lasts(void **state)
{
	struct rig r = begin();
	unsigned long first = must_alloc(&r, 1000), last = must_alloc(&r, 1000);

	zbud_free(r.pool, first);
	first = must_alloc(&r, 2000);
	assert_int_equal(locate(&r, first).index, 0);
	zbud_free(r.pool, first);
	zbud_free(r.pool, last);
	assert_int_equal(zbud_get_pool_pages(r.pool), 0);
	finish(&r);
}

static void of_pages_with_room_the_tightest_is_taken_and_of_those_the_newest(void **state)
{
	struct rig r = begin();
	unsigned long a = must_alloc(&r, 20 * 64), b, c, last;

	/* Each too large to go with one that is there. */
	b = must_alloc(&r, 50 * 64);
	c = must_alloc(&r, 50 * 64);
	assert_int_equal(zbud_get_pool_pages(r.pool), 3);
	last = must_alloc(&r, 13 * 64);
	assert_int_equal(zbud_nr_listed(r.pool, 0), 1);
	zbud_free(r.pool, c);
	/* Beside c's buddy 50 chunks are free, with b 13, with a 43. */
	assert_int_equal(zbud_nr_listed(r.pool, 50), 1);
	assert_int_equal(zbud_nr_listed(r.pool, 13), 1);
	assert_int_equal(zbud_nr_listed(r.pool, 43), 1);
	must_alloc(&r, 14 * 64);
	assert_int_equal(zbud_nr_listed(r.pool, 43), 0);
	zbud_free(r.pool, a);
	zbud_free(r.pool, b);
	zbud_free(r.pool, last);
	finish(&r);
}

/* ---- against a model: an array of pages that is searched from end to end ---- */

struct model_page {
	bool used;
	unsigned size[2];
	uint64_t filed; /* when it was put on a list last */
};

#define PAGES	300
#define OBJECTS 400

struct model_object {
	unsigned long handle;
	int page, bud;
	unsigned size;
};

static unsigned chunks(unsigned size)
{
	return size / 64 + (size % 64 > 0);
}

static unsigned room(const struct model_page *p)
{
	return 63 - chunks(p->size[0]) - chunks(p->size[1]);
}

static int model_choose(const struct model_page *pages, unsigned size)
{
	int best = -1;

	for (int i = 0; i < PAGES; i++) {
		const struct model_page *p = &pages[i];

		if (!p->used || (p->size[0] && p->size[1]) || room(p) < chunks(size))
			continue;
		if (best < 0 || room(p) < room(&pages[best]) ||
		    (room(p) == room(&pages[best]) && p->filed > pages[best].filed))
			best = i;
	}
	for (int i = 0; best < 0 && i < PAGES; i++) {
		if (!pages[i].used)
			best = i;
	}
	assert_true(best >= 0);
	return best;
}

static unsigned random_size(void)
{
	unsigned r = rand();

	switch (r / 7 % 4) {
	case 0:
		return 1 + r % ZBUD_MAX_SIZE;
	case 1:
		return 1 + r % 200;
	case 2:
		return 64 * (1 + r % 62);
	default:
		return 1800 + r % 600;
	}
}

static void random_operations_place_objects_as_a_plain_model_does(void **state)
{
	static struct model_page pages[PAGES];
	static struct model_object objects[OBJECTS];
	uint64_t now = 0, nr_pages = 0;
	struct rig r = begin();

	srand(5);
	for (int step = 0; step < 20000; step++) {
		struct model_object *o = &objects[rand() % OBJECTS];
		struct model_page *p;

		if (o->handle) {
			p = &pages[o->page];
			zbud_free(r.pool, o->handle);
			o->handle = 0;
			p->size[o->bud] = 0;
			p->filed = ++now;
			p->used = p->size[0] || p->size[1];
			nr_pages -= !p->used;
		} else {
			struct zpool_location loc;

			o->size = random_size();
			o->page = model_choose(pages, o->size);
			p = &pages[o->page];
			nr_pages += !p->used;
			o->bud = p->used && p->size[0];
			p->used = true;
			p->size[o->bud] = o->size;
			p->filed = ++now;
			o->handle = must_alloc(&r, o->size);
			loc = locate(&r, o->handle);
			assert_int_equal(loc.index, o->bud);
			assert_int_equal(loc.length, o->size);
			assert_int_equal(loc.offset, o->bud ? 4096 - 64 * chunks(o->size) : 64);
			/* Its buddy is the one that the model says. */
			for (int i = 0; i < OBJECTS; i++) {
				if (&objects[i] != o && objects[i].handle &&
				    objects[i].page == o->page)
					assert_int_equal(objects[i].handle ^ o->handle, 1);
			}
		}
		assert_int_equal(zbud_get_pool_pages(r.pool), nr_pages);
	}
	for (int i = 0; i < OBJECTS; i++)
		zbud_free(r.pool, objects[i].handle);
	assert_int_equal(zbud_get_pool_pages(r.pool), 0);
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_leaves_room_for_the_header_and_one_chunk),
		cmocka_unit_test(the_first_buddy_lies_behind_the_header_and_the_last_at_the_end),
		cmocka_unit_test(the_first_buddys_place_is_filled_again_before_the_lasts),
		cmocka_unit_test(of_pages_with_room_the_tightest_is_taken_and_of_those_the_newest),
		cmocka_unit_test(random_operations_place_objects_as_a_plain_model_does),
	};

	return cmocka_run_group_tests_name("zbud", tests, NULL, NULL);
}
