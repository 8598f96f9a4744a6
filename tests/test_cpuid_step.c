// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "backends/cpuid.h"
#include "cmd/machine_info.h"
#include "tests/test.h"

#if defined(__x86_64__)

/*
 * Functions of a known number of instructions. Each takes one pointer. Those that clobber rbx save
 * it.
 */
#define CODE(name, body)                                                                           \
	void name(void *arg);                                                                      \
	__asm__(".text\n.globl " #name "\n.hidden " #name "\n" #name ":\n" body "\n")

CODE(code_nothing, "ret");
CODE(code_cpuid_7, "push %rbx\n mov $7, %eax\n xor %ecx, %ecx\n cpuid\n pop %rbx\n ret");
CODE(code_cpuid_0_0, "push %rbx\n xor %eax, %eax\n cpuid\n cpuid\n pop %rbx\n ret");
/* 1000 times round: 5 + 4 * 1000 instructions. */
CODE(code_loop, "push %rbx\n mov $1000, %rsi\n"
		"1: xor %eax, %eax\n cpuid\n dec %rsi\n jnz 1b\n"
		"nop\n pop %rbx\n ret");
/* The argument is 64 bytes. */
CODE(code_stos, "mov $0x11, %eax\n mov $16, %ecx\n rep stosb\n"
		"mov $0x22222222, %eax\n mov $3, %ecx\n rep stosl\n"
		"xor %ecx, %ecx\n rep stosq\n ret");
CODE(code_movs, "mov %rdi, %rsi\n add $1, %rdi\n mov $32, %ecx\n rep movsb\n"
		"movabs $0x1122334455667788, %rax\n mov %rax, (%rdi)\n mov %rdi, %rsi\n"
		"lea 8(%rdi), %rdi\n mov $2, %ecx\n rep movsq\n ret");
CODE(code_stos_down,
     "mov $0x33, %eax\n mov $4, %ecx\n lea 63(%rdi), %rdi\n std\n rep stosb\n cld\n ret");
/* The trap flag is cleared by what popf loads, and pushf would store it. */
CODE(code_flags, "pushfq\n pop %rax\n mov %rax, (%rdi)\n and $~0x100, %rax\n push %rax\n popfq\n"
		 "push %rbx\n xor %eax, %eax\n cpuid\n pop %rbx\n"
		 "pushfw\n popw %ax\n movw %ax, 8(%rdi)\n ret");
CODE(code_getpid, "push %rbx\n mov $39, %eax\n syscall\n nop\n xor %eax, %eax\n cpuid\n"
		  "mov $39, %eax\n syscall\n pop %rbx\n ret");
CODE(code_getpid_flags, "mov $39, %eax\n syscall\n pushfq\n pop %rax\n mov %rax, (%rdi)\n ret");
CODE(code_getpid_cpuid, "push %rbx\n mov $39, %eax\n syscall\n cpuid\n movb $1, (%rdi)\n"
			"pop %rbx\n ret");
/* A handler of SIGILL goes on behind the two bytes of ud2, one of SIGTRAP need not. */
CODE(code_ud2, "push %rbx\n xor %eax, %eax\n ud2\n cpuid\n pop %rbx\n ret");
CODE(code_int3, "push %rbx\n xor %eax, %eax\n int3\n cpuid\n pop %rbx\n ret");
CODE(code_call_null, "xor %eax, %eax\n call *%rax\n nop\n ret");

static int count(void (*fn)(void *), void *arg, struct cpuid_count *c)
{
	return cpuid_count_call(fn, arg, NULL, c);
}

#define assert_counts(fn, arg, steps, cpuids) do_assert_counts(#fn, fn, arg, steps, cpuids)
static void do_assert_counts(const char *name, void (*fn)(void *), void *arg, unsigned steps,
			     unsigned cpuids)
{
	struct cpuid_count c;
	int ret = count(fn, arg, &c);

	if (ret || c.steps != steps || c.cpuids != cpuids)
		fail_msg("%s: %d (%s), %u steps in place of %u, %u CPUIDs of %u", name, ret,
			 c.reason, (unsigned)c.steps, steps, (unsigned)c.cpuids, cpuids);
}

static int needs_counting(void **state)
{
	char reason[CPUID_REASON_SIZE];

	*state = NULL;
	if (!cpuid_can_count(reason, sizeof(reason)))
		return 0;
	print_message("# SKIP %s\n", reason);
	*state = (void *)1;
	return 0;
}

/* For tests of what cannot be had under a debugger. */
#define NEEDS_COUNTING()                                                                           \
	do {                                                                                       \
		if (*state)                                                                        \
			skip();                                                                    \
	} while (0)

static void trap_flag_is_clear(void)
{
	assert_int_equal(__builtin_ia32_readeflags_u64() & 0x100, 0);
}

/* ---- counting ---- */

static void a_call_is_counted_instruction_by_instruction(void **state)
{
	NEEDS_COUNTING();
	assert_counts(code_nothing, NULL, 1, 0);
	assert_counts(code_cpuid_7, NULL, 6, 1);
	assert_counts(code_cpuid_0_0, NULL, 6, 2);
	assert_counts(code_loop, NULL, 5 + 4 * 1000, 1000);
	trap_flag_is_clear();
}

static void a_record_has_the_leaf_and_what_the_processor_answered(void **state)
{
	uint32_t regs[CPUID_NR_REGS];
	struct cpuid_count c;

	NEEDS_COUNTING();
	assert_int_equal(count(code_cpuid_7, NULL, &c), 0);
	assert_int_equal(c.nr_records, 1);
	assert_int_equal(c.records[0].leaf, 7);
	assert_int_equal(c.records[0].subleaf, 0);
	cpuid_execute(7, 0, regs);
	assert_memory_equal(c.records[0].regs, regs, sizeof(regs));
	assert_int_equal(count(code_loop, NULL, &c), 0);
	assert_int_equal(c.nr_records, CPUID_MAX_RECORDS);
}

static void ask_hypervisor(void *arg)
{
	struct {
		bool found;
		char signature[MACHINE_SIGNATURE_SIZE];
	} *answer = arg;

	answer->found = machine_cpuid_hypervisor(answer->signature);
}

static void has_bmi2(void *arg)
{
	*(int *)arg = cpuid_has_bmi1() | cpuid_has_bmi2() << 1;
}

static void a_synthetic_cpu_answers_in_place_of_the_processor(void **state)
{
	struct cpuid_count c;
	struct cpuid_cpu cpu;
	int found;

	NEEDS_COUNTING();
	for (int bmi = 0; bmi < 4; bmi++) {
		cpuid_cpu_with_bmi(&cpu, bmi & 1, bmi & 2);
		assert_int_equal(cpuid_count_call(has_bmi2, &found, &cpu, &c), 0);
		assert_int_equal(found, bmi);
		assert_int_equal(c.cpuids, 4);
		assert_int_equal(c.records[3].leaf, 7);
		assert_int_equal(!!(c.records[3].regs[CPUID_EBX] & CPUID_7_EBX_BMI2), bmi >> 1);
	}
	assert_int_equal(cpuid_cpu_parse(&cpu, "bmi1=1,bmi2=1,maxleaf=6", c.reason, 99), 0);
	assert_int_equal(cpuid_count_call(has_bmi2, &found, &cpu, &c), 0);
	assert_int_equal(found, 0);
	assert_int_equal(c.cpuids, 2); /* leaf 7 is not asked for */
	/* Two in a row, both answered. */
	assert_int_equal(cpuid_count_call(code_cpuid_0_0, NULL, &cpu, &c), 0);
	assert_int_equal(c.cpuids, 2);
	assert_int_equal(c.steps, 6);
	assert_int_equal(c.records[1].leaf, 6);
}

static void a_missing_hypervisor_leaf_is_no_hypervisor(void **state)
{
	struct {
		bool found;
		char signature[MACHINE_SIGNATURE_SIZE];
	} answer;
	struct cpuid_count c;
	struct cpuid_cpu cpu;

	NEEDS_COUNTING();
	assert_int_equal(cpuid_cpu_parse(&cpu, "hypervisor=0", c.reason, 99), 0);
	assert_int_equal(cpuid_count_call(ask_hypervisor, &answer, &cpu, &c), 0);
	assert_false(answer.found);
	for (unsigned i = 0; i < c.nr_records; i++)
		assert_int_not_equal(c.records[i].leaf, CPUID_LEAF_HYPERVISOR);
	/* One that claims to be there: whatever the leaf answers is taken as it is. */
	assert_int_equal(cpuid_cpu_parse(&cpu, "hypervisor=1", c.reason, 99), 0);
	assert_int_equal(cpuid_count_call(ask_hypervisor, &answer, &cpu, &c), 0);
	assert_true(answer.found);
	assert_true(strlen(answer.signature) < sizeof(answer.signature));
}

static void a_repeated_string_instruction_counts_its_repetitions(void **state)
{
	uint8_t stepped[64] = {7}, plain[64] = {7};
	static void (*const code[])(void *) = {code_stos, code_movs, code_stos_down};
	static const unsigned steps[] = {6 + 16 + 3 + 1, 9 + 32 + 2, 6 + 4};

	NEEDS_COUNTING();
	for (size_t i = 0; i < 3; i++) {
		assert_counts(code[i], stepped, steps[i], 0);
		code[i](plain);
		assert_memory_equal(stepped, plain, sizeof(plain));
	}
	assert_int_equal(plain[63], 0x33);
}

/* ---- what the code does with the trap flag, and with system calls ---- */

static void popf_does_not_end_the_counting_and_pushf_stores_no_trap_flag(void **state)
{
	uint64_t stored[2] = {~0ull, ~0ull};

	NEEDS_COUNTING();
	assert_counts(code_flags, stored, 14, 1);
	assert_int_equal(stored[0] & 0x100, 0);
	assert_int_equal(stored[1] & 0x100, 0);
	stored[0] = ~0ull;
	assert_counts(code_getpid_flags, stored, 6, 0);
	assert_int_equal(stored[0] & 0x100, 0);
}

static void instructions_behind_system_calls_are_counted(void **state)
{
	NEEDS_COUNTING();
	assert_counts(code_getpid, NULL, 10, 1);
}

static void a_cpuid_right_behind_a_system_call_ends_the_count(void **state)
{
	struct cpuid_count c;
	uint8_t done = 0;

	NEEDS_COUNTING();
	assert_int_equal(count(code_getpid_cpuid, &done, &c), -ECANCELED);
	assert_int_equal(done, 1);
	assert_int_equal(c.steps, 0);
	assert_non_null(strstr(c.reason, "system call"));
	trap_flag_is_clear();
}

static void block_everything(void *arg)
{
	sigset_t all, *seen = arg;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, seen);
	code_loop(NULL);
}

static void code_may_block_every_signal(void **state)
{
	sigset_t before, seen, after;
	struct cpuid_count c;

	NEEDS_COUNTING();
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(count(block_everything, &seen, &c), 0);
	assert_int_equal(c.cpuids, 1000);
	pthread_sigmask(SIG_SETMASK, &before, &after);
	assert_true(sigismember(&seen, SIGTRAP));
	assert_true(sigismember(&seen, SIGUSR1));
	assert_true(sigismember(&after, SIGTRAP));
	assert_true(sigismember(&after, SIGUSR1));
}

static void a_caller_that_blocks_sigtrap_finds_it_blocked(void **state)
{
	sigset_t trap, after;

	NEEDS_COUNTING();
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	assert_counts(code_cpuid_7, NULL, 6, 1);
	pthread_sigmask(SIG_UNBLOCK, &trap, &after);
	assert_true(sigismember(&after, SIGTRAP));
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
	trap_flag_is_clear();
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

/* ---- threads and processes ---- */

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
	struct counter a = {code_loop, 4005, 1000, 0}, b = {code_cpuid_0_0, 6, 2, 0};
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

static void *note(void *arg)
{
	*(int *)arg = 1;
	return NULL;
}

static void start_a_thread(void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, note, arg);
	pthread_join(thread, NULL);
}

static void a_call_that_starts_a_thread_is_not_counted_but_done(void **state)
{
	struct cpuid_count c;
	int done = 0;

	NEEDS_COUNTING();
	assert_int_equal(count(start_a_thread, &done, &c), -ECANCELED);
	assert_int_equal(done, 1);
	assert_non_null(strstr(c.reason, "thread"));
	trap_flag_is_clear();
}

static void a_traced_process_says_that_it_cannot_count(void **state)
{
	struct cpuid_count c;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		if (count(code_cpuid_7, NULL, &c) != -ENOTSUP || c.steps)
			_exit(1);
		_exit(strstr(c.reason, "debugger") ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# SKIP ptrace is not allowed here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* tests/cpuid_try.c, below @command: what it printed is in @line. */
static void run_try(const char *command, char *line, size_t size)
{
	const char *program = getenv("ZSWAPSIM_CPUID_TRY");
	char full[4096];
	FILE *out;

	if (!program) {
		print_message("# SKIP ZSWAPSIM_CPUID_TRY is not set\n");
		skip();
	}
	snprintf(full, sizeof(full), command, program);
	out = popen(full, "r");
	assert_non_null(out);
	*line = '\0';
	while (fgets(line, size, out) && strncmp(line, "try: ", 5))
		;
	pclose(out);
}

static void without_company_the_program_counts(void **state)
{
	char line[256];

	NEEDS_COUNTING();
	run_try("%s", line, sizeof(line));
	assert_string_equal(line, "try: 2 cpuids\n");
}

static void under_valgrind_the_program_says_that_it_cannot_count(void **state)
{
	char line[256];

	if (system("valgrind --version >/dev/null 2>&1")) {
		print_message("# SKIP no valgrind here\n");
		skip();
	}
	run_try("valgrind -q %s", line, sizeof(line));
	assert_non_null(strstr(line, "cannot count here: valgrind"));
}

static void under_a_debugger_the_program_says_that_it_cannot_count(void **state)
{
	char line[256];

	if (system("gdb --version >/dev/null 2>&1")) {
		print_message("# SKIP no gdb here\n");
		skip();
	}
	run_try("gdb -nx -batch -ex run %s 2>&1 </dev/null", line, sizeof(line));
	assert_non_null(strstr(line, "cannot count here: a debugger"));
}

#define COUNTING_TEST(name) cmocka_unit_test_setup(name, needs_counting)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTING_TEST(a_call_is_counted_instruction_by_instruction),
		COUNTING_TEST(a_record_has_the_leaf_and_what_the_processor_answered),
		COUNTING_TEST(a_synthetic_cpu_answers_in_place_of_the_processor),
		COUNTING_TEST(a_missing_hypervisor_leaf_is_no_hypervisor),
		COUNTING_TEST(a_repeated_string_instruction_counts_its_repetitions),
		COUNTING_TEST(popf_does_not_end_the_counting_and_pushf_stores_no_trap_flag),
		COUNTING_TEST(instructions_behind_system_calls_are_counted),
		COUNTING_TEST(a_cpuid_right_behind_a_system_call_ends_the_count),
		COUNTING_TEST(code_may_block_every_signal),
		COUNTING_TEST(a_caller_that_blocks_sigtrap_finds_it_blocked),
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
		COUNTING_TEST(a_call_that_starts_a_thread_is_not_counted_but_done),
		cmocka_unit_test(a_traced_process_says_that_it_cannot_count),
		COUNTING_TEST(without_company_the_program_counts),
		cmocka_unit_test(under_valgrind_the_program_says_that_it_cannot_count),
		cmocka_unit_test(under_a_debugger_the_program_says_that_it_cannot_count),
	};

	return cmocka_run_group_tests_name("cpuid_step", tests, NULL, NULL);
}

#else

static void nothing(void *arg)
{
}

static void without_cpuid_there_is_no_count_and_a_reason(void **state)
{
	struct cpuid_count c;

	assert_int_equal(cpuid_count_call(nothing, NULL, NULL, &c), -ENOTSUP);
	assert_int_equal(c.cpuids, 0);
	assert_non_null(strstr(c.reason, "x86"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_cpuid_there_is_no_count_and_a_reason),
	};

	return cmocka_run_group_tests_name("cpuid_step", tests, NULL, NULL);
}

#endif
