// SPDX-License-Identifier: GPL-2.0-or-later
/* Policy mode against measure mode: every count, on every kind of trace, preset and compressor. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/lengths.h"
#include "sim/replay_private.h"
#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/same_counts.h"
#include "tests/test.h"
#include "tests/trace_file.h"
#include "traces/build.h"
#include "traces/maker.h"
#include "traces/synth.h"

/* What a run can be told besides its kernel. Pools of some dozens of pages: every limit is met. */
enum settings { DEFAULTS, TIGHT, SCENARIO, NR_SETTINGS };

static const char *scenario_path(void)
{
	static const char text[] = "[zswap]\nmax_pool_percent = 40\naccept_threshold_percent = 60\n"
				   "[memcg /a]\nfrom = offset 0-39\nzswap.max = 24K\n"
				   "[memcg /b]\nzswap.max = 64K\n"
				   "[memcg /b/c]\nfrom = offset 40-90\nzswap.writeback = 0\n"
				   "[at 100]\nmax_pool_percent = 20\n"
				   "memcg /a zswap.max = max\n"
				   "[at 150]\nmemcg /a = offline\nshrinker_enabled = 1\n"
				   "[at 200]\nmemcg /b/c zswap.writeback = 1\n";
	const char *path = scratch_path("s.ini");
	struct bytes b = {(uint8_t *)text, strlen(text)};

	bytes_write(&b, path);
	return path;
}

static void settings_of(enum settings which, struct replay_config *config)
{
	char err[256];

	replay_config_init(config);
	config->crypto = backends_registry();
	if (which == DEFAULTS)
		return;
	config->totalram_pages = 100;
	config->given = REPLAY_GIVEN_TOTALRAM;
	if (which == SCENARIO) {
		config->scenario = scenario_path();
		return;
	}
	config->max_pool_percent = 15;
	config->nr_nodes = 2;
	config->shrinker_enabled = true;
	config->given |= REPLAY_GIVEN_NODES;
	assert_int_equal(swap_model_parse("nvme", &config->swap_model, err, sizeof(err)), 0);
}

/* @trace under every preset, with one change of it ("": none), in these settings. */
static void run_presets_with(const char *set, const char *trace, const char *compressor,
			     unsigned settings, struct same_totals *totals)
{
	struct trace_reader *reader;
	struct trace_error err;

	assert_ok(trace_reader_open(trace, &reader, &err), &err);
	for (const char *const *kernel = profile_presets(); *kernel; kernel++) {
		struct lengths_config lc = {.crypto = backends_registry(),
					    .compressor = compressor};
		struct lengths *lengths;
		struct profile profile;
		char text[256];

		assert_int_equal(profile_init(&profile, *kernel, text, sizeof(text)), 0);
		if (*set)
			assert_int_equal(profile_set(&profile, set, text, sizeof(text)), 0);
		lc.profile = &profile;
		assert_ok(lengths_open(trace, reader, &lc, &lengths, &err), &err);
		for (unsigned which = 0; which < NR_SETTINGS; which++) {
			struct replay_config config;

			if (!(settings & 1u << which))
				continue;
			settings_of(which, &config);
			config.profile = &profile;
			config.compressor = compressor;
			run_both_modes(trace, reader, &config, lengths, totals);
		}
		lengths_close(lengths);
	}
	trace_reader_close(reader);
}

static void run_presets(const char *trace, const char *compressor, unsigned settings,
			struct same_totals *totals)
{
	run_presets_with("", trace, compressor, settings, totals);
}

/* ---- traces ---- */

#define NR_PAGES 160u

/* Of made-up pages: zeros, text, random in part and in full. */
static const char *make_pattern(const struct trace_pattern_config *pattern)
{
	struct trace_maker_config config = {.path = scratch_path("t.bin"),
					    .maker = "test",
					    .command = "",
					    .title = "",
					    .pattern = *pattern};
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_maker *maker;
	struct trace_error err;
	struct trace_made made;

	config.pattern.nr_cpus = config.pattern.nr_cpus ? config.pattern.nr_cpus : 1;
	assert_ok(trace_maker_create(&config, &maker, &err), &err);
	for (uint32_t i = 0; i < NR_PAGES; i++) {
		/* Some contents are there twice, and some folios are zero in part or in full. */
		content_fill(page, i % 16 < 3 || i / 16 == 4 ? 0 : i % 100);
		assert_ok(trace_maker_page(maker, page, &err), &err);
		if (i % 64 == 50)
			assert_ok(trace_maker_file_end(maker, &err), &err);
	}
	assert_ok(trace_maker_file_end(maker, &err), &err);
	assert_ok(trace_maker_commit(maker, &made, &err), &err);
	return config.path;
}

static const struct trace_pattern_config patterns[] = {
	{.kind = TRACE_PATTERN_MADVISE},
	{.kind = TRACE_PATTERN_MADVISE, .folio_order = 4, .nr_cpus = 3},
	{.kind = TRACE_PATTERN_RANDOM, .seed = 1, .nr_cpus = 4},
	{.kind = TRACE_PATTERN_RANDOM, .seed = 2, .folio_order = 4},
	{.kind = TRACE_PATTERN_ZIPF, .zipf_a = 0.9, .seed = 3},
	{.kind = TRACE_PATTERN_LOOP, .seed = 4},
	{.kind = TRACE_PATTERN_BURST, .seed = 5, .scan = 64},
};

static void it_is_the_same_on_every_pattern_under_every_preset(void **state)
{
	struct same_totals totals = {0};

	for (unsigned i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		run_presets(make_pattern(&patterns[i]), "zstd", 7, &totals);
	print_message("# %u runs; pages written back %u, refused %u, loaded streamed %u, raw %u\n",
		      (unsigned)totals.runs, (unsigned)totals.written_back,
		      (unsigned)totals.refused, (unsigned)totals.streamed, (unsigned)totals.raw);
	/* Nothing is shown by runs that exercise nothing. */
	assert_true(totals.written_back > 1000);
	assert_true(totals.refused > 1000);
	assert_true(totals.streamed > 100);
	assert_true(totals.raw > 1000);
	assert_int_equal(totals.errors, 0);
}

static void it_is_the_same_with_every_compressor(void **state)
{
	const struct acomp_alg *const *alg = backends_registry()->algs;
	struct same_totals totals = {0};

	for (; *alg; alg++) {
		if ((*alg)->refused)
			continue;
		run_presets(make_pattern(&patterns[2]), (*alg)->cra_name, 1 << TIGHT, &totals);
		run_presets(make_pattern(&patterns[1]), (*alg)->cra_name, 1 << DEFAULTS, &totals);
	}
	assert_int_equal(totals.errors, 0);
}

/* Whole folios, of which those of three CPUs meet streams that are not there yet. */
static void it_is_the_same_under_every_proposal_for_batching(void **state)
{
	static const char *const proposals[] = {"zswap.batching=requests",
						"zswap.batching=segmented", "zswap.batching=folio"};
	struct same_totals totals = {0};

	for (unsigned i = 0; i < sizeof(proposals) / sizeof(*proposals); i++) {
		const struct acomp_alg *const *alg = backends_registry()->algs;

		for (; *alg; alg++) {
			if ((*alg)->refused)
				continue;
			run_presets_with(proposals[i], make_pattern(&patterns[1]), (*alg)->cra_name,
					 1 << DEFAULTS | 1 << TIGHT, &totals);
		}
	}
	assert_true(totals.refused > 1000);
	assert_int_equal(totals.errors, 0);
}

static void it_is_the_same_on_synthetic_pages(void **state)
{
	static const char *const profiles[] = {"silesia", "half", "random-or-zero"};
	struct trace_maker_config maker = {
		.path = scratch_path("t.bin"),
		.maker = "test",
		.command = "",
		.title = "",
		.pattern = {
			.kind = TRACE_PATTERN_ZIPF, .zipf_a = 0.8, .nr_cpus = 2, .nr_events = 600}};
	struct same_totals totals = {0};

	for (unsigned i = 0; i < 3; i++) {
		struct synth_config config = {.profile = profiles[i], .nr_pages = 150, .seed = 9};
		struct trace_maker *m;
		struct trace_error err;
		struct trace_made made;
		struct synth *synth;

		if (i == 0)
			config.nr_pages = 0;
		assert_ok(synth_create(&config, &synth, &err), &err);
		assert_ok(trace_maker_create(&maker, &m, &err), &err);
		/* The default trace is these, 27323 of them. */
		for (unsigned page = 0; page < 150; page++) {
			uint8_t data[SYNTH_PAGE_BYTES];
			bool file_ends;

			assert_int_equal(synth_next(synth, data, &file_ends), 1);
			assert_ok(trace_maker_page(m, data, &err), &err);
		}
		assert_ok(trace_maker_file_end(m, &err), &err);
		assert_ok(trace_maker_commit(m, &made, &err), &err);
		synth_destroy(synth);
		run_presets(maker.path, "zstd", 1 << DEFAULTS | 1 << TIGHT, &totals);
	}
	assert_int_equal(totals.errors, 0);
}

static void it_is_the_same_on_a_silesia_file(void **state)
{
	const char *dir = getenv("ZSWAPSIM_SILESIA");
	struct trace_maker_config maker = {
		.path = scratch_path("t.bin"),
		.maker = "test",
		.command = "",
		.title = "",
		.pattern = {.kind = TRACE_PATTERN_RANDOM, .nr_cpus = 2, .nr_events = 1500}};
	struct trace_build_config build = {.nr_inputs = 1};
	struct same_totals totals = {0};
	struct trace_error err;
	struct trace_made made;
	const char *input;
	char path[4096];

	snprintf(path, sizeof(path), "%s/ooffice.zst", dir ? dir : "");
	if (!dir || access(path, R_OK)) {
		print_message("# SKIP there is no ooffice.zst in $ZSWAPSIM_SILESIA\n");
		skip();
	}
	input = path;
	build.inputs = &input;
	assert_ok(trace_build(&build, &maker, &made, &err), &err);
	run_presets(maker.path, "zstd", 1 << DEFAULTS, &totals);
	assert_true(totals.streamed > 0);
	assert_int_equal(totals.errors, 0);
}

/* ---- samples ---- */

struct samples {
	struct replay_sample sample[300];
	struct zswap_stats zswap[300];
	struct swap_io_stats swap[300];
	unsigned nr;
};

static void note_sample(void *arg, const struct replay_sample *sample)
{
	struct samples *s = arg;

	assert_true(s->nr < 300);
	s->zswap[s->nr] = *sample->zswap;
	s->swap[s->nr] = *sample->swap;
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		struct zswap_account *a = &s->zswap[s->nr].dir[dir];

		a->init_ns = a->codec_ns = a->copy_ns = 0;
	}
	s->sample[s->nr] = *sample;
	s->sample[s->nr].zswap = NULL;
	s->sample[s->nr].swap = NULL;
	s->sample[s->nr++].dev = NULL;
}

static void samples_along_the_way_are_the_same(void **state)
{
	struct samples *s = calloc(2, sizeof(*s));
	const char *trace = make_pattern(&patterns[6]);
	struct lengths_config lc = {.crypto = backends_registry()};
	struct replay_result *result = malloc(sizeof(*result));
	struct trace_reader *reader;
	struct replay_config config;
	struct lengths *lengths;
	struct profile profile;
	struct trace_error err;
	char text[256];

	assert_int_equal(profile_init(&profile, "7.3", text, sizeof(text)), 0);
	lc.profile = &profile;
	assert_ok(trace_reader_open(trace, &reader, &err), &err);
	assert_ok(lengths_open(trace, reader, &lc, &lengths, &err), &err);
	settings_of(TIGHT, &config);
	config.profile = &profile;
	config.lengths = lengths;
	config.sample_interval = 7;
	config.sample = note_sample;
	for (unsigned mode = REPLAY_MEASURE; mode <= REPLAY_POLICY; mode++) {
		config.mode = mode;
		config.sample_arg = &s[mode];
		assert_ok(replay_run(&config, reader, result, &err), &err);
		replay_result_finish(result);
	}
	assert_true(s[0].nr > 50);
	assert_int_equal(s[0].nr, s[1].nr);
	assert_memory_equal(s[0].sample, s[1].sample, sizeof(s[0].sample));
	assert_memory_equal(s[0].zswap, s[1].zswap, sizeof(s[0].zswap));
	assert_memory_equal(s[0].swap, s[1].swap, sizeof(s[0].swap));
	lengths_close(lengths);
	trace_reader_close(reader);
	free(result);
	free(s);
}

/* ---- what policy mode itself promises ---- */

struct policy_rig {
	struct trace_reader *reader;
	struct lengths *lengths;
	struct replay_config config;
	struct profile profile;
	struct replay_result *result;
	struct trace_error err;
};

static void rig_begin(struct policy_rig *rig, const char *trace, enum replay_mode mode)
{
	struct lengths_config lc = {
		.crypto = backends_registry(), .profile = &rig->profile, .no_file = true};
	char text[256];

	assert_int_equal(profile_init(&rig->profile, "7.3", text, sizeof(text)), 0);
	assert_ok(trace_reader_open(trace, &rig->reader, &rig->err), &rig->err);
	assert_ok(lengths_open(trace, rig->reader, &lc, &rig->lengths, &rig->err), &rig->err);
	settings_of(DEFAULTS, &rig->config);
	rig->config.mode = mode;
	rig->config.lengths = rig->lengths;
	rig->config.profile = &rig->profile;
	rig->result = malloc(sizeof(*rig->result));
	assert_non_null(rig->result);
}

static void rig_end(struct policy_rig *rig)
{
	lengths_close(rig->lengths);
	trace_reader_close(rig->reader);
	free(rig->result);
}

/* The record of what was stored says another page, as if zswap had mixed two up. */
static void a_load_of_another_page_is_a_mismatch_in_both_modes(void **state)
{
	char first_failure[2][256];
	struct draft d;

	draft_begin(&d);
	draft_store(&d, 1, 4);
	draft_store(&d, 2, 5);
	draft_store(&d, 3, 0);
	for (unsigned slot = 1; slot <= 3; slot++)
		draft_load(&d, slot);
	draft_commit(&d);
	for (unsigned mode = REPLAY_MEASURE; mode <= REPLAY_POLICY; mode++) {
		struct policy_rig rig;
		struct replay *r;

		rig_begin(&rig, d.path, mode);
		assert_ok(replay_create(&rig.config, rig.reader, rig.result, &rig.err, &r),
			  &rig.err);
		for (uint64_t i = 0; i < 6; i++) {
			struct trace_event ev;

			assert_ok(trace_reader_event(rig.reader, i, &ev, &rig.err), &rig.err);
			if (i == 3) {
				assert_int_equal(slots_set(r->slots, 0, 1, 1, false), 0);
				assert_int_equal(slots_set(r->slots, 0, 3, 0, false), 0);
			}
			assert_ok(replay_step(r, i, &ev), &rig.err);
		}
		assert_int_equal(rig.result->counts.verified_pages, 3);
		assert_int_equal(rig.result->counts.mismatched_pages, 2);
		snprintf(first_failure[mode], sizeof(first_failure[mode]), "%s",
			 rig.result->first_failure);
		replay_destroy(r);
		replay_result_finish(rig.result);
		rig_end(&rig);
	}
	/* In policy mode the page's number is not kept. */
	assert_non_null(strstr(first_failure[0], first_failure[1]));
	draft_end(&d);
}

/* Blocks of pages are damaged after the lengths were made: nobody notices. */
static void no_contents_are_read(void **state)
{
	const char *trace = make_pattern(&patterns[2]);
	struct bytes b = bytes_read(trace);
	struct trace_reader *damaged;
	struct policy_rig rig;

	rig_begin(&rig, trace, REPLAY_POLICY);
	memset(b.data + section_offset(&b, ZSWT_BLOCKS), 0xff, 1000);
	bytes_write(&b, scratch_path("damaged.bin"));
	assert_ok(trace_reader_open(scratch_path("damaged.bin"), &damaged, &rig.err), &rig.err);
	assert_ok(replay_run(&rig.config, damaged, rig.result, &rig.err), &rig.err);
	assert_true(rig.result->counts.verified_pages > 100);
	assert_int_equal(rig.result->counts.mismatched_pages, 0);
	replay_result_finish(rig.result);
	rig.config.mode = REPLAY_MEASURE;
	assert_int_equal(replay_run(&rig.config, damaged, rig.result, &rig.err), -EINVAL);
	assert_non_null(strstr(rig.err.message, "is damaged"));
	trace_reader_close(damaged);
	free(b.data);
	rig_end(&rig);
}

static void other_lengths_give_other_counts(void **state)
{
	struct policy_rig rig;
	struct zpool_usage peak;
	int16_t *values;

	rig_begin(&rig, make_pattern(&patterns[0]), REPLAY_POLICY);
	assert_ok(replay_run(&rig.config, rig.reader, rig.result, &rig.err), &rig.err);
	peak = rig.result->pool_peak;
	replay_result_finish(rig.result);
	values = (int16_t *)rig.lengths->values;
	for (uint64_t id = 0; id < rig.lengths->nr_pages; id++) {
		if (values[id] > 1) {
			values[id]--;
			break;
		}
	}
	assert_ok(replay_run(&rig.config, rig.reader, rig.result, &rig.err), &rig.err);
	assert_memory_not_equal(&peak, &rig.result->pool_peak, sizeof(peak));
	replay_result_finish(rig.result);
	rig_end(&rig);
}

struct worker {
	struct policy_rig *rig;
	struct replay_result *result;
	pthread_t thread;
	int ret;
};

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	struct trace_reader *reader;
	struct trace_error err;

	w->ret = trace_reader_clone(w->rig->reader, &reader, &err);
	if (w->ret)
		return NULL;
	w->ret = replay_run(&w->rig->config, reader, w->result, &err);
	trace_reader_close(reader);
	return NULL;
}

static void threads_share_one_set_of_lengths(void **state)
{
	struct worker workers[4];
	struct policy_rig rig;

	rig_begin(&rig, make_pattern(&patterns[6]), REPLAY_POLICY);
	rig.config.totalram_pages = 100;
	assert_ok(replay_run(&rig.config, rig.reader, rig.result, &rig.err), &rig.err);
	for (unsigned i = 0; i < 4; i++) {
		workers[i] = (struct worker){.rig = &rig, .result = malloc(sizeof(*rig.result))};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]),
				 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].ret, 0);
		assert_same_counts(rig.result, workers[i].result, &rig.profile);
		replay_result_finish(workers[i].result);
		free(workers[i].result);
	}
	replay_result_finish(rig.result);
	rig_end(&rig);
}

static void lengths_must_be_there_and_of_the_trace(void **state)
{
	struct policy_rig rig, other;
	struct draft d;

	rig_begin(&rig, make_pattern(&patterns[0]), REPLAY_POLICY);
	rig.config.lengths = NULL;
	assert_int_equal(replay_run(&rig.config, rig.reader, rig.result, &rig.err), -EINVAL);
	assert_non_null(strstr(rig.err.message, "policy mode needs the lengths"));
	draft_begin(&d);
	draft_store(&d, 1, 4);
	draft_commit(&d);
	rig_begin(&other, d.path, REPLAY_POLICY);
	rig.config.lengths = other.lengths;
	assert_int_equal(replay_run(&rig.config, rig.reader, rig.result, &rig.err), -EINVAL);
	assert_non_null(strstr(rig.err.message, "these lengths are not of this trace"));
	rig_end(&other);
	rig_end(&rig);
	draft_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_same_on_every_pattern_under_every_preset),
		cmocka_unit_test(it_is_the_same_with_every_compressor),
		cmocka_unit_test(it_is_the_same_under_every_proposal_for_batching),
		cmocka_unit_test(it_is_the_same_on_synthetic_pages),
		cmocka_unit_test(it_is_the_same_on_a_silesia_file),
		cmocka_unit_test(samples_along_the_way_are_the_same),
		cmocka_unit_test(a_load_of_another_page_is_a_mismatch_in_both_modes),
		cmocka_unit_test(no_contents_are_read),
		cmocka_unit_test(other_lengths_give_other_counts),
		cmocka_unit_test(threads_share_one_set_of_lengths),
		cmocka_unit_test(lengths_must_be_there_and_of_the_trace),
	};

	return cmocka_run_group_tests_name("replay_policy", tests, scratch_create, scratch_remove);
}
