// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/build.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "traces/archive_input.h"
#include "traces/error.h"
#include "traces/input_files.h"

/* A file becoming pages. */
struct cutter {
	struct trace_maker *maker;
	unsigned used;
	uint8_t page[TRACE_PAGE_SIZE];
};

static int cut(struct cutter *c, const uint8_t *data, uint64_t size, struct trace_error *err)
{
	while (size) {
		uint64_t n = TRACE_PAGE_SIZE - c->used;
		int ret;

		if (n > size)
			n = size;
		if (data) {
			memcpy(c->page + c->used, data, n);
			data += n;
		} else {
			memset(c->page + c->used, 0, n);
		}
		c->used += n;
		size -= n;
		if (c->used < TRACE_PAGE_SIZE)
			break;
		ret = trace_maker_page(c->maker, c->page, err);
		if (ret)
			return ret;
		c->used = 0;
	}
	return 0;
}

static int cut_end(struct cutter *c, struct trace_error *err)
{
	int ret = 0;

	if (c->used) {
		memset(c->page + c->used, 0, TRACE_PAGE_SIZE - c->used);
		c->used = 0;
		ret = trace_maker_page(c->maker, c->page, err);
	}
	return ret ? ret : trace_maker_file_end(c->maker, err);
}

static int cut_entry(struct cutter *c, const char *path, struct archive_input *in,
		     struct trace_error *err)
{
	const void *data;
	uint64_t size;
	int ret;

	while ((ret = archive_input_read(in, &data, &size, err)) == 1) {
		/* A hole may claim any size: better to say so now than when the disk is full. */
		if (size / TRACE_PAGE_SIZE > TRACE_MAX_OFFSET - trace_maker_nr_pages(c->maker))
			return trace_fail(err, path, TRACE_NO_OFFSET, -EFBIG,
					  "a trace has room for 2^40 pages only");
		ret = cut(c, data, size, err);
		if (ret)
			return ret;
	}
	return ret ? ret : cut_end(c, err);
}

static int cut_file(struct cutter *c, const char *path, bool raw, struct trace_error *err)
{
	struct archive_input *in;
	int ret = archive_input_open(path, raw, &in, err);

	if (ret)
		return ret;
	while ((ret = archive_input_next(in, err)) == 1) {
		ret = cut_entry(c, path, in, err);
		if (ret)
			break;
	}
	archive_input_close(in);
	return ret;
}

static int cut_all(const struct trace_build_config *config, const struct input_files *files,
		   struct trace_maker *maker, struct trace_error *err)
{
	struct cutter c = {.maker = maker};

	for (size_t i = 0; i < files->nr; i++) {
		int ret = cut_file(&c, files->files[i].path, config->raw, err);

		if (ret)
			return ret;
	}
	if (trace_maker_nr_pages(maker) == 0)
		return trace_fail(err, config->inputs[0], TRACE_NO_OFFSET, -ENODATA,
				  "there is not one byte in the input%s to make a page of",
				  config->nr_inputs == 1 ? "" : "s");
	return 0;
}

int trace_build(const struct trace_build_config *config, const struct trace_maker_config *maker,
		struct trace_made *made, struct trace_error *err)
{
	const struct input_file *same;
	struct trace_maker *m = NULL;
	struct input_files files;
	int ret = input_files_init(&files, config->inputs, config->nr_inputs, err);

	if (ret)
		goto out;
	same = input_files_find(&files, maker->path);
	if (same) {
		ret = trace_fail(err, maker->path, TRACE_NO_OFFSET, -EEXIST,
				 "is one of the inputs, which are not written over");
		goto out;
	}
	/* Now, so that the files which it needs are not among the inputs. */
	ret = trace_maker_create(maker, &m, err);
	if (ret)
		goto out;
	ret = cut_all(config, &files, m, err);
	if (ret)
		trace_maker_abort(m);
	else
		ret = trace_maker_commit(m, made, err);
out:
	input_files_finish(&files);
	return ret;
}
