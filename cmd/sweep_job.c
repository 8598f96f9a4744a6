// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "cmd/progress.h"
#include "cmd/report_parts.h"
#include "cmd/sweep_output.h"
#include "cmd/version.h"
#include "sim/sweep_run.h"
#include "traces/error.h"

#define JOURNAL_SCHEMA	       "zswapsim.sweep-journal"
#define JOURNAL_SCHEMA_VERSION 1
#define HASH_BYTES	       33

/* ---- the header ---- */

/* XXH3-128 of a file, hex. 0 or a negative errno. */
static int hash_file(const char *path, char hash[HASH_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t canonical;
	char buf[65536];
	ssize_t n = -1;

	if (fd < 0)
		ret = -errno;
	else if (!state)
		ret = -ENOMEM;
	if (!ret) {
		XXH3_128bits_reset(state);
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			XXH3_128bits_update(state, buf, n);
		ret = n < 0 ? -errno : 0;
	}
	if (!ret) {
		XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
		for (unsigned i = 0; i < sizeof(canonical.digest); i++)
			snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
	}
	XXH3_freeState(state);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Hashes of the files that settings name: their contents are settings, too. */
static int add_files(json_t *files, const struct sweep_file *file, struct trace_error *err)
{
	for (unsigned i = 0; i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];

		for (unsigned v = 0; axis->key.kind == SETTING_FILE && v < axis->nr; v++) {
			const char *path = axis->values[v].text;
			char hash[HASH_BYTES];
			int ret = strcmp(path, "none") ? hash_file(path, hash) : 1;

			if (ret < 0)
				return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s",
						  strerror(-ret));
			if (!ret)
				json_object_set_new(files, path, json_string(hash));
		}
	}
	return 0;
}

/* All that a row's results depend on. NULL: a line in *err. */
static json_t *make_header(const struct sweep_job *job, struct trace_error *err)
{
	json_t *o = json_object(), *files = json_object(),
	       *trace = report_trace_json("", trace_reader_info(job->reader));
	char hash[HASH_BYTES] = "", shard[32];
	int ret;

	snprintf(shard, sizeof(shard), "%" PRIu32 "/%" PRIu32, job->shard, job->nr_shards);
	/* The same trace may lie elsewhere. */
	json_object_del(trace, "path");
	ret = hash_file("/proc/self/exe", hash);
	if (ret)
		trace_fail(err, "/proc/self/exe", TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	else
		ret = add_files(files, job->file, err);
	json_object_set_new(o, "schema", json_string(JOURNAL_SCHEMA));
	json_object_set_new(o, "schema_version", json_integer(JOURNAL_SCHEMA_VERSION));
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "program", json_string(hash));
	json_object_set_new(o, "trace", trace);
	json_object_set_new(o, "sweep", json_string(job->file->text));
	json_object_set_new(o, "files", files);
	json_object_set_new(o, "rows", json_integer(job->file->nr_rows));
	json_object_set_new(o, "shard", json_string(shard));
	if (ret) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* ---- running ---- */

struct run {
	const struct sweep_job *job;
	struct sweep_journal *journal;
	struct progress progress;
	struct trace_error *err; /* of the journal */
	pthread_mutex_t lock;
};

static int row_done(void *arg, const struct sweep_row *row)
{
	struct run *run = arg;
	json_t *value = sweep_row_json(run->job->file, row);
	int ret = value ? sweep_journal_add(run->journal, row->row, value) : -ENOMEM;

	json_decref(value);
	pthread_mutex_lock(&run->lock);
	if (ret)
		trace_fail(run->err, sweep_journal_path(run->journal), TRACE_NO_OFFSET, ret, "%s",
			   strerror(-ret));
	else
		progress_step(&run->progress);
	pthread_mutex_unlock(&run->lock);
	return ret;
}

/* The rows of the shard that are not there yet. NULL: no memory. */
static uint32_t *missing_rows(const struct sweep_job *job, const struct sweep_journal *journal,
			      uint32_t *nr)
{
	uint32_t *rows = malloc(job->file->nr_rows * sizeof(*rows));

	*nr = 0;
	for (uint32_t row = 0; rows && row < job->file->nr_rows; row++) {
		if (sweep_in_shard(row, job->shard, job->nr_shards) &&
		    !sweep_journal_has(journal, row))
			rows[(*nr)++] = row;
	}
	return rows;
}

static int run_missing(struct run *run, struct trace_error *err)
{
	const struct sweep_job *job = run->job;
	uint32_t nr, *rows = missing_rows(job, run->journal, &nr);
	const struct sweep_run_config config = {
		.file = job->file,
		.reader = job->reader,
		.crypto = job->crypto,
		.rows = rows,
		.nr_rows = nr,
		.nr_threads = job->nr_threads,
		.done = row_done,
		.arg = run,
	};
	struct trace_error journal_err = {.message = ""};
	int ret;

	if (!rows)
		return trace_fail(err, job->journal, TRACE_NO_OFFSET, -ENOMEM, "%s",
				  strerror(ENOMEM));
	run->err = &journal_err;
	progress_begin(&run->progress, job->name, "settings", sweep_journal_nr(run->journal),
		       sweep_journal_nr(run->journal) + nr, job->progress);
	ret = sweep_run(&config, err);
	progress_end(&run->progress);
	if (ret && !err->message[0])
		*err = journal_err;
	free(rows);
	return ret;
}

int sweep_job_run(const struct sweep_job *job, struct sweep_journal **out, struct trace_error *err)
{
	struct run run = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
	json_t *header = make_header(job, err);
	int ret;

	if (!header)
		return -EINVAL;
	ret = sweep_journal_open(job->journal, header, &run.journal, err);
	json_decref(header);
	if (ret)
		return ret;
	if (sweep_journal_torn(run.journal))
		fprintf(stderr,
			"%s: %s: the last line, %" PRIu64
			" bytes, was not whole: that setting runs again\n",
			job->name, job->journal, sweep_journal_torn(run.journal));
	ret = run_missing(&run, err);
	pthread_mutex_destroy(&run.lock);
	if (ret) {
		sweep_journal_close(run.journal);
		return ret;
	}
	*out = run.journal;
	return 0;
}

/* ---- joining ---- */

static const char *text_of(const struct sweep_journal *j, const char *key)
{
	const char *text = json_string_value(json_object_get(sweep_journal_header(j), key));

	return text ? text : "";
}

#define fail(path, err, ...) trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, __VA_ARGS__)

/* Puts the journal where it belongs. */
static int place_shard(struct sweep_merge *m, unsigned nr, struct sweep_journal *j,
		       struct trace_error *err)
{
	const char *path = sweep_journal_path(j), *text = text_of(j, "shard");
	unsigned shard = 0, of = 0;

	if (strcmp(text_of(j, "schema"), JOURNAL_SCHEMA) ||
	    sscanf(text, "%u/%u", &shard, &of) != 2 || shard < 1 || shard > of)
		return fail(path, err, "is no shard of a sweep");
	if (!m->shards) {
		m->shards = calloc(of, sizeof(struct sweep_journal *));
		if (!m->shards)
			return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s",
					  strerror(ENOMEM));
		m->nr = of;
	}
	if (of != m->nr)
		return fail(path, err, "is shard %s: others are of %u", text, m->nr);
	if (m->shards[shard - 1])
		return fail(path, err, "is shard %s, as %s is", text,
			    sweep_journal_path(m->shards[shard - 1]));
	m->shards[shard - 1] = j;
	return 0;
}

/* But for which shard it is, a header is the first one's. */
static int check_same(const struct sweep_journal *first, const struct sweep_journal *j,
		      struct trace_error *err)
{
	json_t *a = json_copy((json_t *)sweep_journal_header(first)),
	       *b = json_copy((json_t *)sweep_journal_header(j));
	char difference[200];
	int ret = 0;

	json_object_del(a, "shard");
	json_object_del(b, "shard");
	if (sweep_journal_difference(a, b, difference, sizeof(difference)))
		ret = fail(sweep_journal_path(j), err, "is not of the sweep of %s: %s",
			   sweep_journal_path(first), difference);
	json_decref(a);
	json_decref(b);
	return ret;
}

static int check_whole(const struct sweep_merge *m, struct trace_error *err)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (!m->shards[i])
			return fail("--merge", err, "shard %u/%u is missing", i + 1, m->nr);
	}
	for (uint32_t row = 0; row < m->file->nr_rows; row++) {
		for (unsigned i = 0; i < m->nr; i++) {
			const struct sweep_journal *j = m->shards[i];
			bool is = sweep_journal_has(j, row);

			if (is && !sweep_in_shard(row, i + 1, m->nr))
				return fail(sweep_journal_path(j), err,
					    "has setting %" PRIu32 ", which is another shard's",
					    row + 1);
			if (!is && sweep_in_shard(row, i + 1, m->nr))
				return fail(sweep_journal_path(j), err,
					    "shard %u/%u is not finished: setting %" PRIu32
					    " is missing",
					    i + 1, m->nr, row + 1);
		}
	}
	return 0;
}

int sweep_merge_open(const char *const *paths, unsigned nr, struct sweep_merge *m,
		     struct trace_error *err)
{
	struct sweep_journal *first = NULL;
	int ret = 0;

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < nr && !ret; i++) {
		struct sweep_journal *j;

		ret = sweep_journal_read(paths[i], &j, err);
		if (ret)
			break;
		if (first)
			ret = check_same(first, j, err);
		if (!ret)
			ret = place_shard(m, nr, j, err);
		if (ret)
			sweep_journal_close(j);
		else if (!first)
			first = j;
	}
	if (!ret)
		ret = sweep_file_parse(sweep_journal_path(first), text_of(first, "sweep"), &m->file,
				       err);
	if (!ret && m->file->nr_rows != json_integer_value(json_object_get(
						sweep_journal_header(first), "rows")))
		ret = fail(sweep_journal_path(first), err, "is no shard of a sweep");
	if (!ret)
		ret = check_whole(m, err);
	if (ret)
		sweep_merge_close(m);
	return ret;
}

void sweep_merge_close(struct sweep_merge *m)
{
	for (unsigned i = 0; m->shards && i < m->nr; i++)
		sweep_journal_close(m->shards[i]);
	free(m->shards);
	sweep_file_free(m->file);
	memset(m, 0, sizeof(*m));
}

json_t *sweep_merge_get(void *arg, uint32_t row)
{
	const struct sweep_merge *m = arg;

	for (unsigned i = 0; i < m->nr; i++) {
		if (sweep_journal_has(m->shards[i], row))
			return sweep_journal_get(m->shards[i], row);
	}
	return NULL;
}
