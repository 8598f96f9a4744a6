// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include <inttypes.h>

#include "util.h"

static FILE *create(const char *scenario, const char *suffix)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/out/%s.%s", scenario, suffix);
	f = fopen(path, "w");
	if (!f)
		die("cannot create %s", path);
	return f;
}

void output_open(struct output *out, const char *driver, const char *kind, const char *algorithm)
{
	*out = (struct output){0};
	snprintf(out->scenario, sizeof(out->scenario), "%s_%s_%s", driver, kind, algorithm);
	out->csv = create(out->scenario, "csv");
	out->steps = create(out->scenario, "jsonl");
	/* Rows are written to the file when there are many, so as not to disturb what is observed.
	 */
	setvbuf(out->csv, NULL, _IOFBF, 1 << 20);
}

void output_close(struct output *out)
{
	if (fclose(out->csv) || fclose(out->steps))
		die("cannot write the results");
}

static void separate(struct output *out)
{
	if (out->within_row)
		putc(',', out->csv);
	out->within_row = true;
}

void output_text(struct output *out, const char *text)
{
	separate(out);
	fputs(text, out->csv);
}

void output_number(struct output *out, int64_t number)
{
	separate(out);
	fprintf(out->csv, "%" PRId64, number);
}

void output_names(struct output *out, const char *const *names, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		output_text(out, names[i]);
}

void output_end_names(struct output *out)
{
	putc('\n', out->csv);
	out->within_row = false;
}

void output_end_row(struct output *out)
{
	output_end_names(out);
	out->rows++;
}

void output_step(struct output *out, const char *step, json_t *facts)
{
	json_t *whole = json_pack("{s:s, s:s}", "scenario", out->scenario, "step", step);
	char *line;

	if (!whole || json_object_update(whole, facts))
		die("out of memory");
	json_decref(facts);
	line = json_dumps(whole, JSON_COMPACT);
	if (!line)
		die("out of memory");
	json_decref(whole);
	fprintf(out->steps, "%s\n", line);
	fflush(out->steps);
	printf("STEP %s\n", line);
	free(line);
}

void output_done(struct output *out)
{
	output_step(out, "done", json_pack("{s:I}", "rows", (json_int_t)out->rows));
}
