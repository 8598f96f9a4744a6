// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/mapped.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/version.h"
#include "sim/policy_guard.h"
#include "sim/suggest.h"

/* To add a command: a line here and in commands.h, its file in meson.build. */
static const struct command {
	const char *name; /* one word, or "trace" and another */
	int (*run)(int argc, char **argv);
	const char *doc;
} commands[] = {
	{"replay", cmd_replay, "replay a trace, verify every load, report what it cost"},
	{"versions", cmd_versions, "replay a trace under every kernel preset, side by side"},
	{"sweep", cmd_sweep, "replay a trace under every combination of many settings"},
	{"compare", cmd_compare, "replay a trace under several settings, report what they change"},
	{"policy", cmd_policy, "replay a trace under several policies, beside the best there is"},
	{"batch", cmd_batch, "store folios under each proposal for batching, side by side"},
	{"allocators", cmd_allocators, "replay a trace over zsmalloc, zbud and jemalloc"},
	{"straddle", cmd_straddle, "what objects over two pages cost, by chain size"},
	{"bench acomp", cmd_bench_acomp, "time requests as the patch letters do"},
	{"trace build", cmd_trace_build, "make a trace of files, directories and archives"},
	{"trace synth", cmd_trace_synth, "make a trace of pages that are made from figures"},
	{"verify", cmd_verify, "compare the port with a recording of a real kernel"},
	{"walk", cmd_walk, "run one acomp request and print every step of it"},
	{"classes", cmd_classes, "print the size classes of zsmalloc"},
	{"trace info", cmd_trace_info, "say what a trace is and holds"},
	{"trace dump", cmd_trace_dump, "print the events of a trace"},
	{"trace check", cmd_trace_check, "check everything in a trace"},
	{"trace lengths", cmd_trace_lengths, "compress each page once, for policy mode"},
	{"trace strip", cmd_trace_strip, "make a trace without contents, to be shared"},
	{"cpuid", cmd_cpuid, "count and time the CPUIDs of context initialisation"},
	{"profiles", cmd_profiles, "list the kernel presets and what each switch means"},
};

#define NR_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *out)
{
	fprintf(out, "Usage: zswapsim COMMAND [OPTION...] [ARGUMENT...]\n"
		     "Replays traces of swapped pages through a port of the Linux zswap stack.\n\n"
		     "Commands:\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-12s  %s\n", commands[i].name, commands[i].doc);
	fprintf(out, "\n'zswapsim COMMAND --help' says more, with examples.\n"
		     "'zswapsim --version' names the libraries in use.\n\n"
		     "Exit status: 0 done, 1 a check failed, 2 bad input or usage, "
		     "3 an expectation not met.\n");
}

/* How many words of @argv name the command: 1 or 2; 0: it is another one. */
static int matches(const struct command *c, int argc, char **argv)
{
	size_t len = strlen(argv[0]);

	if (!strcmp(c->name, argv[0]))
		return 1;
	if (argc > 1 && !strncmp(c->name, argv[0], len) && c->name[len] == ' ' &&
	    !strcmp(c->name + len + 1, argv[1]))
		return 2;
	return 0;
}

/* The first word of commands of two: "trace". */
static bool is_group(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!strncmp(commands[i].name, word, len) && commands[i].name[len] == ' ')
			return true;
	}
	return false;
}

static int unknown(int argc, char **argv)
{
	bool group = is_group(argv[0]), whole = !group || argc > 1;
	const char *separator = "; did you mean ";
	char typed[SUGGEST_MAX + 2]; /* longer ones are like nothing */

	for (int i = 0; i < argc && i < 2; i++)
		options_printable(argv[i]);
	snprintf(typed, sizeof(typed), "%s%s%s", argv[0], group && whole ? " " : "",
		 group && whole ? argv[1] : "");
	fprintf(stderr, "zswapsim: %s '%s%s%s'",
		whole ? "unknown command" : "not a whole command:", argv[0],
		group && whole ? " " : "", group && whole ? argv[1] : "");
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!suggest_close(typed, commands[i].name))
			continue;
		fprintf(stderr, "%s'%s'", separator, commands[i].name);
		separator = ", ";
	}
	fprintf(stderr, "%s\n", *separator == ',' ? "?" : "; 'zswapsim --help' lists them");
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	output_init();
	mapped_init();
	argp_err_exit_status = STATUS_USAGE;
	if (argc < 2) {
		fprintf(stderr, "zswapsim: a command is needed; 'zswapsim --help' lists them\n");
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return STATUS_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		version_print(stdout);
		return STATUS_OK;
	}
	argc--;
	argv++;
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		int words = matches(&commands[i], argc, argv), status;
		char name[64];

		if (!words)
			continue;
		/* The last word of the name becomes argv[0], as getopt wants it. */
		snprintf(name, sizeof(name), "zswapsim %s", commands[i].name);
		argv[words - 1] = name;
		status = commands[i].run(argc - words + 1, argv + words - 1);
		policy_guard_end();
		return status;
	}
	if (is_group(argv[0]) && argc > 1 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return STATUS_OK;
	}
	return unknown(argc, argv);
}
