// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_memcgs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/zswap.h"
#include "traces/error.h"

#define BYTES "bytes:"

static const struct {
	const char *key;
	bool of_memcg;
	int64_t min, max;
} settings[VERIFY_NR_SETTINGS] = {
	[VERIFY_ZSWAP_MAX] = {"memory.zswap.max", true, -1, INT64_MAX},
	[VERIFY_ZSWAP_WRITEBACK] = {"memory.zswap.writeback", true, 0, 1},
	[VERIFY_MAX_POOL_PERCENT] = {"max_pool_percent", false, 0, 100},
	[VERIFY_ACCEPT_THRESHOLD_PERCENT] = {"accept_threshold_percent", false, 0, 100},
	[VERIFY_SHRINKER_ENABLED] = {"shrinker_enabled", false, 0, 1},
};

/* ---- reading ---- */

/* VERIFY_ROOT for "/"; @nr of the memcgs if there is no such path. */
static int find_path(const struct verify_memcgs *memcgs, const char *path, size_t len)
{
	unsigned i;

	if (!len || (len == 1 && *path == '/'))
		return VERIFY_ROOT;
	for (i = 0; i < memcgs->nr; i++) {
		if (strlen(memcgs->paths[i]) == len && !memcmp(memcgs->paths[i], path, len))
			break;
	}
	return i;
}

static int add_path(struct csv *csv, struct verify_memcgs *memcgs, int column,
		    struct trace_error *err)
{
	const char *name = csv_name(csv, column), *path = name + strlen(BYTES);
	const char *slash = strrchr(path, '/');
	int parent;

	if (memcgs->nr == VERIFY_MAX_MEMCGS)
		return csv_fail(csv, column, err, "too many memcgs");
	if (*path != '/' || !slash[1])
		return csv_fail(csv, column, err, "is not the path of a memcg");
	parent = find_path(memcgs, path, slash - path);
	if (parent == (int)memcgs->nr)
		return csv_fail(csv, column, err, "its parent has no column before it");
	memcgs->paths[memcgs->nr] = strdup(path);
	memcgs->columns[memcgs->nr] = strdup(name);
	memcgs->parents[memcgs->nr] = parent;
	memcgs->nr++;
	if (!memcgs->paths[memcgs->nr - 1] || !memcgs->columns[memcgs->nr - 1])
		return trace_fail(err, csv_path(csv), TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	return 0;
}

int verify_memcgs_read_names(struct csv *csv, struct verify_memcgs *memcgs,
			     struct verify_memcg_columns *columns, struct trace_error *err)
{
	static const char *const required[] = {"memcg", "key", "value"};
	int found[3] = {-1, -1, -1}, ret;

	memset(memcgs, 0, sizeof(*memcgs));
	if (csv_column(csv, "memcg") >= 0) {
		ret = csv_require(csv, required, 3, found, err);
		if (ret)
			return ret;
	}
	columns->memcg = found[0];
	columns->key = found[1];
	columns->value = found[2];
	columns->result = csv_column(csv, "result");
	columns->node = csv_column(csv, "node");
	for (unsigned i = 0; columns->memcg >= 0 && i < csv_nr_columns(csv); i++) {
		if (strncmp(csv_name(csv, i), BYTES, strlen(BYTES)))
			continue;
		ret = add_path(csv, memcgs, i, err);
		if (ret)
			return ret;
		columns->bytes[memcgs->nr - 1] = i;
	}
	if (columns->memcg >= 0 && !memcgs->nr)
		return csv_fail(csv, columns->memcg, err, "no column 'bytes:PATH' names a memcg");
	return 0;
}

static int parse_setting(struct csv *csv, const struct verify_memcg_columns *columns,
			 struct verify_row *row, struct trace_error *err)
{
	const char *key = csv_text(csv, columns->key);
	unsigned i = 0;

	while (i < VERIFY_NR_SETTINGS && strcmp(key, settings[i].key))
		i++;
	if (i == VERIFY_NR_SETTINGS)
		return csv_fail(csv, columns->key, err, "unknown setting");
	if (settings[i].of_memcg != (row->memcg != VERIFY_ROOT))
		return csv_fail(csv, columns->memcg, err,
				settings[i].of_memcg ? "the setting is one of a memcg"
						     : "the setting is not one of a memcg");
	row->setting = i;
	return csv_int_within(csv, columns->value, settings[i].min, settings[i].max, &row->value,
			      err);
}

static int parse_node(struct csv *csv, const struct verify_memcg_columns *columns,
		      struct verify_row *row, struct trace_error *err)
{
	int64_t node = 0;
	int ret = 0;

	if (columns->node >= 0)
		ret = csv_int_within(csv, columns->node, 0, KERNEL_MAX_NODES - 1, &node, err);
	row->node = node;
	return ret;
}

static int parse_call(struct csv *csv, const struct verify_memcg_columns *columns,
		      struct verify_row *row, struct trace_error *err)
{
	int ret;

	if (columns->result < 0)
		return csv_fail(csv, -1, err, "a call of the shrinker, without a column 'result'");
	ret = csv_int(csv, columns->result, &row->result, err);
	if (!ret && row->op == VERIFY_SCAN)
		ret = csv_int_within(csv, columns->value, 0, INT64_MAX, &row->value, err);
	return ret;
}

int verify_memcgs_parse(struct csv *csv, const struct verify_memcgs *memcgs,
			const struct verify_memcg_columns *columns, struct verify_row *row,
			struct trace_error *err)
{
	bool changes = row->op == VERIFY_MKDIR || row->op == VERIFY_RMDIR;
	const char *path = csv_text(csv, columns->memcg);
	int ret = 0, memcg;

	if (!memcgs->nr && (changes || row->op == VERIFY_SET || verify_row_is_call(row)))
		return csv_fail(csv, -1, err, "an operation on a memcg, without a column for it");
	if (!memcgs->nr)
		return 0;
	memcg = find_path(memcgs, path, strlen(path));
	if (!*path || memcg == (int)memcgs->nr || (changes && memcg == VERIFY_ROOT))
		return csv_fail(csv, columns->memcg, err, "no such memcg");
	row->memcg = memcg;
	ret = parse_node(csv, columns, row, err);
	if (ret)
		return ret;
	if (row->op == VERIFY_SET)
		ret = parse_setting(csv, columns, row, err);
	else if (verify_row_is_call(row))
		ret = parse_call(csv, columns, row, err);
	for (unsigned i = 0; !ret && i < memcgs->nr; i++)
		ret = csv_int(csv, columns->bytes[i], &row->bytes[i], err);
	return ret;
}

void verify_memcgs_finish(struct verify_memcgs *memcgs)
{
	for (unsigned i = 0; i < memcgs->nr; i++) {
		free(memcgs->paths[i]);
		free(memcgs->columns[i]);
	}
	memset(memcgs, 0, sizeof(*memcgs));
}

/* ---- replaying ---- */

static struct mem_cgroup *get(const struct verify_memcg_tree *tree, int memcg)
{
	return memcg == VERIFY_ROOT ? root_mem_cgroup(tree->memcgs) : tree->made[memcg];
}

struct mem_cgroup *verify_memcg_of(const struct verify_memcg_tree *tree,
				   const struct verify_row *row)
{
	return get(tree, row->memcg);
}

static int make(struct verify_memcg_tree *tree, int memcg)
{
	struct mem_cgroup *parent = get(tree, tree->names->parents[memcg]);
	struct mem_cgroup *was = tree->made[memcg];

	if (was && was->online)
		return -EEXIST;
	if (!parent || !parent->online)
		return -ENOENT;
	tree->made[memcg] = mem_cgroup_create(tree->memcgs, parent, tree->names->paths[memcg]);
	return tree->made[memcg] ? 0 : -ENOMEM;
}

static int set(struct verify_memcg_tree *tree, struct zswap *z, const struct verify_row *row)
{
	struct mem_cgroup *memcg = get(tree, row->memcg);

	if (!memcg || !memcg->online)
		return -ENOENT;
	switch ((enum verify_setting)row->setting) {
	case VERIFY_ZSWAP_MAX:
		memcg->zswap_max = row->value < 0 ? MEMCG_MAX : (uint64_t)row->value;
		return 0;
	case VERIFY_ZSWAP_WRITEBACK:
		memcg->zswap_writeback = row->value;
		return 0;
	case VERIFY_MAX_POOL_PERCENT:
		return zswap_set_max_pool_percent(z, row->value);
	case VERIFY_ACCEPT_THRESHOLD_PERCENT:
		return zswap_set_accept_threshold_percent(z, row->value);
	case VERIFY_SHRINKER_ENABLED:
		zswap_set_shrinker_enabled(z, row->value);
		return 0;
	case VERIFY_NR_SETTINGS:
		break;
	}
	return -EINVAL;
}

int verify_memcgs_change(struct verify_memcg_tree *tree, struct zswap *z,
			 const struct verify_row *row)
{
	struct mem_cgroup *memcg = get(tree, row->memcg);

	switch (row->op) {
	case VERIFY_MKDIR:
		return make(tree, row->memcg);
	case VERIFY_RMDIR:
		return memcg && memcg->online ? zswap_memcg_offline(z, memcg) : -ENOENT;
	default:
		return set(tree, z, row);
	}
}

int verify_memcgs_call(const struct verify_memcg_tree *tree, struct zswap *z,
		       const struct verify_row *row, int64_t *result)
{
	struct mem_cgroup *memcg = get(tree, row->memcg);
	uint64_t ret;

	if (!memcg)
		return -EINVAL;
	if (row->op == VERIFY_COUNT)
		ret = zswap_shrinker_count(z, memcg, row->node);
	else
		ret = zswap_shrinker_scan(z, memcg, row->node, row->value);
	*result = ret == SHRINK_STOP ? -1 : (int64_t)ret;
	return 0;
}

void verify_memcgs_compare(const struct verify_memcg_tree *tree, const struct verify_row *row,
			   struct verify_report *report)
{
	for (unsigned i = 0; i < tree->names->nr && !verify_row_is_call(row); i++) {
		const struct mem_cgroup *memcg = tree->made[i];
		bool is_there = memcg && memcg->online;

		verify_compare(report, row->line, tree->names->columns[i], row->bytes[i],
			       is_there ? (int64_t)memcg->zswap_bytes : -1);
	}
}
