// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_context.h"

#include <stdlib.h>
#include <string.h>

#include "backends/zstd.h"
#include "tests/test.h"

static void workspace_bounds_are_those_of_the_library_listed(void **state)
{
	static const struct {
		const char *version;
		size_t cstream, dstream, cctx, dctx;
	} rows[] = {
		{"1.5.4", 1566113, 751416, 1041312, 95992},
		{"1.5.7", 1566241, 751416, 1041440, 95992},
	};
	zstd_parameters params = zstd_get_params(3, 262144);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].version, zstd_library_version()))
			continue;
		assert_int_equal(zstd_cstream_workspace_bound(&params.cParams), rows[i].cstream);
		assert_int_equal(zstd_dstream_workspace_bound(262144), rows[i].dstream);
		assert_int_equal(zstd_cctx_workspace_bound(&params.cParams), rows[i].cctx);
		assert_int_equal(zstd_dctx_workspace_bound(), rows[i].dctx);
		return;
	}
	print_message("# SKIP no bounds are listed for libzstd %s\n", zstd_library_version());
	skip();
}

static void params_are_those_of_the_kernels_hints(void **state)
{
	static const struct {
		unsigned hint;
		zstd_compression_parameters expected;
	} rows[] = {
		{262144, {18, 16, 16, 1, 4, 0, ZSTD_dfast}},
		{0, {21, 16, 17, 1, 5, 0, ZSTD_dfast}},
		{4096, {12, 12, 13, 2, 4, 0, ZSTD_dfast}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		zstd_parameters p = zstd_get_params(3, rows[i].hint);

		assert_memory_equal(&p.cParams, &rows[i].expected, sizeof(p.cParams));
		assert_int_equal(p.fParams.contentSizeFlag, 1);
		assert_int_equal(p.fParams.checksumFlag, 0);
		assert_int_equal(p.fParams.noDictIDFlag, 0);
	}
}

static void a_context_is_refused_a_workspace_that_is_too_small(void **state)
{
	struct acomp_cost cost = {0};
	size_t dctx = zstd_dctx_workspace_bound();
	zstd_parameters params = zstd_get_params(3, 262144);
	void *wksp = malloc(1u << 21);
	struct zstd_meter m;
	struct kernel k = {.clock = NULL};

	zstd_meter_start(&m, &k, &cost);
	assert_null(zstd_init_cctx(&m, NULL, 1u << 21));
	assert_null(zstd_init_cstream(&m, &params, 0, NULL, 1u << 21));
	assert_null(zstd_init_dctx(&m, NULL, 1u << 21));
	assert_null(zstd_init_dstream(&m, 0, NULL, 1u << 21));
	assert_null(zstd_init_cctx(&m, wksp, 4096));
	assert_null(zstd_init_cstream(&m, &params, 0, wksp, 4096));
	assert_null(zstd_init_dctx(&m, wksp, dctx - 1));
	assert_null(zstd_init_dstream(&m, 262144, wksp, dctx - 1));
	assert_non_null(zstd_init_dctx(&m, wksp, dctx));
	assert_non_null(zstd_init_dstream(&m, 262144, wksp, dctx));
	if (!strcmp(zstd_library_version(), "1.5.4")) {
		assert_null(zstd_init_cctx(&m, wksp, 25407));
		assert_non_null(zstd_init_cctx(&m, wksp, 25408));
	}
	free(wksp);
}

static struct zstd_meter meter_of(struct kernel *k, struct acomp_cost *cost)
{
	struct zstd_meter m;

	memset(cost, 0, sizeof(*cost));
	zstd_meter_start(&m, k, cost);
	return m;
}

/* The clock of a test: it stands still but when it is read. */
static uint64_t tick(void *arg)
{
	return ++*(uint64_t *)arg;
}

static void the_clock_is_read_only_where_the_counter_changes(void **state)
{
	uint64_t ticks = 0;
	struct kernel k = {.clock = tick, .clock_arg = &ticks};
	struct acomp_cost cost;
	struct zstd_meter m = meter_of(&k, &cost);

	assert_int_equal(ticks, 0);
	zstd_meter_charge(&m, NULL);
	assert_int_equal(ticks, 0);
	zstd_meter_charge(&m, &cost.init_ns);
	zstd_meter_charge(&m, &cost.init_ns);
	assert_int_equal(ticks, 1);
	ticks += 10;
	zstd_meter_charge(&m, &cost.codec_ns);
	assert_int_equal(cost.init_ns, 11);
	ticks += 100;
	zstd_meter_charge(&m, &cost.init_ns);
	assert_int_equal(cost.codec_ns, 101);
	zstd_meter_charge(&m, NULL);
	assert_int_equal(cost.init_ns, 12);
	assert_int_equal(ticks, 114);
}

static void every_wrapper_counts_itself_under_its_kernel_name(void **state)
{
	static uint8_t src[100], frame[512], back[512];
	zstd_parameters params = zstd_get_params(3, 262144);
	size_t size = zstd_cstream_workspace_bound(&params.cParams), len;
	void *wksp = malloc(size);
	struct kernel k = {.clock = NULL};
	struct acomp_cost cost;
	struct zstd_meter m = meter_of(&k, &cost);
	zstd_out_buffer out = {frame, sizeof(frame), 0};
	zstd_in_buffer in = {src, sizeof(src), 0};
	zstd_cctx *cctx;
	zstd_dctx *dctx;

	cctx = zstd_init_cctx(&m, wksp, size);
	len = zstd_compress_cctx(&m, cctx, frame, sizeof(frame), src, sizeof(src), &params);
	assert_false(zstd_is_error(len));
	dctx = zstd_init_dctx(&m, wksp, size);
	assert_int_equal(zstd_decompress_dctx(&m, dctx, back, sizeof(back), frame, len), 100);
	cctx = zstd_init_cstream(&m, &params, 0, wksp, size);
	assert_false(zstd_is_error(zstd_compress_stream(&m, cctx, &out, &in)));
	assert_int_equal(zstd_flush_stream(&m, cctx, &out), 0);
	assert_int_equal(zstd_end_stream(&m, cctx, &out), 0);
	in = (zstd_in_buffer){frame, out.pos, 0};
	out = (zstd_out_buffer){back, sizeof(back), 0};
	dctx = zstd_init_dstream(&m, 262144, wksp, size);
	assert_int_equal(zstd_decompress_stream(&m, dctx, &out, &in), 0);
	assert_int_equal(out.pos, sizeof(src));
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		assert_int_equal(cost.calls[i], 1);
	/* A context that is kept is not counted: the kernel has no such call. */
	assert_non_null(zstd_restart_dstream(&m, dctx));
	cctx = zstd_init_cctx(&m, wksp, size);
	assert_non_null(zstd_restart_cstream(&m, cctx, &params, 0));
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		assert_int_equal(cost.calls[i], 1 + (i == ACOMP_CALL_INIT_CCTX));
	free(wksp);
}

/* The driver never pledges one, so its streams do not. */
static void a_stream_with_a_pledged_size_says_it_in_its_frame(void **state)
{
	static uint8_t src[300], frame[512];
	zstd_parameters params = zstd_get_params(3, 262144);
	size_t size = zstd_cstream_workspace_bound(&params.cParams);
	void *wksp = malloc(size);
	struct kernel k = {.clock = NULL};
	struct acomp_cost cost;
	struct zstd_meter m = meter_of(&k, &cost);
	static const uint64_t pledged[] = {0, sizeof(src)};

	for (unsigned i = 0; i < 2; i++) {
		zstd_out_buffer out = {frame, sizeof(frame), 0};
		zstd_in_buffer in = {src, sizeof(src), 0};
		zstd_cstream *cs = zstd_init_cstream(&m, &params, pledged[i], wksp, size);

		assert_false(zstd_is_error(zstd_compress_stream(&m, cs, &out, &in)));
		assert_false(zstd_is_error(zstd_flush_stream(&m, cs, &out)));
		assert_int_equal(zstd_end_stream(&m, cs, &out), 0);
		assert_int_equal(ZSTD_getFrameContentSize(frame, out.pos),
				 pledged[i] ? pledged[i] : ZSTD_CONTENTSIZE_UNKNOWN);
	}
	free(wksp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workspace_bounds_are_those_of_the_library_listed),
		cmocka_unit_test(params_are_those_of_the_kernels_hints),
		cmocka_unit_test(a_context_is_refused_a_workspace_that_is_too_small),
		cmocka_unit_test(the_clock_is_read_only_where_the_counter_changes),
		cmocka_unit_test(every_wrapper_counts_itself_under_its_kernel_name),
		cmocka_unit_test(a_stream_with_a_pledged_size_says_it_in_its_frame),
	};

	return cmocka_run_group_tests_name("zstd_context", tests, NULL, NULL);
}
