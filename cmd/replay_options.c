// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/replay_options.h"

#include "cmd/codec.h"
#include "cmd/options.h"
#include "sim/replay.h"

/* Above those of the commands themselves. */
enum {
	OPT_TOTALRAM = 512,
	OPT_MAX_POOL,
	OPT_ACCEPT,
	OPT_NODES,
	OPT_SHRINKER,
	OPT_SCENARIO,
	OPT_SWAP,
	OPT_COMPRESSOR
};

static const struct argp_option options[] = {
	{"compressor", OPT_COMPRESSOR, "NAME[:LEVEL]", 0, CODEC_OPTION_HELP, 0},
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
	{"swap", OPT_SWAP, "DEVICE", 0,
	 "The swap device to model: none (the default), hdd, ssd, nvme, or LATENCY_US[/MBPS]", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replay_config *config = state->input;
	char err[256];

	switch (key) {
	case OPT_COMPRESSOR:
		config->compressor = codec_option(state, "--compressor", arg);
		return 0;
	case OPT_TOTALRAM:
		config->totalram_pages =
			options_size(state, "--totalram", arg, PAGE_SIZE, 1ull << 50) / PAGE_SIZE;
		config->given |= REPLAY_GIVEN_TOTALRAM;
		return 0;
	case OPT_MAX_POOL:
		config->max_pool_percent = options_u64(state, "--max-pool-percent", arg, 0, 100);
		config->given |= REPLAY_GIVEN_MAX_POOL_PERCENT;
		return 0;
	case OPT_ACCEPT:
		config->accept_threshold_percent =
			options_u64(state, "--accept-threshold-percent", arg, 0, 100);
		config->given |= REPLAY_GIVEN_ACCEPT_THRESHOLD;
		return 0;
	case OPT_NODES:
		config->nr_nodes = options_u64(state, "--nodes", arg, 1, KERNEL_MAX_NODES);
		config->given |= REPLAY_GIVEN_NODES;
		return 0;
	case OPT_SHRINKER:
		config->shrinker_enabled = true;
		config->given |= REPLAY_GIVEN_SHRINKER;
		return 0;
	case OPT_SCENARIO:
		config->scenario = arg;
		return 0;
	case OPT_SWAP:
		if (swap_model_parse(arg, &config->swap_model, err, sizeof(err)))
			options_error(state, "--swap %s", err);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp replay_options_argp = {.options = options, .parser = parse};
