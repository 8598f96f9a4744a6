// SPDX-License-Identifier: GPL-2.0-or-later
#include "zram.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "slub.h"
#include "util.h"

#define ZRAM "/sys/block/zram0/"

void zram_open(struct zram *zram, struct guest *guest, uint64_t slots)
{
	*zram = (struct zram){.guest = guest, .slots = slots};
	must_write(ZRAM "comp_algorithm", "%s", guest->algorithm);
	must_write(ZRAM "disksize", "%lu", slots * PAGE_SIZE);
	zram->device = open("/dev/zram0", O_RDWR | O_DIRECT | O_CLOEXEC);
	zram->mm_stat = open_to_read(ZRAM "mm_stat");
	if (zram->device < 0 || zram->mm_stat < 0)
		die("no zram device");
	zram->zspages = slub_open_objects("zspage", "zram0");
	zram->handles = slub_open_objects("zs_handle", "zram0");
	zram->bounce = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	if (!zram->bounce)
		die("out of memory");
}

void zram_read_stats(struct zram *zram)
{
	char text[512], *at = text;

	reread(zram->mm_stat, text, sizeof(text));
	for (unsigned i = ORIG_DATA_SIZE; i <= HUGE_PAGES_SINCE; i++)
		zram->stat[i] = strtoll(at, &at, 10);
	zram->stat[ZSPAGES] = reread_number(zram->zspages);
	zram->stat[HANDLES] = reread_number(zram->handles);
}

void zram_write_slot(struct zram *zram, uint64_t slot, const void *page)
{
	memcpy(zram->bounce, page, PAGE_SIZE);
	if (pwrite(zram->device, zram->bounce, PAGE_SIZE, slot * PAGE_SIZE) != PAGE_SIZE)
		die("cannot write slot %lu", slot);
}

void zram_discard_slots(struct zram *zram, uint64_t slot, uint64_t nr)
{
	uint64_t range[2] = {slot * PAGE_SIZE, nr * PAGE_SIZE};

	if (ioctl(zram->device, BLKDISCARD, range))
		die("cannot discard %lu slots at %lu", nr, slot);
}

void zram_compact(struct zram *zram)
{
	must_write(ZRAM "compact", "1");
}

void zram_step(struct zram *zram, const char *step)
{
	static const char *const names[NR_ZRAM_STATS] = {
		"orig_data_size",   "compr_data_size", "mem_used_total",  "mem_limit",
		"mem_used_max",	    "same_pages",      "pages_compacted", "huge_pages",
		"huge_pages_since", "zspages",	       "handles",
	};
	json_t *facts = json_pack("{s:I}", "seq", (json_int_t)zram->guest->out.rows);

	zram_read_stats(zram);
	for (unsigned i = 0; i < NR_ZRAM_STATS; i++)
		json_object_set_new(facts, names[i], json_integer(zram->stat[i]));
	output_step(&zram->guest->out, step, facts);
}
