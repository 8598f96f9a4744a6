// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the port costs beside the codec: the events of a trace go, chunk by chunk and in changing
 * order, through the replay and through a bare loop over libzstd that builds the same contexts for
 * the same pages, both over one reader. Printed: pages per second within the store and load calls
 * of each, their ratio with a 95 % interval (bootstrapped over chunks), what reading the trace
 * takes of a replay's wall time, and anonymous memory against the live pool.
 *
 *	bench_replay TRACE [ROUNDS]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/replay.h"
#include "tests/bare_zstd.h"

#define CHUNK_EVENTS 256
#define RESAMPLES    2000

struct chunk {
	uint64_t replay_ns, bare_ns;
	uint64_t pages;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_replay: %s\n", what);
	exit(2);
}

struct bench {
	struct trace_reader *reader;
	const struct trace_info *info;
	struct replay *replay;
	struct replay_result *result;
	struct bare_zstd *bare;
	uint64_t bare_ns, bare_pages;
	uint16_t *first; /* by event: bytes of a straddling object in its first page; else 0 */
	struct chunk *chunks;
	unsigned nr_chunks;
};

static void run_replay(struct bench *b, uint64_t from, uint64_t to, bool note)
{
	struct trace_error err;

	for (uint64_t i = from; i < to; i++) {
		struct trace_event ev;
		struct zpool_location loc;

		if (trace_reader_event(b->reader, i, &ev, &err))
			die(err.message);
		if (note && ev.type == TRACE_LOAD &&
		    replay_locate(b->replay, ev.swap_type, ev.offset, &loc) && loc.straddles)
			b->first[i] = TRACE_PAGE_SIZE - loc.offset;
		if (replay_step(b->replay, i, &ev))
			die("the replay failed");
	}
}

static void store_bare(struct bench *b, const struct trace_event *ev)
{
	struct trace_error err;
	const void *data;
	uint32_t id;

	if (trace_reader_store_pages(b->reader, ev, &id, &err) ||
	    trace_reader_page(b->reader, id, &data, &err))
		die(err.message);
	b->bare_ns += bare_store(b->bare, ev->offset, data);
	b->bare_pages++;
}

static void run_bare(struct bench *b, uint64_t from, uint64_t to)
{
	struct trace_error err;

	for (uint64_t i = from; i < to; i++) {
		struct trace_event ev;

		if (trace_reader_event(b->reader, i, &ev, &err))
			die(err.message);
		if (ev.order || ev.swap_type)
			die("a trace of 4K folios on one swap device is needed");
		if (ev.type == TRACE_STORE) {
			store_bare(b, &ev);
		} else if (ev.type == TRACE_LOAD) {
			b->bare_ns += bare_load(b->bare, ev.offset, b->first[i]);
			b->bare_pages++;
		}
	}
}

/* Loads' paths are noted by the replay first; then the order of the two alternates. */
static void run_chunk(struct bench *b, uint64_t from, uint64_t to, bool replay_first)
{
	struct chunk *c = &b->chunks[b->nr_chunks++];
	uint64_t replay_ns = b->result->op_ns, bare_ns = b->bare_ns, pages = b->bare_pages;

	if (replay_first)
		run_replay(b, from, to, false);
	run_bare(b, from, to);
	if (!replay_first)
		run_replay(b, from, to, false);
	c->replay_ns = b->result->op_ns - replay_ns;
	c->bare_ns = b->bare_ns - bare_ns;
	c->pages = b->bare_pages - pages;
}

static double ratio_of(const struct chunk *chunks, unsigned nr, uint64_t *state)
{
	uint64_t replay = 0, bare = 0;

	for (unsigned i = 0; i < nr; i++) {
		const struct chunk *c = &chunks[i];

		if (state) {
			*state = *state * 6364136223846793005u + 1442695040888963407u;
			c = &chunks[(*state >> 33) % nr];
		}
		replay += c->replay_ns;
		bare += c->bare_ns;
	}
	return (double)bare / (double)replay;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t rss_anon_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	uint64_t kib = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "RssAnon: %" SCNu64, &kib);
	if (f)
		fclose(f);
	return kib;
}

static struct replay *replay_begin(struct bench *b, const struct replay_config *config)
{
	struct trace_error err;
	struct replay *r;

	if (replay_create(config, b->reader, b->result, &err, &r))
		die(err.message);
	return r;
}

static void note_paths(struct bench *b, const struct replay_config *config)
{
	b->replay = replay_begin(b, config);
	run_replay(b, 0, b->info->nr_events, true);
	replay_destroy(b->replay);
	replay_result_finish(b->result);
}

static void run_round(struct bench *b, const struct replay_config *config, unsigned round)
{
	uint64_t nr = b->info->nr_events;

	b->replay = replay_begin(b, config);
	for (uint64_t from = 0; from < nr; from += CHUNK_EVENTS)
		run_chunk(b, from, from + CHUNK_EVENTS < nr ? from + CHUNK_EVENTS : nr,
			  (from / CHUNK_EVENTS + round) % 2);
	replay_destroy(b->replay);
	replay_result_finish(b->result);
}

static void report_speed(const struct bench *b)
{
	static double ratios[RESAMPLES];
	uint64_t state = 1, pages = 0, replay = 0, bare = 0;

	for (unsigned i = 0; i < b->nr_chunks; i++) {
		pages += b->chunks[i].pages;
		replay += b->chunks[i].replay_ns;
		bare += b->chunks[i].bare_ns;
	}
	for (unsigned i = 0; i < RESAMPLES; i++)
		ratios[i] = ratio_of(b->chunks, b->nr_chunks, &state);
	qsort(ratios, RESAMPLES, sizeof(*ratios), by_value);
	printf("within calls: replay %.0f pages/s, bare loop %.0f pages/s\n",
	       (double)pages * 1e9 / (double)replay, (double)pages * 1e9 / (double)bare);
	printf("ratio %.4f, 95 %% interval %.4f to %.4f (over %u chunks of %u events)\n",
	       ratio_of(b->chunks, b->nr_chunks, NULL), ratios[RESAMPLES / 40],
	       ratios[RESAMPLES - 1 - RESAMPLES / 40], b->nr_chunks, CHUNK_EVENTS);
}

/* A replay by itself: what reading takes of its time, and its memory when the pool is largest. */
static void report_whole(struct bench *b, const struct replay_config *config)
{
	uint64_t before = rss_anon_kib(), most = 0, pool_kib = 0, start, wall;
	struct replay *r = replay_begin(b, config);
	struct trace_error err;

	start = replay_monotonic_ns(NULL);
	for (uint64_t i = 0; i < b->info->nr_events; i++) {
		struct trace_event ev;

		if (trace_reader_event(b->reader, i, &ev, &err))
			die(err.message);
		if (replay_step(r, i, &ev))
			die("the replay failed");
		if (i % 4096 == 0) {
			uint64_t pool = replay_pool_pages(r) * 4, rss = rss_anon_kib() - before;

			if (rss > pool && rss - pool > most) {
				most = rss - pool;
				pool_kib = pool;
			}
		}
	}
	wall = replay_monotonic_ns(NULL) - start;
	replay_collect(r);
	printf("a replay by itself: wall %.3f s, of which in calls %.1f %%, reading the trace %.1f "
	       "%%, "
	       "comparing %.1f %%\n",
	       (double)wall / 1e9, 100.0 * (double)b->result->op_ns / (double)wall,
	       100.0 * (double)b->result->read_ns / (double)wall,
	       100.0 * (double)b->result->verify_ns / (double)wall);
	printf("anonymous memory beyond the live pool: at most %.1f MiB (pool then %.1f MiB, at "
	       "its "
	       "largest %.1f MiB)\n",
	       (double)most / 1024, (double)pool_kib / 1024,
	       (double)b->result->pool_peak.pages / 256);
	replay_destroy(r);
	replay_result_finish(b->result);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? atoi(argv[2]) : 3;
	struct replay_config config;
	struct profile profile;
	struct trace_error err;
	struct bench b = {0};
	char text[256];

	if (argc < 2 || rounds < 1 || rounds > 1000)
		die("usage: bench_replay TRACE [ROUNDS]");
	replay_config_init(&config);
	if (profile_init(&profile, PROFILE_DEFAULT, text, sizeof(text)))
		die(text);
	config.profile = &profile;
	config.crypto = backends_registry();
	config.totalram_pages = 1ull << 26;
	if (trace_reader_open(argv[1], &b.reader, &err))
		die(err.message);
	b.info = trace_reader_info(b.reader);
	b.result = malloc(sizeof(*b.result));
	if (!b.result)
		die("out of memory");
	report_whole(&b, &config);

	b.bare = bare_create(&(struct bare_config){.nr_slots = b.info->nr_events,
						   .params_hint = profile.zstd.params_hint});
	b.first = calloc(b.info->nr_events, sizeof(*b.first));
	b.chunks = calloc((b.info->nr_events / CHUNK_EVENTS + 1) * rounds, sizeof(*b.chunks));
	if (!b.first || !b.chunks)
		die("out of memory");
	note_paths(&b, &config);
	for (unsigned round = 0; round < rounds; round++)
		run_round(&b, &config, round);
	report_speed(&b);
	bare_destroy(b.bare);
	free(b.first);
	free(b.chunks);
	free(b.result);
	trace_reader_close(b.reader);
	return 0;
}
