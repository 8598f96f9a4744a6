// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <xxhash.h>

#include "traces/reader_impl.h"

static int check_pages(struct trace_reader *r, struct trace_error *err)
{
	const uint8_t *keys = r->map + r->sections[ZSWT_KEYS].offset;

	if (r->info.content_free)
		return 0;
	for (uint64_t id = 0; id < r->info.nr_pages; id++) {
		XXH128_canonical_t key;
		const void *page;
		int ret = trace_reader_page(r, id, &page, err);

		if (ret)
			return ret;
		XXH128_canonicalFromHash(&key, XXH3_128bits(page, TRACE_PAGE_SIZE));
		if (memcmp(&key, keys + id * sizeof(key), sizeof(key)))
			return reader_fail(r, err, r->sections[ZSWT_KEYS].offset + id * sizeof(key),
					   "page %" PRIu64 " has another key than its contents",
					   id);
	}
	return 0;
}

/* Also those ids that no event has. */
static int check_lists(const struct trace_reader *r, struct trace_error *err)
{
	for (uint64_t i = 0; i < r->bounds.nr_list_ids; i++)
		if (le32toh(r->lists[i]) >= r->info.nr_pages)
			return reader_fail(
				r, err, r->sections[ZSWT_LISTS].offset + i * sizeof(*r->lists),
				"page %" PRIu32 " does not exist (there are %" PRIu64 ")",
				le32toh(r->lists[i]), r->info.nr_pages);
	return 0;
}

static int check_events(struct trace_reader *r, struct trace_error *err)
{
	uint64_t nr_type[TRACE_EVENT_TYPES] = {0}, nr_stored = 0;
	struct trace_event ev;

	for (uint64_t i = 0; i < r->info.nr_events; i++) {
		int ret = trace_reader_event(r, i, &ev, err);

		if (ret)
			return ret;
		nr_type[ev.type]++;
		if (ev.type == TRACE_STORE)
			nr_stored += 1ull << ev.order;
	}
	for (int type = 0; type < TRACE_EVENT_TYPES; type++)
		if (nr_type[type] != r->info.nr_type[type])
			return reader_fail(r, err, offsetof(struct zswt_header, nr_type[type]),
					   "there are %" PRIu64 " events %s, not %" PRIu64,
					   nr_type[type], trace_event_type_name(type),
					   r->info.nr_type[type]);
	if (nr_stored != r->info.nr_stored_pages)
		return reader_fail(r, err, offsetof(struct zswt_header, nr_stored_pages),
				   "there are %" PRIu64 " stored pages, not %" PRIu64, nr_stored,
				   r->info.nr_stored_pages);
	return 0;
}

static int check_withheld(const struct trace_reader *r, struct trace_error *err)
{
	struct trace_memcg memcg;

	if (!r->info.withheld)
		return 0;
	if (r->info.command[0])
		return reader_fail(r, err, offsetof(struct zswt_header, command),
				   "a withheld command line is there");
	for (uint32_t i = 1; i < r->info.nr_memcgs; i++) {
		trace_reader_memcg(r, i, &memcg);
		if (memcg.path[0])
			return reader_fail(r, err,
					   r->sections[ZSWT_MEMCGS].offset +
						   i * sizeof(struct zswt_memcg),
					   "a withheld memcg path is there");
	}
	return 0;
}

static int check_hash(const struct trace_reader *r, struct trace_error *err)
{
	uint64_t end = r->bytes - ZSWT_HASH_TO_END;
	XXH128_canonical_t hash;

	XXH128_canonicalFromHash(&hash, XXH3_128bits(r->map, end));
	if (memcmp(&hash, r->map + end, sizeof(hash)))
		return reader_fail(r, err, end, "the file has another hash than the footer says");
	return 0;
}

int trace_reader_check(struct trace_reader *r, struct trace_error *err)
{
	int ret = check_pages(r, err);

	if (ret == 0)
		ret = check_lists(r, err);
	if (ret == 0)
		ret = check_events(r, err);
	if (ret == 0)
		ret = check_withheld(r, err);
	return ret ? ret : check_hash(r, err);
}
