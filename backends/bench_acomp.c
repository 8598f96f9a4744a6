// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/bench_acomp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a round, before the first one of a side: caches, predictors and frequency settle. */
#define WARM_UP_PART 4

struct bench {
	const struct bench_acomp_config *config;
	struct bench_acomp_times *times;
	struct zstd_caller *caller[BENCH_ACOMP_MAX_VARIANTS];
};

/* All of them must end as the first one did. */
static int repeat(struct zstd_caller *caller, enum zstd_side side, unsigned nr, int expected)
{
	int wrong = 0;

	for (unsigned i = 0; i < nr; i++)
		wrong |= zstd_caller_run(caller, side) ^ expected;
	return wrong ? -EIO : 0;
}

static int round_of(struct bench *b, unsigned v, enum zstd_side side, unsigned round)
{
	const struct bench_acomp_config *config = b->config;
	struct bench_acomp_variant *variant = &b->times->variant[v];
	uint64_t start = config->clock(config->clock_arg), end;
	int ret = repeat(b->caller[v], side, config->operations, variant->ret[side]);

	end = config->clock(config->clock_arg);
	variant->ns[side][round] = (double)(end - start) / config->operations;
	return ret;
}

/* What one request does; and then some, for warmth. */
static int begin_side(struct bench *b, unsigned v, enum zstd_side side)
{
	struct bench_acomp_variant *variant = &b->times->variant[v];
	struct zstd_caller *caller = b->caller[v];

	variant->ret[side] = zstd_caller_run(caller, side);
	variant->cost[side] = *zstd_caller_cost(caller);
	return repeat(caller, side, b->config->operations / WARM_UP_PART, variant->ret[side]);
}

static int run_side(struct bench *b, enum zstd_side side)
{
	unsigned nr = b->config->nr_variants;
	int ret = 0;

	for (unsigned v = 0; !ret && v < nr; v++) {
		if (b->times->variant[v].does[side])
			ret = begin_side(b, v, side);
	}
	for (unsigned round = 0; !ret && round < b->config->rounds; round++) {
		unsigned turn = b->config->run + round;

		for (unsigned k = 0; !ret && k < nr; k++) {
			/* Each comes first in turn, then the other way round. */
			unsigned v = (turn + (turn / nr % 2 ? nr - k : k)) % nr;

			if (b->times->variant[v].does[side])
				ret = round_of(b, v, side, round);
		}
	}
	return ret;
}

static int setup(struct bench *b, char *err, size_t err_size)
{
	const struct bench_acomp_config *config = b->config;

	for (unsigned v = 0; v < config->nr_variants; v++) {
		struct bench_acomp_variant *variant = &b->times->variant[v];
		struct zstd_caller_config caller = {
			.info = config->caller,
			.profile = &config->profile[v],
			.crypto = config->crypto,
			.compressor = config->compressor,
			.data = config->data,
			.size = config->size,
		};
		int ret = zstd_caller_create(&caller, &b->caller[v], err, err_size);

		if (ret)
			return ret;
		variant->frame_bytes = zstd_caller_frame_bytes(b->caller[v]);
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			variant->does[side] = zstd_caller_does(b->caller[v], side);
			if (!variant->does[side])
				continue;
			variant->ns[side] = calloc(config->rounds, sizeof(double));
			if (!variant->ns[side])
				return -ENOMEM;
		}
	}
	return 0;
}

static bool config_valid(const struct bench_acomp_config *c)
{
	return c->nr_variants >= 1 && c->nr_variants <= BENCH_ACOMP_MAX_VARIANTS &&
	       c->rounds >= 1 && c->rounds <= BENCH_ACOMP_MAX_ROUNDS && c->operations >= 1 &&
	       c->operations <= BENCH_ACOMP_MAX_OPERATIONS;
}

int bench_acomp_run(const struct bench_acomp_config *config, struct bench_acomp_times *times,
		    char *err, size_t err_size)
{
	struct bench b = {.config = config, .times = times};
	int ret = -EINVAL;

	err[0] = '\0';
	*times = (struct bench_acomp_times){.nr_variants = config->nr_variants,
					    .rounds = config->rounds};
	if (config_valid(config))
		ret = setup(&b, err, err_size);
	if (!ret)
		ret = run_side(&b, ZSTD_SIDE_COMPRESS);
	if (!ret)
		ret = run_side(&b, ZSTD_SIDE_DECOMPRESS);
	for (unsigned v = 0; v < BENCH_ACOMP_MAX_VARIANTS; v++)
		zstd_caller_destroy(b.caller[v]);
	if (ret) {
		bench_acomp_times_finish(times);
		if (!err[0])
			snprintf(err, err_size, "%s",
				 ret == -EIO ? "a request ended otherwise than the first one"
					     : strerror(-ret));
	}
	return ret;
}

void bench_acomp_times_finish(struct bench_acomp_times *times)
{
	for (unsigned v = 0; v < BENCH_ACOMP_MAX_VARIANTS; v++) {
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			free(times->variant[v].ns[side]);
			times->variant[v].ns[side] = NULL;
		}
	}
}

unsigned bench_acomp_initialisations(const struct acomp_cost *cost)
{
	return cost->calls[ACOMP_CALL_INIT_CCTX] + cost->calls[ACOMP_CALL_INIT_CSTREAM] +
	       cost->calls[ACOMP_CALL_INIT_DCTX] + cost->calls[ACOMP_CALL_INIT_DSTREAM];
}
