// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zpool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zpool_drivers.h"

static const struct zpool_driver *const drivers[] = {
	[POOL_ALLOCATOR_ZSMALLOC] = &zs_zpool_driver,
	[POOL_ALLOCATOR_ZBUD] = &zbud_zpool_driver,
	[POOL_ALLOCATOR_JEMALLOC] = &jemalloc_zpool_driver,
};
#define NR_DRIVERS (sizeof(drivers) / sizeof(*drivers))

static const char *const types[] = {
	[POOL_ALLOCATOR_ZSMALLOC] = "zsmalloc",
	[POOL_ALLOCATOR_ZBUD] = "zbud",
	[POOL_ALLOCATOR_JEMALLOC] = "jemalloc",
	[NR_DRIVERS] = NULL,
};

const char *const *zpool_types(void)
{
	return types;
}

int zpool_create_pool(struct kernel *k, const char *type, const char *name, struct zpool **out)
{
	struct zpool *zpool;

	for (unsigned i = 0; i < NR_DRIVERS; i++) {
		if (strcmp(types[i], type))
			continue;
		zpool = malloc(sizeof(*zpool));
		if (!zpool)
			return -ENOMEM;
		zpool->driver = drivers[i];
		zpool->pool = zpool->driver->create(k, name);
		if (!zpool->pool) {
			free(zpool);
			return -ENOMEM;
		}
		*out = zpool;
		return 0;
	}
	return -ENOENT;
}

void zpool_destroy_pool(struct zpool *zpool)
{
	if (!zpool)
		return;
	zpool->driver->destroy(zpool->pool);
	free(zpool);
}

struct zs_pool *zpool_zs_pool(const struct zpool *zpool)
{
	return zpool->driver == &zs_zpool_driver ? zpool->pool : NULL;
}
