// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/zstd.h"
#include "tests/counting.h"
#include "tests/gen_page.h"
#include "tests/zstd_rig.h"

#define PAGE 4096u

static const char *const policies[] = {"zstd.cpuid=probe", "zstd.cpuid=skip", "zstd.cpuid=once",
				       "zstd.cpuid=static"};
enum { PROBE, SKIP, ONCE, STATIC, NR_POLICIES };

/* ---- whole requests, stepped through ---- */

/* Small ones: a page would be 150000 steps. */
#define SMALL 16u

struct request {
	struct rig *rig;
	bool compress;
	struct side src, dst;
	int ret;
};

static void do_request(void *arg)
{
	struct request *r = arg;

	r->ret = (r->compress ? rig_compress : rig_decompress)(r->rig, &r->src, &r->dst);
}

/* The CPUIDs that a request executes. Streams have a source of two entries. */
static unsigned cpuids_of(struct rig *rig, bool compress, bool stream, const uint8_t *frame,
			  unsigned frame_len)
{
	uint8_t text[SMALL];
	struct request r = {.rig = rig, .compress = compress};
	unsigned len = compress ? SMALL : frame_len, capacity = compress ? 256 : SMALL;
	const void *data = compress ? text : frame;
	struct cpuid_count count;
	int ret;

	gen_fill(GEN_TEXT, 1, text, sizeof(text));
	if (stream)
		side_lengths(&r.src, rig, data, len / 2, len - len / 2);
	else
		side_virt(&r.src, rig, len, data);
	side_virt(&r.dst, rig, capacity, NULL);
	ret = cpuid_count_call(do_request, &r, NULL, &count);
	if (ret)
		fail_msg("%d: %s", ret, count.reason);
	assert_int_equal(r.ret, 0);
	stream = stream && rig->k->profile.zstd.api == ZSTD_API_ACOMP;
	assert_int_equal(rig->req.cost.path, stream ? ACOMP_PATH_STREAM : ACOMP_PATH_ONESHOT);
	side_finish(&r.src);
	side_finish(&r.dst);
	return count.cpuids;
}

enum { COMPRESS, COMPRESS_STREAM, DECOMPRESS, DECOMPRESS_STREAM, NR_REQUESTS };

/* Stepping is slow: those of which nothing is expected are left out. */
#define ANY -1

static void check_requests(struct rig *rig, const int expected[NR_REQUESTS])
{
	uint8_t text[SMALL], frame[256];
	long len;

	gen_fill(GEN_TEXT, 1, text, sizeof(text));
	len = ref_oneshot_frame(text, SMALL, frame, sizeof(frame));
	assert_true(len > 0);
	for (unsigned i = 0; i < NR_REQUESTS; i++) {
		bool compress = i <= COMPRESS_STREAM;
		bool stream = i == COMPRESS_STREAM || i == DECOMPRESS_STREAM;
		int n;

		if (expected[i] == ANY)
			continue;
		n = cpuids_of(rig, compress, stream, frame, len);
		if (n != expected[i])
			fail_msg("request %u: %d CPUIDs, expected %d", i, n, expected[i]);
	}
}

#define check_rig(preset, setting, ...)                                                            \
	do {                                                                                       \
		struct rig *rig = rig_create(preset, setting, NULL);                               \
                                                                                                   \
		check_requests(rig, (const int[NR_REQUESTS]){__VA_ARGS__});                        \
		rig_destroy(rig);                                                                  \
	} while (0)

static void a_request_executes_two_cpuids_an_initialisation(void **state)
{
	NEEDS_COUNTING();
	check_rig("7.3", "zstd.cpuid=probe", 4, 2, 4, 2);
	check_rig("7.4", "zstd.cpuid=probe", 2, 2, 2, 2);
	check_rig("7.3", "zstd.bmi2=off", 4, ANY, 4, ANY);
}

static void a_request_executes_none_where_the_kernel_knows_or_does_not_care(void **state)
{
	NEEDS_COUNTING();
	check_rig("7.3", "zstd.cpuid=static", 0, 0, 0, 0);
	check_rig("7.3", "zstd.cpuid=skip", 0, ANY, 0, ANY);
	check_rig("7.3", "zstd.context=once", 0, 0, 0, 0);
}

static void the_first_of_each_side_asks_once_for_all_cpus(void **state)
{
	struct rig *rig;

	NEEDS_COUNTING();
	rig = rig_create("7.3", "zstd.cpuid=once", NULL);
	check_requests(rig, (const int[NR_REQUESTS]){2, 0, 2, 0});
	/* A CPU with a context of its own: the flag is the module's. */
	rig->k->cpu = 1;
	check_requests(rig, (const int[NR_REQUESTS]){ANY, ANY, 0, ANY});
	assert_int_equal(crypto_acomp_run_worker(rig->k), 1);
	check_requests(rig, (const int[NR_REQUESTS]){0, ANY, 0, 0});
	rig_destroy(rig);
}

/* ---- the same frames ---- */

static void compress_page(struct rig *rig, const uint8_t *page, bool stream, uint8_t *frame,
			  unsigned *len, int *ret)
{
	struct side src, dst;

	if (stream)
		side_lengths(&src, rig, page, 1000, 3096);
	else
		side_virt(&src, rig, PAGE, page);
	side_virt(&dst, rig, PAGE, NULL);
	*ret = rig_compress(rig, &src, &dst);
	*len = rig->req.dlen;
	side_read(&dst, frame, *len);
	side_finish(&src);
	side_finish(&dst);
}

static void check_page_comes_back(struct rig *rig, const uint8_t *page, bool stream,
				  const uint8_t *frame, unsigned len)
{
	struct side src, dst;
	uint8_t back[PAGE];

	if (stream)
		side_lengths(&src, rig, frame, len / 3, len - len / 3);
	else
		side_virt(&src, rig, len, frame);
	side_virt(&dst, rig, PAGE, NULL);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	assert_int_equal(rig->req.dlen, PAGE);
	side_read(&dst, back, PAGE);
	assert_memory_equal(back, page, PAGE);
	side_finish(&src);
	side_finish(&dst);
}

static void check_same_frames(struct rig *a, struct rig *b, unsigned nr_pages)
{
	uint8_t page[PAGE], fa[PAGE], fb[PAGE];
	unsigned la, lb;
	int ra, rb;

	for (unsigned i = 0; i < nr_pages; i++) {
		bool stream = i & 1;

		gen_fill(i / 2 % GEN_NR_KINDS, i, page, PAGE);
		compress_page(a, page, stream, fa, &la, &ra);
		compress_page(b, page, stream, fb, &lb, &rb);
		assert_int_equal(ra, rb);
		assert_int_equal(la, lb);
		assert_memory_equal(fa, fb, la);
		if (!ra)
			check_page_comes_back(b, page, i & 2, fb, lb);
	}
}

static void frames_are_the_same_whatever_the_policy(void **state)
{
	static const char *const bmi2[] = {"zstd.bmi2=on", "zstd.bmi2=off"};

	NEEDS_COUNTING();
	for (unsigned p = 0; p < NR_POLICIES; p++) {
		for (unsigned i = 0; i < 2; i++) {
			struct rig *a = rig_create("7.3", NULL);
			struct rig *b = rig_create("7.3", policies[p], bmi2[i], NULL);

			check_same_frames(a, b, 4 * GEN_NR_KINDS);
			rig_destroy(b);
			rig_destroy(a);
		}
	}
}

static void policies_hold_for_linear_contexts_and_kept_ones_too(void **state)
{
	static const char *const contexts[] = {"zstd.context=once", "zstd.context=per_request"};

	NEEDS_COUNTING();
	for (unsigned p = 0; p < NR_POLICIES; p++) {
		for (unsigned i = 0; i < 2; i++) {
			struct rig *a = rig_create("6.12", contexts[i], NULL);
			struct rig *b = rig_create("6.12", contexts[i], policies[p], NULL);

			check_same_frames(a, b, 2);
			rig_destroy(b);
			rig_destroy(a);
		}
	}
	check_rig("7.3", "zstd.api=scomp", 2, ANY, 2, ANY);
}

/* ---- the flag ---- */

static int flag(enum zstd_side side, const char *cpu_text)
{
	struct cpuid_cpu cpu;
	char err[256];
	int ret;

	assert_int_equal(cpuid_cpu_parse(&cpu, cpu_text, err, sizeof(err)), 0);
	ret = zstd_origin_bmi2(side, &cpu, err, sizeof(err));
	if (ret < 0)
		fail_msg("%s: %s", cpu_text, err);
	return ret;
}

static void bmi2_without_bmi1_is_a_matter_on_which_the_sides_disagree(void **state)
{
	NEEDS_COUNTING();
	assert_int_equal(flag(ZSTD_SIDE_COMPRESS, "bmi1=1,bmi2=1,maxleaf=7"), 1);
	assert_int_equal(flag(ZSTD_SIDE_DECOMPRESS, "bmi1=1,bmi2=1,maxleaf=7"), 1);
	assert_int_equal(flag(ZSTD_SIDE_COMPRESS, "bmi1=0,bmi2=1,maxleaf=7"), 1);
	assert_int_equal(flag(ZSTD_SIDE_DECOMPRESS, "bmi1=0,bmi2=1,maxleaf=7"), 0);
	assert_int_equal(flag(ZSTD_SIDE_COMPRESS, "bmi1=1,bmi2=0,maxleaf=7"), 0);
	assert_int_equal(flag(ZSTD_SIDE_DECOMPRESS, "bmi1=1,bmi2=0,maxleaf=7"), 0);
	assert_int_equal(flag(ZSTD_SIDE_COMPRESS, "bmi1=1,bmi2=1,maxleaf=6"), 0);
	assert_int_equal(flag(ZSTD_SIDE_DECOMPRESS, "bmi1=1,bmi2=1,maxleaf=6"), 0);
}

/* ---- an origin by itself ---- */

struct origin_rig {
	struct kernel k;
	zstd_parameters params;
	struct zstd_workspace w[ZSTD_NR_SIDES];
	struct zstd_origin *o;
};

/* Enough for one shot: looking at all bytes takes its time. */
#define ORIGIN_SIZE ((size_t)256 << 10)

static void origin_rig_init(struct origin_rig *r, const char *policy, const char *bmi2)
{
	char err[256];

	memset(r, 0, sizeof(*r));
	assert_int_equal(profile_init(&r->k.profile, "7.3", err, sizeof(err)), 0);
	assert_int_equal(profile_set(&r->k.profile, policy, err, sizeof(err)), 0);
	assert_int_equal(profile_set(&r->k.profile, bmi2, err, sizeof(err)), 0);
	r->params = zstd_get_params(3, 262144);
	for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
		r->w[side] = (struct zstd_workspace){malloc(ORIGIN_SIZE), ORIGIN_SIZE};
	if (zstd_origin_create(&r->k, &r->params, r->w, &r->o, err, sizeof(err)))
		fail_msg("%s: %s", policy, err);
}

static void origin_rig_finish(struct origin_rig *r)
{
	zstd_origin_destroy(r->o);
	for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
		free(r->w[side].start);
}

static __attribute__((noinline, no_sanitize("address"))) void fill_stack(uint8_t value)
{
	volatile uint8_t below[8192];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = value;
}

/* Bytes that a build takes from wherever the stack was before; the workspace is left as it was. */
static void find_padding(enum zstd_side side, const struct zstd_workspace *w, bool *padding)
{
	uint8_t *kept = malloc(w->size), *first = malloc(w->size), *bytes = w->start;

	memcpy(kept, bytes, w->size);
	for (unsigned round = 0; round < 16; round++) {
		memset(bytes, 0, w->size);
		fill_stack(round * 37 + 11);
		assert_non_null(zstd_build(&side, bytes, w->size));
		if (!round)
			memcpy(first, bytes, w->size);
		for (size_t i = 0; i < w->size; i++)
			padding[i] |= bytes[i] != first[i];
	}
	memcpy(bytes, kept, w->size);
	free(kept);
	free(first);
}

/* One byte, apart from padding: kept from the template of a context that was built. */
static void without_bmi2_contexts_differ_in_a_byte_however_they_come_to_be(void **state)
{
	NEEDS_COUNTING();
	if (!cpuid_has_bmi2()) {
		print_message("# SKIP this processor has no BMI2\n");
		skip();
	}
	for (unsigned p = 0; p < NR_POLICIES; p++) {
		struct origin_rig r;
		char err[256];

		origin_rig_init(&r, policies[p], "zstd.bmi2=off");
		for (enum zstd_side side = 0; side < ZSTD_NR_SIDES; side++) {
			struct zstd_workspace *w = &r.w[side];
			uint8_t *made = malloc(w->size), *bytes = w->start;
			struct zstd_template *t;
			bool *padding = calloc(w->size, sizeof(*padding));
			unsigned nr = 0;

			/* Twice: the first is built where the policy is to ask once. */
			for (unsigned i = 0; i < 2; i++) {
				memset(w->start, 0, w->size);
				assert_non_null(zstd_origin_context(r.o, side));
			}
			memcpy(made, w->start, w->size);
			assert_int_equal(zstd_template_create(zstd_build, &side, w->start, w->size,
							      &t, err, sizeof(err)),
					 0);
			memset(w->start, 0, w->size);
			zstd_template_restore(t);
			find_padding(side, w, padding);
			for (size_t i = 0; i < w->size; i++)
				nr += made[i] != bytes[i] && !padding[i];
			/* Some padding is the same in every build from here, and not elsewhere. */
			assert_in_range(nr, 1, 9);
			zstd_template_destroy(t);
			free(made);
			free(padding);
		}
		origin_rig_finish(&r);
	}
}

static void with_the_library_as_it_is_there_is_no_origin(void **state)
{
	struct origin_rig r;

	origin_rig_init(&r, "zstd.cpuid=probe", "zstd.bmi2=on");
	assert_null(r.o);
	origin_rig_finish(&r);
}

/* A profile that needs another CPU's contexts, where calls cannot be counted. */
static void check_within(void *arg)
{
	struct profile p;
	char *err = arg;

	profile_init(&p, "7.3", err, 256);
	profile_set(&p, "zstd.cpuid=skip", err, 256);
	if (zstd_check_profile(&p, err, 256) != -ENOTSUP)
		strcpy(err, "not refused");
}

static void a_policy_that_cannot_be_had_is_refused_with_the_reason(void **state)
{
	struct cpuid_count count;
	struct profile p;
	char err[256];

	NEEDS_COUNTING();
	profile_init(&p, "7.3", err, sizeof(err));
	for (unsigned i = 0; i < NR_POLICIES; i++) {
		assert_int_equal(profile_set(&p, policies[i], err, sizeof(err)), 0);
		if (zstd_check_profile(&p, err, sizeof(err)))
			fail_msg("%s: %s", policies[i], err);
	}
	if (!cpuid_has_bmi2()) {
		print_message("# SKIP this processor has no BMI2\n");
		skip();
	}
	/* Within a counted call another cannot be. */
	cpuid_count_call(check_within, err, NULL, &count);
	if (!strstr(err, "contexts of another CPU cannot be built: called from within"))
		fail_msg("%s", err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTING_TEST(a_request_executes_two_cpuids_an_initialisation),
		COUNTING_TEST(a_request_executes_none_where_the_kernel_knows_or_does_not_care),
		COUNTING_TEST(the_first_of_each_side_asks_once_for_all_cpus),
		COUNTING_TEST(frames_are_the_same_whatever_the_policy),
		COUNTING_TEST(policies_hold_for_linear_contexts_and_kept_ones_too),
		COUNTING_TEST(bmi2_without_bmi1_is_a_matter_on_which_the_sides_disagree),
		COUNTING_TEST(without_bmi2_contexts_differ_in_a_byte_however_they_come_to_be),
		COUNTING_TEST(with_the_library_as_it_is_there_is_no_origin),
		COUNTING_TEST(a_policy_that_cannot_be_had_is_refused_with_the_reason),
	};

	return cmocka_run_group_tests_name("zstd_origin", tests, NULL, NULL);
}
