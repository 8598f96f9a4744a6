// SPDX-License-Identifier: GPL-2.0-or-later
/* zsmalloc as an allocator of zpool (zs_zpool_*, mm/zsmalloc.c to 6.17). */
#include <errno.h>
#include <stdio.h>

#include "sim/zpool_drivers.h"
#include "sim/zsmalloc.h"

static void *zs_zpool_create(struct kernel *k, const char *name)
{
	return zs_create_pool(k, name);
}

static void zs_zpool_destroy(void *pool)
{
	zs_destroy_pool(pool);
}

static unsigned long zs_zpool_malloc(void *pool, size_t size, int nid)
{
	return zs_malloc(pool, size, nid);
}

static void zs_zpool_free(void *pool, unsigned long handle)
{
	zs_free(pool, handle);
}

static int zs_zpool_reserve(void *pool, unsigned nr)
{
	return zs_reserve(pool, nr);
}

static uint64_t zs_zpool_metadata_bytes(const void *pool)
{
	return zs_metadata_bytes(pool);
}

static void zs_zpool_prefetch(const void *pool, unsigned long handle, bool again)
{
	zs_prefetch(pool, handle, again);
}

static void zs_zpool_obj_write(void *pool, unsigned long handle, const void *buf, size_t len)
{
	zs_obj_write(pool, handle, buf, len);
}

static void *zs_zpool_obj_read_begin(void *pool, unsigned long handle, size_t len, void *local_copy)
{
	return zs_obj_read_begin(pool, handle, len, local_copy);
}

static void zs_zpool_obj_read_end(void *pool, unsigned long handle, size_t len, void *mem)
{
	zs_obj_read_end(pool, handle, len, mem);
}

static unsigned zs_zpool_obj_read_sg_begin(void *pool, unsigned long handle, struct scatterlist *sg,
					   size_t len)
{
	return zs_obj_read_sg_begin(pool, handle, sg, len);
}

static void zs_zpool_obj_read_sg_end(void *pool, unsigned long handle)
{
	zs_obj_read_sg_end(pool, handle);
}

static void *zs_zpool_map(void *pool, unsigned long handle, enum zpool_mapmode mode)
{
	static const enum zs_mapmode modes[] = {
		[ZPOOL_MM_RW] = ZS_MM_RW, [ZPOOL_MM_RO] = ZS_MM_RO, [ZPOOL_MM_WO] = ZS_MM_WO};

	return zs_map_object(pool, handle, modes[mode]);
}

static void zs_zpool_unmap(void *pool, unsigned long handle)
{
	zs_unmap_object(pool, handle);
}

static uint64_t zs_zpool_total_pages(const void *pool)
{
	return zs_get_total_pages(pool);
}

static void zs_zpool_usage(const void *pool, struct zpool_usage *usage)
{
	struct zs_usage u;

	zs_usage(pool, &u);
	*usage = (struct zpool_usage){
		.pages = u.pages,
		.groups = u.zspages,
		.objects = u.objects,
		.straddling_objs = u.straddling_objs,
		.payload_bytes = u.payload_bytes,
		.rounding_bytes = u.rounding_bytes,
		.unused_bytes = u.unused_bytes,
		.tail_bytes = u.tail_bytes,
	};
}

static void zs_zpool_locate(const void *pool, unsigned long handle, struct zpool_location *loc)
{
	struct zs_obj_location at;

	zs_obj_locate(pool, handle, &at);
	*loc = (struct zpool_location){
		.slot_size = at.class_size,
		.index = at.index,
		.offset = at.offset,
		.length = at.length,
		.straddles = at.straddles,
		.nid = at.nid,
	};
}

static uint64_t zs_zpool_nr_mapped(const void *pool)
{
	return zs_nr_mapped(pool);
}

static int differ(char *err, size_t size, const char *what, uint64_t counted, uint64_t summed)
{
	snprintf(err, size, "zsmalloc: %s: counted %llu, the classes make %llu", what,
		 (unsigned long long)counted, (unsigned long long)summed);
	return -EUCLEAN;
}

/* The pool's totals against its classes', which are kept apart from them. */
static int zs_zpool_check(const void *pool, char *err, size_t err_size)
{
	struct zs_usage u, sum = {0};
	uint64_t bytes;

	zs_usage(pool, &u);
	for (unsigned i = 0; i < zs_nr_classes(pool); i++) {
		struct zs_class_stats c;

		zs_class_stats(pool, i, &c);
		for (unsigned fg = 0; fg < ZS_NR_FULLNESS; fg++)
			sum.zspages += c.zspages[fg];
		sum.pages += c.pages_used;
		sum.objects += c.obj_used;
		sum.straddling_objs += c.straddling_objs;
		sum.payload_bytes += c.payload_bytes;
	}
	if (u.pages != sum.pages)
		return differ(err, err_size, "pages", u.pages, sum.pages);
	if (u.zspages != sum.zspages)
		return differ(err, err_size, "zspages", u.zspages, sum.zspages);
	if (u.objects != sum.objects)
		return differ(err, err_size, "objects", u.objects, sum.objects);
	if (u.straddling_objs != sum.straddling_objs)
		return differ(err, err_size, "straddling objects", u.straddling_objs,
			      sum.straddling_objs);
	if (u.payload_bytes != sum.payload_bytes)
		return differ(err, err_size, "payload bytes", u.payload_bytes, sum.payload_bytes);
	bytes = u.payload_bytes + u.rounding_bytes + u.unused_bytes + u.tail_bytes;
	if (u.pages * PAGE_SIZE != bytes)
		return differ(err, err_size, "bytes of its pages", u.pages * PAGE_SIZE, bytes);
	return 0;
}

static void zs_zpool_fail_nth(void *pool, uint64_t nth)
{
	zs_fail_nth(pool, nth);
}

const struct zpool_driver zs_zpool_driver = {
	.type = "zsmalloc",
	.create = zs_zpool_create,
	.destroy = zs_zpool_destroy,
	.malloc = zs_zpool_malloc,
	.free = zs_zpool_free,
	.reserve = zs_zpool_reserve,
	.metadata_bytes = zs_zpool_metadata_bytes,
	.prefetch = zs_zpool_prefetch,
	.obj_write = zs_zpool_obj_write,
	.obj_read_begin = zs_zpool_obj_read_begin,
	.obj_read_end = zs_zpool_obj_read_end,
	.obj_read_sg_begin = zs_zpool_obj_read_sg_begin,
	.obj_read_sg_end = zs_zpool_obj_read_sg_end,
	.map = zs_zpool_map,
	.unmap = zs_zpool_unmap,
	.total_pages = zs_zpool_total_pages,
	.usage = zs_zpool_usage,
	.locate = zs_zpool_locate,
	.nr_mapped = zs_zpool_nr_mapped,
	.check = zs_zpool_check,
	.fail_nth = zs_zpool_fail_nth,
};
