// Preloaded by `Scripts/test --blocking`: finds who blocks a thread of Swift's pool. report.py shows what it found.
//
// The pool has as many threads as the machine has cores. A task that waits in a system call keeps one of them, and all other
// tasks wait with it: tests beside it reach their clocks. Each function below that may wait is measured if the calling thread
// runs a task. At the end the calls of at least 100 milliseconds are written to the file BLOCKING_REPORT: count, total and
// longest time, and the stack.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { depth = 24, places = 4096 };

struct place {
    void *stack[depth];
    int frames;
    const char *call;
    long count, total, longest;
};

static struct place found[places];
static int known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;
static void *(*current_task)(void);
/// In milliseconds. A thread that waits for another one's turn on a busy machine takes tens of them.
static const long least = 100;
static char path[4096];

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static int runs_task(void) {
    if (inside) return 0;
    if (!current_task) current_task = (void *(*)(void))dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    return current_task && current_task();
}

static void record(const char *call, long start) {
    long taken = (now() - start) / 1000;
    if (taken < least) return;
    inside = 1;
    void *stack[depth];
    int frames = backtrace(stack, depth);
    pthread_mutex_lock(&lock);
    int index = 0;
    while (index < known && (found[index].frames != frames || memcmp(found[index].stack, stack, frames * sizeof *stack) != 0)) index++;
    if (index == known && known < places) {
        known++;
        memcpy(found[index].stack, stack, sizeof stack);
        found[index].frames = frames;
        found[index].call = call;
    }
    if (index < known) {
        found[index].count++;
        found[index].total += taken;
        if (taken > found[index].longest) found[index].longest = taken;
    }
    pthread_mutex_unlock(&lock);
    inside = 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("BLOCKING_REPORT");
    if (given) snprintf(path, sizeof path, "%s", given);
    // Programs that a test starts are not measured.
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void report(void) {
    inside = 1;
    if (!path[0] || known == 0) return;
    FILE *file = fopen(path, "a");
    if (!file) return;
    for (int index = 0; index < known; index++) {
        struct place *place = &found[index];
        fprintf(file, "%ld ms in %ld calls of %s, longest %ld ms\n", place->total, place->count, place->call, place->longest);
        for (int frame = 2; frame < place->frames; frame++) {
            Dl_info info;
            if (!dladdr(place->stack[frame], &info) || !info.dli_fname) continue;
            fprintf(file, "\t%s\t%#lx\t%s\n", info.dli_fname, (char *)place->stack[frame] - (char *)info.dli_fbase,
                    info.dli_sname ? info.dli_sname : "");
        }
    }
    fclose(file);
}

// MEASURED(result type, name, parameters, arguments)
#define MEASURED(result, name, parameters, arguments)                              \
    result name parameters {                                                       \
        static result(*real) parameters;                                           \
        if (!real) real = (result(*) parameters)dlsym(RTLD_NEXT, #name);           \
        if (!runs_task()) return real arguments;                                   \
        long start = now();                                                        \
        result value = real arguments;                                             \
        record(#name, start);                                                      \
        return value;                                                              \
    }

MEASURED(int, usleep, (useconds_t a), (a))
MEASURED(unsigned, sleep, (unsigned a), (a))
MEASURED(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))
MEASURED(int, clock_nanosleep, (clockid_t a, int b, const struct timespec *c, struct timespec *d), (a, b, c, d))
MEASURED(pid_t, waitpid, (pid_t a, int *b, int c), (a, b, c))
MEASURED(pid_t, wait4, (pid_t a, int *b, int c, struct rusage *d), (a, b, c, d))
MEASURED(int, waitid, (idtype_t a, id_t b, siginfo_t *c, int d), (a, b, c, d))
MEASURED(int, pclose, (FILE *a), (a))
MEASURED(int, system, (const char *a), (a))
MEASURED(int, poll, (struct pollfd *a, nfds_t b, int c), (a, b, c))
MEASURED(int, ppoll, (struct pollfd *a, nfds_t b, const struct timespec *c, const sigset_t *d), (a, b, c, d))
MEASURED(int, select, (int a, fd_set *b, fd_set *c, fd_set *d, struct timeval *e), (a, b, c, d, e))
MEASURED(int, epoll_wait, (int a, struct epoll_event *b, int c, int d), (a, b, c, d))
MEASURED(ssize_t, read, (int a, void *b, size_t c), (a, b, c))
MEASURED(ssize_t, recv, (int a, void *b, size_t c, int d), (a, b, c, d))
MEASURED(ssize_t, recvmsg, (int a, struct msghdr *b, int c), (a, b, c))
MEASURED(ssize_t, send, (int a, const void *b, size_t c, int d), (a, b, c, d))
MEASURED(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))
MEASURED(int, connect, (int a, const struct sockaddr *b, socklen_t c), (a, b, c))
MEASURED(int, accept, (int a, struct sockaddr *b, socklen_t *c), (a, b, c))
MEASURED(int, sem_wait, (sem_t *a), (a))
MEASURED(int, pthread_join, (pthread_t a, void **b), (a, b))
MEASURED(int, pthread_cond_wait, (pthread_cond_t *a, pthread_mutex_t *b), (a, b))
MEASURED(int, pthread_cond_timedwait, (pthread_cond_t *a, pthread_mutex_t *b, const struct timespec *c), (a, b, c))

// libdispatch waits for a semaphore or a group with a futex.
long syscall(long number, ...) {
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (!runs_task()) return real(number, a, b, c, d, e, f);
    long start = now();
    long value = real(number, a, b, c, d, e, f);
    record("syscall", start);
    return value;
}
