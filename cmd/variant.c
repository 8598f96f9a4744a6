// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/variant.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct short_name {
	const char *name, *assignment;
} short_names[] = {
	{"eager", "zstd.stream_init=eager"},
	{"deferred", "zstd.stream_init=deferred"},
	{"context-once", "zstd.context=once"},
	{"probe", "zstd.cpuid=probe"},
	{"skip", "zstd.cpuid=skip"},
	{"once", "zstd.cpuid=once"},
	{"static", "zstd.cpuid=static"},
	{"no-bmi2", "zstd.bmi2=off"},
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

static int set_term(struct profile *p, const char *term, char *err, size_t err_size)
{
	const char *assignment = assignment_of(term);
	char names[256];

	if (strchr(assignment, '='))
		return profile_set(p, assignment, err, err_size);
	snprintf(err, err_size, "'%s' is neither KEY=VALUE nor one of %s", term,
		 variant_short_names(names, sizeof(names)));
	return -EINVAL;
}

/* Calls @fn for each term, until it fails. An empty @text has none. */
static int for_each_term(const char *text, char separator,
			 int (*fn)(struct profile *p, const char *term, char *err, size_t err_size),
			 struct profile *p, char *err, size_t err_size)
{
	const char separators[] = {separator, '\0'};
	int ret = 0;

	while (!ret && *text) {
		size_t len = strcspn(text, separators);
		char term[256];

		if (!len || len >= sizeof(term) || (text[len] && !text[len + 1])) {
			snprintf(err, err_size, "a term is empty or too long in '%s'", text);
			return -EINVAL;
		}
		memcpy(term, text, len);
		term[len] = '\0';
		ret = fn(p, term, err, err_size);
		text += len + (text[len] != '\0');
	}
	return ret;
}

static int apply_kernel(struct profile *p, const char *term, char *err, size_t err_size)
{
	return is_kernel(term) ? profile_init(p, term + strlen(KERNEL), err, err_size) : 0;
}

static int apply_setting(struct profile *p, const char *term, char *err, size_t err_size)
{
	return is_kernel(term) ? 0 : set_term(p, term, err, err_size);
}

int variant_parse(const struct options_kernel *common, const char *text, char separator,
		  struct profile *out, char *err, size_t err_size)
{
	int ret = profile_init(out, common->name ? common->name : PROFILE_DEFAULT, err, err_size);

	if (!ret)
		ret = for_each_term(text, separator, apply_kernel, out, err, err_size);
	for (unsigned i = 0; !ret && i < common->nr_sets; i++)
		ret = profile_set(out, common->sets[i], err, err_size);
	if (!ret)
		ret = for_each_term(text, separator, apply_setting, out, err, err_size);
	return ret;
}
