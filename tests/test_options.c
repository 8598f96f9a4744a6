// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/options.h"
#include "tests/test.h"

struct parsed {
	struct options_kernel kernel;
	uint64_t number, size;
	const char *argument;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct parsed *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &p->kernel;
		return 0;
	case 'n':
		p->number = options_u64(state, "--number", arg, 3, 100);
		return 0;
	case 'z':
		p->size = options_size(state, "--size", arg, 4096, UINT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			return ARGP_ERR_UNKNOWN;
		p->argument = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"number", 'n', "N", 0, "a number", 0},
	{"size", 'z', "BYTES", 0, "a size", 0},
	{0},
};
static const struct argp_child children[] = {{.argp = &options_kernel_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse, .children = children};

#define MAX_ARGS 16

/* Parses "zswapsim test ARGS", ARGS being words with spaces between them. */
static int parse_words(const char *words, struct parsed *p)
{
	char *copy = strdup(words), *argv[MAX_ARGS] = {"zswapsim test"};
	int argc = 1, ret;

	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	memset(p, 0, sizeof(*p));
	ret = options_parse(&argp, argc, argv, p);
	free(copy);
	return ret;
}

/* The same in a process of its own, since an error may end it: its exit status, and its stderr. */
static int parse_apart(const char *words, char *err, size_t size)
{
	int fds[2], wstatus;
	struct parsed p;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		_exit(parse_words(words, &p));
	}
	close(fds[1]);
	for (size_t len = 0; (n = read(fds[0], err + len, size - 1 - len)) > 0; len += n)
		err[len + n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void check_refused(const char *words, const char *message)
{
	char err[2048] = "", line[1024];

	assert_int_equal(parse_apart(words, err, sizeof(err)), 2);
	snprintf(line, sizeof(line), "zswapsim test: %s", message);
	assert_memory_equal(err, line, strlen(line));
	/* One line. */
	assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

static void set_changes_the_preset_wherever_kernel_stands(void **state)
{
	struct parsed p;

	assert_int_equal(parse_words("--set zsmalloc.chain_size=16 --kernel 6.12", &p), 0);
	assert_string_equal(p.kernel.profile.name, "6.12");
	assert_int_equal(p.kernel.profile.zsmalloc.chain_size, 16);
	assert_int_equal(p.kernel.profile.zstd.api, ZSTD_API_SCOMP);
	assert_true(p.kernel.profile.changed);
	assert_int_equal(parse_words("", &p), 0);
	assert_string_equal(p.kernel.profile.name, PROFILE_DEFAULT);
	assert_false(p.kernel.profile.changed);
	/* The last of two wins. */
	assert_int_equal(parse_words("-s zsmalloc.chain_size=5 -s zsmalloc.chain_size=6", &p), 0);
	assert_int_equal(p.kernel.profile.zsmalloc.chain_size, 6);
}

static void a_bad_profile_is_one_line(void **state)
{
	check_refused("--kernel 5.4", "--kernel: unknown kernel '5.4'; known:");
	check_refused("--set a.b=1", "--set: unknown key 'a.b'; known:");
	check_refused("--set zsmalloc.chain_size=3", "--set: zsmalloc.chain_size=3: not a number");
	check_refused("--set zstd.api", "--set: 'zstd.api' is not KEY=VALUE");
}

static void numbers_out_of_range_are_one_line(void **state)
{
	struct parsed p;

	assert_int_equal(parse_words("-n 3 -z 4K", &p), 0);
	assert_int_equal(p.number, 3);
	assert_int_equal(p.size, 4096);
	check_refused("-n 2", "--number '2': not a number from 3 to 100\n");
	check_refused("-n 101", "--number '101': not a number from 3 to 100\n");
	check_refused("--number=x", "--number 'x': not a number from 3 to 100\n");
	check_refused("-z 4095", "--size '4095': not a number of bytes from 4096 to ");
}

static void what_getopt_and_argp_refuse_is_one_line(void **state)
{
	check_refused("--nonsense", "unrecognized option '--nonsense'\n");
	check_refused("--number", "option '--number' requires an argument\n");
	check_refused("-n", "option requires an argument -- 'n'\n");
	check_refused("one two", "unexpected argument 'two'\n");
	check_refused("one --number 5 two three", "unexpected argument 'two'\n");
}

static void only_digits_are_a_number(void **state)
{
	static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x10", "1e3", "1.5", "K"};
	uint64_t v;

	assert_int_equal(options_read_u64("0", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(options_read_u64("18446744073709551615", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(options_read_u64("18446744073709551616", &v), -ERANGE);
	assert_int_equal(options_read_u64("1K", &v), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(options_read_u64(bad[i], &v), -EINVAL);
		assert_int_equal(options_read_size(bad[i], &v), -EINVAL);
	}
}

static void a_size_may_have_a_suffix(void **state)
{
	uint64_t v;

	assert_int_equal(options_read_size("5", &v), 0);
	assert_int_equal(v, 5);
	assert_int_equal(options_read_size("3K", &v), 0);
	assert_int_equal(v, 3 << 10);
	assert_int_equal(options_read_size("3M", &v), 0);
	assert_int_equal(v, 3 << 20);
	assert_int_equal(options_read_size("7G", &v), 0);
	assert_true(v == 7ull << 30);
	assert_int_equal(options_read_size("16777215T", &v), 0);
	assert_true(v == 16777215ull << 40);
	assert_int_equal(options_read_size("16777216T", &v), -ERANGE);
	assert_int_equal(options_read_size("1KB", &v), -EINVAL);
	assert_int_equal(options_read_size("1k", &v), -EINVAL);
}

static void a_command_line_is_quoted_so_that_it_can_be_typed_again(void **state)
{
	char *argv[] = {"zswapsim replay", "a b", "it's", "", "--set=zstd.api=scomp", "x;y"};
	char *line = options_command_line(6, argv);

	assert_string_equal(line, "zswapsim replay 'a b' 'it'\\''s' '' --set=zstd.api=scomp 'x;y'");
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_changes_the_preset_wherever_kernel_stands),
		cmocka_unit_test(a_bad_profile_is_one_line),
		cmocka_unit_test(numbers_out_of_range_are_one_line),
		cmocka_unit_test(what_getopt_and_argp_refuse_is_one_line),
		cmocka_unit_test(only_digits_are_a_number),
		cmocka_unit_test(a_size_may_have_a_suffix),
		cmocka_unit_test(a_command_line_is_quoted_so_that_it_can_be_typed_again),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
