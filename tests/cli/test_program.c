// SPDX-License-Identifier: GPL-2.0-or-later
/* What holds for the program as a whole: versions, help, unknown words, output that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/cli/cli.h"

static void version_names_the_libraries_that_are_loaded(void **state)
{
	static const char *const parts[] = {"zswapsim ",   "jemalloc ", "xxhash ", "jansson ",
					    "libarchive ", "compiler ", "build "};
	struct cli_result r = run("--version", NULL);
	char libzstd[64];

	assert_status(&r, 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		assert_non_null(strstr(r.out, parts[i]));
	snprintf(libzstd, sizeof(libzstd), "libzstd     %s\n", ZSTD_versionString());
	assert_non_null(strstr(r.out, libzstd));
	assert_int_equal(r.err_size, 0);
	cli_free(&r);
}

/* Calls @check with the words of each command that --help lists; @second is NULL if it has one. */
static void for_each_command(void (*check)(const char *first, const char *second, void *arg),
			     void *arg)
{
	struct cli_result r = run("--help", NULL);
	char *line, *end;
	unsigned nr = 0;

	assert_status(&r, 0);
	line = strstr(r.out, "Commands:\n");
	assert_non_null(line);
	for (line += strlen("Commands:\n"); *line != '\n'; line = end + 1) {
		char *name = line + 2, *space;

		end = strchr(line, '\n');
		/* What follows a name is two spaces away; the words of a name are one apart. */
		space = strstr(name, "  ");
		assert_true(space && space < end);
		*space = '\0';
		space = strchr(name, ' ');
		if (space)
			*space++ = '\0';
		check(name, space, arg);
		nr++;
	}
	assert_true(nr >= 2);
	cli_free(&r);
}

static void check_help(const char *first, const char *second, void *arg)
{
	struct cli_result help =
		second ? run(first, second, "--help", NULL) : run(first, "--help", NULL);

	assert_status(&help, 0);
	assert_non_null(strstr(help.out, "Usage: zswapsim "));
	assert_non_null(strstr(help.out, "Examples:\n  zswapsim "));
	assert_int_equal(help.err_size, 0);
	cli_free(&help);
}

static void every_command_has_help_with_an_example(void **state)
{
	for_each_command(check_help, NULL);
}

static void check_manual(const char *first, const char *second, void *manual)
{
	char item[128];

	snprintf(item, sizeof(item), "\n.It Cm %s%s%s\n", first, second ? " " : "",
		 second ? second : "");
	if (!strstr(manual, item))
		fail_msg("docs/zswapsim.1 has no '%s %s'", first, second ? second : "");
}

static void every_command_is_in_the_manual(void **state)
{
	char *manual = cli_read_source("docs/zswapsim.1");

	for_each_command(check_manual, manual);
	free(manual);
}

static void no_command_is_a_usage_error(void **state)
{
	struct cli_result r = run(NULL);

	assert_refused(&r, "--help");
	cli_free(&r);
}

static void an_unknown_command_is_refused_and_a_close_one_named(void **state)
{
	struct cli_result r = run("profles", NULL);

	assert_refused(&r, "did you mean 'profiles'?");
	cli_free(&r);
	r = run("xyzzy", "profiles", NULL);
	assert_refused(&r, "unknown command 'xyzzy'; 'zswapsim --help' lists them");
	cli_free(&r);
	r = run("", NULL);
	assert_refused(&r, "unknown command ''");
	cli_free(&r);
}

static void an_unknown_option_is_one_line(void **state)
{
	struct cli_result r = run("profiles", "--nonsense", NULL);

	assert_refused(&r, "zswapsim profiles: unrecognized option '--nonsense'");
	cli_free(&r);
	r = run("--nonsense", NULL);
	assert_refused(&r, "--nonsense");
	cli_free(&r);
}

static void an_argument_too_many_is_one_line(void **state)
{
	struct cli_result r = run("profiles", "7.3", NULL);

	assert_refused(&r, "zswapsim profiles: unexpected argument '7.3'");
	cli_free(&r);
}

static void output_that_cannot_be_written_fails(void **state)
{
	static const char *const args[][2] = {
		{"--version", NULL},	{"--help", NULL},	{"profiles", NULL},
		{"profiles", "--json"}, {"profiles", "--help"},
	};

	for (size_t i = 0; i < sizeof(args) / sizeof(*args); i++) {
		struct cli_result r = run_to("/dev/full", args[i][0], args[i][1], NULL);

		assert_refused(&r, "standard output: No space left on device");
		cli_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_names_the_libraries_that_are_loaded),
		cmocka_unit_test(every_command_has_help_with_an_example),
		cmocka_unit_test(every_command_is_in_the_manual),
		cmocka_unit_test(no_command_is_a_usage_error),
		cmocka_unit_test(an_unknown_command_is_refused_and_a_close_one_named),
		cmocka_unit_test(an_unknown_option_is_one_line),
		cmocka_unit_test(an_argument_too_many_is_one_line),
		cmocka_unit_test(output_that_cannot_be_written_fails),
	};

	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
