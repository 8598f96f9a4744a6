// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_load.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/policy_builtin.h"
#include "sim/policy_guard.h"

#define MAX_NAME	63
#define MAX_ENTRY_BYTES 4096u
/* What every header has had: all that is not a function. */
#define LEAST_BYTES ((uint32_t)offsetof(struct zswapsim_policy_ops, create))
#define MOST_BYTES  4096u

const struct policy_builtin policy_builtins[] = {
	{&policy_second_chance,
	 "the kernel's choice since 6.12: in order of their stores, but a page that has not been "
	 "passed by once is passed by"},
	{&policy_lru, "the page that was stored longest ago"},
	{&policy_fifo, "the page that came first; to be loaded and stored again changes nothing"},
	{&policy_clock, "as lru, but a page that was loaded and stored again is passed by once"},
	{&policy_size, "the largest page"},
	{&policy_clairvoyant,
	 "Belady's choice weighted by the bytes it frees: size times how far the next load is"},
	{NULL, NULL},
};

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 3 && !strcmp(name + len - 3, ".so"));
}

bool policy_is_file(const char *spec, char *path, size_t size)
{
	snprintf(path, size, "%.*s", (int)strcspn(spec, ":"), spec);
	return is_path(path);
}

static int find_builtin(struct policy *policy, const char *name, char *err, size_t err_size)
{
	int len =
		snprintf(err, err_size, "policy %s: there is none of that name; there are kernel, ",
			 policy->spec);

	for (const struct policy_builtin *b = policy_builtins; b->ops; b++) {
		if (!strcmp(b->ops->name, name)) {
			policy->ops = *b->ops;
			policy->builtin = true;
			return 0;
		}
		if (len >= 0 && (size_t)len < err_size)
			len += snprintf(err + len, err_size - len, "%s, ", b->ops->name);
	}
	if (len >= 0 && (size_t)len < err_size)
		snprintf(err + len, err_size - len, "and files (./mine.so)");
	return -EINVAL;
}

static int refuse(const struct policy *policy, char *err, size_t err_size, const char *cause)
{
	snprintf(err, err_size, "policy %s: %s", policy->spec, cause);
	return -EINVAL;
}

/* Takes over what the object says of itself, as far as both know the structure. */
static int take_ops(struct policy *policy, const struct zswapsim_policy_ops *ops, char *err,
		    size_t err_size)
{
	char cause[160];
	uint32_t size;

	if (ops->abi_version != ZSWAPSIM_POLICY_ABI) {
		snprintf(cause, sizeof(cause),
			 "it is made for version %u of the interface, this is version %u",
			 ops->abi_version, ZSWAPSIM_POLICY_ABI);
		return refuse(policy, err, err_size, cause);
	}
	size = ops->struct_size;
	if (size < LEAST_BYTES || size > MOST_BYTES) {
		snprintf(cause, sizeof(cause),
			 "its struct_size is %u bytes, not that of the structure", size);
		return refuse(policy, err, err_size, cause);
	}
	for (uint32_t i = sizeof(policy->ops); i < size; i++) {
		if (((const char *)ops)[i])
			return refuse(policy, err, err_size,
				      "it uses functions that this version does not know");
	}
	memcpy(&policy->ops, ops, size < sizeof(policy->ops) ? size : sizeof(policy->ops));
	return 0;
}

static int check_ops(struct policy *policy, char *err, size_t err_size)
{
	const char *name = policy->ops.name;
	size_t len = 0;

	if (!name)
		return refuse(policy, err, err_size, "it has no name");
	while (len < MAX_NAME && isprint((unsigned char)name[len]))
		len++;
	if (!len || name[len])
		return refuse(policy, err, err_size,
			      "its name is not one line of 1 to 63 characters");
	if (policy->ops.flags & ~(ZSWAPSIM_FUTURE | ZSWAPSIM_GLOBAL))
		return refuse(policy, err, err_size,
			      "it has flags that this version does not know");
	if (policy->ops.entry_bytes > MAX_ENTRY_BYTES)
		return refuse(policy, err, err_size, "it wants more than 4096 bytes an entry");
	return 0;
}

/* Code of the object runs in all of this: its constructors, and what it calls its structure. */
static int open_object(struct policy *policy, const char *path, char *err, size_t err_size)
{
	const struct zswapsim_policy_ops *ops;
	char cause[512];

	dlerror();
	/* It stays until the program ends: a thread that it has started may be in it. */
	policy->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!policy->handle) {
		snprintf(cause, sizeof(cause), "cannot be loaded: %s", dlerror());
		return refuse(policy, err, err_size, cause);
	}
	ops = dlsym(policy->handle, ZSWAPSIM_POLICY_SYMBOL);
	if (!ops)
		return refuse(policy, err, err_size,
			      "it has no symbol '" ZSWAPSIM_POLICY_SYMBOL "'");
	return take_ops(policy, ops, err, err_size) ? -EINVAL : check_ops(policy, err, err_size);
}

static int open_guarded(struct policy *policy, const char *path, unsigned limit_ms, char *err,
			size_t err_size)
{
	struct policy_guard *guard;
	int ret = policy_guard_create(policy->spec, limit_ms, &guard);

	if (ret) {
		snprintf(err, err_size, "policy %s: %s", policy->spec, strerror(-ret));
		return ret;
	}
	policy_guard_watch_end(policy->spec);
	policy_guard_arm(guard, "(as it is loaded)");
	if (!sigsetjmp(guard->env, 0)) {
		ret = open_object(policy, path, err, err_size);
		policy_guard_disarm(guard);
	} else {
		policy->handle = NULL; /* half loaded, and it stays so */
		snprintf(err, err_size, "policy %s: as it is loaded: %s", policy->spec,
			 guard->cause);
		ret = -EFAULT;
	}
	policy_guard_destroy(guard);
	return ret;
}

int policy_load(const char *spec, unsigned limit_ms, struct policy **out, char *err,
		size_t err_size)
{
	size_t len = strlen(spec) + 1;
	struct policy *policy = calloc(1, sizeof(*policy) + 2 * len);
	char *name, *colon;
	int ret;

	if (!policy) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	/* For messages and tables: what would break a line is not shown. */
	policy->spec = memcpy(policy->text, spec, len);
	for (char *c = policy->text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = '?';
	}
	name = memcpy(policy->text + len, spec, len);
	colon = strchr(name, ':');
	policy->args = colon ? colon + 1 : "";
	if (colon)
		*colon = '\0';
	if (is_path(name))
		ret = open_guarded(policy, name, limit_ms, err, err_size);
	else
		ret = find_builtin(policy, name, err, err_size);
	if (ret) {
		policy_unload(policy);
		return ret;
	}
	*out = policy;
	return 0;
}

void policy_unload(struct policy *policy)
{
	if (policy && policy->handle)
		dlclose(policy->handle);
	free(policy);
}
