/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool on a machine of its own, for the tests of zsmalloc. */
#ifndef TESTS_ZS_RIG_H
#define TESTS_ZS_RIG_H

#include "sim/zs_private.h"

struct rig {
	struct kernel *k;
	struct zs_pool *pool;
};

struct rig rig_with(const char *preset, unsigned chain, unsigned obj_word, bool contents);
/* Chain size 8, with contents. */
struct rig rig_of(const char *preset);
/* Nothing may be mapped any more. */
void rig_finish(struct rig *r);

unsigned long must_malloc(struct rig *r, size_t size);
struct zs_obj_location locate(struct rig *r, unsigned long handle);

#endif
