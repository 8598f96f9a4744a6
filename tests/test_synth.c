// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "tests/synth_measure.h"
#include "tests/test.h"
#include "traces/synth.h"

#define SILESIA_PAGES 27342u

static struct synth *synth_of(const char *profile, uint64_t nr_pages, uint64_t rounds,
			      uint64_t seed)
{
	const struct synth_config config = {
		.profile = profile, .nr_pages = nr_pages, .rounds = rounds, .seed = seed};
	struct trace_error err;
	struct synth *s;

	assert_int_equal(synth_create(&config, &s, &err), 0);
	return s;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The requirement: means within 3 %, all bins together within 10 %; lz4 is near, too. */
static void check_file(unsigned f, uint64_t seed, const struct synth_count *count)
{
	const struct synth_file *file = &synth_silesia[f];
	struct synth_errors e = synth_count_errors(count, &file->figures);

	assert_int_equal(count->pages, file->figures.pages);
	if (e.zstd < -0.03 || e.zstd > 0.03 || e.bins > 0.1 || e.lz4 < -0.02 || e.lz4 > 0.02)
		fail_msg("%s, seed %lu: mean %+.2f %%, bins %.2f %%, lz4 %+.2f %%", file->name,
			 (unsigned long)seed, 100 * e.zstd, 100 * e.bins, 100 * e.lz4);
}

static void check_silesia(uint64_t seed)
{
	uint64_t *hashes = calloc(SILESIA_PAGES, sizeof(*hashes)), nr = 0;
	struct synth *s = synth_of("silesia", 0, 0, seed);
	struct codec_sizes *codecs = codec_sizes_create();
	struct synth_count count = {0};
	uint8_t page[SYNTH_PAGE_BYTES];
	uint32_t zero = 0, same = 0;
	unsigned file = 0;
	bool file_ends;

	assert_int_equal(synth_nr_pages(s), SILESIA_PAGES);
	while (synth_next(s, page, &file_ends) == 1) {
		hashes[nr++] = XXH3_64bits(page, sizeof(page));
		synth_count_page(&count, codecs, page);
		if (!file_ends)
			continue;
		zero += count.zero;
		check_file(file++, seed, &count);
		memset(&count, 0, sizeof(count));
	}
	assert_int_equal(file, SYNTH_SILESIA_FILES);
	assert_int_equal(nr, SILESIA_PAGES);
	/* Only zero pages are each other's copies. */
	qsort(hashes, nr, sizeof(*hashes), by_value);
	for (uint64_t i = 1; i < nr; i++)
		same += hashes[i] == hashes[i - 1];
	assert_int_equal(same, zero - 1);
	codec_sizes_destroy(codecs);
	synth_destroy(s);
	free(hashes);
}

static void silesia_compresses_as_the_figures_say(void **state)
{
	check_silesia(1);
}

static void silesia_does_so_for_other_seeds(void **state)
{
	check_silesia(2);
	check_silesia(20261130);
}

static void a_round_has_the_same_figures_and_other_pages(void **state)
{
	struct synth *twice = synth_of("silesia", 0, 2, 1), *once = synth_of("silesia", 0, 0, 1);
	uint8_t a[SYNTH_PAGE_BYTES], b[SYNTH_PAGE_BYTES], *first;
	uint32_t nr = synth_silesia[0].figures.pages, same = 0, in_round = 0;
	bool a_ends, b_ends;

	first = malloc(nr * sizeof(a));
	assert_non_null(first);
	assert_int_equal(synth_nr_pages(twice), 2 * SILESIA_PAGES);
	while (synth_next(once, a, &a_ends) == 1) {
		assert_int_equal(synth_next(twice, b, &b_ends), 1);
		assert_memory_equal(a, b, sizeof(a));
		assert_int_equal(a_ends, b_ends);
		if (in_round < nr)
			memcpy(first + in_round++ * sizeof(a), a, sizeof(a));
	}
	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(synth_next(twice, b, &b_ends), 1);
		same += !memcmp(first + i * sizeof(a), b, sizeof(b));
		assert_int_equal(b_ends, i + 1 == nr);
	}
	assert_int_equal(same, 0);
	free(first);
	synth_destroy(once);
	/* In the middle of a file. */
	synth_destroy(twice);
}

static void half_and_random_or_zero_differ_in_their_grain(void **state)
{
	struct synth *half = synth_of("half", 300, 0, 1);
	struct synth *whole = synth_of("random-or-zero", 300, 0, 1);
	struct codec_sizes *codecs = codec_sizes_create();
	struct synth_count halves = {0}, wholes = {0};
	uint8_t page[SYNTH_PAGE_BYTES];
	bool file_ends;

	while (synth_next(half, page, &file_ends) == 1) {
		unsigned size = codec_zstd_size(codecs, page);

		/* 2048 random bytes and a few for the rest: zsmalloc's class of 2176. */
		assert_in_range(size, 2066, 2085);
		synth_count_page(&halves, codecs, page);
	}
	assert_true(file_ends);
	while (synth_next(whole, page, &file_ends) == 1)
		synth_count_page(&wholes, codecs, page);
	assert_int_equal(halves.pages, 300);
	assert_int_equal(halves.zero + halves.incompressible, 0);
	assert_int_equal(wholes.pages, 300);
	assert_int_equal(wholes.zero, 150);
	assert_int_equal(wholes.incompressible, 150);
	assert_string_not_equal(synth_grain(half), synth_grain(whole));
	codec_sizes_destroy(codecs);
	synth_destroy(half);
	synth_destroy(whole);
}

static void what_a_profile_cannot_do_is_refused(void **state)
{
	static const struct {
		struct synth_config config;
		const char *cause;
	} bad[] = {
		{{.profile = "mozilla"}, "silesia, half and random-or-zero"},
		{{.profile = ""}, "no such profile"},
		{{.profile = "silesia", .nr_pages = 10}, "rounds"},
		{{.profile = "half", .rounds = 2}, "no rounds"},
		{{.profile = "silesia", .rounds = SYNTH_MAX_ROUNDS + 1}, "4096 rounds"},
	};
	struct trace_error err;
	struct synth *s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(synth_create(&bad[i].config, &s, &err), -EINVAL);
		assert_non_null(strstr(err.message, bad[i].cause));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silesia_compresses_as_the_figures_say),
		cmocka_unit_test(silesia_does_so_for_other_seeds),
		cmocka_unit_test(a_round_has_the_same_figures_and_other_pages),
		cmocka_unit_test(half_and_random_or_zero_differ_in_their_grain),
		cmocka_unit_test(what_a_profile_cannot_do_is_refused),
	};

	return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
