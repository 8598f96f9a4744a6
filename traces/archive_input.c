// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/archive_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "traces/archive_magic.h"
#include "traces/error.h"
#include "traces/gzip_check.h"

#define READ_BYTES 131072u

struct archive_input {
	const char *path;
	int fd;
	enum archive_kind kind;
	struct archive *archive;
	struct archive_entry *entry;
	uint64_t pos; /* in the entry */
	/* A block that follows a hole. */
	const void *held;
	size_t held_size;
};

static int fail(const struct archive_input *in, struct trace_error *err, int ret, const char *cause)
{
	const char *name = NULL;

	if (in->entry && in->kind != ARCHIVE_NONE) {
		name = archive_entry_pathname(in->entry);
		/* Not every name has a form in the locale. */
		if (!name)
			name = archive_entry_pathname_utf8(in->entry);
	}
	if (!cause)
		cause = "it is cut off or damaged";
	if (name)
		return trace_fail(err, in->path, TRACE_NO_OFFSET, ret, "'%.120s' inside: %s", name,
				  cause);
	return trace_fail(err, in->path, TRACE_NO_OFFSET, ret, "%s", cause);
}

static int fail_archive(struct archive_input *in, struct trace_error *err)
{
	int ret = archive_errno(in->archive) == ENOMEM ? -ENOMEM : -EINVAL;

	if (archive_read_has_encrypted_entries(in->archive) == 1)
		return fail(in, err, ret, "it is encrypted");
	return fail(in, err, ret, archive_error_string(in->archive));
}

static void support_filters(struct archive *a, const struct archive_promise *name)
{
	if (name->compress)
		archive_read_support_filter_compress(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_lzip(a);
	archive_read_support_filter_lz4(a);
	archive_read_support_filter_zstd(a);
}

static void support_format(struct archive *a, enum archive_kind kind)
{
	switch (kind) {
	case ARCHIVE_TAR:
		archive_read_support_format_tar(a);
		break;
	case ARCHIVE_ZIP:
		archive_read_support_format_zip(a);
		break;
	case ARCHIVE_7ZIP:
		archive_read_support_format_7zip(a);
		break;
	case ARCHIVE_CPIO:
		archive_read_support_format_cpio(a);
		break;
	case ARCHIVE_AR:
		archive_read_support_format_ar(a);
		break;
	case ARCHIVE_NONE:
		archive_read_support_format_raw(a);
		/* What unpacks to nothing. */
		archive_read_support_format_empty(a);
		break;
	}
}

/* Begins to read the file anew. */
static int start(struct archive_input *in, enum archive_kind kind,
		 const struct archive_promise *name, struct trace_error *err)
{
	if (in->archive)
		archive_read_free(in->archive);
	in->kind = kind;
	in->entry = NULL;
	in->archive = archive_read_new();
	if (!in->archive)
		return fail(in, err, -ENOMEM, strerror(ENOMEM));
	if (name)
		support_filters(in->archive, name);
	support_format(in->archive, kind);
	if (lseek(in->fd, 0, SEEK_SET) < 0)
		return fail(in, err, -errno, strerror(errno));
	if (archive_read_open_fd(in->archive, in->fd, READ_BYTES) != ARCHIVE_OK)
		return fail_archive(in, err);
	return 0;
}

/* What @n bytes of @head are. @packed: they had to be unpacked. */
static int judge(const struct archive_input *in, const struct archive_promise *name,
		 const uint8_t *head, size_t n, bool packed, enum archive_kind *kind,
		 struct trace_error *err)
{
	*kind = name->archive ? archive_magic(head, n) : ARCHIVE_NONE;
	if (n == 0)
		return 0;
	if (*kind != ARCHIVE_NONE && (packed || !name->packed))
		return 0;
	/* A tar that holds nothing is blocks of zeros. */
	if (name->tar && head[0] == 0 && !memcmp(head, head + 1, n - 1)) {
		*kind = ARCHIVE_TAR;
		return 0;
	}
	if (name->archive && *kind == ARCHIVE_NONE)
		return fail(in, err, -EINVAL,
			    "its name says archive, but it does not begin as one (--raw takes it "
			    "as it is)");
	if (name->packed && !packed)
		return fail(in, err, -EINVAL,
			    "its name says packed, but it does not begin so (--raw takes it as it "
			    "is)");
	return 0;
}

/*
 * Reads on to the end. An archive is only read to its own end, which comes before the end of what
 * it is packed in, and of the checksum there.
 */
static int drain(struct archive_input *in, struct trace_error *err)
{
	const void *block;
	la_int64_t offset;
	size_t bytes;
	int ret;

	do {
		ret = archive_read_data_block(in->archive, &block, &bytes, &offset);
	} while (ret == ARCHIVE_OK || ret == ARCHIVE_RETRY);
	return ret == ARCHIVE_EOF ? 0 : fail_archive(in, err);
}

/* Unpacks the beginning, to see what is inside. */
static int detect(struct archive_input *in, const struct archive_promise *name,
		  enum archive_kind *kind, struct trace_error *err)
{
	uint8_t head[ARCHIVE_MAGIC_BYTES];
	la_ssize_t n = 0;
	bool packed;
	int ret = start(in, ARCHIVE_NONE, name, err);

	if (ret)
		return ret;
	ret = archive_read_next_header(in->archive, &in->entry);
	if (ret == ARCHIVE_OK)
		n = archive_read_data(in->archive, head, sizeof(head));
	if ((ret != ARCHIVE_OK && ret != ARCHIVE_EOF) || n < 0)
		return fail_archive(in, err);
	packed = archive_filter_code(in->archive, 0) != ARCHIVE_FILTER_NONE;
	ret = judge(in, name, head, n, packed, kind, err);
	return ret == 0 && *kind != ARCHIVE_NONE && packed ? drain(in, err) : ret;
}

int archive_input_open(const char *path, bool raw, struct archive_input **out,
		       struct trace_error *err)
{
	struct archive_input *in = calloc(1, sizeof(*in));
	struct archive_promise name = archive_name(path);
	enum archive_kind kind = ARCHIVE_NONE;
	int ret;

	if (!in)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	in->path = path;
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0) {
		ret = trace_fail(err, path, TRACE_NO_OFFSET, -errno, "cannot read: %s",
				 strerror(errno));
		goto err;
	}
	posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	ret = raw ? 0 : gzip_check(in->path, in->fd, err);
	if (ret == 0 && !raw)
		ret = detect(in, &name, &kind, err);
	if (ret == 0)
		ret = start(in, kind, raw ? NULL : &name, err);
	if (ret)
		goto err;
	*out = in;
	return 0;
err:
	archive_input_close(in);
	return ret;
}

void archive_input_close(struct archive_input *in)
{
	if (!in)
		return;
	if (in->archive)
		archive_read_free(in->archive);
	if (in->fd >= 0)
		close(in->fd);
	free(in);
}

/* ar writes its members' modes without a type: they can be nothing else. */
static bool is_file(struct archive_entry *entry)
{
	unsigned type = archive_entry_filetype(entry);

	return (type == AE_IFREG || !type) && !archive_entry_hardlink(entry);
}

int archive_input_next(struct archive_input *in, struct trace_error *err)
{
	in->pos = 0;
	in->held = NULL;
	for (;;) {
		int ret = archive_read_next_header(in->archive, &in->entry);

		if (ret == ARCHIVE_EOF)
			return 0;
		/* A warning here is of names, times or owners, which we do not need. */
		if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN) {
			in->entry = NULL;
			return fail_archive(in, err);
		}
		if (!is_file(in->entry))
			continue;
		if (archive_entry_is_encrypted(in->entry))
			return fail(in, err, -EINVAL, "it is encrypted");
		return 1;
	}
}

/* After the last block: a sparse file may end in a hole. */
static int read_end(struct archive_input *in, const void **data, uint64_t *size,
		    struct trace_error *err)
{
	uint64_t whole =
		archive_entry_size_is_set(in->entry) ? archive_entry_size(in->entry) : in->pos;

	if (in->pos >= whole)
		return 0;
	if (archive_entry_sparse_count(in->entry) == 0)
		return fail(in, err, -EINVAL, "it is cut off");
	*data = NULL;
	*size = whole - in->pos;
	in->pos = whole;
	return 1;
}

int archive_input_read(struct archive_input *in, const void **data, uint64_t *size,
		       struct trace_error *err)
{
	const void *block;
	size_t bytes;
	la_int64_t offset;
	int ret;

	if (in->held) {
		*data = in->held;
		*size = in->held_size;
		in->pos += in->held_size;
		in->held = NULL;
		return 1;
	}
	do {
		ret = archive_read_data_block(in->archive, &block, &bytes, &offset);
	} while (ret == ARCHIVE_RETRY || (ret == ARCHIVE_OK && bytes == 0));
	if (ret == ARCHIVE_EOF)
		return read_end(in, data, size, err);
	/* A warning here is a checksum or a length that is wrong. */
	if (ret != ARCHIVE_OK)
		return fail_archive(in, err);
	if (offset < 0 || (uint64_t)offset < in->pos)
		return fail(in, err, -EINVAL, "its parts overlap");
	if ((uint64_t)offset > in->pos) {
		*data = NULL;
		*size = offset - in->pos;
		in->pos = offset;
		in->held = block;
		in->held_size = bytes;
		return 1;
	}
	*data = block;
	*size = bytes;
	in->pos += bytes;
	return 1;
}
