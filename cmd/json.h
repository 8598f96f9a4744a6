/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every report as JSON does all the time. */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <jansson.h>
#include <stdint.h>

static inline void put(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* What is no UTF-8 (a path may be anything) is left out. */
static inline void put_string(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, json_string(value));
}

#endif
