/* stacks.c - a process with some hundred threads, each parked on another sort of stack, for unwind.bats. Prints READY
 * when all stand still. x86-64 Linux only: it steps through itself with the processor's trap flag.
 *
 *     cc -shared -fPIC -DLIBRARY -o libstacks.so stacks.c
 *     cc -pthread -o stacks stacks.c -L. -lstacks -Wl,-rpath,'$ORIGIN'
 *     stacks [THREADS]           400 if not said
 *
 * With -DALONE the library's part is compiled in, for static linking. */
#define _GNU_SOURCE
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

typedef void (*action)(void);

int library_recurse(int depth, action then);
int library_sum(const unsigned char *bytes, size_t size);
void library_sort(int *numbers, size_t count, int (*order)(const void *, const void *));

#if defined LIBRARY || defined ALONE

int library_recurse(int depth, action then)
{
	volatile unsigned char local[48] = { (unsigned char)depth };
	if (depth == 0)
		then();
	else
		local[1] = (unsigned char)library_recurse(depth - 1, then);
	return local[0] + local[1];
}

int library_sum(const unsigned char *bytes, size_t size)
{
	int sum = 0;
	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	return sum;
}

void library_sort(int *numbers, size_t count, int (*order)(const void *, const void *))
{
	qsort(numbers, count, sizeof *numbers, order);
}

#endif
#ifndef LIBRARY

enum { THREADS_MAX = 5000, STACK_SIZE = 256 * 1024 };

static int parked, pipe_ends[2];
static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t wide;
static sem_t empty;

static void count_parked(void)
{
	__atomic_add_fetch(&parked, 1, __ATOMIC_SEQ_CST);
}

static void park(void)
{
	count_parked();
	for (;;)
		pause();
}

/* Waiting in the C library, several frames deep in places. */

static void in_read(void) { char c; count_parked(); while (read(pipe_ends[0], &c, 1) != 1) { } }
static void in_poll(void) { count_parked(); poll(NULL, 0, -1); }
static void in_select(void) { count_parked(); select(0, NULL, NULL, NULL, NULL); }
static void in_sleep(void) { count_parked(); sleep(1000000); }
static void in_nanosleep(void) { struct timespec t = { 1000000, 0 }; count_parked(); nanosleep(&t, NULL); }
static void in_mutex(void) { count_parked(); pthread_mutex_lock(&locked); }
static void in_barrier(void) { count_parked(); pthread_barrier_wait(&wide); }
static void in_semaphore(void) { count_parked(); sem_wait(&empty); }
static void in_getc(void) { FILE *f = fdopen(dup(pipe_ends[0]), "r"); count_parked(); (void)getc(f); }
static void in_sigwait(void) { sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGUSR2); count_parked(); sigwait(&s, &n); }

static void in_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);
	count_parked();
	epoll_wait(fd, &event, 1, -1);
}

static void in_condition(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&own);
	count_parked();
	pthread_cond_wait(&never, &own);
}

static int order_that_parks(const void *a, const void *b)
{
	park();
	return *(const int *)a - *(const int *)b;
}

static void in_qsort(void)
{
	int numbers[300];
	for (int i = 0; i < 300; i++)
		numbers[i] = 300 - i;
	library_sort(numbers, 300, order_that_parks);
}

static void in_bsearch(void)
{
	int numbers[10] = { 0 }, key = 1;
	(void)bsearch(&key, numbers, 10, sizeof key, order_that_parks);
}

static void once_parks(void) { park(); }
static void in_once(void) { pthread_once_t once = PTHREAD_ONCE_INIT; pthread_once(&once, once_parks); }

/* Signals: handlers on the thread's stack and on another one, nested, and bad pointers that are called. */

static void handler_parks(int number) { (void)number; park(); }

static void handler_raises(int number)
{
	(void)number;
	raise(SIGUSR1);
}

static void in_handler(void) { raise(SIGUSR1); }
static void in_nested_handler(void) { raise(SIGWINCH); }

static void on_alternate_stack(void)
{
	void *memory = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t other = { .ss_sp = memory, .ss_size = STACK_SIZE };
	sigaltstack(&other, NULL);
	raise(SIGURG);
}

static void call_null(void)
{
	action volatile bad = NULL;
	bad();
	__asm__ volatile("" ::: "memory");
}

static void call_data(void)
{
	static long data[4];
	action volatile bad = (action)(uintptr_t)data;
	bad();
	__asm__ volatile("" ::: "memory");
}

/* Code without call-frame information that keeps a frame pointer: from an assembler, and made at run time. */
void bare_call(action then);
__asm__(".text\n.globl bare_call\n.type bare_call, @function\nbare_call:\n\tpush %rbp\n\tmov %rsp, %rbp\n"
        "\tsub $32, %rsp\n\tcall *%rdi\n\tleave\n\tret\n.size bare_call, . - bare_call\n");

static void in_bare(void) { bare_call(park); }

static void in_made_code(void)
{
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page + 64, code, sizeof code);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	((void (*)(action))(uintptr_t)(page + 64))(park);
}

/* Another stack, as coroutines have. */
static void in_context(void)
{
	ucontext_t own, other;
	getcontext(&other);
	other.uc_stack.ss_sp = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	other.uc_stack.ss_size = STACK_SIZE;
	other.uc_link = &own;
	makecontext(&other, park, 0);
	swapcontext(&own, &other);
}

/* Frames that change size, are aligned, or have the CFA in an expression. */
static void on_heap_of_stack(void)
{
	volatile char *room = __builtin_alloca((size_t)(parked % 7 + 1) * 100);
	room[0] = 1;
	library_recurse(3, park);
	room[1] = room[0];
}

static void on_aligned_frame(void)
{
	volatile struct { char c[128]; } __attribute__((aligned(64))) local = { { 1 } };
	library_recurse(2, park);
	local.c[1] = local.c[0];
}

/* Every instruction of some work is a place to stand at: prologues, epilogues, PLT, the lazy resolver, the vDSO. */
static __thread long steps_left;

static void trap_counts(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (--steps_left > 0)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
	park();
}

static void __attribute__((noinline)) some_work(void)
{
	struct timespec now;
	unsigned char bytes[40];
	char text[32];
	memset(bytes, 7, sizeof bytes);
	int sum = library_sum(bytes, 4);
	clock_gettime(CLOCK_MONOTONIC, &now);
	sum += library_recurse(2, count_parked);
	snprintf(text, sizeof text, "%d", sum);
	__atomic_sub_fetch(&parked, 1, __ATOMIC_SEQ_CST);
}

static void step_until(long steps)
{
	steps_left = steps;
	__asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
	some_work();
	__asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "cc", "memory");
	park();
}

static const action ACTIONS[] = {
	park, in_read, in_poll, in_select, in_sleep, in_nanosleep, in_mutex, in_barrier, in_semaphore, in_getc, in_sigwait,
	in_epoll, in_condition, in_qsort, in_bsearch, in_once, in_handler, in_nested_handler, on_alternate_stack,
	call_null, call_data, in_bare, in_made_code, in_context, on_heap_of_stack, on_aligned_frame,
};

enum { ACTION_COUNT = sizeof ACTIONS / sizeof ACTIONS[0], ROUNDS = 5, STEPS = 400 };

static int recurse(int depth, action then)
{
	volatile int local = depth;
	if (depth == 0)
		then();
	else
		local += recurse(depth - 1, then);
	return local;
}

/* The first ROUNDS of all actions at growing depths, then one thread for each instruction. */
static void *thread_run(void *argument)
{
	static const int depths[ROUNDS] = { 0, 1, 5, 40, 250 };
	long i = (long)argument;
	if (i >= ROUNDS * ACTION_COUNT)
		step_until((i - ROUNDS * ACTION_COUNT) % STEPS + 1);
	else
		recurse(depths[i / ACTION_COUNT], ACTIONS[i % ACTION_COUNT]);
	park();
	return NULL;
}

static void handlers_set(void)
{
	struct sigaction act = { .sa_handler = handler_parks };
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
	act.sa_flags = SA_ONSTACK;
	sigaction(SIGURG, &act, NULL);
	act.sa_flags = 0;
	act.sa_handler = handler_raises;
	sigaction(SIGWINCH, &act, NULL);
	act.sa_flags = SA_SIGINFO;
	act.sa_sigaction = trap_counts;
	sigaction(SIGTRAP, &act, NULL);
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 400;
	pthread_attr_t attributes;
	pthread_t id;
	sigset_t usr2;
	mallopt(M_ARENA_MAX, 1); /* gcore writes out 64 MB for each */
	if (pipe(pipe_ends) != 0 || threads > THREADS_MAX)
		return 1;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &usr2, NULL);
	handlers_set();
	pthread_mutex_lock(&locked);
	pthread_barrier_init(&wide, NULL, THREADS_MAX);
	sem_init(&empty, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&id, &attributes, thread_run, (void *)i) != 0)
			return 1;
	while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < threads)
		usleep(1000);
	printf("READY\n");
	fflush(stdout);
	for (;;)
		pause();
}

#endif
