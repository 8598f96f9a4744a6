// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/deflate_stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* zlib 1.2.13 asks for 152 KiB to compress, and for 9 to decompress. */
#define WORKSPACE_SIZE (512u << 10)

const char *const deflate_call_names[ACOMP_NR_CALLS] = {
	[ACOMP_CALL_INIT_CCTX] = "zlib_deflateInit2",
	[ACOMP_CALL_INIT_CSTREAM] = "zlib_deflateReset",
	[ACOMP_CALL_COMPRESS_STREAM] = "zlib_deflate",
	[ACOMP_CALL_INIT_DCTX] = "zlib_inflateInit2",
	[ACOMP_CALL_INIT_DSTREAM] = "zlib_inflateReset",
	[ACOMP_CALL_DECOMPRESS_STREAM] = "zlib_inflate",
};

static char library_text[32];

static void make_library_text(void)
{
	snprintf(library_text, sizeof(library_text), "zlib %s", zlibVersion());
}

const char *const deflate_length_keys[] = {"deflate.api", NULL};

const char *deflate_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_library_text);
	return library_text;
}

struct acomp_levels deflate_levels(void)
{
	return (struct acomp_levels){Z_BEST_SPEED, Z_BEST_COMPRESSION, DEFLATE_DEF_LEVEL};
}

bool deflate_lengths_exact(const struct profile *p)
{
	/* zlib-ng says so; it looks for matches in ways of its own. */
	return !strstr(zlibVersion(), "ng");
}

static void *take(void *arg, unsigned items, unsigned size)
{
	size_t bytes = ((size_t)items * size + 63) / 64 * 64;
	struct deflate_stream *s = arg;
	void *p = s->workspace + s->used;

	if (bytes > WORKSPACE_SIZE - s->used)
		return NULL;
	s->used += bytes;
	return p;
}

static void give_back(void *arg, void *p)
{
}

int deflate_stream_create(int level, struct deflate_stream **out)
{
	struct deflate_stream *s = calloc(1, sizeof(*s));
	struct acomp_cost not_a_request = {0};
	struct kernel timeless = {0};
	struct meter m;

	if (!s)
		return -ENOMEM;
	s->level = level;
	s->z.zalloc = take;
	s->z.zfree = give_back;
	s->z.opaque = s;
	s->workspace = aligned_alloc(64, WORKSPACE_SIZE);
	meter_start(&m, &timeless, &not_a_request);
	if (!s->workspace || zlib_inflateInit2(s, &m) != Z_OK || zlib_deflateInit2(s, &m) != Z_OK) {
		deflate_stream_destroy(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void deflate_stream_destroy(struct deflate_stream *s)
{
	if (!s)
		return;
	free(s->workspace);
	free(s);
}

static void begin_init(struct deflate_stream *s, struct meter *m, enum acomp_call call)
{
	meter_charge(m, &m->cost->init_ns);
	m->cost->calls[call]++;
	s->used = 0;
}

static int end_init(struct meter *m, enum acomp_call init, enum acomp_call reset, int ret)
{
	acomp_trace_event(m->trace, .kind = ACOMP_EVENT_CALL, .call = init, .builds = true,
			  .result = ret == Z_OK);
	/* The kernel's ends by calling it. */
	m->cost->calls[reset]++;
	return ret;
}

int zlib_deflateInit2(struct deflate_stream *s, struct meter *m)
{
	begin_init(s, m, ACOMP_CALL_INIT_CCTX);
	return end_init(m, ACOMP_CALL_INIT_CCTX, ACOMP_CALL_INIT_CSTREAM,
			deflateInit2(&s->z, s->level, Z_DEFLATED, -DEFLATE_DEF_WINBITS,
				     DEFLATE_DEF_MEMLEVEL, Z_DEFAULT_STRATEGY));
}

int zlib_inflateInit2(struct deflate_stream *s, struct meter *m)
{
	begin_init(s, m, ACOMP_CALL_INIT_DCTX);
	return end_init(m, ACOMP_CALL_INIT_DCTX, ACOMP_CALL_INIT_DSTREAM,
			inflateInit2(&s->z, -DEFLATE_DEF_WINBITS));
}

static int reset(struct deflate_stream *s, struct meter *m, enum acomp_call call,
		 int (*fn)(z_stream *z))
{
	meter_begin(m, call);
	acomp_trace_event(m->trace, .kind = ACOMP_EVENT_RESTART, .call = call);
	return fn(&s->z);
}

int zlib_deflateReset(struct deflate_stream *s, struct meter *m)
{
	return reset(s, m, ACOMP_CALL_INIT_CSTREAM, deflateReset);
}

int zlib_inflateReset(struct deflate_stream *s, struct meter *m)
{
	return reset(s, m, ACOMP_CALL_INIT_DSTREAM, inflateReset);
}

static int call(struct deflate_stream *s, struct meter *m, enum acomp_call which, int flush,
		int (*fn)(z_stream *z, int flush))
{
	unsigned in = s->z.avail_in, out = s->z.avail_out;
	int ret;

	meter_begin(m, which);
	ret = fn(&s->z, flush);
	meter_end(m, which, in - s->z.avail_in, out - s->z.avail_out);
	return ret;
}

int zlib_deflate(struct deflate_stream *s, struct meter *m, int flush)
{
	return call(s, m, ACOMP_CALL_COMPRESS_STREAM, flush, deflate);
}

int zlib_inflate(struct deflate_stream *s, struct meter *m, int flush)
{
	return call(s, m, ACOMP_CALL_DECOMPRESS_STREAM, flush, inflate);
}
