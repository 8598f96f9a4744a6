// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compaction (kernel-spec D.7). A source that a reader holds: 6.16 and later give the class up, and
 * so does this port for every profile; 6.12 waits for the reader, which in one thread is for ever.
 */
#include "sim/zs_private.h"

unsigned long zs_can_compact(const struct size_class *class)
{
	return (class->objs_allocated - class->objs_inuse) / class->objs * class->pages;
}

unsigned long zs_compactable_pages(const struct zs_pool *pool)
{
	unsigned long pages = 0;

	for (unsigned i = 0; i < pool->table.nr; i++)
		pages += zs_can_compact(&pool->classes[i]);
	return pages;
}

static struct zspage *isolate_first(struct zs_pool *pool, struct size_class *class,
				    unsigned fullness)
{
	struct zspage *zspage;

	if (ref_list_empty(&class->fullness_list[fullness]))
		return NULL;
	zspage = zspage_of_ref(pool, class->fullness_list[fullness].first);
	remove_zspage(pool, zspage);
	return zspage;
}

static struct zspage *isolate_src_zspage(struct zs_pool *pool, struct size_class *class)
{
	struct zspage *zspage = NULL;

	for (unsigned fg = 1; fg < ZS_FULL && !zspage; fg++)
		zspage = isolate_first(pool, class, fg);
	return zspage;
}

static struct zspage *isolate_dst_zspage(struct zs_pool *pool, struct size_class *class)
{
	struct zspage *zspage = NULL;

	for (unsigned fg = ZS_FULL - 1; fg >= 1 && !zspage; fg--)
		zspage = isolate_first(pool, class, fg);
	return zspage;
}

static unsigned putback_zspage(struct zs_pool *pool, struct zspage *zspage)
{
	unsigned fullness = get_fullness_group(zspage_class(pool, zspage), zspage);

	insert_zspage(pool, zspage, fullness);
	return fullness;
}

static void move_object(struct zs_pool *pool, struct zspage *src, unsigned idx, struct zspage *dst)
{
	const struct size_class *class = zspage_class(pool, src);
	unsigned long handle = handle_of_ref(pool, zspage_headers(class, src)[idx] >> OBJ_TAG_BITS);
	struct obj_place from = obj_place(pool, handle), to;
	unsigned len = handle_to_length(handle);

	obj_malloc(pool, dst, handle, len);
	if (pool->k->contents) {
		/* The kernel copies the chunk; what lies behind the payload means nothing. */
		char buf[PAGE_SIZE];

		to = obj_place(pool, handle);
		obj_copy_out(pool, &from, buf, len);
		obj_copy_in(pool, &to, buf, len);
	}
	obj_free(pool, src, idx, len);
	pool->objs_moved++;
	pool->bytes_copied += class->size;
}

/* In order of the source's chunks, until one side is done. */
static void migrate_zspage(struct zs_pool *pool, struct zspage *src, struct zspage *dst)
{
	const struct size_class *class = zspage_class(pool, src);

	for (unsigned idx = 0; idx < class->objs; idx++) {
		if (!(zspage_headers(class, src)[idx] & OBJ_ALLOCATED_TAG))
			continue;
		move_object(pool, src, idx, dst);
		if (get_fullness_group(class, dst) == ZS_FULL || !src->inuse)
			break;
	}
}

/* (__zs_compact) Nobody contends for the locks, so a destination is held until it is full. */
static unsigned long compact_class(struct zs_pool *pool, struct size_class *class)
{
	struct zspage *src, *dst = NULL;
	unsigned long freed = 0;

	while (zs_can_compact(class)) {
		if (!dst)
			dst = isolate_dst_zspage(pool, class);
		if (!dst)
			break;
		src = isolate_src_zspage(pool, class);
		if (!src)
			break;
		if (src->readers) {
			putback_zspage(pool, src);
			break;
		}
		migrate_zspage(pool, src, dst);
		if (putback_zspage(pool, src) == 0) {
			free_zspage(pool, src);
			freed += class->pages;
		}
		if (get_fullness_group(class, dst) == ZS_FULL) {
			putback_zspage(pool, dst);
			dst = NULL;
		}
	}
	if (dst)
		putback_zspage(pool, dst);
	return freed;
}

unsigned long zs_compact(struct zs_pool *pool)
{
	unsigned long freed = 0;

	for (unsigned i = pool->table.nr; i-- > 0;)
		freed += compact_class(pool, &pool->classes[i]);
	pool->pages_compacted += freed;
	return freed;
}
