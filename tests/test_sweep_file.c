// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/sweep_file.h"
#include "tests/test.h"
#include "tests/text_file.h"

static struct trace_error err;

static struct sweep_file *read_text(const char *text)
{
	struct sweep_file *file = NULL;

	if (sweep_file_read(text_file("s.ini", text), &file, &err))
		fail_msg("%s", err.message);
	return file;
}

static void expect_rows(const char *text, const char *const *rows)
{
	struct sweep_file *file = read_text(text);
	uint32_t nr;

	for (nr = 0; rows[nr]; nr++) {
		char *row = sweep_file_row_text(file, nr, true);

		assert_non_null(row);
		assert_string_equal(row, rows[nr]);
		free(row);
	}
	assert_int_equal(file->nr_rows, nr);
	sweep_file_free(file);
}

#define EXPECT_ROWS(text, ...) expect_rows(text, (const char *const[]){__VA_ARGS__, NULL})

static void the_last_setting_changes_fastest(void **state)
{
	EXPECT_ROWS("zswap.max_pool_percent = 20, 5\n"
		    "kernel = 7.3\n"
		    "zsmalloc.chain_size = 4..6\n",
		    "zswap.max_pool_percent=20 kernel=7.3 zsmalloc.chain_size=4",
		    "zswap.max_pool_percent=20 kernel=7.3 zsmalloc.chain_size=5",
		    "zswap.max_pool_percent=20 kernel=7.3 zsmalloc.chain_size=6",
		    "zswap.max_pool_percent=5 kernel=7.3 zsmalloc.chain_size=4",
		    "zswap.max_pool_percent=5 kernel=7.3 zsmalloc.chain_size=5",
		    "zswap.max_pool_percent=5 kernel=7.3 zsmalloc.chain_size=6");
}

static void a_list_has_values_and_ranges_in_any_mixture(void **state)
{
	EXPECT_ROWS("zswap.max_pool_percent=5,10 , 20..50:10,99", "zswap.max_pool_percent=5",
		    "zswap.max_pool_percent=10", "zswap.max_pool_percent=20",
		    "zswap.max_pool_percent=30", "zswap.max_pool_percent=40",
		    "zswap.max_pool_percent=50", "zswap.max_pool_percent=99");
	/* A step may jump over the end. */
	EXPECT_ROWS("nodes = 1..6:4", "nodes=1", "nodes=5");
	EXPECT_ROWS("nodes = 3..3", "nodes=3");
	EXPECT_ROWS("totalram = 512M..2G:512M", "totalram=512M", "totalram=1G", "totalram=1536M",
		    "totalram=2G");
	EXPECT_ROWS("totalram = 64M..300M*2", "totalram=64M", "totalram=128M", "totalram=256M");
	EXPECT_ROWS("totalram = 4096..16384*4", "totalram=4096", "totalram=16384");
	/* The compressor is not looked for here; a codec's levels are a range behind its name. */
	EXPECT_ROWS("zswap.compressor = lz4, zstd:1..5:2", "zswap.compressor=lz4",
		    "zswap.compressor=zstd:1", "zswap.compressor=zstd:3",
		    "zswap.compressor=zstd:5");
	/* Dots alone are no range. */
	EXPECT_ROWS("scenario = ../a.ini, none", "scenario=../a.ini", "scenario=none");
}

static void a_list_goes_on_in_indented_lines(void **state)
{
	EXPECT_ROWS("\xef\xbb\xbf; a comment\n"
		    "zswap.max_pool_percent = 1, ; the first\n"
		    "\t2,\n"
		    "# in between\n"
		    "\n"
		    "    3, 4\r\n"
		    "nodes = 2",
		    "zswap.max_pool_percent=1 nodes=2", "zswap.max_pool_percent=2 nodes=2",
		    "zswap.max_pool_percent=3 nodes=2", "zswap.max_pool_percent=4 nodes=2");
}

static void the_preset_comes_first_wherever_it_stands(void **state)
{
	struct sweep_file *file = read_text("zsmalloc.chain_size = 5\nkernel = 6.12, 7.3\n");
	struct settings s;

	for (uint32_t row = 0; row < 2; row++) {
		sweep_file_settings(file, row, &s);
		assert_string_equal(s.profile.name, row ? "7.3" : "6.12");
		assert_int_equal(s.profile.zsmalloc.chain_size, 5);
	}
	sweep_file_free(file);
}

static void all_rows_have_other_settings_and_what_they_say(void **state)
{
	struct sweep_file *file = read_text("kernel = 6.8, 7.4\n"
					    "zswap.max_pool_percent = 1..20:3\n"
					    "nodes = 4, 2\n"
					    "zswap.shrinker_enabled = 0, 1\n");
	uint32_t row = 0;
	struct settings s;

	assert_int_equal(file->nr_rows, 2 * 7 * 2 * 2);
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		for (unsigned percent = 1; percent <= 19; percent += 3) {
			for (unsigned nodes = 4; nodes >= 2; nodes -= 2) {
				for (unsigned shrinker = 0; shrinker < 2; shrinker++) {
					sweep_file_settings(file, row++, &s);
					assert_string_equal(s.profile.name, kernel ? "7.4" : "6.8");
					assert_int_equal(s.replay.max_pool_percent, percent);
					assert_int_equal(s.replay.nr_nodes, nodes);
					assert_int_equal(s.replay.shrinker_enabled, shrinker);
				}
			}
		}
	}
	assert_int_equal(row, file->nr_rows);
	sweep_file_free(file);
}

static void only_what_is_swept_is_in_the_short_text(void **state)
{
	struct sweep_file *file = read_text("kernel = 7.3\nnodes = 1, 2\n");
	char *row = sweep_file_row_text(file, 1, false);

	assert_string_equal(row, "nodes=2");
	free(row);
	sweep_file_free(file);
}

static void two_files_that_say_the_same_have_one_text(void **state)
{
	struct sweep_file *a = read_text("; one\nzswap.max_pool_percent = 5..7\nkernel=7.3"),
			  *b = read_text("zswap.max_pool_percent=5,\n\t6, 7\n\nkernel = 7.3\n"),
			  *c = read_text("kernel=7.3\nzswap.max_pool_percent = 5..7"), *again;

	assert_string_equal(a->text, b->text);
	assert_string_not_equal(a->text, c->text);
	assert_int_equal(sweep_file_parse("again", a->text, &again, &err), 0);
	assert_string_equal(again->text, a->text);
	assert_int_equal(again->nr_rows, a->nr_rows);
	sweep_file_free(a);
	sweep_file_free(b);
	sweep_file_free(c);
	sweep_file_free(again);
}

/* Every shard has its part, every row one shard, and no shard one value of the last setting only.
 */
static void shards_are_balanced_and_hold_every_row_once(void **state)
{
	for (uint32_t nr_shards = 1; nr_shards <= 9; nr_shards++) {
		for (uint32_t rows = 1; rows <= 64; rows += 7) {
			uint32_t min = UINT32_MAX, max = 0, all = 0;

			for (uint32_t shard = 1; shard <= nr_shards; shard++) {
				uint32_t nr = 0;

				for (uint32_t row = 0; row < rows; row++)
					nr += sweep_in_shard(row, shard, nr_shards);
				min = nr < min ? nr : min;
				max = nr > max ? nr : max;
				all += nr;
			}
			assert_int_equal(all, rows);
			assert_true(max - min <= 1);
		}
	}
	for (uint32_t shard = 1; shard <= 4; shard++) {
		unsigned seen = 0;

		for (uint32_t row = 0; row < 16; row++)
			seen |= sweep_in_shard(row, shard, 4) << row % 4;
		assert_int_equal(seen, 0xf);
	}
}

static void whatever_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *cause;
		unsigned line;
	} bad[] = {
		{"", "the file says nothing", 1},
		{"\n; nothing\n\n", "the file says nothing", 3},
		{"nodes\n", "not KEY = VALUE", 1},
		{"nodes = 1\n= 5\n", "unknown key ''", 2},
		{"rainbow = 1\n", "'rainbow'; 'zswapsim sweep --keys' lists", 1},
		{"nodes =\n", "nodes: a value is missing", 1},
		{"nodes = 1,,2\n", "nodes: a value is missing", 1},
		{"nodes = ,1\n", "nodes: a value is missing", 1},
		{"\nnodes = 1,\nkernel = 7.3\n", "the list of nodes ends in a comma", 2},
		{"nodes = 1,\n", "the list of nodes ends in a comma", 1},
		{"nodes = 1\n 2\n", "the line before does not end in a comma", 2},
		{" nodes = 1\n", "there is none before it", 1},
		{"[zswap]\nmax_pool_percent = 1\n", "a sweep has no sections", 1},
		{"nodes: 1\n", "a ':' before the '='", 1},
		{"nodes = 1\nmax_pool_percent = 5\n", "did you mean zswap.max_pool_percent?", 2},
		{"nodes = 1\n\nnodes = 2\n", "nodes is there already, in line 1", 3},
		{"nodes = 1, 2,\n 1\n", "nodes has the value 1 a second time (line 1 has it)", 2},
		{"nodes = 1..4, 3\n", "nodes has the value 3 a second time", 1},
		{"totalram = 1G, 1024M\n", "has the value 1024M a second time", 1},
		{"nodes = 1, 65\n", "nodes=65: not a number from 1 to 64", 1},
		{"nodes = 60..70\n", "nodes=65: not a number from 1 to 64", 1},
		{"kernel = 7.3, 5.4\n", "unknown kernel '5.4'", 1},
		{"kernel = 6.8..7.3\n", "unknown kernel '6.8..7.3'", 1},
		{"zsmalloc.read = sg, dma\n", "zsmalloc.read=dma: the values are", 1},
		{"nodes = 4..2\n", "4..2: the range ends before it begins", 1},
		{"nodes = 2..4:0\n", "2..4:0: the step is 0", 1},
		{"nodes = 2..4*1\n", "2..4*1: a factor is 2 or more", 1},
		{"nodes = 0..4*2\n", "0..4*2: a factor is 2 or more, and the first value not 0", 1},
		{"nodes = 2..\n", "2..: not a range", 1},
		{"nodes = 2...4\n", "2...4: not a range", 1},
		{"nodes = 2..4:x\n", "2..4:x: not a range", 1},
		{"nodes = 2..4*2K\n", "2..4*2K: not a range", 1},
		{"nodes = 1..99999999999999999999\n", "a number is too large", 1},
		{"totalram = 1G..99999999999T\n", "a number is too large", 1},
		{"nodes = \x1b[31m\n", "nodes=?[31m: not a number", 1},
		{"zsmalloc.read = s\rg\x7f\n", "zsmalloc.read=s?g?: the values are", 1},
		{"totalram = 1M..2T:4K\n", "totalram has more than 10000 values", 1},
		{"zswap.max_pool_percent = 0..99\nzswap.accept_threshold_percent = 0..99\n\n"
		 "zsmalloc.chain_size = 4..14\n",
		 "with zsmalloc.chain_size the product has more than 100000 settings", 4},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sweep_file *file = NULL;
		char where[32];

		assert_true(sweep_file_read(text_file("bad.ini", bad[i].text), &file, &err) < 0);
		assert_null(file);
		snprintf(where, sizeof(where), "bad.ini:%u: ", bad[i].line);
		if (!strstr(err.message, where) || !strstr(err.message, bad[i].cause))
			fail_msg("'%s': '%s', not '%s%s'", bad[i].text, err.message, where,
				 bad[i].cause);
		assert_null(strchr(err.message, '\n'));
	}
}

static void as_many_settings_as_there_may_be(void **state)
{
	struct sweep_file *file =
		read_text("zswap.max_pool_percent = 0..99\nzswap.accept_threshold_percent = 0..99\n"
			  "zsmalloc.chain_size = 4..13\n");
	struct settings s;

	assert_int_equal(file->nr_rows, SWEEP_MAX_ROWS);
	sweep_file_settings(file, SWEEP_MAX_ROWS - 1, &s);
	assert_int_equal(s.replay.max_pool_percent, 99);
	assert_int_equal(s.replay.accept_threshold_percent, 99);
	assert_int_equal(s.profile.zsmalloc.chain_size, 13);
	sweep_file_free(file);
}

static void files_that_are_none_are_refused(void **state)
{
	struct sweep_file *file = NULL;

	assert_int_equal(sweep_file_read(text_path("absent.ini"), &file, &err), -ENOENT);
	assert_non_null(strstr(err.message, "absent.ini: No such file"));
	assert_int_equal(sweep_file_read("/", &file, &err), -EISDIR);
	assert_int_equal(sweep_file_read(bytes_file("nul.ini", "nodes = 1\0\n", 11), &file, &err),
			 -EINVAL);
	assert_non_null(strstr(err.message, "NUL"));
	assert_int_equal(sweep_file_read("/dev/zero", &file, &err), -EINVAL);
	assert_non_null(strstr(err.message, "larger than"));
	assert_null(file);
}

static void a_long_line_is_refused_and_not_cut(void **state)
{
	struct sweep_file *file = NULL;
	char text[400] = "nodes = 1 ; ";

	memset(text + strlen(text), 'x', 300);
	assert_int_equal(sweep_file_read(text_file("long.ini", text), &file, &err), -EINVAL);
	assert_non_null(strstr(err.message, "long.ini:1: the line is longer than 198 characters"));
}

static void what_values_name_is_looked_for(void **state)
{
	const struct crypto_registry *crypto = backends_registry();
	struct sweep_file *file = read_text("kernel = 7.3\n\nzswap.compressor = zstd,\n  snappy\n");

	assert_int_equal(sweep_file_check(file, crypto, &err), -EINVAL);
	assert_non_null(strstr(err.message, "s.ini:4: zswap.compressor=snappy: there is no"));
	sweep_file_free(file);
	file = read_text("scenario = none, no-such.ini\nnodes = 1, 2\n");
	assert_true(sweep_file_check(file, crypto, &err) < 0);
	assert_non_null(strstr(err.message, "s.ini:1: scenario=no-such.ini: "));
	sweep_file_free(file);
	file = read_text("policy = kernel, lru, guesswork\n");
	assert_true(sweep_file_check(file, crypto, &err) < 0);
	assert_non_null(strstr(err.message, "s.ini:1: "));
	assert_non_null(strstr(err.message, "guesswork"));
	sweep_file_free(file);
	file = read_text("zswap.compressor = zstd, lz4, zstd:1..2\nnodes = 1, 2\n");
	assert_int_equal(sweep_file_check(file, crypto, &err), 0);
	sweep_file_free(file);
	/* Level 3 is the one that goes without saying. */
	file = read_text("nodes = 1\nzswap.compressor = zstd, lz4,\n zstd:3\n");
	assert_int_equal(sweep_file_check(file, crypto, &err), -EINVAL);
	assert_non_null(strstr(err.message, "s.ini:3: zswap.compressor: zstd and zstd:3 are one"));
	sweep_file_free(file);
}

/* Each value is good, and one combination of them is not. */
static void settings_that_do_not_fit_together_are_found_before_a_run(void **state)
{
	const struct crypto_registry *crypto = backends_registry();
	struct sweep_file *file = read_text("compact.when = never,\n every:100..300:100\n"
					    "pool.allocator = zsmalloc, zbud\n");

	assert_int_equal(file->nr_rows, 8);
	assert_int_equal(sweep_file_check(file, crypto, &err), -EINVAL);
	assert_non_null(strstr(err.message, "s.ini:2: compact.when: only zsmalloc compacts, not "
					    "zbud (setting 4: compact.when=every:100 "
					    "pool.allocator=zbud)"));
	sweep_file_free(file);
	file = read_text("compact.when = never, fragmentation:10\npool.allocator = zsmalloc\n");
	assert_int_equal(sweep_file_check(file, crypto, &err), 0);
	sweep_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_setting_changes_fastest),
		cmocka_unit_test(a_list_has_values_and_ranges_in_any_mixture),
		cmocka_unit_test(a_list_goes_on_in_indented_lines),
		cmocka_unit_test(the_preset_comes_first_wherever_it_stands),
		cmocka_unit_test(all_rows_have_other_settings_and_what_they_say),
		cmocka_unit_test(only_what_is_swept_is_in_the_short_text),
		cmocka_unit_test(two_files_that_say_the_same_have_one_text),
		cmocka_unit_test(shards_are_balanced_and_hold_every_row_once),
		cmocka_unit_test(whatever_is_wrong_is_told_with_its_line),
		cmocka_unit_test(as_many_settings_as_there_may_be),
		cmocka_unit_test(files_that_are_none_are_refused),
		cmocka_unit_test(a_long_line_is_refused_and_not_cut),
		cmocka_unit_test(what_values_name_is_looked_for),
		cmocka_unit_test(settings_that_do_not_fit_together_are_found_before_a_run),
	};

	return cmocka_run_group_tests_name("sweep_file", tests, text_dir_create, text_dir_remove);
}
