/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that loads one page from two places in turn: for sim/straddle.c alone. */
#ifndef SIM_STRADDLE_RIG_H
#define SIM_STRADDLE_RIG_H

#include "sim/replay.h"

struct straddle_rig;

/* By a replay's profile, compressor, cryptography and clock. 0, -ENOENT, -ENOMEM. */
int straddle_rig_create(const struct replay_config *config, unsigned chain_size,
			struct straddle_rig **out);
void straddle_rig_destroy(struct straddle_rig *rig); /* accepts NULL */

/*
 * Stores @page (4096 bytes) so that it lies in the first chunk of a zspage and in chunk @index of
 * the same, then loads both @rounds times: into @first and @other, in ns, [rounds]. 0, -ENOMEM, or
 * -EUCLEAN: a page came back changed; its object does not lie where it should, or does not straddle
 * there (in the first chunk none does); or a load did not stream, nor was copied, where it should.
 */
int straddle_rig_measure(struct straddle_rig *rig, const void *page, unsigned index,
			 unsigned rounds, uint64_t *first, uint64_t *other);

#endif
