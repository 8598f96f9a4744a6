/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the policy of a replay stands: how far from clairvoyant, and from what none can beat. */
#ifndef CMD_POLICY_STANDING_H
#define CMD_POLICY_STANDING_H

#include <jansson.h>
#include <stdio.h>

#include "sim/policy_table.h"
#include "sim/replay.h"

struct policy_standing {
	const char *policy;		      /* as it was named */
	const char *compressor;		      /* the first that it could choose */
	const struct replay_result *replayed; /* under it */
	struct policy_table table; /* of clairvoyant under the same settings, and the bound */
};

/*
 * After a replay of @config with @result: replays the trace once more, with clairvoyant, in policy
 * mode. *out is to be freed, and refers to @config and @result. 0, or an exit status: then one line
 * is on stderr.
 */
int policy_standing_find(const struct replay_config *config, const char *trace,
			 struct trace_reader *reader, const struct replay_result *result,
			 const char *name, struct policy_standing **out);

void policy_standing_text(FILE *out, const struct policy_standing *standing);
json_t *policy_standing_json(const struct policy_standing *standing); /* NULL: out of memory */

#endif
