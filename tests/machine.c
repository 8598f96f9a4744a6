// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/registry.h"
#include "tests/test.h"

static int length_of_id(void *arg, uint32_t id)
{
	return (int)id;
}

static void remember(void *arg, const struct zswap_page_event *event)
{
	struct machine *m = arg;

	m->last = *event;
	memset(&m->last_cost, 0, sizeof(m->last_cost));
	if (event->cost)
		m->last_cost = *event->cost;
}

struct machine *machine_create(const struct machine_config *config)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct zswap_config zswap = {
		.compressor = config->compressor ? config->compressor : "zstd",
		.max_pool_percent = config->max_pool_percent ? config->max_pool_percent : 20,
		.accept_threshold_percent =
			config->accept_threshold_percent ? config->accept_threshold_percent : 90,
		.disabled = config->disabled,
		.shrinker_enabled = config->shrinker_enabled,
		.length = length_of_id,
		.observer = remember,
		.observer_arg = m,
	};
	struct kernel_config kernel = {
		.nr_cpus = config->nr_cpus,
		.nr_nodes = config->nr_nodes,
		.totalram_pages = config->totalram_pages,
		.no_contents = config->lengths,
	};
	struct profile profile;
	char err[1024];

	assert_int_equal(profile_init(&profile, config->kernel ? config->kernel : PROFILE_DEFAULT,
				      err, sizeof(err)),
			 0);
	for (unsigned i = 0; i < 8 && config->set[i]; i++)
		assert_int_equal(profile_set(&profile, config->set[i], err, sizeof(err)), 0);
	kernel.profile = &profile;
	m->lengths = config->lengths;
	assert_int_equal(kernel_create(&kernel, &m->k), 0);
	crypto_init(m->k, config->registry ? config->registry : backends_registry());
	assert_int_equal(memcgs_init(&m->memcgs, m->k->nr_nodes), 0);
	m->memcg = root_mem_cgroup(&m->memcgs);
	if (!config->root_only)
		m->memcg = mem_cgroup_create(&m->memcgs, m->memcg, "/t");
	assert_non_null(m->memcg);
	assert_int_equal(swapdev_create(!config->lengths, &m->dev), 0);
	assert_int_equal(zswap_create(m->k, &m->memcgs, m->dev, &zswap, &m->z), 0);
	assert_int_equal(swap_io_create(m->k, m->z, m->dev, &m->io), 0);
	return m;
}

void machine_destroy(struct machine *m)
{
	char err[256] = "";

	zswap_check(m->z, err, sizeof(err));
	assert_string_equal(err, "");
	for (unsigned order = 0; order < 10; order++) {
		if (m->out[order])
			free_pages(m->k->frames, m->out[order]);
		if (m->in[order])
			free_pages(m->k->frames, m->in[order]);
	}
	swap_io_destroy(m->io);
	zswap_destroy(m->z);
	swapdev_destroy(m->dev);
	memcgs_finish(&m->memcgs);
	crypto_exit(m->k);
	kernel_destroy(m->k);
	free(m);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

void content_fill(void *page, uint32_t id)
{
	unsigned char *bytes = page;
	uint64_t state = id;
	unsigned random_bytes;

	memset(page, 0, PAGE_SIZE);
	if (!id)
		return;
	if (id % 4 == 1) {
		for (unsigned at = 0; at + 24 < PAGE_SIZE;)
			at += sprintf((char *)bytes + at, "%x line %u of text; ",
				      (unsigned)(splitmix64(&state) & 0xffff), at);
		return;
	}
	/* Random bytes at the start: all of them, or some number. */
	random_bytes = id % 4 == 3 ? PAGE_SIZE : 8 + splitmix64(&state) % 3900;
	for (unsigned i = 0; i < random_bytes; i++)
		bytes[i] = splitmix64(&state);
	bytes[PAGE_SIZE - 1] |= 1;
}

struct folio machine_folio(struct machine *m, uint64_t slot, unsigned order, const uint32_t *ids)
{
	struct folio folio = {.order = order, .memcg = m->memcg, .swap = {0, slot}, .ids = ids};

	if (!m->out[order])
		m->out[order] = alloc_pages(m->k->frames, order, 0);
	folio.page = m->out[order];
	for (unsigned i = 0; ids && !m->lengths && i < 1u << order; i++)
		content_fill(page_address(folio.page + i), ids[i]);
	return folio;
}

enum swapout machine_store(struct machine *m, uint64_t slot, unsigned order, const uint32_t *ids)
{
	struct folio folio = machine_folio(m, slot, order, ids);
	enum swapout where = SWAPOUT_NR;

	assert_int_equal(swap_writeout(m->io, &folio, &where), 0);
	zswap_run_shrink_worker(m->z);
	return where;
}

enum swapout machine_store1(struct machine *m, uint64_t slot, uint32_t id)
{
	return machine_store(m, slot, 0, &id);
}

int machine_load(struct machine *m, uint64_t slot, uint32_t id, enum swapin *from)
{
	struct folio folio = {.memcg = m->memcg, .swap = {0, slot}};
	unsigned char expected[PAGE_SIZE];
	enum swapin where = SWAPIN_NR;
	int ret;

	if (!m->in[0])
		m->in[0] = alloc_pages(m->k->frames, 0, 0);
	folio.page = m->in[0];
	if (!m->lengths)
		memset(page_address(folio.page), 0xa5, PAGE_SIZE);
	ret = swap_read_folio(m->io, &folio, &where);
	if (from)
		*from = where;
	if (ret || m->lengths)
		return ret;
	content_fill(expected, id);
	assert_memory_equal(page_address(folio.page), expected, PAGE_SIZE);
	return 0;
}

uint64_t machine_live_pages(struct machine *m)
{
	struct page_frames_stats stats;

	assert_int_equal(page_frames_stats(m->k->frames, &stats), 0);
	return stats.live_pages;
}
