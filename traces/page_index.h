/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the id of a page by its XXH3-128. The table is a mapped file without a name: however many
 * pages a trace has, it takes no anonymous memory. (The hash is not a cryptographic one: somebody
 * who chooses the contents of two pages may make them one. Chance does not.)
 */
#ifndef TRACES_PAGE_INDEX_H
#define TRACES_PAGE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include <xxhash.h>

struct page_index;

/* The table lives in @dir, which must stay valid. 0 or a negative errno. */
int page_index_create(const char *dir, struct page_index **out);
void page_index_destroy(struct page_index *index); /* accepts NULL */

/* Whether @key is there, and the id that it was added with. */
bool page_index_find(const struct page_index *index, XXH128_hash_t key, uint32_t *id);
/*
 * Adds a @key that is not there; @id is at most UINT32_MAX - 1. A negative errno (of the file that
 * holds the table) when it cannot grow; then nothing has changed.
 */
int page_index_add(struct page_index *index, XXH128_hash_t key, uint32_t id);

#endif
