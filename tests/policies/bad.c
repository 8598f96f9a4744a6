// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A policy that goes wrong in the way, in the function and at the call that its arguments say:
 * "segv,victim,3". Compiled several times, with one of the definitions below, it is no policy at
 * all. Nothing is allocated, so that nothing is lost when it crashes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zswapsim/policy.h>

#ifdef BAD_CONSTRUCTOR
__attribute__((constructor)) static void crash_at_once(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}
#endif

#ifdef BAD_DESTRUCTOR
__attribute__((destructor)) static void crash_at_last(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 1;
}
#endif

static char way[32], function[32];
static unsigned countdown;
static uint64_t last_id;

static volatile int *volatile nowhere;
static volatile int zero, enough = 1 << 30;
static volatile char sink;

/* Deeper and deeper; what it does after the call keeps the compiler from making it a loop. */
static int deeper(int n)
{
	volatile char frame[4096];

	frame[n % 4096] = n;
	if (n < enough)
		n += deeper(n + 1);
	return n + frame[0];
}

static int go_wrong(const char *in)
{
	if (strcmp(in, function) || --countdown)
		return 0;
	if (!strcmp(way, "segv"))
		*nowhere = 1;
	else if (!strcmp(way, "abort"))
		abort();
	else if (!strcmp(way, "fpe"))
		zero = 7 / zero;
	else if (!strcmp(way, "trap"))
		__builtin_trap();
	else if (!strcmp(way, "deep"))
		sink = deeper(1);
	else if (!strcmp(way, "exit"))
		exit(0);
	else if (!strcmp(way, "loop"))
		for (;;)
			sink++;
	else if (!strcmp(way, "sleep"))
		for (;;)
			pause();
	return 1;
}

/* As the destructor of a static object in C++. */
static void at_exit(void)
{
	go_wrong("atexit");
}

static int create(const struct zswapsim_params *params, void **self)
{
	const char *args = params->args, *comma = strchr(args, ',');

	memset(way, 0, sizeof(way));
	memset(function, 0, sizeof(function));
	last_id = ZSWAPSIM_NONE;
	if (!comma)
		return 0;
	memcpy(way, args, comma - args);
	args = comma + 1;
	comma = strchr(args, ',');
	memcpy(function, args, comma ? (size_t)(comma - args) : strlen(args));
	countdown = comma ? strtoul(comma + 1, NULL, 10) : 1;
	if (!strcmp(function, "atexit"))
		atexit(at_exit);
	if (go_wrong("create")) {
		strncpy(params->error,
			strcmp(way, "lines") ? "it has no wish to" : "it has\nno \x1b[1mwish\rto",
			params->error_size);
		return -22;
	}
	return 0;
}

static void destroy(void *self)
{
	go_wrong("destroy");
}

static void stored(void *self, const struct zswapsim_entry *entry)
{
	last_id = entry->id;
	go_wrong("stored");
	/* What is not its own. */
	if (!strcmp(way, "scribble"))
		memset((void *)entry, 0xee, sizeof(*entry));
}

static void gone(const struct zswapsim_entry *entry)
{
	if (entry->id == last_id && strcmp(way, "twice"))
		last_id = ZSWAPSIM_NONE;
}

static void loaded(void *self, const struct zswapsim_entry *entry)
{
	gone(entry);
	go_wrong("loaded");
}

static void written_back(void *self, const struct zswapsim_entry *entry)
{
	gone(entry);
	go_wrong("written_back");
}

static int admit(void *self, const struct zswapsim_entry *page, const struct zswapsim_pool *pool)
{
	return go_wrong("admit") && !strcmp(way, "garbage") ? 0x7fffffff : 1;
}

static uint64_t victim(void *self, struct zswapsim_want *want, const struct zswapsim_pool *pool)
{
	if (!strcmp(way, "scribble"))
		memset((void *)pool, 0xee, sizeof(*pool));
	if (!go_wrong("victim"))
		return last_id;
	if (!strcmp(way, "garbage"))
		return UINT64_C(0xdeadbeefdeadbeef);
	if (!strcmp(way, "budget"))
		want->budget += 1000;
	return last_id;
}

#ifndef BAD_NO_SYMBOL
#define SYMBOL zswapsim_policy
#else
#define SYMBOL another_name
extern const struct zswapsim_policy_ops another_name;
#endif

const struct zswapsim_policy_ops SYMBOL = {
#ifdef BAD_VERSION
	.abi_version = BAD_VERSION,
#else
	.abi_version = ZSWAPSIM_POLICY_ABI,
#endif
#ifdef BAD_SIZE
	.struct_size = BAD_SIZE,
#else
	.struct_size = sizeof(struct zswapsim_policy_ops),
#endif
#if defined(BAD_NAME)
	.name = "two\nlines",
#elif !defined(BAD_NO_NAME)
	.name = "bad",
#endif
#ifdef BAD_FLAGS
	.flags = BAD_FLAGS,
#endif
#ifdef BAD_ENTRY_BYTES
	.entry_bytes = BAD_ENTRY_BYTES,
#endif
	.create = create,
	.destroy = destroy,
	.stored = stored,
	.loaded = loaded,
	.written_back = written_back,
	.admit = admit,
	.victim = victim,
};
