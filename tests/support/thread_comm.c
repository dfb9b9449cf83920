#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests/support/thread_comm.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parscan/context.h"
#include "tests/support/test_engine.h"

enum { MOST_RANKS = 16, IN_FLIGHT = 64 };

/* An exchange as one rank started it. */
typedef struct posted {
    bool gathers;
    const char *send;
    char *receive;
    size_t bytes; /* of a gather */
    size_t send_counts[MOST_RANKS], send_at[MOST_RANKS];
    size_t receive_counts[MOST_RANKS], receive_at[MOST_RANKS];
} posted;

typedef struct group group;

typedef struct rank_state {
    group *group;
    parscan_context *context;
    parscan_comm *comm;
    unsigned rank;
    pthread_t thread;
    size_t begun, waited;
    size_t calls, live, fails_at; /* of the allocator, which only this rank's thread calls */
    char words[256];
} rank_state;

struct group {
    const thread_comm_options *options;
    thread_comm_body *body;
    void *data;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    rank_state ranks[MOST_RANKS];
    posted posted[IN_FLIGHT][MOST_RANKS];
    unsigned arrived[IN_FLIGHT];
    size_t completed;   /* exchanges */
    size_t failed_from; /* this exchange and later ones do not complete, and all ranks know */
    size_t left_from;   /* nor do these: a rank has left them, and the others notice by the time */
    uint64_t bytes;
    char wrong[1024]; /* what fails the test */
};

static void fail_group(group *g, const char *words)
{
    if (g->wrong[0] == 0)
        snprintf(g->wrong, sizeof g->wrong, "%s", words);
    g->failed_from = 0;
    pthread_cond_broadcast(&g->changed);
}

/* ---- the transport ---- */

static void complete_exchange(group *g, size_t exchange)
{
    const unsigned ranks = g->options->ranks;
    posted *const all = g->posted[exchange % IN_FLIGHT];
    for (unsigned to = 0; to < ranks; to++)
        for (unsigned from = 0; from < ranks; from++) {
            const posted *const s = &all[from], *const r = &all[to];
            const size_t bytes = s->gathers ? s->bytes : s->send_counts[to];
            if (s->gathers != r->gathers ||
                bytes != (r->gathers ? r->bytes : r->receive_counts[from])) {
                char words[256];
                snprintf(words, sizeof words,
                         "exchange %zu: rank %u sends %zu bytes by %s, rank %u takes %zu by %s",
                         exchange, from, bytes, s->gathers ? "all_gather" : "all_to_all", to,
                         r->gathers ? r->bytes : r->receive_counts[from],
                         r->gathers ? "all_gather" : "all_to_all");
                fail_group(g, words);
                return;
            }
            if (bytes == 0)
                continue;
            memcpy(r->receive + (r->gathers ? from * bytes : r->receive_at[from]),
                   s->send + (s->gathers ? 0 : s->send_at[to]), bytes);
            g->bytes += s->gathers || from == to ? 0 : bytes;
        }
    g->completed++;
    pthread_cond_broadcast(&g->changed);
}

static bool has_fault(const rank_state *me, size_t exchange)
{
    const thread_comm_options *const options = me->group->options;
    return options->fault != THREAD_COMM_NO_FAULT && options->fault_rank == me->rank &&
           options->fault_exchange == exchange;
}

static parscan_status post(rank_state *me, const posted *made, parscan_comm_memory memory,
                           void **request)
{
    group *const g = me->group;
    parscan_status status = PARSCAN_OK;
    pthread_mutex_lock(&g->mutex);
    const size_t exchange = me->begun++;
    const thread_comm_fault fault =
        has_fault(me, exchange) ? g->options->fault : THREAD_COMM_NO_FAULT;
    *request = (void *)(uintptr_t)(exchange + 1);
    if (memory != PARSCAN_COMM_HOST || me->begun - me->waited > IN_FLIGHT)
        fail_group(g, "device memory, or too many exchanges at once");
    if (fault == THREAD_COMM_BEGIN_FAILS) {
        snprintf(me->words, sizeof me->words, "planted in exchange %zu", exchange);
        g->failed_from = exchange < g->failed_from ? exchange : g->failed_from;
        pthread_cond_broadcast(&g->changed);
        status = PARSCAN_ERROR_DEVICE;
    } else if (fault != THREAD_COMM_RANK_IS_LATE && exchange < g->failed_from &&
               exchange < g->left_from) {
        g->posted[exchange % IN_FLIGHT][me->rank] = *made;
        if (++g->arrived[exchange % IN_FLIGHT] == g->options->ranks) {
            g->arrived[exchange % IN_FLIGHT] = 0;
            complete_exchange(g, exchange);
        }
    }
    pthread_mutex_unlock(&g->mutex);
    return status;
}

static parscan_status all_gather(void *user, const void *send, size_t bytes, void *receive,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    const posted made = {.gathers = true, .send = send, .receive = receive, .bytes = bytes};
    (void)stream;
    return post(user, &made, memory, request);
}

static parscan_status all_to_all(void *user, const void *send, const size_t *send_counts,
                                 const size_t *send_at, void *receive, const size_t *receive_counts,
                                 const size_t *receive_at, parscan_comm_memory memory, void *stream,
                                 void **request)
{
    posted made = {.send = send, .receive = receive};
    const size_t bytes = ((rank_state *)user)->group->options->ranks * sizeof(size_t);
    (void)stream;
    memcpy(made.send_counts, send_counts, bytes);
    memcpy(made.send_at, send_at, bytes);
    memcpy(made.receive_counts, receive_counts, bytes);
    memcpy(made.receive_at, receive_at, bytes);
    return post(user, &made, memory, request);
}

static struct timespec deadline_in(double seconds)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    const double nanoseconds = (double)at.tv_nsec + (seconds - (double)(long)seconds) * 1e9;
    at.tv_sec += (time_t)seconds + (nanoseconds >= 1e9);
    at.tv_nsec = (long)(nanoseconds >= 1e9 ? nanoseconds - 1e9 : nanoseconds);
    return at;
}

static parscan_status wait_for(void *user, void *request, double seconds)
{
    rank_state *const me = user;
    group *const g = me->group;
    const size_t exchange = (size_t)(uintptr_t)request - 1;
    const struct timespec deadline = deadline_in(seconds);
    int expired = 0;
    pthread_mutex_lock(&g->mutex);
    if (exchange != me->waited++)
        fail_group(g, "exchanges do not end in the order in which they began");
    if (has_fault(me, exchange) && g->options->fault != THREAD_COMM_BEGIN_FAILS)
        expired = -1;
    while (g->completed <= exchange && g->failed_from > exchange && expired == 0)
        expired = pthread_cond_timedwait(&g->changed, &g->mutex, &deadline);
    const bool done = g->completed > exchange && expired != -1;
    if (!done) {
        const char *const words = expired == 0    ? "another rank has failed"
                                  : expired == -1 ? "planted"
                                                  : "a time-out";
        snprintf(me->words, sizeof me->words, "%s in exchange %zu", words, exchange);
        /* Nothing of this rank is read or written from now on. A late rank does not tell the others. */
        const size_t from = g->completed > exchange ? exchange + 1 : exchange;
        size_t *const ends =
            g->options->fault == THREAD_COMM_RANK_IS_LATE ? &g->left_from : &g->failed_from;
        *ends = from < *ends ? from : *ends;
        pthread_cond_broadcast(&g->changed);
    }
    pthread_mutex_unlock(&g->mutex);
    return done ? PARSCAN_OK : PARSCAN_ERROR_DEVICE;
}

static const char *error_of(void *user)
{
    return ((rank_state *)user)->words;
}

static const parscan_comm_functions transport = {
    .struct_size = sizeof transport,
    .all_gather = all_gather,
    .all_to_all = all_to_all,
    .wait = wait_for,
    .error = error_of,
};

/* ---- memory ---- */

static void *allocate_memory(size_t size, void *user)
{
    rank_state *const me = user;
    void *const memory = ++me->calls == me->fails_at ? NULL : malloc(size);
    me->live += memory != NULL;
    return memory;
}

static void release_memory(void *pointer, void *user)
{
    ((rank_state *)user)->live--;
    free(pointer);
}

/* ---- the ranks ---- */

static _Thread_local rank_state *here;

void thread_comm_fail(parscan_comm *comm, const char *format, ...)
{
    char words[900], all[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    snprintf(all, sizeof all, "rank %u of %u: %s", parscan_comm_rank(comm), parscan_comm_size(comm),
             words);
    pthread_mutex_lock(&here->group->mutex);
    fail_group(here->group, all);
    pthread_mutex_unlock(&here->group->mutex);
}

static void *run_rank(void *argument)
{
    rank_state *const me = argument;
    here = me;
    me->group->body(me->comm, me->group->data);
    return NULL;
}

static void create_rank(group *g, unsigned rank)
{
    const thread_comm_options *const options = g->options;
    rank_state *const me = &g->ranks[rank];
    *me = (rank_state){.group = g, .rank = rank};
    me->context = test_context_with(
        (parscan_context_options){.threads = options->threads != 0 ? options->threads : 1,
                                  .allocator = {allocate_memory, release_memory, me}});
    const parscan_status status = parscan_comm_create(
        &me->comm, me->context,
        &PARSCAN_COMM_OPTIONS(.rank = rank, .size = options->ranks, .functions = &transport,
                              .user = me, .timeout = options->timeout));
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(me->context));
    me->calls = 0;
    if (options->allocation_rank == rank)
        me->fails_at = options->allocation_fails;
}

static void end_rank(rank_state *me)
{
    parscan_comm_destroy(me->comm);
    parscan_context_destroy(me->context);
    cr_assert_eq(me->live, 0, "rank %u: %zu allocations leaked", me->rank, me->live);
}

thread_comm_result thread_comm_run(const thread_comm_options *options, thread_comm_body *body,
                                   void *data)
{
    group *const g = calloc(1, sizeof *g);
    cr_assert_not_null(g);
    cr_assert(options->ranks > 0 && options->ranks <= MOST_RANKS);
    g->options = options;
    g->body = body;
    g->data = data;
    g->failed_from = g->left_from = SIZE_MAX;
    pthread_mutex_init(&g->mutex, NULL);
    pthread_cond_init(&g->changed, NULL);
    for (unsigned r = 0; r < options->ranks; r++)
        create_rank(g, r);
    for (unsigned r = 0; r < options->ranks; r++)
        cr_assert_eq(pthread_create(&g->ranks[r].thread, NULL, run_rank, &g->ranks[r]), 0);
    for (unsigned r = 0; r < options->ranks; r++)
        pthread_join(g->ranks[r].thread, NULL);
    cr_assert(g->wrong[0] == 0, "%s", g->wrong);
    const thread_comm_result result = {g->ranks[0].begun, g->ranks[options->allocation_rank].calls,
                                       g->bytes};
    for (unsigned r = 0; r < options->ranks; r++)
        end_rank(&g->ranks[r]);
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->mutex);
    free(g);
    return result;
}
