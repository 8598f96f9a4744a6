// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "sim/page.h"
#include "tests/test.h"

static struct page_frames *frames_of(bool contents)
{
	struct page_frames_config config = {.contents = contents};
	struct page_frames *frames;

	assert_int_equal(page_frames_create(&config, &frames), 0);
	return frames;
}

static void check_accounting(struct page_frames *frames, uint64_t live)
{
	struct page_frames_stats stats;

	assert_int_equal(page_frames_stats(frames, &stats), 0);
	assert_int_equal(stats.live_pages, live);
	assert_int_equal(stats.jemalloc_bytes / PAGE_SIZE, stats.live_pages + stats.cached_pages);
}

static void frames_are_aligned_and_found_by_their_pfn(void **state)
{
	struct page_frames *frames = frames_of(true);
	struct page *pages[300];

	for (int i = 0; i < 300; i++) {
		pages[i] = alloc_pages(frames, 0, i % 2);
		assert_int_equal((uintptr_t)page_address(pages[i]) % PAGE_SIZE, 0);
		assert_ptr_equal(pfn_to_page(frames, page_to_pfn(pages[i])), pages[i]);
		assert_int_equal(pages[i]->nid, i % 2);
		memset(page_address(pages[i]), i, PAGE_SIZE);
	}
	assert_null(pfn_to_page(frames, 0));
	assert_null(pfn_to_page(frames, UINT64_MAX));
	for (int i = 0; i < 300; i++) {
		assert_int_equal(((unsigned char *)page_address(pages[i]))[4095], i & 255);
		free_pages(frames, pages[i]);
	}
	check_accounting(frames, 0);
	page_frames_destroy(frames);
}

static void a_folio_is_contiguous_in_memory_and_pfn(void **state)
{
	struct page_frames *frames = frames_of(true);

	for (unsigned order = 0; order <= 9; order++) {
		struct page *head = alloc_pages(frames, order, 0);

		for (unsigned i = 0; i < 1u << order; i++) {
			assert_ptr_equal(page_address(head + i),
					 (char *)page_address(head) + i * PAGE_SIZE);
			assert_int_equal(page_to_pfn(head + i), page_to_pfn(head) + i);
		}
		check_accounting(frames, 1u << order);
		free_pages(frames, head);
	}
	page_frames_destroy(frames);
}

static void jemalloc_accounts_for_every_frame_through_churn(void **state)
{
	struct page_frames *frames = frames_of(true);
	struct page *pages[5000] = {NULL};
	uint64_t live = 0;

	srand(1);
	for (int i = 0; i < 40000; i++) {
		struct page **p = &pages[rand() % 5000];

		if (*p) {
			free_pages(frames, *p);
			*p = NULL;
			live--;
		} else {
			*p = alloc_pages(frames, 0, 0);
			live++;
		}
		if (i % 1000 == 0)
			check_accounting(frames, live);
		if (i % 7000 == 0)
			page_frames_trim(frames);
	}
	check_accounting(frames, live);
	page_frames_destroy(frames);
}

static void a_reserve_makes_allocations_free_of_jemalloc(void **state)
{
	struct page_frames *frames = frames_of(true);
	struct page_frames_stats before, after;

	assert_int_equal(page_frames_reserve(frames, 64), 0);
	assert_int_equal(page_frames_stats(frames, &before), 0);
	for (int i = 0; i < 64; i++)
		assert_non_null(alloc_pages(frames, 0, 0));
	assert_int_equal(page_frames_stats(frames, &after), 0);
	assert_int_equal(before.jemalloc_bytes, after.jemalloc_bytes);
	assert_int_equal(after.live_pages, 64);
	page_frames_destroy(frames);
}

static void a_trim_gives_back_all_but_4_MiB(void **state)
{
	struct page_frames *frames = frames_of(true);
	static struct page *pages[5000];
	struct page_frames_stats stats;

	for (int i = 0; i < 5000; i++)
		pages[i] = alloc_pages(frames, 0, 0);
	for (int i = 0; i < 5000; i++)
		free_pages(frames, pages[i]);
	check_accounting(frames, 0);
	page_frames_trim(frames);
	check_accounting(frames, 0);
	assert_int_equal(page_frames_stats(frames, &stats), 0);
	assert_int_equal(stats.jemalloc_bytes, 4u << 20);
	page_frames_destroy(frames);
}

static void the_nth_allocation_fails_when_told_to(void **state)
{
	struct page_frames *frames = frames_of(true);

	page_frames_fail_nth(frames, 3);
	assert_non_null(alloc_pages(frames, 0, 0));
	assert_non_null(alloc_pages(frames, 0, 0));
	assert_null(alloc_pages(frames, 0, 0));
	assert_non_null(alloc_pages(frames, 0, 0));
	check_accounting(frames, 3);
	page_frames_destroy(frames);
}

static void without_contents_frames_have_a_pfn_and_no_memory(void **state)
{
	struct page_frames *frames = frames_of(false);
	struct page_frames_stats stats;
	struct page *page = alloc_pages(frames, 0, 0);

	assert_null(page_address(page));
	assert_ptr_equal(pfn_to_page(frames, page_to_pfn(page)), page);
	assert_int_equal(page_frames_stats(frames, &stats), 0);
	assert_int_equal(stats.live_pages, 1);
	assert_int_equal(stats.jemalloc_bytes, 0);
	page_frames_destroy(frames);
}

static void memory_that_is_no_frame_gets_a_struct_page(void **state)
{
	struct page_frames *frames = frames_of(true);
	static char memory[3 * PAGE_SIZE];
	struct page *page = page_of_memory(frames, memory + 24), *frame = alloc_pages(frames, 0, 0);

	assert_ptr_equal(page_address(page), memory + 24);
	assert_ptr_not_equal(page, frame);
	check_accounting(frames, 1);
	free_pages(frames, page);
	assert_ptr_equal(alloc_pages(frames, 0, 0), page);
	assert_ptr_not_equal(page_address(page), memory + 24);
	check_accounting(frames, 2);
	/* One that is still there is not given to jemalloc. */
	page_of_memory(frames, memory);
	page_frames_destroy(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_aligned_and_found_by_their_pfn),
		cmocka_unit_test(a_folio_is_contiguous_in_memory_and_pfn),
		cmocka_unit_test(jemalloc_accounts_for_every_frame_through_churn),
		cmocka_unit_test(a_reserve_makes_allocations_free_of_jemalloc),
		cmocka_unit_test(a_trim_gives_back_all_but_4_MiB),
		cmocka_unit_test(the_nth_allocation_fails_when_told_to),
		cmocka_unit_test(memory_that_is_no_frame_gets_a_struct_page),
		cmocka_unit_test(without_contents_frames_have_a_pfn_and_no_memory),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
