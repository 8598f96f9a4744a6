/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One acomp request under a microscope: it is run by the driver as it stands, with an observer that
 * keeps every step; what came out is judged by libzstd in userspace and compared with the same
 * request between linear buffers; and what the driver does that its caller would not expect is
 * named (backends/walker_quirks.h).
 *
 * A walker is a machine that lives on from request to request, so that a policy like
 * zstd.cpuid=once sees a first one. It is used by one thread at a time.
 */
#ifndef BACKENDS_WALKER_H
#define BACKENDS_WALKER_H

#include "backends/cpuid.h"
#include "backends/walker_frame.h"
#include "sim/acomp.h"

#define WALKER_MAX_BYTES   (64u << 20) /* of a side, and of slen and dlen */
#define WALKER_MAX_ENTRIES 65536u
/* Requests that are single-stepped are not longer: it would take hours. */
#define WALKER_MAX_STEPPED_BYTES (1u << 20)

enum walker_kind { WALKER_VIRT, WALKER_SG, WALKER_FOLIO };

/* One side of a request. Entries of a list have buffers of their own, apart from each other. */
struct walker_side {
	enum walker_kind kind;
	unsigned offset;	 /* of a folio: bytes from its first page to the entry */
	unsigned nr;		 /* entries; 1 of a virtual buffer or a folio */
	const unsigned *lengths; /* bytes, 0 is allowed */
	unsigned size;		 /* their sum */
};

struct walker_request {
	bool compress;
	struct walker_side src, dst;
	/* As the request has them. Of a virtual buffer at most its size; of a list, any. */
	unsigned slen, dlen;
	const void *bytes; /* src.size of them */
	/* decompress: what the source's frame is known to hold; NULL: not known */
	const void *plain;
	size_t plain_size;
	bool step; /* single-step it, and count its CPUIDs */
};

enum walker_step_kind {
	WALKER_STEP_EVENT, /* what the observer saw, as it is */
	/* What the driver made of an empty fragment. */
	WALKER_STEP_SRC_ENDS,
	WALKER_STEP_DST_ENDS,
	WALKER_STEP_OOPS, /* a walk went past its list */
};

/* "", of the rewritten loops, or of a driver without steps; "C0" to "C12", "D0" to "D9" */
#define WALKER_STEP_NAME 5

struct walker_step {
	char name[WALKER_STEP_NAME];
	uint8_t kind;	 /* enum walker_step_kind */
	uint8_t event;	 /* enum acomp_event_kind */
	uint8_t call;	 /* enum acomp_call */
	bool src;	 /* SRC_ENDS or DST_ENDS or OOPS: of which side */
	bool failed;	 /* CALL: an error, or NULL */
	bool builds;	 /* CALL of an init: the library builds a context */
	int ret;	 /* SET_UP */
	unsigned entry;	 /* NEXT, DONE: of the list, from 0 */
	unsigned bytes;	 /* as in struct acomp_event */
	unsigned left;	 /* as in struct acomp_event */
	unsigned cpuids; /* CALL of an init: executed, by kind; 0 if they cannot be counted */
	size_t in_bytes, out_bytes, result;
};

/* What was seen on the way. */
struct walker_facts {
	unsigned consumed;		       /* bytes of source that the driver was done with */
	bool src_ended_early, dst_ended_early; /* an empty fragment, though bytes were to come */
	bool dst_full;			       /* an empty fragment, and none was to come */
	unsigned flushes;		       /* calls of flush_stream */
	unsigned decodes;		       /* calls of decompress_stream, without an error */
	size_t hint;			       /* of the last of them; 0: at the end of a frame */
	size_t end_left;		       /* what end_stream left to flush, at last */
	bool window_too_big;		       /* decompress_stream: no memory in the workspace */
	const char *error;		       /* libzstd's name for the last error; NULL: none */
	unsigned inits;			       /* contexts initialised */
	unsigned cpuids;		       /* sum of the steps' */
};

struct walker_quirk {
	unsigned id; /* 1: Q1 */
	char what[224];
};

#define WALKER_MAX_QUIRKS 12

/* Belongs to the walker, until its next request. */
struct walker_result {
	int ret;
	unsigned dlen; /* bytes of output; 0 on error */
	bool oops;     /* the kernel would have crashed; ret is -EFAULT */
	enum acomp_path path;
	enum acomp_stream_reason reason;
	const struct walker_step *steps;
	unsigned nr_steps;
	struct walker_facts facts;
	const uint8_t *output; /* dlen bytes */
	/* decompress: they are what libzstd in userspace makes of the source, or its beginning */
	bool output_same;
	/* Of the output (compress, if there is any) or of the source (decompress). */
	bool judged;
	struct walker_frame frame;
	/* The same request between linear buffers, if it was not one-shot already. */
	bool linear_run;
	int linear_ret;
	unsigned linear_dlen;
	bool linear_same; /* the same bytes came out */
	/* If it was single-stepped. */
	bool stepped;
	struct cpuid_count count;
	struct walker_quirk quirks[WALKER_MAX_QUIRKS];
	unsigned nr_quirks;
};

struct walker;

/* 0; or, with a line in @err: -ENOTSUP or -EINVAL (a profile that cannot be had here), -ENOMEM. */
int walker_create(const struct profile *profile, struct walker **out, char *err, size_t err_size);
void walker_destroy(struct walker *w); /* accepts NULL */

/* NULL; or why CPUIDs are not counted here, one line. They are 0 then. */
const char *walker_cpuid_reason(struct walker *w);

/*
 * Runs @request. 0 with the result in *@out, whatever the driver returned; -ENOTSUP: it was to be
 * single-stepped, and the reason is in result->count; -ENOMEM.
 */
int walker_run(struct walker *w, const struct walker_request *request,
	       const struct walker_result **out);

/*
 * A frame of @bytes (src->size of them) as the driver makes it, streamed and flushed after each
 * fragment of @src, or in one shot; where it has room to end. It is the walker's until the next
 * call. 0 with *@frame, *@len; or what the driver returned; or -ENOMEM.
 */
int walker_make_frame(struct walker *w, const struct walker_side *src, const void *bytes,
		      bool oneshot, const uint8_t **frame, unsigned *len);

#endif
