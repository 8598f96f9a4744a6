/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lengths of a trace's pages by all codecs of a sweep: one struct lengths for all rows with the
 * same compressor and the same values of what its lengths depend on.
 */
#ifndef SIM_SWEEP_LENGTHS_H
#define SIM_SWEEP_LENGTHS_H

#include "sim/lengths.h"
#include "sim/sweep_file.h"

struct sweep_codec {
	char id[LENGTHS_KEY_BYTES];  /* compressor and switches */
	char key[LENGTHS_KEY_BYTES]; /* lengths_key()'s: with the library's version */
	uint32_t row;		     /* the first that has it */
	struct lengths *lengths;     /* NULL: not opened */
};

struct sweep_lengths {
	const struct crypto_registry *crypto;
	unsigned nr;
	struct sweep_codec *codecs; /* in the order of the rows */
};

/*
 * Finds the codecs of all rows; no lengths yet. 0, or a negative errno and a line in *err: a
 * content-free trace may lack lengths of a codec.
 */
int sweep_lengths_create(const struct sweep_file *file, struct trace_reader *reader,
			 const struct crypto_registry *crypto, struct sweep_lengths **out,
			 struct trace_error *err);
void sweep_lengths_destroy(struct sweep_lengths *l); /* accepts NULL */

/* The codec of a row's settings, which is one of them; NULL: no memory. */
struct sweep_codec *sweep_lengths_find(const struct sweep_lengths *l, const struct settings *s);

/* Opens one, unless it is: by a pass on @nr_threads threads, if it was never made. */
int sweep_lengths_open(const struct sweep_lengths *l, struct sweep_codec *codec,
		       const struct sweep_file *file, struct trace_reader *reader,
		       unsigned nr_threads, lengths_progress_fn progress, void *progress_arg,
		       struct trace_error *err);

#endif
