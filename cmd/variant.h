/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings in words: terms with a separator between them. A term is KEY=VALUE of the profile,
 * kernel=NAME (wherever it stands, the preset comes first), or a short name for one of them.
 */
#ifndef CMD_VARIANT_H
#define CMD_VARIANT_H

#include <stddef.h>

#include "cmd/options.h"

/* "eager, deferred, ...": for help and messages. */
const char *variant_short_names(char *buf, size_t size);

/*
 * The profile of @common (its --kernel and all --set) with the terms of @text applied; @text may be
 * empty. 0, or -EINVAL with one line in @err.
 */
int variant_parse(const struct options_kernel *common, const char *text, char separator,
		  struct profile *out, char *err, size_t err_size);

#endif
