/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a file, of what it was packed from, or of what an archive holds, in constant memory.
 *
 * Files packed by gzip, bzip2, xz, lzip, lz4 or zstd are unpacked, in layers, and so are those of
 * compress that are named ".Z" (its magic is weak). What is inside is an archive if both its name
 * (".tar", ".tgz", ".tar.zst", ".zip", ".7z", ".cpio", ".ar") and its first bytes say so: xml,
 * samba and mozilla of the Silesia corpus are tars, too, but meant as files. All else is taken as
 * it is; what an archive holds is not looked into again. A name that promises an archive or packed
 * bytes which are not there is an error.
 *
 * Not every reader that libarchive has is asked: some of them take plain text (mtree, uuencode), a
 * block of zeros (tar) or a magic at the end of the file (zip) for theirs, and would drop or change
 * what was meant as bytes; others run programs (lrzip, grzip).
 */
#ifndef TRACES_ARCHIVE_INPUT_H
#define TRACES_ARCHIVE_INPUT_H

#include "traces/format.h"

struct archive_input;

/*
 * @raw: the file's own bytes, whatever it is. 0 or a negative errno, with a line in *err that names
 * file, entry and cause, here and below. @path stays the caller's, and valid.
 */
int archive_input_open(const char *path, bool raw, struct archive_input **out,
		       struct trace_error *err);
void archive_input_close(struct archive_input *in); /* accepts NULL */

/*
 * The next file inside, in the order of the archive; directories, links and devices are skipped.
 * @return 1; 0: there are no more.
 */
int archive_input_next(struct archive_input *in, struct trace_error *err);

/*
 * The next bytes of that file: *size of them at *data, until the next call; *data is NULL for zeros
 * (holes of sparse files). @return 1; 0: the file ends. A file that is cut off, damaged or
 * encrypted is an error: what came before it is not to be used.
 */
int archive_input_read(struct archive_input *in, const void **data, uint64_t *size,
		       struct trace_error *err);

#endif
