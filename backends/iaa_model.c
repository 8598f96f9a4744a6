// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/iaa_model.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Neither source says how many engines and how deep a queue took part: the figures were measured
 * around whole calls, and have all of that in them. The queue depth is that of a device's work
 * queue, and no call here comes near it.
 */
static const struct builtin {
	const char *name, *text;
} builtins[] = {
	{"letter",
	 "[device]\n"
	 "name = letter\n"
	 "source = letter of the batching series, zswap stores of silesia.tar, deflate-iaa on\n"
	 "  Sapphire Rapids at 2.5 GHz: p50/p99 3396/3663 ns a page one at a time, 717/774 ns a "
	 "page\n"
	 "  in batches of 8\n"
	 "engines = 8\n"
	 "queue_depth = 128\n"
	 "batch_size = 8\n"
	 "[compress]\n"
	 "1 = 3396 3663\n"
	 "8 = 717 774\n"},
	{"sweep", "[device]\n"
		  "name = sweep\n"
		  "source = published sweep of batch sizes on IAA: p50 a page at batches of 1, 2, "
		  "4, 8 and 16;\n"
		  "  no p99\n"
		  "engines = 8\n"
		  "queue_depth = 128\n"
		  "batch_size = 16\n"
		  "[compress]\n"
		  "1 = 3571\n"
		  "2 = 1971\n"
		  "4 = 1568\n"
		  "8 = 1378\n"
		  "16 = 1373\n"
		  "[decompress]\n"
		  "1 = 2999\n"
		  "2 = 1719\n"
		  "4 = 1103\n"
		  "8 = 773\n"
		  "16 = 776\n"},
};

#define NR_BUILTINS (sizeof(builtins) / sizeof(*builtins))

const char *const *iaa_model_names(void)
{
	static const char *const names[] = {"letter", "sweep", NULL};

	return names;
}

/* ---- the file ---- */

struct reading {
	struct iaa_model *model;
	bool seen[8]; /* keys of [device] */
	char *err;
	size_t err_size;
	FILE *file;	  /* or */
	const char *text; /* what is left of a built-in one */
	int line, err_line;
};

/* For inih, which tells its handler no line. */
static char *next_line(char *line, int size, void *arg)
{
	struct reading *r = arg;
	size_t len;

	r->line++;
	if (r->file)
		return fgets(line, size, r->file);
	if (!*r->text)
		return NULL;
	len = strcspn(r->text, "\n");
	len += r->text[len] == '\n';
	if (len > (size_t)size - 1)
		len = size - 1;
	memcpy(line, r->text, len);
	line[len] = '\0';
	r->text += len;
	return line;
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

/* A number from @min to @max at the start of *@text, which moves behind it and the blanks there. */
static bool take_number(const char **text, double min, double max, double *value)
{
	char *end;

	if (!strchr("0123456789.", **text))
		return false;
	*value = strtod(*text, &end);
	if (end == *text || !(*value >= min && *value <= max))
		return false;
	*text = end + strspn(end, " \t");
	return **text == '\0' || *text > end;
}

static bool set_text(struct reading *r, unsigned key, char *to, size_t size, const char *text)
{
	size_t len = r->seen[key] ? strlen(to) : 0;

	/* An indented line goes on with the one above. */
	if (len + strlen(text) + 2 > size)
		return false;
	snprintf(to + len, size - len, "%s%s", len ? " " : "", text);
	return true;
}

static int on_device(struct reading *r, const char *key, const char *value)
{
	static const char *const keys[] = {"name",	 "source",    "engines",    "queue_depth",
					   "batch_size", "submit_ns", "complete_ns"};
	struct iaa_model *m = r->model;
	unsigned i = 0, *whole[] = {NULL, NULL, &m->engines, &m->queue_depth, &m->batch_size};
	double number, *real[] = {[5] = &m->submit_ns, [6] = &m->complete_ns};
	double max = IAA_MAX_BATCH;

	while (i < 7 && strcmp(key, keys[i]))
		i++;
	if (i == 7)
		return refuse(r, "device",
			      "unknown key (known: name, source, engines, queue_depth, batch_size, "
			      "submit_ns, complete_ns): ",
			      key);
	if (i < 2) {
		char *to = i ? m->source : m->name;

		if (!set_text(r, i, to, i ? sizeof(m->source) : sizeof(m->name), value) || !*to)
			return refuse(r, "device",
				      i ? "a source has 1 to 511 bytes: "
					: "a name has 1 to 31 bytes: ",
				      key);
		r->seen[i] = true;
		return 1;
	}
	if (r->seen[i])
		return refuse(r, "device", "given twice: ", key);
	r->seen[i] = true;
	if (i == 3)
		max = 65536;
	if (i >= 5)
		max = IAA_MAX_NS;
	if (!take_number(&value, i < 5, max, &number) || *value ||
	    (i < 5 && number != floor(number)))
		return refuse(r, "device", "out of its range, or no number: ", key);
	if (i < 5)
		*whole[i] = number;
	else
		*real[i] = number;
	return 1;
}

static int on_point(struct reading *r, struct iaa_curve *curve, const char *section,
		    const char *key, const char *value)
{
	struct iaa_point *p = &curve->point[curve->nr], *before = p - 1;
	double batch;

	if (curve->nr == IAA_MAX_POINTS)
		return refuse(r, section, "more than 16 batch sizes", "");
	memset(p, 0, sizeof(*p));
	if (!take_number(&key, 1, IAA_MAX_BATCH, &batch) || *key || batch != floor(batch))
		return refuse(r, section, "a batch size is a number from 1 to 64", "");
	p->batch = batch;
	if (!take_number(&value, 0, IAA_MAX_NS, &p->p50_ns) || p->p50_ns <= 0 ||
	    (*value && (!take_number(&value, 0, IAA_MAX_NS, &p->p99_ns) || *value)))
		return refuse(r, section, "not p50, or p50 and p99, in ns a page", "");
	if (p->p99_ns && p->p99_ns < p->p50_ns)
		return refuse(r, section, "p99 is below p50", "");
	if (!curve->nr) {
		curve->has_p99 = p->p99_ns > 0;
		if (p->batch != 1)
			return refuse(r, section, "the first batch size is 1", "");
	} else if (p->batch <= before->batch) {
		return refuse(r, section, "batch sizes ascend", "");
	} else if (p->batch * p->p50_ns < before->batch * before->p50_ns) {
		return refuse(r, section, "a larger batch takes less time in all", "");
	}
	if (curve->has_p99 != (p->p99_ns > 0))
		return refuse(r, section, "p99 is given for all batch sizes or for none", "");
	curve->nr++;
	return 1;
}

static int on_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reading *r = arg;

	if (!strcmp(section, "device"))
		return on_device(r, key, value);
	if (!strcmp(section, "compress"))
		return on_point(r, &r->model->curve[IAA_COMPRESS], section, key, value);
	if (!strcmp(section, "decompress"))
		return on_point(r, &r->model->curve[IAA_DECOMPRESS], section, key, value);
	return refuse(r, section, "unknown section (known: device, compress, decompress)", "");
}

/* @ret: of inih, 0 or the line of the first error. */
static int finish(struct reading *r, const char *path, int ret)
{
	char why[256];

	if (ret) {
		snprintf(why, sizeof(why), "%s",
			 r->err_line == ret ? r->err : "neither [SECTION] nor KEY = VALUE");
		snprintf(r->err, r->err_size, "%s:%d: %s", path, ret, why);
		return -EINVAL;
	}
	if (!r->seen[0] || !r->seen[1]) {
		snprintf(r->err, r->err_size, "%s: [device]: no %s", path,
			 r->seen[0] ? "source" : "name");
		return -EINVAL;
	}
	if (!r->model->curve[IAA_COMPRESS].nr) {
		snprintf(r->err, r->err_size, "%s: [compress]: no batch size", path);
		return -EINVAL;
	}
	return 0;
}

static int read_model(struct reading *r, const char *path)
{
	memset(r->model, 0, sizeof(*r->model));
	r->model->engines = 1;
	r->model->queue_depth = 128;
	r->model->batch_size = 8;
	*r->err = '\0';
	return finish(r, path, ini_parse_stream(next_line, r, on_key, r));
}

int iaa_model_builtin(const char *name, struct iaa_model *model, char *err, size_t err_size)
{
	struct reading r = {.model = model, .err = err, .err_size = err_size};

	for (unsigned i = 0; i < NR_BUILTINS; i++) {
		if (strcmp(builtins[i].name, name))
			continue;
		r.text = builtins[i].text;
		if (read_model(&r, "built-in"))
			abort();
		return 0;
	}
	snprintf(err, err_size, "unknown device '%s'; known: letter, sweep, or a FILE.ini", name);
	return -ENOENT;
}

int iaa_model_read(const char *path, struct iaa_model *model, char *err, size_t err_size)
{
	struct reading r = {.model = model, .err = err, .err_size = err_size};
	int ret;

	r.file = fopen(path, "r");
	if (!r.file) {
		ret = -errno;
		snprintf(err, err_size, "%s: %s", path, strerror(errno));
		return ret;
	}
	ret = read_model(&r, path);
	if (ferror(r.file)) {
		snprintf(err, err_size, "%s: cannot be read", path);
		ret = -EIO;
	}
	fclose(r.file);
	return ret;
}

/* ---- the time of a call ---- */

static double whole(const struct iaa_point *p)
{
	return p->batch * p->p50_ns;
}

static double line(double x0, double y0, double x1, double y1, double x)
{
	return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

static double sigma_at(const struct iaa_point *p)
{
	return log(p->p99_ns / p->p50_ns) / IAA_Z_P99;
}

/* p50 and spread of @nr pages that are with the device at once. */
static double at_once_ns(const struct iaa_model *m, const struct iaa_curve *c, unsigned nr,
			 double *sigma)
{
	const struct iaa_point *low, *high;
	unsigned i = 1;

	*sigma = c->has_p99 ? sigma_at(&c->point[0]) : 0;
	if (c->nr == 1)
		return c->point[0].p50_ns * ((nr + m->engines - 1) / m->engines);
	while (i < c->nr - 1 && c->point[i].batch < nr)
		i++;
	low = &c->point[i - 1];
	high = &c->point[i];
	if (c->has_p99)
		*sigma = nr > high->batch
				 ? sigma_at(high)
				 : line(low->batch, sigma_at(low), high->batch, sigma_at(high), nr);
	return line(low->batch, whole(low), high->batch, whole(high), nr);
}

double iaa_model_ns(const struct iaa_model *m, enum iaa_dir dir, unsigned nr, double z)
{
	const struct iaa_curve *c = &m->curve[dir];
	double ns = m->submit_ns * nr + m->complete_ns;

	if (!c->nr)
		return 0;
	while (nr) {
		unsigned round = nr < m->queue_depth ? nr : m->queue_depth;
		double sigma, p50 = at_once_ns(m, c, round, &sigma);

		ns += p50 * exp(sigma * z);
		nr -= round;
	}
	return ns;
}

/* The z below which the normal distribution has @p. */
static double quantile(double p)
{
	double low = -8, high = 8;

	for (unsigned i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (erfc(-mid / M_SQRT2) / 2 < p)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

void iaa_model_spread(double z[IAA_NR_Z])
{
	/* Odd, so that it meets all; near the golden section, so that neighbours are far apart. */
	for (unsigned i = 0; i < IAA_NR_Z; i++)
		z[i] = quantile((i * 633u % IAA_NR_Z + 0.5) / IAA_NR_Z);
}
