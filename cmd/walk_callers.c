// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_callers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/zswap.h"

__attribute__((format(printf, 5, 6))) static void sees(struct walk_caller *c, const char *name,
						       const char *outcome, const char *counter,
						       const char *format, ...)
{
	va_list args;

	c->name = name;
	c->outcome = outcome;
	c->counter = counter;
	va_start(args, format);
	vsnprintf(c->sees, sizeof(c->sees), format, args);
	va_end(args);
}

static void load_fails(const struct profile *profile, struct walk_caller *c, const char *name,
		       const char *why)
{
	if (profile->zswap.load_failure == ZSWAP_LOAD_FAILURE_BUG)
		sees(c, name, "bug", NULL, "%s: BUG()", why);
	else
		sees(c, name, "eio", "decompress_fail",
		     "%s: -EIO, decompress_fail + 1; the entry is kept, and who faulted gets "
		     "SIGBUS",
		     why);
}

/* ---- compress ---- */

static const char *reject_counter(int comp_ret)
{
	return comp_ret == -ENOSPC ? "reject_compress_poor" : "reject_compress_fail";
}

static void store(const struct profile *profile, const struct walker_result *res,
		  struct walk_caller *c)
{
	const char *counter = reject_counter(res->ret);

	if (!zswap_page_is_incompressible(profile, res->ret, res->dlen))
		sees(c, "zswap_store", "stored", NULL, "stored, %u bytes", res->dlen);
	else if (zswap_stores_raw(profile, true))
		sees(c, "zswap_store", "stored_raw", NULL,
		     "stored as it is, %u bytes (with writeback disabled: rejected, %s + 1)",
		     PAGE_SIZE, counter);
	else
		sees(c, "zswap_store", "rejected", counter, "rejected, %s + 1", counter);
}

/* What becomes of the page that was stored, when it is loaded from an object that lies in one page
 * (one-shot) or in two (a stream, if the kernel has them). */
static void load_later(const struct profile *profile, const struct walker_result *res,
		       struct walk_caller *c)
{
	const struct walker_decode *oneshot = &res->frame.oneshot, *stream = &res->frame.stream;
	bool streams = profile->zsmalloc.read == ZS_READ_SG &&
		       profile->zstd.api == ZSTD_API_ACOMP && !profile->zstd.stream_drain;
	bool in_one = zswap_page_is_back(oneshot->whole ? 0 : -EINVAL, oneshot->bytes);
	bool in_two = zswap_page_is_back(stream->error ? -EIO : 0, stream->bytes);

	if (in_one && (in_two || !streams)) {
		sees(c, "zswap_load, later", "loaded", NULL, "the page is back");
		return;
	}
	load_fails(profile, c, "zswap_load, later", "the page is lost");
	if (streams && in_two)
		snprintf(c->sees, sizeof(c->sees),
			 "from one page: -EIO, decompress_fail + 1; from an object over two pages: "
			 "the page is back, as if nothing had happened");
}

static void compressed(const struct walker_result *res, struct walk_caller *c)
{
	if (res->ret)
		sees(c, "others", "error", NULL, "an error; there is no output");
	else if (!res->frame.oneshot.whole)
		sees(c, "others", "deceived", NULL,
		     "success: %u bytes are taken for a frame, and are none", res->dlen);
	else if (res->frame.oneshot.bytes != res->facts.consumed || res->facts.src_ended_early)
		sees(c, "others", "deceived", NULL,
		     "success: %u bytes are taken for the whole, and hold %zu bytes of it",
		     res->dlen, res->frame.oneshot.bytes);
	else
		sees(c, "others", "served", NULL, "success: a frame of %u bytes", res->dlen);
}

/* ---- decompress ---- */

static void load(const struct profile *profile, const struct walker_result *res,
		 struct walk_caller *c)
{
	char why[64];

	if (zswap_page_is_back(res->ret, res->dlen)) {
		sees(c, "zswap_load", "loaded", NULL, "the page is back%s",
		     res->frame.oneshot.whole ? "" : ", although its frame is not whole");
		return;
	}
	if (res->ret)
		snprintf(why, sizeof(why), "the codec failed");
	else
		snprintf(why, sizeof(why), "%u bytes are not a page", res->dlen);
	load_fails(profile, c, "zswap_load", why);
}

static void decompressed(const struct walker_result *res, struct walk_caller *c)
{
	if (res->ret)
		sees(c, "others", "error", NULL, "an error; there is no output");
	else if (!res->frame.oneshot.whole || res->frame.oneshot.bytes != res->dlen)
		sees(c, "others", "deceived", NULL,
		     "success: %u bytes; that the source is no whole frame shows only to who knows "
		     "how "
		     "many it should be",
		     res->dlen);
	else
		sees(c, "others", "served", NULL, "success: %u bytes", res->dlen);
}

unsigned walk_callers(const struct profile *profile, const struct walker_request *request,
		      const struct walker_result *result,
		      struct walk_caller callers[WALK_MAX_CALLERS])
{
	unsigned nr = 0;

	if (result->oops)
		return 0;
	if (request->compress && request->slen == PAGE_SIZE) {
		store(profile, result, &callers[nr++]);
		if (!zswap_page_is_incompressible(profile, result->ret, result->dlen))
			load_later(profile, result, &callers[nr++]);
	}
	if (!request->compress && request->dlen == PAGE_SIZE)
		load(profile, result, &callers[nr++]);
	if (request->compress)
		compressed(result, &callers[nr++]);
	else
		decompressed(result, &callers[nr++]);
	return nr;
}
