// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/machine.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The letters give no price of a CPUID; their decompress figures are nearly nothing but CPUIDs and
 * are divided by how many of them the patch saves.
 */
static const char builtin[] =
	"[bare-metal]\n"
	"cpuid_ns = 160\n"
	"source = deferred initialisation, letter of August 2026: decompress 2317 -> 1998 ns on "
	"bare\n"
	"  metal, 319 ns for 2 CPUIDs and an initialisation; other public figures are about 100 "
	"ns\n"
	"[kvm-guest]\n"
	"cpuid_ns = 629\n"
	"source = static BMI2 dispatch, letter of September 2026: decompress 3480 -> 963 ns in a "
	"KVM\n"
	"  guest with 1 virtual CPU, 2517 ns for 4 CPUIDs\n"
	"[vm]\n"
	"cpuid_ns = 2000\n"
	"source = usual public figure for a virtual machine, about 2 us\n"
	"[nested-vm]\n"
	"cpuid_ns = 3700\n"
	"source = one virtual machine within another, 2026: initStaticDCtx 7.4 us with 2 CPUIDs\n";

struct reading {
	struct machine_models *models;
	unsigned nr_before; /* of other files */
	char *err;
	size_t err_size;
	FILE *file;
	int line, err_line;
};

/* For inih, which tells its handler no line. */
static char *next_line(char *line, int size, void *arg)
{
	struct reading *r = arg;

	r->line++;
	return fgets(line, size, r->file);
}

static int refuse(struct reading *r, const char *section, const char *what, const char *text)
{
	/* inih goes on behind an error; the first is what counts. */
	if (!r->err_line) {
		r->err_line = r->line;
		snprintf(r->err, r->err_size, "[%s]: %s%s", section, what, text);
	}
	return 0;
}

static int set_number(struct reading *r, struct machine_model *m, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= MACHINE_MAX_CPUID_NS))
		return refuse(r, m->name, "cpuid_ns is not a number from 0 to 1e9: ", text);
	m->cpuid_ns = value;
	return 1;
}

/* A second line of the same key goes on with the first. */
static int add_source(struct reading *r, struct machine_model *m, const char *text)
{
	size_t len = strlen(m->source);

	if (len + strlen(text) + 2 > sizeof(m->source))
		return refuse(r, m->name, "the source is too long", "");
	snprintf(m->source + len, sizeof(m->source) - len, "%s%s", len ? " " : "", text);
	return 1;
}

static struct machine_model *find(struct machine_models *models, const char *name)
{
	for (unsigned i = 0; i < models->nr; i++) {
		if (!strcmp(models->model[i].name, name))
			return &models->model[i];
	}
	return NULL;
}

/* A negative price: not set yet. */
static struct machine_model *start_model(struct reading *r, const char *name)
{
	struct machine_models *models = r->models;
	struct machine_model *m = find(models, name);

	if (m && m - models->model >= r->nr_before)
		return m;
	if (m) {
		/* Of the file alone, and at the end, where the file's are. */
		memmove(m, m + 1, (char *)&models->model[models->nr] - (char *)(m + 1));
		models->nr--;
		r->nr_before--;
	}
	if (!*name || strlen(name) >= sizeof(m->name)) {
		refuse(r, name, "a name has 1 to 31 bytes", "");
		return NULL;
	}
	if (models->nr == MACHINE_MAX_MODELS) {
		refuse(r, name, "too many machines", "");
		return NULL;
	}
	m = &models->model[models->nr++];
	memset(m, 0, sizeof(*m));
	strcpy(m->name, name);
	m->cpuid_ns = -1;
	return m;
}

static int on_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reading *r = arg;
	struct machine_model *m;

	if (!strcmp(section, "this"))
		return refuse(r, section, "that is the machine that the program runs on", "");
	m = start_model(r, section);
	if (!m)
		return 0;
	if (!strcmp(key, "cpuid_ns"))
		return set_number(r, m, value);
	if (!strcmp(key, "source"))
		return add_source(r, m, value);
	return refuse(r, section, "unknown key (known: cpuid_ns, source): ", key);
}

/* @ret: of inih, 0 or the line of the first error. */
static int finish(struct reading *r, const char *path, int ret)
{
	char why[256];

	if (ret > 0) {
		snprintf(why, sizeof(why), "%s",
			 r->err_line == ret ? r->err : "neither [MACHINE] nor KEY = VALUE");
		snprintf(r->err, r->err_size, "%s:%d: %s", path, ret, why);
		return -EINVAL;
	}
	for (unsigned i = r->nr_before; i < r->models->nr; i++) {
		const struct machine_model *m = &r->models->model[i];

		if (m->cpuid_ns >= 0)
			continue;
		snprintf(r->err, r->err_size, "%s: [%s]: no cpuid_ns", path, m->name);
		return -EINVAL;
	}
	return 0;
}

void machine_models_init(struct machine_models *models)
{
	char err[256] = "";
	struct reading r = {.models = models, .err = err, .err_size = sizeof(err)};

	memset(models, 0, sizeof(*models));
	models->nr = 1;
	models->model[0] = (struct machine_model){
		.name = "this", .here = true, .source = "measured on this machine"};
	r.nr_before = 1;
	if (finish(&r, "built-in", ini_parse_string(builtin, on_key, &r)))
		abort();
}

int machine_models_read(struct machine_models *models, const char *path, char *err, size_t err_size)
{
	struct reading r = {
		.models = models, .nr_before = models->nr, .err = err, .err_size = err_size};
	int ret;

	*err = '\0';
	r.file = fopen(path, "r");
	if (!r.file) {
		ret = -errno;
		snprintf(err, err_size, "%s: %s", path, strerror(errno));
		return ret;
	}
	ret = finish(&r, path, ini_parse_stream(next_line, &r, on_key, &r));
	if (!ret && ferror(r.file)) {
		snprintf(err, err_size, "%s: cannot be read", path);
		ret = -EIO;
	}
	fclose(r.file);
	return ret;
}

const struct machine_model *machine_models_find(const struct machine_models *models,
						const char *name, char *err, size_t err_size)
{
	size_t n;

	for (unsigned i = 0; i < models->nr; i++) {
		if (!strcmp(models->model[i].name, name))
			return &models->model[i];
	}
	n = snprintf(err, err_size, "unknown machine '%s'; known:", name);
	for (unsigned i = 0; i < models->nr && n < err_size; i++)
		n += snprintf(err + n, err_size - n, " %s", models->model[i].name);
	return NULL;
}

double machine_model_ns(const struct machine_model *model, double measured_ns, double cpuids,
			double here_ns)
{
	double ns = measured_ns;

	if (!model->here)
		ns += cpuids * (model->cpuid_ns - here_ns);
	return ns > 0 ? ns : 0;
}
