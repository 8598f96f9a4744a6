// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/batching.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/iaa.h"
#include "backends/registry.h"
#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/test.h"

/* A trace, opened. */
struct rig {
	struct draft draft;
	struct trace_reader *reader;
	struct batching_trace trace;
	struct profile profile;
	struct iaa_model device;
	struct crypto_registry registry;
	struct trace_error err;
};

static uint64_t ticks(void *arg)
{
	return *(uint64_t *)arg += 10;
}

static struct rig *rig_begin(void)
{
	struct rig *r = calloc(1, sizeof(*r));
	char err[512];

	assert_int_equal(profile_init(&r->profile, PROFILE_DEFAULT, err, sizeof(err)), 0);
	assert_int_equal(iaa_model_builtin("sweep", &r->device, err, sizeof(err)), 0);
	r->registry = *backends_registry();
	r->registry.device = &r->device;
	draft_begin(&r->draft);
	return r;
}

/* The trace is written; its first @max pages are taken. */
static void rig_open(struct rig *r, uint64_t max)
{
	draft_commit(&r->draft);
	assert_int_equal(trace_reader_open(r->draft.path, &r->reader, &r->err), 0);
	if (batching_trace_load(r->reader, max, &r->trace, &r->err))
		fail_msg("%s", r->err.message);
}

static void rig_end(struct rig *r)
{
	batching_trace_finish(&r->trace);
	trace_reader_close(r->reader);
	draft_end(&r->draft);
	free(r);
}

static void store(struct rig *r, uint64_t slot, unsigned order, uint32_t first_content)
{
	uint32_t contents[512];

	for (unsigned i = 0; i < 1u << order; i++)
		contents[i] = first_content ? first_content + i : 0;
	draft_event(&r->draft, TRACE_STORE, slot, order, contents);
}

static void cut(struct rig *r, unsigned order)
{
	if (batching_trace_cut(&r->trace, order, &r->err))
		fail_msg("%s", r->err.message);
}

/* "0+2 4+2": first page and order of each folio. */
static void assert_folios(struct rig *r, const char *expected)
{
	char text[512] = "";

	for (uint64_t i = 0; i < r->trace.nr_folios; i++)
		sprintf(text + strlen(text), "%s%u+%u", i ? " " : "",
			(unsigned)r->trace.folios[i].first, r->trace.folios[i].order);
	assert_string_equal(text, expected);
}

static void pages_are_cut_in_the_order_of_their_stores_and_the_tail_is_smaller(void **state)
{
	struct rig *r = rig_begin();

	for (unsigned i = 0; i < 11; i++)
		store(r, 1000 - 20 * i, 0, i + 1);
	draft_load(&r->draft, 1000);
	rig_open(r, UINT64_MAX);
	cut(r, 2);
	assert_folios(r, "0+2 4+2 8+1 10+0");
	assert_int_equal(r->trace.folio_pages, 11);
	cut(r, 0);
	assert_int_equal(r->trace.nr_folios, 11);
	cut(r, 9);
	assert_folios(r, "0+3 8+1 10+0");
	rig_end(r);
}

static void folios_of_zeros_never_come_to_zswap(void **state)
{
	struct rig *r = rig_begin();

	store(r, 0, 2, 5);
	store(r, 4, 2, 0);
	store(r, 8, 0, 0);
	store(r, 9, 0, 9);
	store(r, 10, 0, 0);
	store(r, 11, 0, 0);
	rig_open(r, UINT64_MAX);
	cut(r, 2);
	assert_folios(r, "0+2 8+2");
	assert_int_equal(r->trace.zero_folios, 1);
	assert_int_equal(r->trace.zero_pages, 4);
	cut(r, 0);
	assert_int_equal(r->trace.nr_folios, 5);
	assert_int_equal(r->trace.zero_pages, 7);
	rig_end(r);
}

static void a_trace_may_keep_its_folios(void **state)
{
	struct rig *r = rig_begin();

	store(r, 0, 4, 1);
	store(r, 16, 0, 21);
	store(r, 32, 3, 31);
	rig_open(r, UINT64_MAX);
	cut(r, BATCHING_AS_TRACED);
	assert_folios(r, "0+4 16+0 17+3");
	rig_end(r);
	/* And no part of one is taken. */
	r = rig_begin();
	store(r, 0, 4, 1);
	store(r, 16, 4, 21);
	rig_open(r, 20);
	assert_int_equal(r->trace.nr_pages, 16);
	rig_end(r);
}

static void what_has_nothing_to_store_is_refused(void **state)
{
	struct rig *r = rig_begin();

	draft_mark(&r->draft, "empty");
	draft_commit(&r->draft);
	assert_int_equal(trace_reader_open(r->draft.path, &r->reader, &r->err), 0);
	assert_int_equal(batching_trace_load(r->reader, 100, &r->trace, &r->err), -EINVAL);
	assert_non_null(strstr(r->err.message, "it stores nothing"));
	rig_end(r);
	r = rig_begin();
	store(r, 0, 4, 1);
	draft_commit(&r->draft);
	assert_int_equal(trace_reader_open(r->draft.path, &r->reader, &r->err), 0);
	assert_int_equal(batching_trace_load(r->reader, 15, &r->trace, &r->err), -EINVAL);
	assert_non_null(strstr(r->err.message, "more pages than are to be taken"));
	rig_end(r);
	r = rig_begin();
	store(r, 0, 4, 0);
	rig_open(r, 100);
	assert_int_equal(batching_trace_cut(&r->trace, 4, &r->err), -EINVAL);
	assert_non_null(strstr(r->err.message, "nothing but zeros"));
	rig_end(r);
}

static struct batching_config config_of(struct rig *r, const char *compressor, uint64_t *clock)
{
	return (struct batching_config){
		.profile = &r->profile,
		.crypto = &r->registry,
		.compressor = compressor,
		.clock = ticks,
		.clock_arg = clock,
	};
}

/* 11 folios of 64 KiB and a tail of 5 pages; some pages do not shrink. */
static struct rig *rig_of_folios(void)
{
	struct rig *r = rig_begin();

	for (unsigned i = 0; i < 11; i++)
		store(r, 16 * i, 4, 16 * i + 2);
	store(r, 200, 2, 1000);
	store(r, 204, 0, 1010);
	rig_open(r, UINT64_MAX);
	cut(r, 4);
	return r;
}

static void every_interface_stores_and_loads_the_same(void **state)
{
	static const char *const compressors[] = {"zstd", "lz4", "deflate-iaa"};
	struct batching_result *result = calloc(BATCHING_NR_MODES, sizeof(*result));
	struct rig *r = rig_of_folios();
	uint64_t clock = 0;

	for (unsigned c = 0; c < 3; c++) {
		struct batching_config config = config_of(r, compressors[c], &clock);

		for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
			assert_int_equal(batching_run(&config, mode, true, &r->trace, &result[mode],
						      &r->err),
					 0);
			assert_int_equal(result[mode].pages, 181);
			assert_int_equal(result[mode].refused_folios, 0);
			assert_int_equal(result[mode].verified_pages, 181);
			assert_int_equal(result[mode].mismatched_pages, 0);
			assert_int_equal(result[mode].zswap.zswpout, 181);
			assert_true(result[mode].zswap.dir[ZSWAP_STORE].pages[ZSWAP_PATH_RAW] > 10);
			assert_string_equal(result[mode].objects, result[0].objects);
			assert_true(batching_same_counters(&result[mode].zswap, &result[0].zswap));
		}
	}
	/* The hash is of the objects. */
	{
		struct batching_config config = config_of(r, "zstd", &clock);

		assert_int_equal(batching_run(&config, 0, true, &r->trace, &result[1], &r->err), 0);
		assert_string_not_equal(result[1].objects, result[0].objects);
	}
	rig_end(r);
	free(result);
}

/* The arithmetic of the letter: 8 pages a call, and what is left of a folio is one more. */
static void a_device_is_called_for_8_pages_and_for_the_tail(void **state)
{
	static const unsigned calls[] = {181, 24, 24, 24};
	struct batching_result *result = calloc(1, sizeof(*result));
	struct rig *r = rig_of_folios();
	uint64_t clock = 0;

	r->device.batch_size = 8;
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		struct batching_config config = config_of(r, "deflate-iaa", &clock);

		assert_int_equal(batching_run(&config, mode, true, &r->trace, result, &r->err), 0);
		assert_int_equal(result->device_ns.count, calls[mode]);
		assert_int_equal(result->device_units.sum, 181);
		if (!mode)
			continue;
		/* 22 of 8, the tail of 4, and the one behind it. */
		assert_int_equal(result->device_ns.sum, 22 * 8 * 1378 + 4 * 1568 + 3571);
		assert_int_equal(result->load_device_ns.count,
				 181 - result->zswap.stored_incompressible_pages);
		assert_int_equal(histogram_quantile(&result->load_device_ns, 1, 2) / 20, 2999 / 20);
	}
	rig_end(r);
	free(result);
}

static void modelled_times_are_the_calibrations_for_what_zswap_asked(void **state)
{
	struct batching_result *result = calloc(2, sizeof(*result));
	struct rig *r = rig_of_folios();
	uint64_t clock = 0, one, eight;
	char err[256];

	assert_int_equal(iaa_model_builtin("letter", &r->device, err, sizeof(err)), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct batching_config config = config_of(r, "deflate-iaa", &clock);

		assert_int_equal(batching_run(&config, i ? ZSWAP_BATCHING_SEGMENTED : 0, true,
					      &r->trace, &result[i], &r->err),
				 0);
	}
	one = histogram_quantile(&result[0].device_page_ns, 1, 2);
	eight = histogram_quantile(&result[1].device_page_ns, 1, 2);
	/* A histogram is 0.4 % true; a few calls have the median within 1 %. */
	assert_in_range(one, 3396 * 99 / 100, 3396 * 101 / 100);
	assert_in_range(eight, 717 * 98 / 100, 717 * 102 / 100);
	assert_int_equal((one * 10 + eight / 2) / eight, 47);
	rig_end(r);
	free(result);
}

static void without_writeback_a_folio_is_refused_and_rolled_back(void **state)
{
	struct batching_result *result = calloc(BATCHING_NR_MODES, sizeof(*result));
	struct rig *r = rig_of_folios();
	uint64_t clock = 0;

	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		struct batching_config config = config_of(r, "deflate-iaa", &clock);

		assert_int_equal(
			batching_run(&config, mode, false, &r->trace, &result[mode], &r->err), 0);
		assert_true(result[mode].refused_folios > 5);
		assert_int_equal(result[mode].refused_pages, result[0].refused_pages);
		assert_int_equal(result[mode].verified_pages, 181 - result[0].refused_pages);
		assert_int_equal(result[mode].mismatched_pages, 0);
		assert_int_equal(result[mode].compress.undone + result[mode].verified_pages,
				 result[mode].compress.units);
		assert_string_equal(result[mode].objects, result[0].objects);
	}
	/* A batch is compressed before one of its pages is refused. */
	assert_true(result[ZSWAP_BATCHING_SEGMENTED].compress.undone > result[0].compress.undone);
	assert_true(result[ZSWAP_BATCHING_FOLIO].compress.undone >
		    result[ZSWAP_BATCHING_SEGMENTED].compress.undone);
	rig_end(r);
	free(result);
}

static void software_has_no_modelled_time_and_a_model_is_no_measurement(void **state)
{
	struct batching_result *result = calloc(1, sizeof(*result));
	struct rig *r = rig_of_folios();
	uint64_t clock = 0;
	struct batching_config config = config_of(r, "zstd", &clock);

	assert_int_equal(batching_run(&config, 0, true, &r->trace, result, &r->err), 0);
	assert_int_equal(result->device_ns.count, 0);
	assert_int_equal(result->load_device_ns.count, 0);
	assert_int_equal(result->call_ns.count, 181);
	assert_true(result->call_ns.min >= 10);
	rig_end(r);
	free(result);
}

/* A clock that moves only when it is read: what is left is what the readings did not cause. */
static void the_price_of_the_clock_is_taken_out(void **state)
{
	static const char *const compressors[] = {"zstd", "deflate-iaa"};
	struct rig *r = rig_of_folios();
	struct bootstrap_config bootstrap;
	uint64_t clock = 0;

	bootstrap_config_init(&bootstrap);
	for (unsigned c = 0; c < 2; c++) {
		struct batching_config config = config_of(r, compressors[c], &clock);
		struct batching_overhead o;

		assert_int_equal(batching_overhead_measure(&config, &bootstrap, 5, 64, &r->trace,
							   &o, &r->err),
				 0);
		assert_int_equal(o.rounds, 5);
		assert_true(o.clock_ns == 10);
		for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
			assert_true(fabs(o.ns[mode]) < 1e-9);
			assert_true(fabs(o.delta_ns[mode]) < 1e-9);
			assert_true(o.codec_ns[mode] > 0);
			assert_true(interval_contains(&o.interval[mode], o.ns[mode]));
		}
		batching_overhead_finish(&o);
	}
	rig_end(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			pages_are_cut_in_the_order_of_their_stores_and_the_tail_is_smaller),
		cmocka_unit_test(folios_of_zeros_never_come_to_zswap),
		cmocka_unit_test(a_trace_may_keep_its_folios),
		cmocka_unit_test(what_has_nothing_to_store_is_refused),
		cmocka_unit_test(every_interface_stores_and_loads_the_same),
		cmocka_unit_test(a_device_is_called_for_8_pages_and_for_the_tail),
		cmocka_unit_test(modelled_times_are_the_calibrations_for_what_zswap_asked),
		cmocka_unit_test(without_writeback_a_folio_is_refused_and_rolled_back),
		cmocka_unit_test(software_has_no_modelled_time_and_a_model_is_no_measurement),
		cmocka_unit_test(the_price_of_the_clock_is_taken_out),
	};

	return cmocka_run_group_tests_name("batching", tests, NULL, NULL);
}
