// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_zram.h"

#include <errno.h>
#include <string.h>

#include "sim/verify_zram_private.h"
#include "sim/zsmalloc.h"
#include "traces/error.h"
#include "traces/scenario.h"

int verify_zram_fail(struct zram_run *run, int ret, const char *cause)
{
	return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, ret, "%s", cause);
}

/* ---- lengths ---- */

static int length_from_file(const struct recording_lengths *lengths, const void *page, uint32_t src)
{
	if (src >= lengths->nr)
		return -ENODATA;
	switch ((enum recording_kind)lengths->kind[src]) {
	case RECORDING_KIND_NONE:
		return -ENODATA;
	case RECORDING_KIND_STORED:
		return lengths->length[src];
	case RECORDING_KIND_SAME:
		return page ? -EUCLEAN : 0;
	case RECORDING_KIND_RAW:
	case RECORDING_KIND_POOR:
	case RECORDING_KIND_FAIL:
		break;
	}
	return PAGE_SIZE;
}

static int length_of(void *arg, const void *page, uint32_t src)
{
	struct zram_run *run = arg;

	if (run->fixed_length)
		return run->fixed_length;
	if (run->config->lengths && src != VERIFY_ZRAM_NO_SRC)
		return length_from_file(run->config->lengths, page, src);
	return run->config->length(run->config->length_arg, page, src);
}

int verify_zram_write_failed(struct zram_run *run, int column, int ret)
{
	switch (ret) {
	case -ENODATA:
		return csv_fail(run->csv, column, run->err, "the lengths do not have this page");
	case -EUCLEAN:
		return csv_fail(run->csv, column, run->err,
				"same-filled by the lengths, but not by its contents");
	case -ENOMEM:
		return verify_zram_fail(run, ret, "out of memory");
	}
	return csv_fail(run->csv, column, run->err, "the codec failed on this page");
}

/* ---- operations ---- */

enum { OP, SLOT, SRC, MEM_USED, NR_OP_COLUMNS };

static int do_write(struct zram_run *run, const int *columns)
{
	const struct recording_pages *pages = run->config->pages;
	const void *page = NULL;
	int64_t slot, src;
	int ret;

	ret = csv_int_within(run->csv, columns[SLOT], 0, VERIFY_ZRAM_SLOTS - 1, &slot, run->err);
	if (!ret)
		ret = csv_int_within(run->csv, columns[SRC], 0,
				     (pages ? pages->nr : RECORDING_MAX_PAGES) - 1, &src, run->err);
	if (ret)
		return ret;
	if (pages)
		page = pages->data + (size_t)src * PAGE_SIZE;
	ret = zram_write(run->zram, slot, page, src);
	if (ret)
		return verify_zram_write_failed(run, columns[SRC], ret);
	if (slot >= run->used_slots)
		run->used_slots = slot + 1;
	return 0;
}

static int do_discard(struct zram_run *run, const int *columns)
{
	int64_t slot;
	int ret =
		csv_int_within(run->csv, columns[SLOT], 0, VERIFY_ZRAM_SLOTS - 1, &slot, run->err);

	if (!ret)
		zram_discard(run->zram, slot);
	return ret;
}

void verify_zram_discard_all(struct zram_run *run)
{
	for (uint32_t slot = 0; slot < run->used_slots; slot++)
		zram_discard(run->zram, slot);
	run->used_slots = 0;
}

static int do_operation(struct zram_run *run, const int *columns)
{
	const char *op = csv_text(run->csv, columns[OP]);

	if (!strcmp(op, "write"))
		return do_write(run, columns);
	if (!strcmp(op, "discard"))
		return do_discard(run, columns);
	if (!strcmp(op, "compact"))
		zram_compact(run->zram);
	else if (!strcmp(op, "discard_all"))
		verify_zram_discard_all(run);
	else
		return csv_fail(run->csv, columns[OP], run->err, "unknown operation");
	return 0;
}

/* What a row can say about the device; a column that it does not have, or -1, is not compared. */
static const char *const stat_names[VERIFY_ZRAM_STATS] = {
	"orig_data_size",  "compr_data_size", "mem_used_total",	  "mem_used_max", "same_pages",
	"pages_compacted", "huge_pages",      "huge_pages_since", "zspages",	  "handles",
};

static void find_stats(struct zram_run *run)
{
	for (size_t i = 0; i < VERIFY_ZRAM_STATS; i++)
		run->stats[i] = csv_column(run->csv, stat_names[i]);
}

int verify_zram_stats(struct zram_run *run)
{
	struct zram_stats s;
	struct zs_usage usage;

	zram_stats(run->zram, &s);
	zs_usage(zram_pool(run->zram), &usage);
	const uint64_t here[VERIFY_ZRAM_STATS] = {
		s.orig_data_size, s.compr_data_size, s.mem_used_total, s.mem_used_max,
		s.same_pages,	  s.pages_compacted, s.huge_pages,     s.huge_pages_since,
		usage.zspages,	  usage.objects,
	};

	verify_row(run->report);
	for (size_t i = 0; i < VERIFY_ZRAM_STATS; i++) {
		int64_t recorded;
		int ret = csv_int(run->csv, run->stats[i], &recorded, run->err);

		if (ret)
			return ret;
		if (recorded != -1)
			verify_compare(run->report, csv_line(run->csv), stat_names[i], recorded,
				       here[i]);
	}
	return 0;
}

static int verify_ops(struct zram_run *run)
{
	static const char *const names[NR_OP_COLUMNS] = {"op", "slot", "src", "mem_used_total"};
	const struct verify_zram_config *config = run->config;
	int columns[NR_OP_COLUMNS];
	int ret = csv_require(run->csv, names, NR_OP_COLUMNS, columns, run->err);

	if (ret)
		return ret;
	if (!config->lengths && !(config->pages && config->length))
		return verify_zram_fail(run, -EINVAL,
					"needs the pages and a codec, or their lengths");
	while ((ret = csv_next(run->csv, run->err)) > 0) {
		ret = do_operation(run, columns);
		if (!ret)
			ret = verify_zram_stats(run);
		if (ret)
			return ret;
	}
	return ret;
}

/* ---- any form ---- */

bool verify_zram_form(enum recording_form form)
{
	return form == RECORDING_ZRAM_OPS || form == RECORDING_ZRAM_SWEEP ||
	       form == RECORDING_ZRAM_FIXED;
}

static int verify_form(struct zram_run *run)
{
	enum recording_form form = recording_form(run->csv);

	find_stats(run);
	switch (form) {
	case RECORDING_ZRAM_OPS:
		return verify_ops(run);
	case RECORDING_ZRAM_SWEEP:
		return verify_zram_sweep(run);
	case RECORDING_ZRAM_FIXED:
		return verify_zram_fixed(run);
	default:
		return trace_fail(run->err, csv_path(run->csv), TRACE_NO_OFFSET, -EINVAL,
				  "is no recording of zram (%s)", recording_form_name(form));
	}
}

static int create_device(struct zram_run *run)
{
	struct kernel_config config = {.profile = run->config->profile, .no_contents = true};
	int ret = kernel_create(&config, &run->k);

	if (!ret)
		ret = zram_create(run->k, VERIFY_ZRAM_SLOTS, length_of, run, &run->zram);
	return ret ? verify_zram_fail(run, ret, "the device cannot be made") : 0;
}

int verify_zram(const char *path, const struct verify_zram_config *config,
		struct verify_report *report, struct trace_error *err)
{
	struct zram_run run = {.config = config, .report = report, .err = err};
	int ret;

	verify_init(report);
	ret = csv_open(path, &run.csv, err);
	if (ret)
		return ret;
	ret = create_device(&run);
	if (!ret)
		ret = verify_form(&run);
	if (!ret)
		ret = scenario_check_rows(path, report->rows, err);
	zram_destroy(run.zram);
	kernel_destroy(run.k);
	csv_close(run.csv);
	return ret;
}
