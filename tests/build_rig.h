/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of building traces have in common. Whatever goes wrong in here fails the test. */
#ifndef TESTS_BUILD_RIG_H
#define TESTS_BUILD_RIG_H

#include "traces/build.h"

/* Setup and teardown of a test: a directory of its own, "in" below it for inputs. */
int dir_create(void **state);
int dir_remove(void **state);
#define test(f) cmocka_unit_test_setup_teardown(f, dir_create, dir_remove)

/* A path in it; good until the eighth call after this one. */
const char *at(const char *name);
/* A file of @size bytes; its path. */
const char *put(const char *name, const void *data, size_t size);
/* Bytes of a file that is told apart from others by @seed; to be freed. */
uint8_t *content(uint64_t seed, size_t size);

#define inputs_of(...) ((const char *const[]){__VA_ARGS__, NULL})
/* trace_build() of a trace @path. */
int build_at(const char *path, const char *const *inputs, bool raw, unsigned order,
	     struct trace_made *made, struct trace_error *err);
/* Builds "out.bin". */
struct trace_made build_order(const char *const *inputs, bool raw, unsigned order);
/* The same, as it comes; returns how many pages it has. */
uint64_t build(const char *const *inputs);
/* Nothing is written, and the one line names @name and @cause. */
void refuse(const char *const *inputs, const char *name, const char *cause);
/* The stored pages of "out.bin" are @data, @size bytes, cut and filled up. */
void check_pages(const uint8_t *data, size_t size);

/* An archive of two files, an empty one and a directory, by libarchive's names; its path. */
const char *archive_of(const char *name, const char *format, const char *filter,
		       const char *options, const uint8_t *data, size_t first, size_t second);
/* A file packed by itself. */
const char *packed_of(const char *name, const char *filter, const void *data, size_t size);

#endif
