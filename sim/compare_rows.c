// SPDX-License-Identifier: GPL-2.0-or-later
/* From samples to rows: sums over units, means, differences, intervals. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/compare_samples.h"

#define PATHS(key, name, raw, failed)                                                              \
	{key "_oneshot", name ", one-shot"}, {key "_streamed", name ", streamed"},                 \
		{key "_raw", name ", " raw}, {key "_failed", name ", " failed},                    \
	{                                                                                          \
		key, name ", all"                                                                  \
	}

const struct compare_row_name compare_row_names[COMPARE_NR_ROWS] = {
	PATHS("compress", "compress", "did not shrink", "refused"),
	PATHS("decompress", "decompress", "raw", "failed"),
	PATHS("store", "store", "raw", "refused"),
	PATHS("load", "load", "raw", "failed"),
	{"writeback", "write back"},
	{"swap_out", "swap-out calls"},
	{"swap_in", "swap-in calls"},
	{"calls", "all calls"},
	{"shrink_worker", "shrink worker"},
};

/* Sums over the pages of a unit, and how many pages they are. */
struct cell {
	double ns;
	uint64_t pages;
};

struct rows {
	const struct compare_config *config;
	const struct compare_plan *plan;
	const struct compare_samples *samples;
	unsigned nr_settings;
	bool worker_ran;
	/* Of the whole trace, per setting: whether the row is there at all. */
	bool there[COMPARE_MAX_SETTINGS][COMPARE_NR_ROWS];
	struct cell *cell; /* [nr_units][nr_settings][COMPARE_NR_ROWS]: of the rounds drawn last */
	double *ns;	   /* [rounds][as cell]: what each round has there */
	uint64_t interrupted[COMPARE_MAX_SETTINGS];
};

static size_t cells_of(const struct rows *rows, unsigned unit, unsigned setting)
{
	return ((size_t)unit * rows->nr_settings + setting) * COMPARE_NR_ROWS;
}

static size_t nr_cells(const struct rows *rows)
{
	return cells_of(rows, rows->plan->nr_units, 0);
}

/* ---- one unit of one setting ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *sample, unsigned nr)
{
	double sorted[COMPARE_MAX_ROUNDS];

	memcpy(sorted, sample, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_value);
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
}

/*
 * Adds to a cell what was measured, once in every round, of @pages pages. What took far longer than
 * in other rounds was interrupted.
 */
static void add(struct rows *rows, unsigned setting, size_t cell, const double *sample,
		uint64_t pages)
{
	unsigned rounds = rows->config->rounds;
	double usual = median(sample, rounds);

	rows->cell[cell].pages += pages;
	for (unsigned i = 0; i < rounds; i++) {
		bool interrupted = sample[i] > COMPARE_INTERRUPTED * usual;

		rows->ns[i * nr_cells(rows) + cell] += interrupted ? usual : sample[i];
		rows->interrupted[setting] += interrupted;
	}
}

static void gather32(double *to, const uint32_t *from, size_t stride, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		to[i] = from[i * stride];
}

static void gather64(double *to, const uint64_t *from, size_t stride, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		to[i] = (double)from[i * stride];
}

static void add_pages(struct rows *rows, unsigned setting, const struct compare_span *unit,
		      size_t cell)
{
	const struct compare_samples *s = &rows->samples[setting];
	unsigned rounds = rows->config->rounds;
	size_t stride = rows->plan->nr_pages;
	double sample[COMPARE_MAX_ROUNDS];

	for (uint64_t i = unit[0].page; i < unit[1].page; i++) {
		const struct compare_note *note = &s->note[i];
		bool load = note->flags & COMPARE_NOTE_LOAD;
		unsigned path = note->path - 1;

		if (!note->path)
			continue;
		gather32(sample, s->page_ns + i, stride, rounds);
		add(rows, setting, cell + (load ? COMPARE_LOAD : COMPARE_STORE) + path, sample, 1);
		if (!(note->flags & COMPARE_NOTE_REQUEST))
			continue;
		gather32(sample, s->request_ns + i, stride, rounds);
		add(rows, setting, cell + (load ? COMPARE_DECOMPRESS : COMPARE_COMPRESS) + path,
		    sample, 1);
	}
}

static void add_calls(struct rows *rows, unsigned setting, const struct compare_span *unit,
		      size_t cell)
{
	const struct compare_samples *s = &rows->samples[setting];
	double sample[COMPARE_MAX_ROUNDS];

	for (uint64_t i = unit[0].call; i < unit[1].call; i++) {
		const struct compare_call_note *note = &s->call[i];

		if (!note->place)
			continue;
		gather32(sample, s->call_ns + i, rows->plan->nr_calls, rows->config->rounds);
		add(rows, setting, cell + (note->load ? COMPARE_IN : COMPARE_OUT), sample,
		    note->pages);
	}
}

static void add_sums(struct rows *rows, unsigned setting, unsigned u, size_t cell)
{
	const struct compare_span *unit = &rows->plan->unit[u];
	const struct compare_samples *s = &rows->samples[setting];
	unsigned units = rows->plan->nr_units, rounds = rows->config->rounds;
	double sample[COMPARE_MAX_ROUNDS];

	gather64(sample, s->writeback_ns + u, units, rounds);
	add(rows, setting, cell + COMPARE_WRITEBACK, sample, s->writebacks[u]);
	gather64(sample, s->worker_ns + u, units, rounds);
	add(rows, setting, cell + COMPARE_WORKER, sample,
	    rows->worker_ran ? unit[1].page - unit[0].page : 0);
}

static void sum_paths(struct rows *rows, size_t cell)
{
	size_t all = cell + ZSWAP_NR_PATHS;

	for (unsigned path = 0; path < ZSWAP_NR_PATHS; path++) {
		rows->cell[all].pages += rows->cell[cell + path].pages;
		for (unsigned i = 0; i < rows->config->rounds; i++)
			rows->ns[i * nr_cells(rows) + all] +=
				rows->ns[i * nr_cells(rows) + cell + path];
	}
}

static void fill(struct rows *rows)
{
	for (unsigned u = 0; u < rows->plan->nr_units; u++) {
		for (unsigned s = 0; s < rows->nr_settings; s++) {
			size_t cell = cells_of(rows, u, s);

			add_pages(rows, s, &rows->plan->unit[u], cell);
			add_calls(rows, s, &rows->plan->unit[u], cell);
			add_sums(rows, s, u, cell);
			sum_paths(rows, cell + COMPARE_COMPRESS);
			sum_paths(rows, cell + COMPARE_DECOMPRESS);
			sum_paths(rows, cell + COMPARE_STORE);
			sum_paths(rows, cell + COMPARE_LOAD);
		}
	}
}

/* The mean of the rounds drawn, for every cell. */
static void draw_rounds(void *arg, const unsigned *block)
{
	const struct rows *rows = arg;
	unsigned rounds = rows->config->rounds;
	size_t nr = nr_cells(rows);

	for (size_t i = 0; i < nr; i++)
		rows->cell[i].ns = 0;
	for (unsigned b = 0; b < rounds; b++) {
		for (size_t i = 0; i < nr; i++)
			rows->cell[i].ns += rows->ns[block[b] * nr + i] / rounds;
	}
}

/* ---- all units ---- */

static double mean(const struct cell *cell)
{
	return cell->pages ? cell->ns / (double)cell->pages : NAN;
}

/* The trace's own mix of both, whatever the mix of the units that were drawn. */
static double mean_of_calls(const struct rows *rows, unsigned setting, const struct cell *total)
{
	double out = (double)rows->plan->out_pages, in = (double)rows->plan->in_pages;

	if (!rows->there[setting][COMPARE_IN])
		return mean(&total[COMPARE_OUT]);
	if (!rows->there[setting][COMPARE_OUT])
		return mean(&total[COMPARE_IN]);
	return (out * mean(&total[COMPARE_OUT]) + in * mean(&total[COMPARE_IN])) / (out + in);
}

static void means(const struct rows *rows, const unsigned *unit, unsigned setting,
		  struct cell total[COMPARE_NR_ROWS], double value[COMPARE_NR_ROWS])
{
	memset(total, 0, COMPARE_NR_ROWS * sizeof(*total));
	for (unsigned i = 0; i < rows->plan->nr_units; i++) {
		const struct cell *cell = rows->cell + cells_of(rows, unit ? unit[i] : i, setting);

		for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
			total[row].ns += cell[row].ns;
			total[row].pages += cell[row].pages;
		}
	}
	total[COMPARE_CALLS].pages = total[COMPARE_OUT].pages + total[COMPARE_IN].pages;
	for (unsigned row = 0; row < COMPARE_NR_ROWS; row++)
		value[row] = mean(&total[row]);
	value[COMPARE_CALLS] = mean_of_calls(rows, setting, total);
}

/* In the order of the statistics: by setting, by row, in ns and in per cent. */
static void differences(const double *base, const double *value, double *out)
{
	for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
		double delta = value[row] - base[row];

		out[2 * row] = delta;
		out[2 * row + 1] = base[row] > 0 ? 100 * delta / base[row] : NAN;
	}
}

#define STATISTICS (2 * COMPARE_NR_ROWS)

static void statistics(void *arg, const unsigned *unit, double *out)
{
	double base[COMPARE_NR_ROWS], value[COMPARE_NR_ROWS];
	struct cell total[COMPARE_NR_ROWS];
	const struct rows *rows = arg;

	means(rows, unit, 0, total, base);
	for (unsigned s = 1; s < rows->nr_settings; s++) {
		means(rows, unit, s, total, value);
		differences(base, value, out + (s - 1) * STATISTICS);
	}
}

static void estimate(struct rows *rows, struct compare_result *result)
{
	unsigned block[COMPARE_MAX_ROUNDS];

	for (unsigned i = 0; i < rows->config->rounds; i++)
		block[i] = i;
	draw_rounds(rows, block);
	for (unsigned s = 0; s < rows->nr_settings; s++) {
		struct cell total[COMPARE_NR_ROWS];
		double value[COMPARE_NR_ROWS];

		/* Which of the calls are there is known after the first time. */
		for (int again = 0; again < 2; again++) {
			means(rows, NULL, s, total, value);
			for (unsigned row = 0; row < COMPARE_NR_ROWS; row++)
				rows->there[s][row] = total[row].pages;
		}
		for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
			result->setting[s].value[row].pages = total[row].pages;
			result->setting[s].value[row].ns = value[row];
		}
	}
}

static int intervals(struct rows *rows, struct compare_result *result)
{
	unsigned nr = (rows->nr_settings - 1) * STATISTICS;
	struct bootstrap_sample sample = {
		.nr_units = rows->plan->nr_units,
		.nr_blocks = rows->config->rounds,
		.draw_blocks = draw_rounds,
		.nr_statistics = nr,
		.statistics = statistics,
		.arg = rows,
	};
	double value[(COMPARE_MAX_SETTINGS - 1) * STATISTICS];
	struct interval *interval = calloc(nr, sizeof(*interval));
	int ret = interval ? 0 : -ENOMEM;

	if (ret)
		return ret;
	statistics(rows, NULL, value);
	ret = bootstrap_intervals(&rows->config->bootstrap, &sample, interval);
	for (unsigned s = 1; !ret && s < rows->nr_settings; s++) {
		for (unsigned row = 0; row < COMPARE_NR_ROWS; row++) {
			unsigned at = (s - 1) * STATISTICS + 2 * row;

			result->setting[s].delta[row] = (struct compare_delta){
				.ns = value[at],
				.percent = value[at + 1],
				.ns_interval = interval[at],
				.percent_interval = interval[at + 1],
			};
		}
	}
	free(interval);
	return ret;
}

/* ---- events ---- */

/* @first is the number of the call, not yet of the event. */
static void compare_events(const struct compare_plan *plan, const struct compare_samples *base,
			   const struct compare_samples *s, struct compare_events *events)
{
	uint64_t page = 0;

	*events = (struct compare_events){.first = UINT64_MAX};
	for (uint64_t call = 0; call < plan->nr_calls; call++) {
		uint64_t end = page + base->call[call].pages;
		bool differs = s->call[call].place != base->call[call].place;

		events->places += differs;
		for (; page < end; page++) {
			const struct compare_note *a = &base->note[page], *b = &s->note[page];

			events->paths += a->path != b->path;
			events->calls += a->path == b->path && a->calls != b->calls;
			events->lengths += a->path && b->path && a->length != b->length;
			differs |= memcmp(a, b, sizeof(*a)) != 0;
		}
		if (differs && events->first == UINT64_MAX)
			events->first = call;
	}
}

static bool worker_ran(const struct rows *rows)
{
	uint64_t sum = 0;

	for (unsigned s = 0; s < rows->nr_settings; s++) {
		for (uint64_t i = 0; i < (uint64_t)rows->config->rounds * rows->plan->nr_units; i++)
			sum += rows->samples[s].worker_ns[i];
	}
	return sum;
}

int compare_rows(const struct compare_config *config, const struct compare_plan *plan,
		 const struct compare_samples *samples, struct compare_result *result)
{
	struct rows rows = {
		.config = config,
		.plan = plan,
		.samples = samples,
		.nr_settings = config->nr_settings,
	};
	int ret;

	rows.worker_ran = worker_ran(&rows);
	/* One more than there is, so that nothing is empty. */
	rows.cell = calloc(nr_cells(&rows) + 1, sizeof(*rows.cell));
	rows.ns = calloc((nr_cells(&rows) + 1) * config->rounds, sizeof(*rows.ns));
	ret = rows.cell && rows.ns ? 0 : -ENOMEM;
	if (ret)
		goto out;
	fill(&rows);
	estimate(&rows, result);
	ret = intervals(&rows, result);
	for (unsigned s = 0; s < rows.nr_settings; s++) {
		compare_events(plan, &samples[0], &samples[s], &result->setting[s].events);
		result->setting[s].interrupted = rows.interrupted[s];
	}
out:
	free(rows.ns);
	free(rows.cell);
	return ret;
}
