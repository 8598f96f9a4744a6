/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the trace format share: a sample trace, files as bytes, and damage to them. */
#ifndef TESTS_TRACE_FILE_H
#define TESTS_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traces/layout.h"
#include "traces/reader.h"
#include "traces/writer.h"

/* cmocka group set-up and tear-down: a directory of our own, with all that is in it. */
int scratch_create(void **state);
int scratch_remove(void **state);
/* A path in it; overwritten by the eighth call from here. */
const char *scratch_path(const char *name);
const char *scratch_dir(void);
/* How many files there are in it. */
unsigned scratch_nr_files(void);

struct bytes {
	uint8_t *data;
	size_t size;
};

struct bytes bytes_read(const char *path);
void bytes_write(const struct bytes *b, const char *path);
struct bytes bytes_copy(const struct bytes *b);

/* Contents of page @seed: text-like, or random for every fourth. */
void sample_page(uint64_t seed, uint8_t page[TRACE_PAGE_SIZE]);
extern const struct trace_writer_config sample_config;

#define SAMPLE_PAGES  43u
#define SAMPLE_FOLIOS 3u

/* A trace with a bit of everything: SAMPLE_PAGES pages, memcgs, marks, every type of event. */
void sample_write(const char *path);

/* The parts of a trace in memory. */
struct zswt_header *header_of(struct bytes *b);
struct zswt_footer *footer_of(struct bytes *b);
uint64_t section_offset(struct bytes *b, enum zswt_section_kind kind);
void *section_of(struct bytes *b, enum zswt_section_kind kind);
/* The first event of @type, and its number. */
struct zswt_event *event_of(struct bytes *b, unsigned type, uint64_t *number);

/* Makes all checksums right again, so that what is behind them is checked. */
void reseal(struct bytes *b);

/* Opens and checks the bytes as a file: 0, or the error. */
int try_bytes(const struct bytes *b, struct trace_error *err);
/* ... and fails unless the error is one line, names file, @offset and @cause. */
void expect_refused(const struct bytes *b, uint64_t offset, const char *cause);
void expect_message(const struct trace_error *err, const char *path, uint64_t offset,
		    const char *cause);

/* assert_int_equal(x, 0) that shows the message. */
#define assert_ok(x, err) assert_ok_at((x), (err), #x, __FILE__, __LINE__)
void assert_ok_at(int ret, const struct trace_error *err, const char *what, const char *file,
		  int line);

/* Anonymous memory of this process, in bytes. */
uint64_t rss_anon(void);

#endif
