// SPDX-License-Identifier: GPL-2.0-or-later
/* usage: make_pages FILE: writes all input pages. */
#include <stdio.h>

#include "content.h"

int main(int argc, char **argv)
{
	unsigned char page[CONTENT_PAGE_SIZE];
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!f) {
		perror(argc == 2 ? argv[1] : "usage: make_pages FILE");
		return 2;
	}
	for (unsigned i = 0; i < CONTENT_PAGES; i++) {
		content_page(page, i);
		fwrite(page, sizeof(page), 1, f);
	}
	if (fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
