/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output, --pattern, --folio, --cpus, --events and --seed: what 'trace build' and 'trace synth'
 * have in common, and what becomes of them. pattern_options_argp is for a child, as in
 * cmd/options.h.
 */
#ifndef CMD_PATTERN_OPTIONS_H
#define CMD_PATTERN_OPTIONS_H

#include <argp.h>

#include "traces/maker.h"

struct pattern_options {
	const char *output; /* NULL if not given */
	struct trace_pattern_config pattern;
};

extern const struct argp pattern_options_argp;

/* Of both commands' help texts. */
#define PATTERN_OPTIONS_DOC                                                                        \
	"Patterns:\n"                                                                              \
	"  madvise  store every page in order, load every page in order, invalidate\n"             \
	"           all: the kernel developers' test; as long as that takes\n"                     \
	"  random   touch pages evenly at random: what is in memory is stored, what is\n"          \
	"           swapped is loaded\n"                                                           \
	"  zipf:A   the same, but the k-th favourite page k^-A as often as the first\n"            \
	"  loop     the same, but in order, over and over\n"                                       \
	"  burst:N  half of the pages are warm and touched at random, the others are\n"            \
	"           cold and stored once, in four bursts; after every 256 pages that\n"            \
	"           were stored, the shrinker is to scan N entries (default 128)\n\n"              \
	"A folio is stored whole, and loaded page by page, as the kernel does. What is left at "   \
	"the end of a file is stored as single pages. Folio number i belongs to CPU i mod N. "     \
	"Events are 10 us a page apart. The same arguments give the same bytes."

/*
 * The command line that makes the same trace, with every default in it: @command, the options
 * above, then @args. Where the trace goes is left out, so that it is the same wherever it goes. To
 * be freed; NULL when out of memory.
 */
char *pattern_options_command(const struct pattern_options *o, const char *command,
			      const char *const *args, size_t nr_args);

/* One line for what was made, on standard output. */
void pattern_options_print(const struct pattern_options *o, const char *output,
			   const struct trace_made *made);

#endif
