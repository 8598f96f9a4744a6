// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "util.h"
#include "zswap.h"

#define OFFLINE_WAIT_US	  2000
#define OFFLINE_MAX_WAITS 5000
/* After the last thing that is probed, what is left is the end of the same work item. */
#define OFFLINE_REST_US 20000

#define STATISTICS_WAIT_S 5

static void output_change(struct zswap *zswap, const struct zswap_row *change)
{
	struct zswap_row row = *change;

	row.page = row.src = -1;
	zswap_read_counters(zswap);
	zswap_output_row(zswap, &row);
}

void zswap_make_memcg(struct zswap *zswap, int memcg)
{
	memcgs_make(&zswap->memcgs, memcg);
	output_change(zswap, &(struct zswap_row){.op = "mkdir", .memcg = memcg});
}

/* A memcg goes offline some time after its directory is gone. */
void zswap_remove_memcg(struct zswap *zswap, int memcg)
{
	uint64_t offlined = probes_offlined(zswap->probes);
	unsigned waits = 0;

	memcgs_remove(&zswap->memcgs, memcg);
	while (probes_offlined(zswap->probes) == offlined) {
		if (waits++ == OFFLINE_MAX_WAITS)
			die("%s does not go offline", memcgs_path(&zswap->memcgs, memcg));
		usleep(OFFLINE_WAIT_US);
		probes_drain(zswap->probes);
	}
	usleep(OFFLINE_REST_US);
	output_change(zswap, &(struct zswap_row){.op = "rmdir", .memcg = memcg});
}

void zswap_set_memcg(struct zswap *zswap, int memcg, const char *file, int64_t value)
{
	memcgs_set(&zswap->memcgs, memcg, file, value);
	output_change(zswap, &(struct zswap_row){
				     .op = "set", .memcg = memcg, .key = file, .value = value});
}

void zswap_set_parameter(struct zswap *zswap, const char *parameter, int64_t value)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/module/zswap/parameters/%s", parameter);
	must_write(path, "%ld", value);
	output_change(zswap,
		      &(struct zswap_row){
			      .op = "set", .memcg = NO_MEMCG, .key = parameter, .value = value});
}

static void output_calls(struct zswap *zswap)
{
	unsigned nr;
	const struct pressure *calls = probes_pressure(zswap->probes, &nr);

	for (unsigned i = 0; i < nr; i++) {
		const struct zswap_row row = {.op = calls[i].is_scan ? "scan" : "count",
					      .page = -1,
					      .src = -1,
					      .memcg = memcgs_find(&zswap->memcgs, calls[i].memcg),
					      .node = calls[i].node,
					      .key = calls[i].is_scan ? "nr_to_scan" : NULL,
					      .value = calls[i].nr_to_scan,
					      .result = calls[i].result};

		zswap_output_row(zswap, &row);
	}
}

void zswap_reclaim(struct zswap *zswap, int memcg, int64_t bytes)
{
	struct zswap_row row = {.op = "reclaim",
				.page = -1,
				.src = -1,
				.memcg = memcg,
				.key = "bytes",
				.value = bytes};

	/* Statistics of memcgs are flushed now and then; from 7.3 the shrinker does not wait for
	 * it. */
	sleep(STATISTICS_WAIT_S);
	probes_drain(zswap->probes);
	probes_forget_pressure(zswap->probes);
	memcgs_reclaim(&zswap->memcgs, memcg, bytes);
	zswap_settle(zswap);
	output_calls(zswap);
	zswap_output_row(zswap, &row);
}
