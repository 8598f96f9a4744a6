// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/cpuid_census.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/timing.h"
#include "backends/zstd_origin.h"
#include "backends/zstd_request.h"

#define NR_TIMED 1001

static const enum acomp_call kinds[] = {ACOMP_CALL_INIT_CCTX, ACOMP_CALL_INIT_CSTREAM,
					ACOMP_CALL_INIT_DCTX, ACOMP_CALL_INIT_DSTREAM};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

struct init {
	enum acomp_call call;
	struct zstd_ctx *ctx;
	struct acomp_cost not_a_request;
	struct zstd_meter meter;
	void *context;
};

static void do_init(void *arg)
{
	struct init *i = arg;
	struct zstd_ctx *ctx = i->ctx;
	void *wksp = ctx->wksp;

	switch (i->call) {
	case ACOMP_CALL_INIT_CCTX:
		i->context = zstd_init_cctx(&i->meter, wksp, ctx->wksp_size);
		break;
	case ACOMP_CALL_INIT_CSTREAM:
		i->context = zstd_init_cstream(&i->meter, &ctx->params, 0, wksp, ctx->wksp_size);
		break;
	case ACOMP_CALL_INIT_DCTX:
		i->context = zstd_init_dctx(&i->meter, wksp, ctx->wksp_size);
		break;
	default:
		i->context = zstd_init_dstream(&i->meter, ZSTD_MAX_SIZE, wksp, ctx->wksp_size);
		break;
	}
}

static int count_kind(struct kernel *k, struct zstd_ctx *ctx, enum acomp_call call,
		      struct cpuid_census_kind *kind)
{
	struct init i = {.call = call, .ctx = ctx};
	int ret;

	zstd_meter_start(&i.meter, k, &i.not_a_request);
	i.meter.origin = zstd_ctx_origin(ctx);
	do_init(&i); /* binds symbols */
	memset(k->zstd_cpuid_asked, 0, sizeof(k->zstd_cpuid_asked));
	ret = cpuid_count_call(do_init, &i, NULL, &kind->first);
	if (ret) {
		kind->later = kind->first;
		return ret;
	}
	return cpuid_count_call(do_init, &i, NULL, &kind->later);
}

static void count_all(struct cpuid_census *census, struct kernel *k, struct zstd_ctx *ctx)
{
	for (unsigned i = 0; i < NR_KINDS; i++) {
		struct cpuid_census_kind *kind = &census->kind[kinds[i]];

		if (count_kind(k, ctx, kinds[i], kind)) {
			memcpy(census->reason, kind->later.reason, sizeof(census->reason));
			memset(census->kind, 0, sizeof(census->kind));
			return;
		}
	}
	census->counted = true;
}

static int time_cpuid(struct cpuid_census *census)
{
	struct timing leaf_0, leaf_7;
	int ret = timing_cpuid(0, NR_TIMED, &leaf_0);

	if (!ret)
		ret = timing_cpuid(7, NR_TIMED, &leaf_7);
	if (!ret)
		census->cpuid_ns = ((double)leaf_0.median + (double)leaf_7.median) / 2;
	return ret;
}

int cpuid_census_take(struct cpuid_census *census, const struct profile *profile)
{
	struct kernel k = {.profile = *profile};
	struct zstd_ctx *ctx;
	int ret;

	memset(census, 0, sizeof(*census));
	/* Those that are kept have workspaces of their own. */
	k.profile.zstd.context = ZSTD_CONTEXT_PER_REQUEST;
	ret = zstd_ctx_create(&k, ZSTD_DEF_LEVEL, &ctx, census->reason, sizeof(census->reason));
	if (ret)
		return ret;
	count_all(census, &k, ctx);
	zstd_ctx_destroy(ctx);
	return time_cpuid(census);
}

/* The first is the first of either kind: they ask the same. */
static struct cpuid_census_sum sum(const struct cpuid_census *census, const uint64_t *calls,
				   enum acomp_call context, enum acomp_call stream)
{
	const struct cpuid_census_kind *a = &census->kind[context], *b = &census->kind[stream];
	struct cpuid_census_sum s = {
		.inits = calls[context] + calls[stream],
		.cpuids = calls[context] * a->later.cpuids + calls[stream] * b->later.cpuids,
	};

	if (calls[stream])
		s.cpuids += b->first.cpuids - b->later.cpuids;
	else if (calls[context])
		s.cpuids += a->first.cpuids - a->later.cpuids;
	return s;
}

struct cpuid_census_sum cpuid_census_compress(const struct cpuid_census *census,
					      const uint64_t calls[ACOMP_NR_CALLS])
{
	return sum(census, calls, ACOMP_CALL_INIT_CCTX, ACOMP_CALL_INIT_CSTREAM);
}

struct cpuid_census_sum cpuid_census_decompress(const struct cpuid_census *census,
						const uint64_t calls[ACOMP_NR_CALLS])
{
	return sum(census, calls, ACOMP_CALL_INIT_DCTX, ACOMP_CALL_INIT_DSTREAM);
}
