// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/maker.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "traces/error.h"
#include "traces/spool.h"
#include "traces/writer.h"

struct trace_maker {
	char *path;
	struct trace_writer *writer;
	struct trace_pattern *pattern;
	struct spool ids; /* uint32_t a page */
	uint64_t nr_pages, file_begin;
	struct trace_made made;
};

static int fail(const struct trace_maker *m, struct trace_error *err, int ret, const char *what)
{
	return trace_fail(err, m->path, TRACE_NO_OFFSET, ret, "%s: %s", what, strerror(-ret));
}

static int open_ids(struct trace_maker *m)
{
	char *copy = strdup(m->path);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = spool_open(&m->ids, dirname(copy));
	free(copy);
	return ret;
}

int trace_maker_create(const struct trace_maker_config *config, struct trace_maker **out,
		       struct trace_error *err)
{
	const struct trace_writer_config writer = {
		.maker = config->maker,
		.command = config->command,
		.title = config->title,
		.seed = config->pattern.seed,
		.nr_cpus = config->pattern.nr_cpus,
		.nr_swap_types = 1,
	};
	struct trace_maker *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return trace_fail(err, config->path, TRACE_NO_OFFSET, -ENOMEM, "%s",
				  strerror(ENOMEM));
	m->ids.fd = -1;
	m->path = strdup(config->path);
	ret = m->path ? trace_pattern_create(&config->pattern, &m->pattern) : -ENOMEM;
	if (ret) {
		trace_fail(err, config->path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
		goto err;
	}
	/* First: what is wrong with the path is the writer's to say. */
	ret = trace_writer_create(m->path, &writer, &m->writer, err);
	if (ret)
		goto err;
	ret = open_ids(m);
	if (ret) {
		fail(m, err, ret, "temporary files in its directory");
		goto err;
	}
	*out = m;
	return 0;
err:
	trace_maker_abort(m);
	return ret;
}

void trace_maker_abort(struct trace_maker *m)
{
	if (!m)
		return;
	spool_close(&m->ids);
	trace_writer_abort(m->writer);
	trace_pattern_destroy(m->pattern);
	free(m->path);
	free(m);
}

int trace_maker_page(struct trace_maker *m, const void *data, struct trace_error *err)
{
	uint32_t id;
	int ret = trace_writer_page(m->writer, data, &id, err);

	if (ret)
		return ret;
	ret = spool_append(&m->ids, &id, sizeof(id));
	if (ret)
		return fail(m, err, ret, "temporary files in its directory");
	/* Ids are given in order. */
	if (id >= m->made.nr_distinct)
		m->made.nr_distinct = id + 1ull;
	m->nr_pages++;
	return 0;
}

int trace_maker_file_end(struct trace_maker *m, struct trace_error *err)
{
	uint64_t nr = m->nr_pages - m->file_begin;
	int ret = trace_pattern_add_file(m->pattern, nr);

	m->file_begin = m->nr_pages;
	return ret ? fail(m, err, ret, "too many pages") : 0;
}

uint64_t trace_maker_nr_pages(const struct trace_maker *m)
{
	return m->nr_pages;
}

static int name_phases(struct trace_maker *m, struct trace_error *err)
{
	for (unsigned i = 0; i < trace_pattern_nr_phases(m->pattern); i++) {
		const char *name = trace_pattern_phase(m->pattern, i);
		uint64_t index;
		int ret = trace_writer_mark_name(m->writer, name, &index, err);

		if (ret)
			return ret;
	}
	return 0;
}

static int write_events(struct trace_maker *m, const uint32_t *ids, struct trace_error *err)
{
	struct trace_pattern_step step;
	int ret = name_phases(m, err);

	if (ret)
		return ret;
	while ((ret = trace_pattern_next(m->pattern, &step)) == 1) {
		bool store = step.event.type == TRACE_STORE;

		ret = trace_writer_event(m->writer, &step.event, store ? ids + step.page : NULL,
					 err);
		if (ret)
			return ret;
		m->made.nr_events++;
	}
	return ret ? fail(m, err, ret, "the pattern") : 0;
}

/* A mapped file is no anonymous memory, however many pages there are. */
static int write_mapped(struct trace_maker *m, struct trace_error *err)
{
	uint64_t bytes = m->nr_pages * sizeof(uint32_t);
	int ret = spool_flush(&m->ids);
	void *ids = MAP_FAILED;

	if (ret == 0) {
		ids = mmap(NULL, bytes, PROT_READ, MAP_SHARED, m->ids.fd, 0);
		if (ids == MAP_FAILED)
			ret = -errno;
	}
	if (ret)
		return fail(m, err, ret, "temporary files in its directory");
	ret = write_events(m, ids, err);
	munmap(ids, bytes);
	return ret;
}

int trace_maker_commit(struct trace_maker *m, struct trace_made *made, struct trace_error *err)
{
	struct stat st;
	int ret = 0;

	if (m->nr_pages == 0)
		ret = trace_fail(err, m->path, TRACE_NO_OFFSET, -ENODATA,
				 "not written: there is not one page to store");
	if (ret == 0 && m->file_begin < m->nr_pages)
		ret = trace_maker_file_end(m, err);
	if (ret == 0)
		ret = write_mapped(m, err);
	if (ret == 0) {
		ret = trace_writer_commit(m->writer, err);
		m->writer = NULL;
	}
	if (ret == 0 && stat(m->path, &st))
		ret = fail(m, err, -errno, "the trace that was written");
	if (ret == 0) {
		m->made.nr_pages = m->nr_pages;
		m->made.file_bytes = st.st_size;
		*made = m->made;
	}
	trace_maker_abort(m);
	return ret;
}
