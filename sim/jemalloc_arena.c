// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/jemalloc_arena.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/list.h"
#include "sim/poison.h"

#define HUGEPAGE (2ul << 20) /* jemalloc's: metadata comes in multiples of it */

/* Address space: for twice the pages, since jemalloc asks ahead, and then some; at most 8 TiB. */
#define SPARE_BYTES (1ul << 30)
#define MAX_BYTES   (8ul << 40)

/* Idle pages: above 4 MiB, a trim leaves 2 MiB. */
#define MAX_IDLE  1024u
#define KEEP_IDLE 512u

/* Pages of a slab of regions of up to a page, as jemalloc 5 has them. */
#define MAX_SLAB 8u

enum page_state { PAGE_ABSENT, PAGE_IDLE, PAGE_COMMITTED };

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* ---- the extent hooks ---- */

static struct je_arena *arena_of(extent_hooks_t *hooks)
{
	return container_of(hooks, struct je_arena, hooks);
}

static bool in_space(const struct je_arena *arena, const void *addr)
{
	return (const char *)addr >= arena->space &&
	       (const char *)addr < arena->space + arena->space_bytes;
}

/* 0 or -ENOMEM. */
static int make_writable(struct je_arena *arena, size_t bytes)
{
	size_t now = arena->writable_bytes;

	bytes = round_up(bytes, HUGEPAGE);
	if (bytes > arena->space_bytes)
		bytes = arena->space_bytes;
	if (bytes <= now)
		return 0;
	if (mprotect(arena->space + now, bytes - now, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	arena->writable_bytes = bytes;
	return 0;
}

static void account(struct je_arena *arena, size_t bytes, int sign)
{
	int64_t slabs = bytes / arena->at_hand->slab;

	assert(bytes % arena->at_hand->slab == 0);
	arena->pages += sign * (int64_t)(bytes / PAGE_SIZE);
	arena->slabs += sign * slabs;
	arena->tail_bytes += sign * slabs * (int64_t)arena->at_hand->tail;
}

static void commit(struct je_arena *arena, char *addr, size_t bytes)
{
	size_t first = addr - arena->space, end = first + bytes;

	account(arena, bytes, 1);
	if (!arena->contents)
		return;
	for (size_t at = first / PAGE_SIZE; at < end / PAGE_SIZE; at++) {
		arena->idle -= arena->state[at] == PAGE_IDLE;
		arena->state[at] = PAGE_COMMITTED;
	}
	if (arena->nr_states < end / PAGE_SIZE)
		arena->nr_states = end / PAGE_SIZE;
	if (!arena->fills)
		poison(addr, bytes);
}

static void decommit(struct je_arena *arena, char *addr, size_t bytes)
{
	size_t first = addr - arena->space, end = first + bytes;

	account(arena, bytes, -1);
	if (!arena->contents)
		return;
	for (size_t at = first / PAGE_SIZE; at < end / PAGE_SIZE; at++)
		arena->state[at] = PAGE_IDLE;
	arena->idle += bytes / PAGE_SIZE;
	unpoison(addr, bytes);
}

static void *map_aligned(size_t size, size_t alignment, int protection)
{
	char *mem = mmap(NULL, size + alignment, protection,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (mem == MAP_FAILED)
		return NULL;
	before = round_up((size_t)mem, alignment) - (size_t)mem;
	if (before)
		munmap(mem, before);
	munmap(mem + before + size, alignment - before);
	return mem + before;
}

static void *hook_alloc(extent_hooks_t *hooks, void *new_addr, size_t size, size_t alignment,
			bool *zero, bool *committed, unsigned index)
{
	struct je_arena *arena = arena_of(hooks);
	size_t at = round_up(arena->given_bytes, alignment);

	*zero = true;
	/* Metadata must have memory; slabs are asked for without. */
	if (*committed && size % HUGEPAGE == 0)
		return new_addr ? NULL : map_aligned(size, alignment, PROT_READ | PROT_WRITE);
	if (at + size > arena->space_bytes || (new_addr && new_addr != arena->space + at))
		return NULL;
	if (arena->writable_bytes && make_writable(arena, at + size))
		return NULL;
	arena->given_bytes = at + size;
	/* But a jemalloc that retains nothing (opt.retain) asks slab by slab, and committed. */
	if (*committed)
		commit(arena, arena->space + at, size);
	return arena->space + at;
}

/* True is no: jemalloc then decommits what it does not use, and uses it again. */
static bool hook_dalloc(extent_hooks_t *hooks, void *addr, size_t size, bool committed,
			unsigned index)
{
	return in_space(arena_of(hooks), addr) || munmap(addr, size);
}

static void hook_destroy(extent_hooks_t *hooks, void *addr, size_t size, bool committed,
			 unsigned index)
{
	if (!in_space(arena_of(hooks), addr))
		munmap(addr, size);
}

static bool hook_commit(extent_hooks_t *hooks, void *addr, size_t size, size_t offset,
			size_t length, unsigned index)
{
	commit(arena_of(hooks), (char *)addr + offset, length);
	return false;
}

static bool hook_decommit(extent_hooks_t *hooks, void *addr, size_t size, size_t offset,
			  size_t length, unsigned index)
{
	struct je_arena *arena = arena_of(hooks);

	if (!in_space(arena, addr))
		return true;
	decommit(arena, (char *)addr + offset, length);
	return false;
}

static bool hook_split(extent_hooks_t *hooks, void *addr, size_t size, size_t size_a, size_t size_b,
		       bool committed, unsigned index)
{
	return false;
}

static bool hook_merge(extent_hooks_t *hooks, void *addr_a, size_t size_a, void *addr_b,
		       size_t size_b, bool committed, unsigned index)
{
	struct je_arena *arena = arena_of(hooks);

	return !in_space(arena, addr_a) || !in_space(arena, addr_b);
}

/* ---- the arena ---- */

static int read_size(const char *name, size_t *value)
{
	size_t size = sizeof(*value);

	return -mallctl(name, value, &size, NULL, 0);
}

static int read_bin(struct je_arena *arena, unsigned i)
{
	struct je_bin *bin = &arena->bins[i];
	uint32_t regions = 0;
	size_t size = sizeof(regions);
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "arenas.bin.%u.size", i);
	ret = read_size(name, &bin->region);
	snprintf(name, sizeof(name), "arenas.bin.%u.slab_size", i);
	if (!ret)
		ret = read_size(name, &bin->slab);
	snprintf(name, sizeof(name), "arenas.bin.%u.nregs", i);
	if (!ret)
		ret = -mallctl(name, &regions, &size, NULL, 0);
	bin->tail = bin->slab - regions * bin->region;
	return ret;
}

static int read_bins(struct je_arena *arena)
{
	unsigned nr;
	size_t size = sizeof(nr), at = 0;
	int ret = -mallctl("arenas.nbins", &nr, &size, NULL, 0);

	for (unsigned i = 0; !ret && i < nr && i < JE_MAX_BINS && at * 8 <= PAGE_SIZE; i++) {
		ret = read_bin(arena, i);
		for (; !ret && at * 8 <= PAGE_SIZE && at * 8 <= arena->bins[i].region; at++)
			arena->bin_of[at] = i;
		arena->nr_bins = i + 1;
	}
	return !ret && at * 8 <= PAGE_SIZE ? -ENOTSUP : ret;
}

/* Whether it was told (MALLOC_CONF) to fill what it hands out or takes back. */
static bool fills_regions(void)
{
	const char *junk = "false";
	bool zero = false;
	size_t size = sizeof(zero);

	mallctl("opt.zero", &zero, &size, NULL, 0);
	size = sizeof(junk);
	mallctl("opt.junk", &junk, &size, NULL, 0);
	return zero || strcmp(junk, "false");
}

static int create_space(struct je_arena *arena, uint64_t max_pages)
{
	arena->space_bytes = MAX_BYTES;
	if (max_pages < (MAX_BYTES - SPARE_BYTES) / PAGE_SIZE / 2)
		arena->space_bytes = round_up(2 * max_pages * PAGE_SIZE + SPARE_BYTES, HUGEPAGE);
	arena->space = map_aligned(arena->space_bytes, HUGEPAGE, PROT_NONE);
	if (!arena->space)
		return -ENOMEM;
	if (arena->contents) {
		arena->state = mmap(NULL, arena->space_bytes / PAGE_SIZE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (arena->state == MAP_FAILED) {
			arena->state = NULL;
			return -ENOMEM;
		}
	}
	arena->fills = fills_regions();
	return arena->contents || arena->fills ? make_writable(arena, HUGEPAGE) : 0;
}

static int set_decay(const struct je_arena *arena, const char *which)
{
	ssize_t at_once = 0;
	char name[64];

	snprintf(name, sizeof(name), "arena.%u.%s_decay_ms", arena->index, which);
	return -mallctl(name, NULL, NULL, &at_once, sizeof(at_once));
}

int je_arena_init(struct je_arena *arena, bool contents, uint64_t max_pages)
{
	extent_hooks_t *hooks = &arena->hooks;
	size_t size = sizeof(arena->index);
	int ret;

	memset(arena, 0, sizeof(*arena));
	arena->contents = contents;
	arena->hooks = (extent_hooks_t){
		.alloc = hook_alloc,
		.dalloc = hook_dalloc,
		.destroy = hook_destroy,
		.commit = hook_commit,
		.decommit = hook_decommit,
		.split = hook_split,
		.merge = hook_merge,
	};
	ret = create_space(arena, max_pages);
	if (!ret)
		ret = read_bins(arena);
	if (!ret)
		ret = -mallctl("arenas.create", &arena->index, &size, &hooks, sizeof(hooks));
	if (ret)
		return ret;
	arena->flags = MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE;
	ret = set_decay(arena, "dirty");
	return ret ? ret : set_decay(arena, "muzzy");
}

void je_arena_finish(struct je_arena *arena)
{
	/* Slabs of any size go now; nobody asks how many any more. */
	static const struct je_bin any = {.slab = PAGE_SIZE};
	char name[64];

	arena->at_hand = &any;
	if (arena->flags) {
		snprintf(name, sizeof(name), "arena.%u.destroy", arena->index);
		mallctl(name, NULL, NULL, NULL, 0);
	}
	if (arena->nr_states)
		unpoison(arena->space, arena->nr_states * PAGE_SIZE);
	if (arena->state)
		munmap(arena->state, arena->space_bytes / PAGE_SIZE);
	if (arena->space)
		munmap(arena->space, arena->space_bytes);
}

void *je_arena_alloc(struct je_arena *arena, size_t size)
{
	void *mem;

	arena->at_hand = je_arena_bin(arena, size);
	mem = mallocx(size, arena->flags);
	if (mem && arena->contents)
		unpoison(mem, size);
	return mem;
}

void je_arena_free(struct je_arena *arena, void *mem, size_t size)
{
	arena->at_hand = je_arena_bin(arena, size);
	if (arena->contents && !arena->fills)
		poison(mem, arena->at_hand->region);
	dallocx(mem, arena->flags);
}

/* ---- memory: touched before it is needed, given back when much lies idle ---- */

/* From the lowest address up, as jemalloc takes them. */
int je_arena_reserve(struct je_arena *arena, unsigned nr)
{
	unsigned need = nr < KEEP_IDLE / MAX_SLAB ? nr * MAX_SLAB : KEEP_IDLE;
	size_t at;

	if (!arena->contents)
		return 0;
	for (at = arena->first_absent; arena->idle < need && at < arena->space_bytes / PAGE_SIZE;
	     at++) {
		if (arena->state[at] != PAGE_ABSENT)
			continue;
		if (make_writable(arena, (at + 1) * PAGE_SIZE))
			return -ENOMEM;
		*(volatile char *)(arena->space + at * PAGE_SIZE) = 0;
		arena->state[at] = PAGE_IDLE;
		arena->idle++;
		if (arena->nr_states <= at)
			arena->nr_states = at + 1;
		arena->first_absent = at + 1;
	}
	return 0;
}

/* From the highest address down. */
void je_arena_trim(struct je_arena *arena)
{
	size_t at = arena->nr_states, end;

	if (arena->idle <= MAX_IDLE)
		return;
	while (at && arena->idle > KEEP_IDLE) {
		for (end = at; at && arena->idle > KEEP_IDLE; at--) {
			if (arena->state[at - 1] != PAGE_IDLE)
				break;
			arena->state[at - 1] = PAGE_ABSENT;
			arena->idle--;
		}
		if (at < end)
			madvise(arena->space + at * PAGE_SIZE, (end - at) * PAGE_SIZE,
				MADV_DONTNEED);
		else
			at--;
	}
	if (arena->first_absent > at)
		arena->first_absent = at;
}

/* ---- its own statistics ---- */

static int read_bin_stats(const struct je_arena *arena, unsigned i, struct je_arena_stats *stats)
{
	size_t regions, slabs;
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "stats.arenas.%u.bins.%u.curregs", arena->index, i);
	ret = read_size(name, &regions);
	snprintf(name, sizeof(name), "stats.arenas.%u.bins.%u.curslabs", arena->index, i);
	if (!ret)
		ret = read_size(name, &slabs);
	if (ret)
		return ret;
	stats->regions += regions;
	stats->slabs += slabs;
	return 0;
}

static int read_stat(const struct je_arena *arena, const char *what, size_t *value)
{
	char name[64];

	snprintf(name, sizeof(name), "stats.arenas.%u.%s", arena->index, what);
	return read_size(name, value);
}

int je_arena_stats(const struct je_arena *arena, struct je_arena_stats *stats)
{
	size_t active, mapped, resident, size;
	uint64_t epoch = 1;
	int ret;

	size = sizeof(epoch);
	ret = -mallctl("epoch", &epoch, &size, &epoch, sizeof(epoch));
	if (!ret)
		ret = read_stat(arena, "pactive", &active);
	if (!ret)
		ret = read_stat(arena, "mapped", &mapped);
	if (!ret)
		ret = read_stat(arena, "resident", &resident);
	if (ret)
		return ret;
	*stats = (struct je_arena_stats){
		.active_pages = active,
		.mapped_pages = mapped / PAGE_SIZE,
		.resident_pages = resident / PAGE_SIZE,
	};
	for (unsigned i = 0; !ret && i < arena->nr_bins; i++)
		ret = read_bin_stats(arena, i, stats);
	return ret;
}
