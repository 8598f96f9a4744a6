// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/policy_run_private.h"
#include "traces/error.h"

/* What is known of a slot whose page was loaded: how it came to be what it is. */
#define HISTORY	   (UINT64_C(1) << 63)
#define HITS_SHIFT 48
#define MAX_HITS   0x7fffu
#define BORN_MASK  ((UINT64_C(1) << HITS_SHIFT) - 1)

int policy_run_create(const struct policy_run_config *config, struct policy_run **out, char *err,
		      size_t err_size)
{
	char error[128] = "";
	struct zswapsim_params params = {
		.args = config->policy->args,
		.objective = config->objective,
		.nr_nodes = config->nr_nodes,
		.limit = config->limit,
		.nr_events = config->nr_events,
		.nr_codecs = config->nr_codecs,
		.codecs = config->codecs,
		.error = error,
		.error_size = sizeof(error),
	};
	struct policy_run *run = calloc(1, sizeof(*run));
	int ret = 0;

	if (!run) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	slot_map_init(&run->slots);
	run->policy = config->policy;
	run->ops = config->policy->ops;
	run->future = config->future;
	run->nr_codecs = config->nr_codecs;
	run->priv_bytes = (run->ops.entry_bytes + 15u) & ~15u;
	run->pool.limit = run->pool.accept = config->limit;
	if (!config->policy->builtin)
		ret = policy_guard_create(config->policy->spec, config->limit_ms, &run->guard);
	if (ret) {
		snprintf(err, err_size, "policy %s: %s", config->policy->spec, strerror(-ret));
		goto err_free;
	}
	if (!run->ops.create || !policy_call_create(run, &params, &ret))
		ret = 0;
	if (run->failed) {
		snprintf(err, err_size, "%s", run->error);
		ret = -EFAULT;
		goto err_guard;
	}
	if (ret) {
		error[sizeof(error) - 1] = '\0';
		trace_printable(error);
		snprintf(err, err_size, "policy %s: create(): %s", config->policy->spec,
			 *error ? error : "it failed, and does not say why");
		ret = ret == -ENOMEM ? ret : -EINVAL;
		goto err_guard;
	}
	*out = run;
	return 0;

err_guard:
	policy_guard_destroy(run->guard);
err_free:
	free(run);
	return ret;
}

void policy_run_end(struct policy_run *run)
{
	if (run->ended)
		return;
	run->ended = true;
	if (run->ops.destroy && !run->crashed)
		policy_call_destroy(run);
	/* What is told or asked after this is its no more. */
	memset(&run->ops, 0, sizeof(run->ops));
}

void policy_run_destroy(struct policy_run *run)
{
	if (!run)
		return;
	policy_run_end(run);
	policy_guard_destroy(run->guard);
	for (uint32_t i = 0; i < run->nr_chunks; i++) {
		free(run->chunks[i]);
		free(run->privs[i]);
	}
	free(run->chunks);
	free(run->privs);
	slot_map_finish(&run->slots);
	free(run);
}

void policy_run_at(struct policy_run *run, uint64_t event, uint64_t time_ns, uint64_t ordinal)
{
	run->pool.event = event;
	run->pool.time_ns = time_ns;
	run->ordinal = ordinal;
}

struct zswapsim_pool *policy_run_pool(struct policy_run *run)
{
	return &run->pool;
}

/* ---- the record ---- */

static int add_chunk(struct policy_run *run)
{
	struct policy_entry *chunk = calloc(POLICY_CHUNK, sizeof(*chunk));
	char *priv = run->priv_bytes ? calloc(POLICY_CHUNK, run->priv_bytes) : NULL;

	if (!chunk || (run->priv_bytes && !priv))
		goto err;
	if (run->nr_chunks == run->cap_chunks) {
		uint32_t cap = run->cap_chunks ? run->cap_chunks * 2 : 16;
		struct policy_entry **chunks = realloc(run->chunks, cap * sizeof(*chunks));
		char **privs;

		if (!chunks)
			goto err;
		run->chunks = chunks;
		privs = realloc(run->privs, cap * sizeof(*privs));
		if (!privs)
			goto err;
		run->privs = privs;
		run->cap_chunks = cap;
	}
	/* The first of them is to be taken first. */
	for (uint32_t i = POLICY_CHUNK; i-- > 0;) {
		chunk[i].next_free = run->first_free;
		chunk[i].pub.priv = priv ? priv + i * run->priv_bytes : NULL;
		run->first_free = run->nr_chunks * POLICY_CHUNK + i + 1;
	}
	run->privs[run->nr_chunks] = priv;
	run->chunks[run->nr_chunks++] = chunk;
	run->nr_free += POLICY_CHUNK;
	return 0;
err:
	free(chunk);
	free(priv);
	return -ENOMEM;
}

int policy_run_reserve(struct policy_run *run, unsigned nr)
{
	int ret = 0;

	while (!ret && run->nr_free < nr)
		ret = add_chunk(run);
	return ret ? ret : slot_map_reserve(&run->slots, nr);
}

static struct policy_entry *find(const struct policy_run *run, uint64_t slot)
{
	const uint64_t *value = slot_map_find(&run->slots, slot);

	return value && !(*value & HISTORY) ? policy_entry_at(run, *value) : NULL;
}

bool policy_run_find(const struct policy_run *run, uint64_t slot, uint32_t *size, unsigned *codec)
{
	const struct policy_entry *entry = find(run, slot);

	if (!entry)
		return false;
	*size = entry->size;
	*codec = entry->codec;
	return true;
}

/* What the policy is told of @page before it is stored, or as it is. */
static void describe(const struct policy_run *run, const struct policy_page *page,
		     struct zswapsim_entry *to)
{
	const uint64_t *history = slot_map_find(&run->slots, page->slot);

	to->slot = page->slot;
	to->event = run->pool.event;
	to->time_ns = run->pool.time_ns;
	to->next_use = 0;
	if (run->future && run->ops.flags & ZSWAPSIM_FUTURE)
		to->next_use = future_next_use(run->future, run->ordinal + page->index);
	to->born = run->pool.event;
	to->hits = 0;
	if (history && *history & HISTORY) {
		to->born = *history & BORN_MASK;
		to->hits = *history >> HITS_SHIFT & MAX_HITS;
		to->hits += to->hits < MAX_HITS;
	}
	to->size = page->size;
	to->memcg = page->memcg;
	to->node = page->node;
	to->order = page->order;
	to->codec = page->codec;
}

unsigned policy_run_codec(struct policy_run *run, const struct policy_page *page)
{
	struct zswapsim_entry pub = {0};
	uint32_t answer = 0;

	if (!run->ops.codec)
		return 0;
	describe(run, page, &pub);
	pub.size = 0;
	if (!policy_call_codec(run, &pub, &answer))
		return 0;
	if (answer >= run->nr_codecs) {
		policy_run_fail(run, "codec", "answered %u, and there are %u compressors", answer,
				run->nr_codecs);
		return 0;
	}
	return answer;
}

bool policy_run_admit(struct policy_run *run, const struct policy_page *page)
{
	struct zswapsim_entry pub = {0};
	int answer = 1;

	if (!run->ops.admit)
		return true;
	describe(run, page, &pub);
	if (!policy_call_admit(run, &pub, &answer))
		return true;
	if (answer != 0 && answer != 1) {
		policy_run_fail(run, "admit", "answered %d, neither 0 nor 1", answer);
		return true;
	}
	return answer;
}

uint64_t policy_run_stored(struct policy_run *run, const struct policy_page *page)
{
	struct policy_entry *entry;
	uint32_t index;

	/* Unless that was done before, in a timed path. */
	if (policy_run_reserve(run, 1)) {
		policy_run_fail(run, "stored", "out of memory");
		return ZSWAPSIM_NONE;
	}
	index = run->first_free - 1;
	entry = policy_entry_at(run, index);
	run->first_free = entry->next_free;
	run->nr_free--;
	entry->live = true;
	entry->generation++;
	entry->slot = page->slot;
	entry->size = page->size;
	entry->memcg = page->memcg;
	entry->node = page->node;
	entry->codec = page->codec;
	describe(run, page, &entry->pub);
	entry->pub.id = (uint64_t)entry->generation << 32 | index;
	if (run->priv_bytes) {
		entry->pub.priv =
			run->privs[index / POLICY_CHUNK] + index % POLICY_CHUNK * run->priv_bytes;
		memset(entry->pub.priv, 0, run->priv_bytes);
	}
	/* There is room. */
	slot_map_set(&run->slots, page->slot, index);
	run->pool.entries++;
	run->pool.payload += page->size;
	policy_call_entry(run, "stored", run->ops.stored, &entry->pub);
	return (uint64_t)entry->generation << 32 | index;
}

static uint64_t history_of(const struct zswapsim_entry *pub)
{
	return HISTORY | (uint64_t)(pub->hits & MAX_HITS) << HITS_SHIFT | (pub->born & BORN_MASK);
}

void policy_run_gone(struct policy_run *run, uint64_t slot, enum policy_gone how, bool reused)
{
	struct policy_entry *entry = find(run, slot);
	uint32_t index;

	if (!entry)
		return;
	index = *slot_map_find(&run->slots, slot);
	run->pool.entries--;
	run->pool.payload -= entry->size;
	switch (how) {
	case POLICY_LOADED:
		policy_call_entry(run, "loaded", run->ops.loaded, &entry->pub);
		break;
	case POLICY_INVALIDATED:
		policy_call_entry(run, "invalidated", run->ops.invalidated, &entry->pub);
		break;
	default:
		policy_call_entry(run, "written_back", run->ops.written_back, &entry->pub);
	}
	if (how == POLICY_LOADED || reused)
		slot_map_set(&run->slots, slot, history_of(&entry->pub));
	else
		slot_map_erase(&run->slots, slot);
	entry->live = false;
	entry->gone = how;
	entry->gone_event = run->pool.event;
	entry->next_free = run->first_free;
	run->first_free = index + 1;
	run->nr_free++;
}

void policy_run_forget(struct policy_run *run, uint64_t slot)
{
	if (!find(run, slot))
		slot_map_erase(&run->slots, slot);
}

void policy_run_missed(struct policy_run *run, uint64_t slot, uint32_t memcg)
{
	struct zswapsim_entry pub = {.slot = slot,
				     .memcg = memcg,
				     .event = run->pool.event,
				     .time_ns = run->pool.time_ns};

	policy_run_forget(run, slot);
	policy_call_entry(run, "missed", run->ops.missed, &pub);
}

void policy_run_kept(struct policy_run *run, uint64_t slot)
{
	struct policy_entry *entry = find(run, slot);

	if (entry)
		policy_call_entry(run, "kept", run->ops.kept, &entry->pub);
}

void policy_run_reparented(struct policy_run *run, uint32_t memcg, uint32_t parent)
{
	for (uint32_t i = 0; i < run->nr_chunks * POLICY_CHUNK; i++) {
		struct policy_entry *entry = policy_entry_at(run, i);

		if (entry->live && entry->memcg == memcg)
			entry->memcg = entry->pub.memcg = parent;
	}
	policy_call_reparented(run, memcg, parent);
}

/* ---- questions ---- */

/* What is wrong with the answer; an entry, if nothing is. */
static struct policy_entry *check_victim(struct policy_run *run, const struct zswapsim_want *want,
					 uint64_t id)
{
	static const char *const gone[POLICY_NR_GONE] = {"loaded", "invalidated", "written back"};
	uint32_t index = zswapsim_index(id), generation = id >> 32;
	struct policy_entry *entry;

	entry = index < run->nr_chunks * POLICY_CHUNK ? policy_entry_at(run, index) : NULL;
	if (!entry || !generation || generation > entry->generation) {
		policy_run_fail(run, "victim", "answered %#llx: there was never such an entry",
				(unsigned long long)id);
		return NULL;
	}
	if (generation < entry->generation || !entry->live) {
		if (generation == entry->generation)
			policy_run_fail(run, "victim",
					"answered %#llx: that entry was %s at event %llu",
					(unsigned long long)id, gone[entry->gone],
					(unsigned long long)entry->gone_event);
		else
			policy_run_fail(run, "victim", "answered %#llx: that entry is gone",
					(unsigned long long)id);
		return NULL;
	}
	if (want->memcg != ZSWAPSIM_ANY && want->memcg != entry->memcg) {
		policy_run_fail(run, "victim",
				"answered an entry of memcg %u, where one of memcg %u is wanted",
				entry->memcg, want->memcg);
		return NULL;
	}
	if (want->node != ZSWAPSIM_ANY && want->node != entry->node) {
		policy_run_fail(run, "victim",
				"answered an entry of node %u, where one of node %u is wanted",
				entry->node, want->node);
		return NULL;
	}
	return entry;
}

bool policy_run_victim(struct policy_run *run, struct zswapsim_want *want, uint64_t *slot)
{
	struct zswapsim_want asked = *want;
	struct policy_entry *entry;
	uint64_t answer;

	if (!policy_call_victim(run, want, &answer)) {
		*want = asked;
		return false;
	}
	if (want->budget > asked.budget) {
		policy_run_fail(run, "victim", "raised its budget from %llu to %llu",
				(unsigned long long)asked.budget, (unsigned long long)want->budget);
		*want = asked;
		return false;
	}
	asked.budget = want->budget;
	*want = asked;
	if (answer == ZSWAPSIM_NONE)
		return false;
	entry = check_victim(run, want, answer);
	if (!entry)
		return false;
	want->budget -= want->budget > 0;
	*slot = entry->slot;
	return true;
}

bool policy_run_has_target(const struct policy_run *run)
{
	return run->ops.target && !run->failed;
}

uint64_t policy_run_target(struct policy_run *run)
{
	uint64_t answer = UINT64_MAX;

	return policy_call_target(run, &answer) ? answer : UINT64_MAX;
}

bool policy_run_compact(struct policy_run *run)
{
	int answer = 0;

	if (!policy_call_compact(run, &answer))
		return false;
	if (answer != 0 && answer != 1) {
		policy_run_fail(run, "compact", "answered %d, neither 0 nor 1", answer);
		return false;
	}
	return answer;
}

bool policy_run_is_global(const struct policy_run *run)
{
	return run->ops.flags & ZSWAPSIM_GLOBAL;
}

const char *policy_run_failed(const struct policy_run *run, uint64_t *event)
{
	if (!run->failed)
		return NULL;
	if (event)
		*event = run->failed_event;
	return run->error;
}

bool policy_run_crashed(const struct policy_run *run)
{
	return run->crashed;
}

int policy_run_check(const struct policy_run *run, char *err, size_t err_size)
{
	uint64_t live = 0, bytes = 0, free_ones = 0;

	for (uint32_t i = 0; i < run->nr_chunks * POLICY_CHUNK; i++) {
		const struct policy_entry *entry = policy_entry_at(run, i);

		if (!entry->live)
			continue;
		live++;
		bytes += entry->size;
		if (find(run, entry->slot) != entry) {
			snprintf(err, err_size, "entry %u is not that of its slot", i);
			return -EUCLEAN;
		}
	}
	for (uint32_t at = run->first_free; at; at = policy_entry_at(run, at - 1)->next_free)
		free_ones++;
	if (live != run->pool.entries || bytes != run->pool.payload || free_ones != run->nr_free ||
	    live + free_ones != (uint64_t)run->nr_chunks * POLICY_CHUNK) {
		snprintf(err, err_size, "the record of the policy's entries does not add up");
		return -EUCLEAN;
	}
	return 0;
}
