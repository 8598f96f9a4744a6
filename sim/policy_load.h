/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a policy: a built-in by its name, or a shared object by its path; either may have
 * arguments, "mine.so:ARGS". A word with a '/' or that ends in ".so" is a path.
 */
#ifndef SIM_POLICY_LOAD_H
#define SIM_POLICY_LOAD_H

#include <stdbool.h>

#include "sim/policy.h"

struct policy {
	/* Functions that an older header did not know are NULL. name is checked: one line. */
	struct zswapsim_policy_ops ops;
	const char *spec; /* as it was given, but control characters are '?' */
	const char *args; /* what follows the ':', or "" */
	bool builtin;	  /* its code is ours: it needs no guard */
	void *handle;	  /* of a shared object */
	char text[];
};

/* Not a policy, but that there is none: the kernel's own choice. */
#define POLICY_KERNEL "kernel"

/* Of a call into a policy, unless it is said otherwise. */
#define POLICY_LIMIT_MS 10000u

/*
 * 0, or -EINVAL, -ENOMEM, -EFAULT (its code crashed, or did not return) and one line in @err, which
 * names the policy. @limit_ms: how long its constructors may take. The policy is immutable and may
 * be shared by runs.
 */
int policy_load(const char *spec, unsigned limit_ms, struct policy **out, char *err,
		size_t err_size);
/* Accepts NULL; no run of it is left. The code of a shared object stays until the program ends. */
void policy_unload(struct policy *policy);
/* Whether @spec names a file; its path, without arguments, into @path. */
bool policy_is_file(const char *spec, char *path, size_t size);

/* Of the built-ins, NULL at the end, with what they do in a line each. */
struct policy_builtin {
	const struct zswapsim_policy_ops *ops;
	const char *doc;
};
extern const struct policy_builtin policy_builtins[];

#endif
