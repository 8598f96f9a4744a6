// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/acomp.h"

/* A line that may be longer than there is room for. */
struct line {
	char *text;
	size_t size, used;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
	va_list args;
	int n;

	if (line->used >= line->size)
		return;
	va_start(args, format);
	n = vsnprintf(line->text + line->used, line->size - line->used, format, args);
	va_end(args);
	line->used += n > 0 ? n : 0;
}

static const struct acomp_alg *find_alg(const struct crypto_registry *registry, const char *name,
					size_t length)
{
	if (!registry)
		return NULL;
	for (const struct acomp_alg *const *alg = registry->algs; *alg; alg++) {
		const char *names[] = {(*alg)->cra_name, (*alg)->cra_driver_name};

		for (unsigned i = 0; i < 2; i++) {
			if (strlen(names[i]) == length && !memcmp(names[i], name, length))
				return *alg;
		}
	}
	return NULL;
}

static void list_algs(const struct crypto_registry *registry, struct line *line)
{
	const char *separator = "; there are ";

	for (const struct acomp_alg *const *alg = registry ? registry->algs : NULL; alg && *alg;
	     alg++) {
		struct acomp_levels levels;

		if ((*alg)->refused)
			continue;
		add(line, "%s%s", separator, (*alg)->cra_name);
		separator = ", ";
		if (!(*alg)->levels)
			continue;
		levels = (*alg)->levels();
		add(line, "[:%d to %d]", levels.min, levels.max);
	}
}

/* @text: behind the colon. */
static int parse_level(const struct acomp_alg *alg, const char *text, int *level, struct line *err)
{
	struct acomp_levels levels;
	char *end;
	long n;

	if (!alg->levels) {
		add(err, "'%s' has no levels", alg->cra_name);
		return -EINVAL;
	}
	levels = alg->levels();
	errno = 0;
	n = strtol(text, &end, 10);
	if ((*text != '-' && (*text < '0' || *text > '9')) || *end || errno || n < levels.min ||
	    n > levels.max) {
		add(err, "'%s': levels are numbers from %d to %d, and the kernel's is %d, not '%s'",
		    alg->cra_name, levels.min, levels.max, levels.def, text);
		return -EINVAL;
	}
	*level = n;
	return 0;
}

int crypto_parse_acomp(const struct crypto_registry *registry, const char *name,
		       struct acomp_spec *spec, char *err, size_t err_size)
{
	struct line line = {err, err ? err_size : 0, 0};
	const char *colon = strchrnul(name, ':');
	int def = 0, ret;

	*spec = (struct acomp_spec){.alg = find_alg(registry, name, colon - name)};
	if (!spec->alg) {
		add(&line, "there is no compressor '%.*s'", (int)(colon - name), name);
		list_algs(registry, &line);
		return -ENOENT;
	}
	snprintf(spec->name, sizeof(spec->name), "%s", spec->alg->cra_name);
	if (spec->alg->refused) {
		add(&line, "'%s' is not to be had: %s", spec->alg->cra_name, spec->alg->refused);
		list_algs(registry, &line);
		return -EOPNOTSUPP;
	}
	if (spec->alg->levels)
		def = spec->alg->levels().def;
	spec->level = def;
	if (!*colon)
		return 0;
	ret = parse_level(spec->alg, colon + 1, &spec->level, &line);
	if (!ret && spec->level != def)
		snprintf(spec->name, sizeof(spec->name), "%s:%d", spec->alg->cra_name, spec->level);
	return ret;
}
