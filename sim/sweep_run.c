// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/sweep_run.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	const struct sweep_run_config *config;
	pthread_mutex_t lock;
	uint32_t next; /* index in config->rows */
	int ret;       /* the first error; no row is begun after it */
	struct trace_error *err;
};

static void stop(struct run *run, int ret, const struct trace_error *err)
{
	pthread_mutex_lock(&run->lock);
	if (!run->ret) {
		run->ret = ret;
		if (err)
			*run->err = *err;
	}
	pthread_mutex_unlock(&run->lock);
}

/* The next row to run; false: there is none, or the run is over. */
static bool take(struct run *run, uint32_t *row)
{
	bool any;

	pthread_mutex_lock(&run->lock);
	any = !run->ret && run->next < run->config->nr_rows;
	if (any)
		*row = run->config->rows[run->next++];
	pthread_mutex_unlock(&run->lock);
	return any;
}

static int settings_of(const struct sweep_run_config *config, uint32_t row, struct settings *s)
{
	const struct sweep_codec *codec;

	sweep_file_settings(config->file, row, s);
	codec = sweep_lengths_find(config->lengths, s);
	if (!codec)
		return -ENOMEM;
	s->replay.crypto = config->crypto;
	s->replay.mode = REPLAY_POLICY;
	s->replay.lengths = codec->lengths;
	return 0;
}

/* Names the row that @cause is about. */
static void fail_row(const struct sweep_run_config *config, uint32_t row,
		     const struct trace_error *cause, struct trace_error *err)
{
	char *text = sweep_file_row_text(config->file, row, false);

	err->offset = UINT64_MAX;
	snprintf(err->message, sizeof(err->message), "setting %" PRIu32 ": %.240s (%.100s)",
		 row + 1, cause->message, text ? text : "");
	free(text);
}

/* After a policy's code crashed nobody knows what it did to the others' results. */
static bool may_be_spoilt(struct run *run)
{
	bool spoilt;

	pthread_mutex_lock(&run->lock);
	spoilt = run->ret == -EFAULT;
	pthread_mutex_unlock(&run->lock);
	return spoilt;
}

static int run_row(struct run *run, struct trace_reader *reader, struct replay_result *result,
		   uint32_t row, struct trace_error *err)
{
	const struct sweep_run_config *config = run->config;
	struct sweep_row told = {.row = row};
	struct trace_error cause;
	struct settings s;
	int ret;

	snprintf(cause.message, sizeof(cause.message), "out of memory");
	ret = settings_of(config, row, &s);
	told.settings = &s;
	if (!ret)
		ret = replay_run(settings_config(&s), reader, result, &cause);
	if (ret && ret != -EINVAL && ret != -ENODATA) {
		fail_row(config, row, &cause, err);
		return ret;
	}
	if (ret)
		told.error = cause.message;
	else
		told.result = result;
	err->message[0] = '\0';
	ret = may_be_spoilt(run) ? -EFAULT : config->done(config->arg, &told);
	if (told.result)
		replay_result_finish(result);
	return ret;
}

static void *work(void *arg)
{
	struct run *run = arg;
	struct replay_result *result = malloc(sizeof(*result));
	struct trace_reader *reader = NULL;
	struct trace_error err = {.message = "out of memory"};
	int ret = result ? 0 : -ENOMEM;
	uint32_t row;

	if (!ret)
		ret = trace_reader_clone(run->config->reader, &reader, &err);
	while (!ret && take(run, &row))
		ret = run_row(run, reader, result, row, &err);
	if (ret)
		stop(run, ret, &err);
	trace_reader_close(reader);
	free(result);
	return NULL;
}

/* Whether the scenarios fit the trace: it is said before a long run, and once. */
static int check_scenarios(const struct sweep_run_config *config, struct trace_error *err)
{
	struct replay_result *result = malloc(sizeof(*result));
	const char *before = NULL;
	int ret = result ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < config->nr_rows; i++) {
		struct trace_error cause;
		struct settings s;
		struct replay *r;

		ret = settings_of(config, config->rows[i], &s);
		if (ret || !s.replay.scenario || s.replay.scenario == before)
			continue;
		before = s.replay.scenario;
		ret = replay_create(settings_config(&s), config->reader, result, &cause, &r);
		if (ret) {
			fail_row(config, config->rows[i], &cause, err);
			break;
		}
		replay_destroy(r);
		replay_result_finish(result);
	}
	free(result);
	return ret;
}

static int run_threads(struct run *run, unsigned nr)
{
	pthread_t *threads = calloc(nr, sizeof(*threads));
	unsigned started;

	if (!threads)
		return -ENOMEM;
	for (started = 0; started < nr; started++) {
		struct trace_error err;
		int ret = pthread_create(&threads[started], NULL, work, run);

		if (!ret)
			continue;
		snprintf(err.message, sizeof(err.message), "cannot start a thread: %s",
			 strerror(ret));
		stop(run, -ret, &err);
		break;
	}
	while (started)
		pthread_join(threads[--started], NULL);
	free(threads);
	return run->ret;
}

int sweep_run(const struct sweep_run_config *config, struct trace_error *err)
{
	struct run run = {.config = config, .lock = PTHREAD_MUTEX_INITIALIZER, .err = err};
	unsigned nr = config->nr_threads < config->nr_rows ? config->nr_threads : config->nr_rows;
	int ret;

	snprintf(err->message, sizeof(err->message), "out of memory");
	ret = check_scenarios(config, err);
	if (!ret && nr)
		ret = run_threads(&run, nr);
	pthread_mutex_destroy(&run.lock);
	return ret;
}
