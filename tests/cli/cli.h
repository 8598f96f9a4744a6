/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the program that was built (its path is in the environment, ZSWAPSIM_BIN) and keeps what it
 * printed:
 *
 *	struct cli_result r = run("trace", "info", file, NULL);
 *
 *	assert_status(&r, 0);
 *	assert_non_null(strstr(r.out, "4096 pages"));
 *	cli_free(&r);
 */
#ifndef TESTS_CLI_CLI_H
#define TESTS_CLI_CLI_H

#include "tests/test.h"

struct cli_result {
	int status; /* exit status, or 128 + the signal that ended it */
	char *out;  /* standard output and error; a NUL follows */
	char *err;
	size_t out_size, err_size; /* bytes, without the NUL */
};

/* Arguments as strings, NULL at the end. Standard input is empty. */
#define run(...) cli_run(NULL, (const char *const[]){__VA_ARGS__, NULL})
/* The same with standard output to a file that exists ("/dev/full"); result.out is then empty. */
#define run_to(output, ...) cli_run(output, (const char *const[]){__VA_ARGS__, NULL})
struct cli_result cli_run(const char *output, const char *const *args);
void cli_free(struct cli_result *r);

/* Fails the test, with what was printed on stderr, if the exit status is another one. */
#define assert_status(r, expected) cli_assert_status(r, expected, __FILE__, __LINE__)
/* @text is exactly one line, with its newline. */
#define assert_one_line(text) cli_assert_one_line(text, __FILE__, __LINE__)
/* Bad input or usage: status 2, nothing on stdout, one line on stderr that contains @word. */
#define assert_refused(r, word) cli_assert_refused(r, word, __FILE__, __LINE__)

/*
 * A folder of the test's own: setup and teardown of a cmocka test or group. cli_path() gives a path
 * in it; the string is the test's until teardown.
 */
int cli_tmpdir_setup(void **state);
int cli_tmpdir_teardown(void **state);
const char *cli_path(void **state, const char *name);

/* The text of a file of the source tree ("docs/profiles.md"), to be freed. */
char *cli_read_source(const char *name);

void cli_assert_status(const struct cli_result *r, int expected, const char *file, int line);
void cli_assert_one_line(const char *text, const char *file, int line);
void cli_assert_refused(const struct cli_result *r, const char *word, const char *file, int line);

#endif
