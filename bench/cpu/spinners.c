#include "spinners.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __linux__
#include <sys/prctl.h>
#endif

#include "harness.h"

enum { LINE = 64 };

/* What all processes see. */
typedef struct shared_state {
    _Alignas(LINE) _Atomic bool active;
    _Alignas(LINE) _Atomic unsigned spinning;
} shared_state;

struct spinners {
    shared_state *shared;
    pid_t *processes;
    unsigned count;
    int start[2]; /* a pipe: who reads a byte from it starts to spin */
};

/* The life of a child: it ends when the pipe has no writer any more. */
static void live(spinners *all)
{
#if defined __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    close(all->start[1]);
    char byte;
    while (read(all->start[0], &byte, 1) == 1) {
        atomic_fetch_add(&all->shared->spinning, 1);
        while (atomic_load_explicit(&all->shared->active, memory_order_relaxed))
            ;
        atomic_fetch_sub(&all->shared->spinning, 1);
    }
    _exit(0);
}

spinners *spinners_create(unsigned most)
{
    spinners *const all = calloc(1, sizeof *all);
    pid_t *const processes = calloc(most + 1, sizeof *processes);
    void *const shared =
        mmap(NULL, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == NULL || processes == NULL || shared == MAP_FAILED || pipe(all->start) != 0)
        bench_require(false, "spinning processes", strerror(errno));
    all->shared = shared;
    all->processes = processes;
    for (; all->count < most; all->count++) {
        const pid_t process = fork();
        if (process == 0)
            live(all);
        if (process < 0) {
            spinners_destroy(all);
            bench_require(false, "spinning processes", strerror(errno));
        }
        processes[all->count] = process;
    }
    return all;
}

static void await(const spinners *all, unsigned spinning)
{
    while (atomic_load(&all->shared->spinning) != spinning)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

void spinners_start(spinners *all, unsigned count)
{
    atomic_store(&all->shared->active, true);
    for (unsigned k = 0; k < count; k++)
        if (write(all->start[1], "", 1) != 1)
            bench_require(false, "spinning processes", strerror(errno));
    await(all, count);
}

void spinners_stop(spinners *all)
{
    atomic_store(&all->shared->active, false);
    await(all, 0);
}

void spinners_destroy(spinners *all)
{
    const int error = errno;
    atomic_store(&all->shared->active, false);
    close(all->start[1]);
    close(all->start[0]);
    for (unsigned k = 0; k < all->count; k++)
        waitpid(all->processes[k], NULL, 0);
    munmap(all->shared, sizeof *all->shared);
    free(all->processes);
    free(all);
    errno = error;
}
