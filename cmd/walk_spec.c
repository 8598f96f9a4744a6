// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of a request: what each one sets. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/walk_request.h"

/* Of a text that may be long, for a message. */
#define SHOWN 80

void walk_spec_reset(struct walk_spec *spec)
{
	struct walk_list *lists[] = {&spec->src, &spec->dst, &spec->split};
	struct walk_list kept[3];

	for (unsigned i = 0; i < 3; i++)
		kept[i] = (struct walk_list){.sizes = lists[i]->sizes, .room = lists[i]->room};
	memset(spec, 0, sizeof(*spec));
	for (unsigned i = 0; i < 3; i++)
		*lists[i] = kept[i];
	spec->seed = 1;
}

void walk_spec_finish(struct walk_spec *spec)
{
	free(spec->src.sizes);
	free(spec->dst.sizes);
	free(spec->split.sizes);
}

/* ---- numbers and lists ---- */

/* A number of bytes that ends at @end; false if it is none. */
static bool read_number(const char *text, const char *end, int64_t *bytes)
{
	char digits[24];
	uint64_t value;

	if ((size_t)(end - text) >= sizeof(digits))
		return false;
	memcpy(digits, text, end - text);
	digits[end - text] = '\0';
	if (options_read_size(digits, &value) || value > WALKER_MAX_BYTES)
		return false;
	*bytes = value;
	return true;
}

static bool read_size(const char *text, const char *end, struct walk_size *size)
{
	int64_t sign = 1;

	*size = (struct walk_size){.given = true};
	if (text == end)
		return false;
	if (*text != 'L')
		return read_number(text, end, &size->bytes);
	size->of_frame = true;
	if (++text == end)
		return true;
	if (*text != '-' && *text != '+')
		return false;
	sign = *text == '-' ? -1 : 1;
	if (!read_number(text + 1, end, &size->bytes))
		return false;
	size->bytes *= sign;
	return true;
}

static int bad_size(struct walk_error *err, const char *option, const char *text, size_t len)
{
	return walk_fail(err,
			 "--%s '%.*s': not a number of bytes from 0 to %u (with K or M if you "
			 "like), nor L, L-N or L+N",
			 option, (int)(len < SHOWN ? len : SHOWN), text, WALKER_MAX_BYTES);
}

static int set_size(struct walk_size *size, const char *option, const char *text,
		    struct walk_error *err)
{
	if (!read_size(text, text + strlen(text), size))
		return bad_size(err, option, text, strlen(text));
	return 0;
}

static int append(struct walk_list *list, const char *option, struct walk_error *err)
{
	unsigned room = list->room ? 2 * list->room : 8;
	struct walk_size *sizes;

	if (list->nr < list->room)
		return 0;
	if (list->nr == WALKER_MAX_ENTRIES)
		return walk_fail(err, "--%s: more than %u entries", option, WALKER_MAX_ENTRIES);
	sizes = realloc(list->sizes, room * sizeof(*sizes));
	if (!sizes)
		return walk_fail(err, "out of memory");
	list->sizes = sizes;
	list->room = room;
	return 0;
}

static int set_list(struct walk_list *list, const char *option, const char *text,
		    struct walk_error *err)
{
	list->nr = 0;
	list->given = true;
	for (;;) {
		size_t len = strcspn(text, ",");
		int ret = append(list, option, err);

		if (ret)
			return ret;
		if (!read_size(text, text + len, &list->sizes[list->nr++]))
			return bad_size(err, option, text, len);
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

/* "virt:4096", "sg:1000,3096", "folio:65536@4096" */
static int set_side(struct walk_list *side, const char *option, const char *text,
		    struct walk_error *err)
{
	const char *at = strchr(text, '@');
	char first[32];
	int64_t offset = 0;
	size_t len;

	side->offset = 0;
	if (!strncmp(text, "virt:", 5)) {
		side->kind = WALKER_VIRT;
		text += 5;
	} else if (!strncmp(text, "sg:", 3)) {
		side->kind = WALKER_SG;
		return set_list(side, option, text + 3, err);
	} else if (!strncmp(text, "folio:", 6)) {
		side->kind = WALKER_FOLIO;
		text += 6;
		if (at && !read_number(at + 1, at + 1 + strlen(at + 1), &offset))
			return walk_fail(err, "--%s '%.*s': not an offset from 0 to %u", option,
					 SHOWN, at + 1, WALKER_MAX_BYTES);
		side->offset = offset;
	} else {
		return walk_fail(err,
				 "--%s '%.*s': not virt:BYTES, sg:BYTES,BYTES,... or "
				 "folio:BYTES@OFFSET",
				 option, SHOWN, text);
	}
	len = side->kind == WALKER_FOLIO && at ? (size_t)(at - text) : strlen(text);
	if (len >= sizeof(first))
		return bad_size(err, option, text, len);
	memcpy(first, text, len);
	first[len] = '\0';
	if (strchr(first, ','))
		return walk_fail(err, "--%s: only a list (sg:) has several lengths", option);
	return set_list(side, option, first, err);
}

/* ---- options ---- */

static int set_op(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	if (!strcmp(value, "compress"))
		spec->op = WALK_OP_COMPRESS;
	else if (!strcmp(value, "decompress"))
		spec->op = WALK_OP_DECOMPRESS;
	else
		return walk_fail(err, "--op '%.*s': not compress or decompress", SHOWN, value);
	return 0;
}

static int set_src(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	spec->src_text = value;
	return set_side(&spec->src, "src", value, err);
}

static int set_dst(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	spec->dst_text = value;
	return set_side(&spec->dst, "dst", value, err);
}

static int set_slen(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_size(&spec->slen, "slen", value, err);
}

static int set_dlen(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_size(&spec->dlen, "dlen", value, err);
}

static int set_length_of_data(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	int ret = set_size(&spec->size, "size", value, err);

	if (!ret && spec->size.of_frame)
		return walk_fail(err, "--size: L cannot tell how much data the frame is made of");
	return ret;
}

static int set_split(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	int ret = set_list(&spec->split, "frame-split", value, err);

	for (unsigned i = 0; !ret && i < spec->split.nr; i++) {
		if (spec->split.sizes[i].of_frame)
			return walk_fail(err, "--frame-split: L cannot tell how the frame is made");
	}
	return ret;
}

static int set_text(const char **text, const char *option, const char *value,
		    struct walk_error *err)
{
	if (!*value)
		return walk_fail(err, "--%s: a name is needed", option);
	*text = value;
	return 0;
}

static int set_data(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_text(&spec->data, "data", value, err);
}

static int set_frame(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_text(&spec->frame, "frame", value, err);
}

static int set_output(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_text(&spec->output, "output", value, err);
}

static int set_u64(uint64_t *to, const char *option, const char *value, struct walk_error *err)
{
	if (options_read_size(value, to))
		return walk_fail(err, "--%s '%.*s': not a number", option, SHOWN, value);
	return 0;
}

static int set_seed(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_u64(&spec->seed, "seed", value, err);
}

static int set_skip(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	return set_u64(&spec->skip, "skip", value, err);
}

static int set_pad(struct walk_spec *spec, const char *value, struct walk_error *err)
{
	spec->pad = true;
	return 0;
}

const struct walk_option walk_options[] = {
	{"op", 0, "OP", "compress or decompress", set_op},
	{"src", 0, "SIDE",
	 "The source: virt:BYTES (linear), sg:BYTES,BYTES,... (a scatterlist, lengths of 0 "
	 "allowed) "
	 "or folio:BYTES@OFFSET",
	 set_src},
	{"dst", 0, "SIDE", "The destination, likewise", set_dst},
	{"slen", 0, "BYTES", "slen of the request (default: the bytes of --src)", set_slen},
	{"dlen", 0, "BYTES", "dlen of the request (default: the bytes of --dst)", set_dlen},
	{"data", 0, "WHAT",
	 "What is compressed: FILE, counters (32-bit, from 0; the default), text, random, random:N "
	 "(N "
	 "random bytes, then zeros) or zero",
	 set_data},
	{"frame", 0, "FILE", "What is decompressed (default: a frame that is made of --data)",
	 set_frame},
	{"frame-split", 0, "BYTES,...",
	 "Make that frame in a stream, flushed after each of these lengths of data (default: in "
	 "one "
	 "shot)",
	 set_split},
	{"size", 0, "BYTES", "Bytes of --data in that frame (default 4096)", set_length_of_data},
	{"skip", 0, "BYTES", "Begin so far into FILE", set_skip},
	{"seed", 0, "N", "Of text and random (default 1)", set_seed},
	{"pad", 0, NULL, "Fill what the frame or FILE leaves of the source with zeros", set_pad},
	{"output", 'o', "FILE", "Write the bytes of output, if the request succeeds", set_output},
};

const unsigned walk_nr_options = sizeof(walk_options) / sizeof(*walk_options);

/* ---- a line ---- */

/* Cuts the next word out of *@rest, in place. NULL: no more; *@ret: 0, or what is wrong. */
static char *next_word(char **rest, int *ret, struct walk_error *err)
{
	char *from = *rest + strspn(*rest, " \t\r\n\f\v"), *to = from, *word = from;
	char quote = 0;

	*ret = 0;
	if (!*from || *from == '#')
		return NULL;
	for (; *from && (quote || !strchr(" \t\r\n\f\v", *from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	if (quote) {
		*ret = walk_fail(err, "a %c that is not closed", quote);
		return NULL;
	}
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static const struct walk_option *find_option(const char *word, size_t len)
{
	for (unsigned i = 0; i < walk_nr_options; i++) {
		const struct walk_option *o = &walk_options[i];

		if (word[1] == '-' && strlen(o->name) == len - 2 &&
		    !strncmp(o->name, word + 2, len - 2))
			return o;
		if (o->key && len == 2 && word[1] == o->key)
			return o;
	}
	return NULL;
}

static int set_from_words(struct walk_spec *spec, char *word, char **rest, struct walk_error *err)
{
	size_t len = strcspn(word, "=");
	const struct walk_option *o = *word == '-' && len >= 2 ? find_option(word, len) : NULL;
	char *value = word[len] ? word + len + 1 : NULL;
	int ret;

	if (!o)
		return walk_fail(err, "'%.*s': not an option of a request", SHOWN, word);
	if (!o->value && value)
		return walk_fail(err, "--%s has no value", o->name);
	if (o->value && !value) {
		value = next_word(rest, &ret, err);
		if (ret)
			return ret;
		if (!value)
			return walk_fail(err, "--%s: its value is missing", o->name);
	}
	return o->set(spec, value, err);
}

int walk_spec_read_line(struct walk_spec *spec, char *line, bool *empty, struct walk_error *err)
{
	char *word;
	int ret;

	*empty = true;
	while ((word = next_word(&line, &ret, err))) {
		*empty = false;
		ret = set_from_words(spec, word, &line, err);
		if (ret)
			return ret;
	}
	return ret;
}
