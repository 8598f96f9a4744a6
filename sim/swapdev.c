// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/swapdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/page.h"
#include "sim/xarray.h"

#define TYPE_SHIFT 48 /* of the device number above a slot's offset */

struct swapdev {
	bool contents;
	int fd; /* -1 until the first write */
	struct kmem_cache *nodes;
	struct xarray blocks; /* slot -> block of the file, or id of the page, as a value */
	uint64_t *free_blocks;
	size_t nr_free, cap_free;
	uint64_t nr_blocks;
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
	dev->nodes = xa_node_cache_create();
	if (!dev->nodes) {
		free(dev);
		return -ENOMEM;
	}
	xa_init(&dev->blocks, dev->nodes);
	*out = dev;
	return 0;
}

void swapdev_destroy(struct swapdev *dev)
{
	if (!dev)
		return;
	if (dev->fd >= 0)
		close(dev->fd);
	kmem_cache_destroy(dev->nodes);
	free(dev->free_blocks);
	free(dev);
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

static int block_alloc(struct swapdev *dev, uint64_t *block)
{
	if (dev->nr_free) {
		*block = dev->free_blocks[--dev->nr_free];
		return 0;
	}
	/* Room for its return is made now, so that a discard cannot fail. */
	if (dev->nr_blocks == dev->cap_free) {
		size_t cap = dev->cap_free ? dev->cap_free * 2 : 1024;
		uint64_t *stack = realloc(dev->free_blocks, cap * sizeof(*stack));

		if (!stack)
			return -ENOMEM;
		dev->free_blocks = stack;
		dev->cap_free = cap;
	}
	*block = dev->nr_blocks++;
	return 0;
}

static uint64_t slot_index(unsigned type, uint64_t offset)
{
	return (uint64_t)type << TYPE_SHIFT | offset;
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

static int write_id(struct swapdev *dev, uint64_t slot, uint32_t id)
{
	void *old;
	int ret = xa_store(&dev->blocks, slot, xa_mk_value(id), &old);

	dev->stats.pages += !ret && !old;
	return ret;
}

static int write_page(struct swapdev *dev, uint64_t slot, const char *data)
{
	void *entry = xa_load(&dev->blocks, slot), *old;
	uint64_t block;
	int ret;

	if (entry) {
		block = xa_to_value(entry);
	} else {
		ret = block_alloc(dev, &block);
		if (ret)
			return ret;
		ret = xa_store(&dev->blocks, slot, xa_mk_value(block), &old);
		if (ret) {
			dev->free_blocks[dev->nr_free++] = block;
			return ret;
		}
		dev->stats.pages++;
	}
	return write_block(dev, block, data);
}

int swapdev_write(struct swapdev *dev, unsigned type, uint64_t offset, const void *data,
		  unsigned nr)
{
	uint64_t start = now(dev);
	int ret = 0;

	for (unsigned i = 0; !ret && i < nr; i++) {
		uint64_t slot = slot_index(type, offset + i);

		if (dev->contents)
			ret = write_page(dev, slot, (const char *)data + (size_t)i * PAGE_SIZE);
		else
			ret = write_id(dev, slot, data ? ((const uint32_t *)data)[i] : 0);
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
		void *entry = xa_load(&dev->blocks, slot_index(type, offset + i));

		if (dev->contents)
			ret = read_block(dev, xa_to_value(entry),
					 (char *)data + (size_t)i * PAGE_SIZE);
		else if (data)
			((uint32_t *)data)[i] = xa_to_value(entry);
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
	return xa_load(&dev->blocks, slot_index(type, offset));
}

void swapdev_discard(struct swapdev *dev, unsigned type, uint64_t offset)
{
	void *entry = xa_erase(&dev->blocks, slot_index(type, offset));

	if (!entry)
		return;
	if (dev->contents)
		dev->free_blocks[dev->nr_free++] = xa_to_value(entry);
	dev->stats.pages--;
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
