/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a recording of zswap, read whole and checked: what was done, to which page, and what
 * the kernel said afterwards. Rows that follow matter (contents of a folio, a settle), so all are
 * kept.
 */
#ifndef SIM_VERIFY_ROWS_H
#define SIM_VERIFY_ROWS_H

#include "traces/csv.h"

#define VERIFY_MAX_ROWS	  (1u << 22)
#define VERIFY_MAX_PAGES  (1u << 20) /* of a process */
#define VERIFY_MAX_MEMCGS 16
#define VERIFY_ROOT	  (-1)

enum verify_op {
	VERIFY_STORE,	/* MADV_PAGEOUT of a page */
	VERIFY_LOAD,	/* it is read */
	VERIFY_DIRTY,	/* it is overwritten by page src */
	VERIFY_FREE,	/* MADV_DONTNEED */
	VERIFY_MUNMAP,	/* all of them */
	VERIFY_SETTLE,	/* the recorder waited for the shrink worker */
	VERIFY_STORE64, /* 64 pages, one by one; a folio of 16 in the folio64 form */
	VERIFY_FILL64,	/* a folio of 16 is filled */
	VERIFY_VICTIMS, /* touch64, read64, rand64: the kernel chose what to page out */
	VERIFY_MKDIR,	/* a memcg is made */
	VERIFY_RMDIR,	/* it goes offline */
	VERIFY_SET,	/* a setting changes: of a memcg, or of zswap */
	VERIFY_COUNT,	/* zswap_shrinker_count(); like the next, without counters */
	VERIFY_SCAN,	/* zswap_shrinker_scan() */
	VERIFY_RECLAIM, /* what the calls before it were part of */
	VERIFY_NR_OPS,
};

/* Columns that are compared; the increments of one row at the end. */
enum verify_column {
	VC_STORED_PAGES,
	VC_POOL_TOTAL_SIZE,
	VC_MEMCG_ZSWAP_BYTES,
	VC_REJECT_COMPRESS_POOR,
	VC_REJECT_COMPRESS_FAIL,
	VC_REJECT_ALLOC_FAIL,
	VC_REJECT_KMEMCACHE_FAIL,
	VC_WRITTEN_BACK_PAGES,
	VC_POOL_LIMIT_HIT,
	VC_REJECT_RECLAIM_FAIL,
	VC_ZSWPIN,
	VC_ZSWPOUT,
	VC_ZSWPWB,
	VC_PSWPIN,
	VC_PSWPOUT,
	VC_SWPIN_ZERO,
	VC_SWPOUT_ZERO,
	VC_ZSPAGES,
	VC_HANDLES,
	VC_STORED_INCOMPRESSIBLE_PAGES,
	VC_DECOMPRESS_FAIL,
	VC_FIRST_CALL, /* ACOMP_NR_CALLS columns, named as the algorithm's functions */
	VC_ZS_MALLOC = VC_FIRST_CALL + 10,
	VC_ZS_FREE,
	VC_ZS_OBJ_WRITE,
	VC_ZS_OBJ_READ_BEGIN,
	VC_ZS_OBJ_READ_SG_BEGIN,
	VC_ZS_MAP_OBJECT,
	VC_ZSWAP_STORE,
	VC_ZSWAP_LOAD,
	VC_MEMCPY_FROM_SGLIST, /* raw pages read, and sources that the scomp adapter copied */
	VC_NR,
};
/* NULL from VC_FIRST_CALL on, to before VC_ZS_MALLOC. */
extern const char *const verify_column_names[VC_NR];
/* With those, by @call_names (struct acomp_alg), which may be NULL. NULL: there is no such column.
 */
const char *verify_column_name(const char *const *call_names, unsigned column);

static inline bool verify_column_is_increment(unsigned column)
{
	return column >= VC_FIRST_CALL;
}

enum verify_setting {
	VERIFY_ZSWAP_MAX,	/* bytes; -1: no limit */
	VERIFY_ZSWAP_WRITEBACK, /* 0 or 1 */
	VERIFY_MAX_POOL_PERCENT,
	VERIFY_ACCEPT_THRESHOLD_PERCENT,
	VERIFY_SHRINKER_ENABLED,
	VERIFY_NR_SETTINGS,
};

struct verify_row {
	uint32_t line;
	uint8_t op;   /* enum verify_op */
	bool limit;   /* folio64: of the type without load rows */
	int32_t page; /* -1: none */
	int32_t src;
	int64_t recorded[VC_NR]; /* -1: not recorded */
	/* With verify_rows.memcgs: */
	int8_t memcg;	 /* whose the page is, or which is changed; VERIFY_ROOT */
	uint8_t node;	 /* that the page is on; of VERIFY_COUNT and VERIFY_SCAN, the list's */
	uint8_t setting; /* of VERIFY_SET */
	int64_t value;	 /* of VERIFY_SET; of VERIFY_SCAN: how many */
	int64_t result;	 /* of VERIFY_COUNT and VERIFY_SCAN */
	int64_t bytes[VERIFY_MAX_MEMCGS]; /* charged to each; -1: it is not there */
};

/*
 * The memcgs of a recording that has several: a column "bytes:PATH" for each, parents first. A row
 * says in "memcg" whose the page is, or which one is changed; in "key" and "value", how. If there
 * are several nodes, "node" says where the page is.
 */
struct verify_memcgs {
	unsigned nr; /* 0: the recording has one only, and does not name it */
	char *paths[VERIFY_MAX_MEMCGS];
	char *columns[VERIFY_MAX_MEMCGS]; /* "bytes:PATH" */
	int parents[VERIFY_MAX_MEMCGS];	  /* VERIFY_ROOT */
};

static inline bool verify_row_is_call(const struct verify_row *row)
{
	return row->op == VERIFY_COUNT || row->op == VERIFY_SCAN;
}

struct verify_rows {
	struct verify_row *rows;
	uint32_t nr;
	uint32_t nr_pages; /* highest page, + 1 */
	bool folio64;
	bool victims; /* some rows are VERIFY_VICTIMS */
	struct verify_memcgs memcgs;
};

/* Reads @csv to its end. 0, or a negative errno and a line in *err. */
int verify_rows_read(struct csv *csv, uint32_t nr_src, const char *const *call_names,
		     struct verify_rows *rows, struct trace_error *err);
void verify_rows_finish(struct verify_rows *rows);

#endif
