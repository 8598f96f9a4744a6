// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/draft.h"
#include "tests/test.h"

static void every_load_is_verified_under_every_preset(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 300; i++)
		draft_store(&d, i, i);
	for (uint32_t i = 0; i < 300; i++)
		draft_load(&d, (i * 7) % 300);
	for (uint32_t i = 0; i < 300; i++)
		draft_event(&d, TRACE_INVALIDATE, i, 0, NULL);
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		assert_int_equal(draft_run(&d, *kernel, NULL, result), 0);
		assert_int_equal(result->counts.verified_pages, 300);
		assert_int_equal(result->counts.mismatched_pages, 0);
		assert_int_equal(result->counts.out_pages[SWAPOUT_ZERO], 1);
		assert_int_equal(result->pool_end.pages, 0);
		assert_int_equal(result->zswap.zswpin, result->zswap.zswpout);
		replay_result_finish(result);
	}
	draft_end(&d);
	free(result);
}

static void eager_and_deferred_differ_by_one_initialisation_a_oneshot_request(void **state)
{
	struct replay_result *eager = malloc(sizeof(*eager)), *deferred = malloc(sizeof(*deferred));
	const struct zswap_account *e, *f;
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 400; i++)
		draft_store(&d, i, 2 * i + 2);
	for (uint32_t i = 0; i < 400; i++)
		draft_load(&d, i);
	assert_int_equal(draft_run(&d, "7.3", NULL, eager), 0);
	assert_int_equal(draft_run(&d, "7.3", "zstd.stream_init=deferred", deferred), 0);
	for (unsigned dir = ZSWAP_STORE; dir <= ZSWAP_LOAD; dir++) {
		static const enum acomp_call stream[] = {ACOMP_CALL_INIT_CSTREAM,
							 ACOMP_CALL_INIT_DSTREAM};
		static const enum acomp_call oneshot[] = {ACOMP_CALL_INIT_CCTX,
							  ACOMP_CALL_INIT_DCTX};
		/* Raw pages were tried one-shot on their way in, and touch no codec on the way out.
		 */
		uint64_t tried;

		e = &eager->zswap.dir[dir];
		f = &deferred->zswap.dir[dir];
		tried = e->pages[ZSWAP_PATH_ONESHOT] +
			(dir == ZSWAP_STORE ? e->pages[ZSWAP_PATH_RAW] : 0);
		assert_memory_equal(e->pages, f->pages, sizeof(e->pages));
		assert_int_equal(e->calls[oneshot[dir]], tried);
		assert_int_equal(f->calls[oneshot[dir]], tried);
		assert_int_equal(e->calls[stream[dir]] - f->calls[stream[dir]], tried);
		assert_int_equal(f->calls[stream[dir]], f->pages[ZSWAP_PATH_STREAM]);
	}
	assert_true(eager->zswap.dir[ZSWAP_LOAD].pages[ZSWAP_PATH_STREAM] > 20);
	assert_memory_equal(&eager->pool_peak, &deferred->pool_peak, sizeof(eager->pool_peak));
	replay_result_finish(eager);
	replay_result_finish(deferred);
	draft_end(&d);
	free(eager);
	free(deferred);
}

static void large_folios_are_stored_in_7_3_and_refused_in_6_12(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	uint32_t contents[16];
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < 16; i++)
		contents[i] = i + 1;
	draft_event(&d, TRACE_STORE, 64, 4, contents);
	for (unsigned i = 0; i < 16; i++)
		draft_load(&d, 64 + i);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->zswap.zswpout, 16);
	assert_int_equal(result->op[REPLAY_OUT_ZSWAP_LARGE].count, 1);
	assert_int_equal(result->counts.verified_pages, 16);
	assert_int_equal(result->counts.mismatched_pages, 0);
	replay_result_finish(result);
	assert_int_equal(draft_run(&d, "6.12", NULL, result), 0);
	assert_int_equal(result->zswap.zswpout, 0);
	assert_int_equal(result->zswap.reject_large_folio, 1);
	assert_int_equal(result->counts.in_pages[SWAPIN_DISK], 16);
	assert_int_equal(result->counts.mismatched_pages, 0);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

/* Case C22. */
static void a_load_whose_copy_is_gone_is_a_trace_error_with_its_number(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 100; i++)
		draft_store(&d, i, 2 * i + 2);
	for (uint32_t i = 0; i < 90; i++)
		draft_load(&d, i);
	draft_load(&d, 1);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), -ENODATA);
	assert_non_null(strstr(d.err.message, "event 190"));
	assert_non_null(strstr(d.err.message, "no copy is left"));
	draft_end(&d);
	free(result);
}

static void a_slot_that_was_never_stored_is_unknown_and_no_error(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	draft_store(&d, 1, 2);
	draft_load(&d, 500);
	draft_event(&d, TRACE_INVALIDATE, 501, 0, NULL);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->counts.unknown_loads, 1);
	assert_int_equal(result->counts.unknown_invalidates, 1);
	assert_int_equal(result->swap.pswpin, 0);
	assert_int_equal(result->counts.verified_pages, 0);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

static void a_page_on_disk_may_be_loaded_twice(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	draft_store(&d, 1, 3);
	draft_load(&d, 1);
	draft_load(&d, 1);
	assert_int_equal(draft_run(&d, "6.12", NULL, result), 0);
	assert_int_equal(result->swap.pswpin, 2);
	assert_int_equal(result->counts.verified_pages, 2);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

static void each_cpu_gets_a_context_after_its_first_request(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 40; i++)
		draft_store(&d, i, 2 * i + 2);
	assert_int_equal(draft_run(&d, "7.3", NULL, result), 0);
	assert_int_equal(result->stream_contexts, 4);
	assert_int_equal(result->stream_fallbacks, 3);
	replay_result_finish(result);
	draft_end(&d);
	free(result);
}

static void counts_do_not_depend_on_the_clock(void **state)
{
	struct replay_result *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	struct draft d;

	draft_begin(&d);
	for (uint32_t i = 0; i < 100; i++)
		draft_store(&d, i % 30, i);
	assert_int_equal(draft_run(&d, "7.3", NULL, a), 0);
	assert_int_equal(draft_run(&d, "7.3", NULL, b), 0);
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	assert_memory_equal(&a->pool_peak, &b->pool_peak, sizeof(a->pool_peak));
	assert_int_equal(a->peak_event, b->peak_event);
	replay_result_finish(a);
	replay_result_finish(b);
	draft_end(&d);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_load_is_verified_under_every_preset),
		cmocka_unit_test(eager_and_deferred_differ_by_one_initialisation_a_oneshot_request),
		cmocka_unit_test(large_folios_are_stored_in_7_3_and_refused_in_6_12),
		cmocka_unit_test(a_load_whose_copy_is_gone_is_a_trace_error_with_its_number),
		cmocka_unit_test(a_slot_that_was_never_stored_is_unknown_and_no_error),
		cmocka_unit_test(a_page_on_disk_may_be_loaded_twice),
		cmocka_unit_test(each_cpu_gets_a_context_after_its_first_request),
		cmocka_unit_test(counts_do_not_depend_on_the_clock),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
