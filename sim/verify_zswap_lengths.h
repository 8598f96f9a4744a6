/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded lengths in place of a codec, where a recording of zswap is replayed without its pages.
 */
#ifndef SIM_VERIFY_ZSWAP_LENGTHS_H
#define SIM_VERIFY_ZSWAP_LENGTHS_H

#include "sim/verify_rows.h"
#include "traces/recording.h"

struct verify_zswap_lengths {
	const struct recording_lengths *lengths;
	const char *compressor;
	/* Of a page of zeros within a folio, bytes, which only the rows tell; 0: no row. */
	unsigned zero_length;
};

/*
 * For zswap_config.length, @arg being a struct verify_zswap_lengths: bytes, or what that codec's
 * compression fails with.
 */
int verify_zswap_length_of(void *arg, uint32_t id);

/*
 * The first row whose page has no length; NULL: all have one. zswap knows a page of zeros by its
 * id; every other id must have a row in the file.
 */
const struct verify_row *verify_zswap_lengths_missing(const struct verify_zswap_lengths *l,
						      const struct verify_rows *rows);

/*
 * A page of zeros does not reach the codec by itself, so the file of lengths does not have it; in a
 * folio with other pages it does. The bytes that such a folio was charged tell: l->zero_length.
 */
void verify_zswap_lengths_find_zero(struct verify_zswap_lengths *l, const struct verify_rows *rows);

#endif
