// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zsmalloc.h"

enum slot_kind { SLOT_EMPTY, SLOT_OBJECT, SLOT_HUGE, SLOT_SAME };

/* struct zram_table_entry */
struct slot {
	unsigned long handle;
	uint16_t size;
	uint8_t kind; /* enum slot_kind */
};

struct zram {
	struct kernel *k;
	struct zs_pool *pool;
	zram_length_fn length;
	void *arg;
	struct slot *table;
	uint64_t pages_stored, compr_data_size, max_used_pages;
	uint64_t same_pages, huge_pages, huge_pages_since;
};

int zram_create(struct kernel *k, uint32_t slots, zram_length_fn length, void *arg,
		struct zram **out)
{
	struct zram *zram;

	if (!slots || slots > ZRAM_MAX_SLOTS)
		return -EINVAL;
	zram = calloc(1, sizeof(*zram));
	if (!zram)
		return -ENOMEM;
	zram->k = k;
	zram->length = length;
	zram->arg = arg;
	zram->table = calloc(slots, sizeof(*zram->table));
	zram->pool = zs_create_pool(k, "zram0");
	if (!zram->table || !zram->pool) {
		zram_destroy(zram);
		return -ENOMEM;
	}
	*out = zram;
	return 0;
}

void zram_destroy(struct zram *zram)
{
	if (!zram)
		return;
	zs_destroy_pool(zram->pool);
	free(zram->table);
	free(zram);
}

void zram_discard(struct zram *zram, uint32_t slot)
{
	struct slot *s = &zram->table[slot];

	if (s->kind == SLOT_EMPTY)
		return;
	if (s->kind == SLOT_SAME) {
		zram->same_pages--;
	} else {
		zram->huge_pages -= s->kind == SLOT_HUGE;
		zram->compr_data_size -= s->size;
		zs_free(zram->pool, s->handle);
	}
	zram->pages_stored--;
	memset(s, 0, sizeof(*s));
}

/* Every 8-byte word is the same; the last one, which most often differs, is looked at first. */
static bool page_same_filled(const void *page)
{
	uint64_t first, last;

	memcpy(&first, page, sizeof(first));
	memcpy(&last, (const char *)page + PAGE_SIZE - sizeof(last), sizeof(last));
	return first == last &&
	       !memcmp(page, (const char *)page + sizeof(first), PAGE_SIZE - sizeof(first));
}

/* What is put in a slot; its object is allocated and the peak is known, nothing else is counted. */
static int make_slot(struct zram *zram, const void *page, uint32_t src, struct slot *s)
{
	unsigned long pages;
	int len = 0;

	memset(s, 0, sizeof(*s));
	s->kind = SLOT_SAME;
	if (page && page_same_filled(page))
		return 0;
	len = zram->length(zram->arg, page, src);
	if (len < 0)
		return len;
	if (!len)
		return page ? -EINVAL : 0;
	s->kind = SLOT_OBJECT;
	if (len >= (int)zs_huge_class_size(zram->pool)) {
		s->kind = SLOT_HUGE;
		len = PAGE_SIZE;
	}
	s->size = len;
	s->handle = zs_malloc(zram->pool, len, 0);
	if (IS_ERR_VALUE(s->handle))
		return (int)(long)s->handle;
	pages = zs_get_total_pages(zram->pool);
	if (pages > zram->max_used_pages)
		zram->max_used_pages = pages;
	return 0;
}

int zram_write(struct zram *zram, uint32_t slot, const void *page, uint32_t src)
{
	struct slot s;
	int ret = make_slot(zram, page, src, &s);

	if (ret)
		return ret;
	zram_discard(zram, slot);
	zram->table[slot] = s;
	zram->pages_stored++;
	zram->compr_data_size += s.size;
	zram->same_pages += s.kind == SLOT_SAME;
	zram->huge_pages += s.kind == SLOT_HUGE;
	zram->huge_pages_since += s.kind == SLOT_HUGE;
	return 0;
}

void zram_compact(struct zram *zram)
{
	zs_compact(zram->pool);
}

void zram_stats(const struct zram *zram, struct zram_stats *stats)
{
	struct zs_pool_stats pool;

	zs_pool_stats(zram->pool, &pool);
	stats->orig_data_size = zram->pages_stored * PAGE_SIZE;
	stats->compr_data_size = zram->compr_data_size;
	stats->mem_used_total = (uint64_t)zs_get_total_pages(zram->pool) * PAGE_SIZE;
	stats->mem_used_max = zram->max_used_pages * PAGE_SIZE;
	stats->same_pages = zram->same_pages;
	stats->pages_compacted = pool.pages_compacted;
	stats->huge_pages = zram->huge_pages;
	stats->huge_pages_since = zram->huge_pages_since;
}

struct zs_pool *zram_pool(struct zram *zram)
{
	return zram->pool;
}
