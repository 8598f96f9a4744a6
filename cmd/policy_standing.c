// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/policy_standing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/policy_report.h"
#include "cmd/replay_lengths.h"

int policy_standing_find(const struct replay_config *config, const char *trace,
			 struct trace_reader *reader, const struct replay_result *result,
			 const char *name, struct policy_standing **out)
{
	struct policy_standing *standing = calloc(1, sizeof(*standing));
	struct policy_table_config table = {
		.reader = reader, .kernel = config, .real = true, .replayed = result};
	struct lengths *lengths = NULL;
	struct trace_error err;
	int ret;

	if (!standing) {
		fprintf(stderr, "%s: out of memory\n", name);
		return STATUS_USAGE;
	}
	standing->policy = config->policy_spec;
	standing->compressor = config->compressor;
	standing->replayed = result;
	table.lengths = config->lengths;
	if (!table.lengths) {
		if (replay_lengths_open(name, trace, reader, config, &lengths)) {
			free(standing);
			return STATUS_USAGE;
		}
		table.lengths = lengths;
	}
	ret = policy_table_run(&table, &standing->table, &err);
	lengths_close(lengths);
	if (ret) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		free(standing);
		return STATUS_USAGE;
	}
	*out = standing;
	return STATUS_OK;
}

void policy_standing_text(FILE *out, const struct policy_standing *s)
{
	const struct policy_table *t = &s->table;
	const struct replay_result *x = s->replayed;
	uint64_t disk_reads = x->counts.in_pages[SWAPIN_DISK];
	char buf[POLICY_DISTANCE_BYTES];

	fprintf(out, "policy      %s: %" PRIu64 " disk reads", s->policy, disk_reads);
	if (x->compactions)
		fprintf(out, ", %" PRIu64 " compactions that freed %" PRIu64 " pages",
			x->compactions, x->compacted_pages);
	for (unsigned i = 0; x->nr_codecs && i <= x->nr_codecs; i++)
		fprintf(out, "%s %s %" PRIu64 " pages", i ? "," : "; stored by",
			i ? x->codecs[i] : s->compressor, x->codec_pages[i]);
	if (*t->clairvoyant.kernel.stopped)
		fprintf(out, "\n  clairvoyant is not known, its replay stopped: %s\n",
			t->clairvoyant.kernel.stopped);
	else
		fprintf(out, "\n  clairvoyant %" PRIu64 " disk reads: this is %s\n",
			t->clairvoyant.kernel.disk_reads,
			policy_distance(disk_reads, t->clairvoyant.kernel.disk_reads, buf));
	fprintf(out, "  the bound %" PRIu64 " disk reads, which no policy can beat: this is %s\n",
		t->kernel_bound.reads, policy_distance(disk_reads, t->kernel_bound.reads, buf));
	fprintf(out, POLICY_HEURISTIC);
}

json_t *policy_standing_json(const struct policy_standing *s)
{
	const struct policy_table *t = &s->table;
	const struct replay_result *x = s->replayed;
	uint64_t disk_reads = x->counts.in_pages[SWAPIN_DISK];
	json_t *o = json_object(), *codecs = json_array();
	uint64_t clairvoyant = t->clairvoyant.kernel.disk_reads;
	bool stopped = *t->clairvoyant.kernel.stopped;

	json_object_set_new(o, "name", json_string(s->policy));
	json_object_set_new(o, "disk_read_pages", json_integer((json_int_t)disk_reads));
	json_object_set_new(o, "compactions", json_integer((json_int_t)x->compactions));
	json_object_set_new(o, "compacted_pages", json_integer((json_int_t)x->compacted_pages));
	for (unsigned i = 0; i <= x->nr_codecs; i++) {
		json_t *codec = json_object();

		json_object_set_new(codec, "compressor",
				    json_string(i ? x->codecs[i] : s->compressor));
		json_object_set_new(codec, "stored_pages",
				    json_integer((json_int_t)x->codec_pages[i]));
		json_array_append_new(codecs, codec);
	}
	json_object_set_new(o, "codecs", codecs);
	json_object_set_new(o, "clairvoyant_disk_read_pages",
			    stopped ? json_null() : json_integer((json_int_t)clairvoyant));
	json_object_set_new(o, "clairvoyant_stopped",
			    stopped ? json_string(t->clairvoyant.kernel.stopped) : json_null());
	json_object_set_new(o, "clairvoyant_is", json_string("heuristic"));
	json_object_set_new(o, "above_clairvoyant_pages",
			    stopped ? json_null()
				    : json_integer((json_int_t)(disk_reads - clairvoyant)));
	json_object_set_new(o, "above_bound_pages",
			    json_integer((json_int_t)(disk_reads - t->kernel_bound.reads)));
	json_object_set_new(o, "bound", policy_bound_json(&t->kernel_bound, t->kernel_capacity));
	return o;
}
