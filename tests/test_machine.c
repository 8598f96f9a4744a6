// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

static struct machine_models builtin(void)
{
	struct machine_models models;

	machine_models_init(&models);
	return models;
}

static const struct machine_model *find(const struct machine_models *models, const char *name)
{
	char err[512];
	const struct machine_model *m = machine_models_find(models, name, err, sizeof(err));

	if (!m)
		fail_msg("%s", err);
	return m;
}

/* Reads @text as a file; what is wrong with it is in @err. */
static int read_text(struct machine_models *models, const char *text, char *err, size_t err_size)
{
	char path[] = "/tmp/zswapsim-machines.XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = machine_models_read(models, path, err, err_size);
	unlink(path);
	return ret;
}

static void the_built_in_machines_have_a_price_and_a_source(void **state)
{
	static const char *const names[] = {"this", "bare-metal", "kvm-guest", "vm", "nested-vm"};
	struct machine_models models = builtin();

	assert_int_equal(models.nr, sizeof(names) / sizeof(*names));
	for (unsigned i = 0; i < models.nr; i++) {
		const struct machine_model *m = find(&models, names[i]);

		assert_int_equal(m->here, i == 0);
		assert_int_equal(m->cpuid_ns > 0, i != 0);
		assert_true(strlen(m->source) > 10);
	}
	/* Of the letters: 2 of 319 ns, 4 of 2517 ns. */
	assert_int_equal((int)(find(&models, "bare-metal")->cpuid_ns * 2 + 0.5) / 10, 319 / 10 + 1);
	assert_int_equal((int)(find(&models, "kvm-guest")->cpuid_ns * 4), 2516);
}

static void a_time_is_priced_anew_by_its_cpuids(void **state)
{
	struct machine_models models = builtin();
	const struct machine_model *guest = find(&models, "kvm-guest");

	/* 4 CPUIDs of 3700 ns each in 20000 ns become 4 of 629. */
	assert_true(machine_model_ns(guest, 20000, 4, 3700) == 20000 - 4 * 3700 + 4 * 629);
	assert_true(machine_model_ns(guest, 20000, 0, 3700) == 20000);
	assert_true(machine_model_ns(find(&models, "vm"), 1000, 0.5, 100) == 1950);
	assert_true(machine_model_ns(find(&models, "this"), 20000, 4, 3700) == 20000);
	assert_true(machine_model_ns(guest, 100, 4, 3700) == 0); /* never less */
}

static void machines_of_a_file_join_or_replace_the_others(void **state)
{
	struct machine_models models = builtin();
	char err[512];

	if (read_text(&models,
		      "; ours\n[rack-7]\ncpuid_ns = 1250.5\nsource = perf kvm stat,\n  a Tuesday\n"
		      "[vm]\nsource=guess\ncpuid_ns=10\n",
		      err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(models.nr, 6);
	assert_true(find(&models, "rack-7")->cpuid_ns == 1250.5);
	assert_string_equal(find(&models, "rack-7")->source, "perf kvm stat, a Tuesday");
	assert_true(find(&models, "vm")->cpuid_ns == 10);
	assert_string_equal(find(&models, "vm")->source, "guess");
	assert_true(find(&models, "nested-vm")->cpuid_ns == 3700);
	/* And those of a second file. */
	assert_int_equal(read_text(&models, "[rack-7]\ncpuid_ns = 1\n", err, sizeof(err)), 0);
	assert_int_equal(models.nr, 6);
	assert_true(find(&models, "rack-7")->cpuid_ns == 1);
	assert_string_equal(find(&models, "rack-7")->source, "");
}

static void a_bad_file_is_refused_by_its_line(void **state)
{
	static const struct {
		const char *text, *in_message;
	} bad[] = {
		{"[a]\ncpuid_ns = fast\n", ":2: [a]: cpuid_ns is not a number from 0 to 1e9: fast"},
		{"[a]\ncpuid_ns = -1\n", ":2: "},
		{"[a]\ncpuid_ns = 1e10\n", ":2: "},
		{"[a]\ncpuid_ns = nan\n", ":2: "},
		{"[a]\ncpuid_ns = 1 2\n", ":2: "},
		{"[a]\ncpuid_ns =\n", ":2: "},
		{"[a]\n\ncpuid = 1\n", ":3: [a]: unknown key (known: cpuid_ns, source): cpuid"},
		{"[a]\nsource = hearsay\n", "[a]: no cpuid_ns"},
		{"[this]\ncpuid_ns = 1\n", ":2: [this]: that is the machine"},
		{"cpuid_ns = 1\n", ":1: []: a name has"},
		{"[a-name-that-is-longer-than-it-may]\ncpuid_ns = 1\n", ":2: "},
		{"[a]\ncpuid_ns = 1\nnonsense\n", ":3: neither [MACHINE] nor KEY = VALUE"},
		{"[a\ncpuid_ns = 1\n", ":1: neither [MACHINE]"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct machine_models models = builtin();
		char err[512];

		assert_int_equal(read_text(&models, bad[i].text, err, sizeof(err)), -EINVAL);
		if (!strstr(err, bad[i].in_message))
			fail_msg("'%s': %s", bad[i].text, err);
		assert_null(strchr(err, '\n'));
	}
}

static void too_many_machines_are_refused(void **state)
{
	struct machine_models models = builtin();
	char text[MACHINE_MAX_MODELS * 32], err[512];
	size_t n = 0;

	for (unsigned i = 0; i < MACHINE_MAX_MODELS; i++)
		n += snprintf(text + n, sizeof(text) - n, "[m%u]\ncpuid_ns=%u\n", i, i);
	assert_int_equal(read_text(&models, text, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "too many machines"));
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
	struct machine_models models = builtin();
	char err[512];

	assert_int_equal(machine_models_read(&models, "/nowhere/machines.ini", err, sizeof(err)),
			 -ENOENT);
	assert_non_null(strstr(err, "/nowhere/machines.ini: No such file"));
	assert_int_equal(machine_models_read(&models, "/tmp", err, sizeof(err)), -EIO);
	assert_non_null(strstr(err, "/tmp: "));
}

static void an_unknown_machine_lists_the_known_ones(void **state)
{
	struct machine_models models = builtin();
	char err[512];

	assert_null(machine_models_find(&models, "xen", err, sizeof(err)));
	assert_string_equal(err,
			    "unknown machine 'xen'; known: this bare-metal kvm-guest vm nested-vm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_machines_have_a_price_and_a_source),
		cmocka_unit_test(a_time_is_priced_anew_by_its_cpuids),
		cmocka_unit_test(machines_of_a_file_join_or_replace_the_others),
		cmocka_unit_test(a_bad_file_is_refused_by_its_line),
		cmocka_unit_test(too_many_machines_are_refused),
		cmocka_unit_test(a_file_that_cannot_be_read_is_named),
		cmocka_unit_test(an_unknown_machine_lists_the_known_ones),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
