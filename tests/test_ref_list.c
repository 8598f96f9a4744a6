// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "sim/ref_list.h"
#include "tests/test.h"

#define N 40

struct item {
	struct ref_link link;
	int number;
};

static struct kmem_cache *cache;
static uint32_t refs[N];

static int setup(void **state)
{
	cache = kmem_cache_create("item", sizeof(struct item));
	for (int i = 0; i < N; i++) {
		struct item *item = kmem_cache_alloc(cache);

		item->number = i;
		refs[i] = kmem_cache_ref(cache, item);
	}
	return 0;
}

static int teardown(void **state)
{
	kmem_cache_destroy(cache);
	return 0;
}

/* Forwards and backwards. */
static void assert_order(const struct ref_list *list, const int *numbers, int nr)
{
	uint32_t ref = list->first;

	for (int i = 0; i < nr; i++) {
		assert_int_equal(ref, refs[numbers[i]]);
		ref = ref_link(cache, ref)->next;
	}
	assert_int_equal(ref, 0);
	ref = list->last;
	for (int i = nr; i-- > 0;) {
		assert_int_equal(ref, refs[numbers[i]]);
		ref = ref_link(cache, ref)->prev;
	}
	assert_int_equal(ref, 0);
	assert_int_equal(ref_list_empty(list), nr == 0);
}

static void random_operations_keep_the_order_of_an_array(void **state)
{
	struct ref_list list = {0};
	int order[N], nr = 0;
	bool on[N] = {false};

	srand(5);
	for (int round = 0; round < 20000; round++) {
		int i = rand() % N, at = 0;

		while (at < nr && order[at] != i)
			at++;
		if (on[i]) {
			memmove(order + at, order + at + 1, (nr - at - 1) * sizeof(int));
			nr--;
			if (rand() % 2) {
				ref_list_move_tail(cache, &list, refs[i]);
				order[nr++] = i;
			} else {
				ref_list_del(cache, &list, refs[i]);
				on[i] = false;
			}
		} else if (rand() % 2) {
			ref_list_add(cache, &list, refs[i]);
			memmove(order + 1, order, nr * sizeof(int));
			order[0] = i;
			nr++;
			on[i] = true;
		} else {
			ref_list_add_tail(cache, &list, refs[i]);
			order[nr++] = i;
			on[i] = true;
		}
		assert_order(&list, order, nr);
	}
}

static void a_list_is_spliced_before_another(void **state)
{
	struct ref_list a = {0}, b = {0};

	ref_list_splice_init(cache, &a, &b);
	assert_order(&b, NULL, 0);
	ref_list_add_tail(cache, &a, refs[0]);
	ref_list_add_tail(cache, &a, refs[1]);
	ref_list_splice_init(cache, &a, &b);
	assert_order(&a, NULL, 0);
	assert_order(&b, (int[]){0, 1}, 2);
	ref_list_add_tail(cache, &a, refs[2]);
	ref_list_splice_init(cache, &a, &b);
	assert_order(&b, (int[]){2, 0, 1}, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_keep_the_order_of_an_array),
		cmocka_unit_test(a_list_is_spliced_before_another),
	};

	return cmocka_run_group_tests_name("ref_list", tests, setup, teardown);
}
