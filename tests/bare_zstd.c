// SPDX-License-Identifier: GPL-2.0-or-later
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "tests/bare_zstd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/zstd_origin.h"
#include "sim/replay.h"

#define WKSP_SIZE (2u << 20)

struct object {
	uint16_t length; /* 4096: kept as it is */
	uint8_t bytes[];
};

struct bare_zstd {
	struct bare_config config;
	char *wksp;
	struct zstd_template *template[ZSTD_NR_SIDES];
	uint8_t *in, *out;
	struct object **objects; /* by slot */
	ZSTD_parameters params;
};

static void die(const char *what)
{
	fprintf(stderr, "bare loop: %s\n", what);
	exit(2);
}

static void must(size_t ret)
{
	if (ZSTD_isError(ret))
		die(ZSTD_getErrorName(ret));
}

struct bare_zstd *bare_create(const struct bare_config *config)
{
	struct bare_zstd *b = calloc(1, sizeof(*b));
	char err[256];

	if (!b)
		die("out of memory");
	b->config = *config;
	b->params = ZSTD_getParams(3, config->params_hint, 0);
	b->wksp = aligned_alloc(TRACE_PAGE_SIZE, WKSP_SIZE);
	b->in = malloc(TRACE_PAGE_SIZE);
	b->out = malloc(TRACE_PAGE_SIZE);
	b->objects = calloc(config->nr_slots + 1, sizeof(*b->objects));
	if (!b->wksp || !b->in || !b->out || !b->objects)
		die("out of memory");
	for (enum zstd_side side = 0; config->restored && side < ZSTD_NR_SIDES; side++) {
		if (zstd_template_create(zstd_build, &side, b->wksp, WKSP_SIZE, &b->template[side],
					 err, sizeof(err)))
			die(err);
	}
	return b;
}

void bare_destroy(struct bare_zstd *b)
{
	for (uint64_t i = 0; i <= b->config.nr_slots; i++)
		free(b->objects[i]);
	for (int side = 0; side < ZSTD_NR_SIDES; side++)
		zstd_template_destroy(b->template[side]);
	free(b->objects);
	free(b->wksp);
	free(b->in);
	free(b->out);
	free(b);
}

static void *context(const struct bare_zstd *b, enum zstd_side side)
{
	if (b->template[side])
		return zstd_template_restore(b->template[side]);
	if (side == ZSTD_SIDE_COMPRESS)
		return ZSTD_initStaticCCtx(b->wksp, WKSP_SIZE);
	return ZSTD_initStaticDCtx(b->wksp, WKSP_SIZE);
}

/* The set-up that lib/zstd does for every compression: twelve steps. */
static void set_up(ZSTD_CCtx *c, const ZSTD_parameters *p, unsigned long long pledged)
{
	must(ZSTD_CCtx_reset(c, ZSTD_reset_session_and_parameters));
	must(ZSTD_CCtx_setPledgedSrcSize(c, pledged));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, p->cParams.windowLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_hashLog, p->cParams.hashLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_chainLog, p->cParams.chainLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_searchLog, p->cParams.searchLog));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_minMatch, p->cParams.minMatch));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_targetLength, p->cParams.targetLength));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_strategy, p->cParams.strategy));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, p->fParams.contentSizeFlag));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, p->fParams.checksumFlag));
	must(ZSTD_CCtx_setParameter(c, ZSTD_c_dictIDFlag, !p->fParams.noDictIDFlag));
}

static bool is_zero(const uint8_t *page)
{
	return !page[0] && !memcmp(page, page + 1, TRACE_PAGE_SIZE - 1);
}

static size_t compress(struct bare_zstd *b)
{
	ZSTD_CCtx *c;

	if (!b->config.deferred)
		set_up(context(b, ZSTD_SIDE_COMPRESS), &b->params, ZSTD_CONTENTSIZE_UNKNOWN);
	c = context(b, ZSTD_SIDE_COMPRESS);
	set_up(c, &b->params, TRACE_PAGE_SIZE);
	return ZSTD_compress2(c, b->out, TRACE_PAGE_SIZE, b->in, TRACE_PAGE_SIZE);
}

static void keep(struct bare_zstd *b, uint64_t slot, size_t length)
{
	struct object *object = malloc(sizeof(*object) + length);

	if (!object)
		die("out of memory");
	object->length = length;
	memcpy(object->bytes, length == TRACE_PAGE_SIZE ? b->in : b->out, length);
	b->objects[slot] = object;
}

uint64_t bare_store(struct bare_zstd *b, uint64_t slot, const void *data)
{
	uint64_t start, ns;
	size_t n;

	if (slot > b->config.nr_slots)
		die("no such slot");
	free(b->objects[slot]);
	b->objects[slot] = NULL;
	memcpy(b->in, data, TRACE_PAGE_SIZE);
	start = replay_monotonic_ns(NULL);
	if (is_zero(b->in))
		return replay_monotonic_ns(NULL) - start;
	n = compress(b);
	ns = replay_monotonic_ns(NULL) - start;
	keep(b, slot, ZSTD_isError(n) ? TRACE_PAGE_SIZE : n);
	return ns;
}

unsigned bare_length(const struct bare_zstd *b, uint64_t slot)
{
	return b->objects[slot] ? b->objects[slot]->length : 0;
}

/* In the two parts that the object lay in, as the replay's request had it. */
static void stream(struct bare_zstd *b, const struct object *object, unsigned first)
{
	ZSTD_DStream *d = context(b, ZSTD_SIDE_DECOMPRESS);
	ZSTD_outBuffer out = {b->out, TRACE_PAGE_SIZE, 0};
	ZSTD_inBuffer in = {object->bytes, first, 0};

	must(ZSTD_decompressStream(d, &out, &in));
	in.size = object->length;
	must(ZSTD_decompressStream(d, &out, &in));
}

uint64_t bare_load(struct bare_zstd *b, uint64_t slot, unsigned first)
{
	struct object *object = b->objects[slot];
	uint64_t start = replay_monotonic_ns(NULL);

	if (!object) {
		memset(b->out, 0, TRACE_PAGE_SIZE);
	} else if (object->length == TRACE_PAGE_SIZE) {
		memcpy(b->out, object->bytes, TRACE_PAGE_SIZE);
	} else if (first) {
		stream(b, object, first);
	} else {
		if (!b->config.deferred)
			context(b, ZSTD_SIDE_DECOMPRESS);
		must(ZSTD_decompressDCtx(context(b, ZSTD_SIDE_DECOMPRESS), b->out, TRACE_PAGE_SIZE,
					 object->bytes, object->length));
	}
	return replay_monotonic_ns(NULL) - start;
}
