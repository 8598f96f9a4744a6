/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a writer cannot keep in memory: a file without a name that grows at its end and is copied
 * out at last. All functions return 0 or a negative errno.
 */
#ifndef TRACES_SPOOL_H
#define TRACES_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_BUFFER_BYTES 65536u

struct spool {
	int fd;		/* -1: not open */
	size_t used;	/* bytes in the buffer */
	uint64_t bytes; /* appended so far */
	char *buffer;
};

/*
 * A new file in @dir, mode 0600, for reading and writing; returns the descriptor. It has no name if
 * *name is NULL after the call or @name is NULL; else *name is its path, which the caller unlinks
 * and frees. (A name is only given where the file system or a missing /proc asks for one.)
 */
int temp_file_open(const char *dir, char **name);

int spool_open(struct spool *spool, const char *dir);
void spool_close(struct spool *spool);
int spool_append(struct spool *spool, const void *data, size_t bytes);
/* Writes what is buffered; spool_read() sees only that. */
int spool_flush(struct spool *spool);
int spool_read(const struct spool *spool, uint64_t offset, void *data, size_t bytes);

/* Like pwrite(2) and pread(2), of everything; -EIO when the file ends before. */
int write_all(int fd, const void *data, size_t bytes, uint64_t offset);
int read_all(int fd, void *data, size_t bytes, uint64_t offset);

#endif
