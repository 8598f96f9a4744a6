// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/swapdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/page.h"
#include "sim/slot_bytes.h"
#include "sim/xarray.h"

struct swapdev {
	bool contents, tags;
	int fd; /* -1 until the first write */
	struct slot_bytes bytes;
	uint64_t nr_zero;
	/* Slot -> 1 + block of the file; without contents, the id, unless it is 0. */
	struct xa_nodes *nodes;
	struct xarray blocks[SLOT_BYTES_TYPES];
	uint32_t *free_blocks;
	size_t nr_free, cap_free;
	uint32_t nr_blocks;
	uint64_t gone; /* a bit a device */
	struct swap_model model;
	kernel_clock_fn clock;
	void *clock_arg;
	struct swapdev_stats stats;
};

int swapdev_create(bool contents, struct swapdev **out)
{
	struct swapdev *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return -ENOMEM;
	dev->contents = contents;
	dev->fd = -1;
	swap_model_init(&dev->model);
	dev->nodes = xa_nodes_create();
	if (!dev->nodes || slot_bytes_init(&dev->bytes)) {
		swapdev_destroy(dev);
		return -ENOMEM;
	}
	for (unsigned type = 0; type < SLOT_BYTES_TYPES; type++)
		xa_init(&dev->blocks[type], dev->nodes);
	*out = dev;
	return 0;
}

void swapdev_destroy(struct swapdev *dev)
{
	if (!dev)
		return;
	if (dev->fd >= 0)
		close(dev->fd);
	slot_bytes_finish(&dev->bytes);
	xa_nodes_destroy(dev->nodes);
	free(dev->free_blocks);
	free(dev);
}

void swapdev_keep_tags(struct swapdev *dev)
{
	dev->tags = !dev->contents;
}

void swapdev_set_model(struct swapdev *dev, const struct swap_model *model)
{
	dev->model = *model;
}

void swapdev_set_clock(struct swapdev *dev, kernel_clock_fn clock, void *arg)
{
	dev->clock = clock;
	dev->clock_arg = arg;
}

static uint64_t now(const struct swapdev *dev)
{
	return dev->clock ? dev->clock(dev->clock_arg) : 0;
}

static int open_file(struct swapdev *dev)
{
	const char *dir = getenv("TMPDIR");

	if (dev->fd >= 0)
		return 0;
	dev->fd = open(dir && *dir ? dir : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (dev->fd < 0) {
		/* A file system without O_TMPFILE. */
		char name[4096];

		snprintf(name, sizeof(name), "%s/zswapsim-swap.XXXXXX",
			 dir && *dir ? dir : "/var/tmp");
		dev->fd = mkostemp(name, O_CLOEXEC);
		if (dev->fd < 0)
			return -errno;
		unlink(name);
	}
	return 0;
}

static int block_alloc(struct swapdev *dev, uint32_t *block)
{
	if (dev->nr_free) {
		*block = dev->free_blocks[--dev->nr_free];
		return 0;
	}
	if (dev->nr_blocks == UINT32_MAX)
		return -ENOSPC;
	/* Room for its return is made now, so that a discard cannot fail. */
	if (dev->nr_blocks == dev->cap_free) {
		size_t cap = dev->cap_free ? dev->cap_free * 2 : 1024;
		uint32_t *stack = realloc(dev->free_blocks, cap * sizeof(*stack));

		if (!stack)
			return -ENOMEM;
		dev->free_blocks = stack;
		dev->cap_free = cap;
	}
	*block = dev->nr_blocks++;
	return 0;
}

static int write_block(struct swapdev *dev, uint64_t block, const char *data)
{
	size_t done = 0;
	int ret = open_file(dev);

	while (!ret && done < PAGE_SIZE) {
		ssize_t n =
			pwrite(dev->fd, data + done, PAGE_SIZE - done, block * PAGE_SIZE + done);

		if (n < 0 && errno != EINTR)
			ret = -errno;
		else if (n > 0)
			done += n;
	}
	return ret;
}

/* The lower four bits of a slot's byte. The tag is that of a page on disk, if tags are kept. */
#define ON_DISK	     1u
#define ZERO	     2u
#define TAG_SHIFT    2u
#define ID_MASK	     ((1u << SWAPDEV_TAG_BITS) - 1)
#define ON_DISK_MASK (ON_DISK | ID_MASK << TAG_SHIFT)

static int mark_on_disk(struct swapdev *dev, unsigned type, uint64_t offset, unsigned tag)
{
	int old =
		slot_bytes_set(&dev->bytes, type, offset, ON_DISK_MASK, ON_DISK | tag << TAG_SHIFT);

	if (old < 0)
		return old;
	dev->stats.pages += !(old & ON_DISK);
	return 0;
}

/* Whether it was there. */
static bool unmark_on_disk(struct swapdev *dev, unsigned type, uint64_t offset)
{
	if (!(slot_bytes_set(&dev->bytes, type, offset, ON_DISK_MASK, 0) & ON_DISK))
		return false;
	dev->stats.pages--;
	return true;
}

/* Ids but 0 are in the tree. */
static int write_id(struct swapdev *dev, unsigned type, uint64_t offset, uint32_t id)
{
	int ret = mark_on_disk(dev, type, offset, dev->tags ? id & ID_MASK : 0);
	uint32_t old;

	if (ret || dev->tags)
		return ret;
	if (!id) {
		xa_erase(&dev->blocks[type], offset);
		return 0;
	}
	ret = xa_store(&dev->blocks[type], offset, id, &old);
	if (ret)
		swapdev_discard(dev, type, offset);
	return ret;
}

static uint32_t read_id(const struct swapdev *dev, unsigned type, uint64_t offset)
{
	return dev->tags ? slot_bytes_get(&dev->bytes, type, offset) >> TAG_SHIFT & ID_MASK
			 : xa_load(&dev->blocks[type], offset);
}

static int write_page(struct swapdev *dev, unsigned type, uint64_t offset, const char *data)
{
	uint32_t entry, old, block;
	int ret = mark_on_disk(dev, type, offset, 0);

	if (ret)
		return ret;
	entry = xa_load(&dev->blocks[type], offset);
	if (entry)
		return write_block(dev, entry - 1, data);
	ret = block_alloc(dev, &block);
	if (ret)
		goto err;
	ret = xa_store(&dev->blocks[type], offset, block + 1, &old);
	if (ret) {
		dev->free_blocks[dev->nr_free++] = block;
		goto err;
	}
	return write_block(dev, block, data);
err:
	unmark_on_disk(dev, type, offset);
	return ret;
}

int swapdev_write(struct swapdev *dev, unsigned type, uint64_t offset, const void *data,
		  unsigned nr)
{
	uint64_t start = now(dev);
	int ret = 0;

	for (unsigned i = 0; !ret && i < nr; i++) {
		if (dev->contents)
			ret = write_page(dev, type, offset + i,
					 (const char *)data + (size_t)i * PAGE_SIZE);
		else
			ret = write_id(dev, type, offset + i,
				       data ? ((const uint32_t *)data)[i] : 0);
	}
	dev->stats.file_ns += now(dev) - start;
	if (ret)
		return ret;
	dev->stats.written_pages += nr;
	dev->stats.written_requests++;
	dev->stats.modelled_ns[SWAP_MODEL_WRITE] +=
		swap_model_ns(&dev->model, SWAP_MODEL_WRITE, (uint64_t)nr * PAGE_SIZE);
	return 0;
}

static int read_block(struct swapdev *dev, uint64_t block, char *data)
{
	size_t done = 0;

	while (done < PAGE_SIZE) {
		ssize_t n = pread(dev->fd, data + done, PAGE_SIZE - done, block * PAGE_SIZE + done);

		if (n == 0)
			return -EIO;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += n;
	}
	return 0;
}

int swapdev_read(struct swapdev *dev, unsigned type, uint64_t offset, void *data, unsigned nr)
{
	uint64_t start = now(dev);
	int ret = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!swapdev_has(dev, type, offset + i))
			return -ENOENT;
	}
	for (unsigned i = 0; !ret && i < nr; i++) {
		if (dev->contents)
			ret = read_block(dev, xa_load(&dev->blocks[type], offset + i) - 1,
					 (char *)data + (size_t)i * PAGE_SIZE);
		else if (data)
			((uint32_t *)data)[i] = read_id(dev, type, offset + i);
	}
	dev->stats.file_ns += now(dev) - start;
	if (ret)
		return ret;
	dev->stats.read_pages += nr;
	dev->stats.read_requests++;
	dev->stats.modelled_ns[SWAP_MODEL_READ] +=
		swap_model_ns(&dev->model, SWAP_MODEL_READ, (uint64_t)nr * PAGE_SIZE);
	return 0;
}

bool swapdev_has(const struct swapdev *dev, unsigned type, uint64_t offset)
{
	return slot_bytes_get(&dev->bytes, type, offset) & ON_DISK;
}

void swapdev_discard(struct swapdev *dev, unsigned type, uint64_t offset)
{
	if (!unmark_on_disk(dev, type, offset))
		return;
	if (dev->contents)
		dev->free_blocks[dev->nr_free++] = xa_erase(&dev->blocks[type], offset) - 1;
	else if (!dev->tags)
		xa_erase(&dev->blocks[type], offset);
}

void swapdev_prefetch(const struct swapdev *dev, unsigned type, uint64_t offset)
{
	slot_bytes_prefetch(&dev->bytes, type, offset);
}

int swapdev_set_zero(struct swapdev *dev, unsigned type, uint64_t offset)
{
	int old = slot_bytes_set(&dev->bytes, type, offset, ZERO, ZERO);

	if (old < 0)
		return old;
	dev->nr_zero += !(old & ZERO);
	return 0;
}

void swapdev_clear_zero(struct swapdev *dev, unsigned type, uint64_t offset)
{
	if (dev->nr_zero && slot_bytes_set(&dev->bytes, type, offset, ZERO, 0) & ZERO)
		dev->nr_zero--;
}

bool swapdev_is_zero(const struct swapdev *dev, unsigned type, uint64_t offset)
{
	return dev->nr_zero && slot_bytes_get(&dev->bytes, type, offset) & ZERO;
}

int swapdev_reserve(struct swapdev *dev, unsigned type, uint64_t offset)
{
	return slot_bytes_reserve(&dev->bytes, type, offset);
}

uint64_t swapdev_metadata_bytes(const struct swapdev *dev)
{
	return kmem_cache_live_bytes(dev->bytes.leaves) + xa_nodes_live_bytes(dev->nodes);
}

struct slot_bytes *swapdev_slot_bytes(struct swapdev *dev)
{
	return &dev->bytes;
}

void swapdev_set_gone(struct swapdev *dev, unsigned type, bool gone)
{
	uint64_t bit = 1ull << (type & 63);

	dev->gone = gone ? dev->gone | bit : dev->gone & ~bit;
}

bool swapdev_is_gone(const struct swapdev *dev, unsigned type)
{
	return dev->gone >> (type & 63) & 1;
}

const struct swapdev_stats *swapdev_stats(const struct swapdev *dev)
{
	return &dev->stats;
}
