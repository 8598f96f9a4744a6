// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/text_file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "tests/test.h"

static char dir[256];

int text_dir_create(void **state)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/zswapsim-test-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

int text_dir_remove(void **state)
{
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *text_path(const char *name)
{
	static char paths[16][512];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *path, const void *data, size_t size)
{
	const char *slash = strrchr(path, '/');
	char parent[512];
	FILE *f;

	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
	mkdir(parent, 0777);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

const char *bytes_file(const char *name, const void *data, size_t size)
{
	const char *path = text_path(name);
	size_t len = strlen(name);

	if (len > 4 && !strcmp(name + len - 4, ".zst")) {
		size_t cap = ZSTD_compressBound(size);
		void *packed = malloc(cap);

		assert_non_null(packed);
		cap = ZSTD_compress(packed, cap, data, size, 3);
		assert_false(ZSTD_isError(cap));
		write_file(path, packed, cap);
		free(packed);
	} else {
		write_file(path, data, size);
	}
	return path;
}

const char *text_file(const char *name, const char *text)
{
	return bytes_file(name, text, strlen(text));
}

void cut_file(const char *path, size_t size)
{
	assert_int_equal(truncate(path, size), 0);
}
