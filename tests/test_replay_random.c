// SPDX-License-Identifier: GPL-2.0-or-later
/* Policy mode against measure mode: random histories under random switches. */
#include <stdio.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/draft.h"
#include "tests/same_counts.h"
#include "tests/test.h"
#include "tests/trace_file.h"
#include "traces/random.h"

#define SLOTS 96u

struct history {
	struct draft d;
	struct random random;
	bool stored[SLOTS];
	bool online[4]; /* memcgs; the root is the first */
	uint16_t memcg[4];
};

static uint64_t below(struct history *h, uint64_t n)
{
	return random_below(&h->random, n);
}

static void add_store(struct history *h)
{
	unsigned order = below(h, 4) ? 0 : below(h, 5), nr = 1u << order;
	uint64_t slot = below(h, SLOTS / nr) * nr;
	uint32_t contents[16];

	if (!order) {
		unsigned memcg = below(h, 4);

		draft_store_as(&h->d, slot, below(h, 60), h->memcg[h->online[memcg] ? memcg : 0],
			       below(h, 4));
	} else {
		for (unsigned i = 0; i < nr; i++)
			contents[i] = below(h, 3) ? below(h, 60) : 0;
		draft_event(&h->d, TRACE_STORE, slot, order, contents);
	}
	memset(h->stored + slot, true, nr);
}

static bool all_stored(const struct history *h, uint64_t slot, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!h->stored[slot + i])
			return false;
	}
	return true;
}

static void add_load(struct history *h)
{
	unsigned order = below(h, 10) ? 0 : below(h, 4), nr = 1u << order;
	uint64_t slot = below(h, SLOTS / nr) * nr;

	/* Once loaded, an entry is gone, and another load would be an error of the trace's. */
	if (order ? !all_stored(h, slot, nr) : !h->stored[slot] && below(h, 20))
		return;
	draft_event(&h->d, TRACE_LOAD, slot, order, NULL);
	if (!order && h->stored[slot]) {
		h->stored[slot] = false;
		draft_event(&h->d, TRACE_INVALIDATE, slot, 0, NULL);
	}
}

static void add_memcg_event(struct history *h)
{
	unsigned i = 1 + below(h, 3);

	if (i == 2 || !h->online[i]) /* 2 has a child */
		return;
	switch (below(h, 4)) {
	case 0:
		draft_memcg_event(&h->d, h->memcg[i], TRACE_MEMCG_ZSWAP_MAX,
				  below(h, 3) ? below(h, 100000) : TRACE_NO_LIMIT);
		break;
	case 1:
		draft_memcg_event(&h->d, h->memcg[i], TRACE_MEMCG_ZSWAP_WRITEBACK, below(h, 2));
		break;
	case 2:
		if (below(h, 4))
			break;
		draft_memcg_event(&h->d, h->memcg[i], TRACE_MEMCG_OFFLINE, 0);
		h->online[i] = false;
		break;
	}
}

static void make_history(struct history *h, uint64_t seed)
{
	memset(h, 0, sizeof(*h));
	random_init(&h->random, seed, 0);
	draft_begin(&h->d);
	h->memcg[1] = draft_memcg(&h->d, "/a", 0);
	h->memcg[2] = draft_memcg(&h->d, "/b", 0);
	h->memcg[3] = draft_memcg(&h->d, "/b/c", h->memcg[2]);
	memset(h->online, true, sizeof(h->online));
	for (unsigned i = 0; i < 500; i++) {
		switch (below(h, 16)) {
		case 0:
			draft_pressure(&h->d, h->memcg[below(h, 4)], below(h, 40));
			break;
		case 1:
			add_memcg_event(h);
			break;
		case 2: {
			uint64_t slot = below(h, SLOTS);

			draft_event(&h->d, TRACE_INVALIDATE, slot, 0, NULL);
			h->stored[slot] = false;
			break;
		}
		case 3 ... 7:
			add_load(h);
			break;
		default:
			add_store(h);
		}
	}
	draft_commit(&h->d);
}

/* Any values; one that this machine or library does not allow is a failure in measure mode alone.
 */
static void random_profile(struct history *h, struct profile *p)
{
	unsigned nr_presets = 0, nr = below(h, 8);
	const struct profile_key *key;
	char text[256];

	while (profile_presets()[nr_presets])
		nr_presets++;
	assert_int_equal(
		profile_init(p, profile_presets()[below(h, nr_presets)], text, sizeof(text)), 0);
	for (unsigned i = 0; i < nr; i++) {
		unsigned nr_keys = 0, values = 0;
		unsigned *field;

		profile_for_each_key (key)
			nr_keys++;
		key = profile_keys() + below(h, nr_keys);
		if (!strncmp(key->key, "zstd.cpuid", 10) || !strcmp(key->key, "zstd.bmi2"))
			continue;
		field = (unsigned *)((char *)p + key->offset);
		while (key->values && key->values[values])
			values++;
		*field = key->values ? below(h, values)
				     : key->min + below(h, key->max < 64 ? key->max - key->min + 1
									 : 2) *
							  4096;
		if (!key->values && key->max < 64)
			*field = key->min + below(h, key->max - key->min + 1);
	}
}

static void random_settings(struct history *h, struct replay_config *config)
{
	replay_config_init(config);
	config->crypto = backends_registry();
	config->totalram_pages = below(h, 2) ? 100 : KERNEL_DEFAULT_TOTALRAM;
	config->max_pool_percent = below(h, 101);
	config->accept_threshold_percent = below(h, 101);
	config->nr_nodes = 1 + below(h, 3);
	config->shrinker_enabled = below(h, 2);
}

static void it_is_the_same_on_random_histories_under_random_switches(void **state)
{
	struct same_totals totals = {0};
	struct history h;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct trace_reader *reader;
		struct replay_config config;
		struct profile profile;

		make_history(&h, seed);
		assert_ok(trace_reader_open(h.d.path, &reader, &h.d.err), &h.d.err);
		for (unsigned i = 0; i < 2; i++) {
			random_profile(&h, &profile);
			random_settings(&h, &config);
			config.profile = &profile;
			run_both_modes(h.d.path, reader, &config, NULL, &totals);
		}
		trace_reader_close(reader);
		draft_end(&h.d);
	}
	print_message("# %llu runs, %llu ended in an error of the trace\n",
		      (unsigned long long)totals.runs, (unsigned long long)totals.errors);
	assert_true(totals.errors < totals.runs / 10);
	assert_true(totals.written_back > 200 && totals.streamed > 100 && totals.refused > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_same_on_random_histories_under_random_switches),
	};

	return cmocka_run_group_tests_name("replay_random", tests, NULL, NULL);
}
