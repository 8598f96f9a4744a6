// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole traces under both objectives: the bound holds for all, and replays agree with each other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/policy_table.h"
#include "sim/poison.h"
#include "tests/draft.h"
#include "tests/machine.h"
#include "tests/policy_plan.h"
#include "tests/test.h"
#include "tests/text_file.h"

#define SLOTS  400u
#define MEMCGS 4u

#ifdef SIM_ASAN
#define EVENTS 3000u
#else
#define EVENTS 12000u
#endif

static struct policy_table table;

struct table_config {
	const char *kernel, *set;
	uint64_t totalram_pages, capacity;
	unsigned nr_nodes;
	const char *scenario;
};

static void load_all(struct policy_table_config *config)
{
	char err[256];

	config->policies[config->nr_policies++] = NULL;
	for (const struct policy_builtin *b = policy_builtins; b->ops; b++) {
		assert_int_equal(policy_load(b->ops->name, 0,
					     &config->policies[config->nr_policies++], err,
					     sizeof(err)),
				 0);
	}
}

/* All built-ins over the draft; into the table. */
static void run_table(struct draft *d, const struct table_config *config)
{
	struct policy_table_config run = {
		.ideal = true, .real = true, .capacity = config->capacity};
	struct lengths_config lengths_config = {.no_file = true, .nr_threads = 1};
	struct trace_reader *reader;
	struct replay_config kernel;
	struct lengths *lengths;
	struct profile profile;
	struct trace_error err;
	char text[512];

	draft_commit(d);
	assert_int_equal(profile_init(&profile, config->kernel, text, sizeof(text)), 0);
	if (config->set)
		assert_int_equal(profile_set(&profile, config->set, text, sizeof(text)), 0);
	replay_config_init(&kernel);
	kernel.profile = &profile;
	kernel.crypto = backends_registry();
	kernel.totalram_pages = config->totalram_pages;
	kernel.given = REPLAY_GIVEN_TOTALRAM;
	kernel.nr_nodes = config->nr_nodes ? config->nr_nodes : 1;
	kernel.scenario = config->scenario;
	kernel.shrinker_enabled = true;
	assert_int_equal(trace_reader_open(d->path, &reader, &err), 0);
	lengths_config.crypto = kernel.crypto;
	lengths_config.profile = &profile;
	assert_int_equal(lengths_open(d->path, reader, &lengths_config, &lengths, &err), 0);
	run.reader = reader;
	run.lengths = lengths;
	run.kernel = &kernel;
	load_all(&run);
	if (policy_table_run(&run, &table, &err))
		fail_msg("%s", err.message);
	/* Names are the policies'. */
	for (unsigned i = 0; i < run.nr_policies; i++) {
		table.rows[i].name = i ? policy_builtins[i - 1].ops->name : "kernel";
		policy_unload(run.policies[i]);
	}
	lengths_close(lengths);
	trace_reader_close(reader);
}

static const struct policy_row *row_of(const char *name)
{
	for (unsigned i = 0; i < table.nr_rows; i++) {
		if (!strcmp(table.rows[i].name, name))
			return &table.rows[i];
	}
	fail_msg("there is no row of %s", name);
	return NULL;
}

static void assert_bounds_hold(const char *what)
{
	for (unsigned i = 0; i < table.nr_rows; i++) {
		const struct policy_row *row = &table.rows[i];

		if (row->ideal.disk_reads < table.ideal_bound.reads)
			fail_msg("%s: %s reads %lu, the bound is %lu", what, row->name,
				 row->ideal.disk_reads, table.ideal_bound.reads);
		if (row->kernel.disk_reads < table.kernel_bound.reads)
			fail_msg("%s: %s reads %lu in the kernel, the bound is %lu", what,
				 row->name, row->kernel.disk_reads, table.kernel_bound.reads);
		if (row->kernel.mismatched + row->kernel.failed)
			fail_msg("%s: %s: %lu pages came back changed, %lu not at all", what,
				 row->name, row->kernel.mismatched, row->kernel.failed);
	}
}

/* ---- a trace with a bit of everything ---- */

struct author {
	struct draft *d;
	uint64_t random;
	bool full[SLOTS], online[MEMCGS];
};

static unsigned any(struct author *a, unsigned n)
{
	return plan_random(&a->random, n);
}

static uint16_t any_memcg(struct author *a)
{
	uint16_t memcg;

	do {
		memcg = any(a, MEMCGS);
	} while (!a->online[memcg]);
	return memcg;
}

static void write_store(struct author *a, unsigned slot)
{
	unsigned order = any(a, 10) ? 0 : 2, contents = 240;
	struct trace_event ev = {.type = TRACE_STORE, .cpu = any(a, 4), .memcg = any_memcg(a)};
	uint32_t ids[4];

	slot &= ~((1u << order) - 1);
	/* Over an earlier page, a large folio leaves 6.12 with the stale one: not here. */
	for (unsigned i = 0; i < 1u << order; i++) {
		if (order && a->full[slot + i])
			return;
	}
	for (unsigned i = 0; i < 1u << order; i++) {
		/* Nor do zeros, behind which zswap keeps what it had. */
		ids[i] = a->full[slot + i] ? 1 + any(a, contents - 1) : any(a, contents);
		a->full[slot + i] = true;
	}
	ev.offset = slot;
	ev.order = order;
	draft_append(a->d, &ev, ids);
}

static void write_load(struct author *a, unsigned slot)
{
	struct trace_event ev = {
		.type = TRACE_LOAD, .cpu = any(a, 4), .memcg = any_memcg(a), .offset = slot};

	a->full[slot] = false;
	draft_append(a->d, &ev, NULL);
}

static void write_change(struct author *a)
{
	uint16_t memcg = 1 + any(a, MEMCGS - 1);

	if (!a->online[memcg])
		return;
	switch (any(a, 4)) {
	case 0:
		draft_memcg_event(a->d, memcg, TRACE_MEMCG_ZSWAP_MAX,
				  any(a, 2) ? TRACE_NO_LIMIT : any(a, 40) * 4096);
		break;
	case 1:
		draft_memcg_event(a->d, memcg, TRACE_MEMCG_ZSWAP_WRITEBACK, any(a, 3) > 0);
		break;
	case 2:
		draft_pressure(a->d, memcg, any(a, 40));
		break;
	case 3:
		/* The last of them, once. */
		if (memcg == MEMCGS - 1 && !any(a, 4)) {
			draft_memcg_event(a->d, memcg, TRACE_MEMCG_OFFLINE, 0);
			a->online[memcg] = false;
		}
		break;
	}
}

static void write_trace(struct author *a, struct draft *d, uint64_t seed, unsigned nr_slots)
{
	memset(a, 0, sizeof(*a));
	a->d = d;
	a->random = seed;
	draft_begin(d);
	for (uint16_t i = 0; i < MEMCGS; i++) {
		a->online[i] = true;
		if (i)
			draft_memcg(d, "/m", i == MEMCGS - 1 ? 1 : 0);
	}
	for (unsigned e = 0; e < EVENTS; e++) {
		unsigned slot = any(a, nr_slots), what = any(a, 100);

		if (what < 2)
			write_change(a);
		else if (a->full[slot] && what < 8)
			draft_event(d, TRACE_INVALIDATE, slot, 0, NULL), a->full[slot] = false;
		else if (a->full[slot] && what < 90)
			write_load(a, slot);
		else
			write_store(a, slot);
	}
}

static void the_bound_holds_for_all_builtins_on_all_kernels(void **state)
{
	static const struct table_config configs[] = {
		{.kernel = "6.8", .totalram_pages = 400},
		{.kernel = "6.12", .totalram_pages = 500},
		{.kernel = "6.12", .totalram_pages = 500, .set = "pool.allocator=zbud"},
		{.kernel = "6.12", .totalram_pages = 500, .set = "pool.allocator=jemalloc"},
		{.kernel = "7.2", .totalram_pages = 200, .nr_nodes = 2},
		{.kernel = "7.3", .totalram_pages = 150},
		{.kernel = "7.3", .totalram_pages = 200, .set = "zsmalloc.chain_size=6"},
		{.kernel = "7.4", .totalram_pages = 100, .capacity = 100000},
	};
	static struct author author;
	uint64_t reads = 0, bounds = 0;

	for (unsigned i = 0; i < sizeof(configs) / sizeof(*configs); i++) {
		struct draft d;

		write_trace(&author, &d, 100 + i, SLOTS);
		run_table(&d, &configs[i]);
		assert_bounds_hold(configs[i].kernel);
		print_message("# %s: kernel %lu, clairvoyant %lu, bound %lu reads; ideal "
			      "clairvoyant %lu, bound %lu\n",
			      configs[i].kernel, row_of("kernel")->kernel.disk_reads,
			      table.clairvoyant.kernel.disk_reads, table.kernel_bound.reads,
			      table.clairvoyant.ideal.disk_reads, table.ideal_bound.reads);
		reads += table.clairvoyant.kernel.disk_reads;
		bounds += table.kernel_bound.reads;
		draft_end(&d);
	}
	/* It says something. */
	assert_true(bounds > reads / 10);
}

static void second_chance_is_the_kernels_row_and_clairvoyant_the_reference(void **state)
{
	static struct author author;
	const struct policy_row *kernel, *same;
	struct draft d;

	write_trace(&author, &d, 7, SLOTS);
	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 300});
	kernel = row_of("kernel");
	same = row_of("second-chance");
	assert_memory_equal(&kernel->kernel, &same->kernel, sizeof(kernel->kernel));
	assert_memory_equal(&kernel->ideal, &same->ideal, sizeof(kernel->ideal));
	assert_true(kernel->kernel.written_back > 50);
	assert_int_equal(table.clairvoyant.kernel.disk_reads,
			 row_of("clairvoyant")->kernel.disk_reads);
	assert_true(table.clairvoyant.kernel.disk_reads < kernel->kernel.disk_reads);
	draft_end(&d);
}

/* ---- policy mode and measure mode, with a policy ---- */

static void with_a_policy_too_both_modes_count_the_same(void **state)
{
	static struct author author;
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config config;
	struct draft d;

	assert_non_null(result);
	write_trace(&author, &d, 3, SLOTS / 2);
	replay_config_init(&config);
	config.totalram_pages = 300;
	config.shrinker_enabled = true;
	for (const struct policy_builtin *b = policy_builtins; b->ops; b++) {
		config.policy_spec = b->ops->name;
		if (draft_run_config(&d, "7.3", &config, result))
			fail_msg("%s: %s", b->ops->name, d.err.message);
		assert_int_equal(result->counts.mismatched_pages, 0);
		assert_true(result->zswap.written_back_pages > 10);
		replay_result_finish(result);
	}
	config.policy_spec = "lru:";
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), 0);
	replay_result_finish(result);
	config.policy_spec = "nobody";
	assert_int_equal(draft_run_config(&d, "7.3", &config, result), -EINVAL);
	assert_non_null(strstr(d.err.message, "policy nobody: there is none of that name"));
	draft_end(&d);
	free(result);
}

/* ---- a compressor for each page ---- */

static const char *chooser(const char *args)
{
	static char spec[1024];
	const char *dir = getenv("ZSWAPSIM_POLICIES");

	if (!dir) {
		print_message("# SKIP ZSWAPSIM_POLICIES is not set\n");
		skip();
		return "";
	}
	snprintf(spec, sizeof(spec), "%s/policy_chooser.so%s", dir, args);
	return spec;
}

static struct lengths *lengths_by(struct draft *d, const char *kernel, const char *compressor)
{
	struct lengths_config config = {.no_file = true, .nr_threads = 1, .compressor = compressor};
	struct trace_reader *reader;
	struct lengths *lengths;
	struct profile profile;
	struct trace_error err;
	char text[256];

	draft_commit(d);
	assert_int_equal(profile_init(&profile, kernel, text, sizeof(text)), 0);
	config.crypto = backends_registry();
	config.profile = &profile;
	assert_int_equal(trace_reader_open(d->path, &reader, &err), 0);
	assert_int_equal(lengths_open(d->path, reader, &config, &lengths, &err), 0);
	trace_reader_close(reader);
	return lengths;
}

static void each_page_is_stored_and_loaded_by_the_compressor_that_was_chosen(void **state)
{
	static const char *const codecs[] = {"lz4", "deflate"};
	static const char *const kernels[] = {"6.12", "7.3"};
	static struct author author;
	struct replay_result *result = malloc(sizeof(*result));
	struct replay_config config;
	const struct lengths *lengths[2];
	struct draft d;

	assert_non_null(result);
	write_trace(&author, &d, 31, SLOTS / 2);
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < 2; i++)
			lengths[i] = lengths_by(&d, kernels[k], codecs[i]);
		replay_config_init(&config);
		config.totalram_pages = 300;
		config.nr_codecs = 2;
		config.codecs = codecs;
		config.codec_lengths = lengths;
		config.policy_spec = chooser("");
		/* In both modes; every load and every writeback of the first is verified. */
		if (draft_run_config(&d, kernels[k], &config, result))
			fail_msg("%s", d.err.message);
		assert_int_equal(result->counts.mismatched_pages + result->counts.failed_loads, 0);
		assert_true(result->codec_pages[0] > 50);
		assert_int_equal(result->codec_pages[1], 0);
		assert_true(result->codec_pages[2] > 50);
		replay_result_finish(result);
		config.policy_spec = chooser(":7");
		assert_int_equal(draft_run_config(&d, kernels[k], &config, result), -EINVAL);
		assert_non_null(
			strstr(d.err.message, "codec(): answered 7, and there are 3 compressors"));
		for (unsigned i = 0; i < 2; i++)
			lengths_close((struct lengths *)lengths[i]);
	}
	draft_end(&d);
	free(result);
}

static void a_compressor_that_was_chosen_always_is_as_if_it_were_the_only_one(void **state)
{
	static const char *const codecs[] = {"lz4"};
	static struct author author;
	struct replay_result *chosen = malloc(sizeof(*chosen)), *only = malloc(sizeof(*only));
	struct replay_config config;
	const struct lengths *lengths;
	struct draft d;

	assert_true(chosen && only);
	write_trace(&author, &d, 32, SLOTS / 2);
	lengths = lengths_by(&d, "7.3", "lz4");
	replay_config_init(&config);
	config.totalram_pages = 300;
	config.nr_codecs = 1;
	config.codecs = codecs;
	config.codec_lengths = &lengths;
	config.policy_spec = chooser(":1");
	assert_int_equal(draft_run_config(&d, "7.3", &config, chosen), 0);
	replay_config_init(&config);
	config.totalram_pages = 300;
	config.compressor = "lz4";
	config.policy_spec = chooser("");
	assert_int_equal(draft_run_config(&d, "7.3", &config, only), 0);
	assert_memory_equal(&chosen->counts, &only->counts, sizeof(only->counts));
	assert_memory_equal(&chosen->pool_peak, &only->pool_peak, sizeof(only->pool_peak));
	assert_int_equal(chosen->nr_codecs, 1);
	assert_string_equal(chosen->codecs[1], "lz4");
	for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++) {
		static const uint64_t none[ACOMP_NR_CALLS];

		assert_memory_equal(replay_codec_calls(chosen, 0, dir), none, sizeof(none));
		assert_memory_equal(replay_codec_calls(chosen, 1, dir),
				    replay_codec_calls(only, 0, dir), sizeof(none));
	}
	assert_true(replay_codec_calls(only, 0, ZSWAP_STORE)[ACOMP_CALL_COMPRESS_CCTX] > 0);
	replay_result_finish(chosen);
	replay_result_finish(only);
	lengths_close((struct lengths *)lengths);
	draft_end(&d);
	free(chosen);
	free(only);
}

/* ---- what the bound is made of ---- */

/* Contents that no codec makes smaller. */
static uint32_t raw(uint32_t i)
{
	return 4 * i + 3;
}

static void what_a_kernel_refuses_is_read_from_disk_whatever_the_policy(void **state)
{
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < 10; i++)
		draft_store(&d, i, i < 4 ? raw(i) : 4 * i + 2);
	for (unsigned i = 0; i < 10; i++)
		draft_load(&d, i);
	run_table(&d, &(struct table_config){.kernel = "6.12", .totalram_pages = 100000});
	assert_int_equal(table.kernel_bound.forced_reads, 4);
	assert_int_equal(table.kernel_bound.reads, 4);
	assert_int_equal(row_of("kernel")->kernel.disk_reads, 4);
	assert_int_equal(row_of("clairvoyant")->ideal.disk_reads, 4);
	draft_end(&d);

	/* 6.18 and later keep them as they are. */
	draft_begin(&d);
	for (unsigned i = 0; i < 10; i++)
		draft_store(&d, i, raw(i));
	for (unsigned i = 0; i < 10; i++)
		draft_load(&d, i);
	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 100000});
	assert_int_equal(table.kernel_bound.reads, 0);
	assert_int_equal(row_of("kernel")->kernel.disk_reads, 0);
	assert_int_equal(row_of("kernel")->ideal.peak_bytes, 40960);
	draft_end(&d);
}

static void pages_that_may_not_be_written_back_never_reach_the_disk(void **state)
{
	struct draft d;
	uint16_t memcg;

	draft_begin(&d);
	memcg = draft_memcg(&d, "/kept", 0);
	draft_memcg_event(&d, memcg, TRACE_MEMCG_ZSWAP_WRITEBACK, 0);
	for (unsigned i = 0; i < 60; i++)
		draft_store_as(&d, i, 4 * i + 1, memcg, 0);
	for (unsigned i = 0; i < 60; i++)
		draft_load(&d, i);
	/* A pool of four pages. */
	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 20});
	assert_bounds_hold("writeback 0");
	assert_int_equal(table.kernel_bound.reads, 0);
	assert_int_equal(row_of("kernel")->kernel.disk_reads, 0);
	/* The ideal objective has no memcgs. */
	assert_true(table.ideal_bound.reads > 0);
	draft_end(&d);
}

static void the_bounds_capacity_is_the_largest_limit_with_what_a_folio_adds(void **state)
{
	const char *scenario;
	struct draft d;

	draft_begin(&d);
	for (unsigned i = 0; i < 40; i++)
		draft_store(&d, i, raw(i));
	for (unsigned i = 0; i < 40; i++)
		draft_load(&d, i);
	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 100});
	/* 20 pages of limit: 19, and a zspage of up to 8. */
	assert_int_equal(table.kernel_capacity, 27 * 4096);
	assert_int_equal(table.capacity, 20 * 4096);
	assert_bounds_hold("one limit");

	scenario = text_file("limits.ini",
			     "[at 20]\nmax_pool_percent = 30\n[at 30]\nmax_pool_percent = 5\n");
	run_table(&d, &(struct table_config){
			      .kernel = "7.3", .totalram_pages = 100, .scenario = scenario});
	assert_int_equal(table.kernel_capacity, 37 * 4096);
	assert_bounds_hold("a limit that changes");

	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 1});
	assert_int_equal(table.kernel_capacity, 0);
	assert_int_equal(table.kernel_bound.reads, 40);
	assert_int_equal(row_of("kernel")->kernel.disk_reads, 40);
	draft_end(&d);
}

static void loads_of_large_folios_are_left_out(void **state)
{
	uint32_t ids[4] = {1, 5, 9, 13};
	struct draft d;

	draft_begin(&d);
	draft_event(&d, TRACE_STORE, 4, 2, ids);
	draft_event(&d, TRACE_LOAD, 4, 2, NULL);
	for (unsigned i = 4; i < 8; i++)
		draft_load(&d, i);
	run_table(&d, &(struct table_config){.kernel = "7.3", .totalram_pages = 10000});
	assert_int_equal(row_of("lru")->ideal.loads, 4);
	assert_int_equal(row_of("lru")->ideal.hits, 4);
	assert_int_equal(row_of("lru")->kernel.hits, 4);
	assert_int_equal(table.kernel_bound.intervals, 4);
	draft_end(&d);
}

struct walked {
	unsigned nr;
	struct policy_event ev[64];
};

static int keep(void *arg, const struct policy_event *ev)
{
	struct walked *w = arg;

	w->ev[w->nr++] = *ev;
	return 0;
}

static int length_of_id(void *arg, uint32_t id)
{
	static const int lengths[] = {0, 100, -EINVAL, 4000};

	return lengths[id % 4];
}

static void walk(struct draft *d, const char *kernel, const char *set, struct walked *w)
{
	struct policy_trace trace = {.length = length_of_id, .zeros_length = 19};
	struct trace_reader *reader;
	struct profile profile;
	struct trace_error err;
	char text[256];

	draft_commit(d);
	assert_int_equal(profile_init(&profile, kernel, text, sizeof(text)), 0);
	if (set)
		assert_int_equal(profile_set(&profile, set, text, sizeof(text)), 0);
	assert_int_equal(trace_reader_open(d->path, &reader, &err), 0);
	trace.reader = reader;
	trace.profile = &profile;
	w->nr = 0;
	assert_int_equal(policy_trace_walk(&trace, keep, w, &err), 0);
	trace_reader_close(reader);
}

static void a_folio_goes_one_way_with_all_its_pages(void **state)
{
	/* Contents get the numbers 0, 1, 2, 3 of the trace in order: zeros, 100 bytes, none, 4000.
	 */
	static const uint32_t zeros[2] = {50, 50}, some_zero[2] = {50, 51}, bad[2] = {51, 52};
	struct walked w;
	struct draft d;

	draft_begin(&d);
	draft_event(&d, TRACE_STORE, 0, 1, zeros);
	draft_event(&d, TRACE_STORE, 2, 1, some_zero);
	draft_event(&d, TRACE_STORE, 4, 1, bad);
	draft_store(&d, 6, 52);
	draft_store(&d, 7, 53);
	draft_store(&d, 2, 51);
	draft_event(&d, TRACE_STORE, 2, 1, some_zero);
	draft_store(&d, 8, 51);
	draft_store(&d, 8, 50);
	draft_load(&d, 8);
	draft_event(&d, TRACE_STORE, 8, 1, some_zero);

	walk(&d, "7.3", NULL, &w);
	assert_int_equal(w.nr, 16);
	assert_int_equal(w.ev[0].class, POLICY_ZERO);
	assert_int_equal(w.ev[1].class, POLICY_ZERO);
	assert_int_equal(w.ev[2].class, POLICY_POOL);
	assert_int_equal(w.ev[2].size, 19);
	assert_int_equal(w.ev[3].size, 100);
	assert_int_equal(w.ev[4].size, 100);
	assert_int_equal(w.ev[5].size, 4096);
	assert_int_equal(w.ev[6].size, 4096);
	assert_int_equal(w.ev[7].size, 4000);
	assert_int_equal(w.ev[10].ordinal, 10);

	/* 6.12 refuses large folios, and what stays of an earlier page is not known. */
	walk(&d, "6.12", NULL, &w);
	assert_int_equal(w.ev[2].class, POLICY_REFUSED);
	assert_false(w.ev[2].keeps_stale);
	assert_int_equal(w.ev[6].class, POLICY_REFUSED);
	assert_int_equal(w.ev[9].class, POLICY_REFUSED);
	assert_true(w.ev[9].keeps_stale);
	assert_false(w.ev[10].keeps_stale);
	assert_true(w.ev[14].keeps_stale);
	assert_false(w.ev[15].keeps_stale);

	/* Between the two, one page that does not shrink takes its folio with it. */
	walk(&d, "6.17", NULL, &w);
	assert_int_equal(w.ev[3].class, POLICY_POOL);
	assert_int_equal(w.ev[4].class, POLICY_REFUSED);
	assert_int_equal(w.ev[5].class, POLICY_REFUSED);

	/* zbud has no room for 4000 bytes beside its header. */
	walk(&d, "6.12", "pool.allocator=zbud", &w);
	assert_int_equal(w.ev[7].class, POLICY_REFUSED);
	draft_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bound_holds_for_all_builtins_on_all_kernels),
		cmocka_unit_test(second_chance_is_the_kernels_row_and_clairvoyant_the_reference),
		cmocka_unit_test(with_a_policy_too_both_modes_count_the_same),
		cmocka_unit_test(each_page_is_stored_and_loaded_by_the_compressor_that_was_chosen),
		cmocka_unit_test(a_compressor_that_was_chosen_always_is_as_if_it_were_the_only_one),
		cmocka_unit_test(what_a_kernel_refuses_is_read_from_disk_whatever_the_policy),
		cmocka_unit_test(pages_that_may_not_be_written_back_never_reach_the_disk),
		cmocka_unit_test(the_bounds_capacity_is_the_largest_limit_with_what_a_folio_adds),
		cmocka_unit_test(loads_of_large_folios_are_left_out),
		cmocka_unit_test(a_folio_goes_one_way_with_all_its_pages),
	};

	return cmocka_run_group_tests_name("policy_table", tests, text_dir_create, text_dir_remove);
}
