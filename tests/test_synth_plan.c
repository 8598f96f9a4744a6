// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include "traces/synth_plan.h"

static void figures_add_up(void **state)
{
	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		const struct synth_figures *figures = &synth_silesia[f].figures;
		uint32_t sum = figures->incompressible;

		for (unsigned bin = 0; bin < SYNTH_BINS; bin++)
			sum += figures->bins[bin];
		assert_int_equal(sum, figures->pages);
		assert_true(figures->zero <= figures->bins[0]);
	}
}

static void a_plan_has_exactly_the_counts_of_the_figures(void **state)
{
	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		const struct synth_figures *figures = &synth_silesia[f].figures;
		uint32_t zero = 0, random = 0, bins[SYNTH_BINS] = {0};
		struct synth_plan plan;
		double sum = 0;

		assert_int_equal(
			synth_plan_init(&plan, &synth_silesia[f], synth_silesia_sizes[f], 1, f), 0);
		assert_int_equal(plan.nr_pages, figures->pages);
		for (uint32_t i = 0; i < plan.nr_pages; i++) {
			unsigned target = plan.targets[i];

			zero += target == SYNTH_TARGET_ZERO;
			random += target == SYNTH_TARGET_RANDOM;
			sum += target == SYNTH_TARGET_ZERO     ? SYNTH_ZERO_PAGE_BYTES
			       : target == SYNTH_TARGET_RANDOM ? 4096
							       : target;
			if (target == SYNTH_TARGET_ZERO)
				bins[0]++;
			else if (target != SYNTH_TARGET_RANDOM)
				bins[(target - 1) / SYNTH_BIN_BYTES]++;
		}
		assert_int_equal(zero, figures->zero);
		assert_int_equal(random, figures->incompressible);
		for (unsigned bin = 0; bin < SYNTH_BINS; bin++)
			assert_int_equal(bins[bin], figures->bins[bin]);
		sum /= figures->pages * (double)figures->mean_zstd;
		assert_true(sum > 0.99 && sum < 1.01);
		synth_plan_finish(&plan);
	}
}

/* How alike a page's target and the next one's are: 1 alike, 0 not at all. */
static double correlation(const struct synth_plan *plan)
{
	double mean = 0, var = 0, cov = 0;

	for (uint32_t i = 0; i < plan->nr_pages; i++)
		mean += plan->targets[i];
	mean /= plan->nr_pages;
	for (uint32_t i = 0; i < plan->nr_pages; i++) {
		double x = plan->targets[i] - mean;

		var += x * x;
		if (i + 1 < plan->nr_pages)
			cov += x * (plan->targets[i + 1] - mean);
	}
	return cov / var;
}

static void neighbours_are_as_alike_as_measured(void **state)
{
	static const struct {
		const char *name;
		double low, high;
	} measured[] = {
		{"dickens", 0.1, 0.35}, {"nci", 0.1, 0.35},  {"ooffice", 0.6, 0.85},
		{"osdb", -0.1, 0.1},	{"xml", 0.75, 0.97},
	};

	for (size_t m = 0; m < sizeof(measured) / sizeof(*measured); m++) {
		for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
			struct synth_plan plan;
			double c;

			if (strcmp(synth_silesia[f].name, measured[m].name))
				continue;
			assert_int_equal(synth_plan_init(&plan, &synth_silesia[f],
							 synth_silesia_sizes[f], 1, f),
					 0);
			c = correlation(&plan);
			assert_true(c > measured[m].low && c < measured[m].high);
			synth_plan_finish(&plan);
		}
	}
}

static void the_order_depends_on_seed_and_stream(void **state)
{
	struct synth_plan a, b;
	uint8_t page[SYNTH_PAGE_BYTES], other[SYNTH_PAGE_BYTES];
	size_t bytes = synth_silesia[0].figures.pages * sizeof(uint16_t);
	static const struct {
		uint64_t seed;
		uint32_t stream;
		bool same;
	} cases[] = {{1, 0, true}, {2, 0, false}, {1, 1, false}};

	assert_int_equal(synth_plan_init(&a, &synth_silesia[0], synth_silesia_sizes[0], 1, 0), 0);
	synth_plan_page(&a, 17, page);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(synth_plan_init(&b, &synth_silesia[0], synth_silesia_sizes[0],
						 cases[i].seed, cases[i].stream),
				 0);
		assert_int_equal(!memcmp(a.targets, b.targets, bytes), cases[i].same);
		synth_plan_page(&b, 17, other);
		assert_int_equal(!memcmp(page, other, sizeof(page)), cases[i].same);
		synth_plan_finish(&b);
	}
	synth_plan_finish(&a);
}

static void a_knob_lies_between_those_measured_around_it(void **state)
{
	uint16_t sizes[SYNTH_NR_KNOBS] = {0};

	/* 100 bytes at the first knob, 10 more at each other one, up to the fourth. */
	for (unsigned i = 0; i < 4; i++)
		sizes[i] = (100 + 10 * i) * 8;
	sizes[3] = sizes[2];
	assert_int_equal(synth_knob(sizes, 1), synth_knobs[0]);
	assert_int_equal(synth_knob(sizes, 100), synth_knobs[0]);
	assert_int_equal(synth_knob(sizes, 110), synth_knobs[1]);
	assert_in_range(synth_knob(sizes, 115), synth_knobs[1], synth_knobs[2]);
	/* No knob makes more than the last one measured. */
	assert_int_equal(synth_knob(sizes, 4000), synth_knobs[3]);
	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		unsigned last = 0;

		for (unsigned target = 1; target <= 4096; target++) {
			unsigned knob = synth_knob(synth_silesia_sizes[f], target);

			assert_true(knob >= last && knob <= SYNTH_KNOB_MAX);
			last = knob;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_add_up),
		cmocka_unit_test(a_plan_has_exactly_the_counts_of_the_figures),
		cmocka_unit_test(neighbours_are_as_alike_as_measured),
		cmocka_unit_test(the_order_depends_on_seed_and_stream),
		cmocka_unit_test(a_knob_lies_between_those_measured_around_it),
	};

	return cmocka_run_group_tests_name("synth_plan", tests, NULL, NULL);
}
