// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/iaa_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

static struct iaa_model builtin(const char *name)
{
	struct iaa_model model;
	char err[256];

	if (iaa_model_builtin(name, &model, err, sizeof(err)))
		fail_msg("%s", err);
	return model;
}

static int read_text(const char *text, struct iaa_model *model, char *err, size_t err_size)
{
	char path[] = "/tmp/zswapsim-device.XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = iaa_model_read(path, model, err, err_size);
	unlink(path);
	return ret;
}

static double a_page(const struct iaa_model *m, enum iaa_dir dir, unsigned nr, double z)
{
	return iaa_model_ns(m, dir, nr, z) / nr;
}

static void assert_close(double value, double expected)
{
	if (fabs(value - expected) > expected * 1e-9 + 1e-9)
		fail_msg("%.9g, not %.9g", value, expected);
}

static void the_letters_figures_are_at_1_and_at_8(void **state)
{
	struct iaa_model m = builtin("letter");

	assert_non_null(strstr(m.source, "letter"));
	assert_non_null(strstr(m.source, "2.5 GHz"));
	assert_close(a_page(&m, IAA_COMPRESS, 1, 0), 3396);
	assert_close(a_page(&m, IAA_COMPRESS, 8, 0), 717);
	assert_close(a_page(&m, IAA_COMPRESS, 1, IAA_Z_P99), 3663);
	assert_close(a_page(&m, IAA_COMPRESS, 8, IAA_Z_P99), 774);
	/* 4.7 times, as the letter has it. */
	assert_int_equal(
		(int)(a_page(&m, IAA_COMPRESS, 1, 0) / a_page(&m, IAA_COMPRESS, 8, 0) * 10 + 0.5),
		47);
	assert_int_equal(m.batch_size, 8);
	/* The letter says nothing of decompression. */
	assert_true(iaa_model_ns(&m, IAA_DECOMPRESS, 1, 0) == 0);
}

static void the_sweeps_figures_are_at_each_of_its_batch_sizes(void **state)
{
	static const unsigned sizes[] = {1, 2, 4, 8, 16};
	static const double compress[] = {3571, 1971, 1568, 1378, 1373};
	static const double decompress[] = {2999, 1719, 1103, 773, 776};
	struct iaa_model m = builtin("sweep");

	for (unsigned i = 0; i < 5; i++) {
		assert_close(a_page(&m, IAA_COMPRESS, sizes[i], 0), compress[i]);
		assert_close(a_page(&m, IAA_DECOMPRESS, sizes[i], 0), decompress[i]);
		/* It has no p99: no spread. */
		assert_close(a_page(&m, IAA_COMPRESS, sizes[i], IAA_Z_P99), compress[i]);
	}
}

static void partial_batches_and_tails_lie_on_the_curve(void **state)
{
	struct iaa_model letter = builtin("letter"), sweep = builtin("sweep");

	/* 3396 for one and 5736 for eight: 334.29 more for each in between. */
	for (unsigned nr = 1; nr <= 8; nr++)
		assert_close(iaa_model_ns(&letter, IAA_COMPRESS, nr, 0),
			     3396 + (nr - 1) * (8 * 717.0 - 3396) / 7);
	assert_close(iaa_model_ns(&sweep, IAA_COMPRESS, 3, 0), (2 * 1971.0 + 4 * 1568) / 2);
	assert_close(iaa_model_ns(&sweep, IAA_COMPRESS, 12, 0), (8 * 1378.0 + 16 * 1373) / 2);
	/* Beyond the last one the line goes on. */
	assert_close(iaa_model_ns(&sweep, IAA_COMPRESS, 24, 0),
		     16 * 1373.0 + (16 * 1373.0 - 8 * 1378));
	for (unsigned nr = 2; nr < 64; nr++)
		assert_true(iaa_model_ns(&letter, IAA_COMPRESS, nr, 0) >
			    iaa_model_ns(&letter, IAA_COMPRESS, nr - 1, 0));
}

static void a_single_latency_goes_in_turns_of_the_engines(void **state)
{
	struct iaa_model m;
	char err[256];

	assert_int_equal(read_text("[device]\nname = mine\nsource = mine\nengines = 4\n"
				   "queue_depth = 8\nsubmit_ns = 100\ncomplete_ns = 50.5\n"
				   "[compress]\n1 = 1000\n",
				   &m, err, sizeof(err)),
			 0);
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 1, 0), 100 + 50.5 + 1000);
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 4, 0), 400 + 50.5 + 1000);
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 5, 0), 500 + 50.5 + 2000);
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 8, 0), 800 + 50.5 + 2000);
	/* The queue takes 8: two rounds. */
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 9, 0), 900 + 50.5 + 2000 + 1000);
	assert_close(iaa_model_ns(&m, IAA_COMPRESS, 17, 0), 1700 + 50.5 + 2000 + 2000 + 1000);
}

static void calls_are_spread_with_p50_and_p99_of_the_calibration(void **state)
{
	struct iaa_model m = builtin("letter");
	double z[IAA_NR_Z];
	unsigned below50 = 0, below99 = 0, first50 = 0;

	iaa_model_spread(z);
	for (unsigned i = 0; i < IAA_NR_Z; i++) {
		double ns = a_page(&m, IAA_COMPRESS, 8, z[i]);

		below50 += ns < 717;
		below99 += ns < 774;
		first50 += i < 64 && ns < 717;
	}
	assert_int_equal(below50, IAA_NR_Z / 2);
	assert_in_range(below99, IAA_NR_Z * 99 / 100 - 1, IAA_NR_Z * 99 / 100 + 1);
	/* A few calls have the median as well. */
	assert_in_range(first50, 31, 33);
}

static void a_device_of_ones_own_is_read_from_a_file(void **state)
{
	struct iaa_model m;
	char err[256];

	assert_int_equal(read_text("; a comment\n[device]\nname = mine\nsource = measured,\n"
				   "  in two lines\nbatch_size = 32\n\n[compress]\n"
				   "1 = 100 200\n2 = 60 110\n[decompress]\n1 = 50\n",
				   &m, err, sizeof(err)),
			 0);
	assert_string_equal(m.name, "mine");
	assert_string_equal(m.source, "measured, in two lines");
	assert_int_equal(m.batch_size, 32);
	assert_int_equal(m.engines, 1);
	assert_close(a_page(&m, IAA_COMPRESS, 2, IAA_Z_P99), 110);
	assert_close(iaa_model_ns(&m, IAA_DECOMPRESS, 3, 0), 150);
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"[device]\nname = a\nsource = b\n", ": [compress]: no batch size"},
		{"[device]\nsource = b\n[compress]\n1 = 5\n", ": [device]: no name"},
		{"[device]\nname = a\n[compress]\n1 = 5\n", ": [device]: no source"},
		{"[device]\nname =\n", ":2: [device]: a name has 1 to 31 bytes"},
		{"[device]\nname = a\ncolour = red\n", ":3: [device]: unknown key"},
		{"[device]\nname = a\nengines = 0\n", ":3: [device]: out of its range"},
		{"[device]\nname = a\nengines = 65\n", ":3: [device]: out of its range"},
		{"[device]\nname = a\nengines = 1.5\n", ":3: [device]: out of its range"},
		{"[device]\nname = a\nengines = 2\nengines = 2\n", ":4: [device]: given twice"},
		{"[device]\nname = a\nsubmit_ns = -1\n", ":3: [device]: out of its range"},
		{"[device]\nname = a\nsubmit_ns = nan\n", ":3: [device]: out of its range"},
		{"[device]\nname = a\ncomplete_ns = 1e10\n", ":3: [device]: out of its range"},
		{"[engine]\nname = a\n", ":2: [engine]: unknown section"},
		{"name = a\n", ":1: []: unknown section"},
		{"[compress]\n2 = 5\n", ":2: [compress]: the first batch size is 1"},
		{"[compress]\n1 = 5\n1 = 4\n", ":3: [compress]: batch sizes ascend"},
		{"[compress]\n1 = 5\n4 = 4\n2 = 3\n", ":4: [compress]: batch sizes ascend"},
		{"[compress]\n1 = 5\n2 = 2\n", ":3: [compress]: a larger batch takes less"},
		{"[compress]\n1 = 5 4\n", ":2: [compress]: p99 is below p50"},
		{"[compress]\n1 = 5 6\n2 = 4\n", ":3: [compress]: p99 is given for all"},
		{"[compress]\n1 = 0\n", ":2: [compress]: not p50"},
		{"[compress]\n1 = 5 6 7\n", ":2: [compress]: not p50"},
		{"[compress]\n1 = 5x\n", ":2: [compress]: not p50"},
		{"[compress]\n65 = 5\n", ":2: [compress]: a batch size is"},
		{"[compress]\n1.5 = 5\n", ":2: [compress]: a batch size is"},
		{"[compress]\nnonsense\n", ":2: neither [SECTION] nor KEY = VALUE"},
		{"[compress]\n1=9\n2=9\n3=9\n4=9\n5=9\n6=9\n7=9\n8=9\n9=9\n10=9\n11=9\n12=9\n13=9\n"
		 "14=9\n15=9\n16=9\n17=9\n",
		 ":18: [compress]: more than 16"},
		{"", ": [device]: no name"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct iaa_model m;
		char err[1024];

		assert_int_equal(read_text(bad[i].text, &m, err, sizeof(err)), -EINVAL);
		if (!strstr(err, bad[i].says) || strchr(err, '\n'))
			fail_msg("'%s' says '%s'", bad[i].text, err);
	}
}

static void a_file_that_is_not_there_and_a_name_that_is_not_known_are_refused(void **state)
{
	struct iaa_model m;
	char err[256];

	assert_int_equal(iaa_model_read("/nonexistent/device.ini", &m, err, sizeof(err)), -ENOENT);
	assert_non_null(strstr(err, "/nonexistent/device.ini: No such file"));
	assert_int_not_equal(iaa_model_read("/tmp", &m, err, sizeof(err)), 0);
	assert_int_equal(iaa_model_builtin("qat", &m, err, sizeof(err)), -ENOENT);
	assert_non_null(strstr(err, "letter, sweep"));
	for (const char *const *name = iaa_model_names(); *name; name++) {
		assert_int_equal(iaa_model_builtin(*name, &m, err, sizeof(err)), 0);
		assert_string_equal(m.name, *name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_letters_figures_are_at_1_and_at_8),
		cmocka_unit_test(the_sweeps_figures_are_at_each_of_its_batch_sizes),
		cmocka_unit_test(partial_batches_and_tails_lie_on_the_curve),
		cmocka_unit_test(a_single_latency_goes_in_turns_of_the_engines),
		cmocka_unit_test(calls_are_spread_with_p50_and_p99_of_the_calibration),
		cmocka_unit_test(a_device_of_ones_own_is_read_from_a_file),
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(a_file_that_is_not_there_and_a_name_that_is_not_known_are_refused),
	};

	return cmocka_run_group_tests_name("iaa_model", tests, NULL, NULL);
}
