/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request that was walked, on standard output. */
#ifndef CMD_WALK_PRINT_H
#define CMD_WALK_PRINT_H

#include <jansson.h>

#include "cmd/walk_request.h"

struct walk_view {
	const struct profile *profile;
	struct walker *walker; /* that ran it */
	const struct walk_spec *spec;
	const struct walk_input *input;
	const struct walker_result *result;
	bool steps; /* JSON: with the steps */
	bool hex;   /* JSON: with the output's bytes */
};

/* What is asked for; then what happened, which may be printed of several walkers. */
void walk_print_request(const struct walk_view *view);
void walk_print_result(const struct walk_view *view);
/* Of a batch: line @line in one line. */
void walk_print_line(const struct walk_view *view, uint64_t line);

/*
 * @released is of the loops as released, where the profile has the rewritten ones; or NULL. Returns
 * NULL when out of memory.
 */
json_t *walk_to_json(const struct walk_view *view, const struct walk_view *released);

/* A string; what is no UTF-8, as a file's name may be, is replaced. NULL when out of memory. */
json_t *walk_text_to_json(const char *text);

#endif
