// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/atomic_file.h"
#include "traces/error.h"

struct timeline {
	struct atomic_file *file;
	FILE *out;
};

static const char *const columns[] = {
	"event",
	"time_ns",
	"stored_pages",
	"pool_pages",
	"zspages",
	"payload_bytes",
	"rounding_bytes",
	"unused_bytes",
	"tail_bytes",
	"straddling_objects",
	"stored_incompressible_pages",
	"slots_in_use",
	"disk_pages",
	"zswpout",
	"zswpin",
	"zswpwb",
	"pswpout",
	"pswpin",
	"refaults",
	"refused_pages",
	"pool_limit_hit",
	"shrink_worker_runs",
	"lru_rotations",
	"compacted_pages",
	"compaction_copied_bytes",
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

int timeline_create(const char *path, struct timeline **out, struct trace_error *err)
{
	struct timeline *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	ret = atomic_file_create(path, &t->file, &t->out, err);
	if (ret) {
		free(t);
		return ret;
	}
	for (unsigned i = 0; i < NR_COLUMNS; i++)
		fprintf(t->out, "%s%s", i ? "," : "", columns[i]);
	fprintf(t->out, "\n");
	*out = t;
	return 0;
}

void timeline_sample(void *arg, const struct replay_sample *s)
{
	const uint64_t values[] = {
		s->event,
		s->time_ns,
		s->stored_pages,
		s->pool.pages,
		s->pool.groups,
		s->pool.payload_bytes,
		s->pool.rounding_bytes,
		s->pool.unused_bytes,
		s->pool.tail_bytes,
		s->pool.straddling_objs,
		s->stored_incompressible_pages,
		s->slots_in_use,
		s->disk_pages,
		s->zswap->zswpout,
		s->zswap->zswpin,
		s->zswap->zswpwb,
		s->swap->pswpout + s->zswap->written_back_pages,
		s->swap->pswpin,
		s->in_disk_written_back,
		s->rejected_pages,
		s->zswap->pool_limit_hit,
		s->zswap->shrink_worker_runs,
		s->zswap->lru_rotations,
		s->compaction->freed_pages,
		s->compaction->copied_bytes,
	};
	struct timeline *t = arg;

	_Static_assert(sizeof(values) / sizeof(*values) == NR_COLUMNS, "a value a column");
	for (unsigned i = 0; i < NR_COLUMNS; i++)
		fprintf(t->out, "%s%" PRIu64, i ? "," : "", values[i]);
	fprintf(t->out, "\n");
}

int timeline_commit(struct timeline *t, struct trace_error *err)
{
	int ret = atomic_file_commit(t->file, err);

	free(t);
	return ret;
}

void timeline_abort(struct timeline *t)
{
	if (!t)
		return;
	atomic_file_abort(t->file);
	free(t);
}
