// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/scenario_file_private.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/number.h"
#include "traces/error.h"

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
	trace_printable(err->message);
	return ret;
}

void scenario_fail_at(struct scenario_parser *p, unsigned line, const char *format, ...)
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

static void no_memory(struct scenario_parser *p)
{
	fail(p, "out of memory");
	p->ret = -ENOMEM;
}

void *scenario_append(struct scenario_parser *p, void *array, unsigned *nr, size_t size)
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

char *scenario_copy(struct scenario_parser *p, const char *text)
{
	char *s = strdup(text);

	if (!s)
		no_memory(p);
	return s;
}

/* ---- memcg paths and sections ---- */

bool scenario_path_is_good(const char *path)
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

static void begin_memcg(struct scenario_parser *p, const char *path)
{
	struct scenario_memcg *m;

	if (!scenario_path_is_good(path)) {
		scenario_fail_at(p, p->section_line,
				 "[%s]: '%s' is no path of a memcg, such as /a or /a/b", p->section,
				 path);
		return;
	}
	for (unsigned i = 0; i < p->file->nr_memcgs; i++) {
		if (!strcmp(p->file->memcgs[i].path, path)) {
			scenario_fail_at(p, p->section_line, "[%s] is there already, in line %u",
					 p->section, p->file->memcgs[i].line);
			return;
		}
	}
	m = scenario_append(p, &p->file->memcgs, &p->file->nr_memcgs, sizeof(*m));
	if (!m)
		return;
	m->line = p->section_line;
	m->path = scenario_copy(p, path);
}

static void begin_at(struct scenario_parser *p, const char *when)
{
	const char *mark = !strncmp(when, "mark ", 5) ? when + 5 : NULL;
	struct scenario_point *point;
	uint64_t event = 0;

	if (mark ? !*mark : number_read_u64(when, &event) || event > INT64_MAX) {
		scenario_fail_at(p, p->section_line,
				 "[%s]: neither the number of an event nor 'mark NAME'",
				 p->section);
		return;
	}
	for (unsigned i = 0; i < p->file->nr_points; i++) {
		point = &p->file->points[i];
		if (mark ? point->mark && !strcmp(point->mark, mark)
			 : !point->mark && point->event == event) {
			scenario_fail_at(p, p->section_line, "[%s] is there already, in line %u",
					 p->section, point->line);
			return;
		}
	}
	point = scenario_append(p, &p->file->points, &p->file->nr_points, sizeof(*point));
	if (!point)
		return;
	point->line = p->section_line;
	point->event = event;
	if (mark)
		point->mark = scenario_copy(p, mark);
}

static void begin_once(struct scenario_parser *p, unsigned *seen, enum scenario_section kind)
{
	if (*seen)
		scenario_fail_at(p, p->section_line, "[%s] is there already, in line %u",
				 p->section, *seen);
	*seen = p->section_line;
	p->kind = kind;
}

/* The section of the key at hand, if this is its first. */
static void enter_section(struct scenario_parser *p)
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
		scenario_fail_at(
			p, p->section_line,
			"no such section [%s]; there are [machine], [zswap], [memcg /PATH], "
			"[at EVENT] and [at mark NAME]",
			p->section);
	}
}

static int handle(void *arg, const char *section, const char *name, const char *value)
{
	struct scenario_parser *p = arg;

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
	scenario_key(p, name, value);
	return 1;
}

/* ---- lines ---- */

static void end_section(struct scenario_parser *p)
{
	if (p->section_line && p->section_empty)
		scenario_fail_at(p, p->section_line, "[%s] says nothing: it has no KEY = VALUE",
				 p->section);
}

static void begin_section(struct scenario_parser *p, const char *line)
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
	struct scenario_parser *p = stream;
	const char *equals;
	char *text = buf;
	size_t len;

	if (p->ret || !fgets(buf, size, p->in))
		return NULL;
	p->line++;
	len = strlen(buf);
	if (len + 1 == (size_t)size && buf[len - 1] != '\n') {
		fail(p, "the line is longer than %d characters", size - 3);
		return NULL;
	}
	if (p->line == 1 && !strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	text += strspn(text, " \t");
	memmove(buf, text, buf + len + 1 - text);
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

static int parse(struct scenario_parser *p)
{
	int bad_line = ini_parse_stream(read_line, p, handle, p);

	if (!p->ret && ferror(p->in))
		return scenario_fail(p->file, p->err, p->line, -EIO, "cannot be read");
	/* inih goes on behind its own errors: one before ours is the first. */
	if (bad_line > 0 && (!p->ret || (unsigned)bad_line < p->line)) {
		p->ret = 0;
		scenario_fail_at(p, bad_line, "neither a [SECTION] nor KEY = VALUE");
	}
	end_section(p);
	return p->ret;
}

int scenario_file_read(const char *path, struct scenario_file **out, struct trace_error *err)
{
	struct scenario_parser p = {.err = err};
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
