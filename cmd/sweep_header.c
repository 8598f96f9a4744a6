// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/sweep_header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "cmd/report_parts.h"
#include "cmd/version.h"
#include "sim/sweep_lengths.h"
#include "traces/error.h"

#define HASH_BYTES 33

/* XXH3-128 of a file, hex. 0 or a negative errno. */
static int hash_file(const char *path, char hash[HASH_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = 0;
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t canonical;
	char buf[65536];
	ssize_t n = -1;

	if (fd < 0)
		ret = -errno;
	else if (!state)
		ret = -ENOMEM;
	if (!ret) {
		XXH3_128bits_reset(state);
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			XXH3_128bits_update(state, buf, n);
		ret = n < 0 ? -errno : 0;
	}
	if (!ret) {
		XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
		for (unsigned i = 0; i < sizeof(canonical.digest); i++)
			snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
	}
	XXH3_freeState(state);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Hashes of the files that settings name: their contents are settings, too. */
static int add_files(json_t *files, const struct sweep_file *file, struct trace_error *err)
{
	for (unsigned i = 0; i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];

		for (unsigned v = 0; axis->key.kind == SETTING_FILE && v < axis->nr; v++) {
			char hash[HASH_BYTES], path[PATH_MAX];
			int ret = 1;

			if (settings_file(axis->key.key, axis->values[v].text, path, sizeof(path)))
				ret = hash_file(path, hash);

			if (ret < 0)
				return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s",
						  strerror(-ret));
			if (!ret)
				json_object_set_new(files, path, json_string(hash));
		}
	}
	return 0;
}

json_t *sweep_header_make(const struct sweep_file *file, const struct trace_info *trace_info,
			  const struct sweep_lengths *lengths, uint32_t shard, uint32_t nr_shards,
			  struct trace_error *err)
{
	json_t *o = json_object(), *files = json_object(), *codecs = json_object(),
	       *trace = report_trace_json("", trace_info);
	char hash[HASH_BYTES] = "", text[32];
	int ret = hash_file("/proc/self/exe", hash);

	if (ret)
		trace_fail(err, "/proc/self/exe", TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	else
		ret = add_files(files, file, err);
	/* The same trace may lie elsewhere. */
	json_object_del(trace, "path");
	for (unsigned i = 0; i < lengths->nr; i++)
		json_object_set_new(codecs, lengths->codecs[i].id,
				    json_string(lengths->codecs[i].key));
	snprintf(text, sizeof(text), "%" PRIu32 "/%" PRIu32, shard, nr_shards);
	json_object_set_new(o, "schema", json_string(SWEEP_JOURNAL_SCHEMA));
	json_object_set_new(o, "schema_version", json_integer(SWEEP_JOURNAL_SCHEMA_VERSION));
	json_object_set_new(o, "versions", version_json());
	json_object_set_new(o, "program", json_string(hash));
	json_object_set_new(o, "trace", trace);
	json_object_set_new(o, "sweep", json_string(file->text));
	json_object_set_new(o, "files", files);
	json_object_set_new(o, "codecs", codecs);
	json_object_set_new(o, "rows", json_integer(file->nr_rows));
	json_object_set_new(o, "shard", json_string(text));
	if (!ret)
		return o;
	json_decref(o);
	return NULL;
}
