// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <archive.h>
#include <archive_entry.h>

#include "traces/error.h"

#define BLOCK_BYTES 65536

struct unpack {
	struct archive *archive;
	char *path;
	bool at_end;
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static int archive_fail(struct unpack *u, struct trace_error *err)
{
	const char *why = archive_error_string(u->archive);
	int ret = -archive_errno(u->archive);

	/* libarchive has error numbers of its own, which are negative. */
	return trace_fail(err, u->path, TRACE_NO_OFFSET, ret < 0 ? ret : -EINVAL, "%s",
			  why ? why : "cannot be read");
}

static int check_file(const char *path, struct trace_error *err)
{
	struct stat st;
	int ret;

	if (stat(path, &st)) {
		ret = -errno;
		return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	}
	if (S_ISDIR(st.st_mode))
		return trace_fail(err, path, TRACE_NO_OFFSET, -EISDIR, "is a directory");
	return 0;
}

int unpack_open(const char *path, bool by_magic, struct unpack **out, struct trace_error *err)
{
	struct archive_entry *entry;
	struct unpack *u;
	int ret = check_file(path, err);

	if (ret)
		return ret;
	u = calloc(1, sizeof(*u));
	if (u) {
		u->archive = archive_read_new();
		u->path = strdup(path);
	}
	if (!u || !u->archive || !u->path) {
		unpack_close(u);
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	}
	archive_read_support_format_raw(u->archive);
	archive_read_support_format_empty(u->archive);
	if (by_magic || ends_with(path, ".zst"))
		archive_read_support_filter_zstd(u->archive);
	ret = archive_read_open_filename(u->archive, path, BLOCK_BYTES);
	if (ret == ARCHIVE_OK)
		ret = archive_read_next_header(u->archive, &entry);
	u->at_end = ret == ARCHIVE_EOF;
	if (ret != ARCHIVE_OK && ret != ARCHIVE_EOF) {
		ret = archive_fail(u, err);
		unpack_close(u);
		return ret;
	}
	*out = u;
	return 0;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	archive_read_free(u->archive);
	free(u->path);
	free(u);
}

int unpack_next(struct unpack *u, const void **data, size_t *size, struct trace_error *err)
{
	la_int64_t offset;

	*size = 0;
	while (!*size && !u->at_end) {
		int ret = archive_read_data_block(u->archive, data, size, &offset);

		if (ret == ARCHIVE_EOF)
			u->at_end = true;
		else if (ret != ARCHIVE_OK)
			return archive_fail(u, err);
	}
	return !u->at_end;
}
