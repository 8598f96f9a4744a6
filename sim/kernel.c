// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/kernel.h"

#include <errno.h>
#include <stdlib.h>

int kernel_create(const struct kernel_config *config, struct kernel **out)
{
	struct page_frames_config frames = {.contents = !config->no_contents};
	struct kernel *k;
	int ret;

	if (config->nr_cpus > KERNEL_MAX_CPUS || config->nr_nodes > KERNEL_MAX_NODES)
		return -EINVAL;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->profile = *config->profile;
	k->nr_cpus = config->nr_cpus ? config->nr_cpus : 1;
	k->nr_nodes = config->nr_nodes ? config->nr_nodes : 1;
	k->totalram_pages =
		config->totalram_pages ? config->totalram_pages : KERNEL_DEFAULT_TOTALRAM;
	k->contents = !config->no_contents;
	k->clock = config->clock;
	k->clock_arg = config->clock_arg;
	ret = page_frames_create(&frames, &k->frames);
	if (ret) {
		free(k);
		return ret;
	}
	*out = k;
	return 0;
}

void kernel_destroy(struct kernel *k)
{
	if (!k)
		return;
	page_frames_destroy(k->frames);
	free(k);
}
