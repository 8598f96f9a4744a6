// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/walker_log.h"

#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

static bool is_init(enum acomp_call call)
{
	return call == ACOMP_CALL_INIT_CCTX || call == ACOMP_CALL_INIT_CSTREAM ||
	       call == ACOMP_CALL_INIT_DCTX || call == ACOMP_CALL_INIT_DSTREAM;
}

/* A stream context is begun at C2 or, deferred, at C5a: after the first fragments. */
static const char *name_of_call(const struct walker_log *log, enum acomp_call call)
{
	switch (call) {
	case ACOMP_CALL_INIT_CSTREAM:
		return log->walked ? "C5a" : "C2";
	case ACOMP_CALL_INIT_CCTX:
	case ACOMP_CALL_COMPRESS_CCTX:
		return "C5";
	case ACOMP_CALL_COMPRESS_STREAM:
		return "C7";
	case ACOMP_CALL_FLUSH_STREAM:
		return "C8";
	case ACOMP_CALL_END_STREAM:
		return "C11";
	case ACOMP_CALL_INIT_DSTREAM:
		return log->walked ? "D6a" : "D2";
	case ACOMP_CALL_INIT_DCTX:
	case ACOMP_CALL_DECOMPRESS_DCTX:
		return "D5";
	case ACOMP_CALL_DECOMPRESS_STREAM:
		return "D7";
	case ACOMP_NR_CALLS:
		break;
	}
	return "";
}

static const char *name_of_event(const struct walker_log *log, const struct acomp_event *event)
{
	static const char *const names[ACOMP_NR_EVENTS][2] = {
		[ACOMP_EVENT_LOCK] = {"D0", "C0"},     [ACOMP_EVENT_SET_UP] = {"D1", "C1"},
		[ACOMP_EVENT_NEXT_SRC] = {"D3", "C4"}, [ACOMP_EVENT_NEXT_DST] = {"D4", "C3"},
		[ACOMP_EVENT_DONE_SRC] = {"D8", "C9"}, [ACOMP_EVENT_DONE_DST] = {"D8", "C10"},
		[ACOMP_EVENT_UNLOCK] = {"D9", "C12"},  [ACOMP_EVENT_COPY] = {"", ""},
	};

	switch (event->kind) {
	case ACOMP_EVENT_CALL:
	case ACOMP_EVENT_RESTART:
		return name_of_call(log, event->call);
	case ACOMP_EVENT_DONE_SRC:
	case ACOMP_EVENT_DONE_DST:
		if (log->after)
			return log->after;
		break;
	default:
		break;
	}
	return names[event->kind][log->compress];
}

static struct walker_step *add_step(struct walker_log *log, enum walker_step_kind kind,
				    const char *name)
{
	struct walker_step *step;

	if (log->nr == log->room) {
		unsigned room = log->room ? log->room * 2 : 64;

		step = realloc(log->steps, room * sizeof(*step));
		if (!step) {
			log->failed = true;
			return NULL;
		}
		log->steps = step;
		log->room = room;
	}
	step = &log->steps[log->nr++];
	memset(step, 0, sizeof(*step));
	step->kind = kind;
	if (log->released)
		strcpy(step->name, name);
	return step;
}

static unsigned entry_of(const struct walker_log *log, const struct acomp_event *event)
{
	bool src = event->kind == ACOMP_EVENT_NEXT_SRC || event->kind == ACOMP_EVENT_DONE_SRC;
	const struct scatterlist *list = src ? log->src : log->dst;
	const struct scatterlist *at = src ? event->walk->in.sg.sg : event->walk->out.sg.sg;

	return list && at ? at - list : 0;
}

/* Under a policy only the first context of a machine may be built, and ask. */
static unsigned cpuids_of(const struct cpuid_census_kind *kind, bool builds)
{
	return builds ? kind->first.cpuids : kind->later.cpuids;
}

static void add_event(struct walker_log *log, const struct acomp_event *event)
{
	struct walker_step *step = add_step(log, WALKER_STEP_EVENT, name_of_event(log, event));

	if (!step)
		return;
	step->event = event->kind;
	step->call = event->call;
	step->builds = event->builds;
	step->ret = event->ret;
	step->bytes = event->bytes;
	step->left = event->left;
	step->in_bytes = event->in_bytes;
	step->out_bytes = event->out_bytes;
	step->result = event->result;
	if (event->kind == ACOMP_EVENT_CALL)
		step->failed = is_init(event->call) ? !event->result : ZSTD_isError(event->result);
	if (event->kind == ACOMP_EVENT_CALL && is_init(event->call))
		step->cpuids = cpuids_of(&log->census->kind[event->call], event->builds);
	if (event->walk && event->kind != ACOMP_EVENT_SET_UP)
		step->entry = entry_of(log, event);
	log->facts.cpuids += step->cpuids;
}

static void add_side(struct walker_log *log, enum walker_step_kind kind, const char *name, bool src)
{
	struct walker_step *step = add_step(log, kind, name);

	if (step)
		step->src = src;
}

static void next_seen(struct walker_log *log, const struct acomp_event *event)
{
	bool src = event->kind == ACOMP_EVENT_NEXT_SRC;
	struct walker_facts *f = &log->facts;

	log->walked = true;
	if (event->bytes)
		return;
	if (event->walk->fault) {
		log->oops = true;
		add_side(log, WALKER_STEP_OOPS, "", src);
		return;
	}
	if (src) {
		f->src_ended_early |= event->left > 0;
		log->source_ended = true;
	} else {
		f->dst_ended_early |= event->left > 0;
		f->dst_full |= !event->left;
		/* The rewritten loop goes on without room, in case that nothing more comes out. */
		if (!log->compress && log->released)
			add_side(log, WALKER_STEP_DST_ENDS, "D6", false);
	}
}

static void call_seen(struct walker_log *log, const struct acomp_event *event)
{
	struct walker_facts *f = &log->facts;

	if (is_init(event->call)) {
		f->inits++;
		if (!event->result)
			log->after = name_of_call(log, event->call);
		return;
	}
	if (ZSTD_isError(event->result)) {
		f->error = ZSTD_getErrorName(event->result);
		f->window_too_big |=
			event->call == ACOMP_CALL_DECOMPRESS_STREAM &&
			ZSTD_getErrorCode(event->result) == ZSTD_error_memory_allocation;
	}
	switch (event->call) {
	case ACOMP_CALL_COMPRESS_CCTX:
	case ACOMP_CALL_DECOMPRESS_DCTX:
		log->after = name_of_call(log, event->call);
		break;
	case ACOMP_CALL_FLUSH_STREAM:
		f->flushes++;
		break;
	case ACOMP_CALL_END_STREAM:
		f->end_left = ZSTD_isError(event->result) ? 0 : event->result;
		break;
	case ACOMP_CALL_DECOMPRESS_STREAM:
		if (ZSTD_isError(event->result))
			break;
		f->decodes++;
		f->hint = event->result;
		break;
	default:
		break;
	}
}

/* What a compressing driver makes of an empty source fragment, before it goes on. */
static void source_ends(struct walker_log *log, const struct acomp_event *event)
{
	bool goes_on = event->kind == ACOMP_EVENT_DONE_DST ||
		       (event->kind == ACOMP_EVENT_CALL && event->call == ACOMP_CALL_END_STREAM);

	if (!log->compress || !log->source_ended || !goes_on)
		return;
	log->source_ended = false;
	add_side(log, WALKER_STEP_SRC_ENDS, "C6", true);
}

static void observe(struct acomp_trace *trace, const struct acomp_event *event)
{
	struct walker_log *log = (struct walker_log *)trace;

	source_ends(log, event);
	add_event(log, event);
	switch (event->kind) {
	case ACOMP_EVENT_NEXT_SRC:
	case ACOMP_EVENT_NEXT_DST:
		next_seen(log, event);
		break;
	case ACOMP_EVENT_DONE_SRC:
		log->facts.consumed += event->bytes;
		break;
	case ACOMP_EVENT_CALL:
		call_seen(log, event);
		break;
	default:
		break;
	}
}

void walker_log_start(struct walker_log *log)
{
	log->trace.observe = observe;
	log->nr = 0;
	memset(&log->facts, 0, sizeof(log->facts));
	log->oops = false;
	log->failed = false;
	log->walked = false;
	log->source_ended = false;
	log->after = NULL;
}

void walker_log_finish(struct walker_log *log)
{
	free(log->steps);
}
