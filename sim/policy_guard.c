// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/policy_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define WATCH_SIGNAL (SIGRTMAX - 2)
#define LOOKS	     8 /* in the time that a call may take */
#define STACK_BYTES  (64u << 10)
#define END_SECONDS  60

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
#define NR_CRASHES (sizeof(crashes) / sizeof(*crashes))

/* A handler is given nothing of ours, so there is no place but these. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned nr_guards;
static struct sigaction before[NR_CRASHES], before_watch;
static _Thread_local struct policy_guard *volatile current;
/* A stack that has run over is no place for a handler. One a thread, for all its guards. */
static _Thread_local void *stack;
static _Thread_local unsigned stack_users;

static void leave(struct policy_guard *guard)
{
	policy_guard_disarm(guard);
	siglongjmp(guard->env, 1);
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	struct policy_guard *guard = current;

	if (!guard || !guard->armed) {
		/* Not from a guarded call: again, with whoever was there before. */
		for (unsigned i = 0; i < NR_CRASHES; i++) {
			if (crashes[i] == sig)
				sigaction(sig, &before[i], NULL);
		}
		if (info->si_code <= 0)
			raise(sig);
		return;
	}
	if (sig == SIGSEGV || sig == SIGBUS)
		snprintf(guard->cause, sizeof(guard->cause), "crashed: SIG%s at address %p",
			 sigabbrev_np(sig), info->si_addr);
	else
		snprintf(guard->cause, sizeof(guard->cause), "crashed: SIG%s", sigabbrev_np(sig));
	leave(guard);
}

static void on_watch(int sig, siginfo_t *info, void *context)
{
	struct policy_guard *guard = current;

	/* A tick of another guard of this thread, which rests. */
	if (!guard || !guard->armed || info->si_value.sival_ptr != guard)
		return;
	if (guard->seen != guard->calls) {
		guard->seen = guard->calls;
		guard->looks = 0;
		return;
	}
	if (++guard->looks < guard->max_looks)
		return;
	guard->looks = 0;
	snprintf(guard->cause, sizeof(guard->cause), "did not return");
	leave(guard);
}

/* The policy has called exit(): the run is not done, and must not look as if it were. */
static void on_exit_within(void)
{
	struct policy_guard *guard = current;

	if (!guard || !guard->armed)
		return;
	/* What is in brackets is no function. */
	fprintf(stderr, "policy %s: %s%s: called exit()\n", guard->who, guard->what,
		*guard->what == '(' ? "" : "()");
	_exit(2);
}

/* ---- the end of the program ---- */

/* Whose code runs then; not told apart if there are several. */
static char at_the_end[128];

static void on_end(int sig)
{
	char line[256];
	int n;

	if (sig == SIGALRM)
		n = snprintf(line, sizeof(line), "policy %s: as it is unloaded: did not return\n",
			     at_the_end);
	else
		n = snprintf(line, sizeof(line), "policy %s: as it is unloaded: crashed: SIG%s\n",
			     at_the_end, sigabbrev_np(sig));
	if (write(STDERR_FILENO, line, n) < 0)
		_exit(2);
	_exit(2);
}

static void watch_the_end(void)
{
	static char room[STACK_BYTES];
	const stack_t on_it = {.ss_sp = room, .ss_size = sizeof(room)};
	const struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_ONSTACK};

	/* What the program had to say comes first; a reader of it may take more than a minute. */
	fflush(stdout);
	sigaltstack(&on_it, NULL);
	for (unsigned i = 0; i < NR_CRASHES; i++)
		sigaction(crashes[i], &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	alarm(END_SECONDS);
}

void policy_guard_watch_end(const char *who)
{
	static bool watched;

	pthread_mutex_lock(&lock);
	if (!*at_the_end)
		snprintf(at_the_end, sizeof(at_the_end), "%s", who);
	else if (strcmp(at_the_end, who))
		snprintf(at_the_end, sizeof(at_the_end), "(one of several)");
	/* Called by exit() after what came later than the first policy, before its destructors. */
	if (!watched)
		watched = !atexit(watch_the_end);
	pthread_mutex_unlock(&lock);
}

void policy_guard_end(void)
{
	if (*at_the_end)
		watch_the_end();
}

/* ---- the signals of guards ---- */

static int take_signals(void)
{
	/* Not blocked while it is handled, because the handler is left by a jump. */
	struct sigaction crash = {.sa_sigaction = on_crash,
				  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction watch = {.sa_sigaction = on_watch,
				  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
	static bool at_exit;

	if (!at_exit && atexit(on_exit_within))
		return -ENOMEM;
	at_exit = true;
	for (unsigned i = 0; i < NR_CRASHES; i++)
		sigaction(crashes[i], &crash, &before[i]);
	sigaction(WATCH_SIGNAL, &watch, &before_watch);
	return 0;
}

static void give_signals_back(void)
{
	for (unsigned i = 0; i < NR_CRASHES; i++)
		sigaction(crashes[i], &before[i], NULL);
	sigaction(WATCH_SIGNAL, &before_watch, NULL);
}

static int stack_get(void)
{
	stack_t now;

	if (stack_users++)
		return 0;
	if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return 0; /* the thread has one */
	stack = malloc(STACK_BYTES);
	now = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
	if (stack && !sigaltstack(&now, NULL))
		return 0;
	stack_users--;
	free(stack);
	stack = NULL;
	return -ENOMEM;
}

static void stack_put(void)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	if (--stack_users || !stack)
		return;
	sigaltstack(&none, NULL);
	free(stack);
	stack = NULL;
}

static int make_watch(struct policy_guard *guard, unsigned limit_ms)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = WATCH_SIGNAL,
				 .sigev_value.sival_ptr = guard};
	uint64_t tick_ns = (uint64_t)limit_ms * 1000000 / LOOKS;
	struct itimerspec every = {
		.it_interval = {.tv_sec = tick_ns / 1000000000, .tv_nsec = tick_ns % 1000000000}};

	if (!limit_ms)
		return 0;
	event.sigev_notify_thread_id = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &guard->timer))
		return -errno;
	guard->max_looks = LOOKS;
	every.it_value = every.it_interval;
	timer_settime(guard->timer, 0, &every, NULL);
	return 0;
}

static int signals_get(void)
{
	int ret = 0;

	pthread_mutex_lock(&lock);
	if (!nr_guards)
		ret = take_signals();
	nr_guards += !ret;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void signals_put(void)
{
	pthread_mutex_lock(&lock);
	if (!--nr_guards)
		give_signals_back();
	pthread_mutex_unlock(&lock);
}

int policy_guard_create(const char *who, unsigned limit_ms, struct policy_guard **out)
{
	struct policy_guard *guard = calloc(1, sizeof(*guard));
	int ret;

	if (!guard)
		return -ENOMEM;
	guard->who = who;
	ret = signals_get();
	if (ret)
		goto err_free;
	ret = stack_get();
	if (ret)
		goto err_signals;
	ret = make_watch(guard, limit_ms);
	if (ret)
		goto err_stack;
	*out = guard;
	return 0;

err_stack:
	stack_put();
err_signals:
	signals_put();
err_free:
	free(guard);
	return ret;
}

void policy_guard_destroy(struct policy_guard *guard)
{
	if (!guard)
		return;
	if (guard->max_looks)
		timer_delete(guard->timer);
	stack_put();
	signals_put();
	free(guard);
}

void policy_guard_arm(struct policy_guard *guard, const char *what)
{
	guard->what = what;
	guard->calls++;
	current = guard;
	guard->armed = 1;
}

void policy_guard_disarm(struct policy_guard *guard)
{
	guard->armed = 0;
	current = NULL;
}
