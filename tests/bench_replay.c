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
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/replay.h"
#include "sim/slots.h"

#define CHUNK_EVENTS 256
#define RESAMPLES    2000
#define WKSP_SIZE    (2u << 20)

struct bare_object {
	uint16_t length; /* 4096: kept as it is */
	uint8_t bytes[];
};

struct bare {
	struct trace_reader *reader;
	char *wksp;
	uint8_t *out, *in;
	struct bare_object **objects; /* by slot */
	ZSTD_parameters params;
	uint64_t ns, pages;
};

struct chunk {
	uint64_t replay_ns, bare_ns;
	uint64_t pages;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_replay: %s\n", what);
	exit(2);
}

static void must(size_t ret)
{
	if (ZSTD_isError(ret))
		die(ZSTD_getErrorName(ret));
}

/* The set-up that lib/zstd does for every compression: twelve steps. */
static void set_up(ZSTD_CCtx *c, const ZSTD_parameters *p, unsigned long long pledged)
{
	must(ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters));
	must(ZSTD_CCtx_setPledgedSrcSize(c, pledged));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, p->cParams.windowLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_hashLog, p->cParams.hashLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_chainLog, p->cParams.chainLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_searchLog, p->cParams.searchLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, p->cParams.minMatch));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_targetLength, p->cParams.targetLength));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, p->cParams.strategy));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, p->fParams.contentSizeFlag));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, p->fParams.checksumFlag));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_dictIDFlag, !p->fParams.noDictIDFlag));
}

static bool is_zero(const uint8_t *page)
{
	return !page[0] && !memcmp(page, page + 1, TRACE_PAGE_SIZE - 1);
}

static void bare_store(struct bare *b, const struct trace_event *ev)
{
	struct trace_error err;
	const void *data;
	uint32_t id;
	uint64_t start;
	ZSTD_CCtx *c;
	size_t n;

	if (trace_reader_store_pages(b->reader, ev, &id, &err) ||
	    trace_reader_page(b->reader, id, &data, &err))
		die(err.message);
	free(b->objects[ev->offset]);
	b->objects[ev->offset] = NULL;
	b->pages++;
	memcpy(b->in, data, TRACE_PAGE_SIZE);
	start = replay_monotonic_ns(NULL);
	if (is_zero(b->in)) {
		b->ns += replay_monotonic_ns(NULL) - start;
		return;
	}
	c = ZSTD_initStaticCStream(b->wksp, WKSP_SIZE);
	set_up(c, &b->params, ZSTD_CONTENTSIZE_UNKNOWN);
	c = ZSTD_initStaticCCtx(b->wksp, WKSP_SIZE);
	set_up(c, &b->params, TRACE_PAGE_SIZE);
	n = ZSTD_compress2(c, b->out, TRACE_PAGE_SIZE, b->in, TRACE_PAGE_SIZE);
	b->ns += replay_monotonic_ns(NULL) - start;
	if (ZSTD_isError(n))
		n = TRACE_PAGE_SIZE;
	b->objects[ev->offset] = malloc(sizeof(struct bare_object) + n);
	if (!b->objects[ev->offset])
		die("out of memory");
	b->objects[ev->offset]->length = n;
	memcpy(b->objects[ev->offset]->bytes, n == TRACE_PAGE_SIZE ? b->in : b->out, n);
}

/* In the two parts that the object lay in, as the replay's request had it. */
static void stream(struct bare *b, const struct bare_object *object, unsigned first)
{
	ZSTD_DStream *d = ZSTD_initStaticDStream(b->wksp, WKSP_SIZE);
	ZSTD_outBuffer out = {b->out, TRACE_PAGE_SIZE, 0};
	ZSTD_inBuffer in = {object->bytes, first, 0};

	must(ZSTD_decompressStream(d, &out, &in));
	in.size = object->length;
	must(ZSTD_decompressStream(d, &out, &in));
}

static void bare_load(struct bare *b, const struct trace_event *ev, bool streams, unsigned first)
{
	struct bare_object *object = b->objects[ev->offset];
	uint64_t start = replay_monotonic_ns(NULL);

	b->pages++;
	if (!object) {
		memset(b->out, 0, TRACE_PAGE_SIZE);
	} else if (object->length == TRACE_PAGE_SIZE) {
		memcpy(b->out, object->bytes, TRACE_PAGE_SIZE);
	} else if (streams) {
		stream(b, object, first);
	} else {
		ZSTD_initStaticDStream(b->wksp, WKSP_SIZE);
		must(ZSTD_decompressDCtx(ZSTD_initStaticDCtx(b->wksp, WKSP_SIZE), b->out,
					 TRACE_PAGE_SIZE, object->bytes, object->length));
	}
	b->ns += replay_monotonic_ns(NULL) - start;
}

struct bench {
	struct trace_reader *reader;
	const struct trace_info *info;
	struct replay *replay;
	struct replay_result *result;
	struct bare bare;
	uint8_t *streams; /* by event: 1 if the load streams */
	uint16_t *first;  /* by event: bytes of the object in its first page */
	struct chunk *chunks;
	unsigned nr_chunks;
};

static void run_replay(struct bench *b, uint64_t from, uint64_t to, bool note)
{
	struct trace_error err;

	for (uint64_t i = from; i < to; i++) {
		struct trace_event ev;
		struct zs_obj_location loc;

		if (trace_reader_event(b->reader, i, &ev, &err))
			die(err.message);
		if (note && ev.type == TRACE_LOAD &&
		    replay_locate(b->replay, ev.swap_type, ev.offset, &loc) && loc.straddles) {
			b->streams[i] = 1;
			b->first[i] = TRACE_PAGE_SIZE - loc.offset;
		}
		if (replay_step(b->replay, i, &ev))
			die("the replay failed");
	}
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
		if (ev.type == TRACE_STORE)
			bare_store(&b->bare, &ev);
		else if (ev.type == TRACE_LOAD)
			bare_load(&b->bare, &ev, b->streams[i], b->first[i]);
	}
}

/* Loads' paths are noted by the replay first; then the order of the two alternates. */
static void run_chunk(struct bench *b, uint64_t from, uint64_t to, bool replay_first)
{
	struct chunk *c = &b->chunks[b->nr_chunks++];
	uint64_t replay_ns = b->result->op_ns, bare_ns = b->bare.ns, pages = b->bare.pages;

	if (replay_first)
		run_replay(b, from, to, false);
	run_bare(b, from, to);
	if (!replay_first)
		run_replay(b, from, to, false);
	c->replay_ns = b->result->op_ns - replay_ns;
	c->bare_ns = b->bare.ns - bare_ns;
	c->pages = b->bare.pages - pages;
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
	printf("a replay by itself: wall %.3f s, of which in calls %.1f %%, reading the trace %.1f %%, "
	       "comparing %.1f %%\n",
	       (double)wall / 1e9, 100.0 * (double)b->result->op_ns / (double)wall,
	       100.0 * (double)b->result->read_ns / (double)wall,
	       100.0 * (double)b->result->verify_ns / (double)wall);
	printf("anonymous memory beyond the live pool: at most %.1f MiB (pool then %.1f MiB, at its "
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

	b.bare.reader = b.reader;
	b.bare.params = ZSTD_getParams(3, profile.zstd.params_hint, 0);
	b.bare.wksp = malloc(WKSP_SIZE);
	b.bare.out = malloc(TRACE_PAGE_SIZE);
	b.bare.in = malloc(TRACE_PAGE_SIZE);
	b.bare.objects = calloc(b.info->nr_events, sizeof(*b.bare.objects));
	b.streams = calloc(b.info->nr_events, 1);
	b.first = calloc(b.info->nr_events, sizeof(*b.first));
	b.chunks = calloc((b.info->nr_events / CHUNK_EVENTS + 1) * rounds, sizeof(*b.chunks));
	if (!b.bare.wksp || !b.bare.out || !b.bare.in || !b.bare.objects || !b.streams ||
	    !b.first || !b.chunks)
		die("out of memory");
	note_paths(&b, &config);
	for (unsigned round = 0; round < rounds; round++)
		run_round(&b, &config, round);
	report_speed(&b);
	for (uint64_t i = 0; i < b.info->nr_events; i++)
		free(b.bare.objects[i]);
	free(b.bare.objects);
	free(b.bare.wksp);
	free(b.bare.out);
	free(b.bare.in);
	free(b.streams);
	free(b.first);
	free(b.chunks);
	free(b.result);
	trace_reader_close(b.reader);
	return 0;
}
