// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lengths_rig.h"

#include "backends/registry.h"
#include "tests/machine.h"
#include "tests/test.h"
#include "tests/trace_file.h"

const char *rig_trace(const char *name, uint32_t first, unsigned nr)
{
	const char *path = scratch_path(name);
	struct trace_event ev = {.type = TRACE_STORE};
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_writer *w;
	struct trace_error err;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t id;

		content_fill(page, first + i);
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
		ev.offset = i;
		assert_ok(trace_writer_event(w, &ev, &id, &err), &err);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	return path;
}

struct trace_reader *rig_reader(const char *path)
{
	struct trace_reader *reader;
	struct trace_error err;

	assert_ok(trace_reader_open(path, &reader, &err), &err);
	return reader;
}

const struct profile *rig_profile(const char *kernel, const char *set)
{
	static struct profile p;
	char err[1024];

	assert_int_equal(profile_init(&p, kernel, err, sizeof(err)), 0);
	if (set)
		assert_int_equal(profile_set(&p, set, err, sizeof(err)), 0);
	return &p;
}

struct lengths_config rig_config(const char *compressor)
{
	return (struct lengths_config){.crypto = backends_registry(),
				       .profile = rig_profile("7.3", NULL),
				       .compressor = compressor,
				       .nr_threads = 2};
}

struct lengths *rig_lengths(const char *path, const struct lengths_config *config)
{
	struct trace_reader *reader = rig_reader(path);
	struct trace_error err;
	struct lengths *l;

	assert_ok(lengths_open(path, reader, config, &l, &err), &err);
	trace_reader_close(reader);
	return l;
}

void assert_same_lengths(const struct lengths *a, const struct lengths *b)
{
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->zeros, b->zeros);
	assert_memory_equal(a->values, b->values, a->nr_pages * sizeof(*a->values));
}
