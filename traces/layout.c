// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/layout.h"

const char *const zswt_section_names[ZSWT_SECTIONS] = {
	"page blocks", "block index", "page keys", "compressors", "lengths",
	"page lists",  "memcg table", "marks",	   "strings",	  "events",
};
