/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace is made of (docs/trace-format.md has the bytes): distinct page contents, memcgs, and
 * events in order. This header is what reader and writer share with their users.
 */
#ifndef TRACES_FORMAT_H
#define TRACES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PAGE_SIZE	     4096u
#define TRACE_MAX_ORDER	     9u /* 2 MiB */
#define TRACE_MAX_CPUS	     1024u
#define TRACE_MAX_MEMCGS     65536u
#define TRACE_MAX_SWAP_TYPES 32u
#define TRACE_MAX_OFFSET     (1ull << 40) /* swap slots of a type */
#define TRACE_NO_LIMIT	     UINT64_MAX

/* In the lengths of a content-free trace: a page of zeros; a page that the compressor refused. */
#define TRACE_LENGTH_ZERO   0u
#define TRACE_LENGTH_FAILED 65535u

enum trace_event_type {
	TRACE_STORE = 1,  /* a folio reached zswap's door: swap type, offset, order, its pages */
	TRACE_LOAD,	  /* swap-in of 1 << order slots */
	TRACE_INVALIDATE, /* 1 << order slots are freed */
	TRACE_PRESSURE,	  /* the shrinker is called: arg = entries to scan, 0 = count only */
	TRACE_MEMCG,	  /* what = enum trace_memcg_op, arg = its value */
	TRACE_MARK,	  /* a named phase begins: arg = index of its name */
	TRACE_EVENT_TYPES,
};

enum trace_memcg_op {
	TRACE_MEMCG_ONLINE = 1,	     /* created */
	TRACE_MEMCG_OFFLINE,	     /* killed */
	TRACE_MEMCG_ZSWAP_MAX,	     /* arg bytes, TRACE_NO_LIMIT = max */
	TRACE_MEMCG_ZSWAP_WRITEBACK, /* arg 0 or 1 */
	TRACE_MEMCG_OPS,
};

struct trace_event {
	uint64_t time_ns; /* since the trace began; never goes back */
	uint8_t type;	  /* enum trace_event_type */
	uint8_t order;	  /* STORE, LOAD, INVALIDATE: 0 to TRACE_MAX_ORDER */
	uint8_t swap_type;
	uint8_t what; /* enum trace_memcg_op, of a MEMCG event */
	uint16_t cpu;
	uint16_t memcg;	 /* index in the memcg table; 0 is the root */
	uint64_t offset; /* first swap slot; a multiple of 1 << order */
	uint64_t arg;	 /* STORE: id of the page (order 0), or position of 1 << order ids in the
			    page lists (order > 0); else see the types */
};

/* Memcg 0 is the root: path "/", no limits, its own parent. */
struct trace_memcg {
	const char *path;     /* of the reader or caller; "" if it was withheld */
	uint16_t parent;      /* index, less than its own */
	bool zswap_writeback; /* at the start */
	bool online;	      /* exists from the start; else a MEMCG_ONLINE event creates it */
	uint64_t zswap_max;   /* bytes, TRACE_NO_LIMIT = max */
};

/* In one line: what is wrong, where. */
struct trace_error {
	uint64_t offset;   /* byte in the file; UINT64_MAX: does not apply */
	char message[384]; /* "FILE: offset N: cause", without newline */
};

#endif
