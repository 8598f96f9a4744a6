// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/walker_rig.h"

#include <stdio.h>
#include <string.h>

#include "backends/zstd.h"
#include "tests/gen_page.h"
#include "tests/test.h"

struct walker *rig_walker(const char *preset, const char *change)
{
	struct profile profile;
	struct walker *w;
	char err[256];

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	if (change)
		assert_int_equal(profile_set(&profile, change, err, sizeof(err)), 0);
	assert_int_equal(walker_create(&profile, &w, err, sizeof(err)), 0);
	return w;
}

void rig_needs_counting(struct walker *w)
{
	if (!walker_cpuid_reason(w))
		return;
	print_message("# SKIP CPUIDs: %s\n", walker_cpuid_reason(w));
	walker_destroy(w);
	skip();
}

void side_init(struct side *s, enum walker_kind kind, const unsigned *lengths, unsigned nr)
{
	assert_in_range(nr, 1, RIG_MAX_ENTRIES);
	memset(s, 0, sizeof(*s));
	memcpy(s->lengths, lengths, nr * sizeof(*lengths));
	s->side.kind = kind;
	s->side.nr = nr;
	s->side.lengths = s->lengths;
	for (unsigned i = 0; i < nr; i++)
		s->side.size += lengths[i];
}

const struct walker_result *rig_walk(struct walker *w, bool compress, const struct side *src,
				     const struct side *dst, const void *bytes)
{
	struct walker_request r = {
		.compress = compress,
		.src = src->side,
		.dst = dst->side,
		.slen = src->side.size,
		.dlen = dst->side.size,
		.bytes = bytes,
	};
	const struct walker_result *res;

	assert_int_equal(walker_run(w, &r, &res), 0);
	return res;
}

static void append(char *text, size_t size, const char *word)
{
	size_t len = strlen(text);

	assert_true(len + strlen(word) + 2 < size);
	snprintf(text + len, size - len, "%s%s", len ? " " : "", word);
}

static void check(const char *text, const char *expected, const char *file, int line)
{
	if (!strcmp(text, expected))
		return;
	print_error("\"%s\", not \"%s\"\n", text, expected);
	_fail(file, line);
}

void rig_assert_steps(const struct walker_result *res, const char *expected, const char *file,
		      int line)
{
	char names[1024] = "";

	for (unsigned i = 0; i < res->nr_steps; i++)
		append(names, sizeof(names), *res->steps[i].name ? res->steps[i].name : "-");
	check(names, expected, file, line);
}

void rig_assert_quirks(const struct walker_result *res, const char *expected, const char *file,
		       int line)
{
	char ids[128] = "", id[16];

	for (unsigned i = 0; i < res->nr_quirks; i++) {
		snprintf(id, sizeof(id), "%u", res->quirks[i].id);
		append(ids, sizeof(ids), id);
	}
	check(ids, expected, file, line);
}

bool rig_met(const struct walker_result *res, unsigned id)
{
	for (unsigned i = 0; i < res->nr_quirks; i++) {
		if (res->quirks[i].id == id)
			return true;
	}
	return false;
}

static unsigned make_frame(struct walker *w, const struct side *src, const struct c15 *c,
			   bool oneshot, uint8_t *to, size_t room)
{
	const uint8_t *frame;
	unsigned len;

	assert_int_equal(walker_make_frame(w, &src->side, c->page, oneshot, &frame, &len), 0);
	assert_in_range(len, 1, room);
	memcpy(to, frame, len);
	return len;
}

void c15_init(struct c15 *c)
{
	struct walker *w = rig_walker("7.3", NULL);
	struct side src;

	gen_counters(c->page, sizeof(c->page));
	VIRT(&src, 4096);
	c->one_len = make_frame(w, &src, c, true, c->one, sizeof(c->one));
	VIRT(&src, 64);
	c->small_len = make_frame(w, &src, c, true, c->small, sizeof(c->small));
	SG(&src, 2048, 2048);
	c->stream_len = make_frame(w, &src, c, false, c->stream, sizeof(c->stream));
	c->exact = !strcmp(zstd_library_version(), "1.5.4");
	walker_destroy(w);
}
