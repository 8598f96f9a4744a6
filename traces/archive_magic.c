// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/archive_magic.h"

#include <string.h>
#include <strings.h>

/* Where a tar header has its checksum, as octal digits. */
#define SUM_AT	  148u
#define SUM_BYTES 8u

static bool begins(const uint8_t *head, size_t n, const char *magic, size_t len)
{
	return n >= len && !memcmp(head, magic, len);
}

/* The digits between blanks; false if there is anything else, or nothing. */
static bool read_octal(const uint8_t *field, size_t n, uint32_t *value)
{
	size_t i = 0, digits = 0;

	*value = 0;
	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++, digits++)
		*value = *value * 8 + (field[i] - '0');
	while (i < n && (field[i] == ' ' || field[i] == '\0'))
		i++;
	return digits > 0 && i == n;
}

/*
 * The one sign that every tar has, the oldest without a magic included. (libarchive takes a block
 * of zeros for an empty tar: here it is a file that begins with zeros.)
 */
static bool is_tar(const uint8_t *head, size_t n)
{
	uint32_t sum, bytes = 0;
	int32_t chars = 0;

	if (n < ARCHIVE_MAGIC_BYTES || !read_octal(head + SUM_AT, SUM_BYTES, &sum))
		return false;
	/* The field counts as blanks. Some old programs added up signed characters. */
	for (size_t i = 0; i < ARCHIVE_MAGIC_BYTES; i++) {
		uint8_t c = i >= SUM_AT && i < SUM_AT + SUM_BYTES ? ' ' : head[i];

		bytes += c;
		chars += (int8_t)c;
	}
	return sum == bytes || (int32_t)sum == chars;
}

static bool is_cpio(const uint8_t *head, size_t n)
{
	/* The binary form begins with a 16-bit word in either order; it has no better sign. */
	return begins(head, n, "070707", 6) || begins(head, n, "070701", 6) ||
	       begins(head, n, "070702", 6);
}

enum archive_kind archive_magic(const uint8_t *head, size_t n)
{
	if (is_tar(head, n))
		return ARCHIVE_TAR;
	/* The second: a zip without a file in it. */
	if (begins(head, n, "PK\3\4", 4) || begins(head, n, "PK\5\6", 4))
		return ARCHIVE_ZIP;
	if (begins(head, n, "7z\xbc\xaf\x27\x1c", 6))
		return ARCHIVE_7ZIP;
	if (is_cpio(head, n))
		return ARCHIVE_CPIO;
	if (begins(head, n, "!<arch>\n", 8))
		return ARCHIVE_AR;
	return ARCHIVE_NONE;
}

/* A suffix, the dot included, and what it promises. */
static const struct suffix {
	const char *text;
	struct archive_promise promise;
} suffixes[] = {
	{".tar", {.archive = true, .tar = true}},
	{".zip", {.archive = true}},
	{".7z", {.archive = true}},
	{".cpio", {.archive = true}},
	{".ar", {.archive = true}},
	{".gz", {.packed = true}},
	{".bz2", {.packed = true}},
	{".xz", {.packed = true}},
	{".lz", {.packed = true}},
	{".lz4", {.packed = true}},
	{".zst", {.packed = true}},
	{".tgz", {.archive = true, .tar = true, .packed = true}},
	{".tbz", {.archive = true, .tar = true, .packed = true}},
	{".tbz2", {.archive = true, .tar = true, .packed = true}},
	{".txz", {.archive = true, .tar = true, .packed = true}},
	{".tlz", {.archive = true, .tar = true, .packed = true}},
	{".tzst", {.archive = true, .tar = true, .packed = true}},
};

static const struct suffix *suffix_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i].text);

		if (len > n && !strncasecmp(name + len - n, suffixes[i].text, n))
			return &suffixes[i];
	}
	return NULL;
}

struct archive_promise archive_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct archive_promise promise = {0};
	size_t len = strlen(name);
	const struct suffix *s;

	if (len > 2 && !strcmp(name + len - 2, ".Z")) {
		promise.packed = promise.compress = true;
		len -= 2;
	}
	/* ".tar.zst": what packed it stands outside. */
	while ((s = suffix_of(name, len))) {
		promise.packed |= s->promise.packed;
		promise.archive |= s->promise.archive;
		promise.tar |= s->promise.tar;
		if (s->promise.archive)
			break;
		len -= strlen(s->text);
	}
	return promise;
}
