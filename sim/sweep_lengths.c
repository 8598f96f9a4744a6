// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/sweep_lengths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp.h"
#include "traces/error.h"

/* Switches that lengths by @compressor depend on; NULL: none. 0 or a negative errno. */
static int length_keys(const struct crypto_registry *crypto, const char *compressor,
		       const char *const **keys)
{
	struct crypto_acomp *tfm;
	struct settings s;
	struct kernel *k;
	struct kernel_config config = {.profile = &s.profile, .no_contents = true};
	int ret;

	settings_init(&s);
	*keys = NULL;
	ret = kernel_create(&config, &k);
	if (ret)
		return ret;
	crypto_init(k, crypto);
	ret = crypto_alloc_acomp(k, compressor, &tfm);
	if (!ret) {
		*keys = tfm->alg->length_keys;
		crypto_free_acomp(tfm);
	}
	crypto_exit(k);
	kernel_destroy(k);
	/* Of one that is not there a content-free trace may have lengths: those it has. */
	return ret == -ENOENT ? 0 : ret;
}

static int make_id(const struct crypto_registry *crypto, const struct settings *s,
		   char id[LENGTHS_KEY_BYTES])
{
	size_t n = snprintf(id, LENGTHS_KEY_BYTES, "%s", s->replay.compressor);
	const char *const *keys;
	char value[64];
	int ret = length_keys(crypto, s->replay.compressor, &keys);

	for (; !ret && keys && *keys && n < LENGTHS_KEY_BYTES; keys++)
		n += snprintf(id + n, LENGTHS_KEY_BYTES - n, " %s=%s", *keys,
			      settings_value(s, *keys, value, sizeof(value)));
	return ret;
}

static struct sweep_codec *find(const struct sweep_lengths *l, const char *id)
{
	for (unsigned i = 0; i < l->nr; i++) {
		if (!strcmp(l->codecs[i].id, id))
			return &l->codecs[i];
	}
	return NULL;
}

struct sweep_codec *sweep_lengths_find(const struct sweep_lengths *l, const struct settings *s)
{
	char id[LENGTHS_KEY_BYTES];

	return make_id(l->crypto, s, id) ? NULL : find(l, id);
}

static void config_of(const struct sweep_lengths *l, const struct settings *s,
		      struct lengths_config *config)
{
	*config = (struct lengths_config){
		.crypto = l->crypto,
		.profile = &s->profile,
		.compressor = s->replay.compressor,
	};
}

static int add(struct sweep_lengths *l, const struct settings *s, const char *id, uint32_t row,
	       struct trace_reader *reader, struct trace_error *err)
{
	struct sweep_codec *grown = reallocarray(l->codecs, l->nr + 1, sizeof(*grown));
	struct lengths_config config;
	struct sweep_codec *codec;
	int ret;

	if (!grown)
		return -ENOMEM;
	l->codecs = grown;
	codec = &grown[l->nr];
	memset(codec, 0, sizeof(*codec));
	codec->row = row;
	snprintf(codec->id, sizeof(codec->id), "%s", id);
	config_of(l, s, &config);
	ret = lengths_key(reader, &config, codec->key, err);
	l->nr += !ret;
	return ret;
}

int sweep_lengths_create(const struct sweep_file *file, struct trace_reader *reader,
			 const struct crypto_registry *crypto, struct sweep_lengths **out,
			 struct trace_error *err)
{
	struct sweep_lengths *l = calloc(1, sizeof(*l));
	int ret = l ? 0 : -ENOMEM;

	err->message[0] = '\0';
	if (l)
		l->crypto = crypto;
	for (uint32_t row = 0; !ret && row < file->nr_rows; row++) {
		char id[LENGTHS_KEY_BYTES];
		struct settings s;

		sweep_file_settings(file, row, &s);
		ret = make_id(crypto, &s, id);
		if (!ret && !find(l, id))
			ret = add(l, &s, id, row, reader, err);
	}
	if (ret) {
		sweep_lengths_destroy(l);
		if (!err->message[0])
			trace_fail(err, file->path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
		return ret;
	}
	*out = l;
	return 0;
}

void sweep_lengths_destroy(struct sweep_lengths *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < l->nr; i++)
		lengths_close(l->codecs[i].lengths);
	free(l->codecs);
	free(l);
}

int sweep_lengths_open(const struct sweep_lengths *l, struct sweep_codec *codec,
		       const struct sweep_file *file, struct trace_reader *reader,
		       unsigned nr_threads, lengths_progress_fn progress, void *progress_arg,
		       struct trace_error *err)
{
	struct lengths_config config;
	struct settings s;

	if (codec->lengths)
		return 0;
	sweep_file_settings(file, codec->row, &s);
	config_of(l, &s, &config);
	config.nr_threads = nr_threads;
	config.progress = progress;
	config.progress_arg = progress_arg;
	return lengths_open(trace_reader_path(reader), reader, &config, &codec->lengths, err);
}
