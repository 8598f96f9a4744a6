// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/registry.h"
#include "cmd/atomic_file.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "cmd/policy_options.h"
#include "cmd/sweep_job.h"
#include "cmd/sweep_merge.h"
#include "cmd/sweep_output.h"
#include "traces/error.h"

#define MAX_JOBS   1024
#define MAX_SHARDS 10000

enum { OPT_SHARD = 256, OPT_MERGE, OPT_COLUMNS, OPT_PROGRESS, OPT_KEYS, OPT_PREPARE };

struct arguments {
	const char *name;
	const char **paths; /* TRACE and FILE, or shards */
	unsigned nr_paths;
	const char *output, *columns_list;
	struct sweep_columns columns;
	unsigned jobs;
	uint32_t shard, nr_shards; /* 0: all of it */
	bool merge, dry_run, keys, prepare, progress;
};

static const struct argp_option options[] = {
	{"jobs", 'j', "N", 0, "Replays at a time; default: as many as there are CPUs", 0},
	{"output", 'o', "BASE", 0,
	 "Write BASE.csv, BASE.json and the journal, BASE.journal (of a shard BASE.I-of-N.shard "
	 "and "
	 "nothing else); default: FILE without its .ini, in the current directory",
	 0},
	{"columns", OPT_COLUMNS, "LIST", 0,
	 "Counts that the table shows, with commas; names are those of counts in the JSON report",
	 0},
	{"shard", OPT_SHARD, "I/N", 0, "Run the I-th of N parts, I from 1", 0},
	{"merge", OPT_MERGE, 0, 0, "Join the shards that are named in place of TRACE and FILE", 0},
	{"prepare", OPT_PREPARE, 0, 0,
	 "Only compress the trace's pages by every codec of FILE, for shards to begin with", 0},
	{"dry-run", 'n', 0, 0, "Print the settings, and run none", 0},
	{"keys", OPT_KEYS, 0, 0, "Print the settings that there are, and what they mean", 0},
	{"progress", OPT_PROGRESS, 0, 0, "Say how far it is, also if stderr is no terminal", 0},
	{0},
};

static const char doc[] =
	"Replays TRACE under every combination of the settings in FILE, of which each may be a "
	"list or a range (docs/sweep.md), and writes a table, CSV and JSON. One that was killed "
	"goes "
	"on where it was.\v"
	"Examples:\n"
	"  zswapsim sweep silesia.bin pool.ini\n"
	"  zswapsim sweep --dry-run silesia.bin pool.ini\n"
	"  zswapsim sweep --shard 2/8 silesia.bin pool.ini\n"
	"  zswapsim sweep --merge pool.*-of-8.shard\n\n"
	"Exit status: 0 all loads were right; 1 a page came back changed or not at all, or a "
	"replay stopped; 2 bad input; 3 the trace stores nothing at all.";

static void read_shard(struct arguments *a, const struct argp_state *state, const char *text)
{
	const char *slash = strchr(text, '/');
	char first[16];
	uint64_t shard, nr;

	snprintf(first, sizeof(first), "%.*s", (int)(slash ? slash - text : 0), text);
	if (!slash || options_read_u64(first, &shard) || options_read_u64(slash + 1, &nr) ||
	    shard < 1 || shard > nr || nr > MAX_SHARDS)
		options_error(state, "--shard '%s': not I/N, with I from 1 to N and N up to %u",
			      text, MAX_SHARDS);
	a->shard = shard;
	a->nr_shards = nr;
}

static void finish(struct arguments *a, const struct argp_state *state)
{
	if (a->keys && a->nr_paths)
		options_error(state, "--keys lists all of them, and takes no '%s'", a->paths[0]);
	if (a->keys)
		return;
	if (a->merge && a->nr_shards)
		options_error(state, "--merge joins what --shard has run: one or the other");
	if (a->merge && (a->dry_run || a->prepare))
		options_error(state, "--merge runs nothing: %s is for a sweep",
			      a->dry_run ? "--dry-run" : "--prepare");
	if (a->prepare && (a->dry_run || a->nr_shards))
		options_error(state, "--prepare is for all of a sweep, not with %s",
			      a->dry_run ? "--dry-run" : "--shard");
	if (a->merge && !a->nr_paths)
		options_error(state, "the shards to be joined are needed");
	if (!a->merge && a->nr_paths > 2)
		options_error(state, "a trace and one sweep file at a time, not '%s' too",
			      a->paths[2]);
	if (!a->merge && a->nr_paths < 2 && !(a->dry_run && a->nr_paths))
		options_error(state, "a trace and a sweep file are needed");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'j':
		a->jobs = options_u64(state, "--jobs", arg, 1, MAX_JOBS);
		return 0;
	case 'o':
		if (!*arg)
			options_error(state, "--output is empty");
		a->output = arg;
		return 0;
	case 'n':
		a->dry_run = true;
		return 0;
	case OPT_COLUMNS:
		a->columns_list = arg;
		return 0;
	case OPT_SHARD:
		read_shard(a, state, arg);
		return 0;
	case OPT_MERGE:
		a->merge = true;
		return 0;
	case OPT_KEYS:
		a->keys = true;
		return 0;
	case OPT_PREPARE:
		a->prepare = true;
		return 0;
	case OPT_PROGRESS:
		a->progress = true;
		return 0;
	case ARGP_KEY_ARG:
		a->paths[a->nr_paths++] = arg;
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(a, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static unsigned nr_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

/* ---- what needs no trace ---- */

static void print_keys(void)
{
	struct setting_key key;

	for (unsigned i = 0; settings_key(i, &key); i++) {
		printf("%s%s = ", i ? "\n" : "", key.key);
		for (unsigned v = 0; key.values && key.values[v]; v++)
			printf("%s%s", v ? " | " : "", key.values[v]);
		if (key.kind == SETTING_NUMBER)
			printf("%" PRIu64 " to %" PRIu64, key.min, key.max);
		else if (key.kind == SETTING_SIZE)
			printf("bytes, with K, M, G or T if you like");
		else if (key.kind == SETTING_FILE)
			printf("a file");
		else if (key.kind == SETTING_TEXT)
			printf("words");
		printf("\n    %s\n", key.doc);
	}
}

static int print_plan(const struct arguments *a, const struct sweep_file *file)
{
	uint32_t nr = 0;

	for (uint32_t row = 0; row < file->nr_rows; row++) {
		char *text;

		if (a->nr_shards && !sweep_in_shard(row, a->shard, a->nr_shards))
			continue;
		text = sweep_file_row_text(file, row, true);
		if (!text) {
			fprintf(stderr, "%s: out of memory\n", a->name);
			return STATUS_USAGE;
		}
		printf("%6" PRIu32 "  %s\n", row + 1, text);
		free(text);
		nr++;
	}
	printf("%" PRIu32 " settings", nr);
	if (a->nr_shards)
		printf(", shard %" PRIu32 " of %" PRIu32 " of %" PRIu32, a->shard, a->nr_shards,
		       file->nr_rows);
	printf("\n");
	return STATUS_OK;
}

/* ---- output ---- */

/* 0, or the exit status: then it is said why. */
static int read_columns(struct arguments *a, const struct sweep_file *file)
{
	char *err = NULL;
	int ret = sweep_columns_parse(&a->columns, a->columns_list, file, &err);

	if (ret)
		fprintf(stderr, "%s: %s%s\n", a->name, ret == -EINVAL ? "--columns: " : "",
			ret == -EINVAL ? err : "out of memory");
	free(err);
	return ret ? STATUS_USAGE : STATUS_OK;
}

/* "BASE.SUFFIX", to be freed. */
static char *path_of(const char *base, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s.%s", base, suffix) < 0 ? NULL : path;
}

/* The name of @path without its directory and the ending that begins at @end. */
static char *default_base(const char *path, const char *end)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (end && end > name)
		return strndup(name, end - name);
	return strdup(name);
}

/* What "x.ini" and "dir/x.2-of-8.shard" are called without their endings. */
static char *base_of(const struct arguments *a)
{
	const char *path = a->paths[a->nr_paths - 1], *end;
	size_t len = strlen(path);
	char *base;

	if (a->output)
		return strdup(a->output);
	if (!a->merge)
		return default_base(
			path, len > 4 && !strcmp(path + len - 4, ".ini") ? path + len - 4 : NULL);
	end = strstr(path, "-of-");
	while (end && end > path && end[-1] >= '0' && end[-1] <= '9')
		end--;
	base = default_base(path, end && end > path && end[-1] == '.' ? end - 1 : NULL);
	return base;
}

typedef int (*output_fn)(FILE *out, const struct sweep_results *results);

static int write_output(const struct arguments *a, const char *base, const char *suffix,
			output_fn output, const struct sweep_results *results)
{
	char *path = path_of(base, suffix);
	struct atomic_file *f = NULL;
	struct trace_error err;
	FILE *out;
	int ret;

	if (path)
		ret = atomic_file_create(path, &f, &out, &err);
	else
		ret = trace_fail(&err, base, TRACE_NO_OFFSET, -ENOMEM, "%s", strerror(ENOMEM));
	if (!ret) {
		ret = output(out, results);
		if (!ret) {
			ret = atomic_file_commit(f, &err);
		} else {
			atomic_file_abort(f);
			trace_fail(&err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
		}
	}
	if (ret)
		fprintf(stderr, "%s: %s\n", a->name, err.message);
	free(path);
	return ret ? STATUS_USAGE : STATUS_OK;
}

static int exit_status(const struct arguments *a, const struct sweep_verdict *v)
{
	if (v->stopped)
		fprintf(stderr,
			"%s: replays that stopped: %" PRIu32 "; the first, setting %" PRIu32
			": %s\n",
			a->name, v->stopped, v->first + 1, v->error);
	if (v->stopped || v->wrong_pages)
		return STATUS_CHECK_FAILED;
	return v->stores ? STATUS_OK : STATUS_EXPECTATION;
}

static int output_all(const struct arguments *a, const char *base,
		      const struct sweep_results *results)
{
	struct sweep_verdict verdict;
	int status = write_output(a, base, "csv", sweep_output_csv, results);

	if (!status)
		status = write_output(a, base, "json", sweep_output_json, results);
	if (status)
		return status;
	if (sweep_output_table(stdout, results, &a->columns, &verdict)) {
		fprintf(stderr, "%s: a row cannot be read\n", a->name);
		return STATUS_USAGE;
	}
	return exit_status(a, &verdict);
}

/* ---- a run ---- */

static json_t *get_row(void *arg, uint32_t row)
{
	return sweep_journal_get(arg, row);
}

static char *journal_path(const struct arguments *a, const char *base)
{
	char *path;

	if (!a->nr_shards)
		return path_of(base, "journal");
	return asprintf(&path, "%s.%" PRIu32 "-of-%" PRIu32 ".shard", base, a->shard,
			a->nr_shards) < 0
		       ? NULL
		       : path;
}

/* Whether an output would take the place of what is read. */
static bool is_input(const struct arguments *a, const char *base, const char *suffix)
{
	char *path = path_of(base, suffix);
	struct stat out, in;
	bool same = false;

	for (unsigned i = 0; path && i < a->nr_paths && !same; i++)
		same = !stat(path, &out) && !stat(a->paths[i], &in) && out.st_dev == in.st_dev &&
		       out.st_ino == in.st_ino;
	if (same)
		fprintf(stderr, "%s: --output: %s is one of the inputs\n", a->name, path);
	free(path);
	return same;
}

static int run_job(const struct arguments *a, const char *base, const struct sweep_job *job)
{
	struct sweep_results results = {.file = job->file, .get = get_row};
	struct sweep_journal *done;
	struct trace_error err;
	int status, ret;

	if (a->prepare)
		ret = sweep_job_prepare(job, stdout, &err);
	else
		ret = sweep_job_run(job, &done, &err);
	if (ret) {
		fprintf(stderr, "%s: %s\n", a->name, err.message);
		policy_options_end_if_crashed(ret);
		return STATUS_USAGE;
	}
	if (a->prepare)
		return STATUS_OK;
	results.header = sweep_journal_header(done);
	results.arg = done;
	if (a->nr_shards) {
		printf("shard %" PRIu32 " of %" PRIu32 ": %" PRIu32 " settings, in %s\n", a->shard,
		       a->nr_shards, sweep_journal_nr(done), job->journal);
		status = STATUS_OK;
	} else {
		status = output_all(a, base, &results);
	}
	sweep_journal_close(done);
	return status;
}

static int run_sweep(const struct arguments *a, const char *base, struct trace_reader *reader,
		     const struct sweep_file *file)
{
	char *journal = journal_path(a, base);
	const struct sweep_job job = {
		.name = a->name,
		.file = file,
		.reader = reader,
		.crypto = backends_registry(),
		.journal = journal,
		.shard = a->nr_shards ? a->shard : 1,
		.nr_shards = a->nr_shards ? a->nr_shards : 1,
		.nr_threads = a->jobs ? a->jobs : nr_cpus(),
		.progress = a->progress,
	};
	int status = STATUS_USAGE;

	if (journal)
		status = run_job(a, base, &job);
	else
		fprintf(stderr, "%s: out of memory\n", a->name);
	free(journal);
	return status;
}

static int sweep(struct arguments *a, const char *base)
{
	struct trace_reader *reader = NULL;
	struct sweep_file *file = NULL;
	struct trace_error err;
	int status = STATUS_USAGE, ret = sweep_file_read(a->paths[a->nr_paths - 1], &file, &err);

	if (!ret)
		ret = sweep_file_check(file, backends_registry(), &err);
	if (!ret && !a->dry_run)
		ret = trace_reader_open(a->paths[0], &reader, &err);
	if (ret) {
		fprintf(stderr, "%s: %s\n", a->name, err.message);
		policy_options_end_if_crashed(ret);
	} else if (a->dry_run) {
		status = print_plan(a, file);
	} else if (!read_columns(a, file)) {
		status = run_sweep(a, base, reader, file);
	}
	trace_reader_close(reader);
	sweep_file_free(file);
	return status;
}

static int merge(struct arguments *a, const char *base)
{
	struct sweep_results results = {.get = sweep_merge_get};
	struct sweep_merge m;
	struct trace_error err;
	int status;

	if (sweep_merge_open(a->paths, a->nr_paths, &m, &err)) {
		fprintf(stderr, "%s: %s\n", a->name, err.message);
		return STATUS_USAGE;
	}
	results.file = m.file;
	results.header = sweep_journal_header(m.shards[0]);
	results.arg = &m;
	status = read_columns(a, m.file);
	if (!status)
		status = output_all(a, base, &results);
	sweep_merge_close(&m);
	return status;
}

int cmd_sweep(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "TRACE FILE\nSHARD...", doc, NULL,
					 NULL,	  NULL};
	struct arguments a = {.name = argv[0], .paths = calloc(argc, sizeof(*a.paths))};
	char *base = NULL;
	int status = a.paths ? options_parse(&argp, argc, argv, &a) : STATUS_USAGE;

	if (status)
		goto out;
	if (a.keys) {
		print_keys();
		goto out;
	}
	base = base_of(&a);
	status = STATUS_USAGE;
	if (!base)
		fprintf(stderr, "%s: out of memory\n", a.name);
	else if (!a.dry_run && !is_input(&a, base, "csv") && !is_input(&a, base, "json") &&
		 !is_input(&a, base, "journal"))
		status = a.merge ? merge(&a, base) : sweep(&a, base);
	else if (a.dry_run)
		status = sweep(&a, base);
out:
	free(base);
	free(a.paths);
	return status;
}
