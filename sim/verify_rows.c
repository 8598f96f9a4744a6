// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp.h"
#include "sim/verify_memcgs.h"
#include "traces/recording.h"

_Static_assert(ACOMP_NR_CALLS == VC_ZS_MALLOC - VC_FIRST_CALL, "a column for each call");

const char *const verify_column_names[VC_NR] = {
	"stored_pages",
	"pool_total_size",
	"memcg_zswap_bytes",
	"reject_compress_poor",
	"reject_compress_fail",
	"reject_alloc_fail",
	"reject_kmemcache_fail",
	"written_back_pages",
	"pool_limit_hit",
	"reject_reclaim_fail",
	"zswpin",
	"zswpout",
	"zswpwb",
	"pswpin",
	"pswpout",
	"swpin_zero",
	"swpout_zero",
	"zspages",
	"handles",
	"stored_incompressible_pages",
	"decompress_fail",
	[VC_ZS_MALLOC] = "zs_malloc",
	"zs_free",
	"zs_obj_write",
	"zs_obj_read_begin",
	"zs_obj_read_sg_begin",
	"zs_map_object",
	"zswap_store",
	"zswap_load",
	"memcpy_from_sglist",
};

const char *verify_column_name(const char *const *call_names, unsigned column)
{
	if (column < VC_FIRST_CALL || column >= VC_ZS_MALLOC)
		return verify_column_names[column];
	return call_names ? call_names[column - VC_FIRST_CALL] : NULL;
}

static const struct {
	const char *name;
	enum verify_op op;
} op_names[] = {
	{"store", VERIFY_STORE},     {"load", VERIFY_LOAD},	  {"dirty", VERIFY_DIRTY},
	{"free", VERIFY_FREE},	     {"munmap", VERIFY_MUNMAP},	  {"settle", VERIFY_SETTLE},
	{"store64", VERIFY_STORE64}, {"fill64", VERIFY_FILL64},	  {"touch64", VERIFY_VICTIMS},
	{"read64", VERIFY_VICTIMS},  {"rand64", VERIFY_VICTIMS},  {"mkdir", VERIFY_MKDIR},
	{"rmdir", VERIFY_RMDIR},     {"set", VERIFY_SET},	  {"count", VERIFY_COUNT},
	{"scan", VERIFY_SCAN},	     {"reclaim", VERIFY_RECLAIM},
};

enum { COL_OP, COL_PAGE, COL_SRC, NR_REQUIRED };

struct parser {
	struct csv *csv;
	uint32_t nr_src;
	int required[NR_REQUIRED], type, value[VC_NR];
	struct verify_memcg_columns memcgs;
	struct trace_error *err;
};

static int parse_op(const struct parser *p, struct verify_row *row)
{
	const char *text = csv_text(p->csv, p->required[COL_OP]);

	for (unsigned i = 0; i < sizeof(op_names) / sizeof(*op_names); i++) {
		if (!strcmp(text, op_names[i].name)) {
			row->op = op_names[i].op;
			return 0;
		}
	}
	return csv_fail(p->csv, p->required[COL_OP], p->err, "unknown operation");
}

static bool touches_pages(uint8_t op)
{
	switch ((enum verify_op)op) {
	case VERIFY_MUNMAP:
	case VERIFY_SETTLE:
	case VERIFY_VICTIMS:
	case VERIFY_MKDIR:
	case VERIFY_RMDIR:
	case VERIFY_SET:
	case VERIFY_COUNT:
	case VERIFY_SCAN:
	case VERIFY_RECLAIM:
		return false;
	default:
		return true;
	}
}

/* The last page that the operation touches must exist. */
static int check_page(const struct parser *p, const struct verify_rows *rows,
		      const struct verify_row *row)
{
	unsigned nr = row->op != VERIFY_STORE64 && row->op != VERIFY_FILL64 ? 1
		      : rows->folio64					    ? 16
									    : 64;

	if (!touches_pages(row->op))
		return 0;
	if (row->page < 0 || row->page + nr > VERIFY_MAX_PAGES)
		return csv_fail(p->csv, p->required[COL_PAGE], p->err, "no such page");
	if (rows->folio64 && nr == 16 && row->page % 16)
		return csv_fail(p->csv, p->required[COL_PAGE], p->err,
				"a folio that is not aligned to its size");
	if (row->op != VERIFY_FREE && (row->src < 0 || (uint32_t)row->src >= p->nr_src))
		return csv_fail(p->csv, p->required[COL_SRC], p->err,
				"no such page in the file of pages");
	return 0;
}

static int parse_row(const struct parser *p, const struct verify_rows *rows, struct verify_row *row)
{
	int64_t page, src;
	int ret = parse_op(p, row);

	if (!ret)
		ret = csv_int_within(p->csv, p->required[COL_PAGE], -1, INT32_MAX, &page, p->err);
	if (!ret)
		ret = csv_int_within(p->csv, p->required[COL_SRC], -1, INT32_MAX, &src, p->err);
	for (unsigned i = 0; !ret && i < VC_NR; i++)
		ret = csv_int(p->csv, p->value[i], &row->recorded[i], p->err);
	if (ret)
		return ret;
	row->line = csv_line(p->csv);
	row->page = page;
	row->src = src;
	row->limit = !strcmp(csv_text(p->csv, p->type), "limit");
	ret = verify_memcgs_parse(p->csv, &rows->memcgs, &p->memcgs, row, p->err);
	return ret ? ret : check_page(p, rows, row);
}

static int append(struct verify_rows *rows, uint32_t *cap, const struct verify_row *row)
{
	if (rows->nr == *cap) {
		uint32_t bigger = *cap ? *cap * 2 : 4096;
		struct verify_row *all = realloc(rows->rows, bigger * sizeof(*all));

		if (!all)
			return -ENOMEM;
		rows->rows = all;
		*cap = bigger;
	}
	rows->rows[rows->nr++] = *row;
	return 0;
}

static void note_extent(struct verify_rows *rows, const struct verify_row *row)
{
	unsigned nr = row->op == VERIFY_STORE64 || row->op == VERIFY_FILL64
			      ? (rows->folio64 ? 16 : 64)
			      : 1;

	rows->victims |= row->op == VERIFY_VICTIMS;
	if (row->page >= 0 && row->op != VERIFY_VICTIMS && row->page + nr > rows->nr_pages)
		rows->nr_pages = row->page + nr;
}

int verify_rows_read(struct csv *csv, uint32_t nr_src, const char *const *call_names,
		     struct verify_rows *rows, struct trace_error *err)
{
	static const char *const required[NR_REQUIRED] = {"op", "page", "src"};
	struct parser p = {.csv = csv, .nr_src = nr_src, .err = err};
	uint32_t cap = 0;
	int ret;

	memset(rows, 0, sizeof(*rows));
	rows->folio64 = recording_form(csv) == RECORDING_ZSWAP_FOLIO64;
	ret = csv_require(csv, required, NR_REQUIRED, p.required, err);
	if (!ret)
		ret = verify_memcgs_read_names(csv, &rows->memcgs, &p.memcgs, err);
	if (ret)
		return ret;
	p.type = csv_column(csv, "type");
	for (unsigned i = 0; i < VC_NR; i++) {
		const char *name = verify_column_name(call_names, i);

		p.value[i] = name ? csv_column(csv, name) : -1;
	}
	while ((ret = csv_next(csv, err)) > 0) {
		struct verify_row row = {0};

		ret = parse_row(&p, rows, &row);
		if (!ret && rows->nr == VERIFY_MAX_ROWS)
			ret = csv_fail(csv, -1, err, "too many rows");
		if (!ret && append(rows, &cap, &row))
			ret = csv_fail(csv, -1, err, "out of memory");
		if (ret)
			return ret;
		note_extent(rows, &row);
	}
	return ret;
}

void verify_rows_finish(struct verify_rows *rows)
{
	verify_memcgs_finish(&rows->memcgs);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
