// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/sweep_journal.h"
#include "tests/test.h"
#include "tests/text_file.h"

static struct trace_error err;

static json_t *make_header(const char *what)
{
	return json_pack("{s:s, s:{s:s}, s:s, s:i, s:s, s:{s:s}}", "sweep", what, "trace", "hash",
			 "abc", "program", "p", "rows", 9, "shard", "1/1", "files", "f.ini", "h");
}

static int open_at(const char *path, const char *what, struct sweep_journal **j)
{
	json_t *header = make_header(what);
	int ret = sweep_journal_open(path, header, j, &err);

	json_decref(header);
	return ret;
}

static struct sweep_journal *open_good(const char *path)
{
	struct sweep_journal *j = NULL;

	if (open_at(path, "s", &j))
		fail_msg("%s", err.message);
	return j;
}

static void add(struct sweep_journal *j, uint32_t row, const char *text)
{
	json_t *value = json_pack("{s:i, s:s}", "row", (int)row, "text", text);

	assert_int_equal(sweep_journal_add(j, row, value), 0);
	json_decref(value);
}

static void expect_row(const struct sweep_journal *j, uint32_t row, const char *text)
{
	json_t *value = sweep_journal_get(j, row);

	assert_non_null(value);
	assert_string_equal(json_string_value(json_object_get(value, "text")), text);
	json_decref(value);
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static char *contents(const char *path, size_t *size)
{
	FILE *in = fopen(path, "r");
	char *text;

	*size = size_of(path);
	text = malloc(*size + 1);
	assert_non_null(in);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *size, in), *size);
	fclose(in);
	text[*size] = '\0';
	return text;
}

/* A journal with rows 0, 4 and 8; its path. */
static const char *sample(const char *name)
{
	const char *path = text_path(name);
	struct sweep_journal *j = open_good(path);

	add(j, 4, "four");
	add(j, 0, "nought \"quoted\"\nand more");
	add(j, 8, "eight");
	sweep_journal_close(j);
	return path;
}

static void rows_are_there_when_it_is_opened_again(void **state)
{
	const char *path = sample("again.journal");
	struct sweep_journal *j = open_good(path);
	struct stat st;

	assert_int_equal(sweep_journal_nr(j), 3);
	assert_int_equal(sweep_journal_torn(j), 0);
	for (uint32_t row = 0; row < 9; row++)
		assert_int_equal(sweep_journal_has(j, row), row % 4 == 0);
	assert_false(sweep_journal_has(j, 9));
	assert_null(sweep_journal_get(j, 1));
	expect_row(j, 0, "nought \"quoted\"\nand more");
	add(j, 1, "one");
	expect_row(j, 1, "one");
	expect_row(j, 4, "four");
	expect_row(j, 8, "eight");
	sweep_journal_close(j);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

/* Wherever it was cut, what was whole is there, and the rest can be done again. */
static void a_journal_may_be_cut_anywhere(void **state)
{
	const char *path = sample("cut.journal");
	size_t size, header;
	char *text = contents(path, &size);

	header = strchr(text, '\n') + 1 - text;
	for (size_t cut = 0; cut < size; cut++) {
		struct sweep_journal *j;
		unsigned whole = 0;

		for (size_t i = header; i < cut; i++)
			whole += text[i] == '\n';
		j = open_good(bytes_file("cut2.journal", text, cut));
		assert_int_equal(sweep_journal_nr(j), whole);
		assert_int_equal(sweep_journal_torn(j) > 0, cut > header && text[cut - 1] != '\n');
		if (!sweep_journal_has(j, 4))
			add(j, 4, "again");
		sweep_journal_close(j);
		j = open_good(text_path("cut2.journal"));
		assert_int_equal(sweep_journal_torn(j), 0);
		assert_int_equal(sweep_journal_nr(j), whole ? whole : 1);
		expect_row(j, 4, whole ? "four" : "again");
		sweep_journal_close(j);
	}
	free(text);
}

/* A file system may have grown a file for a line, and lost the line. */
static void zeros_at_the_end_are_torn(void **state)
{
	size_t size;
	char *text = contents(sample("zeros.journal"), &size), *grown = calloc(1, size + 100);
	struct sweep_journal *j;

	memcpy(grown, text, size);
	j = open_good(bytes_file("zeros2.journal", grown, size + 100));
	assert_int_equal(sweep_journal_nr(j), 3);
	assert_int_equal(sweep_journal_torn(j), 100);
	sweep_journal_close(j);
	assert_int_equal(size_of(text_path("zeros2.journal")), size);
	memset(grown, 0, size + 100);
	memcpy(grown, text, 20);
	j = open_good(bytes_file("zeros3.journal", grown, 60));
	assert_int_equal(sweep_journal_nr(j), 0);
	sweep_journal_close(j);
	free(text);
	free(grown);
}

struct adder {
	struct sweep_journal *journal;
	uint32_t first;
};

static void *add_three(void *arg)
{
	const struct adder *adder = arg;

	for (uint32_t row = adder->first; row < adder->first + 3; row++)
		add(adder->journal, row, "some");
	return NULL;
}

static void rows_of_several_threads_are_on_the_disk_in_the_end(void **state)
{
	const char *path = text_path("sync.journal");
	struct sweep_journal *j = open_good(path), *read;
	struct adder adders[3];
	pthread_t threads[3];

	assert_int_equal(sweep_journal_sync(j), 0);
	for (unsigned i = 0; i < 3; i++) {
		adders[i] = (struct adder){j, 3 * i};
		assert_int_equal(pthread_create(&threads[i], NULL, add_three, &adders[i]), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(sweep_journal_sync(j), 0);
	assert_int_equal(sweep_journal_nr(j), 9);
	sweep_journal_close(j);
	assert_int_equal(sweep_journal_read(path, &read, &err), 0);
	assert_int_equal(sweep_journal_nr(read), 9);
	for (uint32_t row = 0; row < 9; row++)
		expect_row(read, row, "some");
	sweep_journal_close(read);
}

static void every_byte_is_checked(void **state)
{
	size_t size, header;
	char *text = contents(sample("flip.journal"), &size);
	size_t last = size - 1;

	header = strchr(text, '\n') + 1 - text;
	while (text[last - 1] != '\n')
		last--;
	for (size_t i = 0; i < size; i++) {
		struct sweep_journal *j = NULL;
		int ret;

		text[i] ^= 1;
		ret = open_at(bytes_file("flip2.journal", text, size), "s", &j);
		text[i] ^= 1;
		if (i < header) {
			assert_int_equal(ret, -EEXIST);
		} else if (i + 1 < last) {
			assert_int_equal(ret, -EBADMSG);
			assert_non_null(strstr(err.message, "offset "));
		} else {
			assert_int_equal(ret, 0);
			/* Without the newline before it, the last line is one with another. */
			assert_int_equal(sweep_journal_nr(j), i + 1 == last ? 1 : 2);
		}
		sweep_journal_close(j);
	}
	free(text);
}

static void another_sweeps_journal_is_left_alone(void **state)
{
	const char *path = sample("other.journal");
	off_t size = size_of(path);
	struct sweep_journal *j;

	assert_int_equal(open_at(path, "t", &j), -EEXIST);
	assert_non_null(strstr(err.message,
			       "other.journal: is the journal of another sweep: its settings are"));
	assert_int_equal(size_of(path), size);
	path = text_file("letter.txt", "Dear reader,\n");
	assert_int_equal(open_at(path, "s", &j), -EEXIST);
	assert_non_null(strstr(err.message, "letter.txt: is no journal of a sweep"));
	path = text_file("letter2.txt", "Dear reader");
	assert_int_equal(open_at(path, "s", &j), -EEXIST);
	assert_int_equal(size_of(path), 11);
	assert_int_equal(open_at("/dev/null", "s", &j), -EEXIST);
	assert_int_equal(open_at("/", "s", &j), -EISDIR);
	assert_int_equal(open_at("/no/such/place", "s", &j), -ENOENT);
}

static void what_differs_is_said_in_words(void **state)
{
	json_t *a = make_header("s"), *b = make_header("s");
	char buf[200];

	assert_null(sweep_journal_difference(a, b, buf, sizeof(buf)));
	json_object_set_new(b, "more", json_integer(1));
	assert_non_null(strstr(sweep_journal_difference(a, b, buf, sizeof(buf)), "more"));
	json_object_del(b, "more");
	json_object_set_new(b, "shard", json_string("2/3"));
	assert_string_equal(sweep_journal_difference(a, b, buf, sizeof(buf)),
			    "it is shard 2/3, not 1/1");
	json_object_set_new(b, "program", json_string("q"));
	assert_non_null(strstr(sweep_journal_difference(a, b, buf, sizeof(buf)), "another build"));
	json_object_set_new(b, "trace", json_pack("{s:s}", "hash", "xyz"));
	assert_string_equal(sweep_journal_difference(a, b, buf, sizeof(buf)),
			    "its hash is xyz, not abc (trace)");
	json_decref(a);
	json_decref(b);
	a = make_header("s");
	b = make_header("s");
	json_object_set_new(json_object_get(b, "files"), "f.ini", json_string("i"));
	assert_string_equal(sweep_journal_difference(a, b, buf, sizeof(buf)),
			    "the file f.ini was another then");
	json_decref(a);
	json_decref(b);
}

static void one_at_a_time_has_it_open(void **state)
{
	const char *path = sample("lock.journal");
	struct sweep_journal *j = open_good(path), *second;

	assert_int_equal(open_at(path, "s", &second), -EBUSY);
	assert_non_null(strstr(err.message, "another sweep has this journal open"));
	assert_int_equal(sweep_journal_read(path, &second, &err), -EBUSY);
	sweep_journal_close(j);
	/* Any number of readers. */
	assert_int_equal(sweep_journal_read(path, &j, &err), 0);
	assert_int_equal(sweep_journal_read(path, &second, &err), 0);
	expect_row(second, 4, "four");
	sweep_journal_close(j);
	sweep_journal_close(second);
}

static void reading_changes_nothing(void **state)
{
	const char *path = sample("read.journal");
	struct sweep_journal *j;

	cut_file(path, size_of(path) - 3);
	assert_int_equal(sweep_journal_read(path, &j, &err), 0);
	assert_int_equal(sweep_journal_nr(j), 2);
	assert_true(sweep_journal_torn(j) > 0);
	assert_int_equal(json_integer_value(json_object_get(sweep_journal_header(j), "rows")), 9);
	sweep_journal_close(j);
	assert_int_equal(sweep_journal_read(path, &j, &err), 0);
	assert_true(sweep_journal_torn(j) > 0);
	sweep_journal_close(j);
	assert_int_equal(sweep_journal_read(text_file("empty", ""), &j, &err), -EEXIST);
	assert_int_equal(sweep_journal_read(text_path("absent"), &j, &err), -ENOENT);
}

/* Rows of one journal mean nothing in another one. */
static void a_row_of_another_journal_is_no_row(void **state)
{
	const char *path = sample("mine.journal"), *other = text_path("theirs.journal");
	struct sweep_journal *j;
	char *mine, *theirs, *joined;
	size_t size, their_size;

	assert_int_equal(open_at(other, "t", &j), 0);
	add(j, 1, "one");
	sweep_journal_close(j);
	mine = contents(path, &size);
	theirs = contents(other, &their_size);
	assert_true(asprintf(&joined, "%s%s", mine, strchr(theirs, '\n') + 1) > 0);
	j = open_good(text_file("joined.journal", joined));
	assert_int_equal(sweep_journal_nr(j), 3);
	assert_true(sweep_journal_torn(j) > 0);
	sweep_journal_close(j);
	free(joined);
	/* And a row that is there twice is damage. */
	assert_true(asprintf(&joined, "%s%s", mine, strchr(mine, '\n') + 1) > 0);
	assert_int_equal(open_at(text_file("twice.journal", joined), "s", &j), -EBADMSG);
	free(joined);
	free(mine);
	free(theirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_there_when_it_is_opened_again),
		cmocka_unit_test(a_journal_may_be_cut_anywhere),
		cmocka_unit_test(zeros_at_the_end_are_torn),
		cmocka_unit_test(rows_of_several_threads_are_on_the_disk_in_the_end),
		cmocka_unit_test(every_byte_is_checked),
		cmocka_unit_test(another_sweeps_journal_is_left_alone),
		cmocka_unit_test(what_differs_is_said_in_words),
		cmocka_unit_test(one_at_a_time_has_it_open),
		cmocka_unit_test(reading_changes_nothing),
		cmocka_unit_test(a_row_of_another_journal_is_no_row),
	};

	return cmocka_run_group_tests_name("sweep_journal", tests, text_dir_create,
					   text_dir_remove);
}
