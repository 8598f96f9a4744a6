// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/cli/cli.h"

static bool exact(void)
{
	return !strcmp(ZSTD_versionString(), "1.5.4");
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static json_t *parse(const struct cli_result *r)
{
	json_t *root = json_loads(r->out, 0, NULL);

	if (!root)
		fail_msg("no JSON: %s", r->out);
	return root;
}

static int64_t number(const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);

	if (!json_is_integer(value))
		fail_msg("no number '%s'", key);
	return json_integer_value(value);
}

static const char *text(const json_t *root, const char *key)
{
	const char *value = json_string_value(json_object_get(root, key));

	if (!value)
		fail_msg("no string '%s'", key);
	return value;
}

/* ---- the command lines of docs/walk.md ---- */

/*
 * Runs @script in the folder of the test with the program as zswapsim, and checks that it says,
 * last of all, that quirk @id was met.
 */
static void check_script(void **state, const char *script, const char *id)
{
	static const char prelude[] = "set -e\nzswapsim() { \"$ZSWAPSIM_BIN\" \"$@\" >printed; }\n";
	const char *path = cli_path(state, "script"), *printed = cli_path(state, "printed");
	char *command, output[65536], wanted[16];
	size_t n;
	FILE *f;

	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%s", prelude, script);
	assert_int_equal(fclose(f), 0);
	assert_true(asprintf(&command, "cd '%s' && sh script", cli_path(state, ".")) > 0);
	if (system(command))
		fail_msg("failed: %s", script);
	free(command);
	f = fopen(printed, "r");
	assert_non_null(f);
	n = fread(output, 1, sizeof(output) - 1, f);
	fclose(f);
	output[n] = '\0';
	snprintf(wanted, sizeof(wanted), "  %-4s ", id);
	if (!strstr(output, wanted))
		fail_msg("%s is not met by %s", id, script);
}

/* The indented block at @at, in a buffer; *@at goes behind it. */
static void take_block(const char **at, char *block, size_t size)
{
	size_t n = 0;

	while (!strncmp(*at, "    ", 4)) {
		const char *end = strchr(*at, '\n') + 1;

		assert_true(n + (end - *at) < size);
		memcpy(block + n, *at, end - *at);
		n += end - *at;
		*at = end;
	}
	block[n] = '\0';
}

static bool block_is_of_one_request_a_line(const char *block)
{
	return !strstr(block, " -o ");
}

static void every_quirk_has_command_lines_in_the_manual_that_meet_it(void **state)
{
	static const char *const expected[] = {"Q1", "Q2",  "Q3",  "Q4",  "Q6", "Q8",
					       "Q9", "Q10", "Q12", "Q14", "Q15"};
	char *manual = cli_read_source("docs/walk.md"), block[4096], id[8];
	const char *at = strstr(manual, "## The quirks\n");
	unsigned nr = 0, lines = 0;

	assert_non_null(at);
	while (*at && strncmp(at, "### Those", 9)) {
		if (!strncmp(at, "### Q", 5)) {
			assert_int_equal(sscanf(at, "### %7s", id), 1);
			assert_true(nr < sizeof(expected) / sizeof(*expected));
			assert_string_equal(id, expected[nr++]);
		} else if (!strncmp(at, "    ", 4)) {
			take_block(&at, block, sizeof(block));
			if (!block_is_of_one_request_a_line(block)) {
				check_script(state, block, id);
				lines++;
				continue;
			}
			for (char *line = strtok(block, "\n"); line; line = strtok(NULL, "\n")) {
				check_script(state, line, id);
				lines++;
			}
			continue;
		}
		at = strchr(at, '\n') + 1;
	}
	assert_int_equal(nr, sizeof(expected) / sizeof(*expected));
	assert_true(lines >= nr);
	free(manual);
}

/* ---- what is printed ---- */

static void text_shows_the_states_and_what_the_callers_see(void **state)
{
	static const char *const lines[] = {
		"\n  C2   zstd_init_cstream: ",
		"\n  C3   next destination: a fragment of ",
		"\n  C8   zstd_flush_stream: ",
		"\n  C11  zstd_end_stream: 0 bytes in, 2 out; 1 left to flush, which is not looked "
		"at\n",
		"\n  C12  unlock it\n",
		"\npath     stream: the first source fragment is not slen\n",
		"\nresult   ret 0, dlen ",
		"\ninits    1, ",
		"\n         in a stream  4096 bytes, and no end of the frame, the right ones\n",
		"\nquirks   Q1   ",
		"\ncallers  zswap_store: stored, ",
		"from one page: -EIO, decompress_fail + 1; from an object over two pages: the page "
		"is back",
	};
	struct cli_result r =
		run("walk", "--op", "compress", "--src", "sg:2048,2048", "--dst", "sg:L-1");

	assert_status(&r, 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (!strstr(r.out, lines[i]))
			fail_msg("no \"%s\" in:\n%s", lines[i], r.out);
	}
	if (exact())
		assert_non_null(strstr(r.out, "\nresult   ret 0, dlen 2305\n"));
	cli_free(&r);
}

static void json_has_what_the_manual_lists(void **state)
{
	static const char *const keys[] = {
		"schema_version",
		"kernel",
		"libzstd",
		"op",
		"src",
		"dst",
		"data",
		"slen_bytes",
		"ret",
		"ret_name",
		"oops",
		"dlen_bytes",
		"path",
		"reason",
		"capacity_bytes",
		"frame_bytes",
		"libzstd_error",
		"cpuids",
		"quirks",
		"initialisations",
		"userspace",
		"linear",
		"callers",
		"output_crc32",
		"cpuids_counted",
		"steps",
	};
	char *manual = cli_read_source("docs/walk.md"), quoted[64];
	struct cli_result r = run("walk", "--json", "--op=compress", "--src=sg:2048,2048",
				  "--dst=sg:4096", "--data=text");
	json_t *root = parse(&r), *value;
	const char *key;

	assert_status(&r, 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!json_object_get(root, keys[i]))
			fail_msg("no key '%s'", keys[i]);
	}
	json_object_foreach(root, key, value)
	{
		snprintf(quoted, sizeof(quoted), "`%s`", key);
		if (strcmp(key, "schema_version") && !strstr(manual, quoted))
			fail_msg("docs/walk.md does not tell of '%s'", key);
	}
	assert_int_equal(number(root, "ret"), 0);
	assert_string_equal(text(root, "path"), "stream");
	assert_string_equal(text(root, "reason"), "source");
	assert_string_equal(
		text(json_array_get(json_object_get(root, "initialisations"), 0), "step"), "C2");
	json_decref(root);
	cli_free(&r);
	free(manual);
}

static void the_rewritten_loops_have_the_released_ones_beside_them(void **state)
{
	struct cli_result r = run("walk", "--json", "--set=zstd.stream_drain=yes", "--op=compress",
				  "--src=sg:2048,2048", "--dst=sg:1029,L-1036,4000");
	json_t *root = parse(&r), *released = json_object_get(root, "released");
	int64_t frame = number(root, "frame_bytes");

	assert_int_equal(number(root, "dlen_bytes"), frame);
	assert_int_equal(number(released, "dlen_bytes"), frame - 7);
	assert_int_equal(number(released, "ret"), 0);
	assert_string_equal(text(json_array_get(json_object_get(released, "quirks"), 0), "id"),
			    "Q1");
	json_decref(root);
	cli_free(&r);
	r = run("walk", "--set=zstd.stream_drain=yes", "--op=decompress", "--src=sg:1000,L-1001",
		"--dst=sg:4096");
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "\nresult   ret -EINVAL, dlen 0\n"));
	assert_non_null(strstr(r.out, "\nresult   ret 0, dlen 0\n"));
	cli_free(&r);
}

/* Cases C08 and C23's neighbours: what a page of so many random bytes becomes. */
static void pages_that_hardly_shrink_are_kept_raw_or_refused_by_kernel(void **state)
{
	static const struct {
		const char *kernel, *data, *outcome;
	} rows[] = {
		{"7.3", "random:3900", "stored"},
		{"7.3", "random:4090", "stored_raw"},
		{"6.12", "random:4090", "rejected"},
		{"6.12", "random:3900", "stored"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cli_result r =
			run("walk", "--json", "--kernel", rows[i].kernel, "--op", "compress",
			    "--src", "virt:4096", "--dst", "sg:4096", "--data", rows[i].data);
		json_t *root = parse(&r), *caller;
		bool fits = !strcmp(rows[i].outcome, "stored");

		caller = json_array_get(json_object_get(root, "callers"), 0);
		assert_string_equal(text(caller, "caller"), "zswap_store");
		assert_string_equal(text(caller, "outcome"), rows[i].outcome);
		assert_string_equal(text(root, "ret_name"), fits ? "0" : "-EINVAL");
		if (!strcmp(rows[i].outcome, "rejected"))
			assert_string_equal(text(caller, "counter"), "reject_compress_fail");
		json_decref(root);
		cli_free(&r);
	}
}

static void a_whole_request_is_stepped_where_that_can_be_done(void **state)
{
	struct cli_result r = run("walk", "--json", "--step", "--op", "decompress", "--size", "64",
				  "--src", "virt:L", "--dst", "virt:64");
	json_t *root;

	if (r.status) {
		assert_refused(&r, "--step: ");
	} else {
		root = parse(&r);
		assert_int_equal(number(root, "cpuids"), 4);
		assert_string_equal(text(root, "cpuids_counted"), "request_stepped");
		assert_in_range(number(root, "instructions"), 1000, 100000);
		assert_int_equal(json_array_size(json_object_get(root, "cpuid_leaves")), 4);
		json_decref(root);
	}
	cli_free(&r);
	r = run("walk", "--step", "--op", "compress", "--src", "virt:2M", "--dst", "virt:4096");
	assert_refused(&r, "--step: of slen and dlen at most 1048576 bytes");
	cli_free(&r);
}

/* ---- files ---- */

static void output_is_written_whole_for_its_owner_alone(void **state)
{
	const char *path = cli_path(state, "frame.zst");
	static char frame[8192], page[8192];
	struct cli_result r;
	struct stat st;
	size_t n;
	FILE *f;

	write_file(path, "old", 3);
	r = run("walk", "--op", "compress", "--src", "sg:2048,2048", "--dst", "sg:4096", "-o",
		path);
	assert_status(&r, 0);
	cli_free(&r);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	f = fopen(path, "r");
	n = fread(frame, 1, sizeof(frame), f);
	fclose(f);
	assert_int_equal(n, st.st_size);
	assert_int_equal(ZSTD_decompress(page, sizeof(page), frame, n), 4096);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal((uint8_t)page[i], (uint8_t)(i / 4 >> 8 * (i % 4)));

	/* Nothing came out: what was there stays. */
	r = run("walk", "--op", "compress", "--src", "sg:2048,2048", "--dst", "sg:100", "-o", path);
	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "not written"));
	cli_free(&r);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, n);

	r = run("walk", "--op", "compress", "--src", "virt:4096", "--dst", "virt:4096", "-o",
		cli_path(state, "no/such/folder"));
	assert_status(&r, 2);
	assert_one_line(r.err);
	cli_free(&r);
}

static void files_give_their_bytes_from_where_one_likes(void **state)
{
	const char *path = cli_path(state, "some data");
	char bytes[5000];
	struct cli_result r;
	json_t *root;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = i % 97;
	write_file(path, bytes, sizeof(bytes));
	r = run("walk", "--json", "--op", "compress", "--src", "virt:4000", "--dst", "virt:4096",
		"--data", path, "--skip", "1000");
	assert_status(&r, 0);
	root = parse(&r);
	assert_int_equal(number(root, "ret"), 0);
	json_decref(root);
	cli_free(&r);
	r = run("walk", "--op", "compress", "--src", "virt:4000", "--dst", "virt:4096", "--data",
		path, "--skip", "1001");
	assert_refused(&r,
		       "some data: offset 1001: 4000 bytes are wanted and 3999 are there; --pad");
	cli_free(&r);
	r = run("walk", "--op", "compress", "--src", "virt:4000", "--dst", "virt:4096", "--data",
		path, "--skip", "1001", "--pad");
	assert_status(&r, 0);
	cli_free(&r);
}

static void a_walk_past_a_list_is_told_as_the_oops_that_it_is(void **state)
{
	struct cli_result r = run("walk", "--op", "compress", "--src", "sg:1000", "--slen", "4096",
				  "--dst", "virt:4096");

	assert_status(&r, 0);
	assert_non_null(strstr(r.out, "past the end of the source's list: the kernel oopses\n"));
	assert_non_null(strstr(r.out, "\nresult   the kernel would oops"));
	assert_null(strstr(r.out, "callers"));
	cli_free(&r);
}

static void sides_of_64_mib_are_walked(void **state)
{
	struct cli_result r = run("walk", "--json", "--no-steps", "--op", "compress", "--src",
				  "folio:64M@4096", "--dst", "sg:32M,32M", "--data", "zero");
	json_t *root = parse(&r);

	assert_status(&r, 0);
	assert_int_equal(number(root, "ret"), 0);
	assert_string_equal(text(root, "path"), "stream");
	assert_true(json_is_true(json_object_get(
		json_object_get(json_object_get(root, "userspace"), "oneshot"), "whole")));
	json_decref(root);
	cli_free(&r);
}

/* ---- bad input ---- */

static void arguments_that_mean_nothing_are_one_line(void **state)
{
	static const char *const bad[][4] = {
		{"--src=virt:4096", "--dst=virt:4096", NULL, "--op"},
		{"--op=compress", "--dst=virt:4096", NULL, "--src is needed"},
		{"--op=compress", "--src=virt:4096", NULL, "--dst is needed"},
		{"--op=squeeze", NULL, NULL, "--op 'squeeze': not compress or decompress"},
		{"--op=compress", "--src=page:4096", NULL, "--src 'page:4096': not virt:BYTES"},
		{"--op=compress", "--src=sg:", NULL, "--src '': not a number of bytes"},
		{"--op=compress", "--src=sg:1,,2", NULL, "not a number of bytes"},
		{"--op=compress", "--src=sg:1,-2", NULL, "--src '-2': not a number of bytes"},
		{"--op=compress", "--src=sg:65M", NULL, "--src '65M': not a number of bytes"},
		{"--op=compress", "--src=virt:1,2", NULL, "only a list (sg:)"},
		{"--op=compress", "--src=folio:4096@x", NULL, "--src 'x': not an offset"},
		{"--op=compress", "--src=sg:LL", NULL, "--src 'LL'"},
		{"--op=compress", "--src=sg:L*2", NULL, "--src 'L*2'"},
		{"--seed=x", NULL, NULL, "--seed 'x': not a number"},
		{"--data=", NULL, NULL, "--data: a name is needed"},
		{"--size=L", NULL, NULL, "--size: L"},
		{"--frame-split=1,L", NULL, NULL, "--frame-split: L"},
		{"--nonsense", NULL, NULL, "nonsense"},
		{"argument", NULL, NULL, "argument"},
		{"--keep-going", NULL, NULL, "--keep-going: only with --batch"},
		{"--hex", NULL, NULL, "--hex: only with --json"},
		{"--warm=x", NULL, NULL, "--warm"},
		{"--batch=/no/such/file", NULL, NULL, "/no/such/file: No such file"},
		{"--batch=x", "-o", "out", "--output: in a batch"},
		{"--set=zstd.nonsense=1", NULL, NULL, "zstd.nonsense"},
		{"--pad=1", NULL, NULL, "pad"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *args[5] = {"walk"};
		struct cli_result r;

		for (unsigned k = 0; k < 3; k++)
			args[k + 1] = bad[i][k];
		r = cli_run(NULL, args);
		assert_refused(&r, bad[i][3]);
		cli_free(&r);
	}
}

static void requests_that_cannot_be_are_one_line(void **state)
{
	static const struct {
		const char *line, *word;
	} bad[] = {
		{"--op compress --src sg:L --dst virt:4096", "--src, --slen: L"},
		{"--op compress --src virt:100 --slen 101 --dst virt:4096",
		 "--slen 101: longer than the linear buffer of 100 bytes"},
		{"--op compress --src virt:100 --dst virt:9 --dlen 10", "--dlen 10: longer"},
		{"--op compress --src sg:40M,40M --dst virt:1", "--src: 83886080 bytes, more than"},
		{"--op compress --src virt:100 --dst sg:L-1000000", "--dst: -"},
		{"--op compress --src sg:0,0 --dst sg:L", "no frame can be made of these 0 bytes"},
		{"--op compress --src virt:4096 --dst virt:1 --frame x", "--frame: only for --op"},
		{"--op compress --src virt:4096 --dst virt:1 --frame-split 1",
		 "--frame-split: only"},
		{"--op compress --src virt:4096 --dst virt:1 --data /", "/: Is a directory"},
		{"--op compress --src virt:4096 --dst virt:1 --data /no/file", "/no/file: No such"},
		{"--op compress --src virt:4096 --dst virt:1 --data random:x", "random:x"},
		{"--op compress --src virt:4096 --dst virt:1 --data random:4097", "random:4097"},
		{"--op decompress --src virt:L+1 --dst virt:4096", "--pad"},
		{"--op decompress --src virt:L --dst virt:4096 --frame /", "/: Is a directory"},
		{"--op decompress --src virt:L --dst virt:1 --frame x --data y", "--frame takes"},
		{"--op decompress --src virt:L --dst virt:1 --size 5 --frame-split 2,2",
		 "--frame-split: 4 bytes, but --size is 5"},
		{"--op decompress --src virt:L --dst virt:1 --nonsense",
		 "not an option of a request"},
		{"--op decompress --src virt:L --dst", "--dst: its value is missing"},
		{"--op decompress --src virt:L --dst 'virt:1", "a ' that is not closed"},
		{"--op decompress --pad=1", "--pad has no value"},
		{"compress", "'compress': not an option of a request"},
		{"--op compress --src virt:4096 --dst virt:1 --kernel 6.12", "not an option of a"},
	};
	const char *path = cli_path(state, "batch");
	char where[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cli_result r;
		char *lines;

		assert_true(asprintf(&lines, "# nothing\n\n%s\n", bad[i].line) > 0);
		write_file(path, lines, strlen(lines));
		free(lines);
		r = run("walk", "--batch", path);
		assert_refused(&r, bad[i].word);
		snprintf(where, sizeof(where), "/batch:3: ");
		assert_non_null(strstr(r.err, where));
		cli_free(&r);
	}
}

static unsigned count(const char *s, char c)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static void a_batch_ends_at_a_bad_line_or_goes_on(void **state)
{
	static const char lines[] = "--dst virt:4096\n"
				    "--dst virt:oops\n"
				    "  # a comment\n"
				    "--dst sg:100,'100' --data \"random\" # another\n"
				    "--dst\tvirt:4097\r\n"
				    "--dst virt:1 \0 --seed 2\n"
				    "--dst virt:4098";
	const char *path = cli_path(state, "lines");
	struct cli_result r;
	json_t *root;
	char *line;

	write_file(path, lines, sizeof(lines) - 1);
	r = run("walk", "--op", "compress", "--src", "virt:4096", "--batch", path);
	assert_status(&r, 2);
	assert_one_line(r.err);
	assert_non_null(strstr(r.err, "/lines:2: --dst 'oops': not a number of bytes"));
	assert_int_equal(count(r.out, '\n'), 1);
	assert_int_equal(strncmp(r.out, "1: ret 0 dlen ", strlen("1: ret 0 dlen ")), 0);
	cli_free(&r);

	r = run("walk", "--op", "compress", "--src", "virt:4096", "--batch", path, "--keep-going");
	assert_status(&r, 2);
	assert_int_equal(count(r.err, '\n'), 2);
	assert_non_null(strstr(r.err, "/lines:6: a NUL byte at offset 13 of the line"));
	assert_int_equal(count(r.out, '\n'), 4);
	assert_non_null(strstr(r.out, "\n4: ret 0 dlen 200 stream "));
	assert_non_null(strstr(r.out, "\n7: ret 0 "));
	cli_free(&r);

	r = run("walk", "--json", "--op", "compress", "--src", "virt:4096", "--batch", path,
		"--keep-going");
	assert_status(&r, 2);
	assert_int_equal(count(r.out, '\n'), 6);
	line = strchr(r.out, '\n') + 1;
	*strchr(line, '\n') = '\0';
	root = json_loads(line, 0, NULL);
	assert_int_equal(number(root, "line"), 2);
	assert_non_null(strstr(text(root, "error"), "oops"));
	json_decref(root);
	cli_free(&r);
}

static void a_batch_of_nothing_is_nothing(void **state)
{
	struct cli_result r = run("walk", "--batch", "-");

	assert_status(&r, 0);
	assert_int_equal(r.out_size, 0);
	cli_free(&r);
	r = run("walk", "--batch", "/");
	assert_refused(&r, "/: line 1: Is a directory");
	cli_free(&r);
}

/* Case C13: what 1000 stores and 1000 loads execute, 200 of the loads of objects over two pages. */
static void a_batch_adds_up_to_the_cpuids_of_case_c13(void **state)
{
	static const struct {
		const char *options[2];
		unsigned cpuids, inits;
	} rows[] = {
		{{"--kernel", "7.3"}, 7600, 3800},
		{{"--kernel", "7.4"}, 4000, 2000},
		{{"--set", "zstd.cpuid=static"}, 0, 3800},
		{{"--kernel", "6.12"}, 0, 0},
	};
	const char *path = cli_path(state, "c13");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < 1000; i++)
		fprintf(f, "--op compress --src sg:4096 --dst sg:4096\n");
	for (unsigned i = 0; i < 1000; i++)
		fprintf(f, "--op decompress --dst sg:4096 --src sg:%s\n",
			i % 5 ? "L" : "1000,L-1000");
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cli_result r =
			run("walk", rows[i].options[0], rows[i].options[1], "--batch", path);
		unsigned cpuids = 0, inits = 0, one_cpuids, one_inits;
		char *line = r.out;

		assert_status(&r, 0);
		for (unsigned k = 0; k < 2000; k++, line = strchr(line, '\n') + 1) {
			assert_int_equal(sscanf(line, "%*u: ret 0 dlen %*u %*s inits %u cpuids %u",
						&one_inits, &one_cpuids),
					 2);
			inits += one_inits;
			cpuids += one_cpuids;
		}
		assert_int_equal(inits, rows[i].inits);
		/* None at all where they cannot be counted. */
		if (cpuids || !rows[i].cpuids)
			assert_int_equal(cpuids, rows[i].cpuids);
		else
			print_message("# CPUIDs cannot be counted here\n");
		cli_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_quirk_has_command_lines_in_the_manual_that_meet_it),
		cmocka_unit_test(text_shows_the_states_and_what_the_callers_see),
		cmocka_unit_test(json_has_what_the_manual_lists),
		cmocka_unit_test(the_rewritten_loops_have_the_released_ones_beside_them),
		cmocka_unit_test(pages_that_hardly_shrink_are_kept_raw_or_refused_by_kernel),
		cmocka_unit_test(a_whole_request_is_stepped_where_that_can_be_done),
		cmocka_unit_test(output_is_written_whole_for_its_owner_alone),
		cmocka_unit_test(files_give_their_bytes_from_where_one_likes),
		cmocka_unit_test(a_walk_past_a_list_is_told_as_the_oops_that_it_is),
		cmocka_unit_test(sides_of_64_mib_are_walked),
		cmocka_unit_test(arguments_that_mean_nothing_are_one_line),
		cmocka_unit_test(requests_that_cannot_be_are_one_line),
		cmocka_unit_test(a_batch_ends_at_a_bad_line_or_goes_on),
		cmocka_unit_test(a_batch_of_nothing_is_nothing),
		cmocka_unit_test(a_batch_adds_up_to_the_cpuids_of_case_c13),
	};

	return cmocka_run_group_tests_name("cli_walk", tests, cli_tmpdir_setup,
					   cli_tmpdir_teardown);
}
