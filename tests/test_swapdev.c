// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/page.h"
#include "sim/swapdev.h"
#include "tests/test.h"

/* Every reading is 10 ns after the one before. */
static uint64_t tick(void *arg)
{
	return *(uint64_t *)arg += 10;
}

static struct swapdev *create(bool contents)
{
	struct swapdev *dev;

	assert_int_equal(swapdev_create(contents, &dev), 0);
	return dev;
}

static void what_was_written_is_read(void **state)
{
	unsigned char out[4 * PAGE_SIZE], in[4 * PAGE_SIZE];
	struct swapdev *dev = create(true);

	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = i / 7;
	assert_int_equal(swapdev_write(dev, 1, 8, out, 4), 0);
	assert_int_equal(swapdev_read(dev, 1, 8, in, 4), 0);
	assert_memory_equal(in, out, sizeof(out));
	assert_int_equal(swapdev_write(dev, 1, 9, out, 1), 0);
	assert_int_equal(swapdev_read(dev, 1, 9, in, 1), 0);
	assert_memory_equal(in, out, PAGE_SIZE);
	assert_int_equal(swapdev_stats(dev)->pages, 4);
	swapdev_discard(dev, 1, 10);
	swapdev_discard(dev, 1, 10);
	assert_int_equal(swapdev_stats(dev)->pages, 3);
	assert_false(swapdev_has(dev, 1, 10));
	assert_false(swapdev_has(dev, 0, 8));
	swapdev_destroy(dev);
}

static void a_read_is_one_request_or_none(void **state)
{
	unsigned char page[4 * PAGE_SIZE] = {1};
	struct swapdev *dev = create(true);

	assert_int_equal(swapdev_write(dev, 0, 0, page, 4), 0);
	assert_int_equal(swapdev_read(dev, 0, 0, page, 4), 0);
	assert_int_equal(swapdev_stats(dev)->read_requests, 1);
	assert_int_equal(swapdev_stats(dev)->read_pages, 4);
	assert_int_equal(swapdev_stats(dev)->written_requests, 1);
	assert_int_equal(swapdev_stats(dev)->written_pages, 4);
	swapdev_discard(dev, 0, 3);
	assert_int_equal(swapdev_read(dev, 0, 0, page, 4), -ENOENT);
	assert_int_equal(swapdev_stats(dev)->read_requests, 1);
	swapdev_destroy(dev);
}

static void modelled_time_adds_up_by_direction(void **state)
{
	unsigned char page[4 * PAGE_SIZE] = {1};
	struct swapdev *dev = create(true);
	struct swap_model model;
	char err[256];

	assert_int_equal(swap_model_parse("100/4096", &model, err, sizeof(err)), 0);
	swapdev_set_model(dev, &model);
	assert_int_equal(swapdev_write(dev, 0, 0, page, 4), 0);
	assert_int_equal(swapdev_write(dev, 0, 0, page, 1), 0);
	assert_int_equal(swapdev_read(dev, 0, 2, page, 1), 0);
	assert_int_equal(swapdev_read(dev, 0, 100, page, 1), -ENOENT);
	assert_int_equal(swapdev_stats(dev)->modelled_ns[SWAP_MODEL_WRITE], 104000 + 101000);
	assert_int_equal(swapdev_stats(dev)->modelled_ns[SWAP_MODEL_READ], 101000);
	swapdev_destroy(dev);
}

static void the_files_own_time_is_kept_apart(void **state)
{
	unsigned char page[PAGE_SIZE] = {1};
	struct swapdev *dev = create(true);
	uint64_t clock = 0;

	swapdev_set_clock(dev, tick, &clock);
	assert_int_equal(swapdev_write(dev, 0, 0, page, 1), 0);
	assert_int_equal(swapdev_stats(dev)->file_ns, 10);
	assert_int_equal(swapdev_read(dev, 0, 0, page, 1), 0);
	assert_int_equal(swapdev_stats(dev)->file_ns, 20);
	assert_int_equal(clock, 40);
	assert_int_equal(swapdev_stats(dev)->modelled_ns[SWAP_MODEL_READ], 0);
	swapdev_destroy(dev);
}

static void without_contents_only_the_slots_are_known(void **state)
{
	struct swapdev *dev = create(false);

	assert_int_equal(swapdev_write(dev, 0, 5, NULL, 2), 0);
	assert_int_equal(swapdev_read(dev, 0, 5, NULL, 2), 0);
	assert_int_equal(swapdev_read(dev, 0, 7, NULL, 1), -ENOENT);
	swapdev_destroy(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(a_read_is_one_request_or_none),
		cmocka_unit_test(modelled_time_adds_up_by_direction),
		cmocka_unit_test(the_files_own_time_is_kept_apart),
		cmocka_unit_test(without_contents_only_the_slots_are_known),
	};

	return cmocka_run_group_tests_name("swapdev", tests, NULL, NULL);
}
