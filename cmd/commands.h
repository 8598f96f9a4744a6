/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands, as main() calls them. argv[0] is the whole name ("zswapsim trace build"), which
 * messages begin with. Each returns the exit status: 0 done, 1 a check failed, 2 bad input or
 * usage, 3 an expectation not met.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

enum exit_status {
	STATUS_OK = 0,
	STATUS_CHECK_FAILED = 1,
	STATUS_USAGE = 2, /* bad input, bad usage, or the output could not be written */
	STATUS_EXPECTATION = 3,
};

int cmd_replay(int argc, char **argv);
int cmd_versions(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_trace_build(int argc, char **argv);
int cmd_trace_synth(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_bench_acomp(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_classes(int argc, char **argv);
int cmd_trace_info(int argc, char **argv);
int cmd_trace_dump(int argc, char **argv);
int cmd_trace_check(int argc, char **argv);
int cmd_trace_lengths(int argc, char **argv);
int cmd_trace_strip(int argc, char **argv);
int cmd_cpuid(int argc, char **argv);
int cmd_walk(int argc, char **argv);
int cmd_allocators(int argc, char **argv);
int cmd_straddle(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_profiles(int argc, char **argv);

#endif
