/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sweep has done so far, on the disk: so that one that was killed goes on where it was, and
 * so that the parts of one that was spread can be joined.
 *
 * A journal is lines of text: 16 hexadecimal digits, a blank, and a JSON value. The first is the
 * header, which says whose results these are; each other one is a row. The digits are the XXH3 of
 * the value, of a row seeded with the header's. A last one that is not whole is cut off when the
 * journal is opened again.
 *
 * Each row is written when it is added, and put on the disk by a thread of the journal's own: what
 * was added survives the program, and, but for the last moment, the machine. Nobody waits for the
 * disk but who asks to (sweep_journal_sync()).
 *
 * The file is readable by its owner only, and locked for as long as it is open.
 */
#ifndef CMD_SWEEP_JOURNAL_H
#define CMD_SWEEP_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "traces/format.h"

struct sweep_journal;

/*
 * Opens the journal at @path, or begins it, with @header (an object, of which "rows" is how many
 * there can be; kept). 0, or a negative errno and a line in *err: -EEXIST: another sweep's, or no
 * journal; -EBUSY: somebody has it open; -EBADMSG: damaged; or what the system gave.
 */
int sweep_journal_open(const char *path, json_t *header, struct sweep_journal **out,
		       struct trace_error *err);
/* Opens one to read: as above, but its header is what it is, and nothing is cut off. */
int sweep_journal_read(const char *path, struct sweep_journal **out, struct trace_error *err);
void sweep_journal_close(struct sweep_journal *j); /* accepts NULL */

const char *sweep_journal_path(const struct sweep_journal *j);
const json_t *sweep_journal_header(const struct sweep_journal *j);
/* Bytes of a torn line that were cut off. */
uint64_t sweep_journal_torn(const struct sweep_journal *j);

uint32_t sweep_journal_nr(const struct sweep_journal *j); /* rows that are there */
bool sweep_journal_has(const struct sweep_journal *j, uint32_t row);
/*
 * Adds a row, which is not there yet. Several threads may. 0 or a negative errno: its own, or that
 * an earlier row could not be put on the disk.
 */
int sweep_journal_add(struct sweep_journal *j, uint32_t row, json_t *value);
/* Waits until all rows are on the disk. 0 or a negative errno. */
int sweep_journal_sync(struct sweep_journal *j);
/* The row's value, to be decref'd; NULL: it is not there, cannot be read, or no memory. */
json_t *sweep_journal_get(const struct sweep_journal *j, uint32_t row);

/*
 * What is different in the headers of two journals that should be of one sweep, in words, into
 * @buf; NULL: nothing is.
 */
const char *sweep_journal_difference(const json_t *is, const json_t *other, char *buf, size_t size);

#endif
