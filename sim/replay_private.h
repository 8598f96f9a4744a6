/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the replay share among themselves. */
#ifndef SIM_REPLAY_PRIVATE_H
#define SIM_REPLAY_PRIVATE_H

#include "sim/replay.h"
#include "sim/slots.h"


struct replay {
	const struct replay_config *config;
	struct trace_reader *reader;
	const struct trace_info *info;
	struct replay_result *result;
	struct trace_error *err;
	uint64_t event; /* number of the one at hand */

	struct kernel *k;
	struct memcgs memcgs;
	struct mem_cgroup **memcg_of; /* [info->nr_memcgs]; NULL: not created yet */
	struct swapdev *dev;
	struct zswap *z;
	struct swap_io *io;
	struct slots *slots;
	/* Frames that folios are in on their way out and in; made when first needed, by order. */
	struct page *out_page[TRACE_MAX_ORDER + 1], *in_page[TRACE_MAX_ORDER + 1];
	bool classes_current; /* the size classes of the peak were written down */
	uint32_t ids[1u << TRACE_MAX_ORDER];
};

/* An error of the trace or of the machine at the event at hand: fills *r->err, returns @ret. */
int replay_fail(struct replay *r, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* replay_memcg.c: memcg @i of the trace's table, at the start; a MEMCG event. */
int replay_add_memcg(struct replay *r, unsigned i);
int replay_memcg_event(struct replay *r, const struct trace_event *ev);

/* replay_result.c: what goes into the result along the way. */
void replay_observe_page(void *arg, const struct zswap_page_event *event);
void replay_note_failure(struct replay *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void replay_note_pool(struct replay *r);
void replay_note_classes(struct replay *r);
int replay_result_init(struct replay *r); /* once zswap is there */

#endif
