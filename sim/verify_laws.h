/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings whose victims the kernel chose, which cannot be replayed: the laws that they obey
 * (C07). */
#ifndef SIM_VERIFY_LAWS_H
#define SIM_VERIFY_LAWS_H

#include "sim/verify.h"
#include "sim/verify_rows.h"

void verify_laws(const struct verify_rows *rows, struct verify_report *report);

#endif
