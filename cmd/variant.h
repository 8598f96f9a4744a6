/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings in words: terms with a separator between them. A term is KEY=VALUE, kernel=NAME
 * (wherever it stands, the preset comes first; of several the last), or a short name for one of
 * them.
 */
#ifndef CMD_VARIANT_H
#define CMD_VARIANT_H

#include <stddef.h>

#include "cmd/options.h"

/* "eager, deferred, ...": for help and messages. */
const char *variant_short_names(char *buf, size_t size);

/*
 * The profile of @common (its --kernel and all --set) with the terms of @text applied; @text may be
 * empty. Keys are those of the profile. 0, or a negative errno with one line in @err.
 */
int variant_parse(const struct options_kernel *common, const char *text, char separator,
		  struct profile *out, char *err, size_t err_size);

/*
 * The same for all settings (sim/settings.h): what a replay is under @out->replay, with the profile
 * of @common, and the terms of @words applied. @words is cut to pieces, and stays as long as @out.
 */
int variant_parse_settings(const struct options_kernel *common, char *words, char separator,
			   struct settings *out, char *err, size_t err_size);

#endif
