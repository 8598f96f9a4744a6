// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/text.h"

#include <stdint.h>

/* Bytes of the character that @s begins with; 0 if there is none. Never looks behind a NUL. */
static unsigned char_bytes(const unsigned char *s)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned bytes;
	uint32_t c;

	if (s[0] < 0x80)
		return s[0] >= ' ' && s[0] != 0x7f;
	if (s[0] >= 0xc0 && s[0] < 0xe0)
		bytes = 2;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		bytes = 3;
	else if (s[0] >= 0xf0 && s[0] < 0xf8)
		bytes = 4;
	else
		return 0;
	c = s[0] & (0x7f >> bytes);
	for (unsigned i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* Overlong, a surrogate, too large, or one of the control characters of ISO 6429. */
	if (c < least[bytes] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff || c < 0xa0)
		return 0;
	return bytes;
}

size_t trace_text_span(const char *s)
{
	size_t n = 0;
	unsigned bytes;

	while ((bytes = char_bytes((const unsigned char *)s + n)))
		n += bytes;
	return n;
}
