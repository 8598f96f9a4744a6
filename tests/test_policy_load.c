// SPDX-License-Identifier: GPL-2.0-or-later
/* Policies from shared objects: what is none is refused, and what goes wrong ends the policy alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/policy_load.h"
#include "sim/zswap_policy.h"
#include "tests/machine.h"
#include "tests/policy_plan.h"
#include "tests/test.h"

#define LIMIT_MS 400u

/* "DIR/policy_NAME.so:ARGS" */
static const char *spec_of(const char *name, const char *args)
{
	static char spec[1024];
	const char *dir = getenv("ZSWAPSIM_POLICIES");

	if (!dir) {
		print_message("# SKIP ZSWAPSIM_POLICIES is not set\n");
		skip();
		return "";
	}
	snprintf(spec, sizeof(spec), "%s/policy_%s.so%s%s", dir, name, args ? ":" : "",
		 args ? args : "");
	return spec;
}

static void expect_refused(const char *spec, int ret, const char *cause)
{
	struct policy *policy;
	char err[1024];

	assert_int_equal(policy_load(spec, LIMIT_MS, &policy, err, sizeof(err)), ret);
	if (!strstr(err, cause))
		fail_msg("'%s' does not say '%s'", err, cause);
	if (strncmp(err, "policy ", 7) || strncmp(err + 7, spec, strlen(spec)) || strchr(err, '\n'))
		fail_msg("'%s' is not one line that names the policy", err);
}

static void what_is_no_policy_is_refused_in_one_line_that_names_it(void **state)
{
	static const struct {
		const char *name, *cause;
	} bad[] = {
		{"bad_version", "it is made for version 2 of the interface, this is version 1"},
		{"bad_no_symbol", "it has no symbol 'zswapsim_policy'"},
		{"bad_size", "its struct_size is 8 bytes"},
		{"bad_huge", "its struct_size is 2147483647 bytes"},
		{"new", "it uses functions that this version does not know"},
		{"bad_no_name", "it has no name"},
		{"bad_name", "its name is not one line"},
		{"bad_flags", "it has flags that this version does not know"},
		{"bad_entry_bytes", "it wants more than 4096 bytes an entry"},
		{"none", "cannot be loaded"},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_refused(spec_of(bad[i].name, NULL), -EINVAL, bad[i].cause);
	expect_refused("/dev/null.so", -EINVAL, "cannot be loaded");
	expect_refused("lruu", -EINVAL,
		       "there is none of that name; there are kernel, second-chance, lru");
	expect_refused("", -EINVAL, "there is none of that name");
}

static void a_constructor_that_crashes_is_an_error_of_the_policy(void **state)
{
	expect_refused(spec_of("bad_constructor", NULL), -EFAULT,
		       "as it is loaded: crashed: SIGSEGV at address (nil)");
}

static void an_older_header_s_policy_lacks_only_what_came_later(void **state)
{
	struct ideal_counts c;
	struct plan *plan = malloc(sizeof(*plan));
	struct policy *policy;
	char err[256];

	assert_int_equal(policy_load(spec_of("old", NULL), 0, &policy, err, sizeof(err)), 0);
	assert_string_equal(policy->ops.name, "old");
	assert_non_null(policy->ops.stored);
	assert_null(policy->ops.loaded);
	assert_null(policy->ops.victim);
	policy_unload(policy);
	plan_begin(plan);
	for (unsigned i = 0; i < 3; i++)
		plan_store(plan, i, 1000);
	for (unsigned i = 0; i < 3; i++)
		plan_load(plan, i);
	plan_done(plan);
	/* It names no victim: what does not fit is given up. */
	plan_run(plan, spec_of("old", NULL), 2000, &c);
	assert_int_equal(c.given_up, 1);
	assert_int_equal(c.hits, 2);
	plan_finish(plan);
	free(plan);
}

static void arguments_follow_a_colon(void **state)
{
	struct policy *policy;
	char err[256];

	assert_int_equal(policy_load("lru:a:b", 0, &policy, err, sizeof(err)), 0);
	assert_string_equal(policy->args, "a:b");
	assert_string_equal(policy->spec, "lru:a:b");
	policy_unload(policy);
	assert_int_equal(policy_load("lru", 0, &policy, err, sizeof(err)), 0);
	assert_string_equal(policy->args, "");
	policy_unload(policy);
}

/* ---- the example ---- */

static void the_example_of_the_documents_runs_and_lies_above_the_bound(void **state)
{
	struct plan_config config = {
		.nr_events = PLAN_MAX, .nr_slots = 150, .min_size = 20, .max_size = 4096};
	struct plan *plan = malloc(sizeof(*plan));
	struct ideal_counts one, many, lru;
	struct bound_result bound;
	uint64_t random = 21;

	plan_make(plan, &config, &random);
	plan_bound(plan, 60000, &bound);
	plan_run(plan, spec_of("example", "1"), 60000, &one);
	plan_run(plan, spec_of("example", NULL), 60000, &many);
	plan_run(plan, "lru", 60000, &lru);
	print_message("# bound %lu, example:16 %lu, example:1 %lu, lru %lu reads\n", bound.reads,
		      many.disk_reads, one.disk_reads, lru.disk_reads);
	assert_true(bound.reads <= many.disk_reads);
	/* What it is for: large pages that stay long go first. */
	assert_true(many.disk_reads < one.disk_reads);
	assert_true(many.disk_reads < lru.disk_reads);
	plan_finish(plan);
	free(plan);
}

/* ---- what goes wrong at work ---- */

struct rig {
	struct machine *m;
	struct policy *policy;
	struct policy_run *run;
	char err[512];
};

static void rig_begin(struct rig *r, const char *args)
{
	struct machine_config config = {
		.kernel = "7.3", .totalram_pages = 100, .lengths = true, .root_only = true};
	struct policy_run_config run = {
		.objective = ZSWAPSIM_KERNEL, .nr_nodes = 1, .limit_ms = LIMIT_MS};

	if (policy_load(spec_of("bad", args), LIMIT_MS, &r->policy, r->err, sizeof(r->err)))
		fail_msg("%s", r->err);
	r->m = machine_create(&config);
	run.policy = r->policy;
	r->run = NULL;
	if (policy_run_create(&run, &r->run, r->err, sizeof(r->err)))
		return;
	zswap_set_policy(r->m->z, r->run);
	r->err[0] = '\0';
}

static void rig_end(struct rig *r)
{
	/* Checks zswap's invariants, and that the record of the policy agrees. */
	machine_destroy(r->m);
	policy_run_destroy(r->run);
	policy_unload(r->policy);
}

static void rig_store(struct rig *r, uint64_t slot)
{
	uint32_t length = 4096;
	struct folio folio = machine_folio(r->m, slot, 0, &length);
	enum swapout where;

	policy_run_at(r->run, 100 + slot, 0, 0);
	assert_int_equal(zswap_reserve(r->m->z, folio.swap, 0), 0);
	assert_int_equal(swap_writeout(r->m->io, &folio, &where), 0);
	zswap_run_shrink_worker(r->m->z);
}

/* Fills the pool and overfills it; then everything is loaded again, from wherever it is. */
static void rig_work(struct rig *r)
{
	enum swapin from;

	for (unsigned i = 0; i < 40; i++)
		rig_store(r, i);
	for (unsigned i = 0; i < 40; i++) {
		policy_run_at(r->run, 200 + i, 0, 0);
		assert_int_equal(machine_load(r->m, i, 4096, &from), 0);
	}
}

static void expect_crash(const char *args, const char *what, bool crashed, uint64_t event)
{
	uint64_t at = 0;
	struct rig r;
	const char *error;

	rig_begin(&r, args);
	assert_string_equal(r.err, "");
	rig_work(&r);
	error = policy_run_failed(r.run, &at);
	if (!error || !strstr(error, what))
		fail_msg("%s: '%s' does not say '%s'", args, error ? error : "(nothing)", what);
	if (strncmp(error, "policy ", 7) || strchr(error, '\n'))
		fail_msg("'%s' is not one line that names the policy", error);
	assert_int_equal(policy_run_crashed(r.run), crashed);
	if (event && at != event)
		fail_msg("%s: at event %lu", args, at);
	rig_end(&r);
}

static void a_crash_in_any_function_ends_the_policy_and_leaves_zswap_whole(void **state)
{
	expect_crash("segv,stored,3", "stored(): crashed: SIGSEGV at address", true, 102);
	expect_crash("abort,admit,5", "admit(): crashed: SIGABRT", true, 104);
	expect_crash("fpe,victim,1", "victim(): crashed: SIGFPE", true, 120);
	expect_crash("trap,written_back,1", "written_back(): crashed: SIG", true, 0);
	expect_crash("segv,loaded,4", "loaded(): crashed: SIGSEGV", true, 0);
}

static void a_stack_that_runs_over_is_a_crash_like_others(void **state)
{
	expect_crash("deep,victim,1", "victim(): crashed: SIGSEGV at address 0x", true, 120);
}

static void a_call_that_does_not_return_is_ended(void **state)
{
	expect_crash("loop,victim,1", "victim(): did not return", true, 120);
	expect_crash("sleep,stored,7", "stored(): did not return", true, 106);
}

static void a_victim_that_does_not_exist_is_an_error(void **state)
{
	expect_crash("garbage,victim,1",
		     "victim(): answered 0xdeadbeefdeadbeef: there was never such an entry", false,
		     120);
	expect_crash("garbage,admit,2", "admit(): answered 2147483647, neither 0 nor 1", false,
		     101);
	expect_crash("budget,victim,1", "victim(): raised its budget", false, 120);
}

static void a_victim_that_was_written_back_before_is_an_error(void **state)
{
	expect_crash("twice,nowhere", "victim(): answered 0x100000013: that entry was written back",
		     false, 120);
}

static void what_a_policy_scribbles_on_is_its_own_copy(void **state)
{
	struct rig r;

	rig_begin(&r, "scribble,nowhere");
	rig_work(&r);
	assert_non_null(policy_run_failed(r.run, NULL));
	assert_false(policy_run_crashed(r.run));
	rig_end(&r);
}

static void a_policy_that_does_not_want_to_begin_says_why(void **state)
{
	struct rig r;

	rig_begin(&r, "refuse,create");
	assert_non_null(strstr(r.err, "create(): it has no wish to"));
	rig_end(&r);
	rig_begin(&r, "segv,create");
	assert_non_null(strstr(r.err, "create(): crashed: SIGSEGV"));
	rig_end(&r);
	rig_begin(&r, "loop,create");
	assert_non_null(strstr(r.err, "create(): did not return"));
	rig_end(&r);
}

static void a_crash_in_destroy_is_a_failure_of_the_run(void **state)
{
	struct rig r;

	rig_begin(&r, "segv,destroy");
	rig_store(&r, 1);
	assert_null(policy_run_failed(r.run, NULL));
	policy_run_end(r.run);
	assert_non_null(policy_run_failed(r.run, NULL));
	assert_true(policy_run_crashed(r.run));
	assert_non_null(strstr(policy_run_failed(r.run, NULL), "destroy(): crashed: SIGSEGV"));
	/* Nothing is asked of it after that. */
	rig_store(&r, 2);
	rig_end(&r);
	rig_begin(&r, "loop,destroy");
	policy_run_end(r.run);
	assert_non_null(strstr(policy_run_failed(r.run, NULL), "destroy(): did not return"));
	rig_end(&r);
}

/* exit() cannot be undone, but it must not look like success. */
static void a_policy_that_exits_ends_the_program_with_an_error(void **state)
{
	int pipes[2], status;
	char said[256] = "";
	pid_t pid;

	spec_of("bad", NULL);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		struct rig r;

		dup2(pipes[1], 2);
		rig_begin(&r, "exit,stored,2");
		rig_work(&r);
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(read(pipes[0], said, sizeof(said) - 1) > 0);
	close(pipes[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_non_null(strstr(said, "stored(): called exit()"));
}

static void on_signal(int sig)
{
}

static void signals_are_given_back_when_the_last_policy_is_gone(void **state)
{
	struct sigaction mine = {.sa_handler = on_signal}, before, during, after;
	struct rig a, b;

	sigaction(SIGSEGV, &mine, &before);
	rig_begin(&a, "none,nowhere");
	rig_begin(&b, "none,nowhere");
	sigaction(SIGSEGV, NULL, &during);
	assert_true(during.sa_handler != on_signal);
	rig_end(&a);
	sigaction(SIGSEGV, NULL, &during);
	assert_true(during.sa_handler != on_signal);
	rig_end(&b);
	sigaction(SIGSEGV, &before, &after);
	assert_true(after.sa_handler == on_signal);
}

static void a_crash_of_ours_is_not_taken_for_a_policys(void **state)
{
	int status;
	pid_t pid;

	spec_of("bad", NULL);
	pid = fork();
	if (!pid) {
		struct rig r;

		signal(SIGSEGV, SIG_DFL);
		rig_begin(&r, "none,nowhere");
		raise(SIGSEGV);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_policy_is_refused_in_one_line_that_names_it),
		cmocka_unit_test(a_constructor_that_crashes_is_an_error_of_the_policy),
		cmocka_unit_test(an_older_header_s_policy_lacks_only_what_came_later),
		cmocka_unit_test(arguments_follow_a_colon),
		cmocka_unit_test(the_example_of_the_documents_runs_and_lies_above_the_bound),
		cmocka_unit_test(a_crash_in_any_function_ends_the_policy_and_leaves_zswap_whole),
		cmocka_unit_test(a_stack_that_runs_over_is_a_crash_like_others),
		cmocka_unit_test(a_call_that_does_not_return_is_ended),
		cmocka_unit_test(a_victim_that_does_not_exist_is_an_error),
		cmocka_unit_test(a_victim_that_was_written_back_before_is_an_error),
		cmocka_unit_test(what_a_policy_scribbles_on_is_its_own_copy),
		cmocka_unit_test(a_policy_that_does_not_want_to_begin_says_why),
		cmocka_unit_test(a_crash_in_destroy_is_a_failure_of_the_run),
		cmocka_unit_test(a_policy_that_exits_ends_the_program_with_an_error),
		cmocka_unit_test(signals_are_given_back_when_the_last_policy_is_gone),
		cmocka_unit_test(a_crash_of_ours_is_not_taken_for_a_policys),
	};

	return cmocka_run_group_tests_name("policy_load", tests, NULL, NULL);
}
