// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a context that tell whether BMI2 is used: one, in 1.5.4 and 1.5.7. */
#define MAX_FLAG_BYTES 8

struct origin_side {
	struct zstd_workspace workspace;
	struct zstd_template *restored;
	/* What makes of a context that was built one of a CPU without BMI2. */
	unsigned nr_flags;
	struct zstd_template_byte flags[MAX_FLAG_BYTES];
};

struct zstd_origin {
	struct kernel *k;
	struct origin_side side[ZSTD_NR_SIDES];
};

void *zstd_build(void *side, void *workspace, size_t size)
{
	if (*(const enum zstd_side *)side == ZSTD_SIDE_COMPRESS)
		return ZSTD_initStaticCCtx(workspace, size);
	return ZSTD_initStaticDCtx(workspace, size);
}

/* ---- contexts of another CPU ---- */

struct synthetic {
	enum zstd_side side;
	const struct cpuid_cpu *cpu;
	struct cpuid_count count;
	/* of the call */
	void *workspace, *context;
	size_t size;
};

static void build_counted(void *arg)
{
	struct synthetic *s = arg;

	s->context = zstd_build(&s->side, s->workspace, s->size);
}

static void *build_on_cpu(void *arg, void *workspace, size_t size)
{
	struct synthetic *s = arg;

	s->workspace = workspace;
	s->size = size;
	if (cpuid_count_call(build_counted, s, s->cpu, &s->count))
		return NULL;
	return s->context;
}

static void nothing(void *arg)
{
}

static int create_synthetic(enum zstd_side side, const struct zstd_workspace *w,
			    const struct cpuid_cpu *cpu, struct zstd_template **out, char *err,
			    size_t err_size)
{
	struct synthetic s = {.side = side, .cpu = cpu};
	int ret = cpuid_count_call(nothing, NULL, cpu, &s.count);

	if (!ret)
		ret = zstd_template_create(build_on_cpu, &s, w->start, w->size, out, err, err_size);
	if (ret && *s.count.reason) {
		snprintf(err, err_size, "contexts of another CPU cannot be built: %s",
			 s.count.reason);
		ret = -ENOTSUP;
	}
	return ret;
}

static int template_on_cpu(enum zstd_side side, const struct zstd_workspace *w,
			   const struct cpuid_cpu *cpu, struct zstd_template **out, char *err,
			   size_t err_size)
{
	struct zstd_template *t = NULL, *here = NULL;
	int ret = 0;

	if (cpu)
		ret = create_synthetic(side, w, cpu, &t, err, err_size);
	if (!ret)
		ret = zstd_template_create(zstd_build, &side, w->start, w->size, &here, err,
					   err_size);
	if (ret) {
		zstd_template_destroy(t);
		return ret;
	}
	if (!cpu) {
		*out = here;
		return 0;
	}
	/* What lies on the stack of a stepped call is mostly the same. */
	zstd_template_learn(t, here);
	zstd_template_destroy(here);
	*out = t;
	return 0;
}

static int template_without_bmi2(enum zstd_side side, const struct zstd_workspace *w,
				 struct zstd_template **out, char *err, size_t err_size)
{
	struct cpuid_cpu none;

	cpuid_cpu_with_bmi(&none, cpuid_has_bmi1(), false);
	return template_on_cpu(side, w, cpuid_has_bmi2() ? &none : NULL, out, err, err_size);
}

/* ---- by policy ---- */

/* The unmodified library looks at BMI1 as well in decompression, the kernel's macro does not. */
static int template_static(enum zstd_side side, const struct zstd_workspace *w,
			   struct zstd_template **out, char *err, size_t err_size)
{
	struct cpuid_cpu both;

	cpuid_cpu_with_bmi(&both, true, true);
	return template_on_cpu(side, w, cpuid_has_bmi2() && !cpuid_has_bmi1() ? &both : NULL, out,
			       err, err_size);
}

static bool runs_generic_code(const struct profile *p)
{
	return !p->zstd.bmi2 || p->zstd.cpuid == ZSTD_CPUID_SKIP;
}

static int create_template(const struct profile *p, enum zstd_side side,
			   const struct zstd_workspace *w, struct zstd_template **out, char *err,
			   size_t err_size)
{
	if (runs_generic_code(p))
		return template_without_bmi2(side, w, out, err, err_size);
	if (p->zstd.cpuid == ZSTD_CPUID_STATIC)
		return template_static(side, w, out, err, err_size);
	return template_on_cpu(side, w, NULL, out, err, err_size);
}

/* Where built contexts say BMI2, and @restored does not. */
static int find_flags(struct origin_side *s, enum zstd_side side, char *err, size_t err_size)
{
	struct zstd_template *built;
	int ret = template_on_cpu(side, &s->workspace, NULL, &built, err, err_size);

	if (ret)
		return ret;
	ret = zstd_template_compare(built, s->restored, s->flags, MAX_FLAG_BYTES);
	zstd_template_destroy(built);
	if (ret < 0 || ret > MAX_FLAG_BYTES) {
		snprintf(err, err_size,
			 "contexts with and without BMI2 differ in more than a flag");
		return -ENOTSUP;
	}
	s->nr_flags = ret;
	return 0;
}

static int init_side(struct zstd_origin *o, enum zstd_side side, const zstd_parameters *params,
		     char *err, size_t err_size)
{
	const struct profile *p = &o->k->profile;
	struct origin_side *s = &o->side[side];
	int ret = create_template(p, side, &s->workspace, &s->restored, err, err_size);

	if (!ret)
		ret = zstd_template_check(s->restored, side, params, zstd_build, &side, err,
					  err_size);
	if (!ret && runs_generic_code(p))
		ret = find_flags(s, side, err, err_size);
	return ret;
}

static bool just_builds(const struct profile *p)
{
	uint32_t regs[CPUID_NR_REGS];

	return (p->zstd.cpuid == ZSTD_CPUID_PROBE && p->zstd.bmi2) || !cpuid_execute(0, 0, regs);
}

int zstd_origin_create(struct kernel *k, const zstd_parameters *params,
		       const struct zstd_workspace *workspaces, struct zstd_origin **out, char *err,
		       size_t err_size)
{
	struct zstd_origin *o = NULL;
	int ret = 0;

	if (just_builds(&k->profile))
		goto out;
	o = calloc(1, sizeof(*o));
	if (!o) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	o->k = k;
	for (unsigned side = 0; side < ZSTD_NR_SIDES && !ret; side++) {
		o->side[side].workspace = workspaces[side];
		ret = init_side(o, side, params, err, err_size);
	}
	if (ret) {
		zstd_origin_destroy(o);
		return ret;
	}
out:
	*out = o;
	return 0;
}

void zstd_origin_destroy(struct zstd_origin *o)
{
	if (!o)
		return;
	for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
		zstd_template_destroy(o->side[side].restored);
	free(o);
}

static void *build(struct origin_side *s, enum zstd_side side)
{
	void *context = zstd_build(&side, s->workspace.start, s->workspace.size);

	for (unsigned i = 0; i < s->nr_flags; i++)
		((uint8_t *)s->workspace.start)[s->flags[i].offset] = s->flags[i].b;
	return context;
}

bool zstd_origin_builds(const struct zstd_origin *o, enum zstd_side side)
{
	switch (o->k->profile.zstd.cpuid) {
	case ZSTD_CPUID_ONCE:
		return !o->k->zstd_cpuid_asked[side];
	case ZSTD_CPUID_PROBE:
		return true;
	}
	return false;
}

void *zstd_origin_context(struct zstd_origin *o, enum zstd_side side)
{
	if (!zstd_origin_builds(o, side))
		return zstd_template_restore(o->side[side].restored);
	o->k->zstd_cpuid_asked[side] = true;
	return build(&o->side[side], side);
}

/* ---- the flag ---- */

/* Room enough to build either context in, not to use it. */
#define BUILD_SIZE ((size_t)128 << 10)

/* Whether @t is as @with or as @without. */
static int flag_of(const struct zstd_template *t, const struct zstd_template *with,
		   const struct zstd_template *without)
{
	struct zstd_template_byte diff;

	if (!zstd_template_compare(with, without, &diff, 1))
		return -ENOTSUP;
	if (!zstd_template_compare(t, with, &diff, 1))
		return 1;
	return zstd_template_compare(t, without, &diff, 1) ? -ENOTSUP : 0;
}

int zstd_origin_bmi2(enum zstd_side side, const struct cpuid_cpu *cpu, char *err, size_t err_size)
{
	struct zstd_workspace w = {.start = aligned_alloc(64, BUILD_SIZE), .size = BUILD_SIZE};
	struct zstd_template *t = NULL, *t_with = NULL, *t_without = NULL;
	struct cpuid_cpu with, without;
	int ret = -ENOMEM;

	snprintf(err, err_size, "out of memory");
	if (!w.start)
		return ret;
	cpuid_cpu_with_bmi(&with, true, true);
	cpuid_cpu_with_bmi(&without, false, false);
	ret = template_on_cpu(side, &w, cpu, &t, err, err_size);
	if (!ret)
		ret = template_on_cpu(side, &w, &with, &t_with, err, err_size);
	if (!ret)
		ret = template_on_cpu(side, &w, &without, &t_without, err, err_size);
	if (!ret) {
		ret = flag_of(t, t_with, t_without);
		if (ret < 0)
			snprintf(err, err_size,
				 "this libzstd has no flag for BMI2 in its contexts");
	}
	zstd_template_destroy(t_without);
	zstd_template_destroy(t_with);
	zstd_template_destroy(t);
	free(w.start);
	return ret;
}
