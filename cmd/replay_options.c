// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/replay_options.h"

#include "cmd/codec.h"
#include "cmd/options.h"
#include "sim/settings.h"

/* Above those of the commands themselves. */
enum {
	OPT_TOTALRAM = 512,
	OPT_MAX_POOL,
	OPT_ACCEPT,
	OPT_NODES,
	OPT_SHRINKER,
	OPT_SCENARIO,
	OPT_COMPACT,
	OPT_SWAP,
	OPT_COMPRESSOR
};

static const struct argp_option options[] = {
	{"compressor", OPT_COMPRESSOR, "NAME[:LEVEL]", 0, "zswap.compressor: " CODEC_NAMES_HELP, 0},
	{"totalram", OPT_TOTALRAM, "SIZE", 0,
	 "RAM of the simulated machine, of which the pool's limit is a part; default 1G", 0},
	{"max-pool-percent", OPT_MAX_POOL, "N", 0, "zswap.max_pool_percent, 0 to 100; default 20",
	 0},
	{"accept-threshold-percent", OPT_ACCEPT, "N", 0,
	 "zswap.accept_threshold_percent, 0 to 100; default 90", 0},
	{"nodes", OPT_NODES, "N", 0, "Memory nodes, 1 to 64; default 1", 0},
	{"shrinker", OPT_SHRINKER, 0, 0, "zswap.shrinker_enabled: PRESSURE events reach it", 0},
	{"scenario", OPT_SCENARIO, "FILE", 0,
	 "Memcgs, limits and their changes in mid-run (docs/scenario.md); what is given by options "
	 "wins over it",
	 0},
	{"compact", OPT_COMPACT, "WHEN", 0,
	 "Compact zsmalloc: never (the default), every:EVENTS, or fragmentation:PERCENT of the "
	 "pool's bytes unused (docs/allocators.md)",
	 0},
	{"swap", OPT_SWAP, "DEVICE", 0,
	 "The swap device to model: none (the default), hdd, ssd, nvme, or LATENCY_US[/MBPS]", 0},
	{0},
};

static void set(const struct argp_state *state, const char *option, const char *key,
		const char *value)
{
	struct replay_config *config = state->input;
	struct settings s;
	char err[512];

	settings_init(&s);
	s.replay = *config;
	if (settings_set(&s, key, value, err, sizeof(err)))
		options_error(state, "%s: %s", option, err);
	*config = s.replay;
}

static void compact(const struct argp_state *state, const char *arg)
{
	struct replay_config *config = state->input;
	char err[256];

	if (compact_when_parse(arg, &config->compact, err, sizeof(err)))
		options_error(state, "--compact %s", err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_COMPRESSOR:
		set(state, "--compressor", "zswap.compressor",
		    codec_option_known(state, "--compressor", arg));
		return 0;
	case OPT_TOTALRAM:
		set(state, "--totalram", "totalram", arg);
		return 0;
	case OPT_MAX_POOL:
		set(state, "--max-pool-percent", "zswap.max_pool_percent", arg);
		return 0;
	case OPT_ACCEPT:
		set(state, "--accept-threshold-percent", "zswap.accept_threshold_percent", arg);
		return 0;
	case OPT_NODES:
		set(state, "--nodes", "nodes", arg);
		return 0;
	case OPT_SHRINKER:
		set(state, "--shrinker", "zswap.shrinker_enabled", "1");
		return 0;
	case OPT_SCENARIO:
		set(state, "--scenario", "scenario", arg);
		return 0;
	case OPT_COMPACT:
		compact(state, arg);
		return 0;
	case OPT_SWAP:
		set(state, "--swap", "swap.device", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp replay_options_argp = {.options = options, .parser = parse};
