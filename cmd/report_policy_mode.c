// SPDX-License-Identifier: GPL-2.0-or-later
/* What a report of policy mode has in place of times: where the lengths came from. */
#include <inttypes.h>

#include "cmd/mode_options.h"
#include "cmd/report_private.h"

void report_lengths_text(FILE *out, const struct lengths *l)
{
	fprintf(out, "lengths   %s: %" PRIu64 " pages, ", l->key, l->nr_pages);
	switch (l->origin) {
	case LENGTHS_COMPUTED:
		fprintf(out, "compressed now, in %.3f s by %u thread%s\n          (",
			l->pass_ns / 1e9, l->nr_threads, l->nr_threads == 1 ? "" : "s");
		if (*l->why_computed)
			fprintf(out, "%s; ", l->why_computed);
		fprintf(out, "%s%s)\n", l->path ? "kept in " : "not kept", l->path ? l->path : "");
		break;
	case LENGTHS_FROM_FILE:
		fprintf(out, "from\n          %s\n", l->path);
		break;
	default:
		fprintf(out, "as the trace has them, which is content-free\n");
	}
}

void report_mode_text(FILE *out, const struct report *r)
{
	if (!r->lengths) {
		fprintf(out,
			"clock     one reading costs about %" PRIu64
			" ns, which every time includes\n",
			r->result->clock_ns);
		return;
	}
	fprintf(out, "mode      policy: no page is compressed or compared, and nothing is timed; "
		     "every count is measure mode's\n");
	report_lengths_text(out, r->lengths);
}

void report_policy_mode_modelled_text(FILE *out, const struct report *r)
{
	const struct replay_result *x = r->result;

	if (swap_model_is_none(&x->swap_model))
		return;
	fprintf(out,
		"\nmodelled: swap device %s alone: %.6f s reading, %.6f s writing (measure mode "
		"adds "
		"it to what it measures)\n",
		x->swap_model.name, (double)x->dev.modelled_ns[SWAP_MODEL_READ] / 1e9,
		(double)x->dev.modelled_ns[SWAP_MODEL_WRITE] / 1e9);
}

void report_policy_mode_run_text(FILE *out, const struct report *r)
{
	double s = (double)r->replay_ns / 1e9;

	fprintf(out, "\nthe replay took %.3f s", s);
	if (r->replay_ns)
		fprintf(out, ", %.0f events a second", (double)r->result->counts.events / s);
	fprintf(out, "; the simulated machine was not timed\n");
}

json_t *report_modelled_of_json(const struct report *r)
{
	json_t *o = report_modelled_json(r->result);

	/* Half of these is measured. */
	if (r->lengths && json_is_object(o)) {
		json_object_set_new(o, "swap_in", json_null());
		json_object_set_new(o, "swap_in_from_disk", json_null());
	}
	return o;
}

json_t *report_lengths_json(const struct lengths *l)
{
	bool computed = l->origin == LENGTHS_COMPUTED;
	json_t *o = json_object();

	put_string(o, "key", l->key);
	put_string(o, "origin", lengths_origin_names[l->origin]);
	json_object_set_new(o, "file", l->path ? json_string(l->path) : json_null());
	json_object_set_new(o, "why_computed",
			    *l->why_computed ? json_string(l->why_computed) : json_null());
	json_object_set_new(o, "why_not_kept",
			    *l->why_not_kept ? json_string(l->why_not_kept) : json_null());
	json_object_set_new(o, "pass_ns",
			    computed ? json_integer((json_int_t)l->pass_ns) : json_null());
	json_object_set_new(o, "pass_threads",
			    computed ? json_integer(l->nr_threads) : json_null());
	return o;
}

json_t *report_policy_mode_json(const struct report *r)
{
	json_t *o;

	if (!r->lengths)
		return json_null();
	o = json_object();
	json_object_set_new(o, "lengths", report_lengths_json(r->lengths));
	put(o, "replay_ns", r->replay_ns);
	return o;
}
