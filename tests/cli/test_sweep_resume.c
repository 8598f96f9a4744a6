// SPDX-License-Identifier: GPL-2.0-or-later
/* Sweeps that were killed, spread, or met each other. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/cli/sweep_rig.h"

#define NR_ROWS	 12
#define NR_KILLS 20

static const char *trace, *ini;
static uint64_t whole_ns; /* what the sweep takes when nobody kills it */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#define RUN(...)                                                                                   \
	do {                                                                                       \
		struct cli_result done = run("sweep", __VA_ARGS__);                                \
                                                                                                   \
		assert_status(&done, 0);                                                           \
		cli_free(&done);                                                                   \
	} while (0)

#define REFUSED(word, ...)                                                                         \
	do {                                                                                       \
		struct cli_result refused = run("sweep", __VA_ARGS__);                             \
                                                                                                   \
		assert_refused(&refused, word);                                                    \
		cli_free(&refused);                                                                \
	} while (0)

/* whole.csv and whole.json are of one that was left alone. */
static int setup(void **state)
{
	uint64_t start;

	if (cli_tmpdir_setup(state))
		return -1;
	trace = make_trace(state, "half.bin", "60");
	ini = write_file(state, "s.ini",
			 "totalram = 1M\nzswap.max_pool_percent = 5, 100\n"
			 "zsmalloc.chain_size = 4..6\nkernel = 6.12, 7.3\n");
	start = now();
	RUN("-j", "2", "-o", cli_path(state, "whole"), trace, ini);
	whole_ns = now() - start;
	return 0;
}

static void expect_whole(void **state, const char *base)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.csv", base);
	assert_same_files(cli_path(state, name), cli_path(state, "whole.csv"));
	snprintf(name, sizeof(name), "%s.json", base);
	assert_same_files(cli_path(state, name), cli_path(state, "whole.json"));
}

static void remove_lengths(void **state)
{
	glob_t found;

	if (glob(cli_path(state, "half.bin.*"), 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
}

/* Lines of a journal that are rows. */
static unsigned nr_rows(const char *path)
{
	char *text = access(path, F_OK) ? strdup("") : read_file(path);
	unsigned nr = 0;

	for (const char *c = text; *c; c++)
		nr += *c == '\n';
	free(text);
	return nr ? nr - 1 : 0;
}

/* ---- killed ---- */

/* It can still be waited for. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* Whether it was killed, and had not ended by itself. */
static bool kill_after(pid_t pid, uint64_t ns)
{
	const struct timespec pause = {ns / 1000000000u, ns % 1000000000u};

	nanosleep(&pause, NULL);
	kill(pid, SIGKILL);
	return wait_for_program(pid) == 128 + SIGKILL;
}

/* As soon as it has more than @rows. Whether it was killed, and had not ended by itself. */
static bool kill_at_next_row(pid_t pid, const char *journal, unsigned rows)
{
	const struct timespec pause = {.tv_nsec = 200000};

	while (nr_rows(journal) <= rows && !has_ended(pid))
		nanosleep(&pause, NULL);
	kill(pid, SIGKILL);
	return wait_for_program(pid) == 128 + SIGKILL;
}

static void one_that_was_killed_ends_with_the_same_bytes(void **state)
{
	const char *base = cli_path(state, "killed"), *journal = cli_path(state, "killed.journal");
	const char *out = cli_path(state, "killed.txt");
	const char *const args[] = {"sweep", "-j", "2", "-o", base, trace, ini, NULL};
	unsigned kills = 0, in_between = 0;
	uint64_t longest = whole_ns;

	srand48(5);
	while (kills < NR_KILLS) {
		bool killed;

		unlink(journal);
		if (kills % 2) {
			killed = kill_at_next_row(start_program(out, args), journal,
						  lrand48() % (NR_ROWS - 1));
		} else {
			/* At any time, so in the compression pass as well. */
			remove_lengths(state);
			killed = kill_after(start_program(out, args),
					    (uint64_t)(drand48() * longest));
			/* The machine was faster than the first time. */
			if (!killed)
				longest = longest * 9 / 10;
		}
		if (!killed)
			continue;
		kills++;
		in_between += nr_rows(journal) > 0 && nr_rows(journal) < NR_ROWS;
		RUN("-j", "2", "-o", base, trace, ini);
		assert_int_equal(nr_rows(journal), NR_ROWS);
		expect_whole(state, "killed");
		unlink(cli_path(state, "killed.csv"));
		unlink(cli_path(state, "killed.json"));
	}
	print_message("# %u of %u kills came when some rows were done, and some not\n", in_between,
		      kills);
	assert_true(in_between > 0);
}

static void one_that_is_killed_again_and_again_gets_there(void **state)
{
	const char *base = cli_path(state, "again"), *journal = cli_path(state, "again.journal");
	const char *const args[] = {"sweep", "-o", base, trace, ini, NULL};
	const char *out = cli_path(state, "again.txt");
	unsigned rows = 0, kills = 0;

	for (bool killed = true; killed; kills += killed) {
		killed = kill_at_next_row(start_program(out, args), journal, rows);
		/* What was done stays done. */
		assert_true(nr_rows(journal) >= rows);
		rows = nr_rows(journal);
	}
	assert_true(kills > 0);
	assert_int_equal(rows, NR_ROWS);
	expect_whole(state, "again");
}

/* Writes of a row that were cut short, as by a machine that went down. */
static void a_torn_row_runs_again(void **state)
{
	const char *base = cli_path(state, "torn"), *journal = cli_path(state, "torn.journal");
	struct cli_result r;
	struct stat st;

	RUN("-o", base, trace, ini);
	assert_int_equal(stat(journal, &st), 0);
	assert_int_equal(truncate(journal, st.st_size - 100), 0);
	unlink(cli_path(state, "torn.json"));
	r = run("sweep", "-o", base, trace, ini);
	assert_status(&r, 0);
	assert_one_line(r.err);
	assert_non_null(strstr(r.err, "torn.journal: the last line, "));
	assert_non_null(strstr(r.err, "bytes, was not whole: that setting runs again"));
	cli_free(&r);
	expect_whole(state, "torn");
}

/* ---- whose journal it is ---- */

static void a_journal_of_another_sweep_is_refused(void **state)
{
	const char *base = cli_path(state, "whose");
	const char *other_trace = make_trace(state, "half2.bin", "61");
	char *before, *after;

	RUN("-o", base, trace, ini);
	before = read_file(cli_path(state, "whose.journal"));
	REFUSED("whose.journal: is the journal of another sweep: its hash is", "-o", base,
		other_trace, ini);
	REFUSED("is the journal of another sweep: its settings are others", "-o", base, trace,
		write_file(state, "s2.ini", "totalram = 1M\n"));
	after = read_file(cli_path(state, "whose.journal"));
	assert_string_equal(before, after);
	free(before);
	free(after);
	/* Other comments, and ranges in other words, are the same sweep. */
	RUN("-o", base, trace,
	    write_file(state, "s3.ini",
		       "totalram = 1M ; so little\nzswap.max_pool_percent = 5,\n 100\n"
		       "zsmalloc.chain_size = 4, 5, 6\n\nkernel = 6.12, 7.3\n"));
	expect_whole(state, "whose");
}

static void a_scenario_that_was_changed_is_another_sweep(void **state)
{
	const char *base = cli_path(state, "scene");
	const char *scenario = write_file(state, "scene-a.ini", "[zswap]\nmax_pool_percent = 5\n");
	char text[256];
	const char *file;

	snprintf(text, sizeof(text), "scenario = none, %s\n", scenario);
	file = write_file(state, "scene.ini", text);
	RUN("-o", base, trace, file);
	write_file(state, "scene-a.ini", "[zswap]\nmax_pool_percent = 6\n");
	REFUSED("scene-a.ini was another then", "-o", base, trace, file);
}

static void two_at_once_do_not_share_a_journal(void **state)
{
	const char *base = cli_path(state, "both"), *journal = cli_path(state, "both.journal");
	const char *const args[] = {"sweep", "-j", "1", "-o", base, trace, ini, NULL};
	const struct timespec pause = {0, 1000000};
	pid_t first = start_program(cli_path(state, "both.txt"), args);

	while (!nr_rows(journal))
		nanosleep(&pause, NULL);
	assert_int_equal(kill(first, SIGSTOP), 0);
	REFUSED("both.journal: another sweep has this journal open", "-o", base, trace, ini);
	REFUSED("both.journal: another sweep has this journal open", "--merge", journal);
	assert_int_equal(kill(first, SIGCONT), 0);
	assert_int_equal(wait_for_program(first), 0);
	expect_whole(state, "both");
}

/* ---- no room ---- */

/* Runs it where no file may be larger than @bytes; 0: no limit. */
static int run_limited(const char *base, rlim_t bytes, const char *err)
{
	const char *program = getenv("ZSWAPSIM_BIN");
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		const struct rlimit limit = {bytes, bytes};
		int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 2);
		dup2(fd, 1);
		signal(SIGXFSZ, SIG_IGN);
		if (bytes && setrlimit(RLIMIT_FSIZE, &limit))
			_exit(50);
		execl(program, program, "sweep", "-j", "2", "-o", base, trace, ini, NULL);
		_exit(51);
	}
	return wait_for_program(pid);
}

static void a_journal_that_has_no_room_is_an_error_and_goes_on_later(void **state)
{
	const char *base = cli_path(state, "room"), *journal = cli_path(state, "room.journal");
	const char *err = cli_path(state, "room.err");
	unsigned rows = 0;
	struct stat whole;

	assert_int_equal(stat(cli_path(state, "whole.journal"), &whole), 0);
	for (unsigned quarter = 1; quarter <= 3; quarter++) {
		rlim_t bytes = whole.st_size * quarter / 4;
		char *text;
		struct cli_result r;

		assert_int_equal(run_limited(base, bytes, err), 2);
		text = read_file(err);
		assert_one_line(text);
		assert_non_null(strstr(text, "room.journal: File too large"));
		free(text);
		/* Not half a row is left; so it says nothing of one. */
		r = run("sweep", "--merge", journal);
		assert_refused(&r, "is not finished: setting");
		cli_free(&r);
		assert_true(nr_rows(journal) > rows);
		rows = nr_rows(journal);
	}
	assert_int_equal(access(cli_path(state, "room.csv"), F_OK), -1);
	assert_int_equal(run_limited(base, 0, err), 0);
	expect_whole(state, "room");
}

static void outputs_that_have_no_room_leave_what_was_there(void **state)
{
	const char *base = cli_path(state, "room2"), *err = cli_path(state, "room2.err");
	const char *json = write_file(state, "room2.json", "mine\n");
	char *text;
	struct stat st;
	rlim_t most;

	RUN("-o", base, trace, ini);
	assert_int_equal(stat(json, &st), 0);
	most = st.st_size - 1;
	write_file(state, "room2.json", "mine\n");
	assert_int_equal(run_limited(base, most, err), 2);
	text = read_file(err);
	assert_non_null(strstr(text, "room2.json: File too large"));
	free(text);
	text = read_file(json);
	assert_string_equal(text, "mine\n");
	free(text);
}

/* A disk that is really full, where one can be made. */
static void a_full_disk_is_an_error_and_the_sweep_goes_on_when_there_is_room(void **state)
{
	const char *dir = cli_path(state, "full"), *base = cli_path(state, "full/s");
	int status;
	pid_t pid;

	assert_int_equal(mkdir(dir, 0700), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const char *err = cli_path(state, "full.err");
		int first, second;

		/* Its own mounts: they end with it. */
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", dir, "tmpfs", 0, "size=16k"))
			_exit(77);
		first = run_limited(base, 0, err);
		if (first != 2 || !strstr(read_file(err), "s.journal: No space left on device"))
			_exit(1);
		if (mount("none", dir, "tmpfs", MS_REMOUNT, "size=8m"))
			_exit(2);
		second = run_limited(base, 0, err);
		if (second)
			_exit(3);
		expect_whole(state, "full/s");
		_exit(0);
	}
	status = wait_for_program(pid);
	if (status == 77) {
		print_message("# SKIP a file system cannot be mounted here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* ---- shards ---- */

static void run_shards(void **state, const char *base, unsigned nr, unsigned first)
{
	for (unsigned i = 0; i < nr; i++) {
		char shard[16];

		snprintf(shard, sizeof(shard), "%u/%u", (first + i) % nr + 1, nr);
		RUN("--shard", shard, "-o", cli_path(state, base), trace, ini);
	}
}

static const char *shard_path(void **state, const char *base, unsigned shard, unsigned nr)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%u-of-%u.shard", base, shard, nr);
	return cli_path(state, name);
}

static void joined_shards_are_the_whole(void **state)
{
	struct cli_result alone = run("sweep", "-o", cli_path(state, "whole"), trace, ini);

	assert_status(&alone, 0);
	for (unsigned nr = 1; nr <= 5; nr++) {
		const char *args[16] = {"sweep", "--merge", "-o"};
		struct cli_result r;
		char base[16];

		snprintf(base, sizeof(base), "of%u", nr);
		run_shards(state, base, nr, nr / 2);
		args[3] = cli_path(state, base);
		/* In any order. */
		for (unsigned i = 0; i < nr; i++)
			args[4 + i] = shard_path(state, base, nr - i, nr);
		r = cli_run(NULL, args);
		assert_status(&r, 0);
		assert_string_equal(r.out, alone.out);
		cli_free(&r);
		expect_whole(state, base);
		/* A shard writes nothing but its journal. */
		snprintf(base, sizeof(base), "of%u.journal", nr);
		assert_int_equal(access(cli_path(state, base), F_OK), -1);
	}
	cli_free(&alone);
}

static void shards_that_do_not_fit_together_are_refused(void **state)
{
	const char *a, *b, *c, *of2, *foreign, *half;
	struct stat st;

	run_shards(state, "part", 3, 0);
	a = shard_path(state, "part", 1, 3);
	b = shard_path(state, "part", 2, 3);
	c = shard_path(state, "part", 3, 3);
	REFUSED("--merge: shard 2/3 is missing", "--merge", a, c);
	REFUSED("is shard 1/3, as ", "--merge", a, b, a);
	RUN("--shard", "2/2", "-o", cli_path(state, "part"), trace, ini);
	of2 = shard_path(state, "part", 2, 2);
	REFUSED("is shard 2/2: others are of 3", "--merge", a, of2, c);
	RUN("--shard", "2/3", "-o", cli_path(state, "foreign"), trace,
	    write_file(state, "foreign.ini", "nodes = 1..12\n"));
	foreign = shard_path(state, "foreign", 2, 3);
	REFUSED("foreign.2-of-3.shard: is not of the sweep of ", "--merge", a, foreign, c);
	assert_int_equal(stat(c, &st), 0);
	assert_int_equal(truncate(c, st.st_size - 1), 0);
	REFUSED("shard 3/3 is not finished: setting", "--merge", a, b, c);
	REFUSED("half.bin: is no journal of a sweep", "--merge", a, b, trace);
	REFUSED("No such file", "--merge", a, b, "no-such.shard");
	half = write_file(state, "half.shard", "");
	REFUSED("half.shard: is no journal of a sweep: it is empty", "--merge", half);
	/* And a shard that is run once more completes itself. */
	RUN("--shard", "3/3", "-o", cli_path(state, "part"), trace, ini);
	RUN("--merge", "-o", cli_path(state, "part"), a, b, c);
	expect_whole(state, "part");
}

static void lengths_that_were_prepared_are_taken(void **state)
{
	struct cli_result r;

	remove_lengths(state);
	r = run("sweep", "--prepare", "-o", cli_path(state, "prep"), trace, ini);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "zstd zstd.params_hint=0 libzstd"));
	assert_non_null(strstr(r.out, "zstd zstd.params_hint=262144 libzstd"));
	assert_non_null(strstr(r.out, "60 pages, compressed now, in "));
	cli_free(&r);
	r = run("sweep", "--prepare", "-o", cli_path(state, "prep"), trace, ini);
	assert_status(&r, 0);
	assert_null(strstr(r.out, "compressed now"));
	assert_non_null(strstr(r.out, "were there, in "));
	cli_free(&r);
	assert_int_equal(access(cli_path(state, "prep.journal"), F_OK), -1);
}

/* The shards that wait for it would each compress the pages. */
static void lengths_that_cannot_be_kept_are_not_prepared(void **state)
{
	const char *other = make_trace(state, "unkept.bin", "60");
	char in_the_way[600];
	struct cli_result r;

	snprintf(in_the_way, sizeof(in_the_way), "%s.zstd.params_hint=262144.lengths", other);
	assert_int_equal(mkdir(in_the_way, 0700), 0);
	r = run("sweep", "--prepare", "-o", cli_path(state, "prep"), other, ini);
	assert_status(&r, 2);
	assert_non_null(strstr(r.err, "are not kept: "));
	assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
	cli_free(&r);
	assert_int_equal(rmdir(in_the_way), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_was_killed_ends_with_the_same_bytes),
		cmocka_unit_test(one_that_is_killed_again_and_again_gets_there),
		cmocka_unit_test(a_torn_row_runs_again),
		cmocka_unit_test(a_journal_of_another_sweep_is_refused),
		cmocka_unit_test(a_scenario_that_was_changed_is_another_sweep),
		cmocka_unit_test(two_at_once_do_not_share_a_journal),
		cmocka_unit_test(a_journal_that_has_no_room_is_an_error_and_goes_on_later),
		cmocka_unit_test(outputs_that_have_no_room_leave_what_was_there),
		cmocka_unit_test(a_full_disk_is_an_error_and_the_sweep_goes_on_when_there_is_room),
		cmocka_unit_test(joined_shards_are_the_whole),
		cmocka_unit_test(shards_that_do_not_fit_together_are_refused),
		cmocka_unit_test(lengths_that_were_prepared_are_taken),
		cmocka_unit_test(lengths_that_cannot_be_kept_are_not_prepared),
	};

	return cmocka_run_group_tests_name("cli_sweep_resume", tests, setup, cli_tmpdir_teardown);
}
