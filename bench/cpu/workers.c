#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"

enum { PAUSES = 64, LINE = 64 };

/* How long a worker spins for the next call. */
#define SPIN_SECONDS 100e-6

typedef struct worker {
    workers *team;
    unsigned share;
    pthread_t thread;
} worker;

struct workers {
    unsigned count;
    void (*work)(void *context, unsigned share);
    void *context;
    worker *members;
    pthread_mutex_t mutex;
    pthread_cond_t call;
    bool ends;
    _Alignas(LINE) _Atomic unsigned generation; /* the number of calls so far */
    _Alignas(LINE) _Atomic unsigned busy;       /* workers that have not finished the call */
    _Alignas(LINE) _Atomic unsigned sleeping;
};

static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* Waits for another call than `seen`, and returns its number. */
static unsigned await_call(workers *team, unsigned seen)
{
    const double until = bench_now() + SPIN_SECONDS;
    unsigned generation;
    do {
        for (int k = 0; k < PAUSES; k++) {
            if ((generation = atomic_load(&team->generation)) != seen)
                return generation;
            pause_briefly();
        }
    } while (bench_now() < until);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleeping, 1);
    while ((generation = atomic_load(&team->generation)) == seen)
        pthread_cond_wait(&team->call, &team->mutex);
    atomic_fetch_sub(&team->sleeping, 1);
    pthread_mutex_unlock(&team->mutex);
    return generation;
}

static void *live(void *argument)
{
    const worker *const me = argument;
    workers *const team = me->team;
    for (unsigned seen = 0;;) {
        seen = await_call(team, seen);
        if (team->ends)
            return NULL;
        team->work(team->context, me->share);
        atomic_fetch_sub(&team->busy, 1);
    }
}

workers *workers_start(unsigned threads)
{
    workers *const team = aligned_alloc(LINE, sizeof *team);
    worker *const members = calloc(threads, sizeof *members);
    bench_require(team != NULL && members != NULL, "no memory for threads", NULL);
    memset(team, 0, sizeof *team);
    team->count = threads;
    team->members = members;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->call, NULL);
    for (unsigned k = 1; k < threads; k++) {
        members[k] = (worker){.team = team, .share = k};
        const int error = pthread_create(&members[k].thread, NULL, live, &members[k]);
        bench_require(error == 0, "a thread", strerror(error));
    }
    return team;
}

/* Lets the workers start the next call. */
static void begin(workers *team)
{
    atomic_store(&team->busy, team->count - 1);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->generation, 1);
    if (atomic_load(&team->sleeping) > 0)
        pthread_cond_broadcast(&team->call);
    pthread_mutex_unlock(&team->mutex);
}

void workers_run(workers *team, void (*work)(void *context, unsigned share), void *context)
{
    team->work = work;
    team->context = context;
    if (team->count > 1)
        begin(team);
    work(context, 0);
    while (atomic_load(&team->busy) > 0) {
        for (int k = 0; k < PAUSES && atomic_load(&team->busy) > 0; k++)
            pause_briefly();
        if (atomic_load(&team->busy) > 0)
            sched_yield();
    }
}

void workers_stop(workers *team)
{
    team->ends = true;
    begin(team);
    for (unsigned k = 1; k < team->count; k++)
        pthread_join(team->members[k].thread, NULL);
    pthread_cond_destroy(&team->call);
    pthread_mutex_destroy(&team->mutex);
    free(team->members);
    free(team);
}

unsigned workers_count(const workers *team)
{
    return team->count;
}

typedef struct blocks_call {
    void (*work)(void *context, size_t block);
    void *context;
    size_t blocks;
    _Atomic size_t next;
} blocks_call;

static void take_blocks(void *context, unsigned share)
{
    blocks_call *const call = context;
    (void)share;
    for (size_t block; (block = atomic_fetch_add(&call->next, 1)) < call->blocks;)
        call->work(call->context, block);
}

void workers_each(workers *team, size_t blocks, void (*work)(void *context, size_t block),
                  void *context)
{
    blocks_call call = {.work = work, .context = context, .blocks = blocks};
    workers_run(team, take_blocks, &call);
}

void workers_settle(const workers *team)
{
    while (atomic_load(&team->sleeping) + 1 < team->count)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}
