// SPDX-License-Identifier: GPL-2.0-or-later
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "cmd/machine_info.h"
#include "tests/test.h"

/* A /proc and /sys of one's own, in a folder that *state names. */
static int make_root(void **state)
{
	char *root = strdup("/tmp/zswapsim-test.XXXXXX");

	*state = root;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int remove_root(void **state)
{
	int ret = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return ret;
}

static void put(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	assert_in_range(snprintf(full, sizeof(full), "%s%s", root, path), 1, sizeof(full) - 1);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static bool bare_metal(char signature[MACHINE_SIGNATURE_SIZE])
{
	return false;
}

static bool kvm(char signature[MACHINE_SIGNATURE_SIZE])
{
	memcpy(signature, "KVMKVMKVM\0\0\0", MACHINE_SIGNATURE_SIZE);
	return true;
}

static bool stranger(char signature[MACHINE_SIGNATURE_SIZE])
{
	memcpy(signature, "Who\x01knows!!!", MACHINE_SIGNATURE_SIZE);
	return true;
}

static void a_bare_x86_machine_is_described(void **state)
{
	struct machine_info info;

	put(*state, "/proc/cpuinfo",
	    "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Example CPU @ 2.00GHz\nflags\t\t: fpu\n\n"
	    "processor\t: 1\nmodel name\t: Another\n");
	put(*state, "/proc/meminfo", "MemTotal:       24683520 kB\nMemFree:  1 kB\n");
	put(*state, "/proc/loadavg", "0.52 1.00 12.25 1/123 4567\n");
	put(*state, "/proc/sys/kernel/osrelease", "6.12.1-amd64\n");
	put(*state, "/sys/devices/system/cpu/online", "0-3,6,8-9\n");
	put(*state, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put(*state, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
	put(*state, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	machine_info_read(&info, *state, bare_metal);
	assert_string_equal(info.cpu_model, "Example CPU @ 2.00GHz");
	assert_string_equal(info.hypervisor, "none");
	assert_int_equal(info.cpus_online, 7);
	assert_string_equal(info.kernel_release, "6.12.1-amd64");
	assert_string_equal(info.governor, "performance");
	assert_string_equal(info.boost, "on");
	assert_true(info.load[0] == 0.52 && info.load[1] == 1.0 && info.load[2] == 12.25);
	assert_int_equal(info.ram_bytes, 24683520ull << 10);
	assert_string_equal(info.libzstd, ZSTD_versionString());
}

static void without_sys_processors_are_counted(void **state)
{
	struct machine_info info;

	put(*state, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: X\n\nprocessor\t: 1\n");
	machine_info_read(&info, *state, bare_metal);
	assert_int_equal(info.cpus_online, 2);
	assert_string_equal(info.cpu_model, "X");
}

static void governors_that_differ_are_mixed_and_no_turbo_is_no_boost(void **state)
{
	struct machine_info info;

	put(*state, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put(*state, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
	put(*state, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
	put(*state, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	machine_info_read(&info, *state, bare_metal);
	assert_string_equal(info.governor, "mixed");
	assert_string_equal(info.boost, "off");
	put(*state, "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	machine_info_read(&info, *state, bare_metal);
	assert_string_equal(info.boost, "on");
}

static void a_hypervisor_is_named_by_its_signature(void **state)
{
	struct machine_info info;

	put(*state, "/sys/hypervisor/type", "xen\n");
	machine_info_read(&info, *state, kvm);
	assert_string_equal(info.hypervisor, "KVM");
	machine_info_read(&info, *state, stranger);
	assert_string_equal(info.hypervisor, "unknown (\"Who?knows!!!\")");
}

static void without_cpuid_the_kernel_names_the_hypervisor(void **state)
{
	struct machine_info info;

	put(*state, "/proc/device-tree/model", "Example Board");
	put(*state, "/proc/device-tree/hypervisor/compatible", "linux,kvm");
	machine_info_read(&info, *state, NULL);
	assert_string_equal(info.hypervisor, "linux,kvm");
	assert_string_equal(info.cpu_model, "Example Board");
	put(*state, "/sys/hypervisor/type", "xen\n");
	machine_info_read(&info, *state, NULL);
	assert_string_equal(info.hypervisor, "xen");
}

static void what_is_not_there_is_unknown(void **state)
{
	struct machine_info info;
	char *text = NULL;
	size_t size;
	FILE *out;
	json_t *root;

	put(*state, "/proc/meminfo", "MemTotal: plenty\n");
	put(*state, "/proc/loadavg", "\n");
	put(*state, "/sys/devices/system/cpu/online", "3-1\n");
	machine_info_read(&info, *state, NULL);
	root = machine_info_json(&info);
	assert_non_null(root);
	assert_true(json_is_null(json_object_get(root, "cpu_model")));
	assert_true(json_is_null(json_object_get(root, "cpus_online")));
	assert_true(json_is_null(json_object_get(root, "ram_bytes")));
	assert_true(json_is_null(json_object_get(root, "load_average")));
	assert_true(json_is_null(json_object_get(root, "boost")));
	assert_string_equal(json_string_value(json_object_get(root, "hypervisor")), "none");
	assert_string_equal(json_string_value(json_object_get(root, "governor")), "none");
	json_decref(root);
	out = open_memstream(&text, &size);
	machine_info_print(&info, "  ", out);
	fclose(out);
	assert_non_null(strstr(text, "  cpu: unknown\n"));
	assert_non_null(strstr(text, "  cpus online: unknown\n"));
	assert_non_null(strstr(text, "  ram: unknown\n"));
	assert_non_null(strstr(text, "  load average: unknown\n"));
	free(text);
}

static void this_machine_is_described(void **state)
{
	struct machine_info info;
	char signature[MACHINE_SIGNATURE_SIZE], flags[4096] = "";
	FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
	bool flagged = false;

	machine_info_read(&info, "", machine_cpuid_hypervisor);
	assert_int_equal(info.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(info.ram_bytes > 0);
	assert_true(info.load[0] >= 0);
	assert_string_not_equal(info.kernel_release, "unknown");
	/* The kernel shows the same bit as a flag of the CPU. */
	while (cpuinfo && fgets(flags, sizeof(flags), cpuinfo))
		flagged |= !strncmp(flags, "flags", 5) && strstr(flags, " hypervisor");
	if (cpuinfo)
		fclose(cpuinfo);
	assert_int_equal(machine_cpuid_hypervisor(signature), flagged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_bare_x86_machine_is_described, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(without_sys_processors_are_counted, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(
			governors_that_differ_are_mixed_and_no_turbo_is_no_boost, make_root,
			remove_root),
		cmocka_unit_test_setup_teardown(a_hypervisor_is_named_by_its_signature, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(without_cpuid_the_kernel_names_the_hypervisor,
						make_root, remove_root),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_unknown, make_root,
						remove_root),
		cmocka_unit_test(this_machine_is_described),
	};

	return cmocka_run_group_tests_name("machine_info", tests, NULL, NULL);
}
