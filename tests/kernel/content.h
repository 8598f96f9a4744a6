/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input pages of the harness, made from their numbers: the same everywhere and for ever. */
#ifndef TESTS_KERNEL_CONTENT_H
#define TESTS_KERNEL_CONTENT_H

#include <stdint.h>

#define CONTENT_PAGE_SIZE 4096
#define CONTENT_PAGES	  512

/* @page: CONTENT_PAGE_SIZE bytes. */
void content_page(void *page, uint32_t index);

#endif
