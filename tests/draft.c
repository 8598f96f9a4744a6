// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/machine.h"
#include "tests/test.h"

void draft_begin(struct draft *d)
{
	struct trace_writer_config config = {
		.maker = "test", .command = "", .title = "test", .nr_cpus = 4, .nr_swap_types = 2};
	int fd;

	snprintf(d->path, sizeof(d->path), "test-draft.XXXXXX");
	fd = mkstemp(d->path);
	assert_true(fd >= 0);
	close(fd);
	d->time = 0;
	assert_int_equal(trace_writer_create(d->path, &config, &d->w, &d->err), 0);
}

void draft_event(struct draft *d, enum trace_event_type type, uint64_t slot, unsigned order,
		 const uint32_t *contents)
{
	struct trace_event ev = {.type = type,
				 .order = order,
				 .offset = slot,
				 .cpu = slot % 4,
				 .time_ns = d->time++};
	unsigned char page[TRACE_PAGE_SIZE];
	uint32_t ids[512];

	for (unsigned i = 0; contents && i < 1u << order; i++) {
		content_fill(page, contents[i]);
		assert_int_equal(trace_writer_page(d->w, page, &ids[i], &d->err), 0);
	}
	assert_int_equal(trace_writer_event(d->w, &ev, contents ? ids : NULL, &d->err), 0);
}

void draft_store(struct draft *d, uint64_t slot, uint32_t content)
{
	draft_event(d, TRACE_STORE, slot, 0, &content);
}

void draft_load(struct draft *d, uint64_t slot)
{
	draft_event(d, TRACE_LOAD, slot, 0, NULL);
}

void draft_commit(struct draft *d)
{
	if (d->w)
		assert_int_equal(trace_writer_commit(d->w, &d->err), 0);
	d->w = NULL;
}

void draft_end(struct draft *d)
{
	trace_writer_abort(d->w);
	unlink(d->path);
}
