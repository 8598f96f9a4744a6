/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test includes: cmocka, in the order that it wants. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
