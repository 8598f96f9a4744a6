/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory from our own free lists and arenas is invisible to AddressSanitizer; these tell it, and
 * cost nothing in an ordinary build. Addresses are aligned to 8 bytes.
 */
#ifndef SIM_POISON_H
#define SIM_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#define poison(addr, size)   ASAN_POISON_MEMORY_REGION(addr, size)
#define unpoison(addr, size) ASAN_UNPOISON_MEMORY_REGION(addr, size)
#else
static inline void poison(const void *addr, size_t size)
{
	(void)addr;
	(void)size;
}

static inline void unpoison(const void *addr, size_t size)
{
	(void)addr;
	(void)size;
}
#endif

#endif
