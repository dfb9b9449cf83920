#define _POSIX_C_SOURCE 200809L
#include "apps/cli/piece_pipeline.h"

#include <pthread.h>

/* What may be done next with a piece. */
typedef enum piece_state { TO_READ = 0, TO_COMPUTE, TO_WRITE } piece_state;

typedef struct line {
    const pipeline *stages;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t turned;
    piece_state states[PIPELINE_PIECES];
    bool all_read, all_computed, wrong;
    failure why;
} line;

static unsigned after(unsigned piece)
{
    return (piece + 1) % PIPELINE_PIECES;
}

static void set(line *shared, bool *flag)
{
    pthread_mutex_lock(&shared->lock);
    *flag = true;
    pthread_cond_broadcast(&shared->turned);
    pthread_mutex_unlock(&shared->lock);
}

/* Keeps the message of the first failure. Returns false. */
static bool stop(line *shared, const failure *why)
{
    pthread_mutex_lock(&shared->lock);
    if (!shared->wrong)
        shared->why = *why;
    pthread_mutex_unlock(&shared->lock);
    set(shared, &shared->wrong);
    shared->stages->interrupt(shared->stages->user);
    return false;
}

/* Hands the piece to the stage that is next. */
static bool hand_on(line *shared, unsigned piece, piece_state state)
{
    pthread_mutex_lock(&shared->lock);
    shared->states[piece] = state;
    pthread_cond_broadcast(&shared->turned);
    pthread_mutex_unlock(&shared->lock);
    return true;
}

/* Waits for the piece. False: a stage has failed, or *over, no more pieces come. */
static bool wait_for(line *shared, unsigned piece, piece_state state, const bool *over)
{
    pthread_mutex_lock(&shared->lock);
    while (!shared->wrong && shared->states[piece] != state && (over == NULL || !*over))
        pthread_cond_wait(&shared->turned, &shared->lock);
    const bool there = !shared->wrong && shared->states[piece] == state;
    pthread_mutex_unlock(&shared->lock);
    return there;
}

/* The stages. False: no more pieces. */
static bool read_piece(line *shared, unsigned piece)
{
    failure why;
    bool ended = false;
    if (!wait_for(shared, piece, TO_READ, NULL))
        return false;
    if (!shared->stages->read(shared->stages->user, piece, &ended, &why))
        return stop(shared, &why);
    if (!ended)
        return hand_on(shared, piece, TO_COMPUTE);
    set(shared, &shared->all_read);
    return false;
}

static bool compute_piece_of_line(line *shared, unsigned piece)
{
    failure why;
    if (!wait_for(shared, piece, TO_COMPUTE, &shared->all_read))
        return false;
    if (!shared->stages->compute(shared->stages->user, piece, &why))
        return stop(shared, &why);
    return hand_on(shared, piece, TO_WRITE);
}

static bool write_piece(line *shared, unsigned piece)
{
    failure why;
    if (!wait_for(shared, piece, TO_WRITE, &shared->all_computed))
        return false;
    if (!shared->stages->write(shared->stages->user, piece, &why))
        return stop(shared, &why);
    return hand_on(shared, piece, TO_READ);
}

static void *read_all(void *user)
{
    for (unsigned piece = 0; read_piece(user, piece);)
        piece = after(piece);
    return NULL;
}

static void *write_all(void *user)
{
    for (unsigned piece = 0; write_piece(user, piece);)
        piece = after(piece);
    return NULL;
}

bool pipeline_run(const pipeline *stages, failure *why)
{
    line shared = {
        .stages = stages, .lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};
    pthread_t reader, writer;
    const bool has_reader = pthread_create(&reader, NULL, read_all, &shared) == 0;
    const bool has_writer = pthread_create(&writer, NULL, write_all, &shared) == 0;
    for (unsigned piece = 0;; piece = after(piece)) {
        if (!has_reader && !read_piece(&shared, piece))
            break;
        if (!compute_piece_of_line(&shared, piece) || (!has_writer && !write_piece(&shared, piece)))
            break;
    }
    set(&shared, &shared.all_computed);
    if (has_writer)
        pthread_join(writer, NULL);
    if (has_reader)
        pthread_join(reader, NULL);
    if (shared.wrong)
        *why = shared.why;
    return !shared.wrong;
}
