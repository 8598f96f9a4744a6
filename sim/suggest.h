/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody may have meant by a word that is not known. */
#ifndef SIM_SUGGEST_H
#define SIM_SUGGEST_H

#include <stdbool.h>

/*
 * Whether @typed may be meant for @known: it is one of its words ("build", "trace build"), or at
 * most two letters of it are missing, too many, wrong or swapped, and more letters than that are
 * right. False for words of more than SUGGEST_MAX letters.
 */
#define SUGGEST_MAX 32
bool suggest_close(const char *typed, const char *known);

#endif
