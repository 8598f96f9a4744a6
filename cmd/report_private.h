/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the report share among themselves. JSON: NULL when out of memory. */
#ifndef CMD_REPORT_PRIVATE_H
#define CMD_REPORT_PRIVATE_H

#include "cmd/json.h"
#include "cmd/report.h"

static inline double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* report_text.c, report_json.c: a line, an object for one histogram of times. */
void report_latency_row(FILE *out, const char *name, const struct histogram *h);
json_t *report_latency_json(const struct histogram *h);
json_t *report_settings_json(const struct report *r);

/* report_policy_mode.c: policy mode. report_mode_text() is for both modes. */
void report_mode_text(FILE *out, const struct report *r);
void report_lengths_text(FILE *out, const struct lengths *l);
void report_policy_mode_modelled_text(FILE *out, const struct report *r);
void report_policy_mode_run_text(FILE *out, const struct report *r);
json_t *report_lengths_json(const struct lengths *l);
json_t *report_policy_mode_json(const struct report *r); /* JSON null in measure mode */

/* report_pool.c: the pool at its largest; how many loads met an object over two pages, a line. */
void report_pool_text(FILE *out, const struct report *r);
/* After each event, pages; 0 without events. */
double report_pool_mean_pages(const struct replay_result *x);
void report_straddled_text(FILE *out, const struct report *r);

/* report_swap_text.c: what became of pages beyond zswap. */
void report_settings_text(FILE *out, const struct report *r);
void report_swap_text(FILE *out, const struct report *r);
void report_modelled_text(FILE *out, const struct report *r);
void report_memcgs_text(FILE *out, const struct report *r);

/* report_swap_json.c */
json_t *report_refused_json(const uint64_t *rejected);
json_t *report_swap_json(const struct replay_result *x);
json_t *report_memcgs_json(const struct replay_result *x);
json_t *report_changes_json(const struct replay_result *x);

#endif
