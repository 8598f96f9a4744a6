// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "tests/test.h"
#include "tests/trace_file.h"

#define AT(field) offsetof(struct zswt_header, field)

static struct bytes sample(void)
{
	static struct bytes b;

	if (!b.data) {
		sample_write(scratch_path("sample"));
		b = bytes_read(scratch_path("sample"));
	}
	return bytes_copy(&b);
}

static void the_sample_is_whole(void **state)
{
	struct bytes b = sample();
	struct trace_error err;

	assert_ok(try_bytes(&b, &err), &err);
	reseal(&b);
	assert_ok(try_bytes(&b, &err), &err);
	free(b.data);
}

static void a_file_that_is_no_trace_is_named_with_the_cause(void **state)
{
	struct bytes empty = {(uint8_t *)"", 0}, other = {(uint8_t *)"\x28\xb5\x2f\xfd zstd", 9};
	const char *fifo = scratch_path("fifo"), *none = scratch_path("none");
	struct trace_reader *r;
	struct trace_error err;

	expect_refused(&empty, 0, "empty");
	expect_refused(&other, 0, "not a trace (it begins with 28 b5 2f fd, not ZSWT)");
	assert_int_equal(trace_reader_open(scratch_dir(), &r, &err), -EISDIR);
	expect_message(&err, scratch_dir(), UINT64_MAX, "directory");
	assert_int_equal(trace_reader_open(none, &r, &err), -ENOENT);
	expect_message(&err, none, UINT64_MAX, "No such file");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(trace_reader_open(fifo, &r, &err), -EINVAL);
	expect_message(&err, fifo, UINT64_MAX, "not a regular file");
	unlink(fifo);
}

static void what_this_program_cannot_read_is_refused_by_name(void **state)
{
	struct bytes b = sample();

	header_of(&b)->page_size = htole32(16384);
	reseal(&b);
	expect_refused(&b, AT(page_size), "page size 16384 is not supported, only 4096");
	header_of(&b)->version = htole32(2); /* whatever else such a file has */
	expect_refused(&b, AT(version), "version 2 is newer than this program's, 1");
	header_of(&b)->version = 0;
	expect_refused(&b, AT(version), "version 0 does not exist");
	free(b.data);
	b = sample();
	header_of(&b)->flags = htole32(4);
	reseal(&b);
	expect_refused(&b, AT(flags), "flags 0x4 are not known");
	header_of(&b)->flags = 0;
	header_of(&b)->reserved1[79] = 1;
	reseal(&b);
	expect_refused(&b, AT(reserved0), "reserved");
	free(b.data);
}

static void a_truncated_file_ends_early(void **state)
{
	struct bytes b = sample(), cut = b;
	size_t cuts[ZSWT_SECTIONS * 2 + 210];
	unsigned nr = 0;

	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		struct zswt_section *s = &footer_of(&b)->sections[kind];

		cuts[nr++] = le64toh(s->offset);
		cuts[nr++] = le64toh(s->offset) + le64toh(s->bytes);
	}
	cuts[nr++] = 4;
	cuts[nr++] = sizeof(struct zswt_header);
	cuts[nr++] = b.size - sizeof(struct zswt_footer);
	cuts[nr++] = b.size - ZSWT_HASH_TO_END;
	cuts[nr++] = b.size - 1;
	srand(7);
	for (int i = 0; i < 200; i++)
		cuts[nr++] = rand() % b.size;
	for (unsigned i = 0; i < nr; i++) {
		cut.size = cuts[i];
		if (cut.size < sizeof(struct zswt_header))
			expect_refused(&cut, cut.size, cut.size ? "ends in the header" : "empty");
		else
			expect_refused(&cut, cut.size, "the file ends here");
	}
	free(b.data);
}

static void a_file_with_more_at_its_end_is_refused(void **state)
{
	struct bytes b = sample();

	b.data[b.size++] = 0; /* bytes_copy() leaves room for one */
	expect_refused(&b, b.size - 1, "1 bytes too many");
	free(b.data);
}

static void every_flipped_bit_is_found(void **state)
{
	struct bytes b = sample();
	struct trace_error err;

	srand(8);
	for (int i = 0; i < 2000; i++) {
		/* Half of them in the small parts at both ends. */
		size_t at = i % 4 == 0	 ? rand() % sizeof(struct zswt_header)
			    : i % 4 == 1 ? b.size - 1 - rand() % 4096
					 : rand() % b.size;
		uint8_t bit = 1 << rand() % 8;

		b.data[at] ^= bit;
		err.message[0] = 0;
		if (try_bytes(&b, &err) != -EINVAL)
			fail_msg("bit %u of byte %zu is not missed", bit, at);
		assert_non_null(strstr(err.message, "damaged: offset "));
		assert_null(strchr(err.message, '\n'));
		b.data[at] ^= bit;
	}
	free(b.data);
}

static void counts_that_overflow_are_refused_behind_the_checksum(void **state)
{
	static const struct {
		size_t at;
		unsigned bytes;
		uint64_t value;
		const char *cause;
	} cases[] = {
		{AT(nr_pages), 8, UINT64_MAX, "18446744073709551615 pages"},
		{AT(nr_pages), 8, 1ull << 60, "pages"},
		{AT(nr_pages), 8, UINT32_MAX, "of block index do not fit"},
		{AT(nr_pages), 8, SAMPLE_PAGES + 1, "of page keys do not fit"},
		{AT(nr_pages), 8, 0, "of block index do not fit"},
		{AT(nr_list_ids), 8, 1ull << 62, "of page lists do not fit"},
		{AT(nr_list_ids), 8, (1ull << 62) + 48, "of page lists do not fit"},
		{AT(nr_list_ids), 8, UINT64_MAX, "of page lists do not fit"},
		{AT(nr_memcgs), 4, 0, "0 memcgs"},
		{AT(nr_memcgs), 4, UINT32_MAX, "4294967295 memcgs"},
		{AT(nr_memcgs), 4, 4, "of memcg table do not fit"},
		{AT(nr_marks), 4, UINT32_MAX, "of marks do not fit"},
		{AT(seed), 8, 1ull << 63, "9223372036854775808 as seed"},
		{AT(nr_cpus), 4, 0, "0 CPUs"},
		{AT(nr_cpus), 4, 1025, "1025 CPUs"},
		{AT(nr_swap_types), 4, 0, "0 swap types"},
		{AT(nr_swap_types), 4, 33, "33 swap types"},
		{AT(nr_compressors), 4, 1, "1 compressors"},
		{AT(block_pages), 4, 0, "blocks of 0 pages"},
		{AT(block_pages), 4, 3, "blocks of 3 pages"},
		{AT(block_pages), 4, 128, "blocks of 128 pages"},
		{AT(block_pages), 4, 64, "of block index do not fit"},
		{AT(file_bytes), 8, UINT64_MAX, "the file ends here"},
		{AT(file_bytes), 8, 0, "bytes too many"},
		{AT(nr_type[1]), 8, UINT64_MAX, "counts by type overflow"},
		{AT(nr_type[2]), 8, 9, "counts by type are not those"},
		{AT(nr_type[7]), 8, 1, "counts by type are not those"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = sample();
		struct trace_error err = {0};
		uint64_t value = htole64(cases[i].value);

		memcpy(b.data + cases[i].at, &value, cases[i].bytes);
		reseal(&b);
		assert_int_equal(try_bytes(&b, &err), -EINVAL);
		if (!strstr(err.message, cases[i].cause))
			fail_msg("'%s' does not say '%s'", err.message, cases[i].cause);
		free(b.data);
	}
}

static void an_event_count_that_overflows_the_section_is_refused(void **state)
{
	struct bytes b = sample();
	uint64_t nr = le64toh(header_of(&b)->nr_events) + (1ull << 59); /* 32 bytes each */

	header_of(&b)->nr_events = htole64(nr);
	header_of(&b)->nr_type[TRACE_LOAD] = htole64(1 + (1ull << 59));
	reseal(&b);
	expect_refused(
		&b, b.size - sizeof(struct zswt_footer) + ZSWT_EVENTS * sizeof(struct zswt_section),
		"of events do not fit");
	free(b.data);
}

static void sections_that_overlap_or_leave_the_file_are_refused(void **state)
{
	static const uint64_t offsets[] = {0, 8, 1, UINT64_MAX - 7, UINT64_MAX, 1ull << 40};

	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		uint64_t at = sizeof(struct zswt_footer) - kind * sizeof(struct zswt_section);

		for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
			struct bytes b = sample();

			footer_of(&b)->sections[kind].offset = htole64(offsets[i]);
			reseal(&b);
			expect_refused(&b, b.size - at, "not between their neighbours");
			free(b.data);
			b = sample();
			footer_of(&b)->sections[kind].bytes = htole64(offsets[i] | 1 << 30);
			reseal(&b);
			expect_refused(&b, b.size - at, "not between their neighbours");
			free(b.data);
		}
	}
}

struct event_case {
	uint8_t of;	/* the type of the event that is spoiled */
	size_t at;	/* the byte of the record */
	uint64_t value; /* in as many bytes */
	unsigned bytes;
	const char *cause;
};

#define EVENT_CASE(of, field, value, cause)                                                        \
	{                                                                                          \
		of, offsetof(struct zswt_event, field), value,                                     \
			sizeof(((struct zswt_event *)0)->field), cause                             \
	}

static void an_event_that_names_what_does_not_exist_is_refused(void **state)
{
	static const struct event_case cases[] = {
		EVENT_CASE(TRACE_STORE, arg, SAMPLE_PAGES, "page 43 does not exist"),
		EVENT_CASE(TRACE_STORE, arg, UINT64_MAX, "does not exist"),
		EVENT_CASE(TRACE_STORE, cpu, 4, "CPU 4 does not exist (there are 4)"),
		EVENT_CASE(TRACE_STORE, memcg, 3, "memcg 3 does not exist (there are 3)"),
		EVENT_CASE(TRACE_STORE, swap_type, 2, "swap type 2 does not exist (there are 2)"),
		EVENT_CASE(TRACE_STORE, order, 10, "order 10 is above 9"),
		EVENT_CASE(TRACE_STORE, order, 255, "order 255 is above 9"),
		EVENT_CASE(TRACE_STORE, order, 9, "outside the page lists"),
		EVENT_CASE(TRACE_STORE, what, 1, "operation 1 in an event that has none"),
		EVENT_CASE(TRACE_STORE, type, 0, "event type 0 does not exist"),
		EVENT_CASE(TRACE_STORE, type, 7, "event type 7 does not exist"),
		EVENT_CASE(TRACE_STORE, type, 255, "event type 255 does not exist"),
		EVENT_CASE(TRACE_LOAD, offset, 1025, "swap offset 1025 is not a multiple of 16"),
		EVENT_CASE(TRACE_LOAD, offset, 1ull << 40, "is too large"),
		EVENT_CASE(TRACE_LOAD, offset, UINT64_MAX << 4, "is too large"),
		EVENT_CASE(TRACE_LOAD, arg, 5, "argument 5 in an event that has none"),
		EVENT_CASE(TRACE_LOAD, time_ns, 0, "time goes back from 3000 to 0 ns"),
		EVENT_CASE(TRACE_LOAD, time_ns, 1ull << 63, "is too large"),
		EVENT_CASE(TRACE_PRESSURE, arg, 1ull << 63, "is too large"),
		EVENT_CASE(TRACE_PRESSURE, order, 1, "swap slots in an event that has none"),
		EVENT_CASE(TRACE_PRESSURE, what, 1, "operation 1 in an event that has none"),
		EVENT_CASE(TRACE_PRESSURE, cpu, 65535, "CPU 65535 does not exist"),
		EVENT_CASE(TRACE_MEMCG, what, 0, "memcg operation 0 does not exist"),
		EVENT_CASE(TRACE_MEMCG, what, 5, "memcg operation 5 does not exist"),
		EVENT_CASE(TRACE_MEMCG, memcg, 0, "the root memcg has no online"),
		EVENT_CASE(TRACE_MEMCG, arg, 1, "argument 1 in an event that has none"),
		EVENT_CASE(TRACE_MEMCG, offset, 8, "swap slots in an event that has none"),
		EVENT_CASE(TRACE_MARK, arg, 1, "mark 1 does not exist (there are 1)"),
		EVENT_CASE(TRACE_MARK, swap_type, 1, "swap slots in an event that has none"),
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = sample();
		uint64_t value = htole64(cases[i].value), number;
		struct zswt_event *ev = event_of(&b, cases[i].of, &number);

		memcpy((uint8_t *)ev + cases[i].at, &value, cases[i].bytes);
		reseal(&b);
		expect_refused(&b, (uint8_t *)ev - b.data, cases[i].cause);
		free(b.data);
	}
}

static void a_folio_outside_the_lists_or_of_other_pages_is_refused(void **state)
{
	struct bytes b = sample();
	struct zswt_event *ev = section_of(&b, ZSWT_EVENTS);
	uint32_t *lists = section_of(&b, ZSWT_LISTS);

	while (ev->order == 0)
		ev++;
	ev->arg = htole64(16 * SAMPLE_FOLIOS - 15);
	reseal(&b);
	expect_refused(&b, (uint8_t *)ev - b.data, "16 page ids at 33 are outside the page lists");
	ev->arg = htole64(UINT64_MAX - 3);
	reseal(&b);
	expect_refused(&b, (uint8_t *)ev - b.data, "outside the page lists");
	ev->arg = 0;
	lists[17] = htole32(SAMPLE_PAGES);
	reseal(&b);
	expect_refused(&b, section_offset(&b, ZSWT_LISTS) + 17 * 4, "page 43 does not exist");
	free(b.data);
}

static void a_list_with_a_page_that_does_not_exist_is_refused_when_it_is_read(void **state)
{
	struct bytes b = sample();
	uint32_t *lists = section_of(&b, ZSWT_LISTS), ids[512];
	const char *path = scratch_path("list");
	struct trace_event ev = {.type = TRACE_STORE, .order = 4};
	struct trace_reader *r;
	struct trace_error err;

	lists[5] = htole32(UINT32_MAX);
	reseal(&b);
	bytes_write(&b, path);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	assert_int_equal(trace_reader_store_pages(r, &ev, ids, &err), -EINVAL);
	expect_message(&err, path, section_offset(&b, ZSWT_LISTS) + 5 * 4,
		       "page 4294967295 does not exist (there are 43)");
	ev.arg = 40; /* made up by the caller */
	assert_int_equal(trace_reader_store_pages(r, &ev, ids, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "outside the page lists");
	ev.type = TRACE_LOAD;
	assert_int_equal(trace_reader_store_pages(r, &ev, ids, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "without pages");
	trace_reader_close(r);
	free(b.data);
}

/* Puts @frame in place of block 0; what follows moves up. */
static void replace_block(struct bytes *b, const void *frame, size_t bytes)
{
	struct zswt_block *blocks = section_of(b, ZSWT_INDEX);
	uint64_t nr_blocks = (SAMPLE_PAGES + 7) / 8, pos = sizeof(struct zswt_header);
	uint64_t gain = le32toh(blocks[0].bytes) - bytes;
	struct bytes to = {calloc(1, b->size + 1), 0};
	struct zswt_footer footer = *footer_of(b);

	assert_true(bytes < le32toh(blocks[0].bytes));
	blocks[0].bytes = htole32(bytes);
	blocks[0].checksum = htole64(XXH3_64bits(frame, bytes));
	for (uint64_t i = 1; i < nr_blocks; i++)
		blocks[i].offset = htole64(le64toh(blocks[i].offset) - gain);
	memcpy(to.data, b->data, pos);
	memcpy(to.data + pos, frame, bytes);
	for (int kind = 0; kind < ZSWT_SECTIONS; kind++) {
		struct zswt_section *s = &footer.sections[kind];
		uint64_t from = le64toh(s->offset), size = le64toh(s->bytes);

		pos = zswt_align(pos);
		if (kind == ZSWT_BLOCKS) {
			size -= gain;
			memcpy(to.data + pos + bytes, b->data + from + bytes + gain, size - bytes);
		} else {
			memcpy(to.data + pos, b->data + from, size);
		}
		s->offset = htole64(pos);
		s->bytes = htole64(size);
		pos += size;
	}
	pos = zswt_align(pos);
	memcpy(to.data + pos, &footer, sizeof(footer));
	to.size = pos + sizeof(footer);
	header_of(&to)->file_bytes = htole64(to.size);
	reseal(&to);
	free(b->data);
	*b = to;
}

static void a_block_that_is_not_one_frame_of_its_size_is_refused(void **state)
{
	static const char zeros[2 * 8 * TRACE_PAGE_SIZE];
	uint8_t frame[256];
	uint64_t begin = sizeof(struct zswt_header);
	struct bytes b = sample();
	size_t bytes;

	bytes = ZSTD_compress(frame, sizeof(frame), zeros, 8 * TRACE_PAGE_SIZE - 1, 1);
	replace_block(&b, frame, bytes);
	expect_refused(&b, begin, "block 0 unpacks to 32767 bytes, not 32768");
	free(b.data);

	b = sample();
	bytes = ZSTD_compress(frame, sizeof(frame), zeros, 8 * TRACE_PAGE_SIZE + 1, 1);
	replace_block(&b, frame, bytes);
	expect_refused(&b, begin, "block 0 does not unpack: ");
	free(b.data);

	b = sample();
	bytes = ZSTD_compress(frame, sizeof(frame), zeros, 8 * TRACE_PAGE_SIZE, 1);
	bytes += ZSTD_compress(frame + bytes, sizeof(frame) - bytes, zeros, 0, 1);
	replace_block(&b, frame, bytes);
	expect_refused(&b, begin, "block 0 unpacks to 0 bytes, not 32768");
	free(b.data);

	b = sample();
	memcpy(frame, "\x25\xb5\x2f\xfd", 4); /* zstd 0.5 */
	replace_block(&b, frame, 64);
	expect_refused(&b, begin, "block 0 unpacks to 0 bytes, not 32768");
	replace_block(&b, frame, 3);
	expect_refused(&b, begin, "block 0 unpacks to 0 bytes, not 32768");
	free(b.data);
}

static void a_page_under_the_key_of_another_is_refused(void **state)
{
	static const char zeros[8 * TRACE_PAGE_SIZE];
	struct bytes b = sample();
	uint8_t frame[256];
	size_t bytes = ZSTD_compress(frame, sizeof(frame), zeros, sizeof(zeros), 1);

	replace_block(&b, frame, bytes);
	expect_refused(&b, section_offset(&b, ZSWT_KEYS), "page 0 has another key");
	free(b.data);
	b = sample();
	((uint8_t *)section_of(&b, ZSWT_KEYS))[16 * 42 + 15] ^= 1;
	reseal(&b);
	expect_refused(&b, section_offset(&b, ZSWT_KEYS) + 16 * 42, "page 42 has another key");
	free(b.data);
}

static void a_block_index_with_holes_is_refused(void **state)
{
	struct bytes b = sample();
	struct zswt_block *blocks = section_of(&b, ZSWT_INDEX);
	unsigned last = (SAMPLE_PAGES + 7) / 8 - 1;
	uint64_t at = section_offset(&b, ZSWT_INDEX);

	blocks[3].offset = htole64(le64toh(blocks[3].offset) + 1);
	reseal(&b);
	expect_refused(&b, at + 3 * 24, "block 3: ");
	free(b.data);
	b = sample();
	blocks = section_of(&b, ZSWT_INDEX);
	blocks[last].bytes = htole32(le32toh(blocks[last].bytes) + 1);
	reseal(&b);
	expect_refused(&b, at + last * 24, "are not possible");
	blocks[last].bytes = htole32(le32toh(blocks[last].bytes) - 2);
	reseal(&b);
	expect_refused(&b, le64toh(blocks[last].offset) + le32toh(blocks[last].bytes),
		       "bytes that no block has");
	free(b.data);
}

static void strings_that_do_not_end_are_refused(void **state)
{
	struct bytes b = sample();
	uint64_t bytes = le64toh(footer_of(&b)->sections[ZSWT_STRINGS].bytes);
	char *strings = section_of(&b, ZSWT_STRINGS);

	strings[bytes - 1] = 'x';
	reseal(&b);
	expect_refused(&b, section_offset(&b, ZSWT_STRINGS), "strings do not end");
	free(b.data);
	b = sample();
	header_of(&b)->title = htole32(bytes);
	reseal(&b);
	expect_refused(&b, AT(title), "outside the strings");
	free(b.data);
	b = sample();
	*(uint32_t *)section_of(&b, ZSWT_MARKS) = htole32(UINT32_MAX);
	reseal(&b);
	expect_refused(&b, section_offset(&b, ZSWT_MARKS), "outside the strings");
	free(b.data);
}

static void a_string_that_a_terminal_would_obey_is_refused(void **state)
{
	static const char *const bad[] = {"\x1b[",    "\x7f", "\n",	      "\xc2\x80",
					  "\xc0\xaf", "\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
					  "\xff"};
	struct bytes b = sample();
	char *strings = section_of(&b, ZSWT_STRINGS);

	memcpy(strings + 4, "\xc3\xa9\xe2\x82\xac", 5); /* e acute, the euro sign */
	memcpy(strings + 9, "\xf0\x9f\x90\xa7", 4);	/* a penguin */
	reseal(&b);
	assert_int_equal(try_bytes(&b, &(struct trace_error){0}), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(strings + 4, "zzzzzzzzz", 9);
		memcpy(strings + 4, bad[i], strlen(bad[i]));
		reseal(&b);
		expect_refused(&b, section_offset(&b, ZSWT_STRINGS) + 4, "not printable UTF-8");
	}
	memcpy(strings + 4, "zzzzzzzzz", 9);
	header_of(&b)->title = htole32(2);
	reseal(&b);
	expect_refused(&b, AT(title), "string 2 is a part of another");
	free(b.data);
}

static void a_memcg_table_that_is_no_tree_is_refused(void **state)
{
	struct bytes b = sample();
	struct zswt_memcg *m = section_of(&b, ZSWT_MEMCGS);
	uint64_t at = section_offset(&b, ZSWT_MEMCGS);

	m[1].parent = htole16(1);
	reseal(&b);
	expect_refused(&b, at + 16, "memcg 1: its parent 1 does not come before it");
	m[1].parent = 0;
	m[2].path = htole32(1 << 30);
	reseal(&b);
	expect_refused(&b, at + 32, "outside the strings");
	m[2].path = 0;
	m[0].zswap_max = 0;
	reseal(&b);
	expect_refused(&b, at, "memcg 0 is not a root");
	m[0].zswap_max = htole64(TRACE_NO_LIMIT);
	m[1].zswap_max = htole64(1ull << 63);
	reseal(&b);
	expect_refused(&b, at + 16, "memcg 1: the limit is 9223372036854775808 bytes");
	m[1].zswap_max = 0;
	m[2].online = 2;
	reseal(&b);
	expect_refused(&b, at + 32, "neither 0 nor 1");
	free(b.data);
}

static void counts_that_are_not_those_of_the_events_are_found_by_the_check(void **state)
{
	struct bytes b = sample();
	struct zswt_header *h = header_of(&b);

	h->nr_stored_pages = htole64(le64toh(h->nr_stored_pages) + 1);
	reseal(&b);
	expect_refused(&b, AT(nr_stored_pages), "there are 91 stored pages, not 92");
	h->nr_stored_pages = htole64(le64toh(h->nr_stored_pages) - 1);
	h->nr_type[TRACE_LOAD] = htole64(0);
	h->nr_type[TRACE_INVALIDATE] = htole64(2);
	reseal(&b);
	expect_refused(&b, AT(nr_type[TRACE_LOAD]), "there are 1 events LOAD, not 0");
	free(b.data);
}

static void a_withheld_path_that_is_there_is_found_by_the_check(void **state)
{
	struct bytes b = sample();

	header_of(&b)->flags = htole32(ZSWT_WITHHELD);
	reseal(&b);
	expect_refused(&b, AT(command), "withheld command line");
	header_of(&b)->command = 0;
	reseal(&b);
	expect_refused(&b, section_offset(&b, ZSWT_MEMCGS) + 16, "withheld memcg path");
	free(b.data);
}

/* Random damage behind the checksums: an error or a trace, never a crash. */
static void damage_behind_the_checksums_is_harmless(void **state)
{
	struct bytes b = sample();
	unsigned refused = 0;

	srand(9);
	for (int i = 0; i < 1500; i++) {
		struct bytes copy = bytes_copy(&b);
		struct trace_error err;

		for (int flips = 1 + rand() % 3; flips; flips--) {
			size_t at = i % 3 == 0	 ? rand() % sizeof(struct zswt_header)
				    : i % 3 == 1 ? b.size - 1 - rand() % sizeof(struct zswt_footer)
						 : rand() % b.size;

			copy.data[at] = rand();
		}
		reseal(&copy);
		refused += try_bytes(&copy, &err) != 0;
		free(copy.data);
	}
	assert_true(refused > 500);
	free(b.data);
}

static void pages_are_right_in_any_order_however_many_blocks_there_are(void **state)
{
	const uint32_t nr = 3000; /* 12 MB, thrice the cache */
	const char *path = scratch_path("pages");
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_writer *w;
	struct trace_reader *r;
	struct trace_error err;
	const void *data;
	uint32_t id;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (uint32_t i = 0; i < nr; i++) {
		sample_page(i, page);
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	srand(10);
	for (uint32_t i = 0; i < nr + 4000; i++) {
		id = i < nr ? i : i % 5 ? rand() % 600 : rand() % nr;
		sample_page(id, page);
		assert_ok(trace_reader_page(r, id, &data, &err), &err);
		assert_memory_equal(data, page, TRACE_PAGE_SIZE);
	}
	assert_int_equal(trace_reader_page(r, nr, &data, &err), -EINVAL);
	expect_message(&err, path, UINT64_MAX, "page 3000 does not exist (there are 3000)");
	assert_int_equal(trace_reader_page(r, UINT32_MAX, &data, &err), -EINVAL);
	trace_reader_close(r);
}

static void a_damaged_block_spoils_only_its_own_pages(void **state)
{
	struct bytes b = sample();
	const char *path = scratch_path("spoiled");
	uint64_t offset = le64toh(((struct zswt_block *)section_of(&b, ZSWT_INDEX))[1].offset);
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_reader *r;
	struct trace_error err;
	const void *data;

	b.data[offset + 100] ^= 4;
	bytes_write(&b, path);
	assert_ok(trace_reader_open(path, &r, &err), &err);
	for (uint32_t id = 0; id < 24; id++) {
		int ret = trace_reader_page(r, id, &data, &err);

		if (id / 8 == 1) {
			assert_int_equal(ret, -EINVAL);
			expect_message(&err, path, offset, "block 1 is damaged");
			continue;
		}
		assert_ok(ret, &err);
		sample_page(id, page);
		assert_memory_equal(data, page, TRACE_PAGE_SIZE);
	}
	trace_reader_close(r);
	free(b.data);
}

static void the_message_keeps_the_cause_whatever_the_path(void **state)
{
	char path[600];
	struct trace_reader *r;
	struct trace_error err;

	memset(path, 'x', sizeof(path));
	path[3] = '\n';
	path[sizeof(path) - 1] = 0;
	memcpy(path + sizeof(path) - 5, "\ten\n", 4);
	assert_int_equal(trace_reader_open(path, &r, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.message, "x?en?: cannot open: File name too long"));
	assert_int_equal(trace_reader_open(path, &r, NULL), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_is_whole),
		cmocka_unit_test(a_file_that_is_no_trace_is_named_with_the_cause),
		cmocka_unit_test(what_this_program_cannot_read_is_refused_by_name),
		cmocka_unit_test(a_truncated_file_ends_early),
		cmocka_unit_test(a_file_with_more_at_its_end_is_refused),
		cmocka_unit_test(every_flipped_bit_is_found),
		cmocka_unit_test(counts_that_overflow_are_refused_behind_the_checksum),
		cmocka_unit_test(an_event_count_that_overflows_the_section_is_refused),
		cmocka_unit_test(sections_that_overlap_or_leave_the_file_are_refused),
		cmocka_unit_test(an_event_that_names_what_does_not_exist_is_refused),
		cmocka_unit_test(a_folio_outside_the_lists_or_of_other_pages_is_refused),
		cmocka_unit_test(a_list_with_a_page_that_does_not_exist_is_refused_when_it_is_read),
		cmocka_unit_test(a_block_that_is_not_one_frame_of_its_size_is_refused),
		cmocka_unit_test(a_page_under_the_key_of_another_is_refused),
		cmocka_unit_test(a_block_index_with_holes_is_refused),
		cmocka_unit_test(strings_that_do_not_end_are_refused),
		cmocka_unit_test(a_string_that_a_terminal_would_obey_is_refused),
		cmocka_unit_test(a_memcg_table_that_is_no_tree_is_refused),
		cmocka_unit_test(counts_that_are_not_those_of_the_events_are_found_by_the_check),
		cmocka_unit_test(a_withheld_path_that_is_there_is_found_by_the_check),
		cmocka_unit_test(damage_behind_the_checksums_is_harmless),
		cmocka_unit_test(pages_are_right_in_any_order_however_many_blocks_there_are),
		cmocka_unit_test(a_damaged_block_spoils_only_its_own_pages),
		cmocka_unit_test(the_message_keeps_the_cause_whatever_the_path),
	};

	return cmocka_run_group_tests_name("reader", tests, scratch_create, scratch_remove);
}
