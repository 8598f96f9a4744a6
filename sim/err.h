/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Negative errno values carried in an unsigned long, as include/linux/err.h does. */
#ifndef SIM_ERR_H
#define SIM_ERR_H

#include <errno.h>
#include <stdbool.h>

#define MAX_ERRNO 4095

/* Whether a handle is really a negative errno. */
static inline bool IS_ERR_VALUE(unsigned long x)
{
	return x >= (unsigned long)-MAX_ERRNO;
}

#endif
