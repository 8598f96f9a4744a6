// SPDX-License-Identifier: GPL-2.0-or-later
#include "backends/cpuid_census.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/zstd_inits.h"
#include "tests/counting.h"

static struct cpuid_census census_of(const char *setting)
{
	struct cpuid_census census;
	struct profile p;
	char err[256];

	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	assert_int_equal(profile_set(&p, setting, err, sizeof(err)), 0);
	if (cpuid_census_take(&census, &p) || !census.counted)
		fail_msg("%s: %s", setting, census.reason);
	assert_true(census.cpuid_ns > 0);
	return census;
}

static void each_initialisation_of_the_library_executes_leaves_0_and_7(void **state)
{
	NEEDS_COUNTING();
	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		struct cpuid_count c;

		assert_int_equal(zstd_init_count(&zstd_inits[i], NULL, &c), 0);
		print_message("# %s: %u CPUIDs, %u steps\n", zstd_inits[i].name, (unsigned)c.cpuids,
			      (unsigned)c.steps);
		if (c.records[0].regs[CPUID_EAX] < 7) {
			assert_int_equal(c.cpuids, 1);
			continue;
		}
		assert_int_equal(c.cpuids, 2);
		assert_int_equal(c.records[0].leaf, 0);
		assert_int_equal(c.records[1].leaf, 7);
		assert_int_equal(c.records[1].subleaf, 0);
	}
}

static void a_cpu_without_leaf_7_is_asked_once(void **state)
{
	struct cpuid_cpu cpu;
	char err[256];

	NEEDS_COUNTING();
	assert_int_equal(cpuid_cpu_parse(&cpu, "maxleaf=6", err, sizeof(err)), 0);
	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		struct cpuid_count c;

		assert_int_equal(zstd_init_count(&zstd_inits[i], &cpu, &c), 0);
		assert_int_equal(c.cpuids, 1);
		assert_int_equal(c.records[0].leaf, 0);
	}
}

static void check_kinds(const struct cpuid_census *census, unsigned first, unsigned later)
{
	for (unsigned i = 0; i < ZSTD_NR_INITS; i++) {
		const struct cpuid_census_kind *kind = &census->kind[zstd_inits[i].call];

		assert_int_equal(kind->first.cpuids, first);
		assert_int_equal(kind->later.cpuids, later);
		assert_true(kind->later.steps > 0);
	}
	assert_int_equal(census->kind[ACOMP_CALL_COMPRESS_CCTX].later.cpuids, 0);
}

static void kinds_are_counted_under_the_profile(void **state)
{
	static const struct {
		const char *setting;
		unsigned first, later;
	} rows[] = {
		{"zstd.cpuid=probe", 2, 2}, {"zstd.cpuid=once", 2, 0}, {"zstd.cpuid=static", 0, 0},
		{"zstd.cpuid=skip", 0, 0},  {"zstd.bmi2=off", 2, 2},
	};

	NEEDS_COUNTING();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cpuid_census census = census_of(rows[i].setting);

		check_kinds(&census, rows[i].first, rows[i].later);
	}
}

/* Case C13: 1000 stores, 800 one-shot and 200 streamed loads. */
static void requests_are_summed_by_side(void **state)
{
	static const struct {
		const char *setting;
		unsigned compress, decompress;
	} rows[] = {
		{"zstd.cpuid=probe", 4000, 3200 + 400},
		{"zstd.cpuid=once", 2, 2},
		{"zstd.cpuid=static", 0, 0},
	};
	const uint64_t calls[ACOMP_NR_CALLS] = {
		[ACOMP_CALL_INIT_CCTX] = 1000,	   [ACOMP_CALL_INIT_CSTREAM] = 1000,
		[ACOMP_CALL_COMPRESS_CCTX] = 1000, [ACOMP_CALL_INIT_DCTX] = 800,
		[ACOMP_CALL_INIT_DSTREAM] = 1000,
	};
	const uint64_t none[ACOMP_NR_CALLS] = {0}, deferred[ACOMP_NR_CALLS] = {
							   [ACOMP_CALL_INIT_CCTX] = 1000,
							   [ACOMP_CALL_INIT_DCTX] = 800,
							   [ACOMP_CALL_INIT_DSTREAM] = 200,
						   };

	NEEDS_COUNTING();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cpuid_census census = census_of(rows[i].setting);

		assert_int_equal(cpuid_census_compress(&census, calls).inits, 2000);
		assert_int_equal(cpuid_census_compress(&census, calls).cpuids, rows[i].compress);
		assert_int_equal(cpuid_census_decompress(&census, calls).inits, 1800);
		assert_int_equal(cpuid_census_decompress(&census, calls).cpuids,
				 rows[i].decompress);
		assert_int_equal(cpuid_census_compress(&census, none).cpuids, 0);
		assert_int_equal(cpuid_census_decompress(&census, none).cpuids, 0);
		if (i == 0) {
			assert_int_equal(cpuid_census_compress(&census, deferred).cpuids, 2000);
			assert_int_equal(cpuid_census_decompress(&census, deferred).cpuids, 2000);
		}
	}
}

/* Exit status of a process that is traced: 77 if it cannot be. */
static int census_when_traced(void)
{
	const uint64_t calls[ACOMP_NR_CALLS] = {[ACOMP_CALL_INIT_CCTX] = 10};
	struct cpuid_census census;
	struct profile p;
	char err[256];

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 77;
	if (profile_init(&p, "7.3", err, sizeof(err)) || cpuid_census_take(&census, &p))
		return 1;
	if (census.counted || !strstr(census.reason, "cannot count here"))
		return 2;
	return cpuid_census_compress(&census, calls).inits != 10 ||
	       cpuid_census_compress(&census, calls).cpuids != 0;
}

static void without_counting_there_is_a_reason_and_no_count(void **state)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(census_when_traced());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# SKIP ptrace is not allowed here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTING_TEST(each_initialisation_of_the_library_executes_leaves_0_and_7),
		COUNTING_TEST(a_cpu_without_leaf_7_is_asked_once),
		COUNTING_TEST(kinds_are_counted_under_the_profile),
		COUNTING_TEST(requests_are_summed_by_side),
		cmocka_unit_test(without_counting_there_is_a_reason_and_no_count),
	};

	return cmocka_run_group_tests_name("cpuid_census", tests, NULL, NULL);
}
