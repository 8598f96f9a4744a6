// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/bench_acomp.h"
#include "backends/registry.h"
#include "backends/zstd_caller.h"
#include "tests/test.h"
#include "traces/random.h"

static uint8_t *data;
static char err[256];

/* Half text-like, half random, page by page: it shrinks, but not to nothing. */
static int fill(void **state)
{
	struct random r;

	data = calloc(1, 1u << 20);
	if (!data)
		return -1;
	random_init(&r, 50, 0);
	for (unsigned at = 0; at < 1u << 20; at += 2048) {
		for (unsigned i = 0; i < 1024; i++)
			data[at + i] = "the quick brown fox "[(at + i + i / 100) % 20];
		random_bytes(&r, data + at + 1024, 1024);
	}
	return 0;
}

static int clear(void **state)
{
	free(data);
	return 0;
}

static struct zstd_caller *create(const char *name, unsigned size, const void *bytes,
				  const char *set)
{
	struct zstd_caller_config config = {
		.info = zstd_caller_find(name), .crypto = backends_registry(), .data = bytes};
	struct zstd_caller *c;
	struct profile profile;

	assert_non_null(config.info);
	assert_int_equal(profile_init(&profile, "7.3", err, sizeof(err)), 0);
	if (set)
		assert_int_equal(profile_set(&profile, set, err, sizeof(err)), 0);
	config.profile = &profile;
	config.size = size ? size : config.info->size;
	if (zstd_caller_create(&config, &c, err, sizeof(err)))
		fail_msg("%s", err);
	return c;
}

/* Initialisations of one request, or -1: it does not do this. */
static int inits(const char *name, unsigned size, const char *set, enum zstd_side side)
{
	struct zstd_caller *c = create(name, size, data, set);
	int nr = -1;

	if (zstd_caller_does(c, side)) {
		for (int i = 0; i < 3; i++)
			assert_int_equal(zstd_caller_run(c, side), 0);
		nr = bench_acomp_initialisations(zstd_caller_cost(c));
	}
	zstd_caller_destroy(c);
	return nr;
}

#define COMPRESS   ZSTD_SIDE_COMPRESS
#define DECOMPRESS ZSTD_SIDE_DECOMPRESS

static void zswap_initialises_as_its_driver_does(void **state)
{
	assert_int_equal(inits("zswap", 0, NULL, COMPRESS), 2);
	assert_int_equal(inits("zswap", 0, NULL, DECOMPRESS), 2);
	assert_int_equal(inits("zswap", 0, "zstd.stream_init=deferred", COMPRESS), 1);
	assert_int_equal(inits("zswap", 0, "zstd.stream_init=deferred", DECOMPRESS), 1);
	assert_int_equal(inits("zswap", 0, "zstd.context=once", COMPRESS), 0);
	assert_int_equal(inits("zswap", 0, "zstd.context=once", DECOMPRESS), 0);
}

static void file_systems_initialise_one_stream_a_request(void **state)
{
	assert_int_equal(inits("squashfs", 0, NULL, COMPRESS), -1);
	assert_int_equal(inits("squashfs", 0, NULL, DECOMPRESS), 1);
	assert_int_equal(inits("erofs", 0, NULL, COMPRESS), -1);
	assert_int_equal(inits("erofs", 0, NULL, DECOMPRESS), 1);
	assert_int_equal(inits("btrfs", 0, NULL, COMPRESS), 1);
	assert_int_equal(inits("btrfs", 0, NULL, DECOMPRESS), 1);
	assert_int_equal(inits("f2fs", 0, NULL, COMPRESS), 1);
	assert_int_equal(inits("f2fs", 0, NULL, DECOMPRESS), 1);
}

static void zram_initialises_nothing(void **state)
{
	assert_int_equal(inits("zram", 0, NULL, COMPRESS), 0);
	assert_int_equal(inits("zram", 0, NULL, DECOMPRESS), 0);
}

/* What comes back is compared when a caller is made. */
static void all_sizes_come_back_as_they_were(void **state)
{
	for (const struct zstd_caller_info *i = zstd_caller_infos; i->name; i++) {
		for (unsigned size = i->min_size; size <= i->max_size; size *= 2) {
			struct zstd_caller *c = create(i->name, size, data, NULL);

			assert_true(zstd_caller_frame_bytes(c) > 0);
			assert_true(zstd_caller_frame_bytes(c) < size);
			zstd_caller_destroy(c);
		}
	}
	zstd_caller_destroy(create("erofs", 3 * 4096, data, NULL));
}

static void what_does_not_shrink_is_not_decompressed(void **state)
{
	uint8_t *noise = malloc(128 << 10);
	struct random r;

	random_init(&r, 51, 0);
	random_bytes(&r, noise, 128 << 10);
	for (const struct zstd_caller_info *i = zstd_caller_infos; i->name; i++) {
		struct zstd_caller *c = create(i->name, 0, noise, NULL);

		assert_false(zstd_caller_does(c, DECOMPRESS));
		assert_int_equal(zstd_caller_frame_bytes(c), 0);
		if (!strcmp(i->name, "zswap"))
			assert_int_equal(zstd_caller_run(c, COMPRESS), -EINVAL);
		else if (zstd_caller_does(c, COMPRESS))
			assert_int_equal(zstd_caller_run(c, COMPRESS), 0);
		zstd_caller_destroy(c);
	}
	free(noise);
}

static void a_page_of_zeros_is_a_page_like_others(void **state)
{
	static const uint8_t zeros[4096];
	struct zstd_caller *c = create("zswap", 0, zeros, NULL);

	assert_true(zstd_caller_frame_bytes(c) > 0 && zstd_caller_frame_bytes(c) < 64);
	zstd_caller_destroy(c);
}

/* Frames do not depend on how contexts come to be. */
static void policies_make_the_same_frames(void **state)
{
	static const char *const sets[] = {"zstd.cpuid=once", "zstd.cpuid=static",
					   "zstd.cpuid=skip", "zstd.bmi2=off"};

	for (const struct zstd_caller_info *i = zstd_caller_infos; i->name; i++) {
		struct zstd_caller *c = create(i->name, 0, data, NULL);
		unsigned bytes = zstd_caller_frame_bytes(c);

		zstd_caller_destroy(c);
		for (unsigned k = 0; k < sizeof(sets) / sizeof(*sets); k++) {
			c = create(i->name, 0, data, sets[k]);
			assert_int_equal(zstd_caller_frame_bytes(c), bytes);
			zstd_caller_destroy(c);
		}
	}
}

static void a_size_that_the_caller_never_has_is_refused(void **state)
{
	static const struct {
		const char *name;
		unsigned size;
	} bad[] = {{"zswap", 8192}, {"zram", 0}, {"btrfs", 256 << 10}, {"erofs", 5000}};
	struct zstd_caller_config config = {.crypto = backends_registry(), .data = data};
	struct profile profile;
	struct zstd_caller *c;

	assert_int_equal(profile_init(&profile, "7.3", err, sizeof(err)), 0);
	config.profile = &profile;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		config.info = zstd_caller_find(bad[i].name);
		config.size = bad[i].size;
		assert_int_equal(zstd_caller_create(&config, &c, err, sizeof(err)), -EINVAL);
		assert_non_null(strstr(err, bad[i].name));
	}
	assert_null(zstd_caller_find("ext4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zswap_initialises_as_its_driver_does),
		cmocka_unit_test(file_systems_initialise_one_stream_a_request),
		cmocka_unit_test(zram_initialises_nothing),
		cmocka_unit_test(all_sizes_come_back_as_they_were),
		cmocka_unit_test(what_does_not_shrink_is_not_decompressed),
		cmocka_unit_test(a_page_of_zeros_is_a_page_like_others),
		cmocka_unit_test(policies_make_the_same_frames),
		cmocka_unit_test(a_size_that_the_caller_never_has_is_refused),
	};

	return cmocka_run_group_tests_name("zstd_caller", tests, fill, clear);
}
