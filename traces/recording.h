/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of kernel runs, and what belongs to them: the pages that a run was fed, and what each
 * page was compressed to. Errors: a negative errno and a line in *err.
 */
#ifndef TRACES_RECORDING_H
#define TRACES_RECORDING_H

#include "traces/csv.h"

#define RECORDING_MAX_PAGES (1u << 18) /* 1 GiB */

/* What the rows of a recording are, told by its columns and not by its name. */
enum recording_form {
	RECORDING_ZRAM_OPS,	 /* one operation a row: perpage, random */
	RECORDING_ZRAM_SWEEP,	 /* one compressed length a row */
	RECORDING_ZRAM_FIXED,	 /* pages of one kind, up to a count */
	RECORDING_ZSWAP_OPS,	 /* one operation a row */
	RECORDING_ZSWAP_FOLIO64, /* the same, for folios of 64 KiB */
	RECORDING_PERPAGE,	 /* one page a row: compressed lengths */
	RECORDING_UNKNOWN,
};

enum recording_form recording_form(const struct csv *csv);
/* "zram operations", ... */
const char *recording_form_name(enum recording_form form);

/* ---- pages.bin ---- */

struct recording_pages {
	uint8_t *data;
	uint32_t nr; /* of 4096 bytes */
};

/* A file of whole pages, at least one; unpacked if its name ends in ".zst". */
int recording_pages_load(const char *path, struct recording_pages *pages, struct trace_error *err);
void recording_pages_finish(struct recording_pages *pages);

/* ---- compressed lengths by page (perpage_*) ---- */

enum recording_kind {
	RECORDING_KIND_NONE,   /* the file has no row for this page */
	RECORDING_KIND_STORED, /* "stored", and zram's "comp" */
	RECORDING_KIND_RAW,    /* "raw", and zram's "huge": kept as it is */
	RECORDING_KIND_SAME,   /* "zero", and zram's "same": no object */
	RECORDING_KIND_POOR,   /* refused: too long */
	RECORDING_KIND_FAIL,   /* refused: the codec found no room */
};

struct recording_lengths {
	uint32_t nr;	  /* highest page_index + 1 */
	uint16_t *length; /* bytes, 1 to 8192 where stored, 4096 where raw, else 0 */
	uint8_t *kind;	  /* enum recording_kind */
};

/* Columns page_index, comp_len, kind; each page at most once, in any order. */
int recording_lengths_load(const char *path, struct recording_lengths *lengths,
			   struct trace_error *err);
void recording_lengths_finish(struct recording_lengths *lengths);

#endif
