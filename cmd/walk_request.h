/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request of `zswapsim walk`: from its options, on the command line or on a line of a batch, to
 * what a walker runs.
 */
#ifndef CMD_WALK_REQUEST_H
#define CMD_WALK_REQUEST_H

#include "backends/walker.h"
#include "cmd/walk_data.h"

/* A number of bytes; may be told by L, the length of the frame: "L", "L-3", "L+4". */
struct walk_size {
	bool given, of_frame;
	int64_t bytes;
};

struct walk_list {
	bool given;
	enum walker_kind kind;
	unsigned offset; /* of a folio */
	struct walk_size *sizes;
	unsigned nr, room;
};

/* Strings are the caller's, and must last as long as it. */
struct walk_spec {
	enum { WALK_OP_NONE, WALK_OP_COMPRESS, WALK_OP_DECOMPRESS } op;
	struct walk_list src, dst, split;
	struct walk_size slen, dlen, size;
	const char *src_text, *dst_text;
	const char *data, *frame, *output; /* NULL: not given */
	uint64_t seed, skip;
	bool pad;
};

/* Makes @spec, which is zeroed or was used, one without options. */
void walk_spec_reset(struct walk_spec *spec);
void walk_spec_finish(struct walk_spec *spec);

/* An option of a request: its long name, and what its value is called (NULL: it has none). */
struct walk_option {
	const char *name;
	char key; /* of its short form; 0: none */
	const char *value;
	const char *doc;
	int (*set)(struct walk_spec *spec, const char *value, struct walk_error *err);
};

extern const struct walk_option walk_options[];
extern const unsigned walk_nr_options;

/*
 * Reads a line of options as a shell would: words between blanks, "..." and '...' keep blanks, '#'
 * begins a comment. @line is written to. 0 with *@empty if there are no words; -EINVAL.
 */
int walk_spec_read_line(struct walk_spec *spec, char *line, bool *empty, struct walk_error *err);

/* What a walker is given, and the memory that it lies in. Zeroed before the first use. */
struct walk_input {
	struct walker_request request;
	unsigned *src_lengths, *dst_lengths;
	unsigned src_room, dst_room;
	struct walk_buffer bytes, plain;
	unsigned frame_bytes; /* L; 0 if it was not needed */
};

void walk_input_finish(struct walk_input *input);

/*
 * Fills *@input; @w makes the frames that are needed. @step goes into the request. 0 or -EINVAL, or
 * -ENOMEM.
 */
int walk_input_make(struct walk_input *input, const struct walk_spec *spec, struct walker *w,
		    bool step, struct walk_error *err);

/* What the bytes come from, in words, into @buf; returns @buf. */
const char *walk_spec_source(const struct walk_spec *spec, char *buf, size_t size);

#endif
