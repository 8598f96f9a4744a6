/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the bytes of a request of `zswapsim walk` come from: a file, or a generator. */
#ifndef CMD_WALK_DATA_H
#define CMD_WALK_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/walk_error.h"

struct walk_buffer {
	uint8_t *bytes;
	size_t size; /* room */
};

/* 0 or -ENOMEM (with a line in *@err). What was there is lost. */
int walk_buffer_reserve(struct walk_buffer *b, size_t size, struct walk_error *err);
void walk_buffer_finish(struct walk_buffer *b);

/*
 * @size bytes of @source into @b: "zero"; "counters", 32-bit little-endian 0, 1, 2, ...; "text" or
 * "random" by @seed; "random:N", N random bytes and then zeros; or a file's, from @skip on. Where
 * the file ends earlier the rest is zeros if @pad is set, and an error if not.
 */
int walk_data_make(struct walk_buffer *b, const char *source, uint64_t seed, uint64_t skip,
		   size_t size, bool pad, struct walk_error *err);

/* All of @path from @skip on, at most @max bytes; *@size of them. */
int walk_file_read(struct walk_buffer *b, const char *path, uint64_t skip, size_t max, size_t *size,
		   struct walk_error *err);

#endif
