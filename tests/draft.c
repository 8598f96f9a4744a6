// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "tests/machine.h"
#include "tests/same_counts.h"
#include "tests/test.h"

void draft_begin(struct draft *d)
{
	struct trace_writer_config config = {
		.maker = "test", .command = "", .title = "test", .nr_cpus = 4, .nr_swap_types = 2};
	const char *tmp = getenv("TMPDIR");
	int fd;

	memset(d, 0, sizeof(*d));
	snprintf(d->path, sizeof(d->path), "%s/zswapsim-draft.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(d->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(trace_writer_create(d->path, &config, &d->w, &d->err), 0);
}

uint16_t draft_memcg(struct draft *d, const char *path, uint16_t parent)
{
	struct trace_memcg memcg = {.path = path,
				    .parent = parent,
				    .zswap_writeback = true,
				    .online = true,
				    .zswap_max = TRACE_NO_LIMIT};
	uint16_t index;

	assert_int_equal(trace_writer_memcg(d->w, &memcg, &index, &d->err), 0);
	return index;
}

void draft_append(struct draft *d, struct trace_event *ev, const uint32_t *contents)
{
	unsigned char page[TRACE_PAGE_SIZE];
	uint32_t ids[512];

	ev->time_ns = d->time;
	d->time += 1000;
	for (unsigned i = 0; contents && i < 1u << ev->order; i++) {
		content_fill(page, contents[i]);
		assert_int_equal(trace_writer_page(d->w, page, &ids[i], &d->err), 0);
	}
	assert_int_equal(trace_writer_event(d->w, ev, contents ? ids : NULL, &d->err), 0);
}

void draft_event(struct draft *d, enum trace_event_type type, uint64_t slot, unsigned order,
		 const uint32_t *contents)
{
	struct trace_event ev = {.type = type, .order = order, .offset = slot, .cpu = slot % 4};

	draft_append(d, &ev, contents);
}

void draft_store(struct draft *d, uint64_t slot, uint32_t content)
{
	draft_event(d, TRACE_STORE, slot, 0, &content);
}

void draft_store_as(struct draft *d, uint64_t slot, uint32_t content, uint16_t memcg, uint16_t cpu)
{
	struct trace_event ev = {.type = TRACE_STORE, .offset = slot, .cpu = cpu, .memcg = memcg};

	draft_append(d, &ev, &content);
}

void draft_load(struct draft *d, uint64_t slot)
{
	draft_event(d, TRACE_LOAD, slot, 0, NULL);
}

void draft_pressure(struct draft *d, uint16_t memcg, uint64_t nr_to_scan)
{
	struct trace_event ev = {.type = TRACE_PRESSURE, .memcg = memcg, .arg = nr_to_scan};

	draft_append(d, &ev, NULL);
}

void draft_mark(struct draft *d, const char *name)
{
	struct trace_event ev = {.type = TRACE_MARK};

	assert_int_equal(trace_writer_mark_name(d->w, name, &ev.arg, &d->err), 0);
	draft_append(d, &ev, NULL);
}

void draft_memcg_event(struct draft *d, uint16_t memcg, enum trace_memcg_op op, uint64_t arg)
{
	struct trace_event ev = {.type = TRACE_MEMCG, .memcg = memcg, .what = op, .arg = arg};

	draft_append(d, &ev, NULL);
}

void draft_commit(struct draft *d)
{
	if (d->w)
		assert_int_equal(trace_writer_commit(d->w, &d->err), 0);
	d->w = NULL;
}

static int run(struct draft *d, const char *kernel, const char *set, struct replay_config *config,
	       struct replay_result *result)
{
	struct trace_reader *reader;
	struct profile profile;
	char text[1024];
	int ret;

	draft_commit(d);
	assert_int_equal(profile_init(&profile, kernel, text, sizeof(text)), 0);
	if (set)
		assert_int_equal(profile_set(&profile, set, text, sizeof(text)), 0);
	config->profile = &profile;
	config->crypto = backends_registry();
	assert_int_equal(trace_reader_open(d->path, &reader, &d->err), 0);
	ret = replay_run(config, reader, result, &d->err);
	assert_policy_is_same(d->path, reader, config, NULL, ret, result, &d->err);
	trace_reader_close(reader);
	return ret;
}

int draft_run(struct draft *d, const char *kernel, const char *set, struct replay_result *result)
{
	struct replay_config config;

	replay_config_init(&config);
	return run(d, kernel, set, &config, result);
}

int draft_run_config(struct draft *d, const char *kernel, const struct replay_config *config,
		     struct replay_result *result)
{
	return draft_run_set(d, kernel, NULL, config, result);
}

int draft_run_set(struct draft *d, const char *kernel, const char *set,
		  const struct replay_config *config, struct replay_result *result)
{
	struct replay_config copy = *config;

	return run(d, kernel, set, &copy, result);
}

void draft_end(struct draft *d)
{
	trace_writer_abort(d->w);
	unlink(d->path);
}
