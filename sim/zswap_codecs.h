/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several compressors in one zswap, for policies that choose one for each page; no kernel has that
 * (each pool of zswap has one). One is at hand at a time: what struct zswap has of a compressor is
 * its. The first is that of the configuration; the entry's is in the policy's record of it.
 *
 * Folios that are stored under a proposal for batching (zswap.batching) get the first.
 */
#ifndef SIM_ZSWAP_CODECS_H
#define SIM_ZSWAP_CODECS_H

#include "sim/zswap.h"

#define ZSWAP_MAX_CODECS 8u

/* What struct zswap has of a compressor, while another one is at hand. */
struct zswap_codec {
	const char *compressor;
	struct crypto_acomp *acomp;
	struct crypto_acomp_ctx *acomp_ctx;
	enum acomp_model model;
	struct acomp_cost compress_cost, decompress_cost[2];
	void *length_arg;
};

struct zswap_codecs {
	unsigned nr; /* beside the first; 0: there is nothing to choose */
	unsigned at_hand;
	struct zswap_codec all[ZSWAP_MAX_CODECS]; /* without the one at hand */
	uint64_t stored[ZSWAP_MAX_CODECS];	  /* pages, since the start */
	/* Of zswap_account.calls: whose they are. Kept while there are several. */
	uint64_t calls[ZSWAP_MAX_CODECS][ZSWAP_NR_DIRS][ACOMP_NR_CALLS];
};

/*
 * Adds a compressor, "NAME[:LEVEL]"; @length_arg: of zswap_config.length for it, without contents.
 * 0 or what zswap_create() gives for a compressor; -ENOSPC: there are ZSWAP_MAX_CODECS. While
 * nothing is stored.
 */
int zswap_add_codec(struct zswap *z, const char *compressor, void *length_arg);
void zswap_codecs_destroy(struct zswap *z); /* all but the first, which is at hand then */

/* From now on this one is at hand. */
void zswap_codec_use(struct zswap *z, unsigned codec);
const struct zswap_codecs *zswap_codecs(const struct zswap *z);

#endif
