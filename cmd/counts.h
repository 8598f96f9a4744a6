/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of a report by name: the whole path of a key ("kernel.written_back_pages"), its last
 * part if no other key ends so, or one of a few short names. Lists (size classes, memcgs) have no
 * names.
 */
#ifndef CMD_COUNTS_H
#define CMD_COUNTS_H

#include <jansson.h>
#include <stdio.h>

#define COUNTS_PATH_BYTES 96

/* Calls @visit for every number of @counts, or null in its place, in their order. */
typedef void (*counts_visit_fn)(void *arg, const char *path);
void counts_walk(const json_t *counts, counts_visit_fn visit, void *arg);

/* What is at @path; NULL if nothing is. */
const json_t *counts_find(const json_t *counts, const char *path);

/*
 * The path that @name means, into @path (COUNTS_PATH_BYTES). 0, or -EINVAL with a line, without its
 * end, on @err: a name that is not known lists the known ones.
 */
int counts_resolve(const json_t *counts, const char *name, char *path, FILE *err);

#endif
