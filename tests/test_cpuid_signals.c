// SPDX-License-Identifier: GPL-2.0-or-later
/* The counter among other signals, their handlers, and other threads that count. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "backends/cpuid.h"
#include "tests/counting.h"

#if defined(__x86_64__)

/* A handler of SIGILL goes on behind the two bytes of ud2, one of SIGTRAP need not. */
CODE(code_ud2, "push %rbx\n xor %eax, %eax\n ud2\n cpuid\n pop %rbx\n ret");
CODE(code_int3, "push %rbx\n xor %eax, %eax\n int3\n cpuid\n pop %rbx\n ret");
CODE(code_call_null, "xor %eax, %eax\n call *%rax\n nop\n ret");

static int count(void (*fn)(void *), void *arg, struct cpuid_count *c)
{
	return cpuid_count_call(fn, arg, NULL, c);
}

/* ---- other signals meanwhile ---- */

static volatile sig_atomic_t nr_alarms;

static void on_alarm(int sig)
{
	nr_alarms++;
	code_cpuid_7(NULL);
}

static void rounds(void *arg)
{
	for (int i = 0; i < 5; i++)
		code_loop(NULL);
}

static void signals_that_arrive_meanwhile_are_not_counted(void **state)
{
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct cpuid_count quiet, c;

	NEEDS_COUNTING();
	assert_int_equal(count(rounds, NULL, &quiet), 0);
	sigaction(SIGALRM, &action, &before);
	nr_alarms = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(count(rounds, NULL, &c), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(nr_alarms > 1);
	assert_int_equal(c.steps, quiet.steps);
	assert_int_equal(c.cpuids, quiet.cpuids);
	assert_int_equal(c.cpuids, 5000);
}

static volatile sig_atomic_t nr_caught;
static sigjmp_buf jump;

static void skip_two_bytes(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	nr_caught++;
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static void skip_nothing(int sig)
{
	nr_caught++;
}

/* As if the function called had returned. */
static void return_to_caller(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	nr_caught++;
	regs[REG_RIP] = *(greg_t *)regs[REG_RSP];
	regs[REG_RSP] += 8;
}

static void jump_away(int sig)
{
	siglongjmp(jump, 1);
}

static struct sigaction caught_by(int sig, void (*info)(int, siginfo_t *, void *),
				  void (*plain)(int))
{
	struct sigaction action = {.sa_flags = info ? SA_SIGINFO : 0}, before;

	if (info)
		action.sa_sigaction = info;
	else
		action.sa_handler = plain;
	nr_caught = 0;
	sigaction(sig, &action, &before);
	return before;
}

static void an_unknown_opcode_goes_to_its_handler_and_what_follows_is_counted(void **state)
{
	struct sigaction before;

	NEEDS_COUNTING();
	before = caught_by(SIGILL, skip_two_bytes, NULL);
	assert_counts(code_ud2, NULL, 6, 1);
	sigaction(SIGILL, &before, NULL);
	assert_int_equal(nr_caught, 1);
}

static void a_jump_to_nowhere_goes_to_the_handler_of_sigsegv(void **state)
{
	struct sigaction before;

	NEEDS_COUNTING();
	before = caught_by(SIGSEGV, return_to_caller, NULL);
	/* What is at address 0 counts as an instruction that was begun. */
	assert_counts(code_call_null, NULL, 5, 0);
	sigaction(SIGSEGV, &before, NULL);
	assert_int_equal(nr_caught, 1);
}

static void a_breakpoint_goes_to_the_handler_that_was_there(void **state)
{
	struct sigaction before;

	NEEDS_COUNTING();
	before = caught_by(SIGTRAP, NULL, skip_nothing);
	assert_counts(code_int3, NULL, 6, 1);
	sigaction(SIGTRAP, &before, NULL);
	assert_int_equal(nr_caught, 1);
}

static void send_trap(void *arg)
{
	raise(SIGTRAP);
	code_cpuid_7(NULL);
}

static void a_sigtrap_that_somebody_sent_is_passed_on(void **state)
{
	struct sigaction before;
	struct cpuid_count c;

	NEEDS_COUNTING();
	before = caught_by(SIGTRAP, NULL, skip_nothing);
	assert_int_equal(count(send_trap, NULL, &c), 0);
	sigaction(SIGTRAP, &before, NULL);
	assert_int_equal(nr_caught, 1);
	assert_int_equal(c.cpuids, 1);
}

static void be_thrown_out(void *arg)
{
	if (!sigsetjmp(jump, 1))
		__asm__ volatile("ud2");
	*(int *)arg = 1;
}

static void a_handler_that_jumps_away_ends_the_count(void **state)
{
	struct sigaction before;
	struct cpuid_count c;
	int done = 0;

	NEEDS_COUNTING();
	before = caught_by(SIGILL, NULL, jump_away);
	assert_int_equal(count(be_thrown_out, &done, &c), -ECANCELED);
	sigaction(SIGILL, &before, NULL);
	assert_int_equal(done, 1);
	assert_int_equal(c.steps, 0);
	assert_non_null(strstr(c.reason, "trap flag"));
	counting_assert_trap_flag_is_clear();
	assert_counts(code_cpuid_7, NULL, 6, 1);
}

/* ---- handlers ---- */

static void handlers_are_given_back(void **state)
{
	static const int sigs[] = {SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE};
	struct sigaction before[5], after;

	NEEDS_COUNTING();
	for (int i = 0; i < 5; i++)
		sigaction(sigs[i], NULL, &before[i]);
	assert_counts(code_cpuid_7, NULL, 6, 1);
	for (int i = 0; i < 5; i++) {
		sigaction(sigs[i], NULL, &after);
		assert_ptr_equal(after.sa_sigaction, before[i].sa_sigaction);
		assert_int_equal(after.sa_flags, before[i].sa_flags);
	}
}

static void set_a_handler(void *arg)
{
	struct sigaction action = {.sa_handler = skip_nothing};

	sigaction(*(int *)arg, &action, NULL);
}

static void a_handler_that_was_set_meanwhile_stays(void **state)
{
	struct sigaction before, after;
	struct cpuid_count c;
	int sig = SIGFPE;

	NEEDS_COUNTING();
	sigaction(sig, NULL, &before);
	assert_int_equal(count(set_a_handler, &sig, &c), 0);
	sigaction(sig, &before, &after);
	assert_ptr_equal(after.sa_handler, skip_nothing);
	/* SIGTRAP is ours while we count. */
	sig = SIGTRAP;
	sigaction(sig, NULL, &before);
	assert_int_equal(count(set_a_handler, &sig, &c), -ECANCELED);
	sigaction(sig, &before, &after);
	assert_ptr_equal(after.sa_handler, skip_nothing);
	assert_non_null(strstr(c.reason, "SIGTRAP"));
}

static void count_within(void *arg)
{
	*(int *)arg = count(code_cpuid_7, NULL, &(struct cpuid_count){0});
}

static void a_call_within_a_counted_one_is_refused(void **state)
{
	struct cpuid_count c;
	int ret = 0;

	NEEDS_COUNTING();
	assert_int_equal(count(count_within, &ret, &c), 0);
	assert_int_equal(ret, -EBUSY);
}

/* ---- threads ---- */

struct counter {
	void (*fn)(void *);
	unsigned steps, cpuids, nr_wrong;
};

static void *count_often(void *arg)
{
	struct counter *x = arg;

	for (int i = 0; i < 10; i++) {
		struct cpuid_count c;

		x->nr_wrong +=
			count(x->fn, NULL, &c) || c.steps != x->steps || c.cpuids != x->cpuids;
	}
	return NULL;
}

static void *trap_often(void *arg)
{
	for (int i = 0; i < 1000; i++)
		raise(SIGTRAP);
	return NULL;
}

static void two_threads_count_at_a_time_beside_one_that_traps(void **state)
{
	struct counter a = {code_loop, CODE_LOOP_STEPS, CODE_LOOP_ROUNDS, 0},
		       b = {code_cpuid_0_0, 6, 2, 0};
	struct sigaction before;
	pthread_t threads[3];

	NEEDS_COUNTING();
	before = caught_by(SIGTRAP, NULL, skip_nothing);
	assert_int_equal(pthread_create(&threads[0], NULL, count_often, &a), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, count_often, &b), 0);
	assert_int_equal(pthread_create(&threads[2], NULL, trap_often, NULL), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	sigaction(SIGTRAP, &before, NULL);
	assert_int_equal(a.nr_wrong, 0);
	assert_int_equal(b.nr_wrong, 0);
	assert_int_equal(nr_caught, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTING_TEST(signals_that_arrive_meanwhile_are_not_counted),
		COUNTING_TEST(an_unknown_opcode_goes_to_its_handler_and_what_follows_is_counted),
		COUNTING_TEST(a_jump_to_nowhere_goes_to_the_handler_of_sigsegv),
		COUNTING_TEST(a_breakpoint_goes_to_the_handler_that_was_there),
		COUNTING_TEST(a_sigtrap_that_somebody_sent_is_passed_on),
		COUNTING_TEST(a_handler_that_jumps_away_ends_the_count),
		COUNTING_TEST(handlers_are_given_back),
		COUNTING_TEST(a_handler_that_was_set_meanwhile_stays),
		COUNTING_TEST(a_call_within_a_counted_one_is_refused),
		COUNTING_TEST(two_threads_count_at_a_time_beside_one_that_traps),
	};

	return cmocka_run_group_tests_name("cpuid_signals", tests, NULL, NULL);
}

#else

static void elsewhere_nothing_is_stepped(void **state)
{
	print_message("# SKIP no CPUID here\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elsewhere_nothing_is_stepped),
	};

	return cmocka_run_group_tests_name("cpuid_signals", tests, NULL, NULL);
}

#endif
