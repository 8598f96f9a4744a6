/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages that a run is fed: the first disk of the guest, read into memory. */
#ifndef GUEST_PAGES_H
#define GUEST_PAGES_H

#include <stdint.h>

struct pages {
	unsigned char *data;
	uint32_t nr;
};

void pages_load(struct pages *pages);
const unsigned char *pages_at(const struct pages *pages, uint32_t index);

#endif
