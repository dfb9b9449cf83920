/*
 * The ticket tells members what to do: the epoch of the job, its number of parts, and the next part
 * that nobody has taken. A thread takes a part by advancing the ticket in one atomic step, so it
 * cannot take a part of a job that is over. The job's function and state are plain memory: they are
 * written before the ticket is, and the next job is not written before every part that was taken
 * has returned.
 */
#define _GNU_SOURCE
#include "scan/cpu/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <time.h>
#include <unistd.h>

#include "scan/context/cancellation.h"
#include "scan/context/float_mode.h"
#include "scan/cpu/processors.h"
#include "scan/cpu/wait.h"

enum {
    SPIN_MICROSECONDS = 25, /* how long a thread waits actively before it sleeps */
    SPINS_A_LOOK = 16,      /* between two looks at the clock */
    WAKES_AT_ONCE = 4,      /* each thread that wakes wakes so many more, if they are needed */
    TEAM_STACK_BYTES = 1 << 20
};

struct parscan_team {
    alignas(64) _Atomic uint64_t ticket;
    alignas(64) wait_word done; /* parts of the job that have returned */
    atomic_bool caller_sleeps;
    alignas(64) wait_word bell; /* rises when members that sleep must look at the ticket */
    atomic_uint sleeping;
    atomic_bool leaving;
    alignas(64) parscan_team_part *run;
    void *state;
    parscan_float_state mode; /* the caller's, in which all parts run */
    unsigned most, members;   /* members that may be started, and that are */
    bool spins;               /* there is a processor for each thread */
    pid_t process;
    pthread_t threads[];
};

/* A ticket: 32 bits of epoch, 16 of the number of parts, 16 of the next part. */
static uint64_t first_ticket(uint64_t before, size_t parts)
{
    return ((before >> 32) + 1) << 32 | (uint64_t)parts << 16;
}

static size_t ticket_parts(uint64_t ticket)
{
    return ticket >> 16 & TEAM_MAX_PARTS;
}

static size_t ticket_next(uint64_t ticket)
{
    return ticket & TEAM_MAX_PARTS;
}

static bool is_open(uint64_t ticket)
{
    return ticket_next(ticket) < ticket_parts(ticket);
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wake(struct parscan_team *team, size_t wanted)
{
    const unsigned sleeping = atomic_load(&team->sleeping);
    if (wanted > sleeping)
        wanted = sleeping;
    if (wanted == 0)
        return;
    atomic_fetch_add(&team->bell.value, 1);
    parscan_wait_wake(&team->bell, (unsigned)wanted);
}

/* Takes and runs parts until none is left. Returns whether it ran one. A member that has just
   woken wakes others first. */
static bool run_parts(struct parscan_team *team, bool member, bool woken)
{
    bool ran = false;
    uint64_t ticket = atomic_load(&team->ticket);
    while (is_open(ticket)) {
        if (!atomic_compare_exchange_weak(&team->ticket, &ticket, ticket + 1))
            continue;
        const size_t part = ticket_next(ticket), parts = ticket_parts(ticket);
        if (woken && !ran && part + 1 < parts)
            wake(team, WAKES_AT_ONCE);
        ran = true;
        if (member)
            parscan_float_take_over(team->mode);
        team->run(team->state, part);
        if (atomic_fetch_add(&team->done.value, 1) + 1 == parts &&
            atomic_load(&team->caller_sleeps))
            parscan_wait_wake(&team->done, 1);
        ticket = atomic_load(&team->ticket);
    }
    return ran;
}

static bool has_work(struct parscan_team *team)
{
    return is_open(atomic_load(&team->ticket)) || atomic_load(&team->leaving);
}

/* Waits actively for work, for a while. Returns whether there is some. */
static bool spin_for_work(struct parscan_team *team)
{
    const uint64_t until = nanoseconds() + SPIN_MICROSECONDS * 1000u;
    do {
        for (unsigned k = 0; k < SPINS_A_LOOK; k++) {
            if (has_work(team))
                return true;
            parscan_relax();
        }
    } while (nanoseconds() < until);
    return false;
}

/* A member counts itself as sleeping before it looks for work the last time, and a caller offers
   work before it counts who sleeps. So one of them sees the other. */
static void sleep_until_called(struct parscan_team *team)
{
    const unsigned bell = atomic_load(&team->bell.value);
    atomic_fetch_add(&team->sleeping, 1);
    if (!has_work(team))
        parscan_wait_while(&team->bell, bell);
    atomic_fetch_sub(&team->sleeping, 1);
}

static void *be_member(void *argument)
{
    struct parscan_team *const team = argument;
    bool slept = true;
    while (!atomic_load(&team->leaving)) {
        const bool ran = run_parts(team, true, slept);
        slept = !(ran && team->spins && spin_for_work(team));
        if (slept)
            sleep_until_called(team);
    }
    return NULL;
}

static bool start_member(struct parscan_team *team)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, TEAM_STACK_BYTES);
    /* A new thread inherits the mask of signals: the program's handlers run on its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int refused = pthread_create(&team->threads[team->members], &attributes, be_member, team);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (refused != 0)
        team->most = team->members;
    else
        team->members++;
    return refused == 0;
}

static void begin_work(struct parscan_team *team, unsigned most)
{
    atomic_init(&team->ticket, 0);
    atomic_init(&team->caller_sleeps, false);
    atomic_init(&team->sleeping, 0);
    atomic_init(&team->leaving, false);
    parscan_wait_begin(&team->done, 0);
    parscan_wait_begin(&team->bell, 0);
    team->most = most;
    team->members = 0;
    team->spins = most < parscan_processors();
    team->process = getpid();
}

/* The context's team, in this process. NULL if there is no memory for one. */
static struct parscan_team *team_of(parscan_context *context)
{
    struct parscan_team *team = context->team;
    const unsigned most = context->threads - 1;
    if (team == NULL) {
        team = parscan_host_allocate(&context->allocator, sizeof *team + most * sizeof(pthread_t));
        if (team == NULL)
            return NULL;
        begin_work(team, most);
        context->team = team;
    } else if (team->process != getpid()) {
        begin_work(team,
                   most); /* this is a child of fork(), to which no thread but its own was copied */
    }
    return team;
}

static void wait_for_parts(struct parscan_team *team, size_t parts)
{
    const uint64_t until = team->spins ? nanoseconds() + SPIN_MICROSECONDS * 1000u : 0;
    do {
        for (unsigned k = 0; k < SPINS_A_LOOK; k++) {
            if (atomic_load(&team->done.value) == parts)
                return;
            parscan_relax();
        }
    } while (nanoseconds() < until);
    atomic_store(&team->caller_sleeps, true);
    for (unsigned done; (done = atomic_load(&team->done.value)) != parts;)
        parscan_wait_while(&team->done, done);
    atomic_store(&team->caller_sleeps, false);
}

static void run_alone(size_t parts, parscan_team_part *run, void *state)
{
    for (size_t part = 0; part < parts; part++)
        run(state, part);
}

static void run_together(struct parscan_team *team, size_t parts, parscan_team_part *run,
                         void *state)
{
    team->run = run;
    team->state = state;
    team->mode = parscan_float_of_job();
    atomic_store(&team->done.value, 0);
    atomic_store(&team->ticket, first_ticket(atomic_load(&team->ticket), parts));
    const unsigned sleeping = atomic_load(&team->sleeping), awake = team->members - sleeping;
    if (parts - 1 > awake && sleeping > 0)
        wake(team, parts - 1 - awake < WAKES_AT_ONCE ? parts - 1 - awake : WAKES_AT_ONCE);
    while (team->members < team->most && team->members < parts - 1 &&
           is_open(atomic_load(&team->ticket)))
        if (!start_member(team))
            break;
    run_parts(team, false, false);
    wait_for_parts(team, parts);
}

void parscan_team_run(parscan_context *context, size_t parts, parscan_team_part *run, void *state)
{
    const int cancellation = parscan_hold_cancellation();
    struct parscan_team *const team = parts > 1 && context->threads > 1 ? team_of(context) : NULL;
    if (team != NULL)
        run_together(team, parts, run, state);
    else
        run_alone(parts, run, state);
    parscan_allow_cancellation(cancellation);
}

typedef struct loop {
    parscan_team_index *run;
    void *state;
    size_t count, grain;
    alignas(64) atomic_size_t next;
} loop;

static void run_indices(void *state, size_t worker)
{
    loop *const l = state;
    size_t begin;
    while ((begin = atomic_fetch_add(&l->next, l->grain)) < l->count) {
        const size_t end = l->count - begin < l->grain ? l->count : begin + l->grain;
        for (size_t index = begin; index < end; index++)
            l->run(l->state, index, (unsigned)worker);
    }
}

void parscan_team_for(parscan_context *context, unsigned workers, size_t count, size_t grain,
                      parscan_team_index *run, void *state)
{
    loop l = {.run = run, .state = state, .count = count, .grain = grain};
    const size_t takes = count / grain + (count % grain != 0);
    atomic_init(&l.next, 0);
    parscan_team_run(context, takes < workers ? takes : workers, run_indices, &l);
}

void parscan_team_end(parscan_context *context)
{
    struct parscan_team *const team = context->team;
    if (team == NULL)
        return;
    if (team->process == getpid()) {
        atomic_store(&team->leaving, true);
        atomic_fetch_add(&team->bell.value, 1);
        parscan_wait_wake(&team->bell, team->members);
        for (unsigned k = 0; k < team->members; k++)
            pthread_join(team->threads[k], NULL);
        parscan_wait_end(&team->done);
        parscan_wait_end(&team->bell);
    }
    parscan_host_release(&context->allocator, team);
    context->team = NULL;
}
