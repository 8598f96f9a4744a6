// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cpuid.h"
#include "cmd/machine_info.h"
#include "tests/counting.h"

#if defined(__x86_64__)

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

static int count(void (*fn)(void *), void *arg, struct cpuid_count *c)
{
	return cpuid_count_call(fn, arg, NULL, c);
}

/* ---- counting ---- */

static void a_call_is_counted_instruction_by_instruction(void **state)
{
	NEEDS_COUNTING();
	assert_counts(code_nothing, NULL, 1, 0);
	assert_counts(code_cpuid_7, NULL, 6, 1);
	assert_counts(code_cpuid_0_0, NULL, 6, 2);
	assert_counts(code_loop, NULL, CODE_LOOP_STEPS, CODE_LOOP_ROUNDS);
	counting_assert_trap_flag_is_clear();
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
	counting_assert_trap_flag_is_clear();
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

/* ---- threads and processes ---- */

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
	counting_assert_trap_flag_is_clear();
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
