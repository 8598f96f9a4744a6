/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A content-free trace for benchmarks of any length: pages touched by a zipf law
 * (traces/pattern.h), whose lengths are distributed as the zstd lengths of the Silesia corpus
 * (traces/synth_silesia.h), zero and incompressible pages among them.
 */
#ifndef TESTS_ZIPF_TRACE_H
#define TESTS_ZIPF_TRACE_H

#include <stdint.h>

#include "traces/format.h"

struct zipf_trace_config {
	uint64_t nr_events; /* touches: STOREs and LOADs */
	uint32_t nr_pages;  /* distinct ones, each with a swap slot */
	double a;
	uint64_t seed;
};

/* 0, or a negative errno and a line in *err. */
int zipf_trace_write(const char *path, const struct zipf_trace_config *config,
		     struct trace_error *err);

#endif
