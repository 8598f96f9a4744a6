// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/version.h"

#include <archive.h>
#include <jemalloc/jemalloc.h>
#include <lz4.h>
#include <lzo/lzoconf.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#define STRING(x)   #x
#define EXPANDED(x) STRING(x)

#ifdef __clang__
#define COMPILER                                                                                   \
	"clang " EXPANDED(__clang_major__) "." EXPANDED(__clang_minor__) "." EXPANDED(             \
		__clang_patchlevel__)
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static void set(struct version_part *part, const char *name, const char *version)
{
	part->name = name;
	snprintf(part->version, sizeof(part->version), "%s", version);
}

/* Libraries that give their version as a decimal number, @step to the digit group. */
static void set_number(struct version_part *part, const char *name, unsigned v, unsigned step)
{
	part->name = name;
	snprintf(part->version, sizeof(part->version), "%u.%u.%u", v / step / step, v / step % step,
		 v % step);
}

void version_get(struct version_part parts[VERSION_NR_PARTS])
{
	const char *jemalloc = "unknown";
	size_t size = sizeof(jemalloc);

	/* On an error mallctl leaves it as it is. */
	mallctl("version", &jemalloc, &size, NULL, 0);
	set(parts++, "zswapsim", ZSWAPSIM_VERSION);
	set(parts++, "libzstd", ZSTD_versionString());
	set(parts++, "liblz4", LZ4_versionString());
	set(parts++, "liblzo2", lzo_version_string());
	set(parts++, "zlib", zlibVersion());
	set(parts++, "jemalloc", jemalloc);
	set_number(parts++, "xxhash", XXH_versionNumber(), 100);
	set(parts++, "jansson", jansson_version_str());
	set_number(parts++, "libarchive", archive_version_number(), 1000);
	set(parts++, "compiler", COMPILER);
	set(parts++, "build", ZSWAPSIM_BUILD);
}

void version_print(FILE *out)
{
	struct version_part parts[VERSION_NR_PARTS];

	version_get(parts);
	fprintf(out, "%s %s\n", parts[0].name, parts[0].version);
	for (unsigned i = 1; i < VERSION_NR_PARTS; i++)
		fprintf(out, "%-10s  %s\n", parts[i].name, parts[i].version);
}

json_t *version_json(void)
{
	struct version_part parts[VERSION_NR_PARTS];
	json_t *root = json_object();

	version_get(parts);
	for (unsigned i = 0; root && i < VERSION_NR_PARTS; i++) {
		if (json_object_set_new(root, parts[i].name, json_string(parts[i].version))) {
			json_decref(root);
			root = NULL;
		}
	}
	return root;
}

const char *version_slow_build(void)
{
#ifdef SANITIZED
	return "built with a sanitizer";
#elif !defined(__OPTIMIZE__)
	return "built without optimisation";
#else
	return NULL;
#endif
}
