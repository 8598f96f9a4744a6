// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/cpuid_report.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "cmd/report_parts.h"

static const char *const request_names[CPUID_NR_REQUESTS] = {
	"store a page",
	"load a page",
	"load, object over two pages",
};
static const char *const request_keys[CPUID_NR_REQUESTS] = {"store", "load", "load_over_two_pages"};

/* ns, median, of the CPUIDs of one count: leaf 0 and all others. */
static double cpuid_ns(const struct cpuid_report *r, const struct cpuid_count *count)
{
	double ns = 0;

	for (unsigned i = 0; i < count->nr_records; i++)
		ns += count->records[i].leaf ? r->times.leaf_7.median : r->times.leaf_0.median;
	return ns;
}

/* Of an initialisation's median; above 100 only by chance. -1: unknown, or of another CPU. */
static double cpuid_percent(const struct cpuid_report *r, unsigned init)
{
	double whole = r->times.init[init].median, percent;

	if (!r->counted || r->cpu || whole <= 0)
		return -1;
	percent = 100 * cpuid_ns(r, &r->init[init]) / whole;
	return percent < 100 ? percent : 100;
}

/* ---- text ---- */

static void print_timing(FILE *out, const char *name, const struct timing *t)
{
	fprintf(out, "  %-24s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", name, t->min, t->median,
		t->p99);
}

static void print_head(const struct cpuid_report *r, FILE *out)
{
	fprintf(out, "zswapsim cpuid\n\nmachine\n");
	machine_info_print(&r->machine, "  ", out);
	if (r->cpu)
		fprintf(out, "counted on a synthetic CPU: this one, but for %s\n", r->cpu);
	fprintf(out, "\nCPUID, measured, ns (%u calls)      min     median        p99\n",
		r->times.leaf_0.nr);
	print_timing(out, "leaf 0", &r->times.leaf_0);
	print_timing(out, "leaf 7", &r->times.leaf_7);
}

static void print_leaves(const struct cpuid_count *c, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (unsigned i = 0; i < c->nr_records && n < size; i++) {
		n += snprintf(buf + n, size - n, "%s%" PRIx32, i ? ", " : "", c->records[i].leaf);
		if (c->records[i].leaf == 7 && n < size)
			n += snprintf(buf + n, size - n, ".%" PRIx32, c->records[i].subleaf);
	}
}

static void print_inits(const struct cpuid_report *r, FILE *out)
{
	char leaves[64], percent[16];

	fprintf(out,
		"\ninitialisation           CPUIDs  leaves       steps   ns: min     median        "
		"p99  of it CPUID\n");
	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		const struct timing *t = &r->times.init[i];
		double share = cpuid_percent(r, i);

		print_leaves(&r->init[i], leaves, sizeof(leaves));
		if (share < 0)
			snprintf(percent, sizeof(percent), "-");
		else
			snprintf(percent, sizeof(percent), "%.1f %%", share);
		if (r->counted)
			fprintf(out, "  %-22s %6" PRIu64 "  %-8s %9" PRIu64, zstd_inits[i].name,
				r->init[i].cpuids, leaves, r->init[i].steps);
		else
			fprintf(out, "  %-22s %6s  %-8s %9s", zstd_inits[i].name, "-", "-", "-");
		fprintf(out, " %9" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12s\n", t->min, t->median,
			t->p99, percent);
	}
	for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
		const struct timing *t = &r->times.restored[side];

		fprintf(out, "  %-22s %6u  %-8s %9s %9" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
			side ? "the DCtx without CPUID" : "the CCtx without CPUID", 0, "", "",
			t->min, t->median, t->p99);
	}
	if (r->counted)
		fprintf(out,
			"  counts: executed, by stepping through each once; times: of this "
			"processor, at full speed\n  without CPUID: the bytes that the library "
			"writes, restored in place of calling it (zstd.cpuid=static)\n");
	else
		fprintf(out, "  not counted: %s\n", r->census.reason);
}

static void print_flags(const struct cpuid_report *r, FILE *out)
{
	const bool *flag = r->flag;

	fprintf(out, "\non this CPU compress contexts %s BMI2, decompress contexts %s\n",
		flag[0] ? "use" : "do not use", flag[1] ? "do" : "do not");
	if (flag[0] != flag[1])
		fprintf(out,
			"  the two sides disagree: only decompression asks for BMI1 as well\n");
}

static void print_requests(const struct cpuid_report *r, FILE *out)
{
	char title[32];

	fprintf(out, "\nrequests of kernel %-12s   contexts  CPUIDs  of them, ns%s\n",
		profile_title(r->profile, title, sizeof(title)),
		r->stepped ? "  stepped: CPUIDs      steps" : "");
	for (unsigned i = 0; i < CPUID_NR_REQUESTS; i++) {
		const struct cpuid_request_report *q = &r->request[i];

		fprintf(out, "  %-28s %8" PRIu64 " %7" PRIu64 " %12.0f", request_names[i], q->inits,
			q->cpuids, (double)q->cpuids * r->census.cpuid_ns);
		if (r->stepped)
			fprintf(out, " %16" PRIu64 " %10" PRIu64, q->stepped.cpuids,
				q->stepped.steps);
		fprintf(out, "\n");
	}
	fprintf(out,
		"  computed: contexts, times the CPUIDs that each executes, times the median of "
		"a CPUID\n");
	if (r->stepped)
		fprintf(out, "  stepped: executed by one whole request\n");
}

static void print_meaning(const struct cpuid_report *r, FILE *out)
{
	const struct cpuid_request_report *load = &r->request[CPUID_LOAD],
					  *two = &r->request[CPUID_LOAD_TWO];
	double us = r->census.cpuid_ns / 1000;
	char title[32];

	profile_title(r->profile, title, sizeof(title));
	if (!load->cpuids && !two->cpuids) {
		fprintf(out, "\nSo a zswap load of kernel %s executes no CPUID.\n", title);
		return;
	}
	fprintf(out,
		"\nSo on this machine (hypervisor: %s) a zswap load of kernel %s spends about %.1f "
		"us "
		"on the\n%" PRIu64
		" CPUIDs of the contexts that it builds, and one of an object over two "
		"pages %.1f us on %" PRIu64 ".\n",
		r->machine.hypervisor, title, load->cpuids * us, load->cpuids, two->cpuids * us,
		two->cpuids);
}

void cpuid_report_print(const struct cpuid_report *r, FILE *out)
{
	print_head(r, out);
	print_inits(r, out);
	if (r->flags_known)
		print_flags(r, out);
	if (!r->census.counted)
		return;
	print_requests(r, out);
	print_meaning(r, out);
}

/* ---- JSON ---- */

static json_t *timing_json(const struct timing *t)
{
	return json_pack("{s:i, s:I, s:I, s:I}", "calls", t->nr, "min_ns", (json_int_t)t->min,
			 "median_ns", (json_int_t)t->median, "p99_ns", (json_int_t)t->p99);
}

static json_t *count_json(const struct cpuid_count *c)
{
	json_t *executed = json_array();

	for (unsigned i = 0; i < c->nr_records; i++) {
		const struct cpuid_record *r = &c->records[i];

		json_array_append_new(
			executed,
			json_pack("{s:I, s:o, s:I, s:I, s:I, s:I}", "leaf", (json_int_t)r->leaf,
				  "subleaf", r->leaf == 7 ? json_integer(r->subleaf) : json_null(),
				  "eax", (json_int_t)r->regs[CPUID_EAX], "ebx",
				  (json_int_t)r->regs[CPUID_EBX], "ecx",
				  (json_int_t)r->regs[CPUID_ECX], "edx",
				  (json_int_t)r->regs[CPUID_EDX]));
	}
	return json_pack("{s:I, s:I, s:o}", "cpuids", (json_int_t)c->cpuids, "steps",
			 (json_int_t)c->steps, "executed", executed);
}

static json_t *inits_json(const struct cpuid_report *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		double percent = cpuid_percent(r, i);

		json_array_append_new(
			a,
			json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "function", zstd_inits[i].name,
				  "kernel_function", acomp_call_names[zstd_inits[i].call],
				  "counted", r->counted ? count_json(&r->init[i]) : json_null(),
				  "measured", timing_json(&r->times.init[i]), "cpuid_percent",
				  percent < 0 ? json_null() : json_real(percent), "without_cpuid",
				  timing_json(&r->times.restored[zstd_inits[i].side])));
	}
	return a;
}

static json_t *requests_json(const struct cpuid_report *r)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < CPUID_NR_REQUESTS && r->census.counted; i++) {
		const struct cpuid_request_report *q = &r->request[i];

		json_object_set_new(o, request_keys[i],
				    json_pack("{s:I, s:I, s:f, s:o}", "contexts",
					      (json_int_t)q->inits, "cpuids_computed",
					      (json_int_t)q->cpuids, "cpuid_ns_computed",
					      (double)q->cpuids * r->census.cpuid_ns, "stepped",
					      r->stepped ? count_json(&q->stepped) : json_null()));
	}
	return o;
}

static json_t *flags_json(const struct cpuid_report *r)
{
	if (!r->flags_known)
		return json_null();
	return json_pack("{s:b, s:b}", "compress", r->flag[ZSTD_SIDE_COMPRESS], "decompress",
			 r->flag[ZSTD_SIDE_DECOMPRESS]);
}

json_t *cpuid_report_json(const struct cpuid_report *r)
{
	return json_pack("{s:s, s:i, s:o, s:s, s:s?, s:b, s:s?, s:{s:o, s:o}, s:o, s:o, s:o, s:o}",
			 "schema", "zswapsim-cpuid", "schema_version", 1, "machine",
			 machine_info_json(&r->machine), "libzstd", ZSTD_versionString(), "cpu",
			 r->cpu, "counted", r->counted, "reason",
			 r->counted ? NULL : r->census.reason, "cpuid", "leaf_0",
			 timing_json(&r->times.leaf_0), "leaf_7", timing_json(&r->times.leaf_7),
			 "initialisations", inits_json(r), "bmi2", flags_json(r), "profile",
			 report_profile_json(r->profile), "requests", requests_json(r));
}
