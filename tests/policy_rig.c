// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/policy_rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POOL_PERCENT 20u

static int length_of(void *arg, uint32_t id)
{
	const uint16_t *lengths = arg;

	return lengths[id] == TRACE_LENGTH_FAILED ? -ENOSPC : lengths[id];
}

static void written_back(void *arg, swp_entry_t swap)
{
	slots_note_written_back(arg, swap.type, swap.offset);
}

void policy_rig_init(struct policy_rig *rig, const struct profile *profile, uint64_t limit_pages,
		     const uint16_t *lengths)
{
	struct kernel_config kernel = {
		.profile = profile,
		.totalram_pages = limit_pages * 100 / MAX_POOL_PERCENT,
		.no_contents = true,
	};
	struct zswap_config zswap = {
		.max_pool_percent = MAX_POOL_PERCENT,
		.accept_threshold_percent = 90,
		.length = length_of,
		.length_arg = (void *)lengths,
		.written_back = written_back,
	};

	memset(rig, 0, sizeof(*rig));
	rig->lengths = lengths;
	if (slots_create(false, &rig->slots) || kernel_create(&kernel, &rig->k) ||
	    memcgs_init(&rig->memcgs, 1) || swapdev_create(false, &rig->dev))
		goto err;
	zswap.written_back_arg = rig->slots;
	if (zswap_create(rig->k, &rig->memcgs, rig->dev, &zswap, &rig->z) ||
	    swap_io_create(rig->k, rig->z, rig->dev, &rig->io))
		goto err;
	return;
err:
	fprintf(stderr, "cannot set up the simulated machine\n");
	exit(2);
}

void policy_rig_finish(struct policy_rig *rig)
{
	swap_io_destroy(rig->io);
	zswap_destroy(rig->z);
	swapdev_destroy(rig->dev);
	memcgs_finish(&rig->memcgs);
	kernel_destroy(rig->k);
	slots_destroy(rig->slots);
}

static int store(struct policy_rig *rig, const struct trace_event *ev, struct folio *folio)
{
	uint32_t id = ev->arg, shown = rig->lengths[id] == TRACE_LENGTH_ZERO ? ZSWAP_ZERO_ID : id;
	enum swapout where;
	int ret = zswap_reserve(rig->z, folio->swap, 0);

	if (!ret)
		ret = swap_io_reserve(rig->io, 0);
	if (!ret)
		ret = slots_reserve(rig->slots, 1);
	folio->ids = &shown;
	if (!ret)
		ret = swap_writeout(rig->io, folio, &where);
	if (!ret)
		ret = slots_set(rig->slots, ev->swap_type, ev->offset, id,
				where == SWAPOUT_ACTIVATED);
	if (ret)
		return ret;
	rig->out[where]++;
	if (where != SWAPOUT_ZSWAP)
		zswap_run_shrink_worker(rig->z);
	return 0;
}

static int load(struct policy_rig *rig, const struct trace_event *ev, const struct folio *folio)
{
	enum swapin from;
	bool in_memory;
	uint32_t id;
	int ret;

	if (!slots_get(rig->slots, ev->swap_type, ev->offset, &id, &in_memory) || in_memory)
		return 0;
	ret = swap_read_folio(rig->io, folio, &from);
	if (!ret)
		rig->in[from]++;
	return ret;
}

static int run_event(struct policy_rig *rig, const struct trace_event *ev)
{
	struct folio folio = {
		.order = ev->order,
		.memcg = root_mem_cgroup(&rig->memcgs),
		.swap = {ev->swap_type, ev->offset},
	};

	switch (ev->type) {
	case TRACE_STORE:
		return store(rig, ev, &folio);
	case TRACE_LOAD:
		return load(rig, ev, &folio);
	case TRACE_INVALIDATE:
		slots_clear(rig->slots, ev->swap_type, ev->offset);
		swap_slot_free(rig->io, folio.swap, 0);
		return 0;
	default:
		return 0;
	}
}

int policy_rig_events(struct policy_rig *rig, struct trace_reader *reader, uint64_t from,
		      uint64_t to, struct trace_error *err)
{
	for (uint64_t i = from; i < to; i++) {
		struct trace_event ev;
		int ret = trace_reader_event(reader, i, &ev, err);

		if (!ret && ev.order)
			ret = -EINVAL;
		if (!ret)
			ret = run_event(rig, &ev);
		if (ret) {
			if (!err->message[0])
				snprintf(err->message, sizeof(err->message),
					 "event %" PRIu64 ": %s", i, strerror(-ret));
			return ret;
		}
		page_frames_trim(rig->k->frames);
	}
	return 0;
}
