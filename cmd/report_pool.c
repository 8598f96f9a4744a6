// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of the pool: what it holds, where its bytes go, zsmalloc's classes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/codec.h"
#include "cmd/report_private.h"
#include "sim/codec_model.h"
#include "sim/zpool.h"

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* What the parts of a pool are called, by allocator. */
static const struct words {
	const char *groups, *rounding, *unused, *tails;
} words[] = {
	[POOL_ALLOCATOR_ZSMALLOC] = {"zspages", "class rounding", "unused objects", "zspage tails"},
	[POOL_ALLOCATOR_ZBUD] = {"pages of buddies", "chunk rounding", "free chunks",
				 "page headers"},
	[POOL_ALLOCATOR_JEMALLOC] = {"slabs", "class rounding", "free regions", "slab tails"},
};

/* What became of a straddling object. */
static const char *straddled(const struct report *r)
{
	if (r->profile->zsmalloc.read != ZS_READ_SG)
		return "copied to be linear first, so none streams";
	if (r->result->nr_codecs)
		return "two scatterlist entries, which stream, or which scomp copies together";
	if (codec_model_streams(codec_spec(r->compressor).alg->model, r->profile))
		return "two scatterlist entries, so the request streams";
	return "two scatterlist entries, which scomp copies together";
}

void report_straddled_text(FILE *out, const struct report *r)
{
	if (r->profile->pool.allocator != POOL_ALLOCATOR_ZSMALLOC) {
		fprintf(out, "  no object lies over two pages in %s: no request streams for that\n",
			zpool_types()[r->profile->pool.allocator]);
		return;
	}
	fprintf(out, "  %" PRIu64 " loaded objects lay over two pages of their zspage: %s\n",
		r->result->zswap.dir[ZSWAP_LOAD].straddled, straddled(r));
}

static void pool(FILE *out, const struct report *r)
{
	const struct words *w = &words[r->profile->pool.allocator];
	const struct zpool_usage *u = &r->result->pool_peak;
	uint64_t bytes = u->pages * PAGE_SIZE, stored = r->result->stored_at_peak;

	fprintf(out, "\npool at its largest (after event %" PRIu64 ")\n", r->result->peak_event);
	if (!u->pages) {
		fprintf(out, "  empty throughout; ratio n/a\n");
		return;
	}
	fprintf(out,
		"  stored pages %" PRIu64 " (%.1f MiB) in %" PRIu64
		" pool pages (%.1f MiB), %" PRIu64 " %s: ratio %.3f\n",
		stored, mib(stored * PAGE_SIZE), u->pages, mib(bytes), u->groups, w->groups,
		(double)stored / (double)u->pages);
	fprintf(out, "  payload %.1f MiB (%.1f %%), lost to %s %.1f %%, %s %.1f %%, %s %.1f %%\n",
		mib(u->payload_bytes), percent(u->payload_bytes, bytes), w->rounding,
		percent(u->rounding_bytes, bytes), w->unused, percent(u->unused_bytes, bytes),
		w->tails, percent(u->tail_bytes, bytes));
	if (r->profile->pool.allocator == POOL_ALLOCATOR_ZSMALLOC)
		fprintf(out, "  objects over two pages: %" PRIu64 " of %" PRIu64 " (%.1f %%)\n",
			u->straddling_objs, u->objects, percent(u->straddling_objs, u->objects));
	fprintf(out,
		"pool on average %.1f pages; at the end: %" PRIu64 " pages, %" PRIu64 " objects\n",
		report_pool_mean_pages(r->result), r->result->pool_end.pages,
		r->result->pool_end.objects);
}

#define CLASSES_SHOWN 10

static int by_pages(const void *a, const void *b)
{
	const struct zs_class_stats *const *x = a, *const *y = b;

	if ((*x)->pages_used != (*y)->pages_used)
		return (*x)->pages_used < (*y)->pages_used ? 1 : -1;
	return (*x)->geometry.index < (*y)->geometry.index ? -1 : 1;
}

static void class_row(FILE *out, const struct zs_class_stats *c)
{
	uint64_t zspages = 0;

	for (unsigned group = 0; group < ZS_NR_FULLNESS; group++)
		zspages += c->zspages[group];
	fprintf(out,
		"  %5u %5u %5u %6u %10" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64
		" %7.1f %%\n",
		c->geometry.index, c->geometry.size, c->geometry.objs, c->geometry.pages, zspages,
		c->obj_used, c->pages_used, c->straddling_objs,
		percent(c->payload_bytes, c->pages_used * PAGE_SIZE));
}

static void classes(FILE *out, const struct report *r)
{
	const struct zs_class_stats *row[ZS_MAX_CLASSES];
	unsigned nr = 0, shown;

	for (unsigned i = 0; i < r->result->nr_classes && nr < ZS_MAX_CLASSES; i++) {
		if (r->result->classes_at_peak[i].obj_allocated)
			row[nr++] = &r->result->classes_at_peak[i];
	}
	shown = nr;
	if (!r->all_classes) {
		qsort(row, nr, sizeof(*row), by_pages);
		shown = nr < CLASSES_SHOWN ? nr : CLASSES_SHOWN;
	}
	fprintf(out, "\nsize classes at that point, %s\n",
		shown < nr ? "those with most pages" : "all in use");
	fprintf(out, "  class  size  objs  pages    zspages  obj_used  pages_used  straddling  "
		     "payload\n");
	for (unsigned i = 0; i < shown; i++)
		class_row(out, row[i]);
	if (shown < nr)
		fprintf(out, "  and %u more (--classes)\n", nr - shown);
}

static void compaction(FILE *out, const struct replay_result *x)
{
	const struct replay_compaction *c = &x->compaction;
	char when[64];

	if (x->compact.kind == COMPACT_NEVER && !c->runs)
		return;
	fprintf(out,
		"compaction, %s: runs %" PRIu64 ", objects moved %" PRIu64
		", %.1f MiB copied; pages "
		"freed %" PRIu64,
		compact_when_print(&x->compact, when, sizeof(when)), c->runs, c->moved_objects,
		mib(c->copied_bytes), c->freed_pages);
	if (c->freed_pages)
		fprintf(out, ", for each %.0f bytes copied",
			(double)c->copied_bytes / (double)c->freed_pages);
	fprintf(out, "\n");
}

double report_pool_mean_pages(const struct replay_result *x)
{
	return x->counts.events ? (double)x->pool_pages_sum / (double)x->counts.events : 0;
}

void report_pool_text(FILE *out, const struct report *r)
{
	pool(out, r);
	compaction(out, r->result);
	if (r->result->pool_peak.pages && r->result->nr_classes)
		classes(out, r);
}
