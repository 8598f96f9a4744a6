// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_inits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* In the order of struct zstd_init_times. */
enum { LEAF_0, LEAF_7, INIT, RESTORED = INIT + ZSTD_NR_INITS, NR_TIMED = RESTORED + ZSTD_NR_SIDES };

struct timed {
	struct zstd_workspace w;
	uint32_t leaf[2];
	struct call call[ZSTD_NR_INITS];
	struct zstd_template *template[ZSTD_NR_SIDES];
	struct timing_call timing_call[NR_TIMED];
};

static int fill_calls(struct timed *t, char *err, size_t err_size)
{
	struct timing_call *to = t->timing_call;

	for (unsigned i = 0; i < 2; i++)
		to[LEAF_0 + i] = (struct timing_call){timing_call_cpuid, &t->leaf[i]};
	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		t->call[i] = (struct call){
			.which = zstd_inits[i].call, .workspace = t->w.start, .size = t->w.size};
		to[INIT + i] = (struct timing_call){do_call, &t->call[i]};
	}
	for (enum zstd_side side = 0; side < ZSTD_NR_SIDES; side++) {
		int ret = zstd_template_create(zstd_build, &side, t->w.start, t->w.size,
					       &t->template[side], err, err_size);

		if (ret)
			return ret;
		to[RESTORED + side] = (struct timing_call){restore, t->template[side]};
	}
	return 0;
}

int zstd_inits_time(unsigned nr, struct zstd_init_times *times, char *err, size_t err_size)
{
	struct timing timing[NR_TIMED];
	uint32_t regs[CPUID_NR_REGS];
	struct timed t = {.leaf = {0, 7}};
	int ret = make_workspace(&t.w);

	memset(times, 0, sizeof(*times));
	snprintf(err, err_size, "out of memory");
	if (!ret)
		ret = fill_calls(&t, err, err_size);
	if (!ret)
		ret = timing_measure_all(t.timing_call, NR_TIMED, nr, timing);
	for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
		zstd_template_destroy(t.template[side]);
	free(t.w.start);
	if (ret)
		return ret;
	if (cpuid_execute(0, 0, regs)) {
		times->leaf_0 = timing[LEAF_0];
		times->leaf_7 = timing[LEAF_7];
	}
	memcpy(times->init, &timing[INIT], sizeof(times->init));
	memcpy(times->restored, &timing[RESTORED], sizeof(times->restored));
	return 0;
}
