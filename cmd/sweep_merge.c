// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep_header.h"
#include "traces/error.h"

static const char *text_of(const struct sweep_journal *j, const char *key)
{
	const char *text = json_string_value(json_object_get(sweep_journal_header(j), key));

	return text ? text : "";
}

#define fail(path, err, ...) trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, __VA_ARGS__)

/* Puts the journal where it belongs. */
static int place_shard(struct sweep_merge *m, unsigned nr, struct sweep_journal *j,
		       struct trace_error *err)
{
	const char *path = sweep_journal_path(j), *text = text_of(j, "shard");
	unsigned shard = 0, of = 0;

	if (strcmp(text_of(j, "schema"), SWEEP_JOURNAL_SCHEMA) ||
	    sscanf(text, "%u/%u", &shard, &of) != 2 || shard < 1 || shard > of)
		return fail(path, err, "is no shard of a sweep");
	if (!m->shards) {
		m->shards = calloc(of, sizeof(struct sweep_journal *));
		if (!m->shards)
			return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s",
					  strerror(ENOMEM));
		m->nr = of;
	}
	if (of != m->nr)
		return fail(path, err, "is shard %s: others are of %u", text, m->nr);
	if (m->shards[shard - 1])
		return fail(path, err, "is shard %s, as %s is", text,
			    sweep_journal_path(m->shards[shard - 1]));
	m->shards[shard - 1] = j;
	return 0;
}

/* But for which shard it is, a header is the first one's. */
static int check_same(const struct sweep_journal *first, const struct sweep_journal *j,
		      struct trace_error *err)
{
	json_t *a = json_copy((json_t *)sweep_journal_header(first)),
	       *b = json_copy((json_t *)sweep_journal_header(j));
	char difference[200];
	int ret = 0;

	json_object_del(a, "shard");
	json_object_del(b, "shard");
	if (sweep_journal_difference(a, b, difference, sizeof(difference)))
		ret = fail(sweep_journal_path(j), err, "is not of the sweep of %s: %s",
			   sweep_journal_path(first), difference);
	json_decref(a);
	json_decref(b);
	return ret;
}

static int check_whole(const struct sweep_merge *m, struct trace_error *err)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (!m->shards[i])
			return fail("--merge", err, "shard %u/%u is missing", i + 1, m->nr);
	}
	for (uint32_t row = 0; row < m->file->nr_rows; row++) {
		for (unsigned i = 0; i < m->nr; i++) {
			const struct sweep_journal *j = m->shards[i];
			bool is = sweep_journal_has(j, row);

			if (is && !sweep_in_shard(row, i + 1, m->nr))
				return fail(sweep_journal_path(j), err,
					    "has setting %" PRIu32 ", which is another shard's",
					    row + 1);
			if (!is && sweep_in_shard(row, i + 1, m->nr))
				return fail(sweep_journal_path(j), err,
					    "shard %u/%u is not finished: setting %" PRIu32
					    " is missing",
					    i + 1, m->nr, row + 1);
		}
	}
	return 0;
}

int sweep_merge_open(const char *const *paths, unsigned nr, struct sweep_merge *m,
		     struct trace_error *err)
{
	struct sweep_journal *first = NULL;
	int ret = 0;

	memset(m, 0, sizeof(*m));
	for (unsigned i = 0; i < nr && !ret; i++) {
		struct sweep_journal *j;

		ret = sweep_journal_read(paths[i], &j, err);
		if (ret)
			break;
		if (first)
			ret = check_same(first, j, err);
		if (!ret)
			ret = place_shard(m, nr, j, err);
		if (ret)
			sweep_journal_close(j);
		else if (!first)
			first = j;
	}
	if (!ret)
		ret = sweep_file_parse(sweep_journal_path(first), text_of(first, "sweep"), &m->file,
				       err);
	if (!ret && m->file->nr_rows != json_integer_value(json_object_get(
						sweep_journal_header(first), "rows")))
		ret = fail(sweep_journal_path(first), err, "is no shard of a sweep");
	if (!ret)
		ret = check_whole(m, err);
	if (ret)
		sweep_merge_close(m);
	return ret;
}

void sweep_merge_close(struct sweep_merge *m)
{
	for (unsigned i = 0; m->shards && i < m->nr; i++)
		sweep_journal_close(m->shards[i]);
	free(m->shards);
	sweep_file_free(m->file);
	memset(m, 0, sizeof(*m));
}

json_t *sweep_merge_get(void *arg, uint32_t row)
{
	const struct sweep_merge *m = arg;

	for (unsigned i = 0; i < m->nr; i++) {
		if (sweep_journal_has(m->shards[i], row))
			return sweep_journal_get(m->shards[i], row);
	}
	return NULL;
}
