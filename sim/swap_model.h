/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a swap device would take: a latency a request, and a bandwidth. Requests do not wait for
 * each other: what comes out is the time of a request to an idle device, and so the least that a
 * fault waits. How busy the device would be is for the caller to add up.
 *
 * The built-in ones are makers' figures for one 4 KiB request at a time, quoted from data sheets
 * and from memory, not measured here; a device at hand is better described by its own two numbers:
 *
 * hdd   12660 us + 156 MB/s reading, 13660 us + 156 MB/s writing: a 7200 rpm disk; average seek
 *	 8.5 ms (writing 9.5), half a turn 4.16 ms, average rate (Seagate Barracuda ST2000DM001)
 * ssd   92 us + 550 MB/s, 16 us + 520 MB/s: 10000 random reads a second and 42000 random writes
 *	 at queue depth 1, sequential rates (Samsung 860 EVO, SATA)
 * nvme  51 us + 3500 MB/s, 15 us + 3300 MB/s: 19000 and 60000 at queue depth 1 (Samsung 970 EVO
 *	 Plus)
 */
#ifndef SIM_SWAP_MODEL_H
#define SIM_SWAP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum swap_model_dir { SWAP_MODEL_READ, SWAP_MODEL_WRITE, SWAP_MODEL_NR_DIRS };

struct swap_model {
	char name[40]; /* "none", "nvme"; or the numbers as they were given */
	uint64_t latency_ns[SWAP_MODEL_NR_DIRS];
	uint64_t bytes_per_second[SWAP_MODEL_NR_DIRS]; /* 0: transfers take no time */
};

/* No device time at all. */
void swap_model_init(struct swap_model *model);
/*
 * none, hdd, ssd, nvme, or LATENCY_US[/MBPS] for both directions (1 MB is 10^6 bytes; both may have
 * a fraction): 0, or -EINVAL with one line in @err.
 */
int swap_model_parse(const char *text, struct swap_model *model, char *err, size_t err_size);
bool swap_model_is_none(const struct swap_model *model);

/* What one request of @bytes takes, in ns. */
uint64_t swap_model_ns(const struct swap_model *model, enum swap_model_dir dir, uint64_t bytes);

#endif
