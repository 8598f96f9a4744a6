// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/zst_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/test.h"

static char *decode(FILE *file, size_t *size)
{
	static char in_buf[1 << 17];
	ZSTD_DCtx *dctx = ZSTD_createDCtx();
	size_t capacity = 1 << 20, n, hint = 1;
	ZSTD_outBuffer out = {malloc(capacity), capacity - 1, 0};

	while ((n = fread(in_buf, 1, sizeof(in_buf), file))) {
		ZSTD_inBuffer in = {in_buf, n, 0};

		while (in.pos < in.size || out.pos == out.size) {
			if (out.pos == out.size) {
				capacity *= 2;
				out.dst = realloc(out.dst, capacity);
				out.size = capacity - 1;
			}
			hint = ZSTD_decompressStream(dctx, &out, &in);
			assert_false(ZSTD_isError(hint));
			if (!hint && in.pos == in.size)
				break;
		}
	}
	assert_int_equal(hint, 0);
	ZSTD_freeDCtx(dctx);
	((char *)out.dst)[out.pos] = '\0';
	*size = out.pos;
	return out.dst;
}

char *zst_file_read(const char *folder, const char *name, size_t *size)
{
	const char *dir = getenv(folder);
	char path[4096];
	FILE *file;
	char *data;

	if (!dir) {
		print_message("# SKIP %s is not set\n", folder);
		skip();
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "rb");
	if (!file) {
		print_message("# SKIP there is no %s\n", path);
		skip();
	}
	data = decode(file, size);
	fclose(file);
	return data;
}

int csv_next(char **line, char **fields, unsigned nr)
{
	char *end, *p = *line;

	if (!*p)
		return 0;
	end = strchr(p, '\n');
	if (end)
		*end++ = '\0';
	else
		end = p + strlen(p);
	*line = end;
	for (unsigned i = 0; i < nr; i++) {
		assert_non_null(p);
		fields[i] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = '\0';
	}
	return 1;
}
