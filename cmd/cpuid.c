// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "backends/zstd.h"
#include "cmd/commands.h"
#include "cmd/cpuid_report.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "sim/codec_model.h"

enum { OPT_JSON = 256, OPT_CPU, OPT_CALLS, OPT_STEP };

struct arguments {
	struct options_kernel kernel;
	const char *cpu_text;
	struct cpuid_cpu cpu;
	unsigned nr_calls;
	bool json, step;
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, NULL, 0, "Print one JSON document", 0},
	{"cpu", OPT_CPU, "KEY=VALUE,...", 0,
	 "Count on a synthetic CPU, which answers CPUID as told; keys: " CPUID_CPU_KEYS, 0},
	{"calls", OPT_CALLS, "N", 0, "Time each thing N times, 100 to 100000; default 5000", 0},
	{"step", OPT_STEP, NULL, 0,
	 "Step through whole requests too, and count what they execute: takes a minute", 0},
	{0},
};

static const char doc[] =
	"Counts the CPUID instructions that initialising a zstd context executes, by stepping "
	"through "
	"it, and measures what they cost.\v"
	"Examples:\n"
	"  zswapsim cpuid\n"
	"  zswapsim cpuid --kernel 7.4 --step\n"
	"  zswapsim cpuid --set zstd.cpuid=static\n"
	"  zswapsim cpuid --cpu bmi1=0,bmi2=1 --json\n\n"
	"Counts are executed ones where it says so, else what one initialisation executes times "
	"the "
	"number of initialisations. Times are of this processor, measured. See docs/cpuid.md.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	char err[256];

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->kernel;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_CPU:
		if (cpuid_cpu_parse(&a->cpu, arg, err, sizeof(err)))
			options_error(state, "--cpu: %s", err);
		a->cpu_text = arg;
		return 0;
	case OPT_CALLS:
		a->nr_calls = options_u64(state, "--calls", arg, 100, TIMING_MAX_CALLS);
		return 0;
	case OPT_STEP:
		a->step = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int time_all(struct cpuid_report *r, unsigned nr, char *err, size_t err_size)
{
	int ret = zstd_inits_time(nr, &r->times, err, err_size);

	/* Of more calls than the census makes, and the figures that the reader sees. */
	if (!ret)
		r->census.cpuid_ns =
			((double)r->times.leaf_0.median + (double)r->times.leaf_7.median) / 2;
	return ret;
}

/* Where nothing can be counted, the reason is in the census already. */
static void count_all(struct cpuid_report *r, const struct cpuid_cpu *cpu)
{
	char err[256];

	r->counted = r->census.counted;
	for (unsigned i = 0; i < ZSTD_NR_INITS && r->counted; i++)
		r->counted = !zstd_init_count(&zstd_inits[i], cpu, &r->init[i]);
	r->flags_known = r->counted && cpu;
	for (unsigned side = 0; side < ZSTD_NR_SIDES && r->flags_known; side++) {
		int flag = zstd_origin_bmi2(side, cpu, err, sizeof(err));

		r->flags_known = flag >= 0;
		r->flag[side] = flag == 1;
	}
}

static void fill_request(struct cpuid_report *r, enum cpuid_request which)
{
	struct acomp_cost cost = {0};
	uint64_t calls[ACOMP_NR_CALLS];
	struct cpuid_request_report *q = &r->request[which];

	if (which == CPUID_STORE)
		codec_model_compress(ACOMP_MODEL_ZSTD, r->profile, &cost);
	else
		codec_model_decompress(ACOMP_MODEL_ZSTD, r->profile, which == CPUID_LOAD_TWO,
				       PAGE_SIZE / 2, &cost);
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		calls[i] = cost.calls[i];
	q->inits = calls[ACOMP_CALL_INIT_CCTX] + calls[ACOMP_CALL_INIT_CSTREAM] +
		   calls[ACOMP_CALL_INIT_DCTX] + calls[ACOMP_CALL_INIT_DSTREAM];
	/* Of one among many: not of the first. */
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		q->cpuids += calls[i] * r->census.kind[i].later.cpuids;
}

static int fail(const char *name, const char *why)
{
	fprintf(stderr, "%s: %s\n", name, why);
	return STATUS_USAGE;
}

int cmd_cpuid(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_kernel_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
	struct arguments a = {.nr_calls = 5000};
	struct cpuid_report r = {0};
	char err[256] = "";
	int ret = options_parse(&argp, argc, argv, &a);

	if (ret)
		return ret;
	r.cpu = a.cpu_text;
	r.profile = &a.kernel.profile;
	machine_info_read(&r.machine, "", machine_cpuid_hypervisor);
	if (cpuid_census_take(&r.census, r.profile))
		return fail(argv[0], *r.census.reason ? r.census.reason : "out of memory");
	if (time_all(&r, a.nr_calls, err, sizeof(err)))
		return fail(argv[0], err);
	count_all(&r, a.cpu_text ? &a.cpu : NULL);
	for (enum cpuid_request i = 0; i < CPUID_NR_REQUESTS; i++)
		fill_request(&r, i);
	if (a.step && cpuid_step_requests(&r, err, sizeof(err)))
		return fail(argv[0], err);
	if (a.json)
		output_json(cpuid_report_json(&r));
	else
		cpuid_report_print(&r, stdout);
	return STATUS_OK;
}
