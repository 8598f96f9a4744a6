// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_zswap_lengths.h"

#include <errno.h>
#include <string.h>

#include "sim/zswap.h"

int verify_zswap_length_of(void *arg, uint32_t id)
{
	const struct verify_zswap_lengths *l = arg;

	if (id == ZSWAP_ZERO_ID)
		return l->zero_length ? (int)l->zero_length : -EINVAL;
	switch ((enum recording_kind)l->lengths->kind[id]) {
	case RECORDING_KIND_STORED:
		return l->lengths->length[id];
	case RECORDING_KIND_POOR:
		return -ENOSPC;
	case RECORDING_KIND_RAW:
		/* The acomp driver of deflate ends so when the destination runs out, others not. */
		return strcmp(l->compressor, "deflate") ? -EINVAL : -ENOSPC;
	default:
		return -EINVAL;
	}
}

const struct verify_row *verify_zswap_lengths_missing(const struct verify_zswap_lengths *l,
						      const struct verify_rows *rows)
{
	for (uint32_t i = 0; i < rows->nr; i++) {
		const struct verify_row *row = &rows->rows[i];

		if (row->src >= 0 && ((uint32_t)row->src >= l->lengths->nr ||
				      l->lengths->kind[row->src] == RECORDING_KIND_NONE))
			return row;
	}
	return NULL;
}

void verify_zswap_lengths_find_zero(struct verify_zswap_lengths *l, const struct verify_rows *rows)
{
	const struct recording_lengths *lengths = l->lengths;

	for (uint32_t at = 1; at + 16 < rows->nr && !l->zero_length; at++) {
		const struct verify_row *row = &rows->rows[at];
		int64_t bytes = row->recorded[VC_MEMCG_ZSWAP_BYTES] -
				row[-1].recorded[VC_MEMCG_ZSWAP_BYTES];
		unsigned zeros = 0;

		if (row->op != VERIFY_STORE64 || row->limit || bytes <= 0)
			continue;
		for (unsigned i = 1; i <= 16; i++) {
			uint32_t src = row[i].src >= 0 ? row[i].src : 0;

			if (lengths->kind[src] == RECORDING_KIND_SAME)
				zeros++;
			else
				bytes -= lengths->kind[src] == RECORDING_KIND_STORED
						 ? lengths->length[src]
						 : PAGE_SIZE;
		}
		if (zeros && bytes > 0)
			l->zero_length = bytes / zeros;
	}
}
