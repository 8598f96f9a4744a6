/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every part of the guest program needs: files, numbers, and an end with a message. The guest
 * has no one to hand an error to: what must not fail ends the program, and the console says why.
 */
#ifndef GUEST_UTIL_H
#define GUEST_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_SIZE    4096ul
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* "GUEST-FATAL message: errno" on the console, which the harness looks for. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* 0 or a negative errno. */
int write_file(const char *path, const char *text);
void must_write(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A descriptor, or -1. */
int open_to_read(const char *path);
/* The whole file, up to @size - 1 bytes, without the newline at its end; "" if there is none. */
void read_file(const char *path, char *buf, size_t size);
/* From the beginning of an open file. */
void reread(int fd, char *buf, size_t size);
/* -1 if @fd is -1. */
int64_t reread_number(int fd);
/* The number after "KEY " at the beginning of a line, or -1. */
int64_t number_of_key(const char *text, const char *key);

/* splitmix64 */
struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
/* A permutation of 0..@nr - 1. */
void random_permutation(struct random *random, uint32_t *order, uint32_t nr);

#endif
