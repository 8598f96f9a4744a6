// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/suggest.h"

#include <string.h>

#define MAX_EDITS 2u

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment; d[i][j] is the distance of the first i letters and the first j. */
static unsigned edits(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned d[SUGGEST_MAX + 1][SUGGEST_MAX + 1];

	for (size_t i = 0; i <= la; i++) {
		for (size_t j = 0; j <= lb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = min(min(d[i - 1][j], d[i][j - 1]) + 1,
				      d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[la][lb];
}

static bool is_word_of(const char *word, size_t len, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (n == len && !memcmp(word, text, n))
			return true;
		text += n + (text[n] == ' ');
	}
	return false;
}

bool suggest_close(const char *typed, const char *known)
{
	size_t lt = strlen(typed), lk = strlen(known);
	unsigned n;

	if (!lt || lt > SUGGEST_MAX || lk > SUGGEST_MAX)
		return false;
	if (is_word_of(typed, lt, known))
		return true;
	n = edits(typed, lt, known, lk);
	return n <= MAX_EDITS && lt > 2 * n;
}
