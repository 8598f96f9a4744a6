// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether what compare prints of a change is what the change does: eager against deferred, and
 * against contexts without CPUID (zstd.cpuid=once), by compare and by a bare loop over libzstd that
 * builds the same contexts for the same pages. Both in one run, chunk by chunk. The bare loop's
 *times go through the same statistics.
 *
 *	bench_compare TRACE [ROUNDS]
 *
 * Exit status 1 if a delta of a request differs from the bare one by more than 2 percentage points.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/registry.h"
#include "sim/compare_samples.h"
#include "sim/slots.h"
#include "tests/bare_zstd.h"

#define LIMIT 2.0 /* percentage points */

enum { EAGER, DEFERRED, ONCE, NR_SETTINGS };

static const char *const names[NR_SETTINGS] = {"eager", "deferred", "once"};

struct bench {
	struct trace_reader *reader;
	struct compare_config config;
	struct profile profile[NR_SETTINGS];
	struct compare_plan plan;
	struct compare_samples samples[NR_SETTINGS];
	struct bare_zstd *bare[NR_SETTINGS];
	uint64_t chunk;	 /* the last one */
	uint16_t *first; /* by page of the plan: bytes in an object's first page, 0: it is in one */
	struct trace_error err;
};

static void die(const char *what)
{
	fprintf(stderr, "bench_compare: %s\n", what);
	exit(2);
}

static void must(struct bench *b, int ret)
{
	if (ret)
		die(b->err.message[0] ? b->err.message : "out of memory");
}

static void event(struct bench *b, uint64_t i, struct trace_event *ev)
{
	must(b, trace_reader_event(b->reader, i, ev, &b->err));
	if (ev->order || ev->swap_type)
		die("a trace of 4K folios on one swap device is needed");
}

/* Which loads stream, and where: by a replay of its own. */
static void note_paths(struct bench *b)
{
	struct replay_result *result = calloc(1, sizeof(*result));
	struct replay *r = NULL;
	uint64_t page = 0;

	if (!result)
		die("out of memory");
	must(b, replay_create(&b->config.settings[EAGER], b->reader, result, &b->err, &r));
	for (uint64_t i = 0; i < b->plan.nr_events; i++) {
		struct zpool_location loc;
		struct trace_event ev;

		event(b, i, &ev);
		if (ev.type == TRACE_LOAD && replay_locate(r, ev.swap_type, ev.offset, &loc) &&
		    loc.straddles)
			b->first[page] = TRACE_PAGE_SIZE - loc.offset;
		page += ev.type == TRACE_STORE || ev.type == TRACE_LOAD;
		must(b, replay_step(r, i, &ev));
	}
	replay_destroy(r);
	replay_result_finish(result);
	free(result);
}

static enum zswap_path store(struct bench *b, unsigned s, const struct trace_event *ev,
			     uint64_t *ns)
{
	const void *data;
	uint32_t id;

	must(b, trace_reader_store_pages(b->reader, ev, &id, &b->err));
	must(b, trace_reader_page(b->reader, id, &data, &b->err));
	*ns = bare_store(b->bare[s], ev->offset, data);
	return bare_length(b->bare[s], ev->offset) == TRACE_PAGE_SIZE ? ZSWAP_PATH_RAW
								      : ZSWAP_PATH_ONESHOT;
}

static enum zswap_path load(struct bench *b, unsigned s, const struct trace_event *ev,
			    unsigned first, uint64_t *ns)
{
	*ns = bare_load(b->bare[s], ev->offset, first);
	if (bare_length(b->bare[s], ev->offset) == TRACE_PAGE_SIZE)
		return ZSWAP_PATH_RAW;
	return first ? ZSWAP_PATH_STREAM : ZSWAP_PATH_ONESHOT;
}

/* Zero pages are noted as pages that the codec never saw. */
static void bare_page(struct bench *b, unsigned s, unsigned round, uint64_t page,
		      const struct trace_event *ev)
{
	struct compare_samples *samples = &b->samples[s];
	struct compare_note note = {0};
	enum zswap_path path;
	uint64_t ns;

	if (ev->type == TRACE_STORE) {
		path = store(b, s, ev, &ns);
	} else {
		path = load(b, s, ev, b->first[page], &ns);
		note.flags = COMPARE_NOTE_LOAD;
	}
	if (!bare_length(b->bare[s], ev->offset))
		return;
	note.path = 1 + path;
	if (ev->type == TRACE_STORE || path != ZSWAP_PATH_RAW)
		note.flags |= COMPARE_NOTE_REQUEST;
	samples->note[page] = note;
	samples->page_ns[round * b->plan.nr_pages + page] = ns;
	samples->request_ns[round * b->plan.nr_pages + page] = ns;
}

static void bare_chunk(struct bench *b, unsigned s, unsigned round,
		       const struct compare_span *chunk)
{
	uint64_t page = chunk[0].page;

	for (uint64_t i = chunk[0].event; i < chunk[1].event; i++) {
		struct trace_event ev;

		event(b, i, &ev);
		if (ev.type == TRACE_STORE || ev.type == TRACE_LOAD)
			bare_page(b, s, round, page++, &ev);
	}
}

/* Of compare, after its own; the plan is the same, and so are the chunks. */
static void bare_chunk_of_all(void *arg, unsigned round, uint64_t first, uint64_t end)
{
	struct bench *b = arg;
	uint64_t c = first ? b->chunk + 1 : 0, turn = round + c;

	if (b->plan.chunk[c].event != first || b->plan.chunk[c + 1].event != end)
		die("compare cuts the trace in another way");
	for (unsigned k = 0; k < NR_SETTINGS; k++) {
		unsigned at = turn / NR_SETTINGS % 2 ? NR_SETTINGS - k : k;

		bare_chunk(b, (turn + at) % NR_SETTINGS, round, &b->plan.chunk[c]);
	}
	b->chunk = c;
}

static void setup(struct bench *b, unsigned rounds)
{
	static const char *const change[NR_SETTINGS] = {
		"zstd.stream_init=eager", "zstd.stream_init=deferred", "zstd.cpuid=once"};
	struct compare_config *config = &b->config;
	char text[256];

	bootstrap_config_init(&config->bootstrap);
	config->nr_settings = NR_SETTINGS;
	config->rounds = rounds;
	must(b, compare_plan_init(&b->plan, b->reader, NR_SETTINGS, &b->err));
	b->first = calloc(b->plan.nr_pages + 1, sizeof(*b->first));
	if (!b->first)
		die("out of memory");
	for (unsigned s = 0; s < NR_SETTINGS; s++) {
		struct replay_config *setting = &config->settings[s];

		if (profile_init(&b->profile[s], PROFILE_DEFAULT, text, sizeof(text)) ||
		    profile_set(&b->profile[s], change[s], text, sizeof(text)))
			die(text);
		replay_config_init(setting);
		setting->profile = &b->profile[s];
		setting->crypto = backends_registry();
		setting->totalram_pages = 1ull << 26;
		must(b, compare_samples_init(&b->samples[s], &b->plan, rounds));
		b->bare[s] = bare_create(&(struct bare_config){
			.nr_slots = b->plan.nr_pages,
			.params_hint = b->profile[s].zstd.params_hint,
			.deferred = s == DEFERRED,
			.restored = s == ONCE,
		});
	}
}

/* Returns whether they are within the limit, if this row is held to it. */
static bool report_row(const char *what, const struct compare_delta *by_compare,
		       const struct compare_delta *by_bare, bool held)
{
	double points = by_compare->percent - by_bare->percent;

	if (isnan(points))
		return true;
	printf("measured  %-38s %+7.2f %%  [%+7.2f, %+7.2f]   %+7.2f %%  [%+7.2f, %+7.2f]  "
	       "%+6.2f%s\n",
	       what, by_compare->percent, by_compare->percent_interval.low,
	       by_compare->percent_interval.high, by_bare->percent, by_bare->percent_interval.low,
	       by_bare->percent_interval.high, points,
	       !held		       ? ""
	       : fabs(points) <= LIMIT ? "  within 2"
				       : "  NOT within 2");
	return !held || fabs(points) <= LIMIT;
}

static bool report(const struct compare_result *compared, const struct compare_result *bare)
{
	static const struct {
		const char *name;
		enum compare_row compare, bare;
		bool held;
	} row[] = {
		{"compress requests", COMPARE_COMPRESS_ALL, COMPARE_COMPRESS_ALL, true},
		{"decompress requests", COMPARE_DECOMPRESS_ALL, COMPARE_DECOMPRESS_ALL, true},
		{"decompress one-shot", COMPARE_DECOMPRESS, COMPARE_DECOMPRESS, false},
		{"pages stored in zswap", COMPARE_STORE_ALL, COMPARE_STORE_ALL, false},
		{"pages loaded from zswap", COMPARE_LOAD_ALL, COMPARE_LOAD_ALL, false},
	};
	bool good = true;

	printf("%-48s %9s  %20s   %9s  %18s  %6s\n", "", "compare", "95 % interval", "bare loop",
	       "95 % interval", "points");
	for (unsigned s = 1; s < NR_SETTINGS; s++) {
		for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
			char what[64];

			snprintf(what, sizeof(what), "%s -> %s, %s", names[EAGER], names[s],
				 row[i].name);
			good &= report_row(what, &compared->setting[s].delta[row[i].compare],
					   &bare->setting[s].delta[row[i].bare], row[i].held);
		}
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? atoi(argv[2]) : 7;
	struct compare_result *compared = calloc(1, sizeof(*compared));
	struct compare_result *bare = calloc(1, sizeof(*bare));
	struct bench b = {0};
	bool good;

	if (argc < 2 || rounds < 2 || rounds > COMPARE_MAX_ROUNDS)
		die("usage: bench_compare TRACE [ROUNDS]");
	if (!compared || !bare)
		die("out of memory");
	must(&b, trace_reader_open(argv[1], &b.reader, &b.err));
	setup(&b, rounds);
	note_paths(&b);

	b.config.after_chunk = bare_chunk_of_all;
	b.config.after_chunk_arg = &b;
	must(&b, compare_run(&b.config, b.reader, compared, &b.err));
	must(&b, compare_rows(&b.config, &b.plan, b.samples, bare));
	printf("%s: %" PRIu64 " pages, %u rounds; deltas in per cent of eager, the difference in "
	       "percentage points\n",
	       argv[1], b.plan.out_pages, rounds);
	good = report(compared, bare);

	for (unsigned s = 0; s < NR_SETTINGS; s++) {
		compare_samples_finish(&b.samples[s]);
		bare_destroy(b.bare[s]);
	}
	compare_result_finish(compared);
	free(compared);
	free(bare);
	free(b.first);
	compare_plan_finish(&b.plan);
	trace_reader_close(b.reader);
	return !good;
}
