// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pass: threads take runs of pages, one after the other, until there are none. Each has a
 * reader and a codec of its own; all they share is the array they fill.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/lengths_private.h"
#include "traces/error.h"

/* Pages: whole blocks of the trace, and some ms. */
#define RUN_PAGES   256u
#define MAX_THREADS 256u

struct pass {
	const struct trace_reader *reader;
	const struct lengths_config *config;
	int16_t *values;
	uint64_t nr_pages;
	atomic_uint_fast64_t next, done; /* pages */
	atomic_int ret;			 /* the first error: everybody stops */
	pthread_mutex_t lock;		 /* of *err */
	struct trace_error *err;
};

static void pass_fail(struct pass *p, int ret, const struct trace_error *err)
{
	pthread_mutex_lock(&p->lock);
	if (!atomic_load(&p->ret)) {
		*p->err = *err;
		atomic_store(&p->ret, ret);
	}
	pthread_mutex_unlock(&p->lock);
}

static int compress_run(struct pass *p, struct trace_reader *reader, struct lengths_codec *codec,
			uint64_t first, uint64_t end, struct trace_error *err)
{
	for (uint64_t id = first; id < end; id++) {
		const void *data;
		int ret = trace_reader_page(reader, id, &data, err);

		if (ret)
			return ret;
		ret = lengths_codec_page(codec, data);
		if (ret == -EPROTO)
			return trace_fail(err, trace_reader_path(reader), TRACE_NO_OFFSET, ret,
					  "page %" PRIu64 ": the codec's answer is no length", id);
		p->values[id] = ret;
	}
	return 0;
}

static void *work(void *arg)
{
	struct pass *p = arg;
	struct lengths_codec *codec = NULL;
	struct trace_reader *reader = NULL;
	struct trace_error err;
	char text[256];
	int ret = trace_reader_clone(p->reader, &reader, &err);

	if (!ret) {
		ret = lengths_codec_create(p->config, &codec, text, sizeof(text));
		if (ret)
			trace_fail(&err, lengths_compressor(p->config), TRACE_NO_OFFSET, ret, "%s",
				   *text ? text : strerror(-ret));
	}
	while (!ret && !atomic_load(&p->ret)) {
		uint64_t first = atomic_fetch_add(&p->next, RUN_PAGES);
		uint64_t end = first + RUN_PAGES < p->nr_pages ? first + RUN_PAGES : p->nr_pages;

		if (first >= p->nr_pages)
			break;
		ret = compress_run(p, reader, codec, first, end, &err);
		atomic_fetch_add(&p->done, end - first);
	}
	if (ret)
		pass_fail(p, ret, &err);
	lengths_codec_destroy(codec);
	trace_reader_close(reader);
	return NULL;
}

static unsigned nr_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Tells how far the others are, until they are done; they do the work. */
static void watch(struct pass *p)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	while (!atomic_load(&p->ret) && atomic_load(&p->done) < p->nr_pages) {
		p->config->progress(p->config->progress_arg, atomic_load(&p->done), p->nr_pages);
		nanosleep(&pause, NULL);
	}
	if (!atomic_load(&p->ret))
		p->config->progress(p->config->progress_arg, p->nr_pages, p->nr_pages);
}

int lengths_pass(struct lengths *l, const struct trace_reader *reader,
		 const struct lengths_config *config, int16_t *values, struct trace_error *err)
{
	uint64_t runs = (l->nr_pages + RUN_PAGES - 1) / RUN_PAGES, start = now_ns();
	unsigned nr = config->nr_threads ? config->nr_threads : nr_cpus(), started = 0;
	struct pass p = {.reader = reader,
			 .config = config,
			 .values = values,
			 .nr_pages = l->nr_pages,
			 .err = err};
	pthread_t thread[MAX_THREADS];

	nr = nr < MAX_THREADS ? nr : MAX_THREADS;
	nr = nr < runs ? nr : (runs ? runs : 1);
	pthread_mutex_init(&p.lock, NULL);
	/* Fewer threads than asked for are slower, and no error; this one does it all if need be.
	 */
	while (started < nr && !pthread_create(&thread[started], NULL, work, &p))
		started++;
	if (!started)
		work(&p);
	else if (config->progress)
		watch(&p);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	pthread_mutex_destroy(&p.lock);
	l->nr_threads = started ? started : 1;
	l->pass_ns = now_ns() - start;
	return atomic_load(&p.ret);
}
