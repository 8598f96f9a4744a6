// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/sweep_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/acomp.h"
#include "traces/error.h"

#define MAX_FILE_BYTES (1u << 20)

struct parser {
	struct sweep_file *file;
	struct trace_error *err;
	const char *next; /* what is not read yet */
	unsigned line;
	bool indented;		  /* the line at hand continues a list */
	bool open;		  /* the list before ends in a comma */
	int ret;		  /* the first error; the rest of the file is passed over */
	struct settings settings; /* where values are tried */
};

static __attribute__((format(printf, 5, 6))) int
fail_at(const char *path, struct trace_error *err, unsigned line, int ret, const char *format, ...)
{
	size_t n = snprintf(err->message, sizeof(err->message), "%s:%u: ", path, line);
	va_list args;

	err->offset = UINT64_MAX;
	va_start(args, format);
	if (n < sizeof(err->message))
		vsnprintf(err->message + n, sizeof(err->message) - n, format, args);
	va_end(args);
	trace_printable(err->message);
	return ret;
}

#define fail(p, ...)                                                                               \
	((p)->ret = fail_at((p)->file->path, (p)->err, (p)->line, -EINVAL, __VA_ARGS__))

static int no_memory(struct parser *p)
{
	return p->ret = fail_at(p->file->path, p->err, p->line, -ENOMEM, "out of memory");
}

/* ---- values ---- */

static struct sweep_value *append(struct parser *p, struct sweep_axis *axis)
{
	/* Powers of two: at those, the array is full. */
	if ((axis->nr & (axis->nr - 1)) == 0) {
		struct sweep_value *grown =
			reallocarray(axis->values, axis->nr ? 2 * axis->nr : 1, sizeof(*grown));

		if (!grown) {
			no_memory(p);
			return NULL;
		}
		axis->values = grown;
	}
	memset(&axis->values[axis->nr], 0, sizeof(*axis->values));
	return &axis->values[axis->nr++];
}

static int add_value(struct parser *p, struct sweep_axis *axis, const char *text)
{
	char canonical[SWEEP_MAX_VALUE], err[1024];
	struct sweep_value *value;

	if (strlen(text) >= SWEEP_MAX_VALUE)
		return fail(p, "%s: a value is longer than %u characters", axis->key.key,
			    SWEEP_MAX_VALUE - 1);
	if (axis->nr == SWEEP_MAX_VALUES)
		return fail(p, "%s has more than %u values", axis->key.key, SWEEP_MAX_VALUES);
	if (settings_set(&p->settings, axis->key.key, text, err, sizeof(err)))
		return fail(p, "%s", err);
	settings_value(&p->settings, axis->key.key, canonical, sizeof(canonical));
	for (unsigned i = 0; i < axis->nr; i++) {
		if (!strcmp(axis->values[i].canonical, canonical))
			return fail(p, "%s has the value %s a second time (line %u has it)",
				    axis->key.key, text, axis->values[i].line);
	}
	value = append(p, axis);
	if (!value)
		return p->ret;
	value->line = p->line;
	value->text = strdup(text);
	value->canonical = strdup(canonical);
	return value->text && value->canonical ? 0 : no_memory(p);
}

static int add_item(struct parser *p, struct sweep_axis *axis, const char *item)
{
	char text[SWEEP_MAX_VALUE], err[512];
	struct sweep_range range;
	int ret = sweep_range_read(item, &range, err, sizeof(err));

	if (ret < 0)
		return fail(p, "%s = %s", axis->key.key, err);
	if (!ret)
		return add_value(p, axis, item);
	for (uint64_t i = 0; !p->ret && i < range.nr; i++) {
		sweep_range_value(&range, i, text);
		add_value(p, axis, text);
	}
	return p->ret;
}

static size_t trimmed(const char *text, size_t len)
{
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	return len;
}

/* A line's part of a list. A comma at its end leaves it open for the next line. */
static void add_list(struct parser *p, struct sweep_axis *axis, const char *list)
{
	p->open = true;
	while (p->open && !p->ret) {
		char item[256];
		size_t len;

		list += strspn(list, " \t");
		if (!*list && axis->nr)
			return;
		len = strcspn(list, ",");
		snprintf(item, sizeof(item), "%.*s", (int)trimmed(list, len), list);
		if (!*item)
			fail(p, "%s: a value is missing", axis->key.key);
		else
			add_item(p, axis, item);
		p->open = list[len] == ',';
		list += len + p->open;
	}
}

/* ---- keys and lines ---- */

static int check_closed(struct parser *p)
{
	const struct sweep_axis *last = &p->file->axes[p->file->nr_axes - 1];

	if (!p->open)
		return 0;
	p->open = false;
	return p->ret = fail_at(p->file->path, p->err, last->values[last->nr - 1].line, -EINVAL,
				"the list of %s ends in a comma (it goes on in a line that is "
				"indented)",
				last->key.key);
}

static int begin_key(struct parser *p, const char *name)
{
	struct sweep_axis *axis = &p->file->axes[p->file->nr_axes];
	char err[2048], *known;

	if (p->file->nr_axes && check_closed(p))
		return p->ret;
	for (unsigned i = 0; i < p->file->nr_axes; i++) {
		if (!strcmp(p->file->axes[i].key.key, name))
			return fail(p, "%s is there already, in line %u", name,
				    p->file->axes[i].line);
	}
	if (p->file->nr_axes == SWEEP_MAX_AXES)
		return fail(p, "more than %u keys", SWEEP_MAX_AXES);
	if (!settings_find(name, &axis->key)) {
		settings_set(&p->settings, name, "", err, sizeof(err));
		/* All that are known are more than a line holds. */
		known = strstr(err, "; known:");
		if (known)
			*known = '\0';
		return fail(p, "%s%s", err,
			    known ? "; 'zswapsim sweep --keys' lists those that there are" : "");
	}
	axis->line = p->line;
	p->file->nr_axes++;
	return 0;
}

static int handle(void *arg, const char *section, const char *name, const char *value)
{
	struct parser *p = arg;

	if (p->ret)
		return 1;
	if (!p->indented) {
		if (begin_key(p, name))
			return 1;
	} else if (!p->open) {
		fail(p, "an indented line continues a list, but the line before does not end in a "
			"comma");
		return 1;
	}
	add_list(p, &p->file->axes[p->file->nr_axes - 1], value);
	return 1;
}

/* inih's fgets(). A colon would end a key there, and an indented line has to follow a key. */
static char *read_line(char *buf, int size, void *stream)
{
	struct parser *p = stream;
	const char *equals;
	size_t len, skip;

	if (p->ret || !*p->next)
		return NULL;
	p->line++;
	len = strcspn(p->next, "\n");
	len += p->next[len] == '\n';
	if (len + 1 > (size_t)size) {
		fail(p,
		     "the line is longer than %d characters; a list may go on in an indented line",
		     size - 2);
		return NULL;
	}
	memcpy(buf, p->next, len);
	buf[len] = '\0';
	p->next += len;
	skip = p->line == 1 && !strncmp(buf, "\xef\xbb\xbf", 3) ? 3 : 0;
	memmove(buf, buf + skip, len + 1 - skip);
	skip = strspn(buf, " \t");
	if (buf[skip] == '\n' || buf[skip] == '\r' || !buf[skip] || strchr(";#", buf[skip]))
		return strcpy(buf, "\n");
	p->indented = skip > 0;
	if (p->indented && !p->file->nr_axes) {
		fail(p, "an indented line continues a list, but there is none before it");
		return NULL;
	}
	if (*buf == '[') {
		fail(p, "a sweep has no sections: write zswap.max_pool_percent = ...");
		return NULL;
	}
	equals = strchr(buf, '=');
	if (!p->indented && (equals ? memchr(buf, ':', equals - buf) : strchr(buf, ':'))) {
		fail(p, "a ':' before the '=': no key has one");
		return NULL;
	}
	return buf;
}

static int count_rows(struct parser *p)
{
	struct sweep_file *file = p->file;
	uint64_t nr = 1;

	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (__builtin_mul_overflow(nr, file->axes[i].nr, &nr))
			nr = UINT64_MAX;
		if (nr > SWEEP_MAX_ROWS)
			return fail_at(file->path, p->err, file->axes[i].line, -EINVAL,
				       "with %s the product has more than %u settings, the most "
				       "that a sweep has",
				       file->axes[i].key.key, SWEEP_MAX_ROWS);
	}
	file->nr_rows = nr;
	return 0;
}

static int parse(struct parser *p)
{
	int bad_line = ini_parse_stream(read_line, p, handle, p);

	/* inih goes on behind its own errors: one before ours is the first. */
	if (bad_line > 0 && (!p->ret || (unsigned)bad_line < p->line)) {
		p->line = bad_line;
		fail(p, "not KEY = VALUE, VALUE, ...");
	}
	if (!p->ret && p->file->nr_axes)
		check_closed(p);
	if (!p->ret && !p->file->nr_axes)
		p->ret = fail_at(p->file->path, p->err, p->line ? p->line : 1, -EINVAL,
				 "the file says nothing: it has no KEY = VALUE");
	return p->ret ? p->ret : count_rows(p);
}

/* ---- files ---- */

static char *normal_text(const struct sweep_file *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (unsigned i = 0; i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];

		fprintf(out, "%s = %s", axis->key.key, axis->values[0].text);
		/* A value a line: lines are short ones. */
		for (unsigned v = 1; v < axis->nr; v++)
			fprintf(out, ",\n\t%s", axis->values[v].text);
		fprintf(out, "\n");
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int sweep_file_parse(const char *path, const char *text, struct sweep_file **out,
		     struct trace_error *err)
{
	struct parser p = {.err = err, .next = text};
	int ret = -ENOMEM;

	p.file = calloc(1, sizeof(*p.file));
	if (p.file)
		p.file->path = strdup(path);
	if (!p.file || !p.file->path) {
		snprintf(err->message, sizeof(err->message), "%s: out of memory", path);
		goto err;
	}
	settings_init(&p.settings);
	ret = parse(&p);
	if (!ret && !(p.file->text = normal_text(p.file)))
		ret = no_memory(&p);
	if (ret)
		goto err;
	*out = p.file;
	return 0;
err:
	sweep_file_free(p.file);
	return ret;
}

static int system_error(const char *path, struct trace_error *err, int ret)
{
	snprintf(err->message, sizeof(err->message), "%s: %s", path, strerror(-ret));
	return ret;
}

int sweep_file_read(const char *path, struct sweep_file **out, struct trace_error *err)
{
	FILE *in = fopen(path, "re");
	char *text;
	size_t bytes;
	int ret;

	if (!in)
		return system_error(path, err, -errno);
	text = malloc(MAX_FILE_BYTES + 2);
	if (!text) {
		fclose(in);
		return system_error(path, err, -ENOMEM);
	}
	errno = 0;
	bytes = fread(text, 1, MAX_FILE_BYTES + 1, in);
	text[bytes] = '\0';
	if (ferror(in))
		ret = system_error(path, err, errno ? -errno : -EIO);
	else if (bytes > MAX_FILE_BYTES)
		ret = fail_at(path, err, 1, -EINVAL, "the file is larger than %u bytes",
			      MAX_FILE_BYTES);
	else if (memchr(text, '\0', bytes))
		ret = fail_at(path, err, 1, -EINVAL, "the file is no text: it has a NUL byte");
	else
		ret = sweep_file_parse(path, text, out, err);
	fclose(in);
	free(text);
	return ret;
}

void sweep_file_free(struct sweep_file *file)
{
	if (!file)
		return;
	for (unsigned i = 0; i < file->nr_axes; i++) {
		for (unsigned v = 0; v < file->axes[i].nr; v++) {
			free(file->axes[i].values[v].text);
			free(file->axes[i].values[v].canonical);
		}
		free(file->axes[i].values);
	}
	free(file->text);
	free(file->path);
	free(file);
}

/* ---- rows ---- */

static unsigned index_of(const struct sweep_file *file, uint32_t row, unsigned axis)
{
	for (unsigned i = file->nr_axes - 1; i > axis; i--)
		row /= file->axes[i].nr;
	return row % file->axes[axis].nr;
}

const char *sweep_file_value(const struct sweep_file *file, uint32_t row, unsigned axis)
{
	return file->axes[axis].values[index_of(file, row, axis)].text;
}

static bool is_kernel(const struct sweep_axis *axis)
{
	return !strcmp(axis->key.key, "kernel");
}

void sweep_file_settings(const struct sweep_file *file, uint32_t row, struct settings *s)
{
	char err[1024];

	settings_init(s);
	/* The preset first: it replaces what the other keys change. All values were tried before.
	 */
	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (is_kernel(&file->axes[i]))
			settings_set(s, "kernel", sweep_file_value(file, row, i), err, sizeof(err));
	}
	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (!is_kernel(&file->axes[i]))
			settings_set(s, file->axes[i].key.key, sweep_file_value(file, row, i), err,
				     sizeof(err));
	}
}

char *sweep_file_row_text(const struct sweep_file *file, uint32_t row, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";

	if (!out)
		return NULL;
	for (unsigned i = 0; i < file->nr_axes; i++) {
		if (!all && file->axes[i].nr == 1)
			continue;
		fprintf(out, "%s%s=%s", separator, file->axes[i].key.key,
			sweep_file_value(file, row, i));
		separator = " ";
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* "zstd" and "zstd:3" are one codec, which only the registry knows. */
static int check_same_codec(const struct sweep_file *file, const struct sweep_axis *axis,
			    unsigned v, const struct crypto_registry *crypto,
			    struct trace_error *err)
{
	struct acomp_spec is, other;

	crypto_parse_acomp(crypto, axis->values[v].text, &is, NULL, 0);
	for (unsigned i = 0; i < v; i++) {
		crypto_parse_acomp(crypto, axis->values[i].text, &other, NULL, 0);
		if (!strcmp(is.name, other.name))
			return fail_at(file->path, err, axis->values[v].line, -EINVAL,
				       "%s: %s and %s are one compressor", axis->key.key,
				       axis->values[i].text, axis->values[v].text);
	}
	return 0;
}

static int check_values(const struct sweep_file *file, const struct sweep_axis *axis,
			const struct crypto_registry *crypto, struct trace_error *err)
{
	char text[1024];
	int ret = 0;

	for (unsigned v = 0; !ret && v < axis->nr; v++) {
		struct settings s;

		/* By itself: whether it fits with others is another question. */
		settings_init(&s);
		settings_set(&s, axis->key.key, axis->values[v].text, text, sizeof(text));
		ret = settings_check(&s, crypto, text, sizeof(text));
		if (ret)
			return fail_at(file->path, err, axis->values[v].line, ret, "%s", text);
		if (!strcmp(axis->key.key, "zswap.compressor"))
			ret = check_same_codec(file, axis, v, crypto, err);
	}
	return ret;
}

/* Where the value stands that @text, "KEY: cause", is about. */
static unsigned line_at_fault(const struct sweep_file *file, uint32_t row, const char *text)
{
	for (unsigned i = 0; i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];
		size_t len = strlen(axis->key.key);

		if (!strncmp(text, axis->key.key, len) && text[len] == ':')
			return axis->values[index_of(file, row, i)].line;
	}
	return file->axes[file->nr_axes - 1].line;
}

static int check_row(const struct sweep_file *file, uint32_t row, struct trace_error *err)
{
	char text[256], *settings;
	struct settings s;

	sweep_file_settings(file, row, &s);
	if (!settings_fit(&s, text, sizeof(text)))
		return 0;
	settings = sweep_file_row_text(file, row, true);
	fail_at(file->path, err, line_at_fault(file, row, text), -EINVAL,
		"%s (setting %" PRIu32 ": %.120s)", text, row + 1, settings ? settings : "");
	free(settings);
	return -EINVAL;
}

int sweep_file_check(const struct sweep_file *file, const struct crypto_registry *crypto,
		     struct trace_error *err)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < file->nr_axes; i++) {
		const struct sweep_axis *axis = &file->axes[i];

		if (axis->key.kind == SETTING_TEXT || axis->key.kind == SETTING_FILE)
			ret = check_values(file, axis, crypto, err);
	}
	for (uint32_t row = 0; !ret && row < file->nr_rows; row++)
		ret = check_row(file, row, err);
	return ret;
}
