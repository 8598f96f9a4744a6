// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/error.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Copies up to one of @stops into @to; returns what follows, NULL if it is empty or too long. */
static const char *take(const char *from, const char *stops, char *to, size_t size)
{
	size_t n = strcspn(from, stops);

	if (!n || n >= size)
		return NULL;
	memcpy(to, from, n);
	to[n] = '\0';
	return from + n;
}

int scenario_name(const char *recording, struct scenario_name *name)
{
	const char *p = base_name(recording);

	memset(name, 0, sizeof(*name));
	p = take(p, "_.", name->driver, sizeof(name->driver));
	if (p && *p == '_')
		p = take(p + 1, "_.", name->kind, sizeof(name->kind));
	else
		p = NULL;
	if (p && *p == '_')
		p = take(p + 1, "_.", name->algo, sizeof(name->algo));
	else
		p = NULL;
	return p ? 0 : -EINVAL;
}

/* *json is NULL if there is no such file. */
static int load_json(const char *path, json_t **json, struct trace_error *err)
{
	json_error_t why;
	FILE *f = fopen(path, "r");

	*json = NULL;
	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!f) {
		int ret = -errno;

		return trace_fail(err, path, TRACE_NO_OFFSET, ret, "%s", strerror(-ret));
	}
	*json = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
	fclose(f);
	if (!*json)
		return trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, "line %d: %.200s", why.line,
				  why.text);
	return 0;
}

static int settings_in(const char *path, const char *key, json_t **settings,
		       struct trace_error *err)
{
	json_t *all, *one;
	int ret = load_json(path, &all, err);

	if (ret || !all)
		return ret;
	one = json_object_get(all, key);
	if (!json_is_object(all) || (one && !json_is_object(one)))
		ret = trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL,
				 "'%s' is not an object in an object", key);
	else
		*settings = json_incref(one);
	json_decref(all);
	return ret;
}

int scenario_settings(const char *recording, json_t **settings, struct trace_error *err)
{
	static const char *const above[] = {"", "../"};
	int dir = base_name(recording) - recording, ret = 0;
	struct scenario_name name;
	char key[64];

	*settings = NULL;
	if (scenario_name(recording, &name))
		return 0;
	snprintf(key, sizeof(key), "%s_%s", name.driver, name.kind);
	for (int i = 0; i < 2 && !ret && !*settings; i++) {
		char *path;

		if (asprintf(&path, "%.*s%sscenarios.json", dir, recording, above[i]) < 0)
			return trace_fail(err, recording, TRACE_NO_OFFSET, -ENOMEM,
					  "out of memory");
		ret = settings_in(path, key, settings, err);
		free(path);
	}
	return ret;
}

int scenario_steps(const char *recording, json_t **steps, struct trace_error *err)
{
	size_t len = strlen(recording), i;
	char *path;
	int ret;

	*steps = NULL;
	if (len > 4 && !strcmp(recording + len - 4, ".zst"))
		len -= 4;
	if (len > 4 && !strncmp(recording + len - 4, ".csv", 4))
		len -= 4;
	if (asprintf(&path, "%.*s.json", (int)len, recording) < 0)
		return trace_fail(err, recording, TRACE_NO_OFFSET, -ENOMEM, "out of memory");
	ret = load_json(path, steps, err);
	for (i = 0; !ret && i < json_array_size(*steps); i++) {
		if (!json_is_object(json_array_get(*steps, i)))
			break;
	}
	if (!ret && *steps && (!json_is_array(*steps) || i < json_array_size(*steps))) {
		ret = trace_fail(err, path, TRACE_NO_OFFSET, -EINVAL, "is not a list of objects");
		json_decref(*steps);
		*steps = NULL;
	}
	free(path);
	return ret;
}

json_t *scenario_step(const json_t *steps, const char *step)
{
	for (size_t i = 0; i < json_array_size(steps); i++) {
		json_t *one = json_array_get(steps, i);
		const char *name = json_string_value(json_object_get(one, "step"));

		if (name && !strcmp(name, step))
			return one;
	}
	return NULL;
}

int scenario_check_rows(const char *recording, uint64_t rows, struct trace_error *err)
{
	const json_t *said;
	json_t *steps;
	int ret = scenario_steps(recording, &steps, err);

	if (ret)
		return ret;
	said = json_object_get(scenario_step(steps, "done"), "rows");
	if (json_is_integer(said) && json_integer_value(said) != (json_int_t)rows)
		ret = trace_fail(err, recording, TRACE_NO_OFFSET, -EINVAL,
				 "has %" PRIu64
				 " rows, the JSON beside it says %" JSON_INTEGER_FORMAT
				 ": cut off?",
				 rows, json_integer_value(said));
	json_decref(steps);
	return ret;
}
