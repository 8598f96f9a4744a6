/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `zswapsim walk` calls things, in text and in JSON. */
#ifndef CMD_WALK_WORDS_H
#define CMD_WALK_WORDS_H

#include "backends/walker.h"

const char *walk_ret_name(int ret);			       /* "0", "-EINVAL" */
const char *walk_path_name(enum acomp_path path);	       /* "none", "oneshot", "stream" */
const char *walk_reason_name(enum acomp_stream_reason reason); /* "source", ...; "" */
/* "next_src", "zstd_init_cctx", "source_ends", ... */
const char *walk_step_name(const struct walker_step *step);
/* Whether it is a context being initialised. */
bool walk_step_is_init(const struct walker_step *step);

#endif
