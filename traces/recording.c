// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/error.h"
#include "traces/unpack.h"

#define MAX_LENGTH 8192 /* zram's destination: two pages */

static bool has(const struct csv *csv, const char *column)
{
	return csv_column(csv, column) >= 0;
}

enum recording_form recording_form(const struct csv *csv)
{
	if (has(csv, "page_index") && has(csv, "comp_len") && has(csv, "kind"))
		return RECORDING_PERPAGE;
	if (has(csv, "k_random_bytes"))
		return has(csv, "n_written") ? RECORDING_ZRAM_FIXED : RECORDING_ZRAM_SWEEP;
	if (has(csv, "op") && has(csv, "slot") && has(csv, "src"))
		return RECORDING_ZRAM_OPS;
	if (has(csv, "op") && has(csv, "page") && has(csv, "src"))
		return has(csv, "swapped_ptes") ? RECORDING_ZSWAP_FOLIO64 : RECORDING_ZSWAP_OPS;
	return RECORDING_UNKNOWN;
}

const char *recording_form_name(enum recording_form form)
{
	static const char *const names[] = {
		[RECORDING_ZRAM_OPS] = "zram operations",
		[RECORDING_ZRAM_SWEEP] = "zram sweep",
		[RECORDING_ZRAM_FIXED] = "zram fixed",
		[RECORDING_ZSWAP_OPS] = "zswap operations",
		[RECORDING_ZSWAP_FOLIO64] = "zswap folios of 64 KiB",
		[RECORDING_PERPAGE] = "lengths by page",
		[RECORDING_UNKNOWN] = "unknown",
	};

	return names[form];
}

/* ---- pages ---- */

static int append(struct recording_pages *pages, size_t *len, size_t *cap, const void *data,
		  size_t size)
{
	while (*len + size > *cap) {
		size_t more = *cap ? *cap * 2 : 1u << 20;
		uint8_t *to = realloc(pages->data, more);

		if (!to)
			return -ENOMEM;
		pages->data = to;
		*cap = more;
	}
	memcpy(pages->data + *len, data, size);
	*len += size;
	return 0;
}

static int read_pages(struct unpack *u, const char *path, struct recording_pages *pages,
		      struct trace_error *err)
{
	size_t len = 0, cap = 0, size;
	const void *data;
	int ret;

	while ((ret = unpack_next(u, &data, &size, err)) > 0) {
		if (size > (size_t)RECORDING_MAX_PAGES * TRACE_PAGE_SIZE - len)
			return trace_fail(err, path, TRACE_NO_OFFSET, -EFBIG, "more than %u pages",
					  RECORDING_MAX_PAGES);
		if (append(pages, &len, &cap, data, size))
			return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	}
	if (ret)
		return ret;
	if (!len)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, "is empty");
	if (len % TRACE_PAGE_SIZE)
		return trace_fail(err, path, len, -EINVAL, "ends within a page of %u bytes",
				  TRACE_PAGE_SIZE);
	pages->nr = len / TRACE_PAGE_SIZE;
	return 0;
}

int recording_pages_load(const char *path, struct recording_pages *pages, struct trace_error *err)
{
	struct unpack *u;
	int ret;

	memset(pages, 0, sizeof(*pages));
	/* A page that happens to begin like a zstd frame must not unpack the file. */
	ret = unpack_open(path, false, &u, err);
	if (ret)
		return ret;
	ret = read_pages(u, path, pages, err);
	unpack_close(u);
	if (ret)
		recording_pages_finish(pages);
	return ret;
}

void recording_pages_finish(struct recording_pages *pages)
{
	free(pages->data);
	memset(pages, 0, sizeof(*pages));
}

/* ---- lengths ---- */

static const struct {
	const char *name;
	enum recording_kind kind;
} kinds[] = {
	{"stored", RECORDING_KIND_STORED}, {"comp", RECORDING_KIND_STORED},
	{"raw", RECORDING_KIND_RAW},	   {"huge", RECORDING_KIND_RAW},
	{"zero", RECORDING_KIND_SAME},	   {"same", RECORDING_KIND_SAME},
	{"poor", RECORDING_KIND_POOR},	   {"fail", RECORDING_KIND_FAIL},
};

static enum recording_kind kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	}
	return RECORDING_KIND_NONE;
}

static int make_room(struct recording_lengths *l, uint32_t *cap, uint32_t page)
{
	uint32_t more = *cap ? *cap : 4096;
	uint16_t *length;
	uint8_t *kind;

	while (more <= page)
		more *= 2;
	if (more == *cap)
		return 0;
	length = realloc(l->length, more * sizeof(*length));
	if (!length)
		return -ENOMEM;
	l->length = length;
	kind = realloc(l->kind, more);
	if (!kind)
		return -ENOMEM;
	l->kind = kind;
	memset(length + *cap, 0, (more - *cap) * sizeof(*length));
	memset(kind + *cap, 0, more - *cap);
	*cap = more;
	return 0;
}

static int read_length(struct csv *csv, const int *columns, struct recording_lengths *l,
		       uint32_t *cap, struct trace_error *err)
{
	enum recording_kind kind = kind_of(csv_text(csv, columns[2]));
	int64_t page, length;
	int ret;

	ret = csv_int_within(csv, columns[0], 0, RECORDING_MAX_PAGES - 1, &page, err);
	if (ret)
		return ret;
	if (!kind)
		return csv_fail(csv, columns[2], err, "unknown kind of page");
	if (kind == RECORDING_KIND_STORED)
		ret = csv_int_within(csv, columns[1], 1, MAX_LENGTH, &length, err);
	else
		ret = csv_int(csv, columns[1], &length, err);
	if (ret)
		return ret;
	if (make_room(l, cap, page))
		return trace_fail(err, csv_path(csv), TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	if (l->kind[page])
		return csv_fail(csv, columns[0], err, "this page is there twice");
	l->kind[page] = kind;
	if (kind == RECORDING_KIND_STORED)
		l->length[page] = length;
	else if (kind == RECORDING_KIND_RAW)
		l->length[page] = TRACE_PAGE_SIZE;
	if (page >= l->nr)
		l->nr = page + 1;
	return 0;
}

int recording_lengths_load(const char *path, struct recording_lengths *lengths,
			   struct trace_error *err)
{
	static const char *const names[] = {"page_index", "comp_len", "kind"};
	int columns[3], ret;
	uint32_t cap = 0;
	struct csv *csv;

	memset(lengths, 0, sizeof(*lengths));
	ret = csv_open(path, &csv, err);
	if (ret)
		return ret;
	ret = csv_require(csv, names, 3, columns, err);
	while (!ret && (ret = csv_next(csv, err)) > 0)
		ret = read_length(csv, columns, lengths, &cap, err);
	csv_close(csv);
	if (ret)
		recording_lengths_finish(lengths);
	return ret;
}

void recording_lengths_finish(struct recording_lengths *lengths)
{
	free(lengths->length);
	free(lengths->kind);
	memset(lengths, 0, sizeof(*lengths));
}
