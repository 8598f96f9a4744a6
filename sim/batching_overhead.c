// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/batching_private.h"

/* A mode's machine, whose own code reads no clock. */
struct side {
	struct acomp_watch watch;
	struct batching_machine m;
	const struct batching_config *config;
	uint64_t since;	   /* the algorithm was called then */
	uint64_t codec_ns; /* of the round at hand */
	uint64_t readings; /* of the clock, whose time is in the stores */
};

struct measure {
	const struct batching_config *config;
	struct batching_trace *trace;
	struct trace_error *err;
	struct side side[BATCHING_NR_MODES];
	double *ns, *codec; /* [BATCHING_NR_MODES][rounds] */
	double *sorted;	    /* [rounds] */
	unsigned rounds, pages;
	double clock_ns;
	uint64_t next_folio; /* where the next round begins */
};

static uint64_t now(const struct batching_config *config)
{
	return config->clock(config->clock_arg);
}

static struct side *side_of(struct acomp_watch *watch)
{
	return (struct side *)((char *)watch - offsetof(struct side, watch));
}

static void called(struct acomp_watch *watch, unsigned units, uint64_t ns)
{
}

static void submitting(struct acomp_watch *watch)
{
	struct side *s = side_of(watch);

	s->since = now(s->config);
}

static void submitted(struct acomp_watch *watch, unsigned units, uint64_t modelled_ns)
{
	struct side *s = side_of(watch);

	s->codec_ns += now(s->config) - s->since;
	s->readings++;
}

static double clock_cost(const struct batching_config *config)
{
	uint64_t start = now(config), end = start;

	for (unsigned i = 0; i < 1000; i++)
		end = now(config);
	return (double)(end - start) / 1000;
}

static uint64_t next(const struct measure *m, uint64_t folio)
{
	return (folio + 1) % m->trace->nr_folios;
}

/* One mode's part of a round: about m->pages pages from @folio on. */
static int run_side(struct measure *m, struct side *s, uint64_t folio, double *ns, double *codec)
{
	uint64_t pages = 0, total = 0;

	s->codec_ns = 0;
	s->readings = 0;
	do {
		const struct batching_folio *from = &m->trace->folios[folio];
		struct folio f;
		uint64_t start;
		int ret = batching_machine_fill(&s->m, m->trace, from, &f, m->err);

		if (ret)
			return ret;
		start = now(m->config);
		zswap_store(s->m.z, &f);
		total += now(m->config) - start;
		for (unsigned i = 0; i < 1u << from->order; i++)
			zswap_invalidate(s->m.z, (swp_entry_t){0, from->first + i});
		page_frames_trim(s->m.k->frames);
		pages += 1u << from->order;
		s->readings++;
		folio = next(m, folio);
	} while (pages < m->pages);
	/* Of the two readings around the algorithm one is in its time, of those around a store too.
	 */
	*codec = (double)s->codec_ns / pages;
	*ns = ((double)total - s->codec_ns - m->clock_ns * s->readings / 2) / pages;
	return 0;
}

static int run_rounds(struct measure *m)
{
	for (unsigned round = 0; round < m->rounds; round++) {
		uint64_t folio = m->next_folio;

		for (unsigned i = 0; i < BATCHING_NR_MODES; i++) {
			unsigned mode = (round + i) % BATCHING_NR_MODES;
			int ret = run_side(m, &m->side[mode], folio,
					   &m->ns[(size_t)mode * m->rounds + round],
					   &m->codec[(size_t)mode * m->rounds + round]);

			if (ret)
				return ret;
		}
		for (uint64_t pages = 0; pages < m->pages; folio = next(m, folio))
			pages += 1u << m->trace->folios[folio].order;
		m->next_folio = folio;
	}
	return 0;
}

/* ---- statistics ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @minus: NULL, or what each round's value is taken less. @unit: NULL for all rounds. */
static double median(const struct measure *m, const double *of, const double *minus,
		     const unsigned *unit)
{
	unsigned n = m->rounds;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = unit ? unit[i] : i;

		m->sorted[i] = of[at] - (minus ? minus[at] : 0);
	}
	qsort(m->sorted, n, sizeof(*m->sorted), by_value);
	return (m->sorted[(n - 1) / 2] + m->sorted[n / 2]) / 2;
}

static void statistics(void *arg, const unsigned *unit, double *value)
{
	const struct measure *m = arg;

	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		const double *of = m->ns + (size_t)mode * m->rounds;

		value[mode] = median(m, of, NULL, unit);
		value[BATCHING_NR_MODES + mode] = median(m, of, m->ns, unit);
	}
}

static int summarise(struct measure *m, const struct bootstrap_config *bootstrap,
		     struct batching_overhead *o)
{
	struct bootstrap_sample sample = {
		.nr_units = m->rounds,
		.nr_statistics = 2 * BATCHING_NR_MODES,
		.statistics = statistics,
		.arg = m,
	};
	struct interval interval[2 * BATCHING_NR_MODES];
	double value[2 * BATCHING_NR_MODES];
	int ret = bootstrap_intervals(bootstrap, &sample, interval);

	if (ret)
		return batching_fail(m->err, ret, strerror(-ret));
	statistics(m, NULL, value);
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		o->ns[mode] = value[mode];
		o->interval[mode] = interval[mode];
		o->delta_ns[mode] = value[BATCHING_NR_MODES + mode];
		o->delta_interval[mode] = interval[BATCHING_NR_MODES + mode];
		o->codec_ns[mode] = median(m, m->codec + (size_t)mode * m->rounds, NULL, NULL);
	}
	return 0;
}

static int create_sides(struct measure *m)
{
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++) {
		struct side *s = &m->side[mode];
		int ret = batching_machine_init(&s->m, m->config, mode, m->trace->nr_pages, NULL,
						NULL, NULL);

		if (ret)
			return batching_fail(m->err, ret, strerror(-ret));
		s->config = m->config;
		s->watch = (struct acomp_watch){called, submitting, submitted};
		zswap_acomp(s->m.z)->watch = &s->watch;
	}
	return 0;
}

int batching_overhead_measure(const struct batching_config *config,
			      const struct bootstrap_config *bootstrap, unsigned rounds,
			      unsigned pages, struct batching_trace *trace,
			      struct batching_overhead *o, struct trace_error *err)
{
	struct measure m = {
		.config = config, .trace = trace, .err = err, .rounds = rounds, .pages = pages};
	size_t nr = (size_t)BATCHING_NR_MODES * rounds;
	int ret = -ENOMEM;

	memset(o, 0, sizeof(*o));
	memset(err, 0, sizeof(*err));
	m.ns = calloc(nr, sizeof(*m.ns));
	m.codec = calloc(nr, sizeof(*m.codec));
	m.sorted = calloc(rounds, sizeof(*m.sorted));
	if (!m.ns || !m.codec || !m.sorted) {
		batching_fail(err, ret, "out of memory");
		goto out;
	}
	m.clock_ns = clock_cost(config);
	ret = create_sides(&m);
	if (!ret)
		ret = run_rounds(&m);
	if (!ret)
		ret = summarise(&m, bootstrap, o);
	o->rounds = rounds;
	o->pages = pages;
	o->clock_ns = m.clock_ns;
	if (!ret) {
		o->samples = m.ns;
		m.ns = NULL;
	}
out:
	for (unsigned mode = 0; mode < BATCHING_NR_MODES; mode++)
		batching_machine_finish(&m.side[mode].m);
	free(m.sorted);
	free(m.codec);
	free(m.ns);
	return ret;
}

void batching_overhead_finish(struct batching_overhead *o)
{
	free(o->samples);
	o->samples = NULL;
}
