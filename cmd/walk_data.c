// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/options.h"
#include "traces/random.h"

int walk_buffer_reserve(struct walk_buffer *b, size_t size, struct walk_error *err)
{
	if (b->bytes && size <= b->size)
		return 0;
	free(b->bytes);
	b->size = 0;
	b->bytes = malloc(size ? size : 1);
	if (!b->bytes) {
		walk_fail(err, "out of memory");
		return -ENOMEM;
	}
	b->size = size;
	return 0;
}

void walk_buffer_finish(struct walk_buffer *b)
{
	free(b->bytes);
}

/* ---- generators ---- */

static void make_counters(uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		p[i] = i / 4 >> 8 * (i % 4);
}

/* Every few words a line; each word as often as the others. */
static void make_text(uint8_t *p, size_t size, uint64_t seed)
{
	static const char *const words[] = {
		"a",	  "page",  "that",  "was",  "not",   "touched", "for",	 "some",
		"time",	  "is",	   "taken", "from", "its",   "old",	"frame", "and",
		"kept",	  "in",	   "less",  "room", "until", "it",	"will",	 "be",
		"wanted", "again", "by",    "the",  "one",   "who",	"wrote", "there",
	};
	const size_t nr = sizeof(words) / sizeof(*words);
	size_t n = 0, column = 0;
	struct random r;

	random_init(&r, seed, 0);
	while (n < size) {
		for (const char *c = words[random_below(&r, nr)]; *c && n < size; c++, column++)
			p[n++] = *c;
		if (n < size)
			p[n++] = column > 70 ? '\n' : ' ';
		if (column > 70)
			column = 0;
	}
}

/* "random" and "random:N" */
static int make_random(uint8_t *p, size_t size, const char *source, uint64_t seed,
		       struct walk_error *err)
{
	const char *colon = strchr(source, ':');
	uint64_t nr = size;
	struct random r;

	if (colon && (options_read_size(colon + 1, &nr) || nr > size))
		return walk_fail(err, "--data %s: not a number of bytes from 0 to %zu", source,
				 size);
	random_init(&r, seed, 0);
	random_bytes(&r, p, nr);
	memset(p + nr, 0, size - nr);
	return 0;
}

/* ---- files ---- */

static int open_at(const char *path, uint64_t skip, struct walk_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0) {
		walk_fail(err, "%s: %s", path, strerror(errno));
		return -EINVAL;
	}
	if (skip && (skip > INT64_MAX || lseek(fd, skip, SEEK_SET) < 0)) {
		walk_fail(err, "%s: offset %" PRIu64 ": %s", path, skip,
			  strerror(skip > INT64_MAX ? EINVAL : errno));
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static int read_some(int fd, const char *path, uint8_t *p, size_t size, size_t *done,
		     struct walk_error *err)
{
	*done = 0;
	while (*done < size) {
		ssize_t n = read(fd, p + *done, size - *done);

		if (!n)
			break;
		if (n < 0 && errno != EINTR)
			return walk_fail(err, "%s: %s", path, strerror(errno));
		if (n > 0)
			*done += n;
	}
	return 0;
}

static int data_from_file(uint8_t *p, const char *path, uint64_t skip, size_t size, bool pad,
			  struct walk_error *err)
{
	int fd = open_at(path, skip, err), ret;
	size_t done;

	if (fd < 0)
		return fd;
	ret = read_some(fd, path, p, size, &done, err);
	close(fd);
	if (ret)
		return ret;
	if (done < size && !pad)
		return walk_fail(err,
				 "%s: offset %" PRIu64 ": %zu bytes are wanted and %zu are there; "
				 "--pad fills up with zeros",
				 path, skip, size, done);
	memset(p + done, 0, size - done);
	return 0;
}

int walk_data_make(struct walk_buffer *b, const char *source, uint64_t seed, uint64_t skip,
		   size_t size, bool pad, struct walk_error *err)
{
	int ret = walk_buffer_reserve(b, size, err);

	if (ret)
		return ret;
	if (!strcmp(source, "zero"))
		memset(b->bytes, 0, size);
	else if (!strcmp(source, "counters"))
		make_counters(b->bytes, size);
	else if (!strcmp(source, "text"))
		make_text(b->bytes, size, seed);
	else if (!strcmp(source, "random") || !strncmp(source, "random:", strlen("random:")))
		ret = make_random(b->bytes, size, source, seed, err);
	else
		ret = data_from_file(b->bytes, source, skip, size, pad, err);
	return ret;
}

/* What is read at a time of something that does not say its size. */
#define CHUNK ((size_t)64 << 10)

static int read_all(int fd, struct walk_buffer *b, const char *path, size_t max, size_t *size,
		    struct walk_error *err)
{
	size_t room = CHUNK, done;
	int ret = walk_buffer_reserve(b, CHUNK, err);

	*size = 0;
	while (!ret) {
		uint8_t *p;

		ret = read_some(fd, path, b->bytes + *size, b->size - *size, &done, err);
		if (ret)
			break;
		*size += done;
		if (*size < b->size)
			return 0;
		if (*size > max)
			break;
		room = b->size * 2;
		p = realloc(b->bytes, room);
		if (!p)
			return walk_fail(err, "out of memory");
		b->bytes = p;
		b->size = room;
	}
	return ret;
}

int walk_file_read(struct walk_buffer *b, const char *path, uint64_t skip, size_t max, size_t *size,
		   struct walk_error *err)
{
	int fd = open_at(path, skip, err), ret;

	if (fd < 0)
		return fd;
	ret = read_all(fd, b, path, max, size, err);
	close(fd);
	if (!ret && *size > max)
		return walk_fail(err, "%s: more than %zu bytes", path, max);
	return ret;
}
