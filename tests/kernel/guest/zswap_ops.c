// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "util.h"
#include "zswap.h"

static void begin(struct zswap *zswap, struct guest *guest)
{
	const struct zswap_settings settings = {.nr_pages = guest->pages.nr,
						.max_pool_percent = 90};

	zswap_setup(zswap, guest, &settings);
	zswap_fill(zswap, 0, zswap->nr_pages);
	zswap_output_header(zswap);
	zswap_step(zswap, "filled");
}

void zswap_perpage(struct guest *guest)
{
	uint32_t nr = guest->pages.nr;
	struct zswap zswap;

	begin(&zswap, guest);
	for (uint32_t i = 0; i < nr; i++) {
		zswap_store(&zswap, i);
		if ((i + 1) % 1024 == 0)
			zswap_numbered_step(&zswap, "store", i + 1);
	}
	for (uint32_t i = 0; i < nr; i += 3)
		zswap_load(&zswap, i);
	zswap_step(&zswap, "load_every_3rd");
	for (uint32_t i = 0; i < nr; i += 6)
		zswap_store(&zswap, i);
	zswap_step(&zswap, "restore_every_6th");
	for (uint32_t i = 1; i < nr; i += 5) {
		zswap_dirty(&zswap, i, (i * 7 + 3) % nr);
		zswap_store(&zswap, i);
	}
	zswap_step(&zswap, "rewrite_every_5th");
	for (uint32_t i = 0; i < nr; i += 2)
		zswap_free(&zswap, i);
	zswap_step(&zswap, "free_every_2nd");
	zswap_unmap_all(&zswap);
	zswap_step(&zswap, "munmap");
	zswap_finish(&zswap);
}

/* @nr random operations: what is out is loaded, what is in is stored. */
static void churn(struct zswap *zswap, struct random *random, uint32_t nr)
{
	bool *is_out = calloc(zswap->nr_pages, sizeof(*is_out));

	if (!is_out)
		die("out of memory");
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t page = random_next(random) % zswap->nr_pages;

		if (is_out[page])
			zswap_load(zswap, page);
		else
			zswap_store(zswap, page);
		is_out[page] = !is_out[page];
	}
	free(is_out);
}

/* Which calls each store and load makes: in order, shuffled, then at random. */
void zswap_paths(struct guest *guest)
{
	uint32_t nr = guest->pages.nr, *order = calloc(nr, sizeof(*order));
	struct random random = {31};
	struct zswap zswap;

	if (!order)
		die("out of memory");
	begin(&zswap, guest);
	for (uint32_t i = 0; i < nr; i++)
		zswap_store(&zswap, i);
	zswap_step(&zswap, "round1_stored");
	for (uint32_t i = 0; i < nr; i++)
		zswap_load(&zswap, i);
	zswap_step(&zswap, "round1_loaded");
	random_permutation(&random, order, nr);
	for (uint32_t i = 0; i < nr; i++)
		zswap_store(&zswap, order[i]);
	zswap_step(&zswap, "round2_stored");
	random_permutation(&random, order, nr);
	for (uint32_t i = 0; i < nr; i++)
		zswap_load(&zswap, order[i]);
	zswap_step(&zswap, "round2_loaded");
	churn(&zswap, &random, 3 * nr);
	zswap_step(&zswap, "churn");
	for (uint32_t i = 0; i < nr; i++)
		zswap_verify_page(&zswap, i);
	zswap_finish(&zswap);
	free(order);
}
