// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "traces/error.h"

#define DIGITS	   16
#define HEADER_ROW 0 /* rows are numbered from 1 in the file */

struct place {
	uint64_t offset; /* of its JSON; 0: it is not there */
	uint64_t bytes;
};

struct sweep_journal {
	char *path;
	int fd;
	pthread_mutex_t lock; /* of what is below */
	pthread_cond_t changed;
	pthread_t syncer;
	bool has_syncer, stop;
	uint64_t written, synced; /* rows, since it was opened */
	int sync_error;
	uint64_t bytes;
	uint64_t torn;
	uint64_t seed; /* of the rows' checksums */
	json_t *header;
	uint32_t nr_rows, nr_there;
	struct place *rows;
};

/* ---- lines ---- */

/* The line of a value, to be freed; NULL: no memory. */
static char *make_line(const json_t *value, uint64_t number, uint64_t seed, size_t *bytes)
{
	char *text = json_dumps(value, JSON_COMPACT), *line = NULL;
	int len;

	if (!text)
		return NULL;
	len = asprintf(&line, "%0*d %" PRIu64 " %s\n", DIGITS, 0, number, text);
	free(text);
	if (len < 0)
		return NULL;
	*bytes = len;
	snprintf(line, DIGITS + 1, "%016" PRIx64,
		 XXH3_64bits_withSeed(line + DIGITS + 1, len - DIGITS - 2, seed));
	line[DIGITS] = ' ';
	return line;
}

/* Whether @line, without its end, is whole; then its number and its JSON. */
static bool read_line(const char *line, size_t bytes, uint64_t seed, uint64_t *number,
		      const char **value)
{
	char digits[DIGITS + 1], *end;

	if (bytes < DIGITS + 4 || line[DIGITS] != ' ')
		return false;
	snprintf(digits, sizeof(digits), "%016" PRIx64,
		 XXH3_64bits_withSeed(line + DIGITS + 1, bytes - DIGITS - 1, seed));
	if (memcmp(digits, line, DIGITS))
		return false;
	*number = strtoull(line + DIGITS + 1, &end, 10);
	*value = end + 1;
	return *end == ' ';
}

static uint64_t seed_of(const char *header_line)
{
	char digits[DIGITS + 1];

	snprintf(digits, sizeof(digits), "%.*s", DIGITS, header_line);
	return strtoull(digits, NULL, 16);
}

/* ---- what is there ---- */

#define fail(j, err, ret, ...) trace_fail(err, (j)->path, TRACE_NO_OFFSET, ret, __VA_ARGS__)

static int system_error(const struct sweep_journal *j, struct trace_error *err, int error)
{
	return fail(j, err, -error, "%s", strerror(error));
}

static int damaged(const struct sweep_journal *j, struct trace_error *err, uint64_t offset)
{
	return trace_fail(err, j->path, offset, -EBADMSG,
			  "the journal is damaged here, and whole again behind it; remove it to "
			  "begin anew");
}

static int take_header(struct sweep_journal *j, const char *line, size_t bytes,
		       struct trace_error *err)
{
	const char *value;
	json_t *rows;
	uint64_t number;

	if (!read_line(line, bytes, 0, &number, &value) || number != HEADER_ROW)
		return fail(j, err, -EEXIST, "is no journal of a sweep");
	j->header = json_loadb(value, bytes - (value - line), 0, NULL);
	rows = json_object_get(j->header, "rows");
	if (json_integer_value(rows) < 1 || json_integer_value(rows) > UINT32_MAX)
		return fail(j, err, -EEXIST, "is no journal of a sweep");
	j->nr_rows = json_integer_value(rows);
	j->seed = seed_of(line);
	j->rows = calloc(j->nr_rows, sizeof(*j->rows));
	return j->rows ? 0 : system_error(j, err, ENOMEM);
}

static int take_row(struct sweep_journal *j, const char *line, size_t bytes, uint64_t offset,
		    bool *whole, struct trace_error *err)
{
	uint64_t number;
	const char *value;

	*whole = read_line(line, bytes, j->seed, &number, &value);
	if (!*whole)
		return 0;
	if (number < 1 || number > j->nr_rows || j->rows[number - 1].offset)
		return damaged(j, err, offset);
	j->rows[number - 1] = (struct place){offset + (value - line), bytes - (value - line)};
	j->nr_there++;
	return 0;
}

/* Lines from the start. What is not whole at the end is torn; in between, it is damage. */
static int take_lines(struct sweep_journal *j, FILE *in, struct trace_error *err)
{
	uint64_t offset = 0, bad = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t bytes;
	int ret = 0;

	while (!ret && (bytes = getline(&line, &size, in)) > 0) {
		size_t len = bytes - (line[bytes - 1] == '\n');
		bool whole = len < (size_t)bytes;

		if (!offset && !whole)
			ret = fail(j, err, -EEXIST, "is no journal of a sweep");
		else if (!offset)
			ret = take_header(j, line, len, err);
		else if (whole)
			ret = take_row(j, line, len, offset, &whole, err);
		if (!ret && whole && bad)
			ret = damaged(j, err, bad);
		if (!whole && !bad)
			bad = offset;
		offset += bytes;
	}
	if (!ret && ferror(in))
		ret = system_error(j, err, errno ? errno : EIO);
	free(line);
	j->bytes = bad ? bad : offset;
	j->torn = offset - j->bytes;
	return ret;
}

static int read_all(struct sweep_journal *j, struct trace_error *err)
{
	int fd = dup(j->fd), ret;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in) {
		ret = system_error(j, err, errno);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	rewind(in);
	ret = take_lines(j, in, err);
	fclose(in);
	return ret;
}

/* ---- opening ---- */

static int open_file(struct sweep_journal *j, int flags, int lock, struct trace_error *err)
{
	struct stat st;

	j->fd = open(j->path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
	if (j->fd < 0)
		return system_error(j, err, errno);
	if (fstat(j->fd, &st))
		return system_error(j, err, errno);
	if (!S_ISREG(st.st_mode))
		return fail(j, err, -EEXIST, "is no regular file");
	if (flock(j->fd, lock | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return system_error(j, err, errno);
	return fail(j, err, -EBUSY, "another sweep has this journal open");
}

static int write_all(struct sweep_journal *j, const char *text, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pwrite(j->fd, text + done, bytes - done, j->bytes + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int ret = n ? -errno : -EIO;

			/* What is left of it would be a torn line. */
			if (ftruncate(j->fd, j->bytes))
				return ret;
			return ret;
		}
		done += n;
	}
	return 0;
}

static int sync_directory(const struct sweep_journal *j)
{
	char *copy = strdup(j->path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, ret = 0;

	free(copy);
	if (fd < 0)
		return -errno;
	/* Some file systems cannot, and need not. */
	if (fsync(fd) && errno != EINVAL)
		ret = -errno;
	close(fd);
	return ret;
}

static int begin(struct sweep_journal *j, const char *line, size_t bytes, struct trace_error *err)
{
	int ret;

	if (ftruncate(j->fd, 0))
		return system_error(j, err, errno);
	ret = write_all(j, line, bytes);
	if (!ret && fsync(j->fd))
		ret = -errno;
	if (!ret)
		ret = sync_directory(j);
	return ret ? system_error(j, err, -ret) : read_all(j, err);
}

/* Whether nothing is there but the beginning of @line: it was being begun. */
static bool is_torn_header(const struct sweep_journal *j, const char *line, size_t bytes)
{
	struct stat st;
	char *there;
	ssize_t n;
	size_t same = 0;
	bool torn;

	if (fstat(j->fd, &st) || (uint64_t)st.st_size >= bytes)
		return false;
	there = malloc(bytes);
	n = there ? pread(j->fd, there, bytes, 0) : -1;
	while (n > 0 && same < (size_t)n && there[same] == line[same])
		same++;
	/* A file system may have made room for the line, and lost what goes there. */
	for (torn = n >= 0; torn && same < (size_t)n; same++)
		torn = there[same] == '\0';
	free(there);
	return torn;
}

static int go_on(struct sweep_journal *j, const json_t *header, struct trace_error *err)
{
	char difference[200];
	int ret = read_all(j, err);

	if (ret)
		return ret;
	if (sweep_journal_difference(header, j->header, difference, sizeof(difference)))
		return fail(j, err, -EEXIST, "is the journal of another sweep: %s", difference);
	if (j->torn && (ftruncate(j->fd, j->bytes) || fsync(j->fd)))
		return system_error(j, err, errno);
	return 0;
}

/* ---- the disk ---- */

static void *sync_rows(void *arg)
{
	struct sweep_journal *j = arg;

	pthread_mutex_lock(&j->lock);
	while (!j->stop || j->synced < j->written) {
		uint64_t written = j->written;
		int ret;

		if (j->synced == written) {
			pthread_cond_wait(&j->changed, &j->lock);
			continue;
		}
		pthread_mutex_unlock(&j->lock);
		ret = fdatasync(j->fd) ? -errno : 0;
		pthread_mutex_lock(&j->lock);
		if (!j->sync_error)
			j->sync_error = ret;
		j->synced = written;
		pthread_cond_broadcast(&j->changed);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

static int start_syncer(struct sweep_journal *j, struct trace_error *err)
{
	int ret = pthread_create(&j->syncer, NULL, sync_rows, j);

	if (ret)
		return system_error(j, err, ret);
	j->has_syncer = true;
	return 0;
}

static void stop_syncer(struct sweep_journal *j)
{
	if (!j->has_syncer)
		return;
	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	pthread_join(j->syncer, NULL);
}

int sweep_journal_sync(struct sweep_journal *j)
{
	int ret;

	pthread_mutex_lock(&j->lock);
	while (j->synced < j->written)
		pthread_cond_wait(&j->changed, &j->lock);
	ret = j->sync_error;
	pthread_mutex_unlock(&j->lock);
	return ret;
}

/* ---- opening and closing ---- */

static struct sweep_journal *allocate(const char *path, struct trace_error *err)
{
	struct sweep_journal *j = calloc(1, sizeof(*j));

	if (j)
		j->path = strdup(path);
	if (!j || !j->path) {
		trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
		free(j);
		return NULL;
	}
	j->fd = -1;
	pthread_mutex_init(&j->lock, NULL);
	pthread_cond_init(&j->changed, NULL);
	return j;
}

int sweep_journal_open(const char *path, json_t *header, struct sweep_journal **out,
		       struct trace_error *err)
{
	struct sweep_journal *j = allocate(path, err);
	char *line = NULL;
	size_t bytes;
	int ret = -ENOMEM;

	if (!j)
		return -ENOMEM;
	line = make_line(header, HEADER_ROW, 0, &bytes);
	if (!line)
		system_error(j, err, ENOMEM);
	else
		ret = open_file(j, O_RDWR | O_CREAT, LOCK_EX, err);
	if (!ret && is_torn_header(j, line, bytes))
		ret = begin(j, line, bytes, err);
	else if (!ret)
		ret = go_on(j, header, err);
	free(line);
	if (!ret)
		ret = start_syncer(j, err);
	if (ret) {
		sweep_journal_close(j);
		return ret;
	}
	*out = j;
	return 0;
}

int sweep_journal_read(const char *path, struct sweep_journal **out, struct trace_error *err)
{
	struct sweep_journal *j = allocate(path, err);
	int ret;

	if (!j)
		return -ENOMEM;
	ret = open_file(j, O_RDONLY, LOCK_SH, err);
	if (!ret)
		ret = read_all(j, err);
	if (!ret && !j->header)
		ret = fail(j, err, -EEXIST, "is no journal of a sweep: it is empty");
	if (ret) {
		sweep_journal_close(j);
		return ret;
	}
	*out = j;
	return 0;
}

void sweep_journal_close(struct sweep_journal *j)
{
	if (!j)
		return;
	stop_syncer(j);
	if (j->fd >= 0)
		close(j->fd);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	json_decref(j->header);
	free(j->rows);
	free(j->path);
	free(j);
}

/* ---- rows ---- */

const char *sweep_journal_path(const struct sweep_journal *j)
{
	return j->path;
}

const json_t *sweep_journal_header(const struct sweep_journal *j)
{
	return j->header;
}

uint64_t sweep_journal_torn(const struct sweep_journal *j)
{
	return j->torn;
}

uint32_t sweep_journal_nr(const struct sweep_journal *j)
{
	return j->nr_there;
}

bool sweep_journal_has(const struct sweep_journal *j, uint32_t row)
{
	return row < j->nr_rows && j->rows[row].offset;
}

int sweep_journal_add(struct sweep_journal *j, uint32_t row, json_t *value)
{
	const char *json;
	size_t bytes;
	uint64_t number;
	char *line = make_line(value, (uint64_t)row + 1, j->seed, &bytes);
	int ret;

	if (!line)
		return -ENOMEM;
	pthread_mutex_lock(&j->lock);
	ret = j->sync_error ? j->sync_error : write_all(j, line, bytes);
	if (!ret && read_line(line, bytes - 1, j->seed, &number, &json)) {
		j->rows[row] = (struct place){j->bytes + (json - line), bytes - 1 - (json - line)};
		j->nr_there++;
		j->bytes += bytes;
		j->written++;
		pthread_cond_broadcast(&j->changed);
	}
	pthread_mutex_unlock(&j->lock);
	free(line);
	return ret;
}

json_t *sweep_journal_get(const struct sweep_journal *j, uint32_t row)
{
	const struct place *place = &j->rows[row];
	json_t *value = NULL;
	char *text;

	if (!sweep_journal_has(j, row))
		return NULL;
	text = malloc(place->bytes);
	if (text && pread(j->fd, text, place->bytes, place->offset) == (ssize_t)place->bytes)
		value = json_loadb(text, place->bytes, 0, NULL);
	free(text);
	return value;
}

/* ---- headers ---- */

/* The first member of two objects that differs; NULL: none does. */
static const char *member(const json_t *is, const json_t *other)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)is, key, value)
	{
		if (!json_equal(value, json_object_get(other, key)))
			return key;
	}
	json_object_foreach((json_t *)other, key, value)
	{
		if (!json_object_get(is, key))
			return key;
	}
	return NULL;
}

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "none";
}

const char *sweep_journal_difference(const json_t *is, const json_t *other, char *buf, size_t size)
{
	const char *key = member(is, other), *inner;
	const json_t *a = json_object_get(is, key), *b = json_object_get(other, key);

	if (!key)
		return NULL;
	inner = json_is_object(a) && json_is_object(b) ? member(a, b) : NULL;
	if (!strcmp(key, "sweep"))
		snprintf(buf, size, "its settings are others");
	else if (!strcmp(key, "program"))
		snprintf(buf, size, "it is by another build of the program");
	else if (!strcmp(key, "shard"))
		snprintf(buf, size, "it is shard %s, not %s", word(other, key), word(is, key));
	else if (!strcmp(key, "files") && inner)
		snprintf(buf, size, "the file %.100s was another then", inner);
	else if (inner)
		snprintf(buf, size, "its %s is %.60s, not %.60s (%s)", inner, word(b, inner),
			 word(a, inner), key);
	else
		snprintf(buf, size, "its %s is another", key);
	return buf;
}
