// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report_cpuid.h"

#include <inttypes.h>

#include "cmd/codec.h"

static const char *const dir_names[ZSWAP_NR_DIRS] = {"store", "load", "write back"};
static const char *const dir_keys[ZSWAP_NR_DIRS] = {"store", "load", "writeback"};

/* Of one direction. */
struct part {
	struct cpuid_census_sum sum;
	uint64_t pages, ns; /* ns: measured, all of them */
};

static uint64_t nr_pages(const struct zswap_account *a)
{
	uint64_t nr = 0;

	for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++)
		nr += a->pages[path];
	return nr;
}

/* Adds calls of zstd alone: no other codec has contexts that ask. */
static void add_calls(const struct report_cpuid *c, const struct replay_result *x,
		      enum zswap_dir dir, uint64_t sum[ACOMP_NR_CALLS])
{
	for (unsigned codec = 0; codec <= x->nr_codecs; codec++) {
		const uint64_t *calls = replay_codec_calls(x, codec, dir);

		if (!codec_is_zstd(codec ? x->codecs[codec] : c->compressor))
			continue;
		for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
			sum[i] += calls[i];
	}
}

static void get_parts(const struct report_cpuid *c, const struct replay_result *x,
		      struct part part[ZSWAP_NR_DIRS])
{
	uint64_t st[ACOMP_NR_CALLS] = {0}, ld[ACOMP_NR_CALLS] = {0};
	struct cpuid_census_sum all;

	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		part[dir].pages = nr_pages(&x->zswap.dir[dir]);
		part[dir].ns = x->dir_ns[dir];
	}
	add_calls(c, x, ZSWAP_STORE, st);
	part[ZSWAP_STORE].sum = cpuid_census_compress(&c->census, st);
	add_calls(c, x, ZSWAP_LOAD, ld);
	part[ZSWAP_LOAD].sum = cpuid_census_decompress(&c->census, ld);
	/* Writebacks decompress, too: what the first of both asked is counted with the loads. */
	add_calls(c, x, ZSWAP_WRITEBACK, ld);
	all = cpuid_census_decompress(&c->census, ld);
	part[ZSWAP_WRITEBACK].sum = (struct cpuid_census_sum){
		all.inits - part[ZSWAP_LOAD].sum.inits, all.cpuids - part[ZSWAP_LOAD].sum.cpuids};
}

static double a_page(const struct part *p, double what)
{
	return p->pages ? what / (double)p->pages : 0;
}

static double cpuid_ns(const struct report_cpuid *c, const struct part *p)
{
	return (double)p->sum.cpuids * c->census.cpuid_ns;
}

static double modelled_ns(const struct report_cpuid *c, const struct part *p)
{
	return machine_model_ns(c->model, p->ns, p->sum.cpuids, c->census.cpuid_ns);
}

/* ---- text ---- */

static void counts_text(FILE *out, const struct report_cpuid *c, const struct part *part)
{
	fprintf(out,
		"\nCPUID instructions    contexts     CPUIDs     a page  ns a page  of the time\n");
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		const struct part *p = &part[dir];

		if (!p->pages)
			continue;
		fprintf(out, "  %-16s %12" PRIu64 " %10" PRIu64 " %10.2f %10.0f %10.1f %%\n",
			dir_names[dir], p->sum.inits, p->sum.cpuids, a_page(p, p->sum.cpuids),
			a_page(p, cpuid_ns(c, p)),
			p->ns ? 100 * cpuid_ns(c, p) / (double)p->ns : 0.0);
	}
	fprintf(out,
		"  computed: contexts initialised, times what one was counted to execute by "
		"stepping through it,\n  and %.0f ns a CPUID, the median measured here\n",
		c->census.cpuid_ns);
}

static void model_text(FILE *out, const struct report_cpuid *c, const struct part *part)
{
	const struct machine_model *m = c->model;

	fprintf(out, "\nmodelled on %s, ns a page          measured   modelled\n", m->name);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		const struct part *p = &part[dir];

		if (p->pages)
			fprintf(out, "  %-34s %9.0f  %9.0f\n", dir_names[dir], a_page(p, p->ns),
				a_page(p, modelled_ns(c, p)));
	}
	fprintf(out, "  modelled, not measured: ");
	if (m->here)
		fprintf(out, "this machine, so nothing changes\n");
	else
		fprintf(out,
			"each CPUID at %.0f ns in place of %.0f, all else as measured here\n"
			"  source: %s\n",
			m->cpuid_ns, c->census.cpuid_ns, *m->source ? m->source : "none given");
}

void report_cpuid_text(FILE *out, const struct report_cpuid *c, const struct replay_result *x)
{
	struct part part[ZSWAP_NR_DIRS];

	if (!c->census.counted) {
		fprintf(out, "\nCPUID instructions: not counted: %s\n", c->census.reason);
		if (c->model)
			fprintf(out, "  so nothing can be modelled on %s\n", c->model->name);
		return;
	}
	get_parts(c, x, part);
	counts_text(out, c, part);
	if (c->model)
		model_text(out, c, part);
}

/* ---- JSON ---- */

static json_t *part_json(const struct report_cpuid *c, const struct part *p)
{
	return json_pack("{s:I, s:I, s:f}", "contexts", (json_int_t)p->sum.inits, "cpuids_computed",
			 (json_int_t)p->sum.cpuids, "cpuid_ns_computed", cpuid_ns(c, p));
}

static json_t *model_json(const struct report_cpuid *c, const struct part *part)
{
	const struct machine_model *m = c->model;
	json_t *o = json_pack("{s:s, s:o, s:s}", "machine", m->name, "cpuid_ns",
			      json_real(m->here ? c->census.cpuid_ns : m->cpuid_ns), "source",
			      m->source);

	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		const struct part *p = &part[dir];

		json_object_set_new(o, dir_keys[dir],
				    json_pack("{s:I, s:f}", "measured_ns", (json_int_t)p->ns,
					      "modelled_ns", modelled_ns(c, p)));
	}
	return o;
}

void report_cpuid_json(json_t *report, const struct report_cpuid *c, const struct replay_result *x)
{
	const struct cpuid_census *census = &c->census;
	struct part part[ZSWAP_NR_DIRS];
	json_t *o =
		json_pack("{s:b, s:s?, s:f}", "counted", census->counted, "reason",
			  census->counted ? NULL : census->reason, "cpuid_ns", census->cpuid_ns);

	get_parts(c, x, part);
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS && census->counted; dir++)
		json_object_set_new(o, dir_keys[dir], part_json(c, &part[dir]));
	json_object_set_new(report, "cpuid", o);
	if (c->model && census->counted)
		json_object_set_new(report, "modelled_machine", model_json(c, part));
}
