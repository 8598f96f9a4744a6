// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_laws.h"

#include "sim/page.h"

/*
 * What must hold in every row, whoever was chosen: pages do not vanish, counters do not go back.
 * zswpwb may be a little ahead of written_back_pages, which is counted without a lock.
 */
static void check_row(const struct verify_row *row, const struct verify_row *before,
		      struct verify_report *report)
{
	const int64_t *v = row->recorded;
	int64_t accounted = v[VC_STORED_PAGES] + v[VC_ZSWPIN] + v[VC_ZSWPWB];

	verify_row(report);
	if (v[VC_ZSWPOUT] < accounted)
		verify_compare(report, row->line, "zswpout", v[VC_ZSWPOUT], accounted);
	if (v[VC_ZSWPWB] < v[VC_WRITTEN_BACK_PAGES])
		verify_compare(report, row->line, "zswpwb", v[VC_ZSWPWB], v[VC_WRITTEN_BACK_PAGES]);
	if (v[VC_POOL_TOTAL_SIZE] % PAGE_SIZE)
		verify_compare(report, row->line, "pool_total_size", v[VC_POOL_TOTAL_SIZE],
			       v[VC_POOL_TOTAL_SIZE] / PAGE_SIZE * PAGE_SIZE);
	if (v[VC_MEMCG_ZSWAP_BYTES] > v[VC_POOL_TOTAL_SIZE])
		verify_compare(report, row->line, "memcg_zswap_bytes", v[VC_MEMCG_ZSWAP_BYTES],
			       v[VC_POOL_TOTAL_SIZE]);
	for (unsigned i = VC_REJECT_COMPRESS_POOR; before && i <= VC_SWPOUT_ZERO; i++) {
		if (v[i] < before->recorded[i])
			verify_compare(report, row->line, verify_column_names[i], v[i],
				       before->recorded[i]);
	}
}

void verify_laws(const struct verify_rows *rows, struct verify_report *report)
{
	for (uint32_t i = 0; i < rows->nr; i++)
		check_row(&rows->rows[i], i ? &rows->rows[i - 1] : NULL, report);
}
