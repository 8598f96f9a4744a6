// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/page_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/spool.h"

#define FIRST_SLOTS 4096u

struct slot {
	XXH128_hash_t key;
	uint64_t id_plus_1; /* 0: free */
};

struct page_index {
	const char *dir;
	struct slot *slots;
	uint64_t nr_slots; /* a power of two */
	uint64_t nr_used;
};

static int slots_map(const char *dir, uint64_t nr, struct slot **out)
{
	size_t bytes = nr * sizeof(**out);
	int ret, fd = temp_file_open(dir, NULL);
	void *map;

	if (fd < 0)
		return fd;
	/* A hole that cannot be filled would be a SIGBUS later. */
	do
		ret = posix_fallocate(fd, 0, bytes);
	while (ret == EINTR);
	if (ret) {
		close(fd);
		return -ret;
	}
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = map == MAP_FAILED ? -errno : 0;
	close(fd);
	*out = map;
	return ret;
}

static void slots_unmap(struct slot *slots, uint64_t nr)
{
	munmap(slots, nr * sizeof(*slots));
}

int page_index_create(const char *dir, struct page_index **out)
{
	struct page_index *index = calloc(1, sizeof(*index));
	int ret;

	if (!index)
		return -ENOMEM;
	index->dir = dir;
	index->nr_slots = FIRST_SLOTS;
	ret = slots_map(dir, index->nr_slots, &index->slots);
	if (ret) {
		free(index);
		return ret;
	}
	*out = index;
	return 0;
}

void page_index_destroy(struct page_index *index)
{
	if (!index)
		return;
	slots_unmap(index->slots, index->nr_slots);
	free(index);
}

/* The slot of @key, or the free one where it belongs. */
static struct slot *slot_of(struct slot *slots, uint64_t nr, XXH128_hash_t key)
{
	uint64_t i = key.low64 & (nr - 1);

	while (slots[i].id_plus_1 && !XXH128_isEqual(slots[i].key, key))
		i = (i + 1) & (nr - 1);
	return &slots[i];
}

bool page_index_find(const struct page_index *index, XXH128_hash_t key, uint32_t *id)
{
	const struct slot *slot = slot_of(index->slots, index->nr_slots, key);

	if (!slot->id_plus_1)
		return false;
	*id = slot->id_plus_1 - 1;
	return true;
}

static int grow(struct page_index *index)
{
	uint64_t nr = index->nr_slots * 2;
	struct slot *slots;
	int ret = slots_map(index->dir, nr, &slots);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < index->nr_slots; i++)
		if (index->slots[i].id_plus_1)
			*slot_of(slots, nr, index->slots[i].key) = index->slots[i];
	slots_unmap(index->slots, index->nr_slots);
	index->slots = slots;
	index->nr_slots = nr;
	return 0;
}

int page_index_add(struct page_index *index, XXH128_hash_t key, uint32_t id)
{
	struct slot *slot;

	if (index->nr_used + 1 > index->nr_slots / 4 * 3) {
		int ret = grow(index);

		if (ret)
			return ret;
	}
	slot = slot_of(index->slots, index->nr_slots, key);
	slot->key = key;
	slot->id_plus_1 = (uint64_t)id + 1;
	index->nr_used++;
	return 0;
}
