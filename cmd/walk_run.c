// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/output.h"
#include "traces/spool.h"
#include "traces/target.h"

static int create_walker(const struct profile *profile, struct walker **out, struct walk_error *err)
{
	char text[256];
	int ret = walker_create(profile, out, text, sizeof(text));

	return ret ? walk_fail(err, "%s", text) : 0;
}

int walk_run_start(struct walk_run *run, struct walk_error *err)
{
	struct profile released = *run->profile;
	int ret = create_walker(run->profile, &run->walker, err);

	released.zstd.stream_drain = 0;
	if (!ret && run->profile->zstd.stream_drain)
		ret = create_walker(&released, &run->released, err);
	return ret;
}

void walk_run_finish(struct walk_run *run)
{
	walk_input_finish(&run->input);
	walk_spec_finish(&run->spec);
	walker_destroy(run->released);
	walker_destroy(run->walker);
}

static int apply_options(struct walk_run *run, struct walk_error *err)
{
	int ret = 0;

	walk_spec_reset(&run->spec);
	for (unsigned i = 0; i < run->nr_set && !ret; i++)
		ret = run->set[i].option->set(&run->spec, run->set[i].value, err);
	return ret;
}

static int write_output(const char *path, const struct walker_result *res, struct walk_error *err)
{
	struct trace_error error;
	struct target target;
	int ret = target_open(&target, path, &error);

	if (ret)
		return walk_fail(err, "%s", error.message);
	ret = write_all(target.fd, res->output, res->dlen, 0);
	if (ret)
		walk_fail(err, "%s: %s", path, strerror(-ret));
	else if (target_publish(&target, &error))
		ret = walk_fail(err, "%s", error.message);
	target_close(&target);
	return ret;
}

static int run_on(struct walk_run *run, struct walker *w, const struct walker_result **res,
		  struct walk_error *err)
{
	const struct walker_request *r = &run->input.request;
	struct walker_request unstepped = *r;
	int ret = 0;

	unstepped.step = false;
	for (uint64_t i = 0; i < run->warm && !ret; i++)
		ret = walker_run(w, &unstepped, res);
	if (!ret)
		ret = walker_run(w, r, res);
	if (!ret)
		return 0;
	if (r->step && ret != -ENOMEM)
		return walk_fail(err, "--step: %s", (*res)->count.reason);
	return walk_fail(err, "%s", strerror(-ret));
}

/* The request in run->spec; *@view and *@beside show it. */
static int run_spec(struct walk_run *run, struct walk_view *view, struct walk_view *beside,
		    struct walk_error *err)
{
	int ret = walk_input_make(&run->input, &run->spec, run->walker, run->step, err);

	if (ret)
		return ret;
	*view = (struct walk_view){
		.profile = run->profile,
		.walker = run->walker,
		.spec = &run->spec,
		.input = &run->input,
		.steps = run->steps,
		.hex = run->hex,
	};
	*beside = *view;
	beside->walker = run->released;
	ret = run_on(run, run->walker, &view->result, err);
	if (!ret && run->released)
		ret = run_on(run, run->released, &beside->result, err);
	if (!ret && run->spec.output && !view->result->ret)
		ret = write_output(run->spec.output, view->result, err);
	return ret;
}

static void print_text(struct walk_run *run, const struct walk_view *view,
		       const struct walk_view *beside)
{
	walk_print_request(view);
	if (run->released)
		printf("\nThe loops as rewritten in March 2026 (zstd.stream_drain=yes):\n");
	walk_print_result(view);
	if (run->spec.output && view->result->ret)
		printf("output   not written to %s: there is none\n", run->spec.output);
	if (!run->released)
		return;
	printf("\nBeside them, the loops as released (zstd.stream_drain=no):\n");
	walk_print_result(beside);
}

int walk_run_one(struct walk_run *run, struct walk_error *err)
{
	struct walk_view view, beside;
	int ret = apply_options(run, err);

	if (!ret)
		ret = run_spec(run, &view, &beside, err);
	if (ret)
		return ret;
	if (run->json)
		output_json(walk_to_json(&view, run->released ? &beside : NULL));
	else
		print_text(run, &view, &beside);
	return 0;
}

/* ---- batch ---- */

static void print_batch_line(struct walk_run *run, uint64_t nr, const struct walk_view *view,
			     const struct walk_view *beside)
{
	json_t *root;

	if (!run->json) {
		walk_print_line(view, nr);
		return;
	}
	root = walk_to_json(view, run->released ? beside : NULL);
	if (root)
		json_object_set_new(root, "line", json_integer(nr));
	output_json_line(root);
}

/* @line is written to. */
static int run_line(struct walk_run *run, char *line, size_t len, uint64_t nr,
		    struct walk_error *err)
{
	struct walk_view view, beside;
	bool empty;
	int ret;

	if (strlen(line) != len)
		return walk_fail(err, "a NUL byte at offset %zu of the line", strlen(line));
	ret = apply_options(run, err);
	if (!ret)
		ret = walk_spec_read_line(&run->spec, line, &empty, err);
	if (ret || empty)
		return ret;
	ret = run_spec(run, &view, &beside, err);
	if (!ret)
		print_batch_line(run, nr, &view, &beside);
	return ret;
}

static void complain(const struct walk_run *run, const char *path, uint64_t nr,
		     const struct walk_error *err)
{
	fprintf(stderr, "%s: %s:%" PRIu64 ": %s\n", run->name, path, nr, err->message);
	if (run->json && run->keep_going)
		output_json_line(json_pack("{s:I, s:o}", "line", (json_int_t)nr, "error",
					   walk_text_to_json(err->message)));
}

static int run_lines(struct walk_run *run, FILE *in, const char *path)
{
	struct walk_error err;
	int status = STATUS_OK;
	char *line = NULL;
	size_t room = 0;
	uint64_t nr = 0;
	ssize_t len;

	errno = 0;
	while ((len = getline(&line, &room, in)) >= 0) {
		nr++;
		if (!run_line(run, line, len, nr, &err))
			continue;
		complain(run, path, nr, &err);
		status = STATUS_USAGE;
		if (!run->keep_going)
			break;
	}
	if (len < 0 && !feof(in)) {
		fprintf(stderr, "%s: %s: line %" PRIu64 ": %s\n", run->name, path, nr + 1,
			strerror(errno));
		status = STATUS_USAGE;
	}
	free(line);
	return status;
}

int walk_run_batch(struct walk_run *run, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	int status;

	if (!in) {
		fprintf(stderr, "%s: %s: %s\n", run->name, path, strerror(errno));
		return STATUS_USAGE;
	}
	status = run_lines(run, in, is_stdin ? "(standard input)" : path);
	if (!is_stdin)
		fclose(in);
	return status;
}
