/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "zstd" for the acomp API. Which driver a transform gets is decided when it is made, by profile
 * zstd.api:
 *
 * acomp (crypto/zstd.c, 6.17 to 7.3; kernel-spec B): walks source and destination; a request that
 * lies in one fragment on either side goes to the codec in one shot, others stream. Results: 0;
 * -EINVAL (empty, or any codec error in one shot), -EIO (codec error in a stream), -ENOSPC
 * (destination used up in a stream); req->dlen is then 0. The loops end as the kernel's do, so a
 * stream may succeed with a truncated result (quirks Q1 to Q3, Q6). -EFAULT where the kernel would
 * oops: a scatterlist shorter than slen or dlen.
 *
 * scomp (to 6.16): see backends/zstd_scomp.h.
 */
#ifndef BACKENDS_ZSTD_H
#define BACKENDS_ZSTD_H

#include "sim/acomp.h"

/* The level of crypto/zstd (ZSTD_DEF_LEVEL). */
#define ZSTD_DEF_LEVEL 3

extern const struct acomp_alg zstd_alg;

/* Of the libzstd in use: "1.5.4"; "libzstd 1.5.4". */
const char *zstd_library_version(void);
const char *zstd_library(void);
extern const char *const zstd_length_keys[];
/* As the library takes them; the kernel has one only. */
struct acomp_levels zstd_levels(void);
/* zstd_library_lengths_exact() of the profile's library. */
bool zstd_lengths_exact(const struct profile *p);
/*
 * Whether that library's frames have the lengths, to the byte, of the zstd in @library (enum
 * zstd_library of the profile): 1.5.4's equal the kernel's 1.5.2's, 1.5.7's the kernel's 1.5.7's.
 */
bool zstd_library_lengths_exact(unsigned library);

/*
 * Whether the library and this machine allow what @profile wants of contexts (zstd.cpuid,
 * zstd.bmi2). 0; or -ENOTSUP, -EINVAL, -ENOMEM with a line in @err: a transform of that profile
 * would fail with it.
 */
int zstd_check_profile(const struct profile *profile, char *err, size_t err_size);

#endif
