/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which archive something is, by how it begins; what its name promises. */
#ifndef TRACES_ARCHIVE_MAGIC_H
#define TRACES_ARCHIVE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_MAGIC_BYTES 512u /* as many as a tar header has */

enum archive_kind {
	ARCHIVE_NONE, /* bytes */
	ARCHIVE_TAR,
	ARCHIVE_ZIP,
	ARCHIVE_7ZIP,
	ARCHIVE_CPIO,
	ARCHIVE_AR,
};

/* @head: the first @n bytes, as many of ARCHIVE_MAGIC_BYTES as there are. */
enum archive_kind archive_magic(const uint8_t *head, size_t n);

struct archive_promise {
	bool archive; /* ".tar", ".tgz", ".tar.zst", ".zip", ... */
	bool tar;
	bool packed;   /* ".gz", ".tgz", ... */
	bool compress; /* ".Z" */
};

/* What a file of this @path should be. Upper case counts as lower case, but for ".Z". */
struct archive_promise archive_name(const char *path);

#endif
