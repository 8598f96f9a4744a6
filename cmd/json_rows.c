// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/json_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reals are means and ratios: 12 digits are more than they mean. */
#define FLAGS JSON_REAL_PRECISION(12)

int json_rows_begin(struct json_rows *j, FILE *out, const json_t *head, const char *name)
{
	char *text = json_dumps(head, FLAGS | JSON_INDENT(2));
	char *end = text ? strrchr(text, '}') : NULL;

	if (!end)
		return -ENOMEM;
	*j = (struct json_rows){.out = out};
	/* Back over the line's end before the brace. */
	fprintf(out, "%.*s,\n  \"%s\": [", (int)(end - 1 - text), text, name);
	free(text);
	return 0;
}

int json_rows_add(struct json_rows *j, const json_t *row)
{
	char *text = json_dumps(row, FLAGS | JSON_COMPACT);

	if (!text)
		return -ENOMEM;
	fprintf(j->out, "%s\n    %s", j->any ? "," : "", text);
	j->any = true;
	free(text);
	return 0;
}

void json_rows_end(struct json_rows *j)
{
	fprintf(j->out, "%s]\n}\n", j->any ? "\n  " : "");
}
