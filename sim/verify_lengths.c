// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_lengths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zsmalloc.h"
#include "traces/error.h"
#include "traces/scenario.h"

struct run {
	const struct verify_lengths_config *config;
	struct verify_lengths_result *result;
	struct kernel *k;
	struct zs_pool *pool; /* for its huge class size */
	struct crypto_acomp *tfm;
	uint8_t out[2 * PAGE_SIZE];
};

/* Bytes, or 0: it is not stored compressed. */
static unsigned compress(struct run *run, const void *page)
{
	struct acomp_req req = {0};

	acomp_request_set_tfm(&req, run->tfm);
	acomp_request_set_src_dma(&req, page, PAGE_SIZE);
	acomp_request_set_dst_dma(&req, run->out, run->config->zram ? 2 * PAGE_SIZE : PAGE_SIZE);
	if (crypto_acomp_compress(&req))
		return 0;
	if (run->config->zram)
		return req.dlen >= zs_huge_class_size(run->pool) ? 0 : req.dlen;
	return req.dlen >= PAGE_SIZE ? 0 : req.dlen;
}

static void compare(struct verify_lengths_result *result, bool is_stored, unsigned recorded,
		    unsigned here)
{
	int difference = (int)here - (int)recorded;

	if (is_stored)
		result->stored++;
	else
		result->refused++;
	if (is_stored != (here != 0)) {
		result->wrong++;
		return;
	}
	if (!is_stored)
		return;
	result->equal += !difference;
	result->kernel_bytes += recorded;
	result->bytes += here;
	if (difference < result->shortest)
		result->shortest = difference;
	if (difference > result->longest)
		result->longest = difference;
}

static int compare_all(struct run *run, const char *path, const struct recording_lengths *lengths,
		       struct trace_error *err)
{
	const struct recording_pages *pages = run->config->pages;

	if (lengths->nr > pages->nr)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "has lengths of %u pages, and there are %u pages", lengths->nr,
				  pages->nr);
	for (uint32_t i = 0; i < lengths->nr; i++) {
		unsigned kind = lengths->kind[i];

		if (kind == RECORDING_KIND_NONE || kind == RECORDING_KIND_SAME)
			continue;
		compare(run->result, kind == RECORDING_KIND_STORED, lengths->length[i],
			compress(run, pages->data + (size_t)i * PAGE_SIZE));
	}
	return 0;
}

static int create(struct run *run, const char *path, struct trace_error *err)
{
	const struct verify_lengths_config *config = run->config;
	struct kernel_config kernel = {.profile = config->profile};
	const char *compressor = config->compressor;
	struct scenario_name name;
	struct acomp_spec spec;
	char why[256];
	int ret;

	if (!compressor && scenario_name(path, &name))
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				  "its name does not say whose lengths these are: "
				  "perpage_zswap_CODEC.csv");
	if (!compressor)
		compressor = name.algo;
	ret = crypto_parse_acomp(config->crypto, compressor, &spec, why, sizeof(why));
	if (ret)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, "%s", why);
	snprintf(run->result->compressor, sizeof(run->result->compressor), "%s", spec.name);
	run->result->library = spec.alg->library();
	ret = kernel_create(&kernel, &run->k);
	if (ret)
		return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	crypto_init(run->k, config->crypto);
	run->pool = zs_create_pool(run->k, "lengths");
	ret = run->pool ? crypto_alloc_acomp(run->k, compressor, &run->tfm) : -ENOMEM;
	if (ret)
		return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	return 0;
}

static void destroy(struct run *run)
{
	crypto_free_acomp(run->tfm);
	zs_destroy_pool(run->pool);
	if (run->k)
		crypto_exit(run->k);
	kernel_destroy(run->k);
	free(run);
}

int verify_lengths(const char *path, const struct verify_lengths_config *config,
		   struct verify_lengths_result *result, struct trace_error *err)
{
	struct recording_lengths lengths = {0};
	struct run *run = calloc(1, sizeof(*run));
	int ret;

	memset(result, 0, sizeof(*result));
	if (!run)
		return trace_fail(err, path, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	run->config = config;
	run->result = result;
	ret = recording_lengths_load(path, &lengths, err);
	if (!ret)
		ret = create(run, path, err);
	if (!ret)
		ret = compare_all(run, path, &lengths, err);
	recording_lengths_finish(&lengths);
	destroy(run);
	return ret;
}
