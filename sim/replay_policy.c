// SPDX-License-Identifier: GPL-2.0-or-later
/* A policy in the kernel's place in a replay (replay_config.policy). */
#include <errno.h>
#include <string.h>

#include "sim/future.h"
#include "sim/policy_load.h"
#include "sim/policy_trace.h"
#include "sim/replay_private.h"
#include "sim/slot_map.h"
#include "sim/zswap_policy.h"

static int make_future(struct replay *r, const struct policy *policy)
{
	struct policy_trace trace = {.reader = r->reader, .profile = r->config->profile};

	if (!(policy->ops.flags & ZSWAPSIM_FUTURE) || r->config->future)
		return 0;
	return policy_trace_future(&trace, &r->future, r->err);
}

static int load(struct replay *r, struct policy **policy)
{
	*policy = r->config->policy;
	if (!r->config->policy_spec)
		return 0;
	*policy = NULL;
	/* The kernel's own is what there is without a policy. */
	if (!strcmp(r->config->policy_spec, POLICY_KERNEL))
		return 0;
	return policy_load(r->config->policy_spec, r->config->policy_limit_ms, policy,
			   r->err->message, sizeof(r->err->message));
}

static int add_codecs(struct replay *r)
{
	const struct replay_config *config = r->config;
	int ret = 0;

	r->codecs[0] = config->compressor ? config->compressor : "zstd";
	for (unsigned i = 0; !ret && i < config->nr_codecs; i++) {
		const void *lengths = replay_is_policy(r) ? config->codec_lengths[i] : NULL;

		r->codecs[i + 1] = config->codecs[i];
		ret = zswap_add_codec(r->z, config->codecs[i], (void *)lengths);
		if (ret)
			replay_fail(r, ret, "compressor %s: %s", config->codecs[i], strerror(-ret));
	}
	return ret;
}

int replay_policy_create(struct replay *r)
{
	struct policy_run_config config = {
		.objective = ZSWAPSIM_KERNEL,
		.nr_nodes = r->k->nr_nodes,
		.limit = zswap_max_pages(r->z) * PAGE_SIZE,
		.nr_events = r->info->nr_events,
		.nr_codecs = 1 + r->config->nr_codecs,
		.codecs = r->codecs,
		.limit_ms = r->config->policy_limit_ms,
	};
	int ret = load(r, &config.policy);

	if (ret || !config.policy)
		return ret;
	if (r->config->policy_spec)
		r->loaded_policy = config.policy;
	ret = make_future(r, config.policy);
	if (ret)
		return ret;
	ret = add_codecs(r);
	if (ret)
		return ret;
	config.future = r->config->future ? r->config->future : r->future;
	ret = policy_run_create(&config, &r->policy, r->err->message, sizeof(r->err->message));
	if (ret)
		return ret;
	zswap_set_policy(r->z, r->policy);
	return 0;
}

void replay_policy_destroy(struct replay *r)
{
	policy_run_destroy(r->policy);
	policy_unload(r->loaded_policy);
	future_destroy(r->future);
}

void replay_policy_event(struct replay *r, const struct trace_event *ev)
{
	policy_run_at(r->policy, r->event, ev->time_ns, r->ordinal);
}

void replay_policy_note_stays(struct replay *r, const struct folio *folio)
{
	for (uint64_t i = r->ordinal; i < r->ordinal + folio_nr_pages(folio); i++) {
		/* No more than the trace says that there are. */
		if (i < r->info->nr_stored_pages)
			r->config->stays[i / 8] |= 1u << i % 8;
	}
}

static void note_classes(void *arg)
{
	replay_note_classes(arg);
}

int replay_policy_settle(struct replay *r)
{
	uint64_t start = replay_clock_begin(r);

	if (!zswap_policy_settle(r->z, note_classes, r))
		return 0;
	r->result->worker_ns += replay_clock_end(r, start);
	return replay_dev_error(r);
}

void replay_policy_missed(struct replay *r, const struct folio *folio)
{
	for (unsigned i = 0; i < folio_nr_pages(folio); i++) {
		policy_run_pool(r->policy)->disk_reads++;
		policy_run_missed(r->policy, slot_key(folio->swap.type, folio->swap.offset + i),
				  folio->memcg->id);
	}
}

int replay_policy_error(struct replay *r)
{
	const char *error = policy_run_failed(r->policy, NULL);

	if (!error)
		return 0;
	return replay_fail(r, policy_run_crashed(r->policy) ? -EFAULT : -EINVAL, "%s", error);
}

int replay_policy_end(struct replay *r)
{
	policy_run_end(r->policy);
	return replay_policy_error(r);
}

void replay_policy_collect(struct replay *r)
{
	const struct zswap_codecs *codecs = zswap_codecs(r->z);

	memcpy(r->result->codec_pages, codecs->stored, sizeof(r->result->codec_pages));
	r->result->nr_codecs = codecs->nr;
	for (unsigned i = 1; i <= codecs->nr; i++)
		r->result->codecs[i] = r->codecs[i];
	memcpy(r->result->codec_calls, codecs->calls, sizeof(r->result->codec_calls));
	r->result->compactions = zswap_policy_stats(r->z)->compactions;
	r->result->compacted_pages = zswap_policy_stats(r->z)->compacted_pages;
}
