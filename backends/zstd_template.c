// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/zstd_template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_DEFINED(start, size) ((void)0)
#endif

/* What is seen of each byte of the workspace over several builds. */
enum { WRITTEN = 1, VARIES = 2 };

struct survey {
	size_t size;
	uint8_t *first; /* values after the first build */
	uint8_t *seen;	/* WRITTEN: once not what was there before; VARIES: once not as at first */
	void *context;
};

/*
 * Padding is copied from the stack: what lies there should not be the same by chance. Not with a
 * sanitizer's red zones, where the first frames will be.
 */
static __attribute__((noinline, no_sanitize("address"))) void dirty_stack(uint8_t value)
{
	volatile uint8_t below[8192];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = value;
}

static int look(struct survey *s, const uint8_t *workspace, uint8_t before, void *context)
{
	/* Padding is looked at, too. */
	VALGRIND_MAKE_MEM_DEFINED(workspace, s->size);
	if (!s->context) {
		s->context = context;
		memcpy(s->first, workspace, s->size);
	}
	for (size_t i = 0; i < s->size; i++)
		s->seen[i] |=
			(workspace[i] != before) * WRITTEN | (workspace[i] != s->first[i]) * VARIES;
	return context == s->context ? 0 : -ENOTSUP;
}

static int survey(struct survey *s, zstd_build_fn build, void *arg, uint8_t *workspace, char *err,
		  size_t err_size)
{
	static const uint8_t before[] = {0x00, 0xff, 0xa5, 0x5a};

	for (unsigned i = 0; i < sizeof(before); i++) {
		void *context;

		memset(workspace, before[i], s->size);
		dirty_stack(before[i] ^ 0x3c);
		context = build(arg, workspace, s->size);
		if (!context) {
			snprintf(err, err_size, "no context can be built in %zu bytes", s->size);
			return -EINVAL;
		}
		if (look(s, workspace, before[i], context)) {
			snprintf(
				err, err_size,
				"a context does not always lie at the same place of its workspace: "
				"it cannot be restored from a template");
			return -ENOTSUP;
		}
	}
	return 0;
}

static void measure_ranges(const struct survey *s, struct zstd_template *t)
{
	bool within = false;

	for (size_t i = 0; i < s->size; i++) {
		bool written = s->seen[i] & WRITTEN;

		t->nr_bytes += written;
		t->nr_ranges += written && !within;
		within = written;
	}
}

static void fill_ranges(const struct survey *s, struct zstd_template *t)
{
	struct zstd_template_range *r = t->ranges;
	unsigned nr_unstable = 0;
	size_t nr = 0;

	for (size_t i = 0; i < s->size; i++) {
		if (!(s->seen[i] & WRITTEN))
			continue;
		if (nr && r->offset + r->length != i)
			r++;
		if (!r->length)
			r->offset = i;
		r->length++;
		if (s->seen[i] & VARIES) {
			if (nr_unstable < ZSTD_TEMPLATE_MAX_UNSTABLE)
				t->unstable[nr_unstable] = nr;
			nr_unstable++;
		}
		t->bytes[nr++] = s->first[i];
	}
	t->nr_unstable = nr_unstable;
}

static int make(const struct survey *s, uint8_t *workspace, struct zstd_template *t, char *err,
		size_t err_size)
{
	t->workspace = workspace;
	t->size = s->size;
	t->context = s->context;
	measure_ranges(s, t);
	t->ranges = calloc(t->nr_ranges, sizeof(*t->ranges));
	t->bytes = malloc(t->nr_bytes);
	if (!t->ranges || !t->bytes) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	fill_ranges(s, t);
	if (t->nr_unstable > ZSTD_TEMPLATE_MAX_UNSTABLE) {
		snprintf(err, err_size,
			 "%u of %zu bytes of a context differ from one initialisation to the next: "
			 "it "
			 "cannot be restored from a template",
			 t->nr_unstable, t->nr_bytes);
		return -ENOTSUP;
	}
	return 0;
}

int zstd_template_create(zstd_build_fn build, void *arg, void *workspace, size_t size,
			 struct zstd_template **out, char *err, size_t err_size)
{
	struct survey s = {.size = size, .first = malloc(size), .seen = calloc(1, size)};
	struct zstd_template *t = calloc(1, sizeof(*t));
	int ret = -ENOMEM;

	if (!s.first || !s.seen || !t) {
		snprintf(err, err_size, "out of memory");
		goto out;
	}
	ret = survey(&s, build, arg, workspace, err, err_size);
	if (!ret)
		ret = make(&s, workspace, t, err, err_size);
	if (ret)
		goto out;
	*out = t;
	t = NULL;
out:
	zstd_template_destroy(t);
	free(s.seen);
	free(s.first);
	return ret;
}

void zstd_template_destroy(struct zstd_template *t)
{
	if (!t)
		return;
	free(t->bytes);
	free(t->ranges);
	free(t);
}

static bool is_unstable(const struct zstd_template *t, size_t index)
{
	for (unsigned i = 0; i < t->nr_unstable; i++) {
		if (t->unstable[i] == index)
			return true;
	}
	return false;
}

void zstd_template_learn(struct zstd_template *t, const struct zstd_template *other)
{
	for (unsigned i = 0; i < other->nr_unstable && t->nr_unstable < ZSTD_TEMPLATE_MAX_UNSTABLE;
	     i++) {
		if (other->unstable[i] < t->nr_bytes && !is_unstable(t, other->unstable[i]))
			t->unstable[t->nr_unstable++] = other->unstable[i];
	}
}

/* A padding byte may be found unstable by chance in one only, but both write it. */
static bool same_ranges(const struct zstd_template *a, const struct zstd_template *b)
{
	return a->workspace == b->workspace && a->nr_ranges == b->nr_ranges &&
	       !memcmp(a->ranges, b->ranges, a->nr_ranges * sizeof(*a->ranges));
}

int zstd_template_compare(const struct zstd_template *a, const struct zstd_template *b,
			  struct zstd_template_byte *diff, unsigned max)
{
	size_t index = 0;
	int nr = 0;

	if (!same_ranges(a, b))
		return -EINVAL;
	for (unsigned i = 0; i < a->nr_ranges; i++) {
		for (size_t j = 0; j < a->ranges[i].length; j++, index++) {
			if (a->bytes[index] == b->bytes[index] || is_unstable(a, index) ||
			    is_unstable(b, index))
				continue;
			if ((unsigned)nr < max)
				diff[nr] = (struct zstd_template_byte){
					a->ranges[i].offset + j, a->bytes[index], b->bytes[index]};
			nr++;
		}
	}
	return nr;
}
