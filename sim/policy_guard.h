/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into code that is not ours: a crash, an abort(), a call that does not return, ends the call
 * and not the program. What the code did to our memory before that nobody can undo: a program that
 * wants to be sure ends soon after.
 *
 * Signal dispositions belong to the whole process: they are taken while there is a guard, and what
 * was there before gets what does not come from a guarded call. A guard is used by the thread that
 * created it.
 *
 *	policy_guard_arm(guard, "victim");
 *	if (!sigsetjmp(guard->env, 0)) {
 *		id = foreign();
 *		policy_guard_disarm(guard);
 *	} else {
 *		puts(guard->cause);
 *	}
 */
#ifndef SIM_POLICY_GUARD_H
#define SIM_POLICY_GUARD_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct policy_guard {
	sigjmp_buf env;
	volatile sig_atomic_t armed;
	const char *who, *what; /* the policy; the function that is called */
	char cause[128];	/* of the last call that did not return, in words */
	/* Calls so far; and what the watch saw when it last looked. */
	volatile uint64_t calls;
	uint64_t seen;
	unsigned looks, max_looks; /* at the same call; 0: there is no watch */
	timer_t timer;
};

/*
 * @who: for a policy that calls exit(); it outlives the guard. A call may take @limit_ms, give or
 * take a quarter; 0: for ever. 0, -ENOMEM or what the kernel said.
 */
int policy_guard_create(const char *who, unsigned limit_ms, struct policy_guard **out);
void policy_guard_destroy(struct policy_guard *guard); /* accepts NULL */

/*
 * From now on, what goes wrong when the program ends is taken to be @who's, whose code stays until
 * then: a crash, or a minute without an end, is one line on stderr and exit status 2.
 */
void policy_guard_watch_end(const char *who);
/*
 * The program is about to end, and has no more to say: what policies have registered with atexit()
 * runs soon, as C++ does with destructors of static objects.
 */
void policy_guard_end(void);

void policy_guard_arm(struct policy_guard *guard, const char *what);
void policy_guard_disarm(struct policy_guard *guard);

#endif
