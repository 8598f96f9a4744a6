// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/verify_settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/kernel.h"
#include "sim/memcg.h"
#include "traces/error.h"
#include "traces/scenario.h"

struct reading {
	const char *recording;
	struct verify_settings *settings;
	const json_t *steps;
	struct trace_error *err;
};

static int bad(const struct reading *r, const char *key)
{
	return trace_fail(r->err, r->recording, TRACE_NO_OFFSET, -EINVAL,
			  "the settings beside it: '%s' is not a value that it can have", key);
}

/* Leaves *@value alone if there is no such key. */
static int get_number(const struct reading *r, const json_t *object, const char *key, uint64_t max,
		      uint64_t *value)
{
	const json_t *v = json_object_get(object, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > max)
		return bad(r, key);
	*value = json_integer_value(v);
	return 0;
}

static int get_percent(const struct reading *r, const json_t *object, const char *key,
		       unsigned *value)
{
	uint64_t v = *value;
	int ret = get_number(r, object, key, 100, &v);

	*value = v;
	return ret;
}

static int get_nodes(const struct reading *r, const json_t *object)
{
	uint64_t nr = r->settings->nr_nodes;
	int ret = get_number(r, object, "nr_nodes", KERNEL_MAX_NODES, &nr);

	if (!ret && !nr)
		ret = bad(r, "nr_nodes");
	r->settings->nr_nodes = nr;
	return ret;
}

static int get_memcg(const struct reading *r, const json_t *object, struct verify_phase *phase)
{
	const json_t *max = json_object_get(object, "memory.zswap.max");
	uint64_t writeback = phase->writeback;
	int ret = 0;

	if (json_is_null(max))
		phase->zswap_max = MEMCG_MAX;
	else
		ret = get_number(r, object, "memory.zswap.max", INT64_MAX, &phase->zswap_max);
	if (!ret)
		ret = get_number(r, object, "memory.zswap.writeback", 1, &writeback);
	phase->writeback = writeback;
	return ret;
}

/* 1, "1", "Y" */
static bool is_yes(const json_t *v)
{
	if (json_is_string(v))
		return strchr("Yy1", json_string_value(v)[0]) && json_string_length(v);
	return json_is_true(v) || (json_is_integer(v) && json_integer_value(v));
}

static int get_phases(const struct reading *r, const json_t *phases)
{
	struct verify_settings *s = r->settings;
	size_t nr = json_array_size(phases);

	if (!json_is_array(phases) || !nr || nr > VERIFY_MAX_PHASES)
		return bad(r, "phases");
	for (size_t i = 0; i < nr; i++) {
		const json_t *phase = json_array_get(phases, i);
		const char *step = json_string_value(json_object_get(phase, "until_step"));
		uint64_t row = UINT32_MAX;
		int ret;

		s->phases[i] = (struct verify_phase){.zswap_max = MEMCG_MAX, .writeback = true};
		ret = get_memcg(r, phase, &s->phases[i]);
		if (!ret && i + 1 < nr) {
			if (!step || !scenario_step(r->steps, step))
				return bad(r, "until_step");
			ret = get_number(r, scenario_step(r->steps, step), "seq", UINT32_MAX, &row);
		}
		if (ret)
			return ret;
		s->phases[i].until_row = row;
	}
	s->nr_phases = nr;
	return 0;
}

static int get_settings(const struct reading *r, const json_t *object)
{
	struct verify_settings *s = r->settings;
	const json_t *phases = json_object_get(object, "phases");
	const json_t *compressor = json_object_get(object, "compressor");
	const json_t *zpool = json_object_get(object, "zpool");
	const json_t *shrinker = json_object_get(object, "shrinker_enabled");
	const char *worker = json_string_value(json_object_get(object, "worker"));
	int ret = get_number(r, object, "totalram_pages", 1ull << 40, &s->totalram_pages);

	if (!ret)
		ret = get_percent(r, object, "max_pool_percent", &s->max_pool_percent);
	if (!ret)
		ret = get_percent(r, object, "accept_threshold_percent",
				  &s->accept_threshold_percent);
	if (!ret)
		ret = get_nodes(r, object);
	if (!ret)
		ret = get_memcg(r, object, &s->phases[0]);
	if (!ret && phases)
		ret = get_phases(r, phases);
	if (json_is_string(compressor))
		snprintf(s->compressor, sizeof(s->compressor), "%s", json_string_value(compressor));
	if (json_is_string(zpool))
		snprintf(s->zpool, sizeof(s->zpool), "%s", json_string_value(zpool));
	if (shrinker)
		s->shrinker_enabled = is_yes(shrinker);
	s->timing |= worker && !strncmp(worker, "not waited for", 14);
	return ret;
}

static int get_base(const struct reading *r, const json_t *filled)
{
	for (unsigned i = 0; i < VC_NR; i++) {
		const json_t *v = json_object_get(filled, verify_column_names[i]);

		if (json_is_integer(v) && json_integer_value(v) > 0)
			r->settings->base[i] = json_integer_value(v);
	}
	return 0;
}

static void from_name(struct verify_settings *settings, const char *recording)
{
	struct scenario_name name;

	if (scenario_name(recording, &name))
		return;
	snprintf(settings->compressor, sizeof(settings->compressor), "%s", name.algo);
	settings->timing = !strcmp(name.kind, "burst");
}

int verify_settings_read(const char *recording, struct verify_settings *settings,
			 struct trace_error *err)
{
	struct reading r = {.recording = recording, .settings = settings, .err = err};
	json_t *scenario = NULL, *steps = NULL;
	const json_t *rows;
	int ret;

	memset(settings, 0, sizeof(*settings));
	settings->max_pool_percent = 20;
	settings->accept_threshold_percent = 90;
	settings->nr_nodes = 1;
	settings->rows = -1;
	settings->nr_phases = 1;
	settings->phases[0] = (struct verify_phase){
		.until_row = UINT32_MAX, .zswap_max = MEMCG_MAX, .writeback = true};
	from_name(settings, recording);
	ret = scenario_steps(recording, &steps, err);
	r.steps = steps;
	if (!ret)
		ret = scenario_settings(recording, &scenario, err);
	/* What the kernel itself said when it was recorded has the last word. */
	if (!ret && scenario)
		ret = get_settings(&r, scenario);
	if (!ret && scenario_step(steps, "config"))
		ret = get_settings(&r, scenario_step(steps, "config"));
	if (!ret && scenario_step(steps, "filled"))
		ret = get_base(&r, scenario_step(steps, "filled"));
	rows = json_object_get(scenario_step(steps, "done"), "rows");
	if (json_is_integer(rows))
		settings->rows = json_integer_value(rows);
	json_decref(scenario);
	json_decref(steps);
	return ret;
}
