// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include <xxhash.h>

#include "tests/test.h"
#include "traces/synth_page.h"

static const struct synth_style style = {SYNTH_PROSE, 59000, 8, 2};

static void make(const struct synth_style *s, unsigned knob, uint64_t seed, uint8_t *page)
{
	struct synth_maker maker;
	struct random r;

	synth_maker_init(&maker, s);
	random_init(&r, seed, knob);
	synth_page_make(&maker, knob, &r, page);
}

/*
 * Traces are told apart by their hash, and made again by their command: if this fails, pages are
 * made differently than before, or differently on this machine than on others.
 */
static void pages_are_the_same_everywhere_and_always(void **state)
{
	static const struct {
		struct synth_style style;
		unsigned knob;
		uint64_t hash;
	} known[] = {
		{{SYNTH_PROSE, 59000, 8, 2}, 2500, 0xad94c415dcecc781ull},
		{{SYNTH_RECORDS, 45500, 32, 3}, 300, 0x8f2912566dd45f8eull},
		{{SYNTH_BINARY, 61000, 16, 2}, 5000, 0xf411b7fddfcf6553ull},
	};
	uint8_t page[SYNTH_PAGE_BYTES];

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		make(&known[i].style, known[i].knob, 1, page);
		assert_true(XXH3_64bits(page, sizeof(page)) == known[i].hash);
	}
}

static void every_knob_of_every_style_makes_a_page(void **state)
{
	static const struct synth_style styles[] = {
		{SYNTH_PROSE, 0, 5, 1},	       {SYNTH_RECORDS, 1, 255, 255},
		{SYNTH_BINARY, 65535, 5, 255}, {SYNTH_PROSE, 30000, 255, 1},
		{SYNTH_BINARY, 60000, 20, 3},
	};
	uint8_t guarded[SYNTH_PAGE_BYTES + 1];

	guarded[SYNTH_PAGE_BYTES] = 0xaa;
	for (size_t s = 0; s < sizeof(styles) / sizeof(*styles); s++) {
		for (unsigned knob = 1; knob <= SYNTH_KNOB_MAX; knob += knob < 300 ? 1 : 37) {
			memset(guarded, 0xee, SYNTH_PAGE_BYTES);
			make(&styles[s], knob, 3, guarded);
			assert_int_equal(guarded[SYNTH_PAGE_BYTES], 0xaa);
		}
	}
}

static unsigned distinct_bytes(const uint8_t *page)
{
	bool seen[256] = {false};
	unsigned n = 0;

	for (unsigned i = 0; i < SYNTH_PAGE_BYTES; i++) {
		n += !seen[page[i]];
		seen[page[i]] = true;
	}
	return n;
}

static void literals_come_from_the_alphabet_and_noise_from_all_bytes(void **state)
{
	uint8_t page[SYNTH_PAGE_BYTES];
	unsigned blanks = 0, last = 0;

	make(&style, SYNTH_PAGE_BYTES, 1, page);
	assert_in_range(distinct_bytes(page), 30, 100);
	for (unsigned i = 0; i < SYNTH_PAGE_BYTES; i++)
		blanks += page[i] == ' ';
	/* The first of the alphabet has its share, 1 - 59000 / 65536, to the byte. */
	assert_in_range(blanks, 408, 410);
	make(&style, SYNTH_KNOB_MAX, 1, page);
	assert_int_equal(distinct_bytes(page), 256);
	for (unsigned knob = 256; knob < 4096; knob += 256) {
		make(&style, knob, 1, page);
		assert_true(distinct_bytes(page) >= last);
		last = distinct_bytes(page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_the_same_everywhere_and_always),
		cmocka_unit_test(every_knob_of_every_style_makes_a_page),
		cmocka_unit_test(literals_come_from_the_alphabet_and_noise_from_all_bytes),
	};

	return cmocka_run_group_tests_name("synth_page", tests, NULL, NULL);
}
