// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/lengths_set.h"

#include <string.h>

#include "backends/registry.h"
#include "cmd/codec.h"
#include "cmd/commands.h"
#include "cmd/options.h"

#define MAX_THREADS 256
#define MAX_WORD    64 /* of a list, with its NUL */

enum { OPT_COMPRESSOR = 1024, OPT_KERNELS };

static const struct argp_option options[] = {
	{"compressor", OPT_COMPRESSOR, "LIST", 0,
	 "Compressors, with commas: zstd (the default), zstd:19, lz4, lz4hc, lzo, deflate", 0},
	{"kernels", OPT_KERNELS, "LIST", 0,
	 "Kernels whose parameters they are called with, with commas; default: all presets, as far "
	 "as lengths differ",
	 0},
	{"jobs", 'j', "N", 0, "Threads, 1 to 256; default: one a CPU", 0},
	{0},
};

/* The next word of a list, into @word; what is left of the list, or NULL at its end. */
static const char *next_word(const char *list, char word[static MAX_WORD])
{
	size_t len = strcspn(list, ",");

	snprintf(word, MAX_WORD, "%.*s", (int)len, list);
	return list[len] ? list + len + 1 : NULL;
}

static void check(const struct argp_state *state, const struct lengths_set *set)
{
	char word[MAX_WORD], err[1024];
	struct profile profile;

	for (const char *list = set->compressors; list;) {
		list = next_word(list, word);
		codec_option(state, "--compressor", word);
	}
	for (const char *list = set->kernels; list;) {
		list = next_word(list, word);
		if (profile_init(&profile, word, err, sizeof(err)))
			options_error(state, "--kernels: %s", err);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct lengths_set *set = state->input;

	switch (key) {
	case OPT_COMPRESSOR:
		set->compressors = arg;
		return 0;
	case OPT_KERNELS:
		set->kernels = arg;
		return 0;
	case 'j':
		set->mode.nr_threads = options_u64(state, "-j", arg, 1, MAX_THREADS);
		return 0;
	case ARGP_KEY_END:
		check(state, set);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp lengths_set_argp = {.options = options, .parser = parse};

static bool has_key(const struct lengths_set *set, const char *key)
{
	for (unsigned i = 0; i < set->nr; i++) {
		if (!strcmp(set->lengths[i]->key, key))
			return true;
	}
	return false;
}

static int add(struct lengths_set *set, const char *name, const char *trace,
	       struct trace_reader *reader, const char *compressor, const char *kernel)
{
	struct profile profile;
	struct replay_config config = {
		.profile = &profile, .crypto = backends_registry(), .compressor = compressor};
	struct lengths_config lengths = {
		.profile = &profile, .crypto = config.crypto, .compressor = compressor};
	char key[LENGTHS_KEY_BYTES], text[1024];
	struct trace_error err;

	profile_init(&profile, kernel, text, sizeof(text));
	if (lengths_key(reader, &lengths, key, &err)) {
		fprintf(stderr, "%s: %s\n", name, err.message);
		return STATUS_USAGE;
	}
	if (has_key(set, key))
		return 0;
	if (set->nr == STRIP_MAX) {
		fprintf(stderr, "%s: more than %u compressors\n", name, STRIP_MAX);
		return STATUS_USAGE;
	}
	if (mode_options_lengths(&set->mode, name, trace, reader, &config, &set->lengths[set->nr]))
		return STATUS_USAGE;
	set->nr++;
	return 0;
}

int lengths_set_open(struct lengths_set *set, const char *name, const char *trace,
		     struct trace_reader *reader)
{
	const char *compressors = set->compressors ? set->compressors : CODEC_DEFAULT;
	int status = 0;

	while (!status && compressors) {
		const char *const *preset = profile_presets();
		char compressor[MAX_WORD], kernel[MAX_WORD];

		compressors = next_word(compressors, compressor);
		for (; !status && !set->kernels && *preset; preset++)
			status = add(set, name, trace, reader, compressor, *preset);
		for (const char *kernels = set->kernels; !status && kernels;) {
			kernels = next_word(kernels, kernel);
			status = add(set, name, trace, reader, compressor, kernel);
		}
	}
	return status;
}

void lengths_set_close(struct lengths_set *set)
{
	for (unsigned i = 0; i < set->nr; i++)
		lengths_close(set->lengths[i]);
	set->nr = 0;
}
