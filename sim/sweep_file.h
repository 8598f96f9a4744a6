/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep: settings of which some have several values, as an INI file has them (docs/sweep.md).
 *
 *	kernel = 7.3
 *	zswap.max_pool_percent = 5, 10, 20..50:10
 *	zsmalloc.chain_size = 4..16
 *
 * Its rows are the product of all values: the settings in the order of the file, the last one
 * changing fastest, each one's values in the order in which they are written. Rows are numbered
 * from 0 here and from 1 wherever people see them.
 *
 * All errors: a negative errno and one line in *err, "FILE:LINE: cause".
 */
#ifndef SIM_SWEEP_FILE_H
#define SIM_SWEEP_FILE_H

#include "sim/settings.h"
#include "sim/sweep_list.h"

#define SWEEP_MAX_ROWS	 100000u
#define SWEEP_MAX_VALUES 10000u
#define SWEEP_MAX_AXES	 64u

struct sweep_value {
	char *text;	 /* as written, ranges written out */
	char *canonical; /* the same for all ways to write it */
	unsigned line;
};

struct sweep_axis {
	struct setting_key key;
	unsigned line; /* where it begins */
	unsigned nr;   /* values, 1 to SWEEP_MAX_VALUES */
	struct sweep_value *values;
};

struct sweep_file {
	char *path;
	/*
	 * What it says, once more, in a form of its own: two files that say the same (with other
	 * comments, or lists for ranges) have the same text. It can be parsed again.
	 */
	char *text;
	struct sweep_axis axes[SWEEP_MAX_AXES];
	unsigned nr_axes;
	uint32_t nr_rows; /* 1 to SWEEP_MAX_ROWS */
};

int sweep_file_read(const char *path, struct sweep_file **out, struct trace_error *err);
/* The same from text; @path is for messages alone. */
int sweep_file_parse(const char *path, const char *text, struct sweep_file **out,
		     struct trace_error *err);
void sweep_file_free(struct sweep_file *file); /* accepts NULL */

/* The value that row @row has of axis @axis; the string is the file's. */
const char *sweep_file_value(const struct sweep_file *file, uint32_t row, unsigned axis);
/* The settings of row @row; valid as long as @file is. */
void sweep_file_settings(const struct sweep_file *file, uint32_t row, struct settings *s);
/* "KEY=VALUE KEY=VALUE ..." of those with several values (@all: of all), to be freed; NULL: no
 * memory. */
char *sweep_file_row_text(const struct sweep_file *file, uint32_t row, bool all);

/*
 * That there is what the values name (compressors, files), and that those of each row fit together.
 * -EFAULT: the code of a policy crashed, and the program had better end.
 */
int sweep_file_check(const struct sweep_file *file, const struct crypto_registry *crypto,
		     struct trace_error *err);

/*
 * Shard @shard of @nr_shards, both from 1: of each @nr_shards rows in a row every shard has one,
 * which one goes round, so that no shard has the same value of the last setting every time.
 */
static inline bool sweep_in_shard(uint32_t row, uint32_t shard, uint32_t nr_shards)
{
	return (row + row / nr_shards) % nr_shards == shard - 1;
}

#endif
