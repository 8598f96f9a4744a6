/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output: that it is written, or that the exit status says that it was not. */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <jansson.h>

/*
 * Once, first thing in main(): a reader who goes away ends the program by SIGPIPE; a closed
 * standard descriptor cannot be taken by a file that is opened later; at exit, output that could
 * not be written is one line on stderr and exit status 2.
 */
void output_init(void);

/* Prints @root, indented, keys in the order of insertion, and a newline; drops the reference. */
void output_json(json_t *root);
/* The same on one line: for output that has many of them. */
void output_json_line(json_t *root);

#endif
