// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/variant.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct short_name {
	const char *name, *assignment;
} short_names[] = {
	{"eager", "zstd.stream_init=eager"},   {"deferred", "zstd.stream_init=deferred"},
	{"context-once", "zstd.context=once"}, {"probe", "zstd.cpuid=probe"},
	{"skip", "zstd.cpuid=skip"},	       {"once", "zstd.cpuid=once"},
	{"static", "zstd.cpuid=static"},       {"no-bmi2", "zstd.bmi2=off"},
};

#define NR_SHORT_NAMES (sizeof(short_names) / sizeof(*short_names))
#define KERNEL	       "kernel="

const char *variant_short_names(char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < NR_SHORT_NAMES && n < size; i++)
		n += snprintf(buf + n, size - n, "%s%s", i ? ", " : "", short_names[i].name);
	return buf;
}

static const char *assignment_of(const char *term)
{
	for (size_t i = 0; i < NR_SHORT_NAMES; i++) {
		if (!strcmp(term, short_names[i].name))
			return short_names[i].assignment;
	}
	return term;
}

static bool is_kernel(const char *term)
{
	return !strncmp(term, KERNEL, strlen(KERNEL));
}

/* ---- terms ---- */

#define MAX_TERMS 64u
#define MAX_TERM  255u /* bytes */

struct terms {
	char *term[MAX_TERMS];
	unsigned nr;
};

/* Cuts @words at each separator; if there are none, there are no terms. */
static int cut(char *words, char separator, struct terms *terms, char *err, size_t err_size)
{
	char *next = words;

	terms->nr = 0;
	if (!*words)
		return 0;
	for (char *term = words; term; term = next) {
		next = strchr(term, separator);
		if (next)
			*next++ = '\0';
		if (!*term || strlen(term) > MAX_TERM || terms->nr == MAX_TERMS) {
			snprintf(err, err_size,
				 "a term is empty or too long, or there are more than %u",
				 MAX_TERMS);
			return -EINVAL;
		}
		terms->term[terms->nr++] = term;
	}
	return 0;
}

/* What terms are applied to. */
struct target {
	struct profile *profile;
	struct settings *settings; /* that the profile is of; NULL: there is only a profile */
};

static int set(const struct target *t, const char *assignment, char *err, size_t err_size)
{
	return t->settings ? settings_assign(t->settings, assignment, err, err_size)
			   : profile_set(t->profile, assignment, err, err_size);
}

static int set_term(const struct target *t, const char *term, char *err, size_t err_size)
{
	const char *assignment = assignment_of(term);
	char names[256];

	if (strchr(assignment, '='))
		return set(t, assignment, err, err_size);
	snprintf(err, err_size, "'%s' is neither KEY=VALUE nor one of %s", term,
		 variant_short_names(names, sizeof(names)));
	return -EINVAL;
}

/* The preset first, then what holds for all, then the terms. */
static int apply(const struct options_kernel *common, const struct terms *terms,
		 const struct target *t, char *err, size_t err_size)
{
	const char *kernel = common->name ? common->name : PROFILE_DEFAULT;
	int ret = profile_init(t->profile, kernel, err, err_size);

	for (unsigned i = 0; !ret && i < terms->nr; i++) {
		if (is_kernel(terms->term[i]))
			ret = profile_init(t->profile, terms->term[i] + strlen(KERNEL), err,
					   err_size);
	}
	for (unsigned i = 0; !ret && i < common->nr_sets; i++)
		ret = profile_set(t->profile, common->sets[i], err, err_size);
	for (unsigned i = 0; !ret && i < terms->nr; i++) {
		if (!is_kernel(terms->term[i]))
			ret = set_term(t, terms->term[i], err, err_size);
	}
	return ret;
}

int variant_parse(const struct options_kernel *common, const char *text, char separator,
		  struct profile *out, char *err, size_t err_size)
{
	const struct target t = {.profile = out};
	char *words = strdup(text);
	struct terms terms;
	int ret;

	if (!words) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	ret = cut(words, separator, &terms, err, err_size);
	if (!ret)
		ret = apply(common, &terms, &t, err, err_size);
	free(words);
	return ret;
}

int variant_parse_settings(const struct options_kernel *common, char *words, char separator,
			   struct settings *out, char *err, size_t err_size)
{
	const struct target t = {.profile = &out->profile, .settings = out};
	struct terms terms;
	int ret = cut(words, separator, &terms, err, err_size);

	return ret ? ret : apply(common, &terms, &t, err, err_size);
}
