#define _GNU_SOURCE
#include "tests/apps/nccl/forked_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/apps/nccl/transport_case.h"

/* ---- functions of the system, which may refuse ---- */

/* The linker puts these in their place in this program, not in libparscan. */
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_posix_fallocate(int file, off_t at, off_t size);
int __wrap_open(const char *name, int flags, ...);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __real_memfd_create(const char *name, unsigned flags);
int __real_posix_fallocate(int file, off_t at, off_t size);
int __real_open(const char *name, int flags, ...);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fake_refused("memfd_create") ? -1 : __real_memfd_create(name, flags);
}

int __wrap_posix_fallocate(int file, off_t at, off_t size)
{
    return fake_refused("posix_fallocate") ? 28 : __real_posix_fallocate(file, at, size);
}

/* None here makes files. */
int __wrap_open(const char *name, int flags, ...)
{
    return fake_refused("open") ? -1 : __real_open(name, flags);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return fake_refused("mmap") ? MAP_FAILED
                                : __real_mmap(at, size, protection, flags, file, offset);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fake_refused("calloc") ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fake_refused("realloc") ? NULL : __real_realloc(memory, size);
}

/* Counted alone. */
static atomic_uint naps;

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    atomic_fetch_add(&naps, 1);
    return __real_nanosleep(time, left);
}

unsigned naps_of_this_process(void)
{
    return atomic_load(&naps);
}

/* ---- ranks ---- */

typedef struct rank_thread {
    const ranks *all;
    int rank;
    pthread_t handle;
} rank_thread;

static void *run_thread(void *data)
{
    const rank_thread *const self = data;
    self->all->run(self->all, self->rank);
    return NULL;
}

static void run_process(const ranks *all, int first)
{
    rank_thread threads[FAKE_RANKS];
    alarm(100);
    for (int k = 0; k < all->threads; k++) {
        threads[k] = (rank_thread){.all = all, .rank = first + k};
        require(pthread_create(&threads[k].handle, NULL, run_thread, &threads[k]) == 0,
                "no thread");
    }
    for (int k = 0; k < all->threads; k++)
        pthread_join(threads[k].handle, NULL);
}

int run_ranks(ranks all)
{
    static rank_state *state;
    if (state == NULL)
        state =
            mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(state != MAP_FAILED, "no memory");
    memset(state, 0, sizeof *state);
    all.state = state;
    pid_t processes[FAKE_RANKS];
    int count = 0;
    for (int r = 0; r < all.size; r += all.threads) {
        processes[count] = fork();
        require(processes[count] >= 0, "no process");
        if (processes[count++] == 0) {
            run_process(&all, r);
            _exit(EXIT_SUCCESS);
        }
    }
    for (int k = 0; k < count; k++) {
        int status = 1;
        require(waitpid(processes[k], &status, 0) == processes[k] && status == 0,
                "a rank has failed");
    }
    const int remaining = fake_remaining();
    fake_forget();
    return remaining;
}
