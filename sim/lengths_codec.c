// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages through a codec for their lengths alone. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lengths_private.h"
#include "sim/page_io.h"

struct lengths_codec {
	struct kernel *k;
	struct crypto_acomp *tfm;
	struct acomp_req req;
	struct page *page, *buffer;
	char compressor[ACOMP_MAX_NAME];
};

/* @keys: up to NULL; may be NULL. */
static void copy_keys(struct profile *to, const struct profile *from, const char *const *keys)
{
	const struct profile_key *key;

	for (; keys && *keys; keys++) {
		profile_for_each_key (key) {
			if (!strcmp(key->key, *keys))
				memcpy((char *)to + key->offset, (const char *)from + key->offset,
				       sizeof(unsigned));
		}
	}
}

static int create_kernel(struct lengths_codec *c, const struct lengths_config *config,
			 const struct profile *profile)
{
	struct kernel_config kernel = {.profile = profile, .nr_cpus = 1};
	int ret = kernel_create(&kernel, &c->k);

	if (ret)
		return ret;
	crypto_init(c->k, config->crypto);
	return crypto_alloc_acomp(c->k, c->compressor, &c->tfm);
}

static void destroy_kernel(struct lengths_codec *c)
{
	crypto_free_acomp(c->tfm);
	if (c->k)
		crypto_exit(c->k);
	kernel_destroy(c->k);
	c->tfm = NULL;
	c->k = NULL;
}

int lengths_codec_create(const struct lengths_config *config, struct lengths_codec **out,
			 char *text, size_t size)
{
	struct lengths_codec *c = calloc(1, sizeof(*c));
	struct acomp_spec spec;
	struct profile profile;
	int ret;

	text[0] = '\0';
	if (!c)
		return -ENOMEM;
	ret = crypto_parse_acomp(config->crypto, lengths_compressor(config), &spec, text, size);
	if (ret)
		goto err;
	snprintf(c->compressor, sizeof(c->compressor), "%s", spec.name);
	ret = profile_init(&profile, PROFILE_DEFAULT, text, size);
	if (ret)
		goto err;
	/* No length depends on whether a context is built anew, but half of the time would. */
	profile.zstd.context = ZSTD_CONTEXT_ONCE;
	profile.zstd.stream_init = ZSTD_STREAM_INIT_DEFERRED;
	/* Once to learn which switches matter, and once with these. */
	ret = create_kernel(c, config, &profile);
	if (ret)
		goto err;
	if (c->tfm->alg->length_keys) {
		copy_keys(&profile, config->profile, c->tfm->alg->length_keys);
		destroy_kernel(c);
		ret = create_kernel(c, config, &profile);
		if (ret)
			goto err;
	}
	ret = -ENOMEM;
	c->page = alloc_pages(c->k->frames, 0, 0);
	/* Some codecs write beyond dlen if the buffer, two pages to 6.12, allows it. */
	c->buffer = alloc_pages(c->k->frames, profile.zswap.buffer_pages > 1, 0);
	if (!c->page || !c->buffer)
		goto err;
	acomp_request_set_tfm(&c->req, c->tfm);
	*out = c;
	return 0;
err:
	lengths_codec_destroy(c);
	return ret;
}

void lengths_codec_destroy(struct lengths_codec *c)
{
	if (!c)
		return;
	if (c->page)
		free_pages(c->k->frames, c->page);
	if (c->buffer)
		free_pages(c->k->frames, c->buffer);
	destroy_kernel(c);
	free(c);
}

/* The request is zswap's: see compress_page() in sim/zswap_compress.c. */
static int compress(struct lengths_codec *c)
{
	struct scatterlist input, output;
	int ret;

	sg_init_table(&input, 1);
	sg_set_page(&input, c->page, PAGE_SIZE, 0);
	sg_init_table(&output, 1);
	sg_set_page(&output, c->buffer, c->k->profile.zswap.buffer_pages * PAGE_SIZE, 0);
	acomp_request_set_params(&c->req, &input, &output, PAGE_SIZE, PAGE_SIZE);
	ret = crypto_acomp_compress(&c->req);
	if (ret)
		return ret;
	return c->req.dlen && c->req.dlen <= PAGE_SIZE ? (int)c->req.dlen : -EPROTO;
}

int lengths_codec_page(struct lengths_codec *c, const void *page)
{
	if (page_is_zero(page))
		return 0;
	memcpy(page_address(c->page), page, PAGE_SIZE);
	return compress(c);
}

int lengths_codec_zeros(struct lengths_codec *c)
{
	memset(page_address(c->page), 0, PAGE_SIZE);
	return compress(c);
}

int lengths_codec_no_room(struct lengths_codec *c)
{
	uint64_t *words = page_address(c->page), x = 1;

	/* Bytes that nothing compresses: splitmix64. */
	for (unsigned i = 0; i < PAGE_SIZE / sizeof(*words); i++) {
		uint64_t z = x += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		words[i] = z ^ z >> 31;
	}
	return compress(c);
}

static size_t append_keys(const struct lengths_codec *c, char *buf, size_t size, size_t n,
			  bool whole)
{
	const char *const *names = c->tfm->alg->length_keys;
	const struct profile_key *key;
	char value[64];

	for (; names && *names; names++) {
		const char *dot = strrchr(*names, '.');

		profile_for_each_key (key) {
			if (strcmp(key->key, *names) || n >= size)
				continue;
			n += snprintf(buf + n, size - n, "%c%s=%s", whole ? ' ' : '.',
				      whole || !dot ? *names : dot + 1,
				      profile_value(&c->k->profile, key, value, sizeof(value)));
		}
	}
	return n;
}

void lengths_codec_key(const struct lengths_codec *c, char *buf, size_t size)
{
	size_t n = snprintf(buf, size, "%s", c->compressor);

	n = append_keys(c, buf, size, n, true);
	if (n < size && c->tfm->alg->library)
		snprintf(buf + n, size - n, " %s", c->tfm->alg->library());
}

void lengths_codec_slug(const struct lengths_codec *c, char *buf, size_t size)
{
	size_t n = snprintf(buf, size, "%s", c->compressor);

	append_keys(c, buf, size, n, false);
	for (char *p = buf; *p; p++) {
		if (*p == ':' || *p == '/')
			*p = '-';
	}
}
