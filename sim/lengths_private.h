/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the lengths share among themselves. */
#ifndef SIM_LENGTHS_PRIVATE_H
#define SIM_LENGTHS_PRIVATE_H

#include "sim/acomp.h"
#include "sim/lengths.h"
#include "sim/profile.h"

/*
 * lengths_codec.c: one thread's way to the codec. Its machine is the default preset with those
 * switches of the configuration's profile that lengths depend on: what is not in the key cannot be
 * in a length.
 */
struct lengths_codec;

/*
 * 0, an error of crypto_parse_acomp() (no such compressor) with its line in @text, -ENOMEM, or what
 * the algorithm's init gave.
 */
int lengths_codec_create(const struct lengths_config *config, struct lengths_codec **out,
			 char *text, size_t size);

static inline const char *lengths_compressor(const struct lengths_config *config)
{
	return config->compressor ? config->compressor : "zstd";
}

void lengths_codec_destroy(struct lengths_codec *c); /* accepts NULL */
/* Of 4096 bytes: what lengths_of() gives, and -EPROTO for a success of no or too many bytes. */
int lengths_codec_page(struct lengths_codec *c, const void *page);
/* What the codec makes of a page of zeros; the errno it gives if the result does not fit a page. */
int lengths_codec_zeros(struct lengths_codec *c);
int lengths_codec_no_room(struct lengths_codec *c);
/* The key, into @buf; and its part of the file's name: "zstd.params_hint=262144". */
void lengths_codec_key(const struct lengths_codec *c, char *buf, size_t size);
void lengths_codec_slug(const struct lengths_codec *c, char *buf, size_t size);

/* lengths_pass.c: fills @values[nr_pages] from the trace; l->nr_threads, l->pass_ns. */
int lengths_pass(struct lengths *l, const struct trace_reader *reader,
		 const struct lengths_config *config, int16_t *values, struct trace_error *err);

/*
 * lengths_file.c: a trace's lengths in a file.
 *
 * Reads @path into l->values, l->zeros if it is of the trace @info and of l->key. -ESTALE: it is
 * not, or damaged, and l->why_computed says why; -ENOMEM.
 */
int lengths_file_read(struct lengths *l, const char *path, const struct trace_info *info);
/* Puts it in @path, whole or not at all. An error is in *err. */
int lengths_file_write(const struct lengths *l, const char *path, const struct trace_info *info,
		       struct trace_error *err);

#endif
