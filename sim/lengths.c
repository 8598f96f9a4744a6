// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/lengths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lengths_private.h"
#include "traces/error.h"

/* Of a compressor that this program does not have: the least that zsmalloc gives out. */
#define UNKNOWN_ZEROS 32

/* ---- a content-free trace ---- */

/* The names of the trace's compressors, as far as there is room. */
static int no_lengths(struct trace_reader *reader, const char *compressor, struct trace_error *err)
{
	uint32_t nr = trace_reader_info(reader)->nr_compressors;
	char names[200] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < nr && n < sizeof(names); i++)
		n += snprintf(names + n, sizeof(names) - n, "%s'%s'", i ? ", " : "",
			      trace_reader_compressor(reader, i));
	return trace_fail(err, trace_reader_path(reader), TRACE_NO_OFFSET, -ENODATA,
			  "a content-free trace without lengths by '%s'; it has those by %s%s",
			  compressor, names, n >= sizeof(names) ? "..." : "");
}

/* Whether @name has the word @word, of @len characters, between blanks. */
static bool has_word(const char *name, const char *word, size_t len)
{
	for (; *name; name += strspn(name, " ")) {
		size_t n = strcspn(name, " ");

		if (n == len && !strncmp(name, word, len))
			return true;
		name += n;
	}
	return false;
}

/* How well @name says what @key does: 0 another compressor, then of other parameters, library. */
static unsigned likeness(const char *name, const char *compressor, const char *key)
{
	size_t len = strlen(compressor);

	if (strncmp(name, compressor, len) || (name[len] && name[len] != ' '))
		return 0;
	if (!strcmp(name, key))
		return 3;
	for (; *key; key += strspn(key, " ")) {
		size_t n = strcspn(key, " ");

		if (memchr(key, '=', n) && !has_word(name, key, n))
			return 1;
		key += n;
	}
	return 2;
}

static int find_compressor(struct trace_reader *reader, const char *compressor, const char *key,
			   uint32_t *index, bool *alike, struct trace_error *err)
{
	unsigned best = 0;

	for (uint32_t i = 0; i < trace_reader_info(reader)->nr_compressors; i++) {
		unsigned like = likeness(trace_reader_compressor(reader, i), compressor, key);

		if (like > best) {
			best = like;
			*index = i;
		}
	}
	*alike = best > 1;
	return best ? 0 : no_lengths(reader, compressor, err);
}

/* The errno is lost in such a trace, but for whether the page was only too long. */
static int from_trace(struct lengths *l, struct trace_reader *reader,
		      const struct lengths_config *config, struct lengths_codec *codec,
		      int16_t *values, struct trace_error *err)
{
	int no_room = codec ? lengths_codec_no_room(codec) : -ENOSPC, ret;
	uint32_t index;
	bool alike;

	if (no_room >= 0)
		no_room = -EINVAL;
	ret = find_compressor(reader, lengths_compressor(config), l->key, &index, &alike, err);
	for (uint64_t id = 0; !ret && id < l->nr_pages; id++) {
		uint16_t length;

		ret = trace_reader_length(reader, id, index, &length, err);
		if (ret)
			break;
		if (length == TRACE_LENGTH_FAILED)
			values[id] = -EINVAL;
		else
			values[id] = length <= TRACE_PAGE_SIZE ? length : no_room;
	}
	if (!ret && !alike)
		memcpy(l->unlike, l->key, sizeof(l->unlike));
	if (!ret)
		snprintf(l->key, sizeof(l->key), "%s", trace_reader_compressor(reader, index));
	return ret;
}

/* ---- a trace with contents ---- */

static char *path_beside(const char *trace_path, const struct lengths_codec *codec)
{
	char slug[128], *path;

	lengths_codec_slug(codec, slug, sizeof(slug));
	return asprintf(&path, "%s.%s.lengths", trace_path, slug) < 0 ? NULL : path;
}

static int from_pass(struct lengths *l, struct trace_reader *reader,
		     const struct lengths_config *config, int16_t *values, struct trace_error *err)
{
	struct trace_error not_kept;
	int ret = lengths_pass(l, reader, config, values, err);

	if (ret || !l->path)
		return ret;
	if (lengths_file_write(l, l->path, trace_reader_info(reader), &not_kept)) {
		snprintf(l->why_not_kept, sizeof(l->why_not_kept), "%s", not_kept.message);
		free(l->path);
		l->path = NULL;
	}
	return 0;
}

/* ---- both ---- */

/*
 * *@codec is NULL if a content-free trace is by one that this program does not have; @key is its
 * name then.
 */
static int find_codec(struct trace_reader *reader, const struct lengths_config *config,
		      struct lengths_codec **codec, char *key, struct trace_error *err)
{
	char text[256];
	int ret = lengths_codec_create(config, codec, text, sizeof(text));

	if (!ret) {
		lengths_codec_key(*codec, key, LENGTHS_KEY_BYTES);
		return 0;
	}
	*codec = NULL;
	if (trace_reader_info(reader)->content_free && (ret == -ENOENT || ret == -EOPNOTSUPP)) {
		snprintf(key, LENGTHS_KEY_BYTES, "%s", lengths_compressor(config));
		return 0;
	}
	snprintf(err->message, sizeof(err->message), "%s", *text ? text : strerror(-ret));
	err->offset = TRACE_NO_OFFSET;
	return ret;
}

static int fill(struct lengths *l, const char *trace_path, struct trace_reader *reader,
		const struct lengths_config *config, struct lengths_codec *codec,
		struct trace_error *err)
{
	bool content_free = trace_reader_info(reader)->content_free;
	int16_t *values;
	int ret;

	if (!content_free && !config->no_file) {
		l->path = path_beside(trace_path, codec);
		ret = l->path ? lengths_file_read(l, l->path, trace_reader_info(reader)) : -ENOMEM;
		if (!ret)
			l->origin = LENGTHS_FROM_FILE;
		if (ret != -ESTALE)
			return ret;
	}
	values = malloc(l->nr_pages ? l->nr_pages * sizeof(*values) : 1);
	if (!values)
		return -ENOMEM;
	l->values = values;
	l->zeros = codec ? lengths_codec_zeros(codec) : UNKNOWN_ZEROS;
	if (content_free) {
		l->origin = LENGTHS_FROM_TRACE;
		return from_trace(l, reader, config, codec, values, err);
	}
	l->origin = LENGTHS_COMPUTED;
	return from_pass(l, reader, config, values, err);
}

int lengths_open(const char *trace_path, struct trace_reader *reader,
		 const struct lengths_config *config, struct lengths **out, struct trace_error *err)
{
	struct lengths *l = calloc(1, sizeof(*l));
	struct lengths_codec *codec = NULL;
	int ret = -ENOMEM;

	err->message[0] = '\0';
	if (!l)
		goto err;
	l->nr_pages = trace_reader_info(reader)->nr_pages;
	ret = find_codec(reader, config, &codec, l->key, err);
	if (!ret)
		ret = fill(l, trace_path, reader, config, codec, err);
	lengths_codec_destroy(codec);
	if (ret)
		goto err;
	*out = l;
	return 0;
err:
	lengths_close(l);
	if (!err->message[0])
		trace_fail(err, trace_path, TRACE_NO_OFFSET, ret, "lengths: %s", strerror(-ret));
	return ret;
}

void lengths_close(struct lengths *l)
{
	if (!l)
		return;
	free((int16_t *)l->values);
	free(l->path);
	free(l);
}

int lengths_key(struct trace_reader *reader, const struct lengths_config *config, char *buf,
		struct trace_error *err)
{
	struct lengths_codec *codec;
	uint32_t index;
	bool alike;
	int ret = find_codec(reader, config, &codec, buf, err);

	if (ret)
		return ret;
	lengths_codec_destroy(codec);
	if (!trace_reader_info(reader)->content_free)
		return 0;
	ret = find_compressor(reader, lengths_compressor(config), buf, &index, &alike, err);
	if (!ret)
		snprintf(buf, LENGTHS_KEY_BYTES, "%s", trace_reader_compressor(reader, index));
	return ret;
}
