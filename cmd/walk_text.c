// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/zstd.h"
#include "cmd/walk_callers.h"
#include "cmd/walk_print.h"
#include "cmd/walk_words.h"
#include "sim/acomp_trace.h"

void walk_print_request(const struct walk_view *v)
{
	const struct walker_request *r = &v->input->request;
	char title[32], source[128];

	printf("%s, kernel %s, libzstd %s\n", r->compress ? "compress" : "decompress",
	       profile_title(v->profile, title, sizeof(title)), zstd_library_version());
	printf("  source       %s: slen %u, %s\n", v->spec->src_text, r->slen,
	       walk_spec_source(v->spec, source, sizeof(source)));
	printf("  destination  %s: dlen %u\n", v->spec->dst_text, r->dlen);
	if (v->input->frame_bytes)
		printf("  L            %u bytes, the frame%s\n", v->input->frame_bytes,
		       r->compress ? " as this source gives it where it has room" : "");
}

/* ---- steps ---- */

static void print_call(const struct walker_step *s)
{
	printf("%s", acomp_call_names[s->call]);
	if (walk_step_is_init(s)) {
		printf("%s: %u CPUIDs%s\n", s->failed ? " fails" : "", s->cpuids,
		       s->builds ? "" : ", the context is restored and not built");
		return;
	}
	printf(": %zu bytes in, %zu out", s->in_bytes, s->out_bytes);
	if (s->failed)
		printf("; an error");
	else if (s->call == ACOMP_CALL_FLUSH_STREAM || s->call == ACOMP_CALL_END_STREAM)
		printf("; %zu left to flush%s", s->result,
		       s->result && *s->name ? ", which is not looked at" : "");
	else if (s->call == ACOMP_CALL_DECOMPRESS_STREAM)
		printf("; %s%s", s->result ? "within a frame" : "at the end of a frame",
		       s->result && *s->name ? ", which is not looked at" : "");
	putchar('\n');
}

static void print_fragment(const struct walker_step *s, const char *side)
{
	printf("%s: ", side);
	if (s->bytes)
		printf("a fragment of %u, entry %u, of %u left\n", s->bytes, s->entry, s->left);
	else
		printf("none%s\n", s->left ? ", though there is more to come" : ", it is used up");
}

static void print_event(const struct walker_step *s)
{
	switch (s->event) {
	case ACOMP_EVENT_LOCK:
		printf("lock the stream of this CPU\n");
		break;
	case ACOMP_EVENT_UNLOCK:
		printf("unlock it\n");
		break;
	case ACOMP_EVENT_SET_UP:
		printf("set up the walk%s\n", s->ret ? ": -EINVAL, a side is empty" : "");
		break;
	case ACOMP_EVENT_NEXT_SRC:
		print_fragment(s, "next source");
		break;
	case ACOMP_EVENT_NEXT_DST:
		print_fragment(s, "next destination");
		break;
	case ACOMP_EVENT_DONE_SRC:
		printf("done with %u bytes of source\n", s->bytes);
		break;
	case ACOMP_EVENT_DONE_DST:
		printf("done with %u bytes of destination\n", s->bytes);
		break;
	case ACOMP_EVENT_CALL:
		print_call(s);
		break;
	case ACOMP_EVENT_RESTART:
		printf("make the kept context ready: no initialisation\n");
		break;
	case ACOMP_EVENT_COPY:
		printf("copy %u bytes, to or from a linear buffer\n", s->bytes);
		break;
	}
}

static void print_step(const struct walker_step *s)
{
	printf("  %-4s ", s->name);
	switch (s->kind) {
	case WALKER_STEP_EVENT:
		print_event(s);
		break;
	case WALKER_STEP_SRC_ENDS:
		printf("the source is at its end\n");
		break;
	case WALKER_STEP_DST_ENDS:
		printf("no destination for what is left: -ENOSPC\n");
		break;
	case WALKER_STEP_OOPS:
		printf("past the end of the %s's list: the kernel oopses\n",
		       s->src ? "source" : "destination");
		break;
	}
}

/* ---- result ---- */

static void print_path(const struct walker_result *res)
{
	printf("\npath     %s", walk_path_name(res->path));
	switch (res->path) {
	case ACOMP_PATH_ONESHOT:
		printf(": each side is one fragment\n");
		return;
	case ACOMP_PATH_NONE:
		printf(": the codec was not reached\n");
		return;
	case ACOMP_PATH_STREAM:
		break;
	}
	switch (res->reason) {
	case ACOMP_STREAM_SRC:
		printf(": the first source fragment is not slen\n");
		break;
	case ACOMP_STREAM_DST:
		printf(": the first destination fragment is not dlen\n");
		break;
	default:
		printf(": neither side's first fragment is the whole\n");
	}
}

static void print_inits(const struct walk_view *v)
{
	const struct walker_result *res = v->result;
	const char *reason = walker_cpuid_reason(v->walker);

	printf("inits    %u, %u CPUIDs", res->facts.inits, res->facts.cpuids);
	if (reason)
		printf(" (they cannot be counted here: %s)\n", reason);
	else
		printf(" (counted once a kind by single-stepping, times the inits)\n");
	if (res->stepped)
		printf("stepped  %" PRIu64 " CPUIDs executed in the whole request of %" PRIu64
		       " instructions\n",
		       res->count.cpuids, res->count.steps);
	else if (v->input->request.step)
		printf("stepped  not to its end: %s\n", res->count.reason);
}

static void print_decode(const char *how, const struct walker_decode *d, bool same_known)
{
	printf("%s", how);
	if (d->error)
		printf("%zu bytes, then an error (%s)", d->bytes, d->error);
	else
		printf("%zu bytes%s", d->bytes, d->whole ? "" : ", and no end of the frame");
	if (same_known && d->bytes)
		printf(", %s", d->same ? "the right ones" : "WRONG ones");
	putchar('\n');
}

static void print_judgement(const struct walk_view *v)
{
	const struct walker_request *r = &v->input->request;
	const struct walker_result *res = v->result;

	if (!res->judged)
		return;
	printf("%s by libzstd in userspace:\n", r->compress ? "output " : "source ");
	print_decode("         in one shot  ", &res->frame.oneshot, r->compress || r->plain);
	print_decode("         in a stream  ", &res->frame.stream, r->compress || r->plain);
	if (!r->compress && res->dlen)
		printf("         the output is %s\n",
		       res->output_same ? "the same" : "NOT the same");
}

static void print_quirks(const struct walk_view *v)
{
	const struct walker_result *res = v->result;

	for (unsigned i = 0; i < res->nr_quirks; i++)
		printf("%s  Q%-3u %s\n", i ? "       " : "quirks ", res->quirks[i].id,
		       res->quirks[i].what);
}

static void print_callers(const struct walk_view *v)
{
	struct walk_caller callers[WALK_MAX_CALLERS];
	unsigned nr = walk_callers(v->profile, &v->input->request, v->result, callers);

	for (unsigned i = 0; i < nr; i++)
		printf("%s  %s: %s\n", i ? "       " : "callers", callers[i].name, callers[i].sees);
}

void walk_print_result(const struct walk_view *v)
{
	const struct walker_result *res = v->result;

	putchar('\n');
	for (unsigned i = 0; i < res->nr_steps; i++)
		print_step(&res->steps[i]);
	print_path(res);
	if (res->oops)
		printf("result   the kernel would oops: a walk past the end of a list (here: %s)\n",
		       walk_ret_name(res->ret));
	else
		printf("result   ret %s, dlen %u%s%s%s\n", walk_ret_name(res->ret), res->dlen,
		       res->facts.error ? " (libzstd: " : "",
		       res->facts.error ? res->facts.error : "", res->facts.error ? ")" : "");
	print_inits(v);
	print_judgement(v);
	print_quirks(v);
	print_callers(v);
}

void walk_print_line(const struct walk_view *v, uint64_t line)
{
	const struct walker_result *res = v->result;

	printf("%" PRIu64 ": ret %s dlen %u %s inits %u cpuids %" PRIu64, line,
	       walk_ret_name(res->ret), res->dlen, walk_path_name(res->path), res->facts.inits,
	       res->stepped ? res->count.cpuids : res->facts.cpuids);
	if (res->oops)
		printf(" oops");
	for (unsigned i = 0; i < res->nr_quirks; i++)
		printf(" Q%u", res->quirks[i].id);
	putchar('\n');
}
