/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a string in a trace may be: UTF-8 without control characters, so that whoever prints it, to
 * a terminal or as JSON, has nothing to fear from a file that he was sent.
 */
#ifndef TRACES_TEXT_H
#define TRACES_TEXT_H

#include <stddef.h>

/* Bytes at the beginning of @s that are such text: all of it if a NUL follows. */
size_t trace_text_span(const char *s);

#endif
