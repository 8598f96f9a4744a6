// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast a replay without contents is, and what memory it takes: the events of a long zipf trace
 * go, chunk by chunk and in changing order, through the simulator and through a bare loop that
 * keeps an open-addressing table and an LRU list, both over one reader. Printed: events per second
 * of CPU time of each, the ratio of their times with a 95 % interval (bootstrapped over chunks),
 * and bytes of metadata a live entry, counted by object and by the process's anonymous memory in a
 * replay by itself.
 *
 *	bench_policy [--quick] [--events N] [--pages N] [--zipf A] [--limit PERCENT] [--seed N]
 *		     [--trace FILE]
 *
 * --limit: of the pages swapped out at once, when half of them are, how many the pool holds, about.
 * --trace: made if it is not there, and kept; else a temporary one is.
 * Exit status 1 if the simulator takes more than 6 times as long, or more than 64 bytes an entry.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/bootstrap.h"
#include "sim/lengths.h"
#include "sim/replay.h"
#include "tests/bare_lru.h"
#include "tests/zipf_trace.h"

#define MAX_RATIO      6.0
#define MAX_BYTES      64.0
#define CHUNKS	       100u
#define MEMORY_SAMPLES 200u

struct options {
	struct zipf_trace_config trace;
	unsigned limit_percent;
	const char *path;
};

/* What the replay by itself saw, told by its process. */
struct memory {
	uint64_t entries; /* live, at the most */
	/* Anonymous memory: of the machine before its first event; beyond that, at the most. */
	uint64_t constant_bytes, rss_bytes;
	/* Records of what there was when there were most entries. */
	struct zswap_metadata counted;
	uint64_t counted_slots;
	uint64_t file_bytes; /* of the mapped trace in memory, at the most */
	int ret;
};

struct bench {
	struct trace_reader *reader;
	const struct trace_info *info;
	struct profile profile;
	struct lengths *lengths;
	uint16_t *bare_lengths;
	uint64_t limit_pages;
	struct replay_config config;
	struct replay *replay;
	struct replay_result *result;
	struct bare_lru *bare;
	uint64_t (*ns)[2]; /* [chunks]: of the bare loop, of the simulator */
	unsigned nr_chunks;
	struct trace_error err;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_policy: %s\n", what);
	exit(2);
}

static void must(struct bench *b, int ret)
{
	if (ret)
		die(b->err.message[0] ? b->err.message : strerror(-ret));
}

/* CPU time: others who want the core do not count. */
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t status_bytes(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	uint64_t kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), " %" SCNu64, &kib);
	}
	if (f)
		fclose(f);
	return kib * 1024;
}

static void open_trace(struct bench *b, const struct options *o)
{
	char name[] = "/var/tmp/bench_policy.XXXXXX/trace";
	char *path = o->path ? (char *)o->path : name;

	if (!o->path) {
		name[strlen(name) - strlen("/trace")] = '\0';
		if (!mkdtemp(name))
			die("cannot make a temporary folder");
		name[strlen(name)] = '/';
	}
	if (!o->path || access(path, F_OK)) {
		printf("making %s: %" PRIu64 " touches of %u pages\n", path, o->trace.nr_events,
		       o->trace.nr_pages);
		fflush(stdout);
		must(b, zipf_trace_write(path, &o->trace, &b->err));
	}
	must(b, trace_reader_open(path, &b->reader, &b->err));
	if (!o->path) {
		unlink(name);
		name[strlen(name) - strlen("/trace")] = '\0';
		rmdir(name);
	}
	b->info = trace_reader_info(b->reader);
	if (!b->info->content_free)
		die("a content-free trace is needed");
}

static void read_lengths(struct bench *b, const struct options *o)
{
	struct lengths_config config = {.crypto = backends_registry(), .profile = &b->profile};
	uint64_t bytes = 0;

	must(b,
	     lengths_open(trace_reader_path(b->reader), b->reader, &config, &b->lengths, &b->err));
	b->bare_lengths = calloc(b->info->nr_pages, sizeof(*b->bare_lengths));
	b->result = calloc(1, sizeof(*b->result));
	if (!b->bare_lengths || !b->result)
		die("out of memory");
	for (uint64_t id = 0; id < b->info->nr_pages; id++) {
		int length = lengths_of(b->lengths, id);

		b->bare_lengths[id] = length < 0 ? PAGE_SIZE : length;
		bytes += b->bare_lengths[id];
	}
	b->limit_pages = bytes / 2 * o->limit_percent / 100 / PAGE_SIZE;
	if (!b->limit_pages)
		die("too few pages");
	replay_config_init(&b->config);
	b->config.mode = REPLAY_POLICY;
	b->config.profile = &b->profile;
	b->config.crypto = backends_registry();
	b->config.lengths = b->lengths;
	b->config.totalram_pages = b->limit_pages * 100 / b->config.max_pool_percent;
}

/* ---- memory ---- */

static void note_memory(const struct bench *b, struct memory *m, uint64_t before)
{
	uint64_t rss = status_bytes("RssAnon:") - before, file = status_bytes("RssFile:");
	uint64_t entries = replay_stored_pages(b->replay);

	if (entries > m->entries) {
		m->entries = entries;
		replay_metadata(b->replay, &m->counted, &m->counted_slots);
	}
	if (file > m->file_bytes)
		m->file_bytes = file;
	if (rss > m->rss_bytes)
		m->rss_bytes = rss;
}

/* In a process of its own, so that nothing else is in its memory. */
static void run_alone(struct bench *b, struct memory *m)
{
	uint64_t step = b->info->nr_events / MEMORY_SAMPLES + 1, before = status_bytes("RssAnon:");

	m->ret = replay_create(&b->config, b->reader, b->result, &b->err, &b->replay);
	m->constant_bytes = status_bytes("RssAnon:") - before;
	for (uint64_t from = 0; !m->ret && from < b->info->nr_events; from += step) {
		uint64_t to = from + step < b->info->nr_events ? from + step : b->info->nr_events;

		m->ret = replay_events(b->replay, from, to);
		note_memory(b, m, before + m->constant_bytes);
	}
	if (m->ret)
		fprintf(stderr, "bench_policy: %s\n", b->err.message);
}

static struct memory measure_memory(struct bench *b)
{
	struct memory *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct memory m;
	pid_t pid;

	if (shared == MAP_FAILED)
		die("out of memory");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		run_alone(b, shared);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	m = *shared;
	munmap(shared, sizeof(*shared));
	if (m.ret || !m.entries)
		die("the replay by itself failed");
	return m;
}

static double report_memory(const struct bench *b, const struct memory *m)
{
	double entries = (double)m->entries, rss = (double)m->rss_bytes / entries;
	uint64_t counted =
		m->counted.entries + m->counted.tree + m->counted.pool + m->counted_slots;

	printf("memory of a replay by itself: %" PRIu64 " live entries at the most\n", m->entries);
	printf("  records of them, counted: %.1f bytes an entry (entries %.1f, tree %.1f, pool "
	       "%.1f, "
	       "all swap slots %.1f)\n",
	       (double)counted / entries, (double)m->counted.entries / entries,
	       (double)m->counted.tree / entries, (double)m->counted.pool / entries,
	       (double)m->counted_slots / entries);
	printf("  anonymous memory: %.1f MiB before the first event, %.1f MiB more at the most: "
	       "%.1f "
	       "bytes an entry (to be at most %.0f)\n",
	       (double)m->constant_bytes / 1048576, (double)m->rss_bytes / 1048576, rss, MAX_BYTES);
	printf("  of files: at the most %.1f MiB, of a trace of %.1f MiB\n",
	       (double)m->file_bytes / 1048576, (double)b->info->file_bytes / 1048576);
	return rss;
}

/* ---- speed ---- */

static void run_bare(struct bench *b, unsigned chunk, uint64_t from, uint64_t to)
{
	uint64_t start = now();

	must(b, bare_lru_events(b->bare, b->reader, from, to, &b->err));
	b->ns[chunk][0] = now() - start;
}

static void run_simulator(struct bench *b, unsigned chunk, uint64_t from, uint64_t to)
{
	uint64_t start = now();

	must(b, replay_events(b->replay, from, to));
	b->ns[chunk][1] = now() - start;
}

static void run_chunks(struct bench *b)
{
	uint64_t nr = b->info->nr_events;

	for (unsigned i = 0; i < CHUNKS; i++) {
		uint64_t from = nr * i / CHUNKS, to = nr * (i + 1) / CHUNKS;

		if (i % 2)
			run_simulator(b, i, from, to);
		run_bare(b, i, from, to);
		if (i % 2 == 0)
			run_simulator(b, i, from, to);
	}
}

static void ratio_of(void *arg, const unsigned *unit, double *value)
{
	const struct bench *b = arg;
	uint64_t ns[2] = {0, 0};

	for (unsigned i = 0; i < CHUNKS; i++) {
		ns[0] += b->ns[unit[i]][0];
		ns[1] += b->ns[unit[i]][1];
	}
	value[0] = (double)ns[1] / (double)ns[0];
	value[1] = (double)ns[0] / (double)b->info->nr_events;
	value[2] = (double)ns[1] / (double)b->info->nr_events;
}

static void report_work(const struct bench *b)
{
	const struct bare_lru_stats *bare = bare_lru_stats(b->bare);
	const struct replay_counts *c = &b->result->counts;

	printf("bare loop: %" PRIu64 " stores, %" PRIu64 " loads, %" PRIu64
	       " of them hits, %" PRIu64 " evictions, at most %" PRIu64 " entries\n",
	       bare->stores, bare->loads, bare->hits, bare->evictions, bare->peak_entries);
	printf("simulator: out to zswap %" PRIu64 ", zero %" PRIu64 ", disk %" PRIu64
	       "; in from zswap %" PRIu64 ", zero %" PRIu64 ", disk %" PRIu64
	       "; written back %" PRIu64 "\n",
	       c->out_pages[SWAPOUT_ZSWAP], c->out_pages[SWAPOUT_ZERO], c->out_pages[SWAPOUT_DISK],
	       c->in_pages[SWAPIN_ZSWAP], c->in_pages[SWAPIN_ZERO], c->in_pages[SWAPIN_DISK],
	       b->result->zswap.written_back_pages);
}

static double report_speed(struct bench *b)
{
	struct bootstrap_config config;
	struct bootstrap_sample sample = {
		.nr_units = CHUNKS,
		.nr_statistics = 3,
		.statistics = ratio_of,
		.arg = b,
	};
	struct interval interval[3];
	unsigned all[CHUNKS];
	double value[3];

	for (unsigned i = 0; i < CHUNKS; i++)
		all[i] = i;
	ratio_of(b, all, value);
	bootstrap_config_init(&config);
	must(b, bootstrap_intervals(&config, &sample, interval));
	printf("bare loop: %.1f ns an event, 95 %% %.1f to %.1f: %.2f million events/s\n", value[1],
	       interval[1].low, interval[1].high, 1e3 / value[1]);
	printf("simulator: %.1f ns an event, 95 %% %.1f to %.1f: %.2f million events/s\n", value[2],
	       interval[2].low, interval[2].high, 1e3 / value[2]);
	printf("ratio: %.2f, 95 %% %.2f to %.2f (over %u chunks; to be at most %.0f)\n", value[0],
	       interval[0].low, interval[0].high, CHUNKS, MAX_RATIO);
	return value[0];
}

static double measure_speed(struct bench *b)
{
	double ratio;

	b->ns = calloc(CHUNKS, sizeof(*b->ns));
	b->bare = bare_lru_create(b->info->nr_pages, b->limit_pages * PAGE_SIZE, b->bare_lengths);
	if (!b->ns || !b->bare)
		die("out of memory");
	must(b, replay_create(&b->config, b->reader, b->result, &b->err, &b->replay));
	run_chunks(b);
	must(b, replay_collect(b->replay));
	report_work(b);
	ratio = report_speed(b);
	replay_destroy(b->replay);
	replay_result_finish(b->result);
	bare_lru_destroy(b->bare);
	free(b->ns);
	return ratio;
}

/* ---- the command line ---- */

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < least || n > most) {
		fprintf(stderr, "bench_policy: %s: not a number from %" PRIu64 " to %" PRIu64 "\n",
			text, least, most);
		exit(2);
	}
	return n;
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{"quick", no_argument, NULL, 'q'},	 {"events", required_argument, NULL, 'e'},
		{"pages", required_argument, NULL, 'p'}, {"zipf", required_argument, NULL, 'z'},
		{"limit", required_argument, NULL, 'l'}, {"seed", required_argument, NULL, 's'},
		{"trace", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct options){
		.trace = {.nr_events = 100000000, .nr_pages = 1000000, .a = 1, .seed = 1},
		.limit_percent = 50,
	};
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'q':
			o->trace.nr_events = 2000000;
			o->trace.nr_pages = 100000;
			break;
		case 'e':
			o->trace.nr_events = number(optarg, CHUNKS, 1ull << 40);
			break;
		case 'p':
			o->trace.nr_pages = number(optarg, 100, 1u << 29);
			break;
		case 'z':
			o->trace.a = atof(optarg);
			if (!(o->trace.a > 0 && o->trace.a < 100))
				die("--zipf: above 0, below 100");
			break;
		case 'l':
			o->limit_percent = number(optarg, 1, 1000);
			break;
		case 's':
			o->trace.seed = number(optarg, 0, INT64_MAX);
			break;
		case 't':
			o->path = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (optind != argc)
		die("arguments are options");
}

int main(int argc, char **argv)
{
	struct options options;
	struct bench b = {0};
	struct memory memory;
	double ratio, bytes;
	char text[256];

	parse(argc, argv, &options);
	if (profile_init(&b.profile, PROFILE_DEFAULT, text, sizeof(text)))
		die(text);
	open_trace(&b, &options);
	read_lengths(&b, &options);
	printf("%" PRIu64 " events, %" PRIu64 " pages, seed %" PRIu64 "; the pool holds %" PRIu64
	       " pages; kernel %s\n",
	       b.info->nr_events, b.info->nr_pages, b.info->seed, b.limit_pages, PROFILE_DEFAULT);
	memory = measure_memory(&b);
	bytes = report_memory(&b, &memory);
	ratio = measure_speed(&b);
	free(b.result);
	lengths_close(b.lengths);
	free(b.bare_lengths);
	trace_reader_close(b.reader);
	return ratio > MAX_RATIO || bytes > MAX_BYTES;
}
