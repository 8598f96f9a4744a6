// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls into a policy. Each in a function of its own: none of its variables changes after the jump.
 */
#include <stdarg.h>
#include <stdio.h>

#include "sim/policy_run_private.h"

void policy_run_fail(struct policy_run *run, const char *what, const char *format, ...)
{
	char text[160];
	va_list args;

	if (run->failed)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	run->failed = true;
	run->failed_event = run->pool.event;
	snprintf(run->error, sizeof(run->error), "policy %.90s: %s(): %s", run->policy->spec, what,
		 text);
}

static bool crashed(struct policy_run *run, const char *what)
{
	policy_run_fail(run, what, "%s", run->guard->cause);
	run->crashed = true;
	return false;
}

static void enter(struct policy_run *run, const char *what)
{
	/* What a policy may do to its copy is no harm. */
	run->view = run->pool;
	if (run->guard)
		policy_guard_arm(run->guard, what);
}

static bool done(struct policy_run *run)
{
	if (run->guard)
		policy_guard_disarm(run->guard);
	return true;
}

/* False; after enter(), true when a call that was made since then came back by a jump. */
#define JUMPED_BACK(run) ((run)->guard && sigsetjmp((run)->guard->env, 0))

bool policy_call_create(struct policy_run *run, const struct zswapsim_params *params, int *ret)
{
	enter(run, "create");
	if (JUMPED_BACK(run))
		return crashed(run, "create");
	*ret = run->ops.create(params, &run->self);
	return done(run);
}

void policy_call_destroy(struct policy_run *run)
{
	enter(run, "destroy");
	if (JUMPED_BACK(run)) {
		crashed(run, "destroy");
		return;
	}
	run->ops.destroy(run->self);
	done(run);
}

void policy_call_entry(struct policy_run *run, const char *what, policy_entry_fn fn,
		       const struct zswapsim_entry *entry)
{
	if (!fn || run->failed)
		return;
	enter(run, what);
	if (JUMPED_BACK(run)) {
		crashed(run, what);
		return;
	}
	fn(run->self, entry);
	done(run);
}

void policy_call_reparented(struct policy_run *run, uint32_t memcg, uint32_t parent)
{
	if (!run->ops.reparented || run->failed)
		return;
	enter(run, "reparented");
	if (JUMPED_BACK(run)) {
		crashed(run, "reparented");
		return;
	}
	run->ops.reparented(run->self, memcg, parent);
	done(run);
}

bool policy_call_admit(struct policy_run *run, const struct zswapsim_entry *page, int *answer)
{
	if (!run->ops.admit || run->failed)
		return false;
	enter(run, "admit");
	if (JUMPED_BACK(run))
		return crashed(run, "admit");
	*answer = run->ops.admit(run->self, page, &run->view);
	return done(run);
}

bool policy_call_victim(struct policy_run *run, struct zswapsim_want *want, uint64_t *answer)
{
	if (!run->ops.victim || run->failed)
		return false;
	enter(run, "victim");
	if (JUMPED_BACK(run))
		return crashed(run, "victim");
	*answer = run->ops.victim(run->self, want, &run->view);
	return done(run);
}

bool policy_call_target(struct policy_run *run, uint64_t *answer)
{
	if (!run->ops.target || run->failed)
		return false;
	enter(run, "target");
	if (JUMPED_BACK(run))
		return crashed(run, "target");
	*answer = run->ops.target(run->self, &run->view);
	return done(run);
}

bool policy_call_compact(struct policy_run *run, int *answer)
{
	if (!run->ops.compact || run->failed)
		return false;
	enter(run, "compact");
	if (JUMPED_BACK(run))
		return crashed(run, "compact");
	*answer = run->ops.compact(run->self, &run->view);
	return done(run);
}

bool policy_call_codec(struct policy_run *run, const struct zswapsim_entry *page, uint32_t *answer)
{
	if (!run->ops.codec || run->failed)
		return false;
	enter(run, "codec");
	if (JUMPED_BACK(run))
		return crashed(run, "codec");
	*answer = run->ops.codec(run->self, page, &run->view);
	return done(run);
}
