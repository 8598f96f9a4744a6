// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scatterlist.h"
#include "tests/test.h"

#define MAX_ENTRIES 8

static struct page_frames *frames;

static int set_up(void **state)
{
	struct page_frames_config config = {.contents = true};

	return page_frames_create(&config, &frames);
}

static int tear_down(void **state)
{
	page_frames_destroy(frames);
	return 0;
}

/* Entries of these lengths, each at its own offset of its own pages. */
static void make_list(struct scatterlist *sgl, const unsigned *lengths, unsigned nr)
{
	sg_init_table(sgl, nr);
	for (unsigned i = 0; i < nr; i++)
		sg_set_page(&sgl[i], alloc_pages(frames, 4, 0), lengths[i], 100 * i);
}

static void free_list(struct scatterlist *sgl, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		free_pages(frames, sgl[i].page);
}

/* The lengths of the fragments of a walk that uses each one whole, ended by 0 or -EFAULT. */
static unsigned walk_all(struct scatterlist *sgl, unsigned total, int *out, unsigned max)
{
	struct scatter_walk walk;
	unsigned nr = 0;
	void *addr;

	scatterwalk_start(&walk, sgl);
	while (total && nr < max) {
		out[nr] = scatterwalk_next(&walk, total, &addr);
		if (out[nr] <= 0)
			return nr + 1;
		total -= out[nr];
		scatterwalk_advance(&walk, out[nr++]);
	}
	return nr;
}

static void a_table_ends_at_its_last_entry(void **state)
{
	struct scatterlist sgl[3];

	memset(sgl, 0xff, sizeof(sgl));
	sg_init_table(sgl, 3);
	assert_ptr_equal(sg_next(&sgl[0]), &sgl[1]);
	assert_ptr_equal(sg_next(&sgl[1]), &sgl[2]);
	assert_null(sg_next(&sgl[2]));
	sg_mark_end(&sgl[1]);
	assert_null(sg_next(&sgl[1]));
}

static void an_entry_is_addressed_by_page_and_offset(void **state)
{
	struct page *folio = alloc_pages(frames, 4, 0);
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_set_page(&sg, folio, 10, 4096 * 5 + 7);
	assert_ptr_equal(sg_virt(&sg), (char *)page_address(folio + 5) + 7);
	free_pages(frames, folio);
}

static void a_fragment_is_the_least_of_total_entry_and_page(void **state)
{
	static const struct {
		unsigned length, total;
		int fragments[5];
		unsigned nr;
	} rows[] = {
		{100, 100, {100}, 1},
		{100, 60, {60}, 1},
		{4096, 4096, {4096}, 1},
		{4097, 4097, {4096, 1}, 2},
		{16384, 16384, {4096, 4096, 4096, 4096}, 4},
		{16384, 5000, {4096, 904}, 2},
	};
	struct scatterlist sg;
	int out[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_list(&sg, &rows[i].length, 1);
		assert_int_equal(walk_all(&sg, rows[i].total, out, 8), rows[i].nr);
		assert_memory_equal(out, rows[i].fragments, rows[i].nr * sizeof(int));
		free_list(&sg, 1);
	}
}

static void a_fragment_may_cross_a_page_inside_an_entry(void **state)
{
	struct page *folio = alloc_pages(frames, 1, 0);
	struct scatter_walk walk;
	struct scatterlist sg;
	void *addr;

	sg_init_table(&sg, 1);
	sg_set_page(&sg, folio, 4096, 2048);
	scatterwalk_start(&walk, &sg);
	assert_int_equal(scatterwalk_next(&walk, 4096, &addr), 4096);
	assert_ptr_equal(addr, (char *)page_address(folio) + 2048);
	free_pages(frames, folio);
}

static void entries_that_touch_in_memory_are_not_merged(void **state)
{
	struct page *folio = alloc_pages(frames, 1, 0);
	struct scatterlist sgl[2];
	int out[4];

	sg_init_table(sgl, 2);
	sg_set_page(&sgl[0], folio, 2048, 0);
	sg_set_page(&sgl[1], folio, 2048, 2048);
	assert_int_equal(walk_all(sgl, 4096, out, 4), 2);
	assert_int_equal(out[0], 2048);
	assert_int_equal(out[1], 2048);
	free_pages(frames, folio);
}

static void a_partly_used_fragment_comes_back_with_the_rest(void **state)
{
	static const unsigned lengths[] = {1000, 500};
	struct scatterlist sgl[2];
	struct scatter_walk walk;
	void *addr;

	make_list(sgl, lengths, 2);
	scatterwalk_start(&walk, sgl);
	assert_int_equal(scatterwalk_next(&walk, 1500, &addr), 1000);
	assert_int_equal(scatterwalk_next(&walk, 1500, &addr), 1000);
	scatterwalk_advance(&walk, 0);
	assert_int_equal(scatterwalk_next(&walk, 1500, &addr), 1000);
	scatterwalk_advance(&walk, 990);
	assert_int_equal(scatterwalk_next(&walk, 510, &addr), 10);
	assert_ptr_equal(addr, (char *)sg_virt(&sgl[0]) + 990);
	/* The whole of the rest: the entry is finished, and left at the next call only. */
	scatterwalk_advance(&walk, 10);
	assert_ptr_equal(walk.sg, &sgl[0]);
	assert_int_equal(scatterwalk_next(&walk, 500, &addr), 500);
	assert_ptr_equal(addr, sg_virt(&sgl[1]));
	free_list(sgl, 2);
}

static void a_zero_length_entry_is_skipped_only_where_the_walk_begins(void **state)
{
	static const struct {
		unsigned lengths[4], nr, total;
		int fragments[4];
		unsigned nr_fragments;
	} rows[] = {
		{{0, 70}, 2, 70, {70}, 1},	   {{0, 0, 70}, 3, 70, {0}, 1},
		{{70, 0, 70}, 3, 140, {70, 0}, 2}, {{70, 0}, 2, 140, {70, 0}, 2},
		{{0}, 1, 70, {-EFAULT}, 1},
	};
	struct scatterlist sgl[4];
	int out[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_list(sgl, rows[i].lengths, rows[i].nr);
		assert_int_equal(walk_all(sgl, rows[i].total, out, 8), rows[i].nr_fragments);
		assert_memory_equal(out, rows[i].fragments, rows[i].nr_fragments * sizeof(int));
		free_list(sgl, rows[i].nr);
	}
}

static void the_call_after_a_zero_length_entry_goes_on_behind_it(void **state)
{
	static const unsigned lengths[] = {70, 0, 30};
	struct scatterlist sgl[3];
	struct scatter_walk walk;
	void *addr;

	make_list(sgl, lengths, 3);
	scatterwalk_start(&walk, sgl);
	scatterwalk_advance(&walk, scatterwalk_next(&walk, 100, &addr));
	assert_int_equal(scatterwalk_next(&walk, 30, &addr), 0);
	assert_int_equal(scatterwalk_next(&walk, 30, &addr), 30);
	assert_ptr_equal(addr, sg_virt(&sgl[2]));
	free_list(sgl, 3);
}

static void an_empty_entry_needs_no_page(void **state)
{
	struct scatterlist sgl[2];
	struct scatter_walk walk;
	void *addr;

	sg_init_table(sgl, 2);
	sg_mark_end(&sgl[1]);
	scatterwalk_start(&walk, sgl);
	assert_int_equal(scatterwalk_next(&walk, 10, &addr), 0);
}

static void a_walk_past_the_end_faults_and_keeps_faulting(void **state)
{
	static const unsigned lengths[] = {70, 30};
	struct scatterlist sgl[2];
	struct scatter_walk walk;
	void *addr = NULL;

	make_list(sgl, lengths, 2);
	scatterwalk_start(&walk, sgl);
	scatterwalk_advance(&walk, scatterwalk_next(&walk, 200, &addr));
	scatterwalk_advance(&walk, scatterwalk_next(&walk, 130, &addr));
	addr = NULL;
	assert_int_equal(scatterwalk_next(&walk, 100, &addr), -EFAULT);
	assert_int_equal(scatterwalk_next(&walk, 100, &addr), -EFAULT);
	assert_null(addr);
	scatterwalk_start(&walk, NULL);
	assert_int_equal(scatterwalk_next(&walk, 100, &addr), -EFAULT);
	free_list(sgl, 2);
}

/* Byte for byte: the walk visits the bytes of the entries, in order, each once. */
static void a_walk_visits_every_byte_once_however_it_is_used(void **state)
{
	srand(2);
	for (int round = 0; round < 2000; round++) {
		struct scatterlist sgl[MAX_ENTRIES];
		unsigned lengths[MAX_ENTRIES], nr = 1 + rand() % MAX_ENTRIES, total = 0, seen = 0;
		unsigned entry = 0, in_entry = 0;
		struct scatter_walk walk;

		for (unsigned i = 0; i < nr; i++) {
			lengths[i] = 1 + rand() % (rand() % 3 ? 700 : 20000);
			total += lengths[i];
		}
		make_list(sgl, lengths, nr);
		scatterwalk_start(&walk, sgl);
		while (seen < total) {
			unsigned used;
			void *addr;
			int len = scatterwalk_next(&walk, total - seen, &addr);

			if (in_entry == lengths[entry]) {
				entry++;
				in_entry = 0;
			}
			assert_in_range(len, 1, PAGE_SIZE);
			assert_true(len <= lengths[entry] - in_entry);
			assert_ptr_equal(addr, (char *)sg_virt(&sgl[entry]) + in_entry);
			used = rand() % (len + 1);
			scatterwalk_advance(&walk, used);
			in_entry += used;
			seen += used;
		}
		free_list(sgl, nr);
	}
}

static void a_link_leads_to_the_next_array_and_is_no_entry(void **state)
{
	struct scatterlist first[3], second[2];

	sg_init_table(first, 3);
	sg_init_table(second, 2);
	first[2].end = false;
	sg_chain(&first[2], second);
	assert_ptr_equal(sg_next(&first[0]), &first[1]);
	assert_ptr_equal(sg_next(&first[1]), &second[0]);
	assert_ptr_equal(sg_next(&second[0]), &second[1]);
	assert_null(sg_next(&second[1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_ends_at_its_last_entry),
		cmocka_unit_test(an_entry_is_addressed_by_page_and_offset),
		cmocka_unit_test(a_fragment_is_the_least_of_total_entry_and_page),
		cmocka_unit_test(a_fragment_may_cross_a_page_inside_an_entry),
		cmocka_unit_test(entries_that_touch_in_memory_are_not_merged),
		cmocka_unit_test(a_partly_used_fragment_comes_back_with_the_rest),
		cmocka_unit_test(a_zero_length_entry_is_skipped_only_where_the_walk_begins),
		cmocka_unit_test(the_call_after_a_zero_length_entry_goes_on_behind_it),
		cmocka_unit_test(an_empty_entry_needs_no_page),
		cmocka_unit_test(a_walk_past_the_end_faults_and_keeps_faulting),
		cmocka_unit_test(a_walk_visits_every_byte_once_however_it_is_used),
		cmocka_unit_test(a_link_leads_to_the_next_array_and_is_no_entry),
	};

	return cmocka_run_group_tests_name("scatterlist", tests, set_up, tear_down);
}
