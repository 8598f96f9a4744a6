// SPDX-License-Identifier: GPL-2.0-or-later
/* What the benchmark compares with is a cache, too: against one that looks through arrays. */
#include <stdlib.h>
#include <string.h>

#include "tests/bare_lru.h"
#include "tests/test.h"
#include "tests/trace_file.h"
#include "tests/zipf_trace.h"

#define PAGES 300u
#define LIMIT 200000u

/* Slots in the order in which they were stored. */
struct model {
	uint32_t slots[PAGES];
	unsigned nr;
	uint64_t bytes, hits, evictions;
	const uint16_t *lengths;
};

static bool take(struct model *m, uint32_t slot)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (m->slots[i] != slot)
			continue;
		memmove(m->slots + i, m->slots + i + 1, (m->nr - i - 1) * sizeof(*m->slots));
		m->nr--;
		/* Slot n is page n's, in this trace. */
		m->bytes -= m->lengths[slot];
		return true;
	}
	return false;
}

static void model_event(struct model *m, const struct trace_event *ev)
{
	if (ev->type == TRACE_LOAD)
		m->hits += take(m, ev->offset);
	if (ev->type != TRACE_STORE)
		return;
	assert_int_equal(ev->arg, ev->offset);
	take(m, ev->offset);
	m->slots[m->nr++] = ev->offset;
	m->bytes += m->lengths[ev->offset];
	while (m->bytes > LIMIT) {
		take(m, m->slots[0]);
		m->evictions++;
	}
}

static void the_bare_loop_keeps_what_was_stored_last(void **state)
{
	const struct zipf_trace_config config = {
		.nr_events = 20000, .nr_pages = PAGES, .a = 0.5, .seed = 1};
	static uint16_t lengths[PAGES];
	struct model m = {.lengths = lengths};
	struct trace_reader *reader;
	struct bare_lru *b;
	struct trace_error err;
	uint64_t nr;

	assert_ok(zipf_trace_write(scratch_path("zipf.bin"), &config, &err), &err);
	assert_ok(trace_reader_open(scratch_path("zipf.bin"), &reader, &err), &err);
	nr = trace_reader_info(reader)->nr_events;
	for (unsigned i = 0; i < PAGES; i++) {
		assert_ok(trace_reader_length(reader, i, 0, &lengths[i], &err), &err);
		if (lengths[i] == TRACE_LENGTH_FAILED)
			lengths[i] = TRACE_PAGE_SIZE;
	}
	b = bare_lru_create(PAGES, LIMIT, lengths);
	assert_non_null(b);
	for (uint64_t i = 0; i < nr; i++) {
		const struct bare_lru_stats *s = bare_lru_stats(b);
		struct trace_event ev;

		assert_ok(trace_reader_event(reader, i, &ev, &err), &err);
		model_event(&m, &ev);
		assert_ok(bare_lru_events(b, reader, i, i + 1, &err), &err);
		assert_int_equal(s->hits, m.hits);
		assert_int_equal(s->evictions, m.evictions);
		assert_int_equal(s->bytes, m.bytes);
		assert_int_equal(s->entries, m.nr);
	}
	assert_true(m.hits > 1000 && m.evictions > 1000);
	bare_lru_destroy(b);
	trace_reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bare_loop_keeps_what_was_stored_last),
	};

	return cmocka_run_group_tests_name("bare_lru", tests, scratch_create, scratch_remove);
}
