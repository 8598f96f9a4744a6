/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays a recording of a process whose pages go through zswap, and compares what the kernel
 * reported after every row: counters of debugfs and vmstat, bytes charged, zspages, and how often
 * each codec and zsmalloc function was entered. Columns that the recording does not have, or that
 * its kernel did not (-1), are left out.
 *
 *   operations   store, load, dirty, free, munmap, settle; store64 (64 pages, or a folio of 16);
 *                mkdir, rmdir, set of several memcgs; count, scan of the shrinker
 *   victims      memmax, shrinker: the kernel's reclaim chose the pages; only the conservation
 *                laws are checked on the recording itself (case C07)
 */
#ifndef SIM_VERIFY_ZSWAP_H
#define SIM_VERIFY_ZSWAP_H

#include "sim/verify.h"
#include "traces/recording.h"

struct crypto_registry;
struct profile;

struct verify_zswap_config {
	const struct profile *profile;
	const struct crypto_registry *crypto;
	const char *compressor; /* NULL: what the recording used */
	const struct recording_pages *pages;
	const struct recording_lengths *lengths; /* NULL: the codec itself */
};

bool verify_zswap_form(enum recording_form form);

/* As verify_zram(). */
int verify_zswap(const char *path, const struct verify_zswap_config *config,
		 struct verify_report *report, struct trace_error *err);

#endif
