// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_zswap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/region.h"
#include "sim/verify_laws.h"
#include "sim/verify_memcgs.h"
#include "sim/verify_rows.h"
#include "sim/verify_settings.h"
#include "sim/verify_zswap_lengths.h"
#include "sim/zsmalloc.h"
#include "sim/zswap.h"
#include "traces/error.h"

#define FOLIO_ORDER 4 /* 64 KiB */

struct zswap_run {
	const struct verify_zswap_config *config;
	struct verify_report *report;
	struct trace_error *err;
	struct csv *csv;
	struct verify_settings settings;
	struct profile profile; /* the configuration's, with the recording's allocator */
	struct verify_rows rows;
	const char *compressor;
	struct verify_zswap_lengths by_length; /* without pages */
	const char *const *call_names;	       /* of its functions; NULL: they are not known */
	uint32_t nr_src;

	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup *memcg;      /* the only one; NULL: there are several */
	struct verify_memcg_tree tree; /* those */
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct region *region;

	int64_t here[VC_NR], before[VC_NR]; /* after the row at hand, and the one before it */
	int64_t result;			    /* of the shrinker's last call */
	bool statistics_lag;
	uint8_t *stored_kind; /* [nr_src], folio64: 1 if the page is compressible */
};

static int fail(struct zswap_run *run, int ret, const char *cause)
{
	return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, ret, "%s", cause);
}

static int fail_row(struct zswap_run *run, const struct verify_row *row, int ret, const char *cause)
{
	return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, ret, "line %u: %s",
			  row->line, cause);
}

static uint32_t id_of_src(const struct zswap_run *run, uint32_t src)
{
	const struct recording_lengths *lengths = run->config->lengths;

	if (lengths && src < lengths->nr && lengths->kind[src] == RECORDING_KIND_SAME)
		return ZSWAP_ZERO_ID;
	return src;
}

/* ---- the machine ---- */

static void written_back(void *arg, swp_entry_t swap)
{
	struct zswap_run *run = arg;

	region_written_back(run->region, swap.offset);
}

static int create_machine(struct zswap_run *run)
{
	struct kernel_config kernel = {
		.profile = &run->profile,
		.totalram_pages = run->settings.totalram_pages,
		.no_contents = run->config->lengths != NULL,
		.nr_nodes = run->settings.nr_nodes,
	};
	struct zswap_config zswap = {
		.compressor = run->compressor,
		.max_pool_percent = run->settings.max_pool_percent,
		.accept_threshold_percent = run->settings.accept_threshold_percent,
		.shrinker_enabled = run->settings.shrinker_enabled,
		.length = verify_zswap_length_of,
		.length_arg = &run->by_length,
		.written_back = written_back,
		.written_back_arg = run,
	};
	int ret = kernel_create(&kernel, &run->k);

	if (ret)
		return ret;
	crypto_init(run->k, run->config->crypto);
	ret = memcgs_init(&run->memcgs, run->settings.nr_nodes);
	if (ret)
		return ret;
	run->tree = (struct verify_memcg_tree){.names = &run->rows.memcgs, .memcgs = &run->memcgs};
	if (!run->rows.memcgs.nr) {
		run->memcg = mem_cgroup_create(&run->memcgs, root_mem_cgroup(&run->memcgs), "/t");
		if (!run->memcg)
			return -ENOMEM;
	}
	ret = swapdev_create(run->k->contents, &run->dev);
	if (!ret)
		ret = zswap_create(run->k, &run->memcgs, run->dev, &zswap, &run->z);
	if (!ret)
		ret = swap_io_create(run->k, run->z, run->dev, &run->io);
	return ret;
}

static int create_region(struct zswap_run *run)
{
	struct region_config config = {
		.k = run->k,
		.io = run->io,
		.memcg = run->memcg ? run->memcg : root_mem_cgroup(&run->memcgs),
		.nr_pages = run->rows.nr_pages ? run->rows.nr_pages : 1,
		.contents = run->config->lengths ? NULL : run->config->pages->data,
	};
	int ret = region_create(&config, &run->region);

	for (uint64_t i = 0; !ret && !run->rows.folio64 && i < config.nr_pages; i++)
		region_fill(run->region, i, id_of_src(run, i % run->nr_src));
	return ret;
}

static void destroy_machine(struct zswap_run *run)
{
	region_destroy(run->region);
	swap_io_destroy(run->io);
	zswap_destroy(run->z);
	swapdev_destroy(run->dev);
	memcgs_finish(&run->memcgs);
	if (run->k)
		crypto_exit(run->k);
	kernel_destroy(run->k);
}

/* ---- what the port's counters are after a row ---- */

static void read_counters(const struct zswap_run *run, int64_t *v)
{
	const struct zswap_stats *s = zswap_stats(run->z);
	const struct swap_io_stats *io = swap_io_stats(run->io);
	static const struct zs_calls none;
	const struct zs_pool *zs_pool = zswap_zs_pool(run->z);
	const struct zs_calls *calls = zs_pool ? zs_calls(zs_pool) : &none;
	struct zpool_usage usage;

	zpool_usage(zswap_zpool(run->z), &usage);
	v[VC_STORED_PAGES] = s->stored_pages;
	v[VC_POOL_TOTAL_SIZE] = zswap_total_pages(run->z) * PAGE_SIZE;
	v[VC_MEMCG_ZSWAP_BYTES] = root_mem_cgroup(&run->memcgs)->zswap_bytes;
	v[VC_REJECT_COMPRESS_POOR] = s->reject_compress_poor;
	v[VC_REJECT_COMPRESS_FAIL] = s->reject_compress_fail;
	v[VC_REJECT_ALLOC_FAIL] = s->reject_alloc_fail;
	v[VC_REJECT_KMEMCACHE_FAIL] = s->reject_kmemcache_fail;
	v[VC_WRITTEN_BACK_PAGES] = s->written_back_pages;
	v[VC_POOL_LIMIT_HIT] = s->pool_limit_hit;
	v[VC_REJECT_RECLAIM_FAIL] = s->reject_reclaim_fail;
	v[VC_ZSWPIN] = s->zswpin;
	v[VC_ZSWPOUT] = s->zswpout;
	v[VC_ZSWPWB] = s->zswpwb;
	v[VC_PSWPIN] = io->pswpin;
	v[VC_PSWPOUT] = io->pswpout + s->written_back_pages;
	v[VC_SWPIN_ZERO] = io->swpin_zero;
	v[VC_SWPOUT_ZERO] = io->swpout_zero;
	v[VC_ZSPAGES] = usage.groups;
	v[VC_HANDLES] = usage.objects;
	v[VC_STORED_INCOMPRESSIBLE_PAGES] = s->stored_incompressible_pages;
	v[VC_DECOMPRESS_FAIL] = s->decompress_fail;
	for (unsigned i = 0; i < ACOMP_NR_CALLS; i++) {
		v[VC_FIRST_CALL + i] = 0;
		for (unsigned dir = 0; dir < ZSWAP_NR_DIRS; dir++)
			v[VC_FIRST_CALL + i] += s->dir[dir].calls[i];
	}
	v[VC_ZS_MALLOC] = calls->malloc;
	v[VC_ZS_FREE] = calls->free;
	v[VC_ZS_OBJ_WRITE] = calls->obj_write;
	v[VC_ZS_OBJ_READ_BEGIN] = calls->obj_read_begin;
	v[VC_ZS_OBJ_READ_SG_BEGIN] = calls->obj_read_sg_begin;
	v[VC_ZS_MAP_OBJECT] = calls->map_object;
	v[VC_ZSWAP_STORE] = s->store_calls;
	v[VC_ZSWAP_LOAD] = s->load_calls;
	v[VC_MEMCPY_FROM_SGLIST] = 0;
	for (unsigned dir = ZSWAP_LOAD; dir < ZSWAP_NR_DIRS; dir++)
		v[VC_MEMCPY_FROM_SGLIST] += s->dir[dir].pages[ZSWAP_PATH_RAW] +
					    (s->dir[dir].copied_bytes ? s->dir[dir].straddled : 0);
}

/*
 * What a count says rests on the memcg's statistics, which are behind what it holds once something
 * was written back in the same reclaim (to 7.2 by up to 64 changes, later by two seconds).
 */
static bool may_lag(struct zswap_run *run, const struct verify_row *row)
{
	if (row->op == VERIFY_SCAN && run->result > 0)
		run->statistics_lag = true;
	else if (row->op == VERIFY_RECLAIM)
		run->statistics_lag = false;
	return run->statistics_lag && row->op == VERIFY_COUNT;
}

/*
 * Accesses to objects mean nothing without contents; copies, where zswap reads linear objects; and
 * what zsmalloc did and has, for another allocator.
 */
static bool is_comparable(const struct zswap_run *run, unsigned column)
{
	if (column == VC_MEMCPY_FROM_SGLIST)
		return run->config->profile->zsmalloc.read == ZS_READ_SG;
	if (((column >= VC_ZS_MALLOC && column <= VC_ZS_MAP_OBJECT) || column == VC_ZSPAGES ||
	     column == VC_HANDLES) &&
	    !zswap_zs_pool(run->z))
		return false;
	if (column >= VC_ZS_OBJ_WRITE && column <= VC_ZS_MAP_OBJECT)
		return !run->config->lengths;
	return true;
}

static void compare_row(struct zswap_run *run, const struct verify_row *row, bool totals_only)
{
	verify_row(run->report);
	for (unsigned i = 0; i < VC_NR; i++) {
		bool increment = verify_column_is_increment(i);
		int64_t here = run->here[i];

		if (row->recorded[i] == -1 || !is_comparable(run, i) || (increment && totals_only))
			continue;
		here += increment ? -run->before[i] : run->settings.base[i];
		verify_compare(run->report, row->line, verify_column_name(run->call_names, i),
			       row->recorded[i], here);
	}
	if (verify_row_is_call(row))
		verify_compare(run->report, row->line, "result", row->result, run->result);
	verify_memcgs_compare(&run->tree, row, run->report);
}

/* ---- operations ---- */

/* folio64: which pages the recorder chose from, those of kind "stored". */
static int find_stored_kinds(struct zswap_run *run)
{
	const struct recording_lengths *lengths = run->config->lengths;
	struct crypto_acomp *tfm = NULL;
	struct acomp_req req = {0};
	char *to = malloc(PAGE_SIZE);
	int ret = 0;

	run->stored_kind = calloc(run->nr_src, 1);
	if (!to || !run->stored_kind)
		ret = -ENOMEM;
	if (!ret && !lengths)
		ret = crypto_alloc_acomp(run->k, run->compressor, &tfm);
	for (uint32_t i = 0; !ret && i < run->nr_src; i++) {
		const uint8_t *page;

		if (lengths) {
			run->stored_kind[i] =
				i < lengths->nr && lengths->kind[i] == RECORDING_KIND_STORED;
			continue;
		}
		page = run->config->pages->data + (size_t)i * PAGE_SIZE;
		if (!page[0] && !memcmp(page, page + 1, PAGE_SIZE - 1))
			continue;
		acomp_request_set_tfm(&req, tfm);
		acomp_request_set_src_dma(&req, page, PAGE_SIZE);
		acomp_request_set_dst_dma(&req, to, PAGE_SIZE);
		run->stored_kind[i] = !crypto_acomp_compress(&req) && req.dlen < PAGE_SIZE;
	}
	crypto_free_acomp(tfm);
	free(to);
	return ret;
}

/* Contents of a folio: as the rows that load it say, or, without them, a run of stored pages. */
static int fill_folio(struct zswap_run *run, uint32_t at)
{
	const struct verify_row *row = &run->rows.rows[at];
	uint32_t src = row->src;

	for (unsigned i = 0; i < 1u << FOLIO_ORDER; i++) {
		if (row->limit) {
			uint32_t tried = 0;

			while (!run->stored_kind[src] && tried++ < run->nr_src)
				src = (src + 1) % run->nr_src;
		} else {
			const struct verify_row *load = row + 1 + i;

			if (at + 1 + i >= run->rows.nr || load->op != VERIFY_LOAD ||
			    load->page != row->page + (int32_t)i)
				return fail_row(run, row, -EINVAL,
						"is not followed by the 16 loads of its pages");
			src = load->src;
		}
		region_fill(run->region, row->page + i, id_of_src(run, src));
		src = (src + 1) % run->nr_src;
	}
	return 0;
}

static int store64(struct zswap_run *run, uint32_t at)
{
	const struct verify_row *row = &run->rows.rows[at];
	int ret;

	if (run->rows.folio64) {
		ret = fill_folio(run, at);
		return ret ? ret : region_pageout(run->region, row->page, FOLIO_ORDER);
	}
	for (unsigned i = 0; i < 64; i++) {
		ret = region_pageout(run->region, row->page + i, 0);
		if (ret)
			return ret;
		zswap_run_shrink_worker(run->z);
	}
	return 0;
}

static int change_memcgs(struct zswap_run *run, const struct verify_row *row)
{
	int ret = verify_memcgs_change(&run->tree, run->z, row);

	switch (ret) {
	case 0:
	case -ENOMEM:
		return ret;
	case -EEXIST:
		return fail_row(run, row, -EINVAL, "the memcg is there already");
	case -EBUSY:
		return fail_row(run, row, -EINVAL, "the memcg has children");
	default:
		return fail_row(run, row, -EINVAL, "the memcg is not there");
	}
}

/* Whose the page of the row is, and where. */
static int choose_memcg(struct zswap_run *run, const struct verify_row *row)
{
	struct mem_cgroup *memcg = verify_memcg_of(&run->tree, row);

	if (!memcg)
		return fail_row(run, row, -EINVAL, "the memcg is not there");
	region_set_memcg(run->region, memcg);
	region_set_node(run->region, row->node);
	return 0;
}

static int do_operation(struct zswap_run *run, uint32_t at)
{
	const struct verify_row *row = &run->rows.rows[at];
	int ret = 0;

	if (!run->memcg && row->page >= 0)
		ret = choose_memcg(run, row);
	if (ret)
		return ret;
	switch ((enum verify_op)row->op) {
	case VERIFY_STORE:
		ret = region_pageout(run->region, row->page, 0);
		break;
	case VERIFY_STORE64:
		ret = store64(run, at);
		break;
	case VERIFY_LOAD:
		ret = region_touch(run->region, row->page);
		break;
	case VERIFY_DIRTY:
		ret = region_write(run->region, row->page, id_of_src(run, row->src));
		break;
	case VERIFY_FREE:
		region_discard(run->region, row->page);
		break;
	case VERIFY_MUNMAP:
		for (uint32_t i = 0; i < run->rows.nr_pages; i++)
			region_discard(run->region, i);
		break;
	case VERIFY_MKDIR:
	case VERIFY_RMDIR:
	case VERIFY_SET:
		ret = change_memcgs(run, row);
		break;
	case VERIFY_COUNT:
	case VERIFY_SCAN:
		ret = verify_memcgs_call(&run->tree, run->z, row, &run->result);
		if (ret)
			return fail_row(run, row, ret, "the memcg is not there");
		break;
	case VERIFY_RECLAIM:
	case VERIFY_SETTLE:
	case VERIFY_FILL64:
	case VERIFY_VICTIMS:
	case VERIFY_NR_OPS:
		break;
	}
	/* To its end after every failing store, whether or not the recorder waited for it. */
	zswap_run_shrink_worker(run->z);
	return ret;
}

static int operation_failed(struct zswap_run *run, const struct verify_row *row, int ret)
{
	switch (ret) {
	case -EINVAL:
		return ret; /* has its line already */
	case -EUCLEAN:
		return fail_row(run, row, ret, "the page came back changed");
	case -ENOENT:
		return fail_row(run, row, -EINVAL, "loads a page of which no copy is left");
	default:
		return fail_row(run, row, ret, strerror(-ret));
	}
}

static void enter_phase(struct zswap_run *run, uint32_t at)
{
	unsigned i = 0;

	if (!run->memcg)
		return;
	while (i + 1 < run->settings.nr_phases && at >= run->settings.phases[i].until_row)
		i++;
	run->memcg->zswap_max = run->settings.phases[i].zswap_max;
	run->memcg->zswap_writeback = run->settings.phases[i].writeback;
}

static int replay_rows(struct zswap_run *run)
{
	uint32_t nr = run->rows.nr;

	read_counters(run, run->here);
	for (uint32_t i = 0; i < nr; i++) {
		const struct verify_row *row = &run->rows.rows[i];
		bool in_flight = i + 1 < nr && row[1].op == VERIFY_SETTLE;
		int ret;

		enter_phase(run, i);
		/* The calls of a reclaim are part of its row's increments. */
		if (!i || !verify_row_is_call(row - 1))
			memcpy(run->before, run->here, sizeof(run->here));
		ret = do_operation(run, i);
		if (ret)
			return operation_failed(run, row, ret);
		read_counters(run, run->here);
		if (in_flight || may_lag(run, row) || (run->settings.timing && i + 1 < nr))
			run->report->skipped++;
		else
			compare_row(run, row, row->op == VERIFY_SETTLE || run->settings.timing);
	}
	return 0;
}

/* ---- any form ---- */

bool verify_zswap_form(enum recording_form form)
{
	return form == RECORDING_ZSWAP_OPS || form == RECORDING_ZSWAP_FOLIO64;
}

static int check_input(struct zswap_run *run)
{
	const struct verify_zswap_config *config = run->config;
	enum recording_form form = recording_form(run->csv);
	struct acomp_spec spec;

	if (!verify_zswap_form(form))
		return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, -EINVAL,
				  "is no recording of zswap (%s)", recording_form_name(form));
	if (!config->lengths && !config->pages)
		return fail(run, -EINVAL, "needs the pages and a codec, or their lengths");
	run->nr_src = config->lengths ? config->lengths->nr : config->pages->nr;
	run->compressor = config->compressor ? config->compressor : run->settings.compressor;
	if (!run->compressor[0])
		run->compressor = "zstd";
	crypto_parse_acomp(config->crypto, run->compressor, &spec, NULL, 0);
	run->call_names = spec.alg ? spec.alg->call_names : NULL;
	snprintf(run->report->compressor, sizeof(run->report->compressor), "%s", run->compressor);
	return 0;
}

static int check_lengths(struct zswap_run *run)
{
	struct verify_zswap_lengths *l = &run->by_length;
	const struct verify_row *row;

	l->lengths = run->config->lengths;
	l->compressor = run->compressor;
	row = verify_zswap_lengths_missing(l, &run->rows);
	if (row)
		return fail_row(run, row, -EINVAL, "the lengths do not have this page");
	if (run->rows.folio64)
		verify_zswap_lengths_find_zero(l, &run->rows);
	return 0;
}

static int check_nodes(struct zswap_run *run)
{
	for (uint32_t i = 0; i < run->rows.nr; i++) {
		if (run->rows.rows[i].node >= run->settings.nr_nodes)
			return fail_row(run, &run->rows.rows[i], -EINVAL, "there is no such node");
	}
	return 0;
}

/* A kernel with a choice says what was chosen. */
static int choose_allocator(struct zswap_run *run)
{
	const char *zpool = run->settings.zpool;

	run->profile = *run->config->profile;
	for (unsigned i = 0; *zpool && zpool_types()[i]; i++) {
		if (!strcmp(zpool, zpool_types()[i])) {
			run->profile.pool.allocator = i;
			return 0;
		}
	}
	if (!*zpool)
		return 0;
	return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, -EINVAL,
			  "the JSON beside it names an allocator that is not here: %s", zpool);
}

static int prepare(struct zswap_run *run)
{
	int ret = verify_settings_read(csv_path(run->csv), &run->settings, run->err);

	if (!ret)
		ret = choose_allocator(run);
	if (!ret)
		ret = check_input(run);
	if (!ret)
		ret = verify_rows_read(run->csv, run->nr_src, run->call_names, &run->rows,
				       run->err);
	if (!ret)
		ret = check_nodes(run);
	if (!ret && run->config->lengths)
		ret = check_lengths(run);
	if (!ret && run->settings.rows >= 0 && run->settings.rows != run->rows.nr)
		ret = trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, -EINVAL,
				 "has %u rows, the JSON beside it says %" PRId64 ": cut off?",
				 run->rows.nr, run->settings.rows);
	return ret;
}

static int replay(struct zswap_run *run)
{
	int ret = create_machine(run);

	if (ret == -ENOENT || ret == -EOPNOTSUPP)
		return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, -EINVAL,
				  "there is no codec '%s': give the lengths (--lengths)",
				  run->compressor);
	if (!ret)
		ret = create_region(run);
	if (!ret && run->rows.folio64)
		ret = find_stored_kinds(run);
	if (ret)
		return fail(run, ret, strerror(-ret));
	return replay_rows(run);
}

/* What a reader must know before taking a difference for one of the port. */
static void note_limits(const struct zswap_run *run)
{
	const char *note = "";

	if (run->rows.victims)
		note = "the kernel chose what to page out: only the laws that hold whoever was "
		       "chosen "
		       "are checked, on the recording itself";
	else if (run->settings.timing)
		note = "the shrink worker was not waited for: only totals are compared, and those "
		       "depend on timing";
	else if (!run->settings.totalram_pages)
		note = "there is no JSON beside the recording that says how much RAM there was: "
		       "the "
		       "default of 1 GiB is assumed, which decides where the pool's limit is";
	snprintf(run->report->note, sizeof(run->report->note), "%s", note);
}

int verify_zswap(const char *path, const struct verify_zswap_config *config,
		 struct verify_report *report, struct trace_error *err)
{
	struct zswap_run *run = calloc(1, sizeof(*run));
	int ret;

	verify_init(report);
	if (!run)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	run->config = config;
	run->report = report;
	run->err = err;
	ret = csv_open(path, &run->csv, err);
	if (!ret)
		ret = prepare(run);
	if (!ret)
		note_limits(run);
	if (!ret && run->rows.victims)
		verify_laws(&run->rows, report);
	else if (!ret)
		ret = replay(run);
	destroy_machine(run);
	verify_rows_finish(&run->rows);
	free(run->stored_kind);
	csv_close(run->csv);
	free(run);
	return ret;
}
