// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/scenario_file.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel.h"
#include "sim/number.h"

#define MAX_LINE   200 /* inih's own, with its end */
#define MAX_TOTALRAM (1ull << 50)

enum section { NO_SECTION, MACHINE, ZSWAP, MEMCG, AT };

/*
 * The file as inih reads it, line by line. inih keeps 49 characters of a section's name and tells no
 * line numbers: both are kept here.
 */
struct parser {
	FILE *in;
	unsigned line;
	struct scenario_file *file;
	struct trace_error *err;
	int ret; /* the first error; the rest of the file is passed over */

	char section[MAX_LINE];
	unsigned section_line;
	bool section_empty;
	enum section kind;
	unsigned seen_machine, seen_zswap; /* their lines */
	unsigned kind_line; /* the section line that kind belongs to */
	bool from_given;    /* in this section */
};

int scenario_fail(const struct scenario_file *file, struct trace_error *err, unsigned line, int ret,
		  const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err->offset = UINT64_MAX;
	snprintf(err->message, sizeof(err->message), "%s:%u: %s", file->path, line, text);
	return ret;
}

static void fail_at(struct parser *p, unsigned line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void fail_at(struct parser *p, unsigned line, const char *format, ...)
{
	char text[256];
	va_list args;

	if (p->ret)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	p->ret = scenario_fail(p->file, p->err, line, -EINVAL, "%s", text);
}

#define fail(p, ...) fail_at(p, (p)->line, __VA_ARGS__)

static void no_memory(struct parser *p)
{
	fail(p, "out of memory");
	p->ret = -ENOMEM;
}

/* Room for one more of @size bytes; NULL, and an error, if there is none. */
static void *append(struct parser *p, void *array, unsigned *nr, size_t size)
{
	void **items = array, *grown;

	/* Powers of two: at those, the array is full. */
	if ((*nr & (*nr - 1)) == 0) {
		grown = reallocarray(*items, *nr ? 2 * (size_t)*nr : 1, size);
		if (!grown) {
			no_memory(p);
			return NULL;
		}
		*items = grown;
	}
	memset((char *)*items + *nr * size, 0, size);
	return (char *)*items + (*nr)++ * size;
}

static char *copy(struct parser *p, const char *text)
{
	char *s = strdup(text);

	if (!s)
		no_memory(p);
	return s;
}

/* ---- values ---- */

static uint64_t number(struct parser *p, const char *key, const char *text, uint64_t min,
		       uint64_t max)
{
	uint64_t value;

	if (number_read_u64(text, &value) || value < min || value > max) {
		fail(p, "%s = %s: not a number from %" PRIu64 " to %" PRIu64, key, text, min, max);
		return 0;
	}
	return value;
}

static uint64_t percent(struct parser *p, const char *key, const char *text)
{
	return number(p, key, text, 0, 100);
}

static uint64_t flag(struct parser *p, const char *key, const char *text)
{
	return number(p, key, text, 0, 1);
}

static uint64_t totalram(struct parser *p, const char *key, const char *text)
{
	uint64_t value;

	if (number_read_size(text, &value) || value < PAGE_SIZE || value > MAX_TOTALRAM) {
		fail(p, "%s = %s: not a number of bytes from 4K to 1024T", key, text);
		return 0;
	}
	return value;
}

static uint64_t nodes(struct parser *p, const char *key, const char *text)
{
	return number(p, key, text, 1, KERNEL_MAX_NODES);
}

static uint64_t limit(struct parser *p, const char *key, const char *text)
{
	uint64_t value;

	if (!strcmp(text, "max"))
		return TRACE_NO_LIMIT;
	if (number_read_size(text, &value) || value > INT64_MAX) {
		fail(p, "%s = %s: not a number of bytes (with K, M, G or T if you like), and not max",
		     key, text);
		return 0;
	}
	return value;
}

static void set(struct parser *p, struct scenario_value *to, const char *key, const char *text,
		uint64_t (*parse)(struct parser *p, const char *key, const char *text))
{
	if (to->given) {
		fail(p, "%s is given a second time in this section", key);
		return;
	}
	to->given = true;
	to->value = parse(p, key, text);
}

/* ---- memcg paths and sections ---- */

static bool path_is_good(const char *path)
{
	if (*path != '/' || strchr(path, ' ') || strchr(path, '\t'))
		return false;
	if (!path[1])
		return true;
	for (const char *name = path; name; name = strchr(name + 1, '/')) {
		size_t len = strcspn(name + 1, "/");

		if (!len || (len <= 2 && !strncmp(name + 1, "..", len)))
			return false;
	}
	return true;
}

static void begin_memcg(struct parser *p, const char *path)
{
	struct scenario_memcg *m;

	if (!path_is_good(path)) {
		fail_at(p, p->section_line, "[%s]: '%s' is no path of a memcg, such as /a or /a/b",
			p->section, path);
		return;
	}
	for (unsigned i = 0; i < p->file->nr_memcgs; i++) {
		if (!strcmp(p->file->memcgs[i].path, path)) {
			fail_at(p, p->section_line, "[%s] is there already, in line %u", p->section,
				p->file->memcgs[i].line);
			return;
		}
	}
	m = append(p, &p->file->memcgs, &p->file->nr_memcgs, sizeof(*m));
	if (!m)
		return;
	m->line = p->section_line;
	m->path = copy(p, path);
}

static void begin_at(struct parser *p, const char *when)
{
	const char *mark = !strncmp(when, "mark ", 5) ? when + 5 : NULL;
	struct scenario_point *point;
	uint64_t event = 0;

	if (mark ? !*mark : number_read_u64(when, &event) || event > INT64_MAX) {
		fail_at(p, p->section_line, "[%s]: neither the number of an event nor 'mark NAME'",
			p->section);
		return;
	}
	for (unsigned i = 0; i < p->file->nr_points; i++) {
		point = &p->file->points[i];
		if (mark ? point->mark && !strcmp(point->mark, mark)
			 : !point->mark && point->event == event) {
			fail_at(p, p->section_line, "[%s] is there already, in line %u", p->section,
				point->line);
			return;
		}
	}
	point = append(p, &p->file->points, &p->file->nr_points, sizeof(*point));
	if (!point)
		return;
	point->line = p->section_line;
	point->event = event;
	if (mark)
		point->mark = copy(p, mark);
}

static void begin_once(struct parser *p, unsigned *seen, enum section kind)
{
	if (*seen)
		fail_at(p, p->section_line, "[%s] is there already, in line %u", p->section, *seen);
	*seen = p->section_line;
	p->kind = kind;
}

/* The section of the key at hand, if this is its first. */
static void enter_section(struct parser *p)
{
	if (p->kind_line == p->section_line)
		return;
	p->kind_line = p->section_line;
	p->from_given = false;
	if (!strcmp(p->section, "machine")) {
		begin_once(p, &p->seen_machine, MACHINE);
	} else if (!strcmp(p->section, "zswap")) {
		begin_once(p, &p->seen_zswap, ZSWAP);
	} else if (!strncmp(p->section, "memcg ", 6)) {
		p->kind = MEMCG;
		begin_memcg(p, p->section + 6);
	} else if (!strncmp(p->section, "at ", 3)) {
		p->kind = AT;
		begin_at(p, p->section + 3);
	} else {
		fail_at(p, p->section_line,
			"no such section [%s]; there are [machine], [zswap], [memcg /PATH], "
			"[at EVENT] and [at mark NAME]",
			p->section);
	}
}

/* ---- from ---- */

static const char *const from_names[] = {
	[SCENARIO_FROM_MEMCG] = "memcg",
	[SCENARIO_FROM_CPU] = "cpu",
	[SCENARIO_FROM_OFFSET] = "offset",
};

/* The same pages cannot be two memcgs'; rules of different kinds go by their order. */
static void check_overlap(struct parser *p, const struct scenario_from *from)
{
	for (unsigned i = 0; i + 1 < p->file->nr_from; i++) {
		const struct scenario_from *other = &p->file->from[i];

		if (other->kind == from->kind && other->swap_type == from->swap_type &&
		    other->first <= from->last && from->first <= other->last) {
			fail(p, "from = %s %" PRIu64 ": belongs to memcg %s already (line %u)",
			     from_names[from->kind],
			     from->first > other->first ? from->first : other->first,
			     p->file->memcgs[other->memcg].path, other->line);
			return;
		}
	}
}

/* One of "memcg 3", "cpu 0-3", "offset 0-9999", "offset 1:0-9999"; false if it is none. */
static bool read_from(const char *text, struct scenario_from *from)
{
	size_t len = strcspn(text, " ");
	const char *end;
	uint64_t type;
	unsigned kind;

	for (kind = 0; kind <= SCENARIO_FROM_OFFSET; kind++) {
		if (strlen(from_names[kind]) == len && !strncmp(text, from_names[kind], len))
			break;
	}
	if (kind > SCENARIO_FROM_OFFSET)
		return false;
	from->kind = kind;
	text += len + strspn(text + len, " ");
	if (kind == SCENARIO_FROM_OFFSET && strchr(text, ':')) {
		uint64_t last;

		if (number_read_range(text, &end, &type, &last) || *end != ':' || last != type ||
		    type >= TRACE_MAX_SWAP_TYPES)
			return false;
		from->swap_type = type;
		text = end + 1;
	}
	return !number_read_range(text, &end, &from->first, &from->last) && !*end;
}

static void add_from(struct parser *p, const char *value)
{
	char list[MAX_LINE], *save = NULL;

	if (p->from_given) {
		fail(p, "from is given a second time in this section; a list has commas");
		return;
	}
	p->from_given = true;
	snprintf(list, sizeof(list), "%s", value);
	for (char *item = strtok_r(list, ",", &save); item && !p->ret;
	     item = strtok_r(NULL, ",", &save)) {
		struct scenario_from *from =
			append(p, &p->file->from, &p->file->nr_from, sizeof(*from));

		if (!from)
			return;
		from->memcg = p->file->nr_memcgs - 1;
		from->line = p->line;
		item += strspn(item, " ");
		while (*item && item[strlen(item) - 1] == ' ')
			item[strlen(item) - 1] = '\0';
		if (!read_from(item, from)) {
			fail(p,
			     "from = %s: not 'memcg N', 'cpu N', 'offset A-B' or 'offset DEVICE:A-B'",
			     item);
			return;
		}
		check_overlap(p, from);
	}
}

/* ---- keys ---- */

static void unknown_key(struct parser *p, const char *key, const char *known)
{
	fail(p, "no such key '%s' in [%s]; there are %s", key, p->section, known);
}

static void machine_key(struct parser *p, const char *key, const char *value)
{
	if (!strcmp(key, "totalram"))
		set(p, &p->file->totalram, key, value, totalram);
	else if (!strcmp(key, "nodes"))
		set(p, &p->file->nodes, key, value, nodes);
	else
		unknown_key(p, key, "totalram and nodes");
}

static void zswap_key(struct parser *p, const char *key, const char *value)
{
	if (!strcmp(key, "max_pool_percent"))
		set(p, &p->file->max_pool_percent, key, value, percent);
	else if (!strcmp(key, "accept_threshold_percent"))
		set(p, &p->file->accept_threshold_percent, key, value, percent);
	else if (!strcmp(key, "shrinker_enabled"))
		set(p, &p->file->shrinker_enabled, key, value, flag);
	else
		unknown_key(p, key,
			    "max_pool_percent, accept_threshold_percent and shrinker_enabled");
}

static bool is_root(const char *path)
{
	return !path[1];
}

static void memcg_key(struct parser *p, const char *key, const char *value)
{
	struct scenario_memcg *m = &p->file->memcgs[p->file->nr_memcgs - 1];

	if (!strcmp(key, "zswap.max") && is_root(m->path))
		fail(p, "zswap.max: the root memcg has no limit");
	else if (!strcmp(key, "zswap.max"))
		set(p, &m->zswap_max, key, value, limit);
	else if (!strcmp(key, "zswap.writeback"))
		set(p, &m->zswap_writeback, key, value, flag);
	else if (!strcmp(key, "from"))
		add_from(p, value);
	else
		unknown_key(p, key, "zswap.max, zswap.writeback and from");
}

/* What a key of [at ...] changes; its path, if it is of a memcg, is cut out of @key. */
static bool change_of(char *key, const char **path, enum scenario_what *what)
{
	static const struct {
		const char *name;
		enum scenario_what what;
	} keys[] = {
		{"max_pool_percent", SCENARIO_MAX_POOL_PERCENT},
		{"accept_threshold_percent", SCENARIO_ACCEPT_THRESHOLD_PERCENT},
		{"shrinker_enabled", SCENARIO_SHRINKER_ENABLED},
	};
	char *name;

	*path = NULL;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!strcmp(key, keys[i].name)) {
			*what = keys[i].what;
			return true;
		}
	}
	if (strncmp(key, "memcg ", 6))
		return false;
	*path = key + 6;
	name = strchr(*path, ' ');
	if (!name) {
		*what = SCENARIO_MEMCG_OFFLINE;
		return true;
	}
	*name = '\0';
	name += 1 + strspn(name + 1, " ");
	*what = !strcmp(name, "zswap.max") ? SCENARIO_MEMCG_ZSWAP_MAX
					   : SCENARIO_MEMCG_ZSWAP_WRITEBACK;
	return !strcmp(name, "zswap.max") || !strcmp(name, "zswap.writeback");
}

static uint64_t change_value(struct parser *p, enum scenario_what what, const char *key,
			     const char *value)
{
	switch (what) {
	case SCENARIO_MAX_POOL_PERCENT:
	case SCENARIO_ACCEPT_THRESHOLD_PERCENT:
		return percent(p, key, value);
	case SCENARIO_SHRINKER_ENABLED:
	case SCENARIO_MEMCG_ZSWAP_WRITEBACK:
		return flag(p, key, value);
	case SCENARIO_MEMCG_ZSWAP_MAX:
		return limit(p, key, value);
	case SCENARIO_MEMCG_OFFLINE:
		if (strcmp(value, "offline"))
			fail(p, "%s = %s: the only thing that becomes of a memcg is 'offline'", key,
			     value);
	}
	return 0;
}

static void at_key(struct parser *p, const char *key, const char *value)
{
	struct scenario_change *c;
	char cut[MAX_LINE];
	const char *path;
	enum scenario_what what;

	snprintf(cut, sizeof(cut), "%s", key);
	if (!change_of(cut, &path, &what)) {
		unknown_key(p, key,
			    "max_pool_percent, accept_threshold_percent, shrinker_enabled, "
			    "'memcg /PATH zswap.max', 'memcg /PATH zswap.writeback' and "
			    "'memcg /PATH = offline'");
		return;
	}
	if (path && !path_is_good(path))
		fail(p, "%s: '%s' is no path of a memcg, such as /a or /a/b", key, path);
	else if (path && is_root(path) && what != SCENARIO_MEMCG_ZSWAP_WRITEBACK)
		fail(p, "%s: the root memcg has no limit and no end", key);
	for (unsigned i = 0; i < p->file->nr_changes; i++) {
		c = &p->file->changes[i];
		if (c->point + 1 == p->file->nr_points && c->what == what &&
		    (!path || !strcmp(path, c->path)))
			fail(p, "%s is given a second time in this section", key);
	}
	if (p->ret)
		return;
	c = append(p, &p->file->changes, &p->file->nr_changes, sizeof(*c));
	if (!c)
		return;
	c->what = what;
	c->point = p->file->nr_points - 1;
	c->line = p->line;
	c->path = path ? copy(p, path) : NULL;
	c->value = change_value(p, what, key, value);
}

static int handle(void *arg, const char *section, const char *name, const char *value)
{
	struct parser *p = arg;

	p->section_empty = false;
	if (p->ret)
		return 1;
	if (!p->section_line) {
		fail(p, "'%s' is in no section", name);
		return 1;
	}
	enter_section(p);
	if (p->ret)
		return 1;
	switch (p->kind) {
	case MACHINE:
		machine_key(p, name, value);
		break;
	case ZSWAP:
		zswap_key(p, name, value);
		break;
	case MEMCG:
		memcg_key(p, name, value);
		break;
	case AT:
		at_key(p, name, value);
		break;
	case NO_SECTION:
		break;
	}
	return 1;
}

/* ---- lines ---- */

static void end_section(struct parser *p)
{
	if (p->section_line && p->section_empty)
		fail_at(p, p->section_line, "[%s] says nothing: it has no KEY = VALUE", p->section);
}

static void begin_section(struct parser *p, const char *line)
{
	const char *end = strchr(line, ']');

	/* A line without its bracket is refused by inih. */
	if (!end)
		return;
	end_section(p);
	end += 1 + strspn(end + 1, " \t\r\n");
	if (*end && *end != ';' && *end != '#')
		fail(p, "something follows the section's ']'");
	end = strchr(line, ']');
	snprintf(p->section, sizeof(p->section), "%.*s", (int)(end - line - 1), line + 1);
	p->section_line = p->line;
	p->section_empty = true;
}

/* inih's fgets(): a colon would end a key there, and an indented line continue the one before. */
static char *read_line(char *buf, int size, void *stream)
{
	struct parser *p = stream;
	const char *equals;
	size_t len, indent;

	if (p->ret || !fgets(buf, size, p->in))
		return NULL;
	p->line++;
	len = strlen(buf);
	if (len + 1 == (size_t)size && buf[len - 1] != '\n') {
		fail(p, "the line is longer than %d characters", size - 3);
		return NULL;
	}
	indent = p->line == 1 && !strncmp(buf, "\xef\xbb\xbf", 3) ? 3 : 0;
	indent += strspn(buf + indent, " \t");
	memmove(buf, buf + indent, len - indent + 1);
	if (*buf == '[')
		begin_section(p, buf);
	equals = strchr(buf, '=');
	if (*buf != '[' && *buf != ';' && *buf != '#' &&
	    (equals ? memchr(buf, ':', equals - buf) : strchr(buf, ':'))) {
		fail(p, "a ':' before the '=': no key has one");
		return NULL;
	}
	return buf;
}

static void free_arrays(struct scenario_file *file)
{
	for (unsigned i = 0; i < file->nr_memcgs; i++)
		free(file->memcgs[i].path);
	for (unsigned i = 0; i < file->nr_changes; i++)
		free(file->changes[i].path);
	for (unsigned i = 0; i < file->nr_points; i++)
		free(file->points[i].mark);
	free(file->memcgs);
	free(file->from);
	free(file->changes);
	free(file->points);
}

void scenario_file_free(struct scenario_file *file)
{
	if (!file)
		return;
	free_arrays(file);
	free(file->path);
	free(file);
}

static int parse(struct parser *p)
{
	int bad_line = ini_parse_stream(read_line, p, handle, p);

	if (!p->ret && ferror(p->in))
		return scenario_fail(p->file, p->err, p->line, -EIO, "cannot be read");
	/* inih goes on behind its own errors: one before ours is the first. */
	if (bad_line > 0 && (!p->ret || (unsigned)bad_line < p->line)) {
		p->ret = 0;
		fail_at(p, bad_line, "neither a [SECTION] nor KEY = VALUE");
	}
	end_section(p);
	return p->ret;
}

int scenario_file_read(const char *path, struct scenario_file **out, struct trace_error *err)
{
	struct parser p = {.err = err};
	int ret = -ENOMEM;

	p.file = calloc(1, sizeof(*p.file));
	if (p.file)
		p.file->path = strdup(path);
	if (!p.file || !p.file->path) {
		snprintf(err->message, sizeof(err->message), "%s: out of memory", path);
		goto err;
	}
	p.in = fopen(path, "re");
	if (!p.in) {
		ret = -errno;
		snprintf(err->message, sizeof(err->message), "%s: %s", path, strerror(errno));
		goto err;
	}
	ret = parse(&p);
	fclose(p.in);
	if (ret)
		goto err;
	*out = p.file;
	return 0;
err:
	scenario_file_free(p.file);
	return ret;
}
