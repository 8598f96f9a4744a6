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
	int level;
	bool scheduled; /* the worker */
	bool locked;
	uint64_t nr_fallbacks;
	unsigned nr_cpus;
	struct stream cpu[];
};

static struct crypto_streams *find_streams(const struct crypto_acomp *tfm)
{
	struct crypto_streams *s;

	for (s = tfm->k->streams; s; s = s->next) {
		if (s->alg == tfm->alg && s->level == tfm->level)
			return s;
	}
	return NULL;
}

/* Without contents there is nothing to work on: a context that is there is but a mark. */
static int alloc_ctx(struct kernel *k, struct crypto_streams *s, unsigned cpu)
{
	static const char mark;

	if (!k->contents) {
		s->cpu[cpu].ctx = (void *)&mark;
		return 0;
	}
	return s->alg->alloc_ctx(k, s->alg, s->level, &s->cpu[cpu].ctx);
}

int crypto_acomp_alloc_streams(struct crypto_acomp *tfm)
{
	struct kernel *k = tfm->k;
	struct crypto_streams *s;
	int ret;

	tfm->streams = find_streams(tfm);
	if (tfm->streams)
		return 0;
	s = calloc(1, sizeof(*s) + k->nr_cpus * sizeof(s->cpu[0]));
	if (!s)
		return -ENOMEM;
	s->alg = tfm->alg;
	s->level = tfm->level;
	s->nr_cpus = k->nr_cpus;
	ret = alloc_ctx(k, s, FIRST_POSSIBLE_CPU);
	if (ret) {
		free(s);
		return ret;
	}
	s->next = k->streams;
	k->streams = s;
	tfm->streams = s;
	return 0;
}

void *crypto_acomp_lock_stream_bh(struct crypto_acomp *tfm)
{
	struct crypto_streams *s = tfm->streams;
	struct stream *stream = &s->cpu[tfm->k->cpu];

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

void crypto_acomp_unlock_stream_bh(struct crypto_acomp *tfm)
{
	assert(tfm->streams->locked);
	tfm->streams->locked = false;
}

static unsigned stream_workfn(struct kernel *k, struct crypto_streams *s)
{
	unsigned nr = 0;

	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct stream *stream = &s->cpu[cpu];

		if (!stream->wanted || stream->ctx)
			continue;
		/* What is still wanted is made when an operation schedules the worker again. */
		if (alloc_ctx(k, s, cpu))
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
	unsigned nr = 0;

	for (const struct crypto_streams *s = k->streams; s; s = s->next) {
		for (unsigned cpu = 0; s->alg == alg && cpu < s->nr_cpus; cpu++)
			nr += s->cpu[cpu].ctx != NULL;
	}
	return nr;
}

uint64_t crypto_acomp_nr_fallbacks(struct kernel *k, const struct acomp_alg *alg)
{
	uint64_t nr = 0;

	for (const struct crypto_streams *s = k->streams; s; s = s->next)
		nr += s->alg == alg ? s->nr_fallbacks : 0;
	return nr;
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
