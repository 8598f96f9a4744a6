// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/zstd_origin.h"
#include "tests/test.h"

#define SIZE 4096

static _Alignas(64) uint8_t workspace[SIZE];

/* ---- contexts of our own making ---- */

struct fake {
	unsigned nr_calls;
	unsigned nr_varying; /* bytes from 200 on that are another value at each call */
	bool moves;
	bool fails;
};

/* Writes 0 to 99, the pointer at 128, and what varies. */
static void *build_fake(void *arg, void *to, size_t size)
{
	struct fake *f = arg;
	uint8_t *bytes = to;
	void *pointer = bytes + 128;

	f->nr_calls++;
	for (unsigned i = 0; i < 100; i++)
		bytes[i] = i;
	memcpy(bytes + 128, &pointer, sizeof(pointer));
	for (unsigned i = 0; i < f->nr_varying; i++)
		bytes[200 + i] = f->nr_calls * 16 + i;
	if (f->fails)
		return NULL;
	return f->moves ? bytes + f->nr_calls : bytes;
}

static void a_template_has_exactly_the_bytes_that_are_written(void **state)
{
	struct zstd_template *t;
	struct fake f = {0};
	uint8_t expected[SIZE];
	char err[256];

	assert_int_equal(zstd_template_create(build_fake, &f, workspace, SIZE, &t, err, 256), 0);
	assert_int_equal(t->nr_ranges, 2);
	assert_int_equal(t->nr_bytes, 100 + sizeof(void *));
	assert_int_equal(t->nr_unstable, 0);
	memset(expected, 0x31, SIZE);
	build_fake(&f, expected, SIZE);
	memcpy(expected + 128, workspace + 128, sizeof(void *)); /* it points into the workspace */
	memset(workspace, 0x31, SIZE);
	assert_ptr_equal(zstd_template_restore(t), workspace);
	memcpy(expected + 128, &(void *){workspace + 128}, sizeof(void *));
	assert_memory_equal(workspace, expected, SIZE);
	zstd_template_destroy(t);
}

static void bytes_that_vary_are_told_apart_until_they_are_many(void **state)
{
	struct fake few = {.nr_varying = 3}, many = {.nr_varying = ZSTD_TEMPLATE_MAX_UNSTABLE + 1};
	struct zstd_template *t;
	char err[256];

	assert_int_equal(zstd_template_create(build_fake, &few, workspace, SIZE, &t, err, 256), 0);
	assert_int_equal(t->nr_unstable, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t->unstable[i], 100 + sizeof(void *) + i);
	zstd_template_destroy(t);
	assert_int_equal(zstd_template_create(build_fake, &many, workspace, SIZE, &t, err, 256),
			 -ENOTSUP);
	assert_non_null(strstr(err, "65 of 173 bytes"));
}

static void a_context_that_moves_or_fails_has_no_template(void **state)
{
	struct fake moves = {.moves = true}, fails = {.fails = true};
	struct zstd_template *t;
	char err[256];

	assert_int_equal(zstd_template_create(build_fake, &moves, workspace, SIZE, &t, err, 256),
			 -ENOTSUP);
	assert_non_null(strstr(err, "same place"));
	assert_int_equal(zstd_template_create(build_fake, &fails, workspace, SIZE, &t, err, 256),
			 -EINVAL);
	assert_non_null(strstr(err, "4096 bytes"));
}

static void a_difference_is_found_by_its_place_but_not_where_bytes_vary(void **state)
{
	struct fake f = {.nr_varying = 1};
	struct zstd_template_byte diff[2];
	struct zstd_template *a, *b, *c;
	char err[256];

	assert_int_equal(zstd_template_create(build_fake, &f, workspace, SIZE, &a, err, 256), 0);
	assert_int_equal(zstd_template_create(build_fake, &f, workspace, SIZE, &b, err, 256), 0);
	assert_int_equal(zstd_template_compare(a, b, diff, 2), 0);
	b->bytes[7] ^= 0xff;
	b->bytes[100 + sizeof(void *)] ^= 0xff;
	assert_int_equal(zstd_template_compare(a, b, diff, 2), 1);
	assert_int_equal(diff[0].offset, 7);
	assert_int_equal(diff[0].a, 7);
	assert_int_equal(diff[0].b, 0xf8);
	f.nr_varying = 2;
	assert_int_equal(zstd_template_create(build_fake, &f, workspace, SIZE, &c, err, 256), 0);
	assert_int_equal(zstd_template_compare(a, c, diff, 2), -EINVAL);
	zstd_template_destroy(c);
	zstd_template_destroy(b);
	zstd_template_destroy(a);
}

/* ---- libzstd's ---- */

struct real {
	zstd_parameters params;
	size_t size;
	uint8_t *workspace;
	struct zstd_template *t;
};

static struct real real_template(enum zstd_side side)
{
	struct real r = {.params = zstd_get_params(3, 262144)};
	char err[256] = "";

	r.size = zstd_cstream_workspace_bound(&r.params.cParams);
	r.workspace = aligned_alloc(64, (r.size + 63) / 64 * 64);
	assert_non_null(r.workspace);
	if (zstd_template_create(zstd_build, &side, r.workspace, r.size, &r.t, err, sizeof(err)))
		fail_msg("%s", err);
	return r;
}

static void real_finish(struct real *r)
{
	zstd_template_destroy(r->t);
	free(r->workspace);
}

static void contexts_of_libzstd_are_restored_and_work_the_same(void **state)
{
	for (enum zstd_side side = 0; side < ZSTD_NR_SIDES; side++) {
		struct real r = real_template(side);
		char err[256] = "";

		print_message("# %s context: %zu bytes in %u ranges, %u vary\n",
			      side == ZSTD_SIDE_COMPRESS ? "compress" : "decompress", r.t->nr_bytes,
			      r.t->nr_ranges, r.t->nr_unstable);
		assert_in_range(r.t->nr_bytes, 100, 1 << 18);
		if (zstd_template_check(r.t, side, &r.params, zstd_build, &side, err, sizeof(err)))
			fail_msg("%s", err);
		real_finish(&r);
	}
}

/* After @nr_good of them, contexts that know of less room than there is. */
struct worse {
	enum zstd_side side;
	unsigned nr_good;
};

static void *build_worse(void *arg, void *to, size_t size)
{
	struct worse *w = arg;

	if (w->nr_good) {
		w->nr_good--;
		return zstd_build(&w->side, to, size);
	}
	return zstd_build(&w->side, to, 100000);
}

static void a_template_whose_contexts_work_otherwise_is_refused(void **state)
{
	for (enum zstd_side side = 0; side < ZSTD_NR_SIDES; side++) {
		struct real r = real_template(side);
		struct worse w = {.side = side};
		char err[256] = "";

		assert_int_equal(zstd_template_check(r.t, side, &r.params, build_worse, &w, err,
						     sizeof(err)),
				 -ENOTSUP);
		assert_non_null(strstr(err, side ? "not decompress as" : "not compress as"));
		real_finish(&r);
	}
}

static void a_byte_that_matters_is_not_taken_for_padding(void **state)
{
	enum zstd_side side = ZSTD_SIDE_DECOMPRESS;
	struct real r = real_template(side);
	char err[256];

	/* As if these had varied: with other values in their place nothing works. */
	for (unsigned i = 0; i < ZSTD_TEMPLATE_MAX_UNSTABLE; i++)
		r.t->unstable[i] = r.t->nr_bytes / 2 + i;
	r.t->nr_unstable = ZSTD_TEMPLATE_MAX_UNSTABLE;
	assert_int_equal(
		zstd_template_check(r.t, side, &r.params, zstd_build, &side, err, sizeof(err)),
		-ENOTSUP);
	real_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_template_has_exactly_the_bytes_that_are_written),
		cmocka_unit_test(bytes_that_vary_are_told_apart_until_they_are_many),
		cmocka_unit_test(a_context_that_moves_or_fails_has_no_template),
		cmocka_unit_test(a_difference_is_found_by_its_place_but_not_where_bytes_vary),
		cmocka_unit_test(contexts_of_libzstd_are_restored_and_work_the_same),
		cmocka_unit_test(a_template_whose_contexts_work_otherwise_is_refused),
		cmocka_unit_test(a_byte_that_matters_is_not_taken_for_padding),
	};

	return cmocka_run_group_tests_name("zstd_template", tests, NULL, NULL);
}
