// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_job.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/progress.h"
#include "cmd/sweep_header.h"
#include "cmd/sweep_output.h"
#include "sim/sweep_run.h"
#include "traces/error.h"

struct run {
	const struct sweep_job *job;
	struct sweep_lengths *lengths;
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

static int no_memory(const struct sweep_job *job, struct trace_error *err)
{
	return trace_fail(err, job->journal ? job->journal : "sweep", TRACE_NO_OFFSET, -ENOMEM,
			  "%s", strerror(ENOMEM));
}

/* ---- the passes ---- */

static void pass_progress(void *arg, uint64_t done, uint64_t total)
{
	progress_set(arg, done);
}

static int open_codec(const struct sweep_job *job, const struct sweep_lengths *lengths,
		      struct sweep_codec *codec, struct trace_error *err)
{
	struct progress progress;
	char what[LENGTHS_KEY_BYTES + 32];
	int ret;

	snprintf(what, sizeof(what), "pages by %s", codec->id);
	progress_begin(&progress, job->name, what, 0, trace_reader_info(job->reader)->nr_pages,
		       job->progress);
	ret = sweep_lengths_open(lengths, codec, job->file, job->reader, job->nr_threads,
				 pass_progress, &progress, err);
	progress_end(&progress);
	return ret;
}

/* A sweep does without a file of them. */
static int open_for_rows(const struct sweep_job *job, const struct sweep_lengths *lengths,
			 struct sweep_codec *codec, struct trace_error *err)
{
	int ret = open_codec(job, lengths, codec, err);

	if (!ret && *codec->lengths->why_not_kept)
		fprintf(stderr, "%s: the lengths by %s are not kept: %s\n", job->name, codec->id,
			codec->lengths->why_not_kept);
	return ret;
}

/* To keep them is what was asked for. */
static int open_to_keep(const struct sweep_job *job, const struct sweep_lengths *lengths,
			struct sweep_codec *codec, struct trace_error *err)
{
	int ret = open_codec(job, lengths, codec, err);

	if (ret || !*codec->lengths->why_not_kept)
		return ret;
	return trace_fail(err, codec->id, TRACE_NO_OFFSET, -EIO, "the lengths are not kept: %s",
			  codec->lengths->why_not_kept);
}

/* Those of the rows at hand. */
static int open_codecs(const struct sweep_job *job, const struct sweep_lengths *lengths,
		       const uint32_t *rows, uint32_t nr, struct trace_error *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < nr; i++) {
		struct sweep_codec *codec;
		struct settings s;

		sweep_file_settings(job->file, rows[i], &s);
		codec = sweep_lengths_find(lengths, &s);
		if (!codec)
			ret = no_memory(job, err);
		else if (!codec->lengths)
			ret = open_for_rows(job, lengths, codec, err);
	}
	return ret;
}

int sweep_job_prepare(const struct sweep_job *job, FILE *out, struct trace_error *err)
{
	static const char *const origins[LENGTHS_NR_ORIGINS] = {
		[LENGTHS_COMPUTED] = "compressed now",
		[LENGTHS_FROM_FILE] = "were there",
		[LENGTHS_FROM_TRACE] = "are in the trace",
	};
	struct sweep_lengths *lengths;
	int ret = sweep_lengths_create(job->file, job->reader, job->crypto, &lengths, err);

	if (ret)
		return ret;
	for (unsigned i = 0; !ret && i < lengths->nr; i++) {
		const struct lengths *l;

		ret = open_to_keep(job, lengths, &lengths->codecs[i], err);
		if (ret)
			break;
		l = lengths->codecs[i].lengths;
		fprintf(out, "%s: %" PRIu64 " pages, %s%s%s\n", lengths->codecs[i].key, l->nr_pages,
			origins[l->origin], l->path ? ", in " : "", l->path ? l->path : "");
	}
	sweep_lengths_destroy(lengths);
	return ret;
}

/* ---- the rows ---- */

static int run_rows(struct run *run, const uint32_t *rows, uint32_t nr, struct trace_error *err)
{
	const struct sweep_job *job = run->job;
	const struct sweep_run_config config = {
		.file = job->file,
		.reader = job->reader,
		.lengths = run->lengths,
		.crypto = job->crypto,
		.rows = rows,
		.nr_rows = nr,
		.nr_threads = job->nr_threads,
		.done = row_done,
		.arg = run,
	};
	struct trace_error journal_err = {.message = ""};
	uint32_t there = sweep_journal_nr(run->journal);
	int ret;

	run->err = &journal_err;
	progress_begin(&run->progress, job->name, "settings", there, there + nr, job->progress);
	ret = sweep_run(&config, err);
	progress_end(&run->progress);
	if (ret && !err->message[0])
		*err = journal_err;
	return ret;
}

static int run_missing(struct run *run, struct trace_error *err)
{
	uint32_t nr, *rows = missing_rows(run->job, run->journal, &nr);
	int ret = rows ? open_codecs(run->job, run->lengths, rows, nr, err)
		       : no_memory(run->job, err);

	if (!ret)
		ret = run_rows(run, rows, nr, err);
	free(rows);
	if (ret)
		return ret;
	ret = sweep_journal_sync(run->journal);
	return ret ? trace_fail(err, run->job->journal, TRACE_NO_OFFSET, ret, "%s", strerror(-ret))
		   : 0;
}

static int open_journal(struct run *run, struct trace_error *err)
{
	const struct sweep_job *job = run->job;
	json_t *header = sweep_header_make(job->file, trace_reader_info(job->reader), run->lengths,
					   job->shard, job->nr_shards, err);
	int ret;

	if (!header)
		return -EINVAL;
	ret = sweep_journal_open(job->journal, header, &run->journal, err);
	json_decref(header);
	if (!ret && sweep_journal_torn(run->journal))
		fprintf(stderr,
			"%s: %s: the last line, %" PRIu64
			" bytes, was not whole: that setting runs again\n",
			job->name, job->journal, sweep_journal_torn(run->journal));
	return ret;
}

int sweep_job_run(const struct sweep_job *job, struct sweep_journal **out, struct trace_error *err)
{
	struct run run = {.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
	int ret = sweep_lengths_create(job->file, job->reader, job->crypto, &run.lengths, err);

	if (!ret)
		ret = open_journal(&run, err);
	if (!ret)
		ret = run_missing(&run, err);
	sweep_lengths_destroy(run.lengths);
	pthread_mutex_destroy(&run.lock);
	if (ret)
		sweep_journal_close(run.journal);
	else
		*out = run.journal;
	return ret;
}
