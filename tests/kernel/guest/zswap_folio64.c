// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"
#include "zswap.h"

#define HUGEPAGES "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/"

#define FOLIO_PAGES	  16u
#define FOLIO_SIZE	  (FOLIO_PAGES * PAGE_SIZE)
#define MAX_FOLIOS	  400u
#define REPETITIONS	  12u
#define LIMIT_FOLIOS	  40u
#define LIMIT_BYTES	  262144
#define MAX_BAD		  256u
#define MIN_GOOD	  FOLIO_PAGES
#define PAGEMAP_SWAPPED	  (1ull << 62)
#define NR_FOLIO_COUNTERS 6u

enum folio_type { PLAIN, INCOMP_FIRST, INCOMP_MID, INCOMP_LAST, ZERO_INSIDE, ALL_ZERO, LIMIT };

static const char *const type_names[] = {"plain",	"incomp_first", "incomp_mid", "incomp_last",
					 "zero_inside", "all_zero",	"limit"};
static const char *const counter_names[NR_FOLIO_COUNTERS] = {
	"anon_fault_alloc", "swpout", "swpout_fallback", "zswpout", "swpin", "split"};

/* Input pages by what zswap makes of them. */
struct kinds {
	uint32_t *good, nr_good, next_good;
	uint32_t bad[MAX_BAD], nr_bad, next_bad;
	bool has_zero;
	uint32_t zero;
};

struct folio_run {
	struct zswap zswap;
	struct kinds kinds;
	uint32_t block; /* the folio at hand */
	enum folio_type type;
};

/* Stores every page on its own and looks at what becomes of it. */
static void sort_pages(struct zswap *zswap, struct kinds *kinds)
{
	kinds->good = calloc(zswap->nr_pages, sizeof(*kinds->good));
	if (!kinds->good)
		die("out of memory");
	zswap_read_counters(zswap);
	for (uint32_t i = 0; i < zswap->nr_pages; i++) {
		int64_t stored = zswap->counter[STORED_PAGES];
		int64_t zeros = zswap->counter[SWPOUT_ZERO];

		probes_reset(zswap->probes);
		zswap_pageout(zswap, i, 1);
		zswap_read_counters(zswap);
		if (zswap->counter[SWPOUT_ZERO] != zeros) {
			kinds->has_zero = true;
			kinds->zero = i;
		} else if (zswap->counter[STORED_PAGES] == stored ||
			   probes_alloc_len(zswap->probes) >= (int64_t)PAGE_SIZE) {
			if (kinds->nr_bad < MAX_BAD)
				kinds->bad[kinds->nr_bad++] = i;
		} else {
			kinds->good[kinds->nr_good++] = i;
		}
	}
	if (!kinds->nr_bad || kinds->nr_good < MIN_GOOD)
		die("too few pages of each kind (%u incompressible, %u compressible)",
		    kinds->nr_bad, kinds->nr_good);
}

static void map_folios(struct zswap *zswap)
{
	unsigned char *at = mmap(NULL, (MAX_FOLIOS + 1) * FOLIO_SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("out of memory");
	zswap->region = (unsigned char *)(((uintptr_t)at + FOLIO_SIZE - 1) & ~(FOLIO_SIZE - 1));
	zswap->nr_pages = MAX_FOLIOS * FOLIO_PAGES;
	zswap->src = realloc(zswap->src, zswap->nr_pages * sizeof(*zswap->src));
	if (!zswap->src)
		die("out of memory");
}

static void output_header(struct folio_run *run)
{
	static const char *const front[] = {"block", "type", "swapped_ptes"};
	struct output *out = run->zswap.out;

	output_names(out, front, ARRAY_LEN(front));
	for (unsigned i = 0; i < NR_FOLIO_COUNTERS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "thp64_%s", counter_names[i]);
		output_text(out, name);
	}
	zswap_output_header(&run->zswap);
}

static unsigned count_swapped(const struct zswap *zswap, uint32_t page, unsigned nr)
{
	uint64_t first = (uintptr_t)zswap->region / PAGE_SIZE + page, entries[FOLIO_PAGES];
	ssize_t size = nr * sizeof(*entries);
	unsigned swapped = 0;

	if (pread(zswap->pagemap, entries, size, first * sizeof(*entries)) != size)
		die("cannot read pagemap");
	for (unsigned i = 0; i < nr; i++)
		swapped += !!(entries[i] & PAGEMAP_SWAPPED);
	return swapped;
}

static int64_t folio_counter(const char *name)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), HUGEPAGES "stats/%s", name);
	read_file(path, text, sizeof(text));
	return *text ? atoll(text) : -1;
}

/* Of the @nr pages from @page on. */
static void output_row(struct folio_run *run, const char *op, uint32_t page, unsigned nr)
{
	struct zswap *zswap = &run->zswap;
	const struct zswap_row row = {.op = op, .page = page, .src = zswap->src[page]};

	output_number(zswap->out, run->block);
	output_text(zswap->out, type_names[run->type]);
	output_number(zswap->out, count_swapped(zswap, page, nr));
	for (unsigned i = 0; i < NR_FOLIO_COUNTERS; i++)
		output_number(zswap->out, folio_counter(counter_names[i]));
	zswap_read_counters(zswap);
	zswap_output_row(zswap, &row);
}

static uint32_t next_good(struct kinds *kinds)
{
	return kinds->good[kinds->next_good++ % kinds->nr_good];
}

static uint32_t next_bad(struct kinds *kinds)
{
	return kinds->bad[kinds->next_bad++ % kinds->nr_bad];
}

static void fill_folio(struct folio_run *run)
{
	struct kinds *kinds = &run->kinds;
	uint32_t src[FOLIO_PAGES];

	for (unsigned i = 0; i < FOLIO_PAGES; i++)
		src[i] = next_good(kinds);
	if (run->type == INCOMP_FIRST)
		src[0] = next_bad(kinds);
	else if (run->type == INCOMP_MID)
		src[7] = next_bad(kinds);
	else if (run->type == INCOMP_LAST)
		src[15] = next_bad(kinds);
	else if (run->type == ZERO_INSIDE)
		src[5] = kinds->zero;
	for (unsigned i = 0; i < FOLIO_PAGES; i++) {
		if (run->type == ALL_ZERO)
			src[i] = kinds->zero;
		zswap_fill_page(&run->zswap, run->block * FOLIO_PAGES + i, src[i]);
	}
}

static void store_folio(struct folio_run *run)
{
	zswap_pageout(&run->zswap, run->block * FOLIO_PAGES, FOLIO_PAGES);
	output_row(run, "store64", run->block * FOLIO_PAGES, FOLIO_PAGES);
}

static void load_folio(struct folio_run *run)
{
	uint32_t first = run->block * FOLIO_PAGES;

	for (unsigned i = 0; i < FOLIO_PAGES; i++) {
		zswap_touch(&run->zswap, first + i);
		output_row(run, "load", first + i, 1);
	}
	for (unsigned i = 0; i < FOLIO_PAGES; i++)
		zswap_verify_page(&run->zswap, first + i);
}

static void run_types(struct folio_run *run)
{
	for (run->type = PLAIN; run->type < LIMIT; run->type++) {
		if (run->type >= ZERO_INSIDE && !run->kinds.has_zero)
			continue;
		for (unsigned i = 0; i < REPETITIONS; i++) {
			fill_folio(run);
			output_row(run, "fill64", run->block * FOLIO_PAGES, FOLIO_PAGES);
			store_folio(run);
			load_folio(run);
			run->block++;
		}
	}
}

static void set_memcg(struct folio_run *run, const char *file, int64_t value)
{
	memcgs_set(&run->zswap.memcgs, 0, file, value);
}

static void run_limit(struct folio_run *run)
{
	run->type = LIMIT;
	for (unsigned i = 0; i < LIMIT_FOLIOS; i++) {
		fill_folio(run);
		store_folio(run);
		run->block++;
	}
}

/* Settings change with the steps of those names. */
static json_t *phases(void)
{
	static const char *const max = "memory.zswap.max", *const writeback =
								   "memory.zswap.writeback";

	return json_pack("{s:[{s:s, s:n, s:i}, {s:s, s:n, s:i}, {s:i, s:i}]}", "phases",
			 "until_step", "writeback_off", max, writeback, 1, "until_step",
			 "zswap_max_256k", max, writeback, 0, max, LIMIT_BYTES, writeback, 1);
}

void zswap_folio64(struct guest *guest)
{
	const struct zswap_settings settings = {
		.nr_pages = guest->pages.nr, .max_pool_percent = 90, .facts = phases()};
	static struct folio_run run;
	struct zswap *zswap = &run.zswap;

	zswap_setup(zswap, guest, &settings);
	zswap_fill(zswap, 0, zswap->nr_pages);
	sort_pages(zswap, &run.kinds);
	munmap(zswap->region, zswap->nr_pages * PAGE_SIZE);
	probes_drain(zswap->probes);
	probes_reset(zswap->probes);
	must_write(HUGEPAGES "enabled", "always");
	map_folios(zswap);
	output_header(&run);
	zswap_step(zswap, "filled");

	zswap_step(zswap, "writeback_on");
	run_types(&run);
	set_memcg(&run, "memory.zswap.writeback", 0);
	zswap_step(zswap, "writeback_off");
	run_types(&run);
	set_memcg(&run, "memory.zswap.writeback", 1);
	set_memcg(&run, "memory.zswap.max", LIMIT_BYTES);
	zswap_step(zswap, "zswap_max_256k");
	run_limit(&run);
	zswap_finish(zswap);
}
