// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "backends/zstd.h"
#include "cmd/walk_callers.h"
#include "cmd/walk_print.h"
#include "cmd/walk_words.h"
#include "sim/acomp_trace.h"

static void put_call_result(json_t *step, const struct walker_step *s)
{
	if (s->call == ACOMP_CALL_FLUSH_STREAM || s->call == ACOMP_CALL_END_STREAM)
		json_object_set_new(step, "left_to_flush_bytes", json_integer(s->result));
	else if (s->call == ACOMP_CALL_DECOMPRESS_STREAM)
		json_object_set_new(step, "frame_ends", json_boolean(!s->result));
}

static json_t *step_to_json(const struct walker_step *s)
{
	json_t *step = json_pack("{s:s, s:s}", "step", s->name, "what", walk_step_name(s));

	if (s->kind != WALKER_STEP_EVENT) {
		if (s->kind == WALKER_STEP_OOPS)
			json_object_set_new(step, "side",
					    json_string(s->src ? "source" : "destination"));
		return step;
	}
	switch (s->event) {
	case ACOMP_EVENT_SET_UP:
		json_object_set_new(step, "ret", json_integer(s->ret));
		break;
	case ACOMP_EVENT_NEXT_SRC:
	case ACOMP_EVENT_NEXT_DST:
	case ACOMP_EVENT_DONE_SRC:
	case ACOMP_EVENT_DONE_DST:
		json_object_set_new(step, "bytes", json_integer(s->bytes));
		json_object_set_new(step, "left_bytes", json_integer(s->left));
		json_object_set_new(step, "entry", json_integer(s->entry));
		break;
	case ACOMP_EVENT_COPY:
		json_object_set_new(step, "bytes", json_integer(s->bytes));
		break;
	case ACOMP_EVENT_CALL:
		json_object_set_new(step, "failed", json_boolean(s->failed));
		if (walk_step_is_init(s)) {
			json_object_set_new(step, "cpuids", json_integer(s->cpuids));
			break;
		}
		json_object_set_new(step, "in_bytes", json_integer(s->in_bytes));
		json_object_set_new(step, "out_bytes", json_integer(s->out_bytes));
		if (!s->failed)
			put_call_result(step, s);
		break;
	}
	return step;
}

static json_t *steps_to_json(const struct walker_result *res)
{
	json_t *steps = json_array();

	for (unsigned i = 0; i < res->nr_steps; i++)
		json_array_append_new(steps, step_to_json(&res->steps[i]));
	return steps;
}

static json_t *inits_to_json(const struct walker_result *res)
{
	json_t *inits = json_array();

	for (unsigned i = 0; i < res->nr_steps; i++) {
		const struct walker_step *s = &res->steps[i];

		if (walk_step_is_init(s))
			json_array_append_new(inits,
					      json_pack("{s:s, s:s, s:b, s:i}", "what",
							walk_step_name(s), "step", s->name, "built",
							s->builds, "cpuids", s->cpuids));
	}
	return inits;
}

static json_t *cpuid_records_to_json(const struct cpuid_count *count)
{
	json_t *leaves = json_array();

	for (unsigned i = 0; i < count->nr_records; i++)
		json_array_append_new(
			leaves, json_pack("{s:I, s:I}", "leaf", (json_int_t)count->records[i].leaf,
					  "subleaf", (json_int_t)count->records[i].subleaf));
	return leaves;
}

/* How the CPUIDs were counted. */
static void put_cpuids(json_t *root, const struct walk_view *v)
{
	const struct walker_result *res = v->result;
	const char *reason = walker_cpuid_reason(v->walker);

	if (res->stepped) {
		json_object_set_new(root, "cpuids", json_integer(res->count.cpuids));
		json_object_set_new(root, "cpuids_counted", json_string("request_stepped"));
		json_object_set_new(root, "instructions", json_integer(res->count.steps));
		json_object_set_new(root, "cpuid_leaves", cpuid_records_to_json(&res->count));
		return;
	}
	json_object_set_new(root, "cpuids", json_integer(res->facts.cpuids));
	json_object_set_new(root, "cpuids_counted",
			    json_string(reason ? "cannot" : "init_stepped_once_times_inits"));
	if (reason)
		json_object_set_new(root, "cpuids_reason", json_string(reason));
	else if (v->input->request.step)
		json_object_set_new(root, "cpuids_reason", json_string(res->count.reason));
}

static json_t *decode_to_json(const struct walker_decode *d, bool same_known)
{
	json_t *decode = json_pack("{s:b, s:I, s:s?}", "whole", d->whole, "bytes",
				   (json_int_t)d->bytes, "error", d->error);

	if (same_known)
		json_object_set_new(decode, "same", json_boolean(d->same));
	return decode;
}

static json_t *judgement_to_json(const struct walk_view *v)
{
	const struct walker_frame *f = &v->result->frame;
	const struct walker_request *r = &v->input->request;
	bool same_known = r->compress || r->plain;
	json_t *frame;

	if (!v->result->judged)
		return json_null();
	frame = json_pack("{s:s, s:o, s:o, s:i, s:i, s:I}", "of", r->compress ? "output" : "source",
			  "oneshot", decode_to_json(&f->oneshot, same_known), "stream",
			  decode_to_json(&f->stream, same_known), "frames", f->frames,
			  "skippable_frames", f->skippable, "trailing_bytes",
			  (json_int_t)f->trailing);
	if (f->header) {
		json_object_set_new(frame, "content_size_bytes",
				    f->content_size_known ? json_integer(f->content_size)
							  : json_null());
		json_object_set_new(frame, "window_bytes", json_integer(f->window));
		json_object_set_new(frame, "blocks", json_integer(f->blocks));
	}
	return frame;
}

static json_t *linear_to_json(const struct walker_result *res)
{
	if (!res->linear_run)
		return json_null();
	return json_pack("{s:i, s:s, s:i, s:b}", "ret", res->linear_ret, "ret_name",
			 walk_ret_name(res->linear_ret), "dlen_bytes", res->linear_dlen,
			 "same_output", res->linear_same);
}

static json_t *quirks_to_json(const struct walker_result *res)
{
	json_t *quirks = json_array();
	char id[16];

	for (unsigned i = 0; i < res->nr_quirks; i++) {
		snprintf(id, sizeof(id), "Q%u", res->quirks[i].id);
		json_array_append_new(
			quirks, json_pack("{s:s, s:s}", "id", id, "what", res->quirks[i].what));
	}
	return quirks;
}

static json_t *callers_to_json(const struct walk_view *v)
{
	struct walk_caller callers[WALK_MAX_CALLERS];
	unsigned nr = walk_callers(v->profile, &v->input->request, v->result, callers);
	json_t *array = json_array();

	for (unsigned i = 0; i < nr; i++)
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s?, s:s}", "caller", callers[i].name,
						"outcome", callers[i].outcome, "counter",
						callers[i].counter, "sees", callers[i].sees));
	return array;
}

static json_t *hex_to_json(const struct walker_result *res)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * (size_t)res->dlen + 1);
	json_t *hex;

	if (!text)
		return NULL;
	for (unsigned i = 0; i < res->dlen; i++) {
		text[2 * i] = digits[res->output[i] >> 4];
		text[2 * i + 1] = digits[res->output[i] & 15];
	}
	hex = json_stringn_nocheck(text, 2 * (size_t)res->dlen);
	free(text);
	return hex;
}

/* What happened: the part that a second walker has too. */
static void put_result(json_t *root, const struct walk_view *v)
{
	const struct walker_result *res = v->result;

	json_object_set_new(root, "ret", json_integer(res->ret));
	json_object_set_new(root, "ret_name", json_string(walk_ret_name(res->ret)));
	json_object_set_new(root, "oops", json_boolean(res->oops));
	json_object_set_new(root, "dlen_bytes", json_integer(res->dlen));
	json_object_set_new(root, "path", json_string(walk_path_name(res->path)));
	json_object_set_new(root, "reason", json_string(walk_reason_name(res->reason)));
	json_object_set_new(root, "libzstd_error",
			    res->facts.error ? json_string(res->facts.error) : json_null());
	json_object_set_new(root, "initialisations", inits_to_json(res));
	put_cpuids(root, v);
	json_object_set_new(root, "quirks", quirks_to_json(res));
	json_object_set_new(root, "userspace", judgement_to_json(v));
	json_object_set_new(root, "linear", linear_to_json(res));
	json_object_set_new(root, "callers", callers_to_json(v));
	json_object_set_new(root, "output_crc32",
			    json_integer(crc32(0, res->dlen ? res->output : NULL, res->dlen)));
	if (v->hex)
		json_object_set_new(root, "output_hex", hex_to_json(res));
	if (v->steps)
		json_object_set_new(root, "steps", steps_to_json(res));
}

json_t *walk_text_to_json(const char *text)
{
	json_t *json = json_string(text);
	char *copy;

	if (json)
		return json;
	copy = strdup(text);
	for (char *c = copy; c && *c; c++) {
		if (*c & 0x80)
			*c = '?';
	}
	json = json_string(copy);
	free(copy);
	return json;
}

json_t *walk_to_json(const struct walk_view *v, const struct walk_view *released)
{
	const struct walker_request *r = &v->input->request;
	char title[32], source[128];
	json_t *root =
		json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o}", "schema_version", 1, "kernel",
			  profile_title(v->profile, title, sizeof(title)), "libzstd",
			  zstd_library_version(), "op", r->compress ? "compress" : "decompress",
			  "src", v->spec->src_text, "dst", v->spec->dst_text, "data",
			  walk_text_to_json(walk_spec_source(v->spec, source, sizeof(source))));

	json_object_set_new(root, "slen_bytes", json_integer(r->slen));
	json_object_set_new(root, "capacity_bytes", json_integer(r->dlen));
	json_object_set_new(root, "frame_bytes",
			    v->input->frame_bytes ? json_integer(v->input->frame_bytes)
						  : json_null());
	put_result(root, v);
	if (released) {
		json_t *beside = json_object();

		put_result(beside, released);
		json_object_set_new(root, "released", beside);
	}
	return root;
}
