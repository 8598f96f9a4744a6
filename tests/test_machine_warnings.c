// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/machine_warnings.h"
#include "cmd/version.h"
#include "tests/test.h"

static const struct machine_info quiet = {
	.cpus_online = 4, .governor = "performance", .boost = "off", .load = {0.5, 9, 9}};

static bool warns(const struct machine_warnings *w, const char *word)
{
	for (unsigned i = 0; i < w->nr; i++) {
		if (strstr(w->line[i], word))
			return true;
	}
	return false;
}

/* What is wrong with the build under test is not the machine's fault. */
static unsigned of_build(void)
{
	return version_slow_build() ? 1 : 0;
}

static void a_quiet_machine_is_not_warned_of(void **state)
{
	struct machine_warnings w;

	machine_warnings_find(&w, &quiet, "/nonexistent");
	assert_int_equal(w.nr, of_build());
}

static void each_thing_that_spoils_times_is_named(void **state)
{
	struct machine_info info = quiet;
	struct machine_warnings w;

	info.load[0] = 2.01;
	machine_warnings_find(&w, &info, "/nonexistent");
	assert_true(warns(&w, "load average of 2.01 on 4 CPUs"));
	info.load[0] = 2;
	strcpy(info.governor, "none");
	machine_warnings_find(&w, &info, "/nonexistent");
	assert_true(warns(&w, "no frequency governor"));
	assert_int_equal(w.nr, 1 + of_build());
	strcpy(info.governor, "powersave");
	strcpy(info.boost, "on");
	machine_warnings_find(&w, &info, "/nonexistent");
	assert_true(warns(&w, "governor is 'powersave'"));
	assert_true(warns(&w, "boost is on"));
	assert_int_equal(w.nr, 2 + of_build());
}

static void smt_is_found_below_the_root(void **state)
{
	static const char *const parts[] = {"/sys", "/devices", "/system", "/cpu", "/smt"};
	char root[64] = "/tmp/zswapsim-test.XXXXXX", path[5][128], active[160];
	struct machine_warnings w;
	FILE *file;

	assert_non_null(mkdtemp(root));
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path[i], sizeof(path[i]), "%s%s", i ? path[i - 1] : root, parts[i]);
		assert_int_equal(mkdir(path[i], 0700), 0);
	}
	snprintf(active, sizeof(active), "%s/active", path[4]);
	for (char state_of = '0'; state_of <= '1'; state_of++) {
		file = fopen(active, "w");
		assert_non_null(file);
		fprintf(file, "%c\n", state_of);
		fclose(file);
		machine_warnings_find(&w, &quiet, root);
		assert_int_equal(warns(&w, "SMT is active"), state_of == '1');
	}
	unlink(active);
	for (unsigned i = 5; i--;)
		rmdir(path[i]);
	rmdir(root);
}

static void more_warnings_than_there_is_room_for_are_dropped(void **state)
{
	struct machine_warnings w = {0};
	json_t *a;

	for (unsigned i = 0; i < 2 * MACHINE_MAX_WARNINGS; i++)
		machine_warnings_add(&w, "number %u", i);
	assert_int_equal(w.nr, MACHINE_MAX_WARNINGS);
	assert_string_equal(w.line[MACHINE_MAX_WARNINGS - 1], "number 7");
	a = machine_warnings_json(&w);
	assert_int_equal(json_array_size(a), MACHINE_MAX_WARNINGS);
	assert_string_equal(json_string_value(json_array_get(a, 2)), "number 2");
	json_decref(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_is_not_warned_of),
		cmocka_unit_test(each_thing_that_spoils_times_is_named),
		cmocka_unit_test(smt_is_found_below_the_root),
		cmocka_unit_test(more_warnings_than_there_is_room_for_are_dropped),
	};

	return cmocka_run_group_tests_name("machine_warnings", tests, NULL, NULL);
}
