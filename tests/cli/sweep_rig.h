/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the end-to-end tests of sweep share: files, and a sweep that runs beside the test. */
#ifndef TESTS_CLI_SWEEP_RIG_H
#define TESTS_CLI_SWEEP_RIG_H

#include <sys/types.h>

#include "tests/cli/cli.h"

const char *write_file(void **state, const char *name, const char *text);
char *read_file(const char *path); /* to be freed */
/* Fails unless both are the same to the byte. */
void assert_same_files(const char *a, const char *b);

/* The trace of the tests: @pages pages that shrink to half. */
const char *make_trace(void **state, const char *name, const char *pages);

/* Starts the program; NULL at the end of @args. What it prints on stdout goes to the file @out. */
pid_t start_program(const char *out, const char *const *args);
/* Its exit status, or 128 + the signal that ended it. */
int wait_for_program(pid_t pid);

#endif
