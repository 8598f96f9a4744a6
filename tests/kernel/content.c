// SPDX-License-Identifier: GPL-2.0-or-later
#include "content.h"

#include <string.h>

#define VOCABULARY 512
#define MAX_WORD   9

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void fill_random(uint8_t *page, unsigned from, unsigned size, uint64_t *state)
{
	for (unsigned i = from; i < from + size; i++)
		page[i] = next(state);
}

/* Word @number of a language of its own, with a blank at its end; returns its length. */
static unsigned make_word(uint8_t *word, unsigned number)
{
	uint64_t state = number;
	unsigned len = 2 + next(&state) % (MAX_WORD - 2);

	for (unsigned i = 0; i < len; i++)
		word[i] = 'a' + next(&state) % 26;
	word[len] = ' ';
	return len + 1;
}

/* Words, those with small numbers more often. */
static void fill_text(uint8_t *page, uint64_t *state)
{
	uint8_t word[MAX_WORD + 1];

	for (unsigned at = 0; at < CONTENT_PAGE_SIZE;) {
		unsigned number = next(state) % VOCABULARY;
		unsigned len = make_word(word, number * (next(state) % VOCABULARY) / VOCABULARY);

		if (len > CONTENT_PAGE_SIZE - at)
			len = CONTENT_PAGE_SIZE - at;
		memcpy(page + at, word, len);
		at += len;
	}
}

/* Records of a pointer, a counter and flags, as a heap has them. */
static void fill_records(uint8_t *page, uint64_t *state)
{
	uint64_t base = 0x7f0000000000 | (next(state) & 0xffffff000);

	for (unsigned at = 0; at < CONTENT_PAGE_SIZE; at += 24) {
		const uint64_t record[3] = {base | (next(state) & 0xff8), at / 24, next(state) & 7};
		unsigned left = CONTENT_PAGE_SIZE - at;

		memcpy(page + at, record, left < sizeof(record) ? left : sizeof(record));
	}
}

void content_page(void *page, uint32_t index)
{
	uint64_t state = 0x5a535754ull << 32 | index;
	uint8_t *bytes = page;

	memset(page, 0, CONTENT_PAGE_SIZE);
	switch (index % 16) {
	case 0:
		break;
	case 1:
		fill_random(page, 0, CONTENT_PAGE_SIZE, &state);
		break;
	case 2:
		memset(page, 1 + index / 16 % 255, CONTENT_PAGE_SIZE);
		break;
	case 3 ... 6:
		fill_text(page, &state);
		break;
	case 7 ... 9:
		fill_records(page, &state);
		break;
	default:
		/* Random in part: any length up to the longest. */
		fill_random(page, 0, 1 + next(&state) % 4000, &state);
		bytes[CONTENT_PAGE_SIZE - 1] = 1;
		break;
	}
}
