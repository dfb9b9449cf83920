#include "rank_threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum { IN_FLIGHT = 16 };

/* An exchange as a rank began it. gathers: all_gather of `bytes`. */
typedef struct posted {
    bool gathers;
    size_t bytes;
    const char *send;
    char *receive;
    size_t send_counts[MOST_RANKS], send_begins[MOST_RANKS];
    size_t receive_counts[MOST_RANKS], receive_begins[MOST_RANKS];
} posted;

typedef struct rank_state {
    rank_threads *all;
    unsigned rank;
    pthread_t thread;
    size_t begun, done; /* exchanges */
    posted posted[IN_FLIGHT];
} rank_state;

struct rank_threads {
    unsigned count, threads;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t calls, finished; /* calls of rank_threads_run(); ranks that have finished the last one */
    rank_body *body;        /* NULL: the ranks end */
    void *data;
    rank_state ranks[MOST_RANKS];
};

/* ---- the transport ---- */

static posted *next_slot(rank_state *me)
{
    return &me->posted[me->begun % IN_FLIGHT];
}

static parscan_status post(rank_state *me, void **request)
{
    rank_threads *const all = me->all;
    pthread_mutex_lock(&all->mutex);
    me->begun++;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->mutex);
    *request = NULL;
    return PARSCAN_OK;
}

static parscan_status all_gather(void *user, const void *send, size_t bytes, void *receive,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    posted *const slot = next_slot(user);
    (void)memory, (void)stream;
    slot->gathers = true;
    slot->bytes = bytes;
    slot->send = send;
    slot->receive = receive;
    return post(user, request);
}

static parscan_status all_to_all(void *user, const void *send, const size_t *send_counts,
                                 const size_t *send_begins, void *receive,
                                 const size_t *receive_counts, const size_t *receive_begins,
                                 parscan_comm_memory memory, void *stream, void **request)
{
    rank_state *const me = user;
    posted *const slot = next_slot(me);
    const size_t bytes = me->all->count * sizeof(size_t);
    (void)memory, (void)stream;
    slot->gathers = false;
    slot->send = send;
    slot->receive = receive;
    memcpy(slot->send_counts, send_counts, bytes);
    memcpy(slot->send_begins, send_begins, bytes);
    memcpy(slot->receive_counts, receive_counts, bytes);
    memcpy(slot->receive_begins, receive_begins, bytes);
    return post(me, request);
}

static void receive_from(const posted *mine, const posted *other, unsigned me, unsigned rank)
{
    const size_t bytes = mine->gathers ? mine->bytes : mine->receive_counts[rank];
    if (bytes > 0)
        memcpy(mine->receive + (mine->gathers ? rank * bytes : mine->receive_begins[rank]),
               other->send + (mine->gathers ? 0 : other->send_begins[me]), bytes);
}

/* Waits are in the order in which exchanges began, so the exchange is number `done`. */
static parscan_status wait_for(void *user, void *request, double seconds)
{
    rank_state *const me = user;
    rank_threads *const all = me->all;
    const size_t exchange = me->done;
    (void)request, (void)seconds;
    for (unsigned k = 0; k < all->count; k++) {
        const unsigned rank = (me->rank + k) % all->count;
        rank_state *const other = &all->ranks[rank];
        pthread_mutex_lock(&all->mutex);
        while (other->begun <= exchange)
            pthread_cond_wait(&all->changed, &all->mutex);
        pthread_mutex_unlock(&all->mutex);
        receive_from(&me->posted[exchange % IN_FLIGHT], &other->posted[exchange % IN_FLIGHT],
                     me->rank, rank);
    }
    pthread_mutex_lock(&all->mutex);
    me->done++;
    pthread_cond_broadcast(&all->changed);
    for (unsigned rank = 0; rank < all->count; rank++)
        while (all->ranks[rank].done <= exchange)
            pthread_cond_wait(&all->changed, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    return PARSCAN_OK;
}

static const parscan_comm_functions transport = {.struct_size = sizeof transport,
                                                 .all_gather = all_gather,
                                                 .all_to_all = all_to_all,
                                                 .wait = wait_for};

void rank_exchange(parscan_comm *comm, rank_threads *ranks, const void *send, const size_t *counts,
                   const size_t *begins, void *receive)
{
    rank_state *const me = &ranks->ranks[parscan_comm_rank(comm)];
    void *request;
    all_to_all(me, send, counts, begins, receive, counts, begins, PARSCAN_COMM_HOST, NULL,
               &request);
    wait_for(me, request, 0);
}

/* ---- the ranks ---- */

/* Waits for call number `call`, and returns what to do in it. */
static rank_body *next_body(rank_threads *all, size_t call)
{
    pthread_mutex_lock(&all->mutex);
    while (all->calls <= call)
        pthread_cond_wait(&all->changed, &all->mutex);
    rank_body *const body = all->body;
    pthread_mutex_unlock(&all->mutex);
    return body;
}

static void *run_rank(void *argument)
{
    rank_state *const me = argument;
    rank_threads *const all = me->all;
    parscan_context *const context = bench_engine(all->threads);
    parscan_comm *comm;
    bench_must(parscan_comm_create(&comm, context,
                                   &PARSCAN_COMM_OPTIONS(.rank = me->rank, .size = all->count,
                                                         .functions = &transport, .user = me)),
               context);
    rank_body *body;
    for (size_t call = 0; (body = next_body(all, call)) != NULL; call++) {
        body(comm, all->data);
        pthread_mutex_lock(&all->mutex);
        all->finished++;
        pthread_cond_broadcast(&all->changed);
        pthread_mutex_unlock(&all->mutex);
    }
    parscan_comm_destroy(comm);
    parscan_context_destroy(context);
    return NULL;
}

rank_threads *rank_threads_start(unsigned ranks, unsigned threads)
{
    rank_threads *const all = calloc(1, sizeof *all);
    if (all == NULL || ranks > MOST_RANKS) {
        fprintf(stderr, "bench_distributed: no memory for %u ranks\n", ranks);
        exit(EXIT_FAILURE);
    }
    all->count = ranks;
    all->threads = threads;
    pthread_mutex_init(&all->mutex, NULL);
    pthread_cond_init(&all->changed, NULL);
    for (unsigned r = 0; r < ranks; r++) {
        all->ranks[r].all = all;
        all->ranks[r].rank = r;
        if (pthread_create(&all->ranks[r].thread, NULL, run_rank, &all->ranks[r]) != 0) {
            fprintf(stderr, "bench_distributed: no thread for rank %u\n", r);
            exit(EXIT_FAILURE);
        }
    }
    return all;
}

void rank_threads_run(rank_threads *all, rank_body *body, void *data)
{
    pthread_mutex_lock(&all->mutex);
    all->body = body;
    all->data = data;
    all->finished = 0;
    all->calls++;
    pthread_cond_broadcast(&all->changed);
    while (body != NULL && all->finished < all->count)
        pthread_cond_wait(&all->changed, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
}

unsigned rank_threads_count(const rank_threads *ranks)
{
    return ranks->count;
}

void rank_threads_end(rank_threads *all)
{
    rank_threads_run(all, NULL, NULL);
    for (unsigned r = 0; r < all->count; r++)
        pthread_join(all->ranks[r].thread, NULL);
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->mutex);
    free(all);
}
