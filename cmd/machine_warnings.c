// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/machine_warnings.h"

#include <stdarg.h>
#include <string.h>

#include "cmd/version.h"

/* Runnable tasks a CPU, beyond which others are likely to have run in between. */
#define BUSY 0.5

void machine_warnings_add(struct machine_warnings *w, const char *format, ...)
{
	va_list args;

	if (w->nr == MACHINE_MAX_WARNINGS)
		return;
	va_start(args, format);
	vsnprintf(w->line[w->nr], sizeof(w->line[0]), format, args);
	va_end(args);
	w->nr++;
}

static bool smt_is_active(const char *root)
{
	char path[4096], state[8] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/smt/active", root);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = '\0';
	fclose(file);
	return state[0] == '1';
}

void machine_warnings_find(struct machine_warnings *w, const struct machine_info *info,
			   const char *root)
{
	const char *slow = version_slow_build();

	w->nr = 0;
	if (slow)
		machine_warnings_add(w, "times mean little: %s", slow);
	if (info->load[0] > BUSY * (info->cpus_online ? info->cpus_online : 1))
		machine_warnings_add(
			w,
			"the machine is busy: a load average of %.2f on %u CPUs before "
			"the first measurement",
			info->load[0], info->cpus_online);
	if (!strcmp(info->governor, "none"))
		machine_warnings_add(w, "no frequency governor is to be seen: nobody here knows at "
					"what frequency the CPU ran");
	else if (strcmp(info->governor, "performance"))
		machine_warnings_add(w, "the frequency governor is '%s', not 'performance'",
				     info->governor);
	if (!strcmp(info->boost, "on"))
		machine_warnings_add(w, "boost is on: the frequency depends on heat and on other "
					"cores");
	if (smt_is_active(root))
		machine_warnings_add(w, "SMT is active: whatever runs on the sibling shares the "
					"core");
}

void machine_warnings_print(const struct machine_warnings *w, FILE *out)
{
	for (unsigned i = 0; i < w->nr; i++)
		fprintf(out, "warning: %s\n", w->line[i]);
}

json_t *machine_warnings_json(const struct machine_warnings *w)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < w->nr; i++)
		json_array_append_new(a, json_string(w->line[i]));
	return a;
}
