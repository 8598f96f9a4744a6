/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups of a scenario, each known by its path ("/p/a"). The program itself moves from one
 * to another: a page belongs to the memcg that the program was in when it first touched the page.
 */
#ifndef GUEST_MEMCGS_H
#define GUEST_MEMCGS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_MEMCGS 8
#define NO_MEMCG   (-1)

struct memcg {
	const char *path;
	int parent; /* index, NO_MEMCG: the root */
	bool exists;
	uint64_t inode; /* of its directory, by which the kernel names it */
	int64_t bytes;	/* charged to zswap by it and what is below it */
};

struct memcgs {
	unsigned nr;
	struct memcg memcg[MAX_MEMCGS];
	int current;   /* where the program is; NO_MEMCG: in the root */
	int64_t bytes; /* charged in all */
};

/* Only names it. Parents first. */
int memcgs_add(struct memcgs *memcgs, const char *path);
/* Makes the directory. */
void memcgs_make(struct memcgs *memcgs, int memcg);
/* Removes the directory, in which no process may be. */
void memcgs_remove(struct memcgs *memcgs, int memcg);
/* Moves the program; NO_MEMCG: to the root. */
void memcgs_enter(struct memcgs *memcgs, int memcg);
/* -1: no limit. */
void memcgs_set(struct memcgs *memcgs, int memcg, const char *file, int64_t value);
/* Reclaim of anything but pages in memory (swappiness 0), which so comes to nothing in the end. */
void memcgs_reclaim(const struct memcgs *memcgs, int memcg, int64_t bytes);
/* An open file of the memcg. */
int memcgs_open(const struct memcgs *memcgs, int memcg, const char *file);
/* By inode number; NO_MEMCG if it is none of them. */
int memcgs_find(const struct memcgs *memcgs, uint64_t inode);
/* "/" for NO_MEMCG. */
const char *memcgs_path(const struct memcgs *memcgs, int memcg);

/* A charge to zswap, or an uncharge: of the memcg and those above it (a probes_charge_fn). */
void memcgs_charge(void *memcgs, uint64_t inode, int64_t bytes);

#endif
