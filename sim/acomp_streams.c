// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Per-CPU streams (crypto_acomp_alloc_streams, crypto_acomp_lock_stream_bh and acomp_stream_workfn,
 * crypto/acompress.c, 6.16 to 7.3). A set of streams belongs to an algorithm module, and is shared
 * by all its users.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "sim/acomp.h"

/* cpumask_first(cpu_possible_mask): the CPU whose context always exists. */
#define FIRST_POSSIBLE_CPU 0

struct stream {
	void *ctx;   /* NULL until the worker made it */
	bool wanted; /* the CPU's bit in the kernel's stream_want */
};

struct crypto_streams {
	struct crypto_streams *next;
	const struct acomp_alg *alg;
	bool scheduled; /* the worker */
	bool locked;
	uint64_t nr_fallbacks;
	unsigned nr_cpus;
	struct stream cpu[];
};

/* Without contents there is nothing to work on: a context that is there is but a mark. */
static int alloc_ctx(struct kernel *k, const struct acomp_alg *alg, void **ctx)
{
	static const char mark;

	if (k->contents)
		return alg->alloc_ctx(k, ctx);
	*ctx = (void *)&mark;
	return 0;
}

static struct crypto_streams *find_streams(const struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s;

	for (s = k->streams; s; s = s->next) {
		if (s->alg == alg)
			return s;
	}
	return NULL;
}

int crypto_acomp_alloc_streams(struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s;
	int ret;

	if (find_streams(k, alg))
		return 0;
	s = calloc(1, sizeof(*s) + k->nr_cpus * sizeof(s->cpu[0]));
	if (!s)
		return -ENOMEM;
	s->alg = alg;
	s->nr_cpus = k->nr_cpus;
	ret = alloc_ctx(k, alg, &s->cpu[FIRST_POSSIBLE_CPU].ctx);
	if (ret) {
		free(s);
		return ret;
	}
	s->next = k->streams;
	k->streams = s;
	return 0;
}

void *crypto_acomp_lock_stream_bh(struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s = find_streams(k, alg);
	struct stream *stream = &s->cpu[k->cpu];

	/* One thread: a lock that is taken would never be released. */
	assert(!s->locked);
	s->locked = true;
	if (stream->ctx)
		return stream->ctx;
	stream->wanted = true;
	s->scheduled = true;
	s->nr_fallbacks++;
	return s->cpu[FIRST_POSSIBLE_CPU].ctx;
}

void crypto_acomp_unlock_stream_bh(struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s = find_streams(k, alg);

	assert(s->locked);
	s->locked = false;
}

static unsigned stream_workfn(struct kernel *k, struct crypto_streams *s)
{
	unsigned nr = 0;

	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct stream *stream = &s->cpu[cpu];

		if (!stream->wanted || stream->ctx)
			continue;
		/* What is still wanted is made when an operation schedules the worker again. */
		if (alloc_ctx(k, s->alg, &stream->ctx))
			break;
		stream->wanted = false;
		nr++;
	}
	return nr;
}

unsigned crypto_acomp_run_worker(struct kernel *k)
{
	unsigned nr = 0;

	for (struct crypto_streams *s = k->streams; s; s = s->next) {
		if (!s->scheduled)
			continue;
		s->scheduled = false;
		nr += stream_workfn(k, s);
	}
	return nr;
}

unsigned crypto_acomp_nr_contexts(struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s = find_streams(k, alg);
	unsigned nr = 0;

	for (unsigned cpu = 0; s && cpu < s->nr_cpus; cpu++)
		nr += s->cpu[cpu].ctx != NULL;
	return nr;
}

uint64_t crypto_acomp_nr_fallbacks(struct kernel *k, const struct acomp_alg *alg)
{
	struct crypto_streams *s = find_streams(k, alg);

	return s ? s->nr_fallbacks : 0;
}

void crypto_exit(struct kernel *k)
{
	while (k->streams) {
		struct crypto_streams *s = k->streams;

		k->streams = s->next;
		for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
			if (k->contents && s->cpu[cpu].ctx)
				s->alg->free_ctx(s->cpu[cpu].ctx);
		}
		free(s);
	}
}
