// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "sim/zs_class.h"
#include "tests/cli/cli.h"

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void the_table_can_be_pasted_into_a_commit_message(void **state)
{
	static const char *const chains[] = {"4", "8", "16"};
	static const char *const sizes[] = {"4K", "64K"};

	for (int i = 0; i < 6; i++) {
		struct cli_result r =
			run("classes", "--chain-size", chains[i % 3], "--page-size", sizes[i / 3]);
		size_t width = 0;

		assert_status(&r, 0);
		for (const char *c = r.out; *c; c++) {
			assert_true(*c == '\n' || isprint((unsigned char)*c));
			width = *c == '\n' ? 0 : width + 1;
			assert_true(width < 80);
			assert_false(*c == ' ' && c[1] == '\n');
		}
		cli_free(&r);
	}
}

static void the_default_is_chain_size_8_with_119_classes(void **state)
{
	struct cli_result r = run("classes");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "pages of 4096 bytes, chain size 8, class delta 16\n"
				      "119 classes; payloads from 3625 bytes"));
	assert_non_null(strstr(
		r.out, "\n  225   3632          9           8     80  3577-3624             7\n"));
	assert_int_equal(count(r.out, " huge\n"), 1);
	assert_int_equal(count(r.out, "\n"), 119 + 5);
	cli_free(&r);
}

static void json_has_every_class_as_the_table_has_it(void **state)
{
	struct cli_result r = run("classes", "--chain-size=16", "--json");
	json_t *root = json_loads(r.out, 0, NULL), *classes;
	struct zs_class_table table;

	assert_status(&r, 0);
	assert_int_equal(zs_class_table_init(&table, 4096, 16, 0), 0);
	assert_int_equal(json_integer_value(json_object_get(root, "schema_version")), 1);
	assert_int_equal(json_integer_value(json_object_get(root, "huge_class_size_bytes")), 3833);
	classes = json_object_get(root, "classes");
	assert_int_equal(json_array_size(classes), table.nr);
	for (unsigned i = 0; i < table.nr; i++) {
		const struct zs_class_geometry *c = &table.classes[i];
		json_int_t index, size, objs, pages, lo, hi;

		assert_int_equal(json_unpack(json_array_get(classes, i),
					     "{s:I, s:I, s:I, s:I, s:I, s:I}", "index", &index,
					     "size_bytes", &size, "objs_per_zspage", &objs,
					     "zspage_pages", &pages, "payload_min_bytes", &lo,
					     "payload_max_bytes", &hi),
				 0);
		assert_int_equal(index, c->index);
		assert_int_equal(size, c->size);
		assert_int_equal(objs, c->objs);
		assert_int_equal(pages, c->pages);
		assert_int_equal(lo, c->request_lo);
		assert_int_equal(hi, c->request_hi);
	}
	zs_class_table_finish(&table);
	json_decref(root);
	cli_free(&r);
}

/* cases.md C11 */
static void pages_of_16k_are_a_table_of_their_own(void **state)
{
	struct cli_result r = run("classes", "--page-size=16384", "--class-delta=16");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "264 classes"));
	assert_non_null(strstr(r.out, "   1072         61           4    144  "));
	cli_free(&r);
	r = run("classes", "--page-size=16K");
	assert_non_null(strstr(r.out, "class delta 64\n121 classes; payloads from 14553 bytes"));
	cli_free(&r);
}

static void what_no_kernel_has_is_refused_in_one_line(void **state)
{
	static const char *const bad[][2] = {
		{"--chain-size=3", "4"},    {"--chain-size=17", "16"},
		{"--chain-size=x", "x"},    {"--page-size=5000", "5000"},
		{"--page-size=2K", "2K"},   {"--page-size=128K", "128K"},
		{"--class-delta=17", "17"}, {"--class-delta=0", "0"},
		{"--nonsense", "nonsense"}, {"argument", "argument"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cli_result r = run("classes", bad[i][0]);

		assert_refused(&r, bad[i][1]);
		cli_free(&r);
	}
}

static void help_has_examples(void **state)
{
	struct cli_result r = run("classes", "--help");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "Examples:"));
	assert_non_null(strstr(r.out, "zswapsim classes --chain-size 16"));
	cli_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_can_be_pasted_into_a_commit_message),
		cmocka_unit_test(the_default_is_chain_size_8_with_119_classes),
		cmocka_unit_test(json_has_every_class_as_the_table_has_it),
		cmocka_unit_test(pages_of_16k_are_a_table_of_their_own),
		cmocka_unit_test(what_no_kernel_has_is_refused_in_one_line),
		cmocka_unit_test(help_has_examples),
	};

	return cmocka_run_group_tests_name("cli_classes", tests, NULL, NULL);
}
