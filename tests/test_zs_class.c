// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/zs_class.h"
#include "tests/test.h"

static struct zs_class_table table_of(unsigned page_size, unsigned chain_size, unsigned delta)
{
	struct zs_class_table table;

	assert_int_equal(zs_class_table_init(&table, page_size, chain_size, delta), 0);
	return table;
}

static void chain_sizes_4_8_16_have_69_119_192_classes(void **state)
{
	static const struct {
		unsigned chain, nr, huge, last;
	} facts[] = {{4, 69, 3257, 3264}, {8, 119, 3625, 3632}, {16, 192, 3833, 3840}};

	for (int i = 0; i < 3; i++) {
		struct zs_class_table table = table_of(4096, facts[i].chain, 0);

		assert_int_equal(table.class_delta, 16);
		assert_int_equal(table.nr_raw, 255);
		assert_int_equal(table.nr, facts[i].nr);
		assert_int_equal(table.huge_class_size, facts[i].huge);
		assert_int_equal(table.classes[table.nr - 2].size, facts[i].last);
		assert_int_equal(table.classes[table.nr - 1].size, 4096);
		assert_true(table.classes[table.nr - 1].huge);
		assert_false(table.classes[table.nr - 2].huge);
		zs_class_table_finish(&table);
	}
}

static void chain_size_8_has_the_classes_of_the_specification(void **state)
{
	static const struct zs_class_geometry facts[] = {
		{.index = 0,
		 .size = 32,
		 .objs = 128,
		 .pages = 1,
		 .wasted = 0,
		 .request_lo = 1,
		 .request_hi = 24,
		 .straddling = 0},
		{.index = 62,
		 .size = 1024,
		 .objs = 4,
		 .pages = 1,
		 .wasted = 0,
		 .request_lo = 985,
		 .request_hi = 1016,
		 .straddling = 0},
		{.index = 83,
		 .size = 1360,
		 .objs = 3,
		 .pages = 1,
		 .wasted = 16,
		 .request_lo = 1289,
		 .request_hi = 1352,
		 .straddling = 0},
		{.index = 100,
		 .size = 1632,
		 .objs = 5,
		 .pages = 2,
		 .wasted = 32,
		 .request_lo = 1577,
		 .request_hi = 1624,
		 .straddling = 1},
		{.index = 126,
		 .size = 2048,
		 .objs = 2,
		 .pages = 1,
		 .wasted = 0,
		 .request_lo = 1913,
		 .request_hi = 2040,
		 .straddling = 0},
		{.index = 134,
		 .size = 2176,
		 .objs = 15,
		 .pages = 8,
		 .wasted = 128,
		 .request_lo = 2041,
		 .request_hi = 2168,
		 .straddling = 7},
		{.index = 168,
		 .size = 2720,
		 .objs = 3,
		 .pages = 2,
		 .wasted = 32,
		 .request_lo = 2585,
		 .request_hi = 2712,
		 .straddling = 1},
		{.index = 190,
		 .size = 3072,
		 .objs = 4,
		 .pages = 3,
		 .wasted = 0,
		 .request_lo = 2969,
		 .request_hi = 3064,
		 .straddling = 2},
		{.index = 202,
		 .size = 3264,
		 .objs = 5,
		 .pages = 4,
		 .wasted = 64,
		 .request_lo = 3177,
		 .request_hi = 3256,
		 .straddling = 3},
		{.index = 225,
		 .size = 3632,
		 .objs = 9,
		 .pages = 8,
		 .wasted = 80,
		 .request_lo = 3577,
		 .request_hi = 3624,
		 .straddling = 7},
		{.index = 254,
		 .size = 4096,
		 .objs = 1,
		 .pages = 1,
		 .wasted = 0,
		 .request_lo = 3625,
		 .request_hi = 4096,
		 .straddling = 0,
		 .huge = true},
	};
	struct zs_class_table table = table_of(4096, 8, 0);

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		const struct zs_class_geometry *f = &facts[i];
		const struct zs_class_geometry *c = zs_class_lookup(&table, f->request_lo);

		assert_int_equal(c->index, f->index);
		assert_int_equal(c->size, f->size);
		assert_int_equal(c->objs, f->objs);
		assert_int_equal(c->pages, f->pages);
		assert_int_equal(c->wasted, f->wasted);
		assert_int_equal(c->request_lo, f->request_lo);
		assert_int_equal(c->request_hi, f->request_hi);
		assert_int_equal(c->straddling, f->straddling);
		assert_int_equal(c->huge, f->huge);
	}
	zs_class_table_finish(&table);
}

static void check_payloads(const struct zs_class_table *table)
{
	for (unsigned n = 1; n <= table->page_size; n++) {
		const struct zs_class_geometry *c = zs_class_lookup(table, n);

		assert_in_range(n, c->request_lo, c->request_hi);
		assert_true(c->huge || n + ZS_HANDLE_SIZE <= c->size);
		if (c != table->classes)
			assert_true(n + ZS_HANDLE_SIZE > c[-1].size);
	}
	for (unsigned i = 0; i < table->nr; i++) {
		const struct zs_class_geometry *c = &table->classes[i];

		assert_int_equal(c->pages * table->page_size, c->objs * c->size + c->wasted);
		assert_true(c->pages <= table->chain_size);
		assert_int_equal(c->index, c->raw_hi);
		for (unsigned raw = c->raw_lo; raw <= c->raw_hi; raw++)
			assert_int_equal(table->raw_to_class[raw], i);
	}
}

static void each_payload_goes_to_the_smallest_class_that_holds_it(void **state)
{
	for (unsigned chain = 4; chain <= 16; chain++) {
		struct zs_class_table table = table_of(4096, chain, 0);

		check_payloads(&table);
		zs_class_table_finish(&table);
	}
}

/* cases.md C11 */
static void pages_of_16k_have_121_classes_at_delta_64_and_264_at_16(void **state)
{
	struct zs_class_table coarse = table_of(16384, 8, 64), fine = table_of(16384, 8, 16), dflt;
	const struct zs_class_geometry *c;

	assert_int_equal(coarse.nr_raw, 257);
	assert_int_equal(coarse.nr, 121);
	assert_int_equal(coarse.huge_class_size, 14553);
	for (unsigned chunk = 1072; chunk <= 1120; chunk += 16) {
		c = zs_class_lookup(&coarse, chunk - ZS_HANDLE_SIZE);
		assert_int_equal(c->size, 1120);
		assert_int_equal(c->objs, 117);
		assert_int_equal(c->pages, 8);
		assert_int_equal(c->wasted, 32);
	}
	assert_int_equal(c->objs * (1120 - 1072), 5616);
	assert_int_equal(zs_class_lookup(&coarse, 65 - ZS_HANDLE_SIZE)->size, 96);

	assert_int_equal(fine.nr, 264);
	c = zs_class_lookup(&fine, 1072 - ZS_HANDLE_SIZE);
	assert_int_equal(c->size, 1072);
	assert_int_equal(c->objs, 61);
	assert_int_equal(c->pages, 4);
	assert_int_equal(c->wasted, 144);

	dflt = table_of(16384, 8, 0);
	assert_int_equal(dflt.class_delta, 64);
	check_payloads(&coarse);
	check_payloads(&fine);
	zs_class_table_finish(&coarse);
	zs_class_table_finish(&fine);
	zs_class_table_finish(&dflt);
}

static void tables_that_no_kernel_has_are_refused(void **state)
{
	static const unsigned bad[][3] = {
		{4096, 3, 0},	{4096, 17, 0}, {4095, 8, 0},  {2048, 8, 0},
		{131072, 8, 0}, {4096, 8, 8},  {0, 8, 0},     {4096, 8, 4096},
		{4096, 0, 0},	{4096, 8, 17}, {5000, 8, 16},
	};
	struct zs_class_table table;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(zs_class_table_init(&table, bad[i][0], bad[i][1], bad[i][2]),
				 -EINVAL);
		zs_class_table_finish(&table);
	}
}

static void fullness_of_exactly_ten_percent_is_group_two(void **state)
{
	assert_int_equal(zs_fullness_group(0, 10), 0);
	assert_int_equal(zs_fullness_group(1, 11), 1);
	assert_int_equal(zs_fullness_group(1, 10), 2);
	assert_int_equal(zs_fullness_group(9, 10), 10);
	assert_int_equal(zs_fullness_group(127, 128), 10);
	assert_int_equal(zs_fullness_group(128, 128), 11);
	assert_int_equal(zs_fullness_group(1, 1), 11);
}

static void fullness_without_a_division_is_the_same(void **state)
{
	for (unsigned objs = 1; objs <= 2048; objs++) {
		for (unsigned inuse = 0; inuse <= objs; inuse++) {
			if (zs_fullness_group_scaled(inuse, objs, zs_fullness_scale(objs)) !=
			    zs_fullness_group(inuse, objs))
				fail_msg("%u of %u objects", inuse, objs);
		}
	}
}

/* Columns: the header of the file, as the README beside it has it. */
static void check_row(const struct zs_class_table *table, unsigned i, const char *line)
{
	const struct zs_class_geometry *c = &table->classes[i];
	unsigned v[11];

	assert_int_equal(sscanf(line, "%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u", &v[0], &v[1], &v[2],
				&v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10]),
			 11);
	assert_int_equal(c->index, v[0]);
	assert_int_equal(c->size, v[1]);
	assert_int_equal(c->objs, v[2]);
	assert_int_equal(c->pages, v[3]);
	assert_int_equal(c->wasted, v[4]);
	assert_int_equal(c->raw_lo, v[5]);
	assert_int_equal(c->raw_hi, v[6]);
	assert_int_equal(c->request_lo, v[7]);
	assert_int_equal(c->request_hi, v[8]);
	assert_int_equal(c->huge, v[9]);
	assert_int_equal(c->straddling, v[10]);
}

static void tables_equal_the_recorded_ones_in_every_row(void **state)
{
	static const unsigned chains[] = {4, 8, 16};
	const char *dir = getenv("ZSWAPSIM_VECTORS");

	for (int i = 0; i < 3; i++) {
		struct zs_class_table table;
		char path[512], line[256];
		unsigned rows = 0;
		FILE *f;

		snprintf(path, sizeof(path), "%s/zsmalloc-classes-%u.csv", dir ? dir : ".",
			 chains[i]);
		f = fopen(path, "r");
		if (!f) {
			print_message("# SKIP no %s\n", path);
			skip();
		}
		table = table_of(4096, chains[i], 0);
		assert_non_null(fgets(line, sizeof(line), f));
		while (fgets(line, sizeof(line), f)) {
			assert_true(rows < table.nr);
			check_row(&table, rows++, line);
		}
		assert_int_equal(rows, table.nr);
		zs_class_table_finish(&table);
		fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_sizes_4_8_16_have_69_119_192_classes),
		cmocka_unit_test(chain_size_8_has_the_classes_of_the_specification),
		cmocka_unit_test(each_payload_goes_to_the_smallest_class_that_holds_it),
		cmocka_unit_test(pages_of_16k_have_121_classes_at_delta_64_and_264_at_16),
		cmocka_unit_test(tables_that_no_kernel_has_are_refused),
		cmocka_unit_test(fullness_of_exactly_ten_percent_is_group_two),
		cmocka_unit_test(fullness_without_a_division_is_the_same),
		cmocka_unit_test(tables_equal_the_recorded_ones_in_every_row),
	};

	return cmocka_run_group_tests_name("zs_class", tests, NULL, NULL);
}
