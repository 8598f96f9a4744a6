/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A doubly linked list of objects of one kmem_cache, by 32-bit references (sim/slab.h): 8 bytes an
 * object, where a list_head takes 16. The order of every operation is that of the kernel's list of
 * the same name. Links are the first member of their objects, so that a reference to the object is
 * one to its link; 0 ends the list at both ends.
 */
#ifndef SIM_REF_LIST_H
#define SIM_REF_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/slab.h"

struct ref_link {
	uint32_t next, prev;
};

struct ref_list {
	uint32_t first, last;
};

static inline struct ref_link *ref_link(const struct kmem_cache *cache, uint32_t ref)
{
	return kmem_cache_object(cache, ref);
}

static inline bool ref_list_empty(const struct ref_list *list)
{
	return !list->first;
}

/* At the head. */
static inline void ref_list_add(const struct kmem_cache *cache, struct ref_list *list, uint32_t ref)
{
	*ref_link(cache, ref) = (struct ref_link){.next = list->first};
	if (list->first)
		ref_link(cache, list->first)->prev = ref;
	else
		list->last = ref;
	list->first = ref;
}

static inline void ref_list_add_tail(const struct kmem_cache *cache, struct ref_list *list,
				     uint32_t ref)
{
	*ref_link(cache, ref) = (struct ref_link){.prev = list->last};
	if (list->last)
		ref_link(cache, list->last)->next = ref;
	else
		list->first = ref;
	list->last = ref;
}

/* The links of what was taken off mean nothing any more. */
static inline void ref_list_del(const struct kmem_cache *cache, struct ref_list *list, uint32_t ref)
{
	const struct ref_link *link = ref_link(cache, ref);

	if (link->prev)
		ref_link(cache, link->prev)->next = link->next;
	else
		list->first = link->next;
	if (link->next)
		ref_link(cache, link->next)->prev = link->prev;
	else
		list->last = link->prev;
}

static inline void ref_list_move_tail(const struct kmem_cache *cache, struct ref_list *list,
				      uint32_t ref)
{
	ref_list_del(cache, list, ref);
	ref_list_add_tail(cache, list, ref);
}

/* All of @list to the head of @to; @list is empty then (list_splice_init). */
static inline void ref_list_splice_init(const struct kmem_cache *cache, struct ref_list *list,
					struct ref_list *to)
{
	if (ref_list_empty(list))
		return;
	ref_link(cache, list->last)->next = to->first;
	if (to->first)
		ref_link(cache, to->first)->prev = list->last;
	else
		to->last = list->last;
	to->first = list->first;
	*list = (struct ref_list){0, 0};
}

#endif
