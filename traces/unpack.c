// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/unpack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <zstd.h>

#include "traces/error.h"

#define BLOCK_BYTES 65536u

/*
 * Not libarchive: it takes a packed file that ends within its first block for an empty one, and
 * unpacks again what happens to look packed within.
 */
struct unpack {
	FILE *file;
	char *path;
	ZSTD_DStream *zstd; /* NULL: a plain file */
	ZSTD_inBuffer in;   /* what is left of the last block */
	uint64_t offset;    /* of the file: read so far */
	bool in_frame;
	uint8_t block[BLOCK_BYTES], unpacked[BLOCK_BYTES];
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static int errno_fail(const char *path, struct trace_error *err)
{
	int ret = errno ? -errno : -EIO;

	return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
}

static int check_file(const char *path, struct trace_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return errno_fail(path, err);
	if (S_ISDIR(st.st_mode))
		return trace_fail(err, path, TRACE_NO_OFFSET, -EISDIR, "is a directory");
	return 0;
}

static int read_block(struct unpack *u, struct trace_error *err)
{
	errno = 0;
	u->in.src = u->block;
	u->in.size = fread(u->block, 1, sizeof(u->block), u->file);
	u->in.pos = 0;
	u->offset += u->in.size;
	return ferror(u->file) ? errno_fail(u->path, err) : 0;
}

/* Opens it and reads the first block, by which a packed file may be told. */
static int begin(struct unpack *u, const char *path, bool by_magic, struct trace_error *err)
{
	static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	int ret = check_file(path, err);

	if (ret)
		return ret;
	u->file = fopen(path, "r");
	if (!u->file)
		return errno_fail(path, err);
	ret = read_block(u, err);
	if (ret)
		return ret;
	if (!ends_with(path, ".zst") &&
	    !(by_magic && u->in.size >= 4 && !memcmp(u->block, magic, sizeof(magic))))
		return 0;
	u->zstd = ZSTD_createDStream();
	if (!u->zstd)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	return 0;
}

int unpack_open(const char *path, bool by_magic, struct unpack **out, struct trace_error *err)
{
	struct unpack *u = calloc(1, sizeof(*u));
	int ret = -ENOMEM;

	if (u)
		u->path = strdup(path);
	if (!u || !u->path)
		trace_fail(err, path, TRACE_NO_OFFSET, ret, "out of memory");
	else
		ret = begin(u, path, by_magic, err);
	if (ret) {
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
	if (u->file)
		fclose(u->file);
	ZSTD_freeDStream(u->zstd);
	free(u->path);
	free(u);
}

static int unpack_some(struct unpack *u, const void **data, size_t *size, struct trace_error *err)
{
	ZSTD_outBuffer out = {u->unpacked, sizeof(u->unpacked), 0};
	size_t hint = ZSTD_decompressStream(u->zstd, &out, &u->in);

	if (ZSTD_isError(hint))
		return trace_fail(err, u->path, u->offset - u->in.size + u->in.pos, -EINVAL,
				  "cannot be unpacked: %s", ZSTD_getErrorName(hint));
	u->in_frame = hint != 0;
	*data = u->unpacked;
	*size = out.pos;
	return 0;
}

static int plain_block(struct unpack *u, const void **data, size_t *size)
{
	*data = u->block;
	*size = u->in.size;
	u->in.pos = u->in.size;
	return *size != 0;
}

int unpack_next(struct unpack *u, const void **data, size_t *size, struct trace_error *err)
{
	int ret = 0;

	*size = 0;
	while (!*size) {
		if (u->in.pos == u->in.size)
			ret = read_block(u, err);
		if (ret)
			return ret;
		if (!u->zstd)
			return plain_block(u, data, size);
		if (!u->in.size && !u->in_frame)
			return 0;
		/* At the end of the file, too: there may be output left within zstd. */
		ret = unpack_some(u, data, size, err);
		if (ret)
			return ret;
		if (!u->in.size && !*size)
			return trace_fail(err, u->path, u->offset, -EINVAL,
					  "cannot be unpacked: ends within a frame");
	}
	return 1;
}
