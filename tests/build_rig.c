// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/build_rig.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "tests/test.h"
#include "tests/trace_file.h"

static char root[512];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

int dir_create(void **state)
{
	const char *base = getenv("TMPDIR");
	char in[520];

	snprintf(root, sizeof(root), "%s/zswapsim-build-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(root))
		return -1;
	snprintf(in, sizeof(in), "%s/in", root);
	return mkdir(in, 0700);
}

int dir_remove(void **state)
{
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *at(const char *name)
{
	static char paths[8][1024];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

const char *put(const char *name, const void *data, size_t size)
{
	const char *path = at(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Bytes of a file that is told apart from others by @seed. */
uint8_t *content(uint64_t seed, size_t size)
{
	uint8_t *data = malloc(size + TRACE_PAGE_SIZE);

	assert_non_null(data);
	for (size_t done = 0; done < size; done += TRACE_PAGE_SIZE)
		sample_page(seed * 1000 + done / TRACE_PAGE_SIZE, data + done);
	return data;
}

int build_at(const char *path, const char *const *inputs, bool raw, unsigned order,
	     struct trace_made *made, struct trace_error *err)
{
	const struct trace_maker_config maker = {
		.path = path,
		.maker = "test",
		.command = "test",
		.title = "test",
		.pattern = {.nr_cpus = 1, .folio_order = order, .seed = 1},
	};
	struct trace_build_config config = {.inputs = inputs, .raw = raw};

	while (inputs[config.nr_inputs])
		config.nr_inputs++;
	return trace_build(&config, &maker, made, err);
}

struct trace_made build_order(const char *const *inputs, bool raw, unsigned order)
{
	struct trace_made made;
	struct trace_error err;

	assert_ok(build_at(at("out.bin"), inputs, raw, order, &made, &err), &err);
	return made;
}

uint64_t build(const char *const *inputs)
{
	return build_order(inputs, false, 0).nr_pages;
}

/* Nothing is written, and the one line names @name and @cause. */
void refuse(const char *const *inputs, const char *name, const char *cause)
{
	struct trace_made made;
	struct trace_error err;
	struct stat st;

	if (build_at(at("refused.bin"), inputs, false, 0, &made, &err) == 0)
		fail_msg("%s: not refused, %lu pages", name, (unsigned long)made.nr_pages);
	if (!strstr(err.message, name) || !strstr(err.message, cause))
		fail_msg("'%s' does not say '%s' and '%s'", err.message, name, cause);
	assert_null(strchr(err.message, '\n'));
	assert_int_equal(stat(at("refused.bin"), &st), -1);
}

/* The stored pages are @data, @size bytes, cut and filled up. */
void check_pages(const uint8_t *data, size_t size)
{
	uint64_t nr = (size + TRACE_PAGE_SIZE - 1) / TRACE_PAGE_SIZE, page = 0;
	uint8_t expected[TRACE_PAGE_SIZE];
	struct trace_event ev;
	struct trace_reader *r;
	struct trace_error err;
	uint32_t ids[1u << TRACE_MAX_ORDER];
	const void *stored;

	assert_ok(trace_reader_open(at("out.bin"), &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);
	for (uint64_t i = 0; i < trace_reader_info(r)->nr_events; i++) {
		assert_ok(trace_reader_event(r, i, &ev, &err), &err);
		if (ev.type != TRACE_STORE)
			continue;
		assert_ok(trace_reader_store_pages(r, &ev, ids, &err), &err);
		for (unsigned k = 0; k < 1u << ev.order; k++, page++) {
			size_t from = page * TRACE_PAGE_SIZE, n = size - from;

			assert_true(page < nr);
			memset(expected, 0, sizeof(expected));
			memcpy(expected, data + from, n < sizeof(expected) ? n : sizeof(expected));
			assert_ok(trace_reader_page(r, ids[k], &stored, &err), &err);
			assert_memory_equal(stored, expected, sizeof(expected));
		}
	}
	assert_int_equal(page, nr);
	trace_reader_close(r);
}

/* An archive of two files, an empty one, a directory and, where there are such, a link. */
const char *archive_of(const char *name, const char *format, const char *filter,
		       const char *options, const uint8_t *data, size_t first, size_t second)
{
	const struct {
		const char *name;
		mode_t type;
		const uint8_t *data;
		size_t size;
	} entries[] = {
		{"d", AE_IFDIR, NULL, 0},
		{"d/zz", AE_IFREG, data, first},
		{"d/empty", AE_IFREG, NULL, 0},
		{"d/aa", AE_IFREG, data + first, second},
	};
	struct archive *a = archive_write_new();
	const char *path = at(name);
	bool plain = !strcmp(format, "ar");

	assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
	if (filter)
		assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	if (options) {
		assert_int_equal(archive_write_set_options(a, options), ARCHIVE_OK);
		assert_int_equal(archive_write_set_passphrase(a, "secret"), ARCHIVE_OK);
	}
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, entries[i].name + (plain && i ? 2 : 0));
		archive_entry_set_filetype(e, entries[i].type);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_size(e, entries[i].size);
		if (!plain || i) {
			assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
			if (entries[i].size)
				assert_int_equal(
					archive_write_data(a, entries[i].data, entries[i].size),
					entries[i].size);
		}
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return path;
}

/* A file packed by itself. */
const char *packed_of(const char *name, const char *filter, const void *data, size_t size)
{
	const char *path = at(name);
	struct archive_entry *e = archive_entry_new();
	struct archive *a = archive_write_new();

	archive_write_set_format_raw(a);
	assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_pathname(e, "data");
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, data, size), size);
	archive_entry_free(e);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return path;
}
