// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file, all numbers little-endian: a header, then 2 bytes a page. It only ever appears whole,
 * under its name, so that runs which make it at once do not disturb each other. Whatever is not as
 * it should be makes it worth nothing, and never an error.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "sim/err.h"
#include "sim/lengths_private.h"
#include "traces/error.h"
#include "traces/spool.h"
#include "traces/target.h"

#define MAGIC	"ZSWL"
#define VERSION 1u

struct header {
	char magic[4];
	uint32_t version;
	uint64_t nr_pages;
	char hash[32];		     /* of the trace, hex */
	char key[LENGTHS_KEY_BYTES]; /* padded by NULs */
	int32_t zeros;
	uint32_t reserved;	   /* 0 */
	uint64_t lengths_checksum; /* XXH3-64 of what follows the header */
	uint64_t checksum;	   /* XXH3-64 of the header up to here */
};

_Static_assert(sizeof(struct header) == 328, "no padding");

static int stale(struct lengths *l, const char *why)
{
	snprintf(l->why_computed, sizeof(l->why_computed), "%s", why);
	return -ESTALE;
}

static int check_header(struct lengths *l, const struct header *h, const struct trace_info *info)
{
	char key[LENGTHS_KEY_BYTES] = "";

	if (memcmp(h->magic, MAGIC, sizeof(h->magic)))
		return stale(l, "the file there is none of lengths");
	if (le32toh(h->version) != VERSION)
		return stale(l, "the file there is of another version");
	if (le64toh(h->checksum) != XXH3_64bits(h, offsetof(struct header, checksum)))
		return stale(l, "the file there is damaged");
	if (memcmp(h->hash, info->hash, sizeof(h->hash)) || le64toh(h->nr_pages) != l->nr_pages)
		return stale(l, "the file there is of another trace");
	snprintf(key, sizeof(key), "%s", l->key);
	if (memcmp(h->key, key, sizeof(key)))
		return stale(l, "the file there is of another codec, parameters or library");
	return 0;
}

/* Whether lengths_of() may give it: a checksum can be right on purpose. */
static bool is_length(int value)
{
	return value >= -MAX_ERRNO && value <= (int)TRACE_PAGE_SIZE;
}

static int read_values(struct lengths *l, int fd, const struct header *h)
{
	size_t bytes = l->nr_pages * sizeof(uint16_t);
	uint16_t *values = malloc(bytes ? bytes : 1);
	int ret;

	if (!values)
		return -ENOMEM;
	ret = read_all(fd, values, bytes, sizeof(*h));
	if (ret || le64toh(h->lengths_checksum) != XXH3_64bits(values, bytes)) {
		free(values);
		return stale(l, "the file there is damaged");
	}
	l->zeros = (int32_t)le32toh((uint32_t)h->zeros);
	ret = l->zeros && is_length(l->zeros) ? 0 : -ESTALE;
	for (uint64_t i = 0; !ret && i < l->nr_pages; i++) {
		values[i] = le16toh(values[i]);
		ret = is_length((int16_t)values[i]) ? 0 : -ESTALE;
	}
	if (ret) {
		free(values);
		return stale(l, "the file there is damaged");
	}
	l->values = (int16_t *)values;
	return 0;
}

int lengths_file_read(struct lengths *l, const char *path, const struct trace_info *info)
{
	struct header h;
	struct stat st;
	int ret, fd;

	/* Not to wait for the other end of a pipe. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return stale(l, "there was no such file");
	if (fd < 0) {
		snprintf(l->why_computed, sizeof(l->why_computed),
			 "the file there cannot be read: %s", strerror(errno));
		return -ESTALE;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(h) ||
	    read_all(fd, &h, sizeof(h), 0))
		ret = stale(l, "the file there is none of lengths");
	else
		ret = check_header(l, &h, info);
	if (!ret && (uint64_t)st.st_size != sizeof(h) + l->nr_pages * sizeof(uint16_t))
		ret = stale(l, "the file there is damaged");
	if (!ret)
		ret = read_values(l, fd, &h);
	close(fd);
	return ret;
}

#define BUFFER_VALUES 32768u

/* The lengths as they are in the file, by pieces: @put, or only their checksum. */
static int put_values(const struct lengths *l, int fd, uint64_t *checksum)
{
	XXH3_state_t *state = XXH3_createState();
	uint16_t *buffer = malloc(BUFFER_VALUES * sizeof(*buffer));
	int ret = state && buffer ? 0 : -ENOMEM;

	if (!ret)
		XXH3_64bits_reset(state);
	for (uint64_t at = 0; !ret && at < l->nr_pages; at += BUFFER_VALUES) {
		uint64_t n = l->nr_pages - at < BUFFER_VALUES ? l->nr_pages - at : BUFFER_VALUES;

		for (uint64_t i = 0; i < n; i++)
			buffer[i] = htole16((uint16_t)l->values[at + i]);
		XXH3_64bits_update(state, buffer, n * sizeof(*buffer));
		ret = write_all(fd, buffer, n * sizeof(*buffer),
				sizeof(struct header) + at * sizeof(*buffer));
	}
	if (!ret)
		*checksum = XXH3_64bits_digest(state);
	free(buffer);
	XXH3_freeState(state);
	return ret;
}

int lengths_file_write(const struct lengths *l, const char *path, const struct trace_info *info,
		       struct trace_error *err)
{
	struct header h = {.magic = MAGIC,
			   .version = htole32(VERSION),
			   .nr_pages = htole64(l->nr_pages),
			   .zeros = (int32_t)htole32((uint32_t)l->zeros)};
	struct target target;
	uint64_t checksum = 0;
	int ret = target_open(&target, path, err);

	if (ret)
		return ret;
	memcpy(h.hash, info->hash, sizeof(h.hash));
	snprintf(h.key, sizeof(h.key), "%s", l->key);
	ret = put_values(l, target.fd, &checksum);
	h.lengths_checksum = htole64(checksum);
	h.checksum = htole64(XXH3_64bits(&h, offsetof(struct header, checksum)));
	if (!ret)
		ret = write_all(target.fd, &h, sizeof(h), 0);
	if (ret)
		trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	else
		ret = target_publish(&target, err);
	target_close(&target);
	return ret;
}
