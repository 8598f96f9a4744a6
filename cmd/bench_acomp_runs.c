// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/registry.h"
#include "cmd/bench_acomp.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "sim/replay.h"

static const char *const side_keys[ZSTD_NR_SIDES] = {"compress", "decompress"};

/* ---- one run, in the process made for it ---- */

static json_t *side_object(const struct bench_acomp_times *times, unsigned v, enum zstd_side side)
{
	const struct bench_acomp_variant *variant = &times->variant[v];
	json_t *ns = json_array(), *calls = json_array();

	for (unsigned i = 0; i < times->rounds; i++)
		json_array_append_new(ns, json_real(variant->ns[side][i]));
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		json_array_append_new(calls, json_integer(variant->cost[side].calls[i]));
	return json_pack("{s:i, s:o, s:o}", "ret", variant->ret[side], "calls", calls, "ns", ns);
}

static json_t *run_object(const struct bench_acomp_times *times, uint64_t interruptions)
{
	json_t *variants = json_array();

	for (unsigned v = 0; v < times->nr_variants; v++) {
		json_t *o = json_object();

		json_object_set_new(o, "frame_bytes", json_integer(times->variant[v].frame_bytes));
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			if (times->variant[v].does[side])
				json_object_set_new(o, side_keys[side],
						    side_object(times, v, side));
		}
		json_array_append_new(variants, o);
	}
	return json_pack("{s:I, s:o}", "interruptions", (json_int_t)interruptions, "variants",
			 variants);
}

static uint64_t context_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

static uint64_t cpu_time_ns(void *arg)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int bench_acomp_one_run(const struct bench_acomp_arguments *a, unsigned run)
{
	struct bench_acomp_config config = {
		.profile = a->profile,
		.nr_variants = a->nr_variants,
		.caller = a->caller,
		.crypto = backends_registry(),
		.compressor = a->compressor,
		.data = a->data,
		.size = a->size,
		.rounds = a->rounds,
		.operations = a->operations,
		.run = run,
		.clock = a->wall ? replay_monotonic_ns : cpu_time_ns,
	};
	struct bench_acomp_times times;
	uint64_t before = context_switches();
	char err[1024];

	if (bench_acomp_run(&config, &times, err, sizeof(err))) {
		fprintf(stderr, "zswapsim bench acomp: %s\n", err);
		return STATUS_USAGE;
	}
	output_json_line(run_object(&times, context_switches() - before));
	bench_acomp_times_finish(&times);
	return STATUS_OK;
}

/* ---- all runs ---- */

extern char **environ;

/*
 * The same command line with one option before it; what follows "--" would be none. *@out is where
 * the child's standard output is read.
 */
static int spawn_run(const struct bench_acomp_arguments *a, int argc, char **argv, unsigned run,
		     pid_t *pid, int *out)
{
	char name[] = "zswapsim", group[] = "bench", command[] = "acomp", one_run[96];
	char **child = calloc(argc + 4, sizeof(*child));
	posix_spawn_file_actions_t actions;
	int fd[2], ret;

	if (!child)
		return -ENOMEM;
	if (pipe2(fd, O_CLOEXEC)) {
		ret = -errno;
		free(child);
		return ret;
	}
	snprintf(one_run, sizeof(one_run), "--one-run=%u:%u:%u:%u:%u", run, a->rounds,
		 a->operations, a->cpu, a->wall);
	child[0] = name;
	child[1] = group;
	child[2] = command;
	child[3] = one_run;
	memcpy(child + 4, argv + 1, (argc - 1) * sizeof(*child));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
	ret = -posix_spawn(pid, "/proc/self/exe", &actions, NULL, child, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	free(child);
	if (ret)
		close(fd[0]);
	else
		*out = fd[0];
	return ret;
}

/* What a run printed; NULL if it failed (and said so on stderr). */
static json_t *run_process(const struct bench_acomp_arguments *a, int argc, char **argv,
			   unsigned run)
{
	int wstatus = -1, fd = -1, ret;
	json_error_t error;
	json_t *root;
	pid_t pid;

	ret = spawn_run(a, argc, argv, run, &pid, &fd);
	if (ret) {
		fprintf(stderr, "zswapsim bench acomp: cannot start run %u: %s\n", run + 1,
			strerror(-ret));
		return NULL;
	}
	root = json_loadfd(fd, 0, &error);
	close(fd);
	while (waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(wstatus) && !WEXITSTATUS(wstatus) && root)
		return root;
	if (!WIFEXITED(wstatus) || !WEXITSTATUS(wstatus))
		fprintf(stderr, "zswapsim bench acomp: run %u did not come to its end\n", run + 1);
	json_decref(root);
	return NULL;
}

static int keep_side(const struct bench_acomp_arguments *a, json_t *o, unsigned run,
		     struct bench_acomp_side *side)
{
	json_t *ns = json_object_get(o, "ns");

	side->does = true;
	side->ret = json_integer_value(json_object_get(o, "ret"));
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++)
		side->calls[i] = json_integer_value(json_array_get(json_object_get(o, "calls"), i));
	if (!side->ns)
		side->ns = calloc((size_t)a->runs * a->rounds, sizeof(*side->ns));
	if (!side->ns || json_array_size(ns) != a->rounds)
		return -ENOMEM;
	for (unsigned i = 0; i < a->rounds; i++)
		side->ns[(size_t)run * a->rounds + i] = json_number_value(json_array_get(ns, i));
	return 0;
}

static int keep_run(const struct bench_acomp_arguments *a, json_t *root, unsigned run,
		    struct bench_acomp_result *result)
{
	json_t *variants = json_object_get(root, "variants");

	result->interruptions += json_integer_value(json_object_get(root, "interruptions"));
	for (unsigned v = 0; v < a->nr_variants; v++) {
		json_t *o = json_array_get(variants, v);

		result->variant[v].frame_bytes =
			json_integer_value(json_object_get(o, "frame_bytes"));
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			json_t *s = json_object_get(o, side_keys[side]);

			if (s && keep_side(a, s, run, &result->variant[v].side[side]))
				return -ENOMEM;
		}
	}
	return 0;
}

/* ns that one request of each kind takes together, of a run of one round. */
static double ns_of_one_each(const json_t *root)
{
	json_t *variant, *variants = json_object_get(root, "variants");
	double ns = 0;
	size_t i;

	json_array_foreach(variants, i, variant)
	{
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++)
			ns += json_number_value(json_array_get(
				json_object_get(json_object_get(variant, side_keys[side]), "ns"),
				0));
	}
	return ns;
}

#define QUICK_NS	 20e9
#define TRIAL_OPERATIONS 100u
#define LEAST_OPERATIONS 10u

/* As many operations as fit, with what a process takes to begin. */
static int choose_operations(struct bench_acomp_arguments *a, int argc, char **argv)
{
	struct bench_acomp_arguments trial = *a;
	uint64_t start = replay_monotonic_ns(NULL);
	double each, beginning, operations;
	json_t *root;

	trial.wall = true;
	trial.rounds = 1;
	trial.operations = TRIAL_OPERATIONS;
	root = run_process(&trial, argc, argv, 0);
	if (!root)
		return -1;
	each = ns_of_one_each(root);
	json_decref(root);
	beginning = (double)(replay_monotonic_ns(NULL) - start) - each * TRIAL_OPERATIONS;
	operations = (QUICK_NS - (a->runs + 1) * beginning) / (each * a->runs * a->rounds);
	if (operations < a->operations)
		a->operations = operations < LEAST_OPERATIONS ? LEAST_OPERATIONS : operations;
	return 0;
}

/* How many CPUIDs there are in what, and what one takes here. */
static int take_censuses(const struct bench_acomp_arguments *a, struct bench_acomp_result *result)
{
	for (unsigned v = 0; v < a->nr_variants; v++) {
		struct cpuid_census *census = &result->variant[v].census;

		if (!codec_is_zstd(a->compressor)) {
			codec_no_census(a->compressor, census->reason, sizeof(census->reason));
			continue;
		}
		if (!cpuid_census_take(census, &a->profile[v]))
			continue;
		fprintf(stderr, "zswapsim bench acomp: %s: %s\n", a->text[v],
			*census->reason ? census->reason : "out of memory");
		return -1;
	}
	return 0;
}

static int pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return 0;
	fprintf(stderr, "zswapsim bench acomp: cannot run on CPU %u: %s\n", cpu, strerror(errno));
	return -1;
}

int bench_acomp_all_runs(struct bench_acomp_arguments *a, int argc, char **argv,
			 struct bench_acomp_result *result)
{
	uint64_t start;
	int ret;

	memset(result, 0, sizeof(*result));
	/* Inherited by the runs. */
	if (pin(a->cpu) || take_censuses(a, result) ||
	    (a->quick && choose_operations(a, argc, argv)))
		return -1;
	start = replay_monotonic_ns(NULL);
	for (unsigned run = 0; run < a->runs; run++) {
		json_t *root = run_process(a, argc, argv, run);

		if (!root) {
			bench_acomp_result_finish(result);
			return -1;
		}
		ret = keep_run(a, root, run, result);
		json_decref(root);
		if (ret) {
			fprintf(stderr, "zswapsim bench acomp: out of memory\n");
			bench_acomp_result_finish(result);
			return -1;
		}
	}
	result->wall_ns = replay_monotonic_ns(NULL) - start;
	return 0;
}

void bench_acomp_result_finish(struct bench_acomp_result *result)
{
	for (unsigned v = 0; v < BENCH_ACOMP_MAX_VARIANTS; v++) {
		for (unsigned side = 0; side < ZSTD_NR_SIDES; side++) {
			free(result->variant[v].side[side].ns);
			result->variant[v].side[side].ns = NULL;
		}
	}
}
