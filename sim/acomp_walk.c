// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "sim/acomp_trace.h"

static int set_up(struct acomp_walk *walk, struct acomp_req *req)
{
	walk->slen = req->slen;
	walk->dlen = req->dlen;
	walk->fault = 0;
	walk->trace = req->trace;
	if (!walk->slen || !walk->dlen)
		return -EINVAL;

	walk->flags = 0;
	walk->src_addr = NULL;
	walk->dst_addr = NULL;
	if (req->flags & ACOMP_REQ_SRC_VIRT) {
		walk->flags |= ACOMP_WALK_SRC_LINEAR;
		walk->in.lin.virt = req->svirt;
		walk->in.lin.offset = 0;
	} else {
		scatterwalk_start(&walk->in.sg, req->src);
	}
	if (req->flags & ACOMP_REQ_DST_VIRT) {
		walk->flags |= ACOMP_WALK_DST_LINEAR;
		walk->out.lin.virt = req->dvirt;
		walk->out.lin.offset = 0;
	} else {
		scatterwalk_start(&walk->out.sg, req->dst);
	}
	return 0;
}

int acomp_walk_virt(struct acomp_walk *walk, struct acomp_req *req)
{
	int ret = set_up(walk, req);

	acomp_trace_event(walk->trace, .kind = ACOMP_EVENT_SET_UP, .ret = ret, .walk = walk);
	return ret;
}

/* The walk of a request that may not sleep: a linear side is one fragment, whatever its length. */
static unsigned next_src(struct acomp_walk *walk)
{
	int len;

	if (!walk->slen)
		return 0;
	if (walk->flags & ACOMP_WALK_SRC_LINEAR) {
		walk->src_addr = (void *)(walk->in.lin.virt + walk->in.lin.offset);
		return walk->slen;
	}
	len = scatterwalk_next(&walk->in.sg, walk->slen, &walk->src_addr);
	if (len < 0) {
		walk->fault = len;
		return 0;
	}
	return len;
}

unsigned acomp_walk_next_src(struct acomp_walk *walk)
{
	unsigned len = next_src(walk);

	acomp_trace_event(walk->trace, .kind = ACOMP_EVENT_NEXT_SRC, .walk = walk, .bytes = len,
			  .left = walk->slen);
	return len;
}

static unsigned next_dst(struct acomp_walk *walk)
{
	int len;

	if (!walk->dlen)
		return 0;
	if (walk->flags & ACOMP_WALK_DST_LINEAR) {
		walk->dst_addr = (void *)(walk->out.lin.virt + walk->out.lin.offset);
		return walk->dlen;
	}
	len = scatterwalk_next(&walk->out.sg, walk->dlen, &walk->dst_addr);
	if (len < 0) {
		walk->fault = len;
		return 0;
	}
	return len;
}

unsigned acomp_walk_next_dst(struct acomp_walk *walk)
{
	unsigned len = next_dst(walk);

	acomp_trace_event(walk->trace, .kind = ACOMP_EVENT_NEXT_DST, .walk = walk, .bytes = len,
			  .left = walk->dlen);
	return len;
}

void acomp_walk_done_src(struct acomp_walk *walk, unsigned used)
{
	acomp_trace_event(walk->trace, .kind = ACOMP_EVENT_DONE_SRC, .walk = walk, .bytes = used,
			  .left = walk->slen);
	walk->slen -= used;
	if (walk->flags & ACOMP_WALK_SRC_LINEAR)
		walk->in.lin.offset += used;
	else
		scatterwalk_advance(&walk->in.sg, used);
}

void acomp_walk_done_dst(struct acomp_walk *walk, unsigned used)
{
	acomp_trace_event(walk->trace, .kind = ACOMP_EVENT_DONE_DST, .walk = walk, .bytes = used,
			  .left = walk->dlen);
	walk->dlen -= used;
	if (walk->flags & ACOMP_WALK_DST_LINEAR)
		walk->out.lin.offset += used;
	else
		scatterwalk_advance(&walk->out.sg, used);
}
