// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's program: runs one scenario in the kernel that was booted, and leaves in /out what the
 * kernel said after each operation.
 */
#include <stdio.h>
#include <string.h>

#include "guest.h"
#include "util.h"

struct scenario {
	const char *driver, *kind;
	void (*run)(struct guest *guest);
};

static const struct scenario scenarios[] = {
	{"zram", "perpage", zram_perpage},     {"zram", "random", zram_random},
	{"zram", "sweep", zram_sweep},	       {"zram", "fixed", zram_fixed},
	{"zswap", "perpage", zswap_perpage},   {"zswap", "paths", zswap_paths},
	{"zswap", "limit", zswap_limit},       {"zswap", "burst", zswap_burst},
	{"zswap", "memcgmax", zswap_memcgmax}, {"zswap", "nowb", zswap_nowb},
	{"zswap", "memmax", zswap_memmax},     {"zswap", "shrinker", zswap_shrinker},
	{"zswap", "folio64", zswap_folio64},   {"zswap", "hysteresis", zswap_hysteresis},
	{"zswap", "memcgs", zswap_memcgs},     {"zswap", "worker", zswap_worker},
	{"zswap", "pressure", zswap_pressure}, {"zswap", "nodes", zswap_nodes},
};

static const struct scenario *find(const char *driver, const char *kind)
{
	for (unsigned i = 0; i < ARRAY_LEN(scenarios); i++) {
		if (!strcmp(scenarios[i].driver, driver) && !strcmp(scenarios[i].kind, kind))
			return &scenarios[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct scenario *scenario = argc == 4 ? find(argv[1], argv[2]) : NULL;
	static struct guest guest;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!scenario)
		die("no such scenario");
	guest.algorithm = argv[3];
	output_open(&guest.out, argv[1], argv[2], argv[3]);
	pages_load(&guest.pages);
	scenario->run(&guest);
	output_done(&guest.out);
	output_close(&guest.out);
	printf("GUEST-OK %s\n", guest.out.scenario);
	return 0;
}
