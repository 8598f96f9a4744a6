// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Single-stepping in process. The trap flag makes the processor stop behind each instruction; the
 * kernel turns that into SIGTRAP, and starts handlers, of this and of any other signal, with the
 * flag cleared. So a handler is never stepped, and when it returns to code that was, its flag
 * comes back. One instruction after such a return there is the next stop; what comes next in the
 * code must therefore be looked at before it runs, wherever the program counter was changed.
 */
#include "backends/cpuid_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if !defined(__x86_64__)

bool cpuid_stepping(void)
{
	return false;
}

bool cpuid_step_works(void)
{
	return false;
}

int cpuid_step(void (*fn)(void *arg), void *arg, const struct cpuid_cpu *cpu,
	       struct cpuid_count *count)
{
	return -ECANCELED;
}

#else

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define EFLAGS_TF 0x100
#define EFLAGS_DF 0x400

#define NR_READABLE_PAGES 16

struct stepping {
	const struct cpuid_cpu *cpu;
	struct cpuid_count *count;
	struct cpuid_record *open; /* a CPUID that is being executed */
	uint64_t seen;		   /* instruction that was looked at before its stop; 0: none */
	bool pushed_flags;	   /* the instruction that is being executed stores them */
	bool trap_blocked;	   /* what the code believes of its signal mask */
	bool finished;		   /* the call returned, and was followed until then */
	const char *lost;	   /* why it was not */
	uint64_t readable[NR_READABLE_PAGES]; /* pages of code, plus one; 0: none */
};

/* Of this thread; a signal handler has no other way to find it. NULL: not stepping. */
static __thread struct stepping *stepping;

/* ---- the stepped call ---- */

/* Calls @fn(@arg) with the trap flag set; the stop at zswapsim_cpuid_returned clears it. */
void zswapsim_cpuid_trampoline(void (*fn)(void *arg), void *arg);
extern const char zswapsim_cpuid_returned[];
/* 5 instructions, the third of them CPUID. */
void zswapsim_cpuid_sample(void *arg);

__asm__(".text\n"
	".globl zswapsim_cpuid_trampoline, zswapsim_cpuid_returned, zswapsim_cpuid_sample\n"
	".hidden zswapsim_cpuid_trampoline, zswapsim_cpuid_returned, zswapsim_cpuid_sample\n"
	".type zswapsim_cpuid_trampoline, @function\n"
	"zswapsim_cpuid_trampoline:\n"
	"	.cfi_startproc\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	pushfq\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	orl $0x100, (%rsp)\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	call *%rax\n" /* the first stop is behind this, at the function's first instruction
			       */
	"zswapsim_cpuid_returned:\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size zswapsim_cpuid_trampoline, . - zswapsim_cpuid_trampoline\n"
	".type zswapsim_cpuid_sample, @function\n"
	"zswapsim_cpuid_sample:\n"
	"	.cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	xorl %eax, %eax\n"
	"	cpuid\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size zswapsim_cpuid_sample, . - zswapsim_cpuid_sample\n");

/* ---- what is done at a stop ---- */

static uint32_t low(greg_t reg)
{
	return (uint32_t)reg;
}

/* From here on the call runs at full speed, and there is no count. */
static void lose(struct stepping *s, greg_t *regs, const char *why)
{
	s->lost = why;
	regs[REG_EFL] &= ~EFLAGS_TF;
}

/* A mask of the kernel: one bit a signal. */
#define MASK_SIZE	  8
#define MASK_BIT(sig)	  (1ull << ((sig)-1))

/*
 * A jump to nowhere must fault in the code and not here. The system call reads the mask before it
 * refuses what it is asked to do with it.
 */
static bool page_is_readable(void *arg, uint64_t address)
{
	struct stepping *s = arg;
	uint64_t page = address >> 12, *cached = &s->readable[page % NR_READABLE_PAGES];

	if (*cached == page + 1)
		return true;
	if (syscall(SYS_rt_sigprocmask, -1, address & -(uint64_t)MASK_SIZE, NULL, MASK_SIZE) !=
		    -1 ||
	    errno == EFAULT)
		return false;
	*cached = page + 1;
	return true;
}

static struct cpuid_record *new_record(struct stepping *s, const greg_t *regs)
{
	struct cpuid_count *count = s->count;
	struct cpuid_record *r;

	count->cpuids++;
	if (count->nr_records == CPUID_MAX_RECORDS)
		return NULL;
	r = &count->records[count->nr_records++];
	r->leaf = low(regs[REG_RAX]);
	r->subleaf = low(regs[REG_RCX]);
	return r;
}

static void answer(struct stepping *s, greg_t *regs)
{
	struct cpuid_record *r = new_record(s, regs);
	uint32_t out[CPUID_NR_REGS];

	cpuid_cpu_answer(s->cpu, low(regs[REG_RAX]), low(regs[REG_RCX]), out);
	if (r)
		memcpy(r->regs, out, sizeof(out));
	regs[REG_RAX] = out[CPUID_EAX];
	regs[REG_RBX] = out[CPUID_EBX];
	regs[REG_RCX] = out[CPUID_ECX];
	regs[REG_RDX] = out[CPUID_EDX];
}

/* Done at one stop: a stop for each repetition would be seconds for a table that is cleared. */
static void repeat_string(struct stepping *s, const struct cpuid_insn *insn, greg_t *regs)
{
	greg_t di = regs[REG_RDI], si = regs[REG_RSI], n = regs[REG_RCX], ax = regs[REG_RAX];

	s->count->steps += n ? n : 1;
#define REPEAT(insn, ...) __asm__ volatile("rep " insn:__VA_ARGS__ : "a"(ax) : "memory")
#define STOS(suffix)	  REPEAT("stos" suffix, "+D"(di), "+c"(n))
#define MOVS(suffix)	  REPEAT("movs" suffix, "+D"(di), "+S"(si), "+c"(n))
	switch (insn->width | insn->movs << 4) {
	case 0x01:
		STOS("b");
		break;
	case 0x02:
		STOS("w");
		break;
	case 0x04:
		STOS("l");
		break;
	case 0x08:
		STOS("q");
		break;
	case 0x11:
		MOVS("b");
		break;
	case 0x12:
		MOVS("w");
		break;
	case 0x14:
		MOVS("l");
		break;
	case 0x18:
		MOVS("q");
		break;
	}
#undef REPEAT
#undef STOS
#undef MOVS
	regs[REG_RDI] = di;
	regs[REG_RSI] = si;
	regs[REG_RCX] = n;
}

/*
 * rt_sigprocmask(), done here on the mask that the handler will return to: with SIGTRAP blocked
 * the next stop would end the program. The code believes that it is blocked.
 */
static void change_mask(struct stepping *s, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	const void *set = (const void *)regs[REG_RSI];
	void *old = (void *)regs[REG_RDX];
	uint64_t mask, change;

	memcpy(&mask, &uc->uc_sigmask, MASK_SIZE);
	if (s->trap_blocked)
		mask |= MASK_BIT(SIGTRAP);
	if (set)
		memcpy(&change, set, MASK_SIZE);
	if (old)
		memcpy(old, &mask, MASK_SIZE);
	if (set) {
		change &= ~(MASK_BIT(SIGKILL) | MASK_BIT(SIGSTOP));
		if (regs[REG_RDI] == SIG_BLOCK)
			mask |= change;
		else if (regs[REG_RDI] == SIG_UNBLOCK)
			mask &= ~change;
		else
			mask = change;
	}
	s->trap_blocked = mask & MASK_BIT(SIGTRAP);
	mask &= ~MASK_BIT(SIGTRAP);
	memcpy(&uc->uc_sigmask, &mask, MASK_SIZE);
	regs[REG_RAX] = 0;
}

static bool is_mask_change(const greg_t *regs)
{
	return regs[REG_RAX] == SYS_rt_sigprocmask && regs[REG_R10] == MASK_SIZE &&
	       (!regs[REG_RSI] || (regs[REG_RDI] >= SIG_BLOCK && regs[REG_RDI] <= SIG_SETMASK));
}

/* What a system call would do that cannot be followed, or NULL. */
static const char *why_not_followed(const greg_t *regs)
{
	switch (regs[REG_RAX]) {
	case SYS_clone:
	case SYS_clone3:
	case SYS_fork:
	case SYS_vfork:
		return "the call started a thread or a process";
	case SYS_execve:
	case SYS_execveat:
	case SYS_exit:
		return "the call was not to return";
	case SYS_rt_sigaction:
		if (regs[REG_RDI] == SIGTRAP && regs[REG_RSI])
			return "the call set a handler of its own for SIGTRAP";
	}
	return NULL;
}

/* The processor does not stop behind it: the instruction after it is looked at now. */
static void look_behind_kernel(struct stepping *s, uint64_t next, greg_t *regs)
{
	struct cpuid_insn insn;

	cpuid_decode(next, page_is_readable, s, &insn);
	if (insn.kind == CPUID_INSN_CPUID || insn.kind == CPUID_INSN_KERNEL) {
		lose(s, regs, "an instruction behind a system call cannot be seen");
		return;
	}
	/* Not of strings: their other repetitions have stops, the first of them at this address. */
	if (insn.kind != CPUID_INSN_STRING)
		s->seen = next;
	s->pushed_flags = insn.kind == CPUID_INSN_PUSHF;
	s->count->steps++;
}

static bool enter_kernel(struct stepping *s, const struct cpuid_insn *insn, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	const char *why = insn->syscall ? why_not_followed(regs) : NULL;

	if (why) {
		lose(s, regs, why);
		return false;
	}
	if (insn->syscall && is_mask_change(regs)) {
		change_mask(s, uc);
		return true;
	}
	look_behind_kernel(s, regs[REG_RIP] + insn->length, regs);
	return false;
}

/* Looks at the instruction that comes next. True if it was carried out here and there is another.
 */
static bool look(struct stepping *s, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	struct cpuid_insn insn;
	bool done = false;

	cpuid_decode(regs[REG_RIP], page_is_readable, s, &insn);
	if (insn.kind == CPUID_INSN_STRING && !(regs[REG_EFL] & EFLAGS_DF)) {
		repeat_string(s, &insn, regs);
		regs[REG_RIP] += insn.length;
		return true;
	}
	s->count->steps++;
	switch (insn.kind) {
	case CPUID_INSN_CPUID:
		if (s->cpu) {
			answer(s, regs);
			done = true;
		} else {
			s->open = new_record(s, regs);
		}
		break;
	case CPUID_INSN_PUSHF:
		s->pushed_flags = true;
		break;
	case CPUID_INSN_KERNEL:
		done = enter_kernel(s, &insn, uc);
		break;
	default:
		break;
	}
	if (done)
		regs[REG_RIP] += insn.length;
	return done;
}

static bool has_returned(const greg_t *regs)
{
	return regs[REG_RIP] == (greg_t)(uintptr_t)zswapsim_cpuid_returned;
}

static void finish(struct stepping *s, ucontext_t *uc)
{
	uc->uc_mcontext.gregs[REG_EFL] &= ~EFLAGS_TF;
	if (s->trap_blocked)
		sigaddset(&uc->uc_sigmask, SIGTRAP);
	s->finished = true;
}

/* Everything up to the next instruction that the processor itself has to execute. */
static void look_on(struct stepping *s, ucontext_t *uc)
{
	do {
		if (has_returned(uc->uc_mcontext.gregs)) {
			finish(s, uc);
			return;
		}
	} while (look(s, uc));
}

/* A popf, perhaps long after the end, must not set the flag again. */
CPUID_RAW_ACCESS static void clean_flags(uint16_t *flags)
{
	*flags &= ~EFLAGS_TF;
}

static void stop(struct stepping *s, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;
	uint64_t seen = s->seen;

	if (s->open) {
		s->open->regs[CPUID_EAX] = low(regs[REG_RAX]);
		s->open->regs[CPUID_EBX] = low(regs[REG_RBX]);
		s->open->regs[CPUID_ECX] = low(regs[REG_RCX]);
		s->open->regs[CPUID_EDX] = low(regs[REG_RDX]);
		s->open = NULL;
	}
	if (s->pushed_flags) {
		clean_flags((uint16_t *)regs[REG_RSP]);
		s->pushed_flags = false;
	}
	/* A popf has perhaps cleared it. */
	regs[REG_EFL] |= EFLAGS_TF;
	s->seen = 0;
	if (seen && seen == (uint64_t)regs[REG_RIP])
		return;
	look_on(s, uc);
}

/* ---- signals: taken over while any thread steps, the others' passed on ---- */

/* SIGTRAP; and those after whose handlers the code may go on elsewhere. */
static const int taken[] = {SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE};
#define NR_TAKEN (sizeof(taken) / sizeof(*taken))

/* Handlers are the process's, so what they replaced is too. */
static struct {
	pthread_mutex_t lock;
	unsigned users; /* threads that step */
	struct sigaction previous[NR_TAKEN];
} handlers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct sigaction *previous_of(int sig)
{
	unsigned i = 0;

	while (taken[i] != sig)
		i++;
	return &handlers.previous[i];
}

/* As if there had been no handler. */
static void default_action(int sig, const siginfo_t *info)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigaction(sig, &action, NULL);
	/* The instruction that faulted is executed again. */
	if (info->si_code > 0 && sig != SIGTRAP)
		return;
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *previous = previous_of(sig);

	if (previous->sa_flags & SA_SIGINFO)
		previous->sa_sigaction(sig, info, context);
	else if (previous->sa_handler == SIG_DFL)
		default_action(sig, info);
	else if (previous->sa_handler != SIG_IGN)
		previous->sa_handler(sig);
	else if (info->si_code > 0)
		default_action(sig, info); /* nobody can ignore what they cause themselves */
}

static bool is_step(int sig, const siginfo_t *info)
{
	return sig == SIGTRAP && (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT);
}

/* Then a flag that is still set somewhere is a remainder of ours. */
static bool nobody_else_steps(void)
{
	const struct sigaction *previous = previous_of(SIGTRAP);

	return !(previous->sa_flags & SA_SIGINFO) && previous->sa_handler == SIG_DFL;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct stepping *s = stepping;
	ucontext_t *uc = context;
	greg_t *regs = uc->uc_mcontext.gregs;
	bool on = s && !s->lost && !s->finished;
	bool stepped = on && regs[REG_EFL] & EFLAGS_TF; /* not our own handler */
	int saved_errno = errno;
	greg_t rip = regs[REG_RIP];

	if (on && is_step(sig, info)) {
		stop(s, uc);
	} else if (is_step(sig, info) && regs[REG_EFL] & EFLAGS_TF && nobody_else_steps()) {
		regs[REG_EFL] &= ~EFLAGS_TF;
	} else {
		pass_on(sig, info, context);
		/* Where the code goes on there is no stop, nor is there behind a breakpoint. */
		if (stepped && (regs[REG_RIP] != rip || (sig == SIGTRAP && info->si_code > 0))) {
			s->seen = 0;
			look_on(s, uc);
		}
	}
	errno = saved_errno;
}

static void take_handlers(void)
{
	pthread_mutex_lock(&handlers.lock);
	for (unsigned i = 0; handlers.users == 0 && i < NR_TAKEN; i++) {
		struct sigaction *previous = &handlers.previous[i], ours;

		sigaction(taken[i], NULL, previous);
		ours = *previous;
		if (taken[i] == SIGTRAP) {
			/* Other signals wait until their handlers interrupt the code, not this one.
			 */
			ours.sa_flags = SA_RESTART;
			sigfillset(&ours.sa_mask);
			for (unsigned j = 1; j < NR_TAKEN; j++)
				sigdelset(&ours.sa_mask, taken[j]);
		}
		ours.sa_flags |= SA_SIGINFO;
		ours.sa_flags &= ~SA_RESETHAND;
		ours.sa_sigaction = on_signal;
		sigaction(taken[i], &ours, NULL);
	}
	handlers.users++;
	pthread_mutex_unlock(&handlers.lock);
}

static void give_handlers_back(void)
{
	pthread_mutex_lock(&handlers.lock);
	handlers.users--;
	for (unsigned i = 0; handlers.users == 0 && i < NR_TAKEN; i++) {
		struct sigaction now;

		/* One that was set meanwhile is somebody's wish. */
		sigaction(taken[i], NULL, &now);
		if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal)
			sigaction(taken[i], &handlers.previous[i], NULL);
	}
	pthread_mutex_unlock(&handlers.lock);
}

/* ---- the whole ---- */

bool cpuid_stepping(void)
{
	return stepping;
}

int cpuid_step(void (*fn)(void *arg), void *arg, const struct cpuid_cpu *cpu,
	       struct cpuid_count *count)
{
	struct stepping s = {.cpu = cpu, .count = count};
	sigset_t trap, before;

	memset(count, 0, sizeof(*count));
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	stepping = &s;
	take_handlers();
	pthread_sigmask(SIG_UNBLOCK, &trap, &before);
	s.trap_blocked = sigismember(&before, SIGTRAP);
	atomic_signal_fence(memory_order_seq_cst);
	zswapsim_cpuid_trampoline(fn, arg);
	atomic_signal_fence(memory_order_seq_cst);
	if (!s.finished && s.trap_blocked)
		pthread_sigmask(SIG_BLOCK, &trap, NULL);
	give_handlers_back();
	stepping = NULL;
	if (s.finished)
		return 0;
	memset(count, 0, sizeof(*count));
	snprintf(count->reason, sizeof(count->reason), "%s",
		 s.lost ? s.lost : "the trap flag was lost: a signal handler jumped away, perhaps");
	return -ECANCELED;
}

bool cpuid_step_works(void)
{
	struct cpuid_count count;

	return !cpuid_step(zswapsim_cpuid_sample, NULL, NULL, &count) && count.steps == 5 &&
	       count.cpuids == 1;
}

#endif
