// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/scatterlist.h"

#include <errno.h>
#include <string.h>

void sg_init_table(struct scatterlist *sgl, unsigned nr)
{
	memset(sgl, 0, nr * sizeof(*sgl));
	sg_mark_end(&sgl[nr - 1]);
}

void sg_set_page(struct scatterlist *sg, struct page *page, unsigned length, unsigned offset)
{
	sg->page = page;
	sg->offset = offset;
	sg->length = length;
}

void sg_mark_end(struct scatterlist *sg)
{
	sg->end = true;
}

void sg_chain(struct scatterlist *element, struct scatterlist *next)
{
	*element = (struct scatterlist){.link = next, .chain = true};
}

struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg->end)
		return NULL;
	sg++;
	return sg->chain ? sg->link : sg;
}

void *sg_virt(const struct scatterlist *sg)
{
	return (char *)page_address(sg->page) + sg->offset;
}

void scatterwalk_start(struct scatter_walk *walk, struct scatterlist *sg)
{
	walk->sg = sg;
	walk->offset = sg ? sg->offset : 0;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

int scatterwalk_next(struct scatter_walk *walk, unsigned total, void **addr)
{
	unsigned end;

	if (!walk->sg)
		return -EFAULT;
	/* A single step: a zero-length entry behind a finished one is landed on, not skipped (Q6).
	 */
	if (walk->offset >= walk->sg->offset + walk->sg->length) {
		scatterwalk_start(walk, sg_next(walk->sg));
		if (!walk->sg)
			return -EFAULT;
	}
	end = walk->sg->offset + walk->sg->length;
	/* An entry without a page can only be an empty one. */
	*addr = walk->sg->page ? (char *)page_address(walk->sg->page) + walk->offset : NULL;
	/* Without HIGHMEM a fragment may cross a page, but is never longer than one. */
	return min3(total, end - walk->offset, PAGE_SIZE);
}

void scatterwalk_advance(struct scatter_walk *walk, unsigned used)
{
	walk->offset += used;
}
