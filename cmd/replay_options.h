/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that describe the simulated machine of a replay (--totalram, --nodes, ...), for every
 * command that replays. A child of the command's struct argp; its input is the struct replay_config
 * that they change, which has its defaults already.
 */
#ifndef CMD_REPLAY_OPTIONS_H
#define CMD_REPLAY_OPTIONS_H

#include <argp.h>

extern const struct argp replay_options_argp;

#endif
