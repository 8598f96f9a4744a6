// SPDX-License-Identifier: GPL-2.0-or-later
#include "pages.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"

#define PAGES_DISK "/dev/vda"
#define MAX_READ   (1ul << 20)

void pages_load(struct pages *pages)
{
	int fd = open_to_read(PAGES_DISK);
	uint64_t size;

	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size))
		die("no " PAGES_DISK);
	pages->nr = size / PAGE_SIZE;
	size = pages->nr * PAGE_SIZE;
	pages->data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages->data == MAP_FAILED)
		die("out of memory");
	for (uint64_t done = 0; done < size;) {
		uint64_t left = size - done;
		ssize_t ret =
			pread(fd, pages->data + done, left < MAX_READ ? left : MAX_READ, done);

		if (ret <= 0)
			die("cannot read " PAGES_DISK);
		done += ret;
	}
	close(fd);
}

const unsigned char *pages_at(const struct pages *pages, uint32_t index)
{
	return pages->data + index % pages->nr * PAGE_SIZE;
}
