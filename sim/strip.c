// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/strip.h"

#include <errno.h>
#include <sys/stat.h>

#include "traces/error.h"
#include "traces/writer.h"

/* Of a page that an error other than for want of room ended the compression of, that is all. */
static uint16_t length_in_trace(const struct lengths *l, uint32_t id)
{
	int length = lengths_of(l, id);

	if (length == 0)
		return TRACE_LENGTH_ZERO;
	if (length > 0)
		return length;
	return length == -ENOSPC ? TRACE_PAGE_SIZE + 1 : TRACE_LENGTH_FAILED;
}

static int write_pages(struct trace_writer *w, const struct strip_config *config,
		       struct trace_error *err)
{
	uint16_t lengths[STRIP_MAX];
	int ret = 0;

	for (uint64_t id = 0; !ret && id < config->lengths[0]->nr_pages; id++) {
		uint32_t same;

		for (unsigned i = 0; i < config->nr; i++)
			lengths[i] = length_in_trace(config->lengths[i], id);
		/* Its id is again the number of pages before it. */
		ret = trace_writer_lengths(w, lengths, &same, err);
	}
	return ret;
}

static int write_tables(struct trace_writer *w, struct trace_reader *reader,
			struct trace_error *err)
{
	const struct trace_info *info = trace_reader_info(reader);
	int ret = 0;

	for (uint32_t i = 1; !ret && i < info->nr_memcgs; i++) {
		struct trace_memcg memcg;
		uint16_t index;

		trace_reader_memcg(reader, i, &memcg);
		ret = trace_writer_memcg(w, &memcg, &index, err);
	}
	for (uint32_t i = 0; !ret && i < info->nr_marks; i++) {
		uint64_t index;

		ret = trace_writer_mark_name(w, trace_reader_mark(reader, i), &index, err);
	}
	return ret;
}

static int write_events(struct trace_writer *w, struct trace_reader *reader,
			struct trace_error *err)
{
	uint64_t nr = trace_reader_info(reader)->nr_events;
	uint32_t ids[1u << TRACE_MAX_ORDER];
	int ret = 0;

	for (uint64_t i = 0; !ret && i < nr; i++) {
		struct trace_event ev;
		bool store;

		ret = trace_reader_event(reader, i, &ev, err);
		store = !ret && ev.type == TRACE_STORE;
		if (store)
			ret = trace_reader_store_pages(reader, &ev, ids, err);
		if (!ret)
			ret = trace_writer_event(w, &ev, store ? ids : NULL, err);
	}
	return ret;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int strip_trace(struct trace_reader *reader, const struct strip_config *config,
		struct trace_error *err)
{
	const struct trace_info *info = trace_reader_info(reader);
	const char *names[STRIP_MAX];
	struct trace_writer_config writer = {
		.maker = config->maker,
		.command = config->command,
		.title = config->title,
		.seed = info->seed,
		.nr_cpus = info->nr_cpus,
		.nr_swap_types = info->nr_swap_types,
		.compressors = names,
		.nr_compressors = config->nr,
		.keep_names = config->keep_names,
	};
	struct trace_writer *w;
	int ret;

	if (info->content_free)
		return trace_fail(err, trace_reader_path(reader), TRACE_NO_OFFSET, -EINVAL,
				  "the trace is content-free already");
	if (is_same_file(config->path, trace_reader_path(reader)))
		return trace_fail(err, config->path, TRACE_NO_OFFSET, -EINVAL,
				  "is the trace itself, whose pages would be gone");
	for (unsigned i = 0; i < config->nr; i++)
		names[i] = config->lengths[i]->key;
	ret = trace_writer_create(config->path, &writer, &w, err);
	if (ret)
		return ret;
	ret = write_pages(w, config, err);
	if (!ret)
		ret = write_tables(w, reader, err);
	if (!ret)
		ret = write_events(w, reader, err);
	if (ret) {
		trace_writer_abort(w);
		return ret;
	}
	return trace_writer_commit(w, err);
}
