/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each distinct page of a trace compresses to: all that policy mode needs of contents. A first
 * pass compresses every page once, as zswap would, on all cores; the result is kept in a file
 * beside the trace. Of a content-free trace, the lengths are in the trace.
 *
 * A struct lengths does not change once it is made: any number of threads may use it at once.
 */
#ifndef SIM_LENGTHS_H
#define SIM_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/reader.h"

struct crypto_registry;
struct profile;

/* Between pages, in the thread that called lengths_open(): @done of @total pages. */
typedef void (*lengths_progress_fn)(void *arg, uint64_t done, uint64_t total);

struct lengths_config {
	const struct crypto_registry *crypto;
	const struct profile *profile;
	const char *compressor;	      /* as zswap_config.compressor; NULL: "zstd" */
	unsigned nr_threads;	      /* of the pass; 0: as many as this process has CPUs */
	bool no_file;		      /* neither look for the file nor keep it */
	lengths_progress_fn progress; /* may be NULL */
	void *progress_arg;
};

enum lengths_origin {
	LENGTHS_COMPUTED,   /* by a pass, now */
	LENGTHS_FROM_FILE,  /* kept by an earlier one */
	LENGTHS_FROM_TRACE, /* which is content-free */
	LENGTHS_NR_ORIGINS
};

/* All that lengths depend on but the trace: "zstd zstd.params_hint=262144 libzstd 1.5.4". */
#define LENGTHS_KEY_BYTES 256

struct lengths {
	const int16_t *values; /* [nr_pages]; see lengths_of() */
	uint64_t nr_pages;
	int zeros; /* what a page of zeros compresses to, where it is not spared that */
	enum lengths_origin origin;
	char key[LENGTHS_KEY_BYTES]; /* of a content-free trace: its name for the compressor */
	/* Of a content-free trace whose name for it does not say so: what the key would be; or "".
	 */
	char unlike[LENGTHS_KEY_BYTES];
	char *path; /* of the file that has them now; NULL: none has */
	/* Why there was a pass, and why its result was not kept; "" if there is nothing to say. */
	char why_computed[128], why_not_kept[400];
	unsigned nr_threads; /* of the pass */
	uint64_t pass_ns;
};

/*
 * The lengths of the trace that @reader has open, which may be used and closed as it pleases the
 * caller afterwards. @trace_path: beside which the file is (not that the trace is read again). That
 * the file cannot be read or written is no error: *out says so.
 *
 * 0; an error of crypto_parse_acomp(): no such compressor, or not to be had; -ENODATA: a
 * content-free trace that has no lengths of it; -EPROTO: the codec gave a length that is none; or
 * what reading the trace gave, -ENOMEM. One line in *err.
 */
int lengths_open(const char *trace_path, struct trace_reader *reader,
		 const struct lengths_config *config, struct lengths **out,
		 struct trace_error *err);
void lengths_close(struct lengths *l); /* accepts NULL */

/*
 * The key of what lengths_open() would give, into @buf (LENGTHS_KEY_BYTES), without making it:
 * settings with one key share one struct lengths. Errors as lengths_open()'s.
 */
int lengths_key(struct trace_reader *reader, const struct lengths_config *config, char *buf,
		struct trace_error *err);

/*
 * Bytes of page @id < nr_pages, 1 or more; 0: a page of zeros; a negative errno: its compression
 * fails with that.
 */
static inline int lengths_of(const struct lengths *l, uint32_t id)
{
	return l->values[id];
}

#endif
