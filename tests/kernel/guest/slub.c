// SPDX-License-Identifier: GPL-2.0-or-later
#include "slub.h"

#include <stdio.h>

#include "util.h"

int slub_open_objects(const char *cache, const char *pool)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s-%s/objects", cache, pool);
	fd = open_to_read(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/objects", cache);
	return open_to_read(path);
}
