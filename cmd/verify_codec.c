// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/verify_codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/commands.h"
#include "traces/scenario.h"

static void print(const struct verify_codec *v, const struct verify_lengths_result *r)
{
	char title[32];

	printf("%s: lengths of pages, kernel %s, %s by %s\n", v->path,
	       profile_title(v->profile, title, sizeof(title)), r->compressor, r->library);
	printf("stored by the kernel     %8" PRIu32 "\n", r->stored);
	printf("of the same length here  %8" PRIu32 " (%.2f %%), the others %d to %d bytes off\n",
	       r->equal, r->stored ? 100.0 * r->equal / r->stored : 0.0, r->shortest, r->longest);
	printf("bytes of these           %8" PRIu64 ", the kernel's %" PRIu64 " (%+.3f %%)\n",
	       r->bytes, r->kernel_bytes,
	       r->kernel_bytes ? 100.0 * ((double)r->bytes / (double)r->kernel_bytes - 1) : 0.0);
	printf("not compressed by it     %8" PRIu32 "\n", r->refused);
	printf("decided otherwise here   %8" PRIu32 "\n", r->wrong);
}

/* zram calls zstd with parameters for one page, in contexts that it keeps. */
static void as_zram(struct profile *profile)
{
	profile->zstd.api = ZSTD_API_ACOMP;
	profile->zstd.context = ZSTD_CONTEXT_ONCE;
	profile->zstd.params_hint = PAGE_SIZE;
}

int verify_codec_run(const struct verify_codec *v, struct trace_error *err)
{
	struct profile profile = *v->profile;
	struct verify_lengths_config config = {.profile = &profile,
					       .crypto = backends_registry(),
					       .compressor = v->compressor,
					       .pages = v->pages};
	struct verify_lengths_result result;
	struct scenario_name name;
	int ret;

	/* "perpage_zram_lz4": its kind is the driver. */
	config.zram = !scenario_name(v->path, &name) && !strcmp(name.kind, "zram");
	if (config.zram)
		as_zram(&profile);
	ret = verify_lengths(v->path, &config, &result, err);
	if (ret)
		return ret;
	print(v, &result);
	if (result.wrong || !result.stored ||
	    100ull * result.equal < (uint64_t)v->at_least * result.stored)
		return STATUS_CHECK_FAILED;
	return STATUS_OK;
}
