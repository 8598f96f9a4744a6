// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/codec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/options.h"
#include "sim/acomp_batch.h"

static const char *const kernel_zstd[] = {
	[ZSTD_LIBRARY_1_5_2] = "1.5.2",
	[ZSTD_LIBRARY_1_5_7] = "1.5.7",
};

const char *codec_option(const struct argp_state *state, const char *name, const char *text)
{
	struct acomp_spec spec;
	char err[512];

	if (crypto_parse_acomp(backends_registry(), text, &spec, err, sizeof(err)))
		options_error(state, "%s: %s", name, err);
	return text;
}

const char *codec_option_known(const struct argp_state *state, const char *name, const char *text)
{
	struct acomp_spec spec;
	char err[512];
	int ret = crypto_parse_acomp(backends_registry(), text, &spec, err, sizeof(err));

	if (ret && ret != -EOPNOTSUPP)
		options_error(state, "%s: %s", name, err);
	return text;
}

struct acomp_spec codec_spec(const char *compressor)
{
	struct acomp_spec spec;

	crypto_parse_acomp(backends_registry(), compressor ? compressor : CODEC_DEFAULT, &spec,
			   NULL, 0);
	return spec;
}

bool codec_is_zstd(const char *compressor)
{
	return codec_spec(compressor).alg->model == ACOMP_MODEL_ZSTD;
}

static bool is_kernels_level(const struct acomp_spec *spec)
{
	return !spec->alg->levels || spec->level == spec->alg->levels().def;
}

bool codec_lengths_exact(const char *compressor, const struct profile *profile)
{
	struct acomp_spec spec = codec_spec(compressor);

	return !spec.alg->refused && is_kernels_level(&spec) && spec.alg->lengths_exact(profile);
}

const char *codec_length_verdict(const char *compressor, const struct profile *profile, char *buf,
				 size_t size)
{
	struct acomp_spec spec = codec_spec(compressor);
	bool exact = codec_lengths_exact(compressor, profile);
	char version[32] = "";
	const char *library;

	if (spec.alg->refused) {
		snprintf(buf, size, "%s: no library here has it", spec.alg->cra_name);
		return buf;
	}
	library = spec.alg->library();
	if (!is_kernels_level(&spec)) {
		snprintf(buf, size, "%s, level %d: kernels use %d, so no kernel has these lengths",
			 library, spec.level, spec.alg->levels().def);
		return buf;
	}
	if (codec_is_zstd(compressor))
		snprintf(version, sizeof(version), " (zstd %s)",
			 kernel_zstd[profile->zstd.library]);
	snprintf(buf, size, "%s: lengths are %sthe kernel's%s to the byte", library,
		 exact ? "" : "NOT ", version);
	return buf;
}

/* Whether a switch of zstd was set to what the preset does not have. */
static bool zstd_is_changed(const struct profile *profile)
{
	const struct profile_key *key;
	struct profile preset;
	char err[256];

	if (profile_init(&preset, profile->name, err, sizeof(err)))
		return false;
	profile_for_each_key (key) {
		char now[64], then[64];

		if (strncmp(key->key, "zstd.", 5))
			continue;
		if (strcmp(profile_value(profile, key, now, sizeof(now)),
			   profile_value(&preset, key, then, sizeof(then))))
			return true;
	}
	return false;
}

unsigned codec_warnings(const char *compressor, const struct profile *profile, bool zstd_too,
			char lines[CODEC_MAX_WARNINGS][256])
{
	struct acomp_spec spec = codec_spec(compressor);
	const char *library = spec.alg->refused ? "" : spec.alg->library();
	unsigned n = 0;

	if (spec.alg->refused)
		return 0;
	if (!is_kernels_level(&spec))
		snprintf(lines[n++], 256,
			 "kernels compress at level %d of %s, not %d: lengths and times have no "
			 "kernel's to be compared with",
			 spec.alg->levels().def, spec.alg->cra_name, spec.level);
	else if (!spec.alg->lengths_exact(profile) && codec_is_zstd(compressor))
		snprintf(lines[n++], 256,
			 "%s is not the zstd of this kernel (%s): single pages differ by some "
			 "bytes in length",
			 library, kernel_zstd[profile->zstd.library]);
	else if (spec.alg->flags & ACOMP_ALG_MODELLED)
		snprintf(lines[n++], 256,
			 "%s is a modelled device: lengths and times are those of %s; 'zswapsim "
			 "batch' has the times of its model",
			 spec.name, library);
	else if (!spec.alg->lengths_exact(profile))
		snprintf(lines[n++], 256,
			 "%s is not the %s of this kernel: pages differ by some bytes in length "
			 "(docs/codecs.md has how many)",
			 library, spec.alg->cra_name);
	if (!zstd_too && !codec_is_zstd(compressor) && zstd_is_changed(profile))
		snprintf(lines[n++], 256, "the switches zstd.* do not matter: the compressor is %s",
			 spec.name);
	return n;
}

const char *codec_settings_text(const char *compressor, char *buf, size_t size)
{
	struct acomp_spec spec = codec_spec(compressor);

	if (spec.alg->levels)
		snprintf(buf, size, "compressor=%s level=%d", spec.alg->cra_name, spec.level);
	else
		snprintf(buf, size, "compressor=%s", spec.alg->cra_name);
	return buf;
}

void codec_settings_json(json_t *settings, const char *compressor)
{
	struct acomp_spec spec = codec_spec(compressor);

	json_object_set_new(settings, "compressor", json_string(spec.alg->cra_name));
	json_object_set_new(settings, "level",
			    spec.alg->levels ? json_integer(spec.level) : json_null());
	json_object_set_new(settings, "codec_library",
			    spec.alg->refused ? json_null() : json_string(spec.alg->library()));
}

const char *codec_call_name(const char *compressor, enum acomp_call call)
{
	return codec_spec(compressor).alg->call_names[call];
}

void codec_no_census(const char *compressor, char *buf, size_t size)
{
	snprintf(buf, size, "contexts of zstd are, and the compressor is %s",
		 codec_spec(compressor).alg->cra_name);
}
