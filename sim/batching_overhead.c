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
	double *ns, *codec;		/* [BATCHING_NR_MODES][rounds] */
	double *sorted;			/* [rounds] */
	double *folio_ns, *folio_codec; /* [pages], of the folios of a round */
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

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), by_value);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Stores one folio, and frees it: ns a page, of zswap and of the algorithm. */
static int run_folio(struct measure *m, struct side *s, const struct batching_folio *from,
		     double *ns, double *codec)
{
	unsigned pages = 1u << from->order;
	struct folio folio;
	uint64_t start, total;
	int ret = batching_machine_fill(&s->m, m->trace, from, &folio, m->err);

	if (ret)
		return ret;
	s->codec_ns = 0;
	s->readings = 1;
	start = now(m->config);
	zswap_store(s->m.z, &folio);
	total = now(m->config) - start;
	for (unsigned i = 0; i < pages; i++)
		zswap_invalidate(s->m.z, (swp_entry_t){0, from->first + i});
	page_frames_trim(s->m.k->frames);
	/* Of two readings, what one takes is within the time between them, and one's is not. */
	*codec = (double)s->codec_ns / pages;
	*ns = ((double)total - s->codec_ns - m->clock_ns * s->readings) / pages;
	return 0;
}

/* One mode's part of a round: about m->pages pages from @folio on; medians over its folios. */
static int run_side(struct measure *m, struct side *s, uint64_t folio, double *ns, double *codec)
{
	unsigned pages = 0, n = 0;

	do {
		const struct batching_folio *from = &m->trace->folios[folio];
		int ret = run_folio(m, s, from, &m->folio_ns[n], &m->folio_codec[n]);

		if (ret)
			return ret;
		n++;
		pages += 1u << from->order;
		folio = next(m, folio);
	} while (pages < m->pages);
	*ns = median_of(m->folio_ns, n);
	*codec = median_of(m->folio_codec, n);
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

/* @minus: NULL, or what each round's value is taken less. @unit: NULL for all rounds. */
static double median(const struct measure *m, const double *of, const double *minus,
		     const unsigned *unit)
{
	unsigned n = m->rounds;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = unit ? unit[i] : i;

		m->sorted[i] = of[at] - (minus ? minus[at] : 0);
	}
	return median_of(m->sorted, n);
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
	m.folio_ns = calloc(pages, sizeof(*m.folio_ns));
	m.folio_codec = calloc(pages, sizeof(*m.folio_codec));
	if (!m.ns || !m.codec || !m.sorted || !m.folio_ns || !m.folio_codec) {
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
	free(m.folio_codec);
	free(m.folio_ns);
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
