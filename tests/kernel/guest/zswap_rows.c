// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "util.h"
#include "zswap.h"

static const char *const names[NR_COUNTERS] = {
	[STORED_PAGES] = "stored_pages",
	[POOL_TOTAL_SIZE] = "pool_total_size",
	[MEMCG_ZSWAP_BYTES] = "memcg_zswap_bytes",
	[REJECT_COMPRESS_POOR] = "reject_compress_poor",
	[REJECT_COMPRESS_FAIL] = "reject_compress_fail",
	[REJECT_ALLOC_FAIL] = "reject_alloc_fail",
	[REJECT_KMEMCACHE_FAIL] = "reject_kmemcache_fail",
	[WRITTEN_BACK_PAGES] = "written_back_pages",
	[POOL_LIMIT_HIT] = "pool_limit_hit",
	[REJECT_RECLAIM_FAIL] = "reject_reclaim_fail",
	[ZSWPIN] = "zswpin",
	[ZSWPOUT] = "zswpout",
	[ZSWPWB] = "zswpwb",
	[PSWPIN] = "pswpin",
	[PSWPOUT] = "pswpout",
	[SWPIN_ZERO] = "swpin_zero",
	[SWPOUT_ZERO] = "swpout_zero",
	[ZSPAGES] = "zspages",
	[HANDLES] = "handles",
	[STORED_INCOMPRESSIBLE_PAGES] = "stored_incompressible_pages",
	[DECOMPRESS_FAIL] = "decompress_fail",
	[MEMCG_ZSWAP_CURRENT] = "memcg_zswap_current",
};

static bool is_in_debugfs(unsigned counter)
{
	if (counter == STORED_INCOMPRESSIBLE_PAGES || counter == DECOMPRESS_FAIL)
		return true;
	return counter <= REJECT_RECLAIM_FAIL && counter != MEMCG_ZSWAP_BYTES;
}

/* Such a file cannot be read a second time through one descriptor. */
int64_t zswap_read_counter(enum zswap_counter counter)
{
	char path[96], text[64];

	snprintf(path, sizeof(path), "/sys/kernel/debug/zswap/%s", names[counter]);
	read_file(path, text, sizeof(text));
	return *text ? strtoll(text, NULL, 10) : -1;
}

static void read_vmstat(struct zswap *zswap)
{
	char text[32768];

	reread(zswap->vmstat, text, sizeof(text));
	for (unsigned i = ZSWPIN; i <= SWPOUT_ZERO; i++)
		zswap->counter[i] = number_of_key(text, names[i]);
}

static int64_t read_zswap_current(struct zswap *zswap)
{
	char text[4096];

	/* Until 6.15 this flushes the statistics, so that the next number is exact. */
	if (zswap->cpu_stat >= 0)
		reread(zswap->cpu_stat, text, sizeof(text));
	return reread_number(zswap->zswap_current);
}

void zswap_read_counters(struct zswap *zswap)
{
	int64_t *counter = zswap->counter;

	for (unsigned i = 0; i < NR_COUNTERS; i++) {
		if (is_in_debugfs(i))
			counter[i] = zswap_read_counter(i);
	}
	read_vmstat(zswap);
	counter[MEMCG_ZSWAP_CURRENT] = read_zswap_current(zswap);
	counter[ZSPAGES] = reread_number(zswap->zspages);
	counter[HANDLES] = reread_number(zswap->handles);
	probes_drain(zswap->probes);
	counter[MEMCG_ZSWAP_BYTES] = zswap->memcgs.bytes;
}

void zswap_output_header(struct zswap *zswap)
{
	static const char *const front[] = {"seq", "op", "page", "src"};
	static const char *const back[] = {"memcg", "node", "key", "value", "result"};
	struct output *out = zswap->out;

	output_names(out, front, ARRAY_LEN(front));
	output_names(out, names, NR_COUNTERS);
	probes_output_names(zswap->probes, out);
	if (zswap->has_memcg_columns)
		output_names(out, back, ARRAY_LEN(back));
	for (unsigned i = 0; zswap->has_memcg_columns && i < zswap->memcgs.nr; i++) {
		char name[64];

		snprintf(name, sizeof(name), "bytes:%s", zswap->memcgs.memcg[i].path);
		output_text(out, name);
	}
	output_end_names(out);
}

/* Of the shrinker, within an operation: what the counters were then is not known. */
static bool is_call(const struct zswap_row *row)
{
	return !strcmp(row->op, "count") || !strcmp(row->op, "scan");
}

static void output_memcg_columns(struct zswap *zswap, const struct zswap_row *row)
{
	struct output *out = zswap->out;

	output_text(out, memcgs_path(&zswap->memcgs, row->memcg));
	output_number(out, row->node);
	output_text(out, row->key ? row->key : "");
	if (row->key)
		output_number(out, row->value);
	else
		output_text(out, "");
	output_number(out, row->result);
	for (unsigned i = 0; i < zswap->memcgs.nr; i++) {
		const struct memcg *memcg = &zswap->memcgs.memcg[i];
		bool is_known = memcg->exists && !is_call(row);

		output_number(out, is_known ? memcg->bytes : -1);
	}
}

void zswap_output_row(struct zswap *zswap, const struct zswap_row *row)
{
	struct output *out = zswap->out;

	output_number(out, out->rows);
	output_text(out, row->op);
	output_number(out, row->page);
	output_number(out, row->src);
	for (unsigned i = 0; i < NR_COUNTERS; i++)
		output_number(out, is_call(row) ? -1 : zswap->counter[i]);
	if (is_call(row))
		probes_output_nothing(zswap->probes, out);
	else
		probes_output(zswap->probes, out);
	if (zswap->has_memcg_columns)
		output_memcg_columns(zswap, row);
	output_end_row(out);
}

static void add_memory_stat(const struct zswap *zswap, json_t *facts)
{
	static const char *const keys[] = {"zswap",  "zswapped", "zswap_incomp", "anon",
					   "zswpin", "zswpout",	 "zswpwb"};
	char text[16384], name[64];

	reread(zswap->memory_stat, text, sizeof(text));
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
		snprintf(name, sizeof(name), "memstat_%s", keys[i]);
		json_object_set_new(facts, name, json_integer(number_of_key(text, keys[i])));
	}
}

void zswap_step(struct zswap *zswap, const char *step)
{
	json_t *facts = json_pack("{s:I}", "seq", (json_int_t)zswap->out->rows);

	zswap_read_counters(zswap);
	for (unsigned i = 0; i < NR_COUNTERS; i++) {
		if (i != MEMCG_ZSWAP_CURRENT)
			json_object_set_new(facts, names[i], json_integer(zswap->counter[i]));
	}
	if (zswap->memory_stat >= 0)
		add_memory_stat(zswap, facts);
	if (zswap->memory_current >= 0)
		json_object_set_new(facts, "memory_current",
				    json_integer(reread_number(zswap->memory_current)));
	output_step(zswap->out, step, facts);
}

void zswap_numbered_step(struct zswap *zswap, const char *what, uint64_t number)
{
	char step[64];

	snprintf(step, sizeof(step), "%s_%lu", what, number);
	zswap_step(zswap, step);
}
