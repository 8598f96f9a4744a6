/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressor of a run, as --compressor takes it and as reports name it. */
#ifndef CMD_CODEC_H
#define CMD_CODEC_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>

#include "sim/acomp.h"

#define CODEC_DEFAULT "zstd"
#define CODEC_NAMES_HELP                                                                           \
	"zstd (the default), lz4, lz4hc, lzo or deflate, all but lzo with an optional :LEVEL "     \
	"(docs/codecs.md)"

/* @text, if it is a compressor that can be had, or options_error(). @name is the option's. */
const char *codec_option(const struct argp_state *state, const char *name, const char *text);
/* The same, and one that cannot be had is all right: the lengths of a trace may be by it. */
const char *codec_option_known(const struct argp_state *state, const char *name, const char *text);

/* What follows takes a compressor that is one, or NULL for CODEC_DEFAULT. */

struct acomp_spec codec_spec(const char *compressor);
/* Whether zstd.* of a profile matters. */
bool codec_is_zstd(const char *compressor);
/*
 * Whether the lengths are, to the byte, those of the kernel that the profile is of; false for a
 * level that kernels do not use.
 */
bool codec_lengths_exact(const char *compressor, const struct profile *profile);
/* That in a sentence, with the library; into @buf, returns @buf. */
const char *codec_length_verdict(const char *compressor, const struct profile *profile, char *buf,
				 size_t size);
/*
 * What a reader should be warned of, one line each: at most CODEC_MAX_WARNINGS. Returns how many.
 * @zstd_too: another compressor of the same run is zstd, so that zstd.* matters.
 */
#define CODEC_MAX_WARNINGS 2
unsigned codec_warnings(const char *compressor, const struct profile *profile, bool zstd_too,
			char lines[CODEC_MAX_WARNINGS][256]);

/* "compressor=lz4 level=1", without a level where there are none; into @buf, returns @buf. */
const char *codec_settings_text(const char *compressor, char *buf, size_t size);
/* Adds "compressor", "level" (null where there are none) and "codec_library". */
void codec_settings_json(json_t *settings, const char *compressor);
/* Its function behind a kind of call; NULL: it has none. */
const char *codec_call_name(const char *compressor, enum acomp_call call);

/* Why nothing is said of the CPUIDs of another codec than zstd, into @buf. */
void codec_no_census(const char *compressor, char *buf, size_t size);

#endif
