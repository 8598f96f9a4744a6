// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: make_pages FILE [NUMBER COPIES]
 *
 * Writes all input pages; or one of any number, again and again.
 */
#include <stdio.h>
#include <stdlib.h>

#include "content.h"

int main(int argc, char **argv)
{
	unsigned number = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned nr = argc == 4 ? strtoul(argv[3], NULL, 10) : CONTENT_PAGES;
	FILE *f = argc == 2 || argc == 4 ? fopen(argv[1], "wb") : NULL;
	unsigned char page[CONTENT_PAGE_SIZE];

	if (!f) {
		if (argc == 2 || argc == 4)
			perror(argv[1]);
		else
			fprintf(stderr, "usage: make_pages FILE [NUMBER COPIES]\n");
		return 2;
	}
	for (unsigned i = 0; i < nr; i++) {
		content_page(page, argc == 4 ? number : i);
		fwrite(page, sizeof(page), 1, f);
	}
	if (fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
