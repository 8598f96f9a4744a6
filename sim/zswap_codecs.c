// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/zswap_codecs.h"

#include <errno.h>
#include <string.h>

#include "sim/zswap_private.h"

static void save(const struct zswap *z, struct zswap_codec *codec)
{
	codec->compressor = z->config.compressor;
	codec->acomp = z->acomp;
	codec->acomp_ctx = z->acomp_ctx;
	codec->model = z->model;
	codec->compress_cost = z->compress_cost;
	memcpy(codec->decompress_cost, z->decompress_cost, sizeof(codec->decompress_cost));
	codec->length_arg = z->config.length_arg;
}

static void restore(struct zswap *z, const struct zswap_codec *codec)
{
	z->config.compressor = codec->compressor;
	z->acomp = codec->acomp;
	z->acomp_ctx = codec->acomp_ctx;
	z->model = codec->model;
	z->compress_cost = codec->compress_cost;
	memcpy(z->decompress_cost, codec->decompress_cost, sizeof(codec->decompress_cost));
	z->config.length_arg = codec->length_arg;
}

void zswap_codec_use(struct zswap *z, unsigned codec)
{
	struct zswap_codecs *codecs = &z->codecs;

	if (codec == codecs->at_hand)
		return;
	save(z, &codecs->all[codecs->at_hand]);
	restore(z, &codecs->all[codec]);
	codecs->at_hand = codec;
}

int zswap_add_codec(struct zswap *z, const char *compressor, void *length_arg)
{
	struct zswap_codecs *codecs = &z->codecs;
	unsigned new = codecs->nr + 1;
	int ret;

	if (new == ZSWAP_MAX_CODECS)
		return -ENOSPC;
	codecs->all[new] = (struct zswap_codec){.compressor = compressor, .length_arg = length_arg};
	zswap_codec_use(z, new);
	ret = zswap_codec_create(z);
	if (ret)
		zswap_codec_destroy(z);
	else
		codecs->nr = new;
	zswap_codec_use(z, 0);
	return ret;
}

void zswap_codecs_destroy(struct zswap *z)
{
	for (unsigned i = 1; i <= z->codecs.nr; i++) {
		zswap_codec_use(z, i);
		zswap_codec_destroy(z);
	}
	zswap_codec_use(z, 0);
	z->codecs.nr = 0;
}

const struct zswap_codecs *zswap_codecs(const struct zswap *z)
{
	return &z->codecs;
}
