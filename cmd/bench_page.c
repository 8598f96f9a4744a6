// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/bench_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "traces/random.h"
#include "traces/reader.h"

/* The most frequent first: the k-th is drawn with a probability in proportion to 1 / k. */
static const char *const words[] = {
	"the",	   "of",      "and",	 "to",	   "a",	      "in",	  "is",	     "that",
	"page",	   "it",      "for",	 "as",	   "was",     "with",	  "memory",  "be",
	"on",	   "by",      "not",	 "he",	   "from",    "this",	  "are",     "which",
	"at",	   "an",      "or",	 "his",	   "but",     "they",	  "all",     "one",
	"when",	   "were",    "there",	 "can",	   "has",     "more",	  "time",    "if",
	"no",	   "out",     "so",	 "what",   "up",      "said",	  "about",   "other",
	"into",	   "than",    "its",	 "only",   "two",     "some",	  "could",   "them",
	"kernel",  "process", "written", "never",  "before",  "between",  "during",  "without",
	"address", "because", "through", "number", "another", "thought",  "against", "something",
	"little",  "morning", "country", "almost", "letters", "question", "evening", "together",
};

#define NR_WORDS (sizeof(words) / sizeof(*words))

static const char *draw_word(struct random *r)
{
	double whole = 0, left;

	for (size_t k = 0; k < NR_WORDS; k++)
		whole += 1.0 / (k + 1);
	left = random_unit(r) * whole;
	for (size_t k = 0; k < NR_WORDS; k++) {
		left -= 1.0 / (k + 1);
		if (left < 0)
			return words[k];
	}
	return words[NR_WORDS - 1];
}

static void make_text(uint8_t *to, size_t size)
{
	bool sentence = true;
	struct random r;
	size_t at = 0;

	random_init(&r, 1, 0);
	while (at < size) {
		char word[32];
		int len = snprintf(word, sizeof(word), "%s%s", draw_word(&r),
				   random_below(&r, 12) ? " " : ".\n");

		if (sentence)
			word[0] += 'A' - 'a';
		sentence = word[len - 1] == '\n';
		if ((size_t)len > size - at)
			len = size - at;
		memcpy(to + at, word, len);
		at += len;
	}
}

static int load_file(const char *path, uint8_t *to, size_t size, char *err, size_t err_size)
{
	FILE *file = fopen(path, "rb");
	size_t n;
	int ret = 0;

	if (!file) {
		ret = -errno;
		snprintf(err, err_size, "%s: %s (a page is " BENCH_PAGE_HELP ")", path,
			 strerror(-ret));
		return ret;
	}
	memset(to, 0, size);
	errno = 0;
	n = fread(to, 1, size, file);
	if (ferror(file)) {
		ret = errno ? -errno : -EIO;
		snprintf(err, err_size, "%s: %s", path, strerror(-ret));
	} else if (!n) {
		ret = -EINVAL;
		snprintf(err, err_size, "%s: the file is empty", path);
	}
	fclose(file);
	return ret;
}

static int load_pages(struct trace_reader *reader, uint64_t first, uint8_t *to, size_t size,
		      struct trace_error *err)
{
	const struct trace_info *info = trace_reader_info(reader);
	const void *data;

	if (first >= info->nr_pages) {
		snprintf(err->message, sizeof(err->message),
			 "%s: there is no page %" PRIu64 ": the trace has %" PRIu64
			 " distinct pages",
			 trace_reader_path(reader), first, info->nr_pages);
		return -EINVAL;
	}
	memset(to, 0, size);
	for (size_t i = 0; i < size / TRACE_PAGE_SIZE && first + i < info->nr_pages; i++) {
		int ret = trace_reader_page(reader, first + i, &data, err);

		if (ret)
			return ret;
		memcpy(to + i * TRACE_PAGE_SIZE, data, TRACE_PAGE_SIZE);
	}
	return 0;
}

static int load_trace(const char *path, uint64_t first, uint8_t *to, size_t size, char *err,
		      size_t err_size)
{
	struct trace_reader *reader = NULL;
	struct trace_error error;
	int ret = trace_reader_open(path, &reader, &error);

	if (!ret)
		ret = load_pages(reader, first, to, size, &error);
	if (ret)
		snprintf(err, err_size, "%s", error.message);
	trace_reader_close(reader);
	return ret;
}

int bench_page_load(const char *name, uint8_t *to, size_t size, char *err, size_t err_size)
{
	const char *hash = strrchr(name, '#');
	struct random r;
	uint64_t first;

	if (hash && !options_read_u64(hash + 1, &first)) {
		char *path = strndup(name, hash - name);
		int ret = -ENOMEM;

		if (path)
			ret = load_trace(path, first, to, size, err, err_size);
		else
			snprintf(err, err_size, "out of memory");
		free(path);
		return ret;
	}
	if (!strcmp(name, "zero")) {
		memset(to, 0, size);
	} else if (!strcmp(name, "text")) {
		make_text(to, size);
	} else if (!strcmp(name, "random")) {
		random_init(&r, 1, 1);
		random_bytes(&r, to, size);
	} else {
		return load_file(name, to, size, err, err_size);
	}
	return 0;
}
