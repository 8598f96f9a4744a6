// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include "traces/pattern.h"

#define MAX_PAGES 6000

static const struct trace_pattern_config madvise = {.nr_cpus = 1, .seed = 1};

static struct trace_pattern *pattern_of(const struct trace_pattern_config *config,
					const uint64_t *files, size_t nr_files)
{
	struct trace_pattern *p;

	assert_int_equal(trace_pattern_create(config, &p), 0);
	for (size_t i = 0; i < nr_files; i++)
		assert_int_equal(trace_pattern_add_file(p, files[i]), 0);
	return p;
}

struct expected {
	enum trace_event_type type;
	unsigned order;
	uint64_t offset, page;
};

static void expect(struct trace_pattern *p, const struct expected *list, size_t nr)
{
	struct trace_pattern_step step;

	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(trace_pattern_next(p, &step), 1);
		assert_int_equal(step.event.type, list[i].type);
		if (list[i].type == TRACE_MARK) {
			assert_int_equal(step.event.arg, list[i].page);
			continue;
		}
		assert_int_equal(step.event.order, list[i].order);
		assert_int_equal(step.event.offset, list[i].offset);
		assert_int_equal(step.page, list[i].page);
	}
	assert_int_equal(trace_pattern_next(p, &step), 0);
}

static void madvise_stores_all_loads_all_invalidates_all(void **state)
{
	static const struct expected list[] = {
		{TRACE_MARK, 0, 0, 0},	     {TRACE_STORE, 0, 0, 0},
		{TRACE_STORE, 0, 1, 1},	     {TRACE_STORE, 0, 2, 2},
		{TRACE_MARK, 0, 0, 1},	     {TRACE_LOAD, 0, 0, 0},
		{TRACE_LOAD, 0, 1, 1},	     {TRACE_LOAD, 0, 2, 2},
		{TRACE_MARK, 0, 0, 2},	     {TRACE_INVALIDATE, 0, 0, 0},
		{TRACE_INVALIDATE, 0, 1, 1}, {TRACE_INVALIDATE, 0, 2, 2},
	};
	const uint64_t files[] = {2, 1};
	struct trace_pattern *p = pattern_of(&madvise, files, 2);

	expect(p, list, sizeof(list) / sizeof(*list));
	assert_int_equal(trace_pattern_nr_phases(p), 3);
	assert_string_equal(trace_pattern_phase(p, 0), "store");
	assert_string_equal(trace_pattern_phase(p, 1), "load");
	assert_string_equal(trace_pattern_phase(p, 2), "invalidate");
	trace_pattern_destroy(p);
}

static void the_end_of_a_file_that_fills_no_folio_is_single_pages(void **state)
{
	static const struct expected list[] = {
		{TRACE_MARK, 0, 0, 0},
		{TRACE_STORE, 2, 0, 0},
		{TRACE_STORE, 0, 4, 4},
		{TRACE_STORE, 0, 5, 5},
		/* Less than a folio: follows at once. */
		{TRACE_STORE, 0, 6, 6},
		/* The next folio is aligned. */
		{TRACE_STORE, 2, 8, 7},
		{TRACE_MARK, 0, 0, 1},
		{TRACE_LOAD, 0, 0, 0},
		{TRACE_LOAD, 0, 1, 1},
		{TRACE_LOAD, 0, 2, 2},
		{TRACE_LOAD, 0, 3, 3},
		{TRACE_LOAD, 0, 4, 4},
		{TRACE_LOAD, 0, 5, 5},
		{TRACE_LOAD, 0, 6, 6},
		{TRACE_LOAD, 0, 8, 7},
		{TRACE_LOAD, 0, 9, 8},
		{TRACE_LOAD, 0, 10, 9},
		{TRACE_LOAD, 0, 11, 10},
		{TRACE_MARK, 0, 0, 2},
		{TRACE_INVALIDATE, 0, 0, 0},
		{TRACE_INVALIDATE, 0, 1, 1},
		{TRACE_INVALIDATE, 0, 2, 2},
		{TRACE_INVALIDATE, 0, 3, 3},
		{TRACE_INVALIDATE, 0, 4, 4},
		{TRACE_INVALIDATE, 0, 5, 5},
		{TRACE_INVALIDATE, 0, 6, 6},
		{TRACE_INVALIDATE, 0, 8, 7},
		{TRACE_INVALIDATE, 0, 9, 8},
		{TRACE_INVALIDATE, 0, 10, 9},
		{TRACE_INVALIDATE, 0, 11, 10},
	};
	const struct trace_pattern_config config = {.folio_order = 2, .nr_cpus = 1};
	const uint64_t files[] = {6, 1, 0, 4};
	struct trace_pattern *p = pattern_of(&config, files, 4);

	expect(p, list, sizeof(list) / sizeof(*list));
	trace_pattern_destroy(p);
}

static void loop_turns_every_page_around_in_order(void **state)
{
	static const struct expected list[] = {
		{TRACE_MARK, 0, 0, 0},	{TRACE_STORE, 2, 0, 0}, {TRACE_STORE, 0, 4, 4},
		{TRACE_LOAD, 0, 0, 0},	{TRACE_LOAD, 0, 1, 1},	{TRACE_LOAD, 0, 2, 2},
		{TRACE_LOAD, 0, 3, 3},	{TRACE_LOAD, 0, 4, 4},	{TRACE_STORE, 2, 0, 0},
		{TRACE_STORE, 0, 4, 4}, {TRACE_LOAD, 0, 0, 0},
	};
	const struct trace_pattern_config config = {
		.kind = TRACE_PATTERN_LOOP, .folio_order = 2, .nr_cpus = 1, .nr_events = 10};
	const uint64_t files[] = {5};
	struct trace_pattern *p = pattern_of(&config, files, 1);

	expect(p, list, sizeof(list) / sizeof(*list));
	assert_string_equal(trace_pattern_phase(p, 0), "loop");
	trace_pattern_destroy(p);
}

/* What must hold for any pattern; returns how many STOREs there were. */
static uint64_t check_laws(const struct trace_pattern_config *config, const uint64_t *files,
			   size_t nr_files, uint64_t nr_events)
{
	struct trace_pattern *p = pattern_of(config, files, nr_files);
	static bool swapped[MAX_PAGES];
	static uint64_t file_of[MAX_PAGES], offsets[MAX_PAGES];
	uint64_t events = 0, time = 0, nr_pages = 0, stores = 0;
	struct trace_pattern_step step;

	for (size_t f = 0; f < nr_files; f++)
		for (uint64_t i = 0; i < files[f]; i++)
			file_of[nr_pages++] = f;
	memset(swapped, 0, sizeof(swapped));
	memset(offsets, 0xff, sizeof(offsets));
	while (trace_pattern_next(p, &step) == 1) {
		const struct trace_event *ev = &step.event;
		uint64_t nr = 1ull << ev->order;

		assert_true(ev->time_ns == time);
		if (ev->type == TRACE_MARK || ev->type == TRACE_PRESSURE)
			continue;
		events++;
		time += nr * TRACE_PATTERN_PAGE_NS;
		assert_true(ev->type == TRACE_STORE || ev->order == 0);
		assert_true(ev->order == 0 || ev->order == config->folio_order);
		assert_int_equal(ev->offset % nr, 0);
		assert_true(step.page + nr <= nr_pages);
		assert_int_equal(file_of[step.page], file_of[step.page + nr - 1]);
		assert_int_equal(ev->cpu, (ev->offset >> config->folio_order) % config->nr_cpus);
		for (uint64_t i = 0; i < nr; i++) {
			uint64_t page = step.page + i;

			/* A page has one slot for good. */
			if (offsets[page] == UINT64_MAX)
				offsets[page] = ev->offset + i;
			assert_true(offsets[page] == ev->offset + i);
			if (ev->type == TRACE_INVALIDATE)
				continue;
			assert_true(swapped[page] == (ev->type == TRACE_LOAD));
			swapped[page] = ev->type == TRACE_STORE;
		}
		stores += ev->type == TRACE_STORE;
	}
	if (nr_events)
		assert_int_equal(events, nr_events);
	trace_pattern_destroy(p);
	return stores;
}

static void no_load_is_without_a_copy_and_no_copy_is_stored_over(void **state)
{
	static const enum trace_pattern_kind kinds[] = {TRACE_PATTERN_MADVISE, TRACE_PATTERN_RANDOM,
							TRACE_PATTERN_ZIPF, TRACE_PATTERN_LOOP};
	static const unsigned orders[] = {0, 2, 4, 9};
	const uint64_t files[] = {1, 511, 512, 513, 3, 0, 16, 1700, 40};

	for (size_t k = 0; k < 4; k++) {
		for (size_t o = 0; o < 4; o++) {
			struct trace_pattern_config config = {
				.kind = kinds[k],
				.zipf_a = 1,
				.folio_order = orders[o],
				.nr_cpus = 1 + 3 * o,
				.nr_events = k ? 20000 : 0,
				.seed = 7,
			};

			check_laws(&config, files, sizeof(files) / sizeof(*files),
				   config.nr_events);
		}
	}
}

static void burst_touches_warm_pages_and_stores_cold_ones_once(void **state)
{
	static const unsigned phases[] = {0, 2, 1, 2, 1, 2, 1, 2, 1, 2};
	const struct trace_pattern_config config = {.kind = TRACE_PATTERN_BURST,
						    .nr_cpus = 1,
						    .nr_events = 1003,
						    .seed = 3,
						    .scan = 77};
	const uint64_t files[] = {500, 301};
	struct trace_pattern *p = pattern_of(&config, files, 2);
	uint64_t next_warm = 0, next_cold = 400, stored = 0, in_stage = 0, touches = 0,
		 pressures = 0;
	struct trace_pattern_step step;
	unsigned nr_marks = 0;

	while (trace_pattern_next(p, &step) == 1) {
		const struct trace_event *ev = &step.event;
		unsigned phase = nr_marks ? phases[nr_marks - 1] : 0;

		if (ev->type == TRACE_MARK) {
			assert_true(nr_marks < 10);
			assert_int_equal(ev->arg, phases[nr_marks++]);
			if (phase == 1)
				assert_in_range(in_stage, 100, 101);
			else if (phase == 2)
				assert_in_range(in_stage, 200, 201);
			in_stage = 0;
			continue;
		}
		if (ev->type == TRACE_PRESSURE) {
			assert_int_equal(ev->arg, 77);
			assert_int_equal(stored, TRACE_PATTERN_PRESSURE_PAGES);
			stored = 0;
			pressures++;
			continue;
		}
		in_stage++;
		stored += ev->type == TRACE_STORE;
		assert_true(stored <= TRACE_PATTERN_PRESSURE_PAGES);
		if (phase == 2) {
			assert_true(step.page < 400);
			touches++;
			continue;
		}
		assert_int_equal(ev->type, TRACE_STORE);
		if (phase == 0)
			assert_int_equal(step.page, next_warm++);
		else
			assert_int_equal(step.page, next_cold++);
	}
	assert_int_equal(nr_marks, 10);
	assert_int_equal(next_warm, 400);
	assert_int_equal(next_cold, 801);
	assert_int_equal(touches, 1003);
	assert_true(pressures >= 3);
	assert_int_equal(trace_pattern_nr_phases(p), 3);
	assert_string_equal(trace_pattern_phase(p, 0), "warm");
	assert_string_equal(trace_pattern_phase(p, 1), "burst");
	assert_string_equal(trace_pattern_phase(p, 2), "work");
	trace_pattern_destroy(p);
}

static void burst_keeps_the_laws_with_folios_and_with_few_pages(void **state)
{
	static const unsigned orders[] = {0, 2, 9};
	const uint64_t files[] = {1, 511, 512, 513, 3, 0, 16, 1700, 40};

	for (size_t o = 0; o < 3; o++) {
		struct trace_pattern_config config = {.kind = TRACE_PATTERN_BURST,
						      .folio_order = orders[o],
						      .nr_cpus = 3,
						      .nr_events = 9000,
						      .scan = 1};

		check_laws(&config, files, sizeof(files) / sizeof(*files), 0);
		for (uint64_t nr = 1; nr < 12; nr++)
			assert_true(check_laws(&config, &nr, 1, 0) >= (nr >> orders[o]));
	}
}

static void without_a_number_there_are_four_events_a_page(void **state)
{
	const struct trace_pattern_config config = {.kind = TRACE_PATTERN_RANDOM, .nr_cpus = 1};
	const uint64_t files[] = {1000};

	check_laws(&config, files, 1, 4000);
}

static void one_page_alone_is_stored_and_loaded_in_turn(void **state)
{
	static const enum trace_pattern_kind kinds[] = {TRACE_PATTERN_RANDOM, TRACE_PATTERN_ZIPF,
							TRACE_PATTERN_LOOP};
	const uint64_t files[] = {1};

	for (size_t k = 0; k < 3; k++) {
		const struct trace_pattern_config config = {
			.kind = kinds[k], .zipf_a = 1.5, .nr_cpus = 1024, .nr_events = 101};

		assert_int_equal(check_laws(&config, files, 1, 101), 51);
	}
}

static void without_pages_there_are_no_events(void **state)
{
	struct trace_pattern *p = pattern_of(&madvise, (uint64_t[]){0}, 1);
	struct trace_pattern_step step;

	assert_int_equal(trace_pattern_next(p, &step), 0);
	trace_pattern_destroy(p);
}

/* A number that stands for the whole sequence. */
static uint64_t digest(const struct trace_pattern_config *config)
{
	const uint64_t files[] = {700, 33, 1000};
	struct trace_pattern *p = pattern_of(config, files, 3);
	struct trace_pattern_step step;
	uint64_t sum = 0;

	while (trace_pattern_next(p, &step) == 1)
		sum = sum * 0x9e3779b97f4a7c15ull + step.event.offset * 8 + step.event.type;
	trace_pattern_destroy(p);
	return sum;
}

static void the_sequence_depends_on_the_seed_and_nothing_else(void **state)
{
	static const enum trace_pattern_kind kinds[] = {TRACE_PATTERN_RANDOM, TRACE_PATTERN_ZIPF};

	for (size_t k = 0; k < 2; k++) {
		struct trace_pattern_config config = {
			.kind = kinds[k], .zipf_a = 0.9, .nr_cpus = 1, .seed = 5};
		uint64_t first = digest(&config);

		assert_true(digest(&config) == first);
		config.seed = 6;
		assert_true(digest(&config) != first);
	}
}

/* How often each page is touched, whichever way it goes. */
static void count_touches(const struct trace_pattern_config *config, uint64_t nr_pages,
			  uint32_t *touches)
{
	struct trace_pattern *p = pattern_of(config, &nr_pages, 1);
	struct trace_pattern_step step;

	while (trace_pattern_next(p, &step) == 1) {
		if (step.event.type != TRACE_MARK)
			touches[step.page]++;
	}
	trace_pattern_destroy(p);
}

static void random_touches_all_pages_alike(void **state)
{
	const struct trace_pattern_config config = {
		.kind = TRACE_PATTERN_RANDOM, .nr_cpus = 1, .nr_events = 1000000};
	uint32_t touches[1000] = {0};
	double chi2 = 0;

	count_touches(&config, 1000, touches);
	for (int i = 0; i < 1000; i++)
		chi2 += (touches[i] - 1000.0) * (touches[i] - 1000.0) / 1000.0;
	/* 999 degrees of freedom, deviation 44.7. */
	assert_true(chi2 < 999 + 5 * 44.7);
}

static int descending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

static void zipf_has_favourites_that_lie_anywhere(void **state)
{
	const struct trace_pattern_config config = {.kind = TRACE_PATTERN_ZIPF,
						    .zipf_a = 1,
						    .nr_cpus = 1,
						    .nr_events = 1000000,
						    .seed = 1};
	uint32_t touches[1000] = {0}, first_half = 0;

	count_touches(&config, 1000, touches);
	for (int i = 0; i < 500; i++)
		first_half += touches[i];
	/* Were the favourites at the beginning, this would be 0.91. */
	assert_in_range(first_half, 200000, 800000);
	qsort(touches, 1000, sizeof(*touches), descending);
	/* The sum of 1 / k up to 1000 is 7.4855. */
	assert_in_range(touches[0], 133592 * 0.98, 133592 * 1.02);
	assert_in_range(touches[1], 66796 * 0.98, 66796 * 1.02);
	assert_in_range(touches[9], 13359 * 0.95, 13359 * 1.05);
}

static void a_swap_space_without_end_is_refused(void **state)
{
	struct trace_pattern *p = pattern_of(&madvise, NULL, 0);

	assert_int_equal(trace_pattern_add_file(p, TRACE_MAX_OFFSET + 1), -EOVERFLOW);
	assert_int_equal(trace_pattern_add_file(p, TRACE_MAX_OFFSET), 0);
	assert_int_equal(trace_pattern_add_file(p, 1), -EOVERFLOW);
	assert_int_equal(trace_pattern_add_file(p, UINT64_MAX), -EOVERFLOW);
	trace_pattern_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(madvise_stores_all_loads_all_invalidates_all),
		cmocka_unit_test(the_end_of_a_file_that_fills_no_folio_is_single_pages),
		cmocka_unit_test(loop_turns_every_page_around_in_order),
		cmocka_unit_test(no_load_is_without_a_copy_and_no_copy_is_stored_over),
		cmocka_unit_test(burst_touches_warm_pages_and_stores_cold_ones_once),
		cmocka_unit_test(burst_keeps_the_laws_with_folios_and_with_few_pages),
		cmocka_unit_test(without_a_number_there_are_four_events_a_page),
		cmocka_unit_test(one_page_alone_is_stored_and_loaded_in_turn),
		cmocka_unit_test(without_pages_there_are_no_events),
		cmocka_unit_test(the_sequence_depends_on_the_seed_and_nothing_else),
		cmocka_unit_test(random_touches_all_pages_alike),
		cmocka_unit_test(zipf_has_favourites_that_lie_anywhere),
		cmocka_unit_test(a_swap_space_without_end_is_refused),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
