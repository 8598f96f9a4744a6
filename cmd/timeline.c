// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct timeline {
	char *path, *temporary; /* the latter "" once it is gone */
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
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static int create_temporary(struct timeline *t)
{
	int fd;

	if (asprintf(&t->temporary, "%s.XXXXXX", t->path) < 0) {
		t->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(t->temporary, O_CLOEXEC);
	if (fd < 0) {
		int ret = -errno;

		*t->temporary = '\0';
		return ret;
	}
	t->out = fdopen(fd, "w");
	if (!t->out) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

int timeline_create(const char *path, struct timeline **out)
{
	struct timeline *t = calloc(1, sizeof(*t));
	int ret = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->path = strdup(path);
	if (t->path)
		ret = create_temporary(t);
	if (ret) {
		timeline_abort(t);
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
	};
	struct timeline *t = arg;

	_Static_assert(sizeof(values) / sizeof(*values) == NR_COLUMNS, "a value a column");
	for (unsigned i = 0; i < NR_COLUMNS; i++)
		fprintf(t->out, "%s%" PRIu64, i ? "," : "", values[i]);
	fprintf(t->out, "\n");
}

int timeline_commit(struct timeline *t)
{
	bool failed = ferror(t->out) || fflush(t->out);
	int ret = 0;

	if (failed)
		ret = errno ? -errno : -EIO;
	else if (fsync(fileno(t->out)))
		ret = -errno;
	if (fclose(t->out) && !ret)
		ret = -errno;
	t->out = NULL;
	if (!ret && rename(t->temporary, t->path))
		ret = -errno;
	if (!ret)
		*t->temporary = '\0';
	timeline_abort(t);
	return ret;
}

void timeline_abort(struct timeline *t)
{
	if (!t)
		return;
	if (t->out)
		fclose(t->out);
	if (t->temporary && *t->temporary)
		unlink(t->temporary);
	free(t->temporary);
	free(t->path);
	free(t);
}
