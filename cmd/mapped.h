/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are mapped, as traces are: one that is made shorter while it is read, or whose disk
 * fails, is a SIGBUS and no error of a read.
 */
#ifndef CMD_MAPPED_H
#define CMD_MAPPED_H

/*
 * From now on such a signal is one line on stderr, with the file and the offset, and exit status 2.
 * Any other SIGBUS is what it was.
 */
void mapped_init(void);

#endif
