// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/error.h"
#include "traces/synth_plan.h"

#define DEFAULT_PAGES 4096u
#define HALF	      (SYNTH_PAGE_BYTES / 2)

struct synth {
	const struct profile *profile;
	uint64_t seed, nr_pages, next;

	/* silesia: where we are in which file of which round. */
	struct synth_plan plan;
	uint32_t round, file, page;
	bool planned;
};

struct profile {
	const char *name, *title, *grain;
	int (*next)(struct synth *s, uint8_t *page, bool *file_ends);
};

static int next_half(struct synth *s, uint8_t *page, bool *file_ends)
{
	struct random r;

	random_init(&r, s->seed, s->next);
	random_bytes(&r, page, HALF);
	memset(page + HALF, 0, HALF);
	*file_ends = false;
	return 1;
}

static int next_random_or_zero(struct synth *s, uint8_t *page, bool *file_ends)
{
	struct random r;

	random_init(&r, s->seed, s->next);
	if (s->next % 2)
		memset(page, 0, SYNTH_PAGE_BYTES);
	else
		random_bytes(&r, page, SYNTH_PAGE_BYTES);
	*file_ends = false;
	return 1;
}

static int next_silesia(struct synth *s, uint8_t *page, bool *file_ends)
{
	if (!s->planned) {
		int ret = synth_plan_init(&s->plan, &synth_silesia[s->file],
					  synth_silesia_sizes[s->file], s->seed,
					  s->round * SYNTH_SILESIA_FILES + s->file);

		if (ret)
			return ret;
		s->planned = true;
		s->page = 0;
	}
	synth_plan_page(&s->plan, s->page++, page);
	*file_ends = s->page == s->plan.nr_pages;
	if (*file_ends) {
		synth_plan_finish(&s->plan);
		s->planned = false;
		if (++s->file == SYNTH_SILESIA_FILES) {
			s->file = 0;
			s->round++;
		}
	}
	return 1;
}

static const struct profile profiles[] = {
	{"silesia", "silesia (synthetic)",
	 "every page has a size of its own, by the histograms of nine of the twelve Silesia files",
	 next_silesia},
	{"half", "half (synthetic)",
	 "half of each page: 2048 random bytes, then 2048 zero bytes; every page shrinks to about "
	 "half",
	 next_half},
	{"random-or-zero", "random-or-zero (synthetic)",
	 "whole pages: every other page is random and does not shrink, the others are zero",
	 next_random_or_zero},
};

static uint64_t silesia_pages(void)
{
	uint64_t sum = 0;

	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++)
		sum += synth_silesia[f].figures.pages;
	return sum;
}

static int fail(struct trace_error *err, const char *profile, const char *cause)
{
	return trace_fail(err, profile, TRACE_NO_OFFSET, -EINVAL, "%s", cause);
}

int synth_create(const struct synth_config *config, struct synth **out, struct trace_error *err)
{
	uint64_t rounds = config->rounds ? config->rounds : 1;
	const struct profile *profile = NULL;
	struct synth *s;
	bool silesia;

	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		if (!strcmp(config->profile, profiles[i].name))
			profile = &profiles[i];
	}
	if (!profile)
		return fail(err, config->profile,
			    "no such profile; there are silesia, half and random-or-zero");
	silesia = profile->next == next_silesia;
	if (silesia && config->nr_pages)
		return fail(err, config->profile,
			    "the profile has its own number of pages; more of them by rounds");
	if (!silesia && config->rounds)
		return fail(err, config->profile,
			    "the profile has no rounds, but any number of pages");
	if (rounds > SYNTH_MAX_ROUNDS)
		return fail(err, config->profile, "more than 4096 rounds");
	s = calloc(1, sizeof(*s));
	if (!s)
		return trace_fail(err, config->profile, TRACE_NO_OFFSET, -ENOMEM, "%s",
				  strerror(ENOMEM));
	s->profile = profile;
	s->seed = config->seed;
	s->nr_pages = silesia		 ? rounds * silesia_pages()
		      : config->nr_pages ? config->nr_pages
					 : DEFAULT_PAGES;
	*out = s;
	return 0;
}

void synth_destroy(struct synth *s)
{
	if (!s)
		return;
	if (s->planned)
		synth_plan_finish(&s->plan);
	free(s);
}

const char *synth_title(const struct synth *s)
{
	return s->profile->title;
}

const char *synth_grain(const struct synth *s)
{
	return s->profile->grain;
}

uint64_t synth_nr_pages(const struct synth *s)
{
	return s->nr_pages;
}

int synth_next(struct synth *s, uint8_t page[SYNTH_PAGE_BYTES], bool *file_ends)
{
	int ret;

	if (s->next == s->nr_pages)
		return 0;
	ret = s->profile->next(s, page, file_ends);
	if (ret == 1)
		s->next++;
	if (s->next == s->nr_pages)
		*file_ends = true;
	return ret;
}

static int make_pages(struct synth *s, struct trace_maker *m, const char *path,
		      struct trace_error *err)
{
	uint8_t page[SYNTH_PAGE_BYTES];
	bool file_ends;
	int ret;

	while ((ret = synth_next(s, page, &file_ends)) == 1) {
		ret = trace_maker_page(m, page, err);
		if (ret == 0 && file_ends)
			ret = trace_maker_file_end(m, err);
		if (ret)
			return ret;
	}
	return ret ? trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret)) : 0;
}

int trace_synth(struct synth *s, const struct trace_maker_config *maker, struct trace_made *made,
		struct trace_error *err)
{
	struct trace_maker_config config = *maker;
	struct trace_maker *m;
	int ret;

	config.title = synth_title(s);
	ret = trace_maker_create(&config, &m, err);
	if (ret)
		return ret;
	ret = make_pages(s, m, config.path, err);
	if (ret) {
		trace_maker_abort(m);
		return ret;
	}
	return trace_maker_commit(m, made, err);
}
