// SPDX-License-Identifier: GPL-2.0-or-later
#include "memcgs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

#define CGROUPS "/cg"

struct path {
	char text[128];
};

static struct path path_of(const struct memcgs *memcgs, int memcg, const char *file)
{
	struct path path;

	snprintf(path.text, sizeof(path.text), CGROUPS "%s/%s",
		 memcg == NO_MEMCG ? "" : memcgs->memcg[memcg].path, file);
	return path;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		die("no %s", path);
	return st.st_ino;
}

static int find_parent(const struct memcgs *memcgs, const char *path)
{
	size_t len = strrchr(path, '/') - path;

	for (unsigned i = 0; i < memcgs->nr; i++) {
		const char *other = memcgs->memcg[i].path;

		if (strlen(other) == len && !strncmp(other, path, len))
			return i;
	}
	if (len)
		die("the parent of %s is not known", path);
	return NO_MEMCG;
}

int memcgs_add(struct memcgs *memcgs, const char *path)
{
	if (memcgs->nr == MAX_MEMCGS)
		die("too many memcgs");
	memcgs->memcg[memcgs->nr] =
		(struct memcg){.path = path, .parent = find_parent(memcgs, path)};
	return memcgs->nr++;
}

void memcgs_make(struct memcgs *memcgs, int memcg)
{
	struct memcg *made = &memcgs->memcg[memcg];
	struct path path = path_of(memcgs, memcg, "");

	if (made->parent != NO_MEMCG)
		must_write(path_of(memcgs, made->parent, "cgroup.subtree_control").text, "+memory");
	if (mkdir(path.text, 0755))
		die("cannot make %s", path.text);
	made->inode = inode_of(path.text);
	made->exists = true;
}

void memcgs_remove(struct memcgs *memcgs, int memcg)
{
	struct path path = path_of(memcgs, memcg, "");

	if (rmdir(path.text))
		die("cannot remove %s", path.text);
	memcgs->memcg[memcg].exists = false;
}

void memcgs_enter(struct memcgs *memcgs, int memcg)
{
	must_write(path_of(memcgs, memcg, "cgroup.procs").text, "0");
	memcgs->current = memcg;
}

void memcgs_set(struct memcgs *memcgs, int memcg, const char *file, int64_t value)
{
	struct path path = path_of(memcgs, memcg, file);

	if (value < 0)
		must_write(path.text, "max");
	else
		must_write(path.text, "%ld", value);
}

void memcgs_reclaim(const struct memcgs *memcgs, int memcg, int64_t bytes)
{
	struct path path = path_of(memcgs, memcg, "memory.reclaim");
	char text[64];
	int ret;

	snprintf(text, sizeof(text), "%ld swappiness=0", bytes);
	ret = write_file(path.text, text);
	if (ret && ret != -EAGAIN) {
		errno = -ret;
		die("cannot reclaim from %s", path.text);
	}
}

int memcgs_open(const struct memcgs *memcgs, int memcg, const char *file)
{
	return open_to_read(path_of(memcgs, memcg, file).text);
}

int memcgs_find(const struct memcgs *memcgs, uint64_t inode)
{
	for (unsigned i = 0; i < memcgs->nr; i++) {
		if (memcgs->memcg[i].inode && memcgs->memcg[i].inode == inode)
			return i;
	}
	return NO_MEMCG;
}

const char *memcgs_path(const struct memcgs *memcgs, int memcg)
{
	return memcg == NO_MEMCG ? "/" : memcgs->memcg[memcg].path;
}

void memcgs_charge(void *arg, uint64_t inode, int64_t bytes)
{
	struct memcgs *memcgs = arg;
	int memcg = memcgs_find(memcgs, inode);

	/* What was charged to a memcg below the root that is gone is the root's. */
	if (memcg == NO_MEMCG && inode != inode_of(CGROUPS))
		die("a charge to a memcg that is not known (inode %lu)", inode);
	for (int m = memcg; m != NO_MEMCG; m = memcgs->memcg[m].parent)
		memcgs->memcg[m].bytes += bytes;
	memcgs->bytes += bytes;
}
