/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the option parsers of all commands share. A command describes its options in a struct argp
 * and parses with options_parse(); whatever is wrong is one line on stderr,
 * "zswapsim COMMAND: message", and exit status 2.
 *
 * A command that takes --kernel and --set names options_kernel_argp as a child and gives it its
 * struct options_kernel:
 *
 *	static const struct argp_child children[] = {{&options_kernel_argp}, {NULL}};
 *	...
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = &options->kernel;
 *		return 0;
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <argp.h>
#include <stdint.h>

#include "sim/settings.h"

/*
 * argp_parse(), but with one line for an error. Arguments that @argp does not take (its parser
 * returns ARGP_ERR_UNKNOWN for ARGP_KEY_ARG) are errors. 0, or the exit status for the caller.
 * --help and --usage do not return.
 */
int options_parse(const struct argp *argp, int argc, char **argv, void *input);

/* What would break a line or move the cursor becomes '?': for what was typed, in messages. */
void options_printable(char *text);

/* From within a parser: prints the line and ends the program. */
void options_error(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* The number that @text is, from @min to @max, or options_error(). @name is for the message. */
uint64_t options_u64(const struct argp_state *state, const char *name, const char *text,
		     uint64_t min, uint64_t max);
/* The same in bytes, with an optional suffix K, M, G or T (powers of 1024). */
uint64_t options_size(const struct argp_state *state, const char *name, const char *text,
		      uint64_t min, uint64_t max);

/* The argument @arg into *trace, or options_error() if there was one before. */
void options_one_trace(const struct argp_state *state, const char **trace, const char *arg);
/* options_error() if there was none. */
void options_need_trace(const struct argp_state *state, const char *trace);

/* Digits only. 0, -EINVAL or -ERANGE. */
int options_read_u64(const char *text, uint64_t *value);
int options_read_size(const char *text, uint64_t *value);

/*
 * The command line as one would type it, quoted where needed. Before options_parse(), which changes
 * the order of @argv. To be freed; NULL when out of memory.
 */
char *options_command_line(int argc, char **argv);

#define OPTIONS_MAX_SETS 64

struct options_kernel {
	const char *name;		    /* of --kernel, NULL if not given */
	const char *sets[OPTIONS_MAX_SETS]; /* of --set, in order */
	unsigned nr_sets;
	/*
	 * The machine that --set may change as well; NULL: none. Set by the parent before its
	 * children are told to begin (ARGP_KEY_INIT). Changed as the options come.
	 */
	struct replay_config *machine;
	struct profile profile; /* the preset with the changes: from the parent's ARGP_KEY_END on */
};

/*
 * --set @assignment: of the machine, it is done now; of the profile, it is kept in sets[].
 * options_error() if there is no such key.
 */
void options_add_set(struct options_kernel *o, const struct argp_state *state,
		     const char *assignment);

extern const struct argp options_kernel_argp;

#endif
