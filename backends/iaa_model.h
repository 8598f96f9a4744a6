/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a compression accelerator takes for a call of several pages: a model, for a device that is
 * not there. What comes out of it is modelled, and is never to be shown as if it were measured.
 *
 * A call of n pages takes
 *
 *	n * submit_ns + complete_ns + the device's time of n pages,
 *
 * where no more than queue_depth pages are with the device at once: the rest go in further rounds.
 * The device's time is given by latencies a page at some batch sizes. In between, and beyond the
 * last, the time of all pages goes on in a straight line: so partial batches and the tails of
 *folios lie on the same curve. With a single latency, at batch 1, the pages go in turns of
 *@engines.
 *
 * Latencies that were measured around whole calls have submission and completion in them: then
 * those two are 0. Where p99 is given, single calls are spread around p50 as a lognormal
 * distribution with both quantiles would be.
 *
 * Built-in: "letter", "sweep". One's own, as INI:
 *
 *	[device]
 *	name = mine
 *	source = where the figures are from
 *	engines = 8          ; 1 to 64
 *	queue_depth = 128    ; pages
 *	batch_size = 8       ; pages that it likes to have at once, 1 to 64
 *	submit_ns = 0        ; a page
 *	complete_ns = 0      ; a call
 *	[compress]
 *	1 = 3396 3663        ; batch size = p50 and p99 in ns a page; or p50 alone
 *	8 = 717 774
 *	[decompress]         ; may be left out: then it is not known
 *	1 = 2999
 */
#ifndef BACKENDS_IAA_MODEL_H
#define BACKENDS_IAA_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#define IAA_MAX_POINTS 16
#define IAA_MAX_BATCH  64
#define IAA_MAX_NS     1e9

enum iaa_dir { IAA_COMPRESS, IAA_DECOMPRESS, IAA_NR_DIRS };

struct iaa_curve {
	unsigned nr;  /* 0: not known */
	bool has_p99; /* of every point */
	struct iaa_point {
		unsigned batch;	       /* pages; ascending, the first is 1 */
		double p50_ns, p99_ns; /* a page */
	} point[IAA_MAX_POINTS];
};

struct iaa_model {
	char name[32];
	char source[512]; /* of the figures */
	unsigned engines, queue_depth, batch_size;
	double submit_ns, complete_ns;
	struct iaa_curve curve[IAA_NR_DIRS];
};

/* Ends with NULL. */
const char *const *iaa_model_names(void);
/* 0; -ENOENT with a line in @err that lists the names. */
int iaa_model_builtin(const char *name, struct iaa_model *model, char *err, size_t err_size);
/* A file: 0; or a line in @err: -EINVAL (what is wrong, and in which line), or why it cannot be
 * read. */
int iaa_model_read(const char *path, struct iaa_model *model, char *err, size_t err_size);

/*
 * ns of a call of @nr pages (at least 1), @z standard deviations from the median; 0 gives p50,
 * IAA_Z_P99 gives p99. 0 if it is not known.
 */
double iaa_model_ns(const struct iaa_model *model, enum iaa_dir dir, unsigned nr, double z);

#define IAA_Z_P99 2.3263478740408408

/*
 * The z of call @i: quantiles of the normal distribution in an order that has each of them once in
 * IAA_NR_Z calls, so that a few calls have the median already.
 */
#define IAA_NR_Z 1024u
void iaa_model_spread(double z[IAA_NR_Z]);

#endif
