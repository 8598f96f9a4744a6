// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a sweep costs beside what it is made of, and what it makes of two CPUs. All of it in one
 * run, round by round, in changing order, with 95 % intervals over the rounds:
 *
 *   cost	the wall time of `sweep -j 1` of 64 settings, from nothing, as a process, over the
 *		compression passes on one thread plus the 64 policy replays, each alone
 *   two CPUs	settings per second of `sweep -j 2` over those of two processes at once, each
 *		with half of the settings on a CPU of its own; the lengths are there before
 *   memory	how much more `-j 2` takes at its largest than `-j 1`, both with the lengths
 *		there, against the trace's events, which is what a replay touches of it:
 *		resident memory counts a mapping that is there twice, twice
 *
 *	bench_sweep ZSWAPSIM TRACE [ROUNDS]
 *
 * Journals are written in $TMPDIR or /tmp. CPUs 0 and 1 are used. Real-time priority
 * (chrt -f 50) is inherited and helps on a busy machine. Exit status 1 if the first ratio is
 * above 1.5 or the second below 0.9.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/bootstrap.h"
#include "sim/sweep_lengths.h"
#include "traces/layout.h"

#define NR_SETTINGS 64
#define MAX_ROUNDS  100
#define MOST_COST   1.5
#define LEAST_RATE  0.9
#define NS_A_SECOND 1e9
#define BYTES_A_MIB 1048576.0

/* Two codecs' parameters, and limits that are reached: totalram is the distinct pages'. */
static const char sweep_format[] = "totalram = %" PRIu64 "K\n"
				   "kernel = 6.12, 7.3\n"
				   "zswap.max_pool_percent = 5, 10, 20, 40\n"
				   "zswap.accept_threshold_percent = 50, 90\n"
				   "zsmalloc.chain_size = 4, 8, 12, 16\n";

struct bench {
	const char *program, *trace;
	char dir[64], ini[96], base[96];
	struct sweep_file *file;
	struct trace_reader *reader;
	struct sweep_lengths *lengths;
	struct replay_result *result;
	unsigned nr_rounds;
	double cost[MAX_ROUNDS], rate[MAX_ROUNDS]; /* the ratios */
	double parts_s, sweep_s, one_s, two_s;	   /* sums */
	long rss_one, rss_two;			   /* KiB, the largest */
};

static void die(const char *what)
{
	fprintf(stderr, "bench_sweep: %s\n", what);
	exit(2);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / NS_A_SECOND;
}

static void use_cpus(int first, int last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("two CPUs are needed, 0 and 1");
}

/* ---- the program ---- */

static pid_t start(const struct bench *b, int first_cpu, int last_cpu, const char *jobs,
		   const char *shard)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	use_cpus(first_cpu, last_cpu);
	if (!freopen("/dev/null", "w", stdout))
		die("/dev/null");
	if (shard)
		execl(b->program, b->program, "sweep", "-j", jobs, "-o", b->base, "--shard", shard,
		      b->trace, b->ini, NULL);
	else
		execl(b->program, b->program, "sweep", "-j", jobs, "-o", b->base, b->trace, b->ini,
		      NULL);
	die(b->program);
	return 0;
}

/* Returns the largest resident memory in KiB. */
static long finish(pid_t pid)
{
	struct rusage usage;
	int status;

	if (wait4(pid, &status, 0, &usage) != pid || status)
		die("the program failed");
	return usage.ru_maxrss;
}

static void forget(const struct bench *b, const char *suffix)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", b->base, suffix);
	unlink(path);
}

static void forget_journals(const struct bench *b)
{
	forget(b, ".journal");
	forget(b, ".1-of-2.shard");
	forget(b, ".2-of-2.shard");
}

static void forget_lengths(const struct bench *b)
{
	for (unsigned i = 0; i < b->lengths->nr; i++)
		if (b->lengths->codecs[i].lengths && b->lengths->codecs[i].lengths->path)
			unlink(b->lengths->codecs[i].lengths->path);
}

/* Seconds of one process with @jobs threads on that many CPUs. */
static double run_sweep(struct bench *b, const char *jobs, long *rss)
{
	double begin;
	long most;

	forget_journals(b);
	begin = now();
	most = finish(start(b, 0, *jobs - '1', jobs, NULL));
	if (most > *rss)
		*rss = most;
	return now() - begin;
}

/* ---- what it is made of ---- */

static double run_passes(struct bench *b)
{
	double begin = now(), taken = 0;

	for (unsigned i = 0; i < b->lengths->nr; i++) {
		struct lengths_config config = {
			.crypto = backends_registry(), .nr_threads = 1, .no_file = true};
		struct trace_error err;
		struct settings s;
		struct lengths *l;

		sweep_file_settings(b->file, b->lengths->codecs[i].row, &s);
		config.profile = &s.profile;
		config.compressor = s.replay.compressor;
		begin = now();
		if (lengths_open(b->trace, b->reader, &config, &l, &err))
			die(err.message);
		taken += now() - begin;
		lengths_close(l);
	}
	return taken;
}

static double run_replays(struct bench *b)
{
	double taken = 0;

	for (uint32_t row = 0; row < b->file->nr_rows; row++) {
		struct trace_error err;
		struct settings s;
		double begin;

		sweep_file_settings(b->file, row, &s);
		s.replay.crypto = backends_registry();
		s.replay.mode = REPLAY_POLICY;
		s.replay.lengths = sweep_lengths_find(b->lengths, &s)->lengths;
		begin = now();
		if (replay_run(settings_config(&s), b->reader, b->result, &err))
			die(err.message);
		taken += now() - begin;
		replay_result_finish(b->result);
	}
	return taken;
}

/* ---- the rounds ---- */

static void round_of_cost(struct bench *b, unsigned round)
{
	double parts = 0, sweep = 0;
	long with_pass = 0;

	use_cpus(0, 0);
	for (unsigned i = 0; i < 2; i++) {
		if ((round + i) % 2) {
			parts = run_passes(b) + run_replays(b);
			continue;
		}
		forget_lengths(b);
		sweep = run_sweep(b, "1", &with_pass);
	}
	b->cost[round] = sweep / parts;
	b->parts_s += parts;
	b->sweep_s += sweep;
}

/* Settings per second, of both together. */
static double run_two_processes(struct bench *b)
{
	double begin, first, second;
	int status;

	forget_journals(b);
	begin = now();
	start(b, 0, 0, "1", "1/2");
	start(b, 1, 1, "1", "2/2");
	if (wait(&status) < 0 || status)
		die("the program failed");
	first = now() - begin;
	if (wait(&status) < 0 || status)
		die("the program failed");
	second = now() - begin;
	/* Each its own rate: the one that is done first could go on. */
	return NR_SETTINGS / 2 / first + NR_SETTINGS / 2 / second;
}

static void round_of_rate(struct bench *b, unsigned round)
{
	double one = 0, two = 0;

	for (unsigned i = 0; i < 2; i++) {
		if ((round + i) % 2)
			two = run_two_processes(b);
		else
			one = NR_SETTINGS / run_sweep(b, "2", &b->rss_two);
	}
	b->rate[round] = one / two;
	b->one_s += one;
	b->two_s += two;
}

/* ---- figures ---- */

static void means(void *arg, const unsigned *unit, double *value)
{
	const struct bench *b = arg;

	value[0] = value[1] = 0;
	for (unsigned i = 0; i < b->nr_rounds; i++) {
		value[0] += b->cost[unit[i]] / b->nr_rounds;
		value[1] += b->rate[unit[i]] / b->nr_rounds;
	}
}

static int report(struct bench *b)
{
	const struct bootstrap_sample sample = {
		.nr_units = b->nr_rounds, .nr_statistics = 2, .statistics = means, .arg = b};
	double bytes =
		(double)(trace_reader_info(b->reader)->nr_events * sizeof(struct zswt_event)) /
		BYTES_A_MIB;
	struct bootstrap_config config;
	struct interval interval[2];
	unsigned all[MAX_ROUNDS];
	double mean[2];

	for (unsigned i = 0; i < b->nr_rounds; i++)
		all[i] = i;
	means(b, all, mean);
	bootstrap_config_init(&config);
	if (bootstrap_intervals(&config, &sample, interval))
		die("out of memory");
	printf("%s: %" PRIu64 " events, %" PRIu64 " distinct pages; %u settings, %u codecs, %u "
	       "rounds\n",
	       b->trace, trace_reader_info(b->reader)->nr_events,
	       trace_reader_info(b->reader)->nr_pages, NR_SETTINGS, b->lengths->nr, b->nr_rounds);
	printf("cost: sweep -j 1 took %.3f s a round, passes and replays alone %.3f s: ratio %.3f, "
	       "95 %% interval %.3f to %.3f (at most %.1f)\n",
	       b->sweep_s / b->nr_rounds, b->parts_s / b->nr_rounds, mean[0], interval[0].low,
	       interval[0].high, MOST_COST);
	printf("two CPUs: sweep -j 2 ran %.1f settings a second, two processes %.1f together: "
	       "ratio %.3f, 95 %% interval %.3f to %.3f (at least %.1f)\n",
	       b->one_s / b->nr_rounds, b->two_s / b->nr_rounds, mean[1], interval[1].low,
	       interval[1].high, LEAST_RATE);
	printf("memory: -j 1 took up to %.1f MiB, -j 2 up to %.1f MiB: %.1f MiB more; the events "
	       "of the trace have %.1f MiB\n",
	       (double)b->rss_one / 1024, (double)b->rss_two / 1024,
	       (double)(b->rss_two - b->rss_one) / 1024, bytes);
	return mean[0] > MOST_COST || mean[1] < LEAST_RATE;
}

/* ---- the rest ---- */

static void set_up(struct bench *b)
{
	struct trace_error err;
	char text[512];
	FILE *out;

	if (trace_reader_open(b->trace, &b->reader, &err))
		die(err.message);
	snprintf(text, sizeof(text), sweep_format, trace_reader_info(b->reader)->nr_pages * 4);
	snprintf(b->dir, sizeof(b->dir), "%s/bench-sweep.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(b->dir))
		die(b->dir);
	snprintf(b->ini, sizeof(b->ini), "%s/s.ini", b->dir);
	snprintf(b->base, sizeof(b->base), "%s/s", b->dir);
	out = fopen(b->ini, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		die(b->ini);
	b->result = malloc(sizeof(*b->result));
	if (!b->result)
		die("out of memory");
	if (sweep_file_read(b->ini, &b->file, &err) ||
	    sweep_lengths_create(b->file, b->reader, backends_registry(), &b->lengths, &err))
		die(err.message);
	if (b->file->nr_rows != NR_SETTINGS)
		die("the sweep has not 64 settings");
	for (unsigned i = 0; i < b->lengths->nr; i++) {
		if (sweep_lengths_open(b->lengths, &b->lengths->codecs[i], b->file, b->reader, 0,
				       NULL, NULL, &err))
			die(err.message);
	}
}

static void clean_up(struct bench *b)
{
	forget_journals(b);
	forget(b, ".csv");
	forget(b, ".json");
	unlink(b->ini);
	rmdir(b->dir);
	free(b->result);
	sweep_lengths_destroy(b->lengths);
	sweep_file_free(b->file);
	trace_reader_close(b->reader);
}

int main(int argc, char **argv)
{
	struct bench b = {.nr_rounds = argc > 3 ? atoi(argv[3]) : 5};
	int status;

	if (argc < 3 || b.nr_rounds < 2 || b.nr_rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: bench_sweep ZSWAPSIM TRACE [ROUNDS, 2 to %u]\n",
			MAX_ROUNDS);
		return 2;
	}
	b.program = argv[1];
	b.trace = argv[2];
	use_cpus(0, 1);
	set_up(&b);
	run_sweep(&b, "1", &b.rss_one);
	for (unsigned round = 0; round < b.nr_rounds; round++) {
		round_of_cost(&b, round);
		round_of_rate(&b, round);
	}
	status = report(&b);
	clean_up(&b);
	return status;
}
