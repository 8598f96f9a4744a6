// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_inits.h"

#include <errno.h>
#include <stdlib.h>

const struct zstd_init zstd_inits[ZSTD_NR_INITS] = {
	{ACOMP_CALL_INIT_CCTX, "ZSTD_initStaticCCtx", ZSTD_SIDE_COMPRESS},
	{ACOMP_CALL_INIT_CSTREAM, "ZSTD_initStaticCStream", ZSTD_SIDE_COMPRESS},
	{ACOMP_CALL_INIT_DCTX, "ZSTD_initStaticDCtx", ZSTD_SIDE_DECOMPRESS},
	{ACOMP_CALL_INIT_DSTREAM, "ZSTD_initStaticDStream", ZSTD_SIDE_DECOMPRESS},
};

struct call {
	enum acomp_call which;
	void *workspace;
	size_t size;
	void *context;
};

static void do_call(void *arg)
{
	struct call *c = arg;

	switch (c->which) {
	case ACOMP_CALL_INIT_CCTX:
		c->context = ZSTD_initStaticCCtx(c->workspace, c->size);
		break;
	case ACOMP_CALL_INIT_CSTREAM:
		c->context = ZSTD_initStaticCStream(c->workspace, c->size);
		break;
	case ACOMP_CALL_INIT_DCTX:
		c->context = ZSTD_initStaticDCtx(c->workspace, c->size);
		break;
	case ACOMP_CALL_INIT_DSTREAM:
		c->context = ZSTD_initStaticDStream(c->workspace, c->size);
		break;
	default:
		break;
	}
}

static void restore(void *template)
{
	zstd_template_restore(template);
}

/* As large as the driver's, so that the same pages are touched in the same way. */
static int make_workspace(struct zstd_workspace *w)
{
	zstd_parameters params = zstd_get_params(3, 262144);

	w->size = zstd_cstream_workspace_bound(&params.cParams);
	w->start = aligned_alloc(PAGE_SIZE, (w->size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE);
	return w->start ? 0 : -ENOMEM;
}

/* The first call binds symbols, which is no part of it. */
static int prepare(const struct zstd_init *init, struct call *c)
{
	struct zstd_workspace w;
	int ret = make_workspace(&w);

	if (ret)
		return ret;
	*c = (struct call){.which = init->call, .workspace = w.start, .size = w.size};
	do_call(c);
	return 0;
}

int zstd_init_count(const struct zstd_init *init, const struct cpuid_cpu *cpu,
		    struct cpuid_count *count)
{
	struct call c;
	int ret = prepare(init, &c);

	if (ret)
		return ret;
	ret = cpuid_count_call(do_call, &c, cpu, count);
	free(c.workspace);
	return ret;
}

int zstd_init_time(const struct zstd_init *init, unsigned nr, struct timing *timing)
{
	struct call c;
	int ret = prepare(init, &c);

	if (ret)
		return ret;
	ret = timing_measure(do_call, &c, nr, timing);
	free(c.workspace);
	return ret;
}

int zstd_restore_time(enum zstd_side side, unsigned nr, struct timing *timing)
{
	struct zstd_workspace w;
	struct zstd_template *t;
	char err[256];
	int ret = make_workspace(&w);

	if (ret)
		return ret;
	ret = zstd_template_create(zstd_build, &side, w.start, w.size, &t, err, sizeof(err));
	if (!ret) {
		ret = timing_measure(restore, t, nr, timing);
		zstd_template_destroy(t);
	}
	free(w.start);
	return ret;
}
