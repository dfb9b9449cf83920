/* Communicators: creation and its errors. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "parscan/distributed.h"
#include "tests/support/cancelled.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

static parscan_status no_gather(void *user, const void *send, size_t bytes, void *receive,
                                parscan_comm_memory memory, void *stream, void **request)
{
    (void)user, (void)send, (void)bytes, (void)receive, (void)memory, (void)stream, (void)request;
    return PARSCAN_ERROR_INTERNAL;
}

#define expect_refusal(options, words)                                                           \
    do {                                                                                         \
        parscan_comm *comm_ = (parscan_comm *)(void *)&comm_;                                    \
        cr_assert_eq(parscan_comm_create(&comm_, c, (options)), PARSCAN_ERROR_INVALID_ARGUMENT); \
        cr_assert_null(comm_);                                                                   \
        cr_assert(strstr(parscan_context_error(c), (words)) != NULL, "%s",                       \
                  parscan_context_error(c));                                                     \
    } while (0)

Test(comm, is_refused_with_wrong_options)
{
    parscan_context *const c = test_context();
    const parscan_comm_functions few = PARSCAN_COMM_FUNCTIONS(.all_gather = no_gather);
    const parscan_comm_functions negative = PARSCAN_COMM_FUNCTIONS(.multiprocessors = -1);
    parscan_comm *comm;
    cr_assert_eq(parscan_comm_create(NULL, c, &PARSCAN_COMM_OPTIONS(.size = 1)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_comm_create(&comm, NULL, &PARSCAN_COMM_OPTIONS(.size = 1)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_null(comm);
    expect_refusal(NULL, "options is NULL");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.size = 0), "rank = 0, size = 0");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.rank = 3, .size = 3), "rank = 3, size = 3");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.size = 2), "functions is NULL");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.size = 2, .functions = &few), "must not be NULL");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.functions = &negative, .size = 1),
                   "multiprocessors = -1");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.size = 1, .timeout = -1), "timeout = -1");
    expect_refusal(&PARSCAN_COMM_OPTIONS(.size = 1, .timeout = NAN), "timeout = ");
    parscan_context_destroy(c);
}

Test(comm, tells_its_context_its_rank_and_its_size)
{
    parscan_context *const c = test_context();
    parscan_comm *comm;
    cr_assert_eq(parscan_comm_create(&comm, c, &PARSCAN_COMM_OPTIONS(.size = 1)), PARSCAN_OK);
    cr_assert_eq(parscan_comm_context(comm), c);
    cr_assert_eq(parscan_comm_rank(comm), 0);
    cr_assert_eq(parscan_comm_size(comm), 1);
    cr_assert_str_eq(parscan_comm_error(comm), "");
    cr_assert_eq(parscan_comm_set_timeout(comm, 2.5), PARSCAN_OK);
    cr_assert_eq(parscan_comm_set_timeout(comm, -1), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert(strstr(parscan_comm_error(comm), "timeout = -1") != NULL);
    cr_assert_eq(parscan_comm_set_timeout(NULL, 1), PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_comm_destroy(comm);
    parscan_comm_destroy(NULL);
    cr_assert_null(parscan_comm_context(NULL));
    cr_assert_eq(parscan_comm_size(NULL), 0);
    parscan_context_destroy(c);
}

/* ---- more than 2^31 elements ---- */

/* A transport with a second rank that is not there. It answers what rank 1 of a rebalance would say,
   and keeps what it is asked to move. */
typedef struct pretender {
    uint64_t in, out; /* of rank 1 */
    size_t send_counts[2], send_at[2], receive_counts[2], receive_at[2];
} pretender;

/* The status and the digest of rank 1 are rank 0's; the values follow these 16 bytes. */
static parscan_status gather_both(void *user, const void *send, size_t bytes, void *receive,
                                  parscan_comm_memory memory, void *stream, void **request)
{
    const pretender *const p = user;
    char *const second = (char *)receive + bytes;
    (void)memory, (void)stream, (void)request;
    memcpy(receive, send, bytes);
    memcpy(second, send, bytes);
    memcpy(second + 16, &p->in, sizeof p->in);
    memcpy(second + 24, &p->out, sizeof p->out);
    return PARSCAN_OK;
}

static parscan_status keep_counts(void *user, const void *send, const size_t *send_counts,
                                  const size_t *send_at, void *receive,
                                  const size_t *receive_counts, const size_t *receive_at,
                                  parscan_comm_memory memory, void *stream, void **request)
{
    pretender *const p = user;
    (void)send, (void)receive, (void)memory, (void)stream, (void)request;
    memcpy(p->send_counts, send_counts, sizeof p->send_counts);
    memcpy(p->send_at, send_at, sizeof p->send_at);
    memcpy(p->receive_counts, receive_counts, sizeof p->receive_counts);
    memcpy(p->receive_at, receive_at, sizeof p->receive_at);
    return PARSCAN_OK;
}

static parscan_status no_wait(void *user, void *request, double seconds)
{
    (void)user, (void)request, (void)seconds;
    return PARSCAN_OK;
}

Test(comm, moves_more_than_2_to_the_31_elements_between_two_ranks)
{
    if (test_backend() != PARSCAN_BACKEND_CPU)
        return;
    parscan_context *const c = test_context();
    const size_t large = (size_t)1 << 31;
    pretender p = {.in = 1, .out = large + 6};
    const parscan_comm_functions functions =
        PARSCAN_COMM_FUNCTIONS(.all_gather = gather_both, .all_to_all = keep_counts,
                               .wait = no_wait);
    /* Addresses for both arrays, one after the other: nothing is read or written. */
    const size_t in_bytes = 8 * (2 * large + 5), bytes = in_bytes + 8 * large;
    char *const in =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert(in != MAP_FAILED);
    char *const out = in + in_bytes;
    parscan_comm *comm;
    cr_assert_eq(
        parscan_comm_create(&comm, c,
                            &PARSCAN_COMM_OPTIONS(.size = 2, .functions = &functions, .user = &p)),
        PARSCAN_OK);
    cr_assert_eq(parscan_dist_rebalance(comm, 8, in, 2 * large + 5, out, large), PARSCAN_OK, "%s",
                 parscan_comm_error(comm));
    cr_assert_eq(p.send_counts[0], 8 * large);
    cr_assert_eq(p.send_counts[1], 8 * (large + 5));
    cr_assert_eq(p.send_at[1], 8 * large);
    cr_assert_eq(p.receive_counts[0], 8 * large);
    cr_assert_eq(p.receive_counts[1], 0);
    munmap(in, bytes);
    parscan_comm_destroy(comm);
    parscan_context_destroy(c);
}

/* ---- cancellation ---- */

static parscan_status wait_as_a_point_of_cancellation(void *user, void *request, double seconds)
{
    (void)user, (void)request, (void)seconds;
    pthread_testcancel();
    return PARSCAN_OK;
}

static void release_as_a_point_of_cancellation(void *user)
{
    (void)user;
    pthread_testcancel();
}

static void move_nothing(void *data)
{
    char in[1] = {0}, out[1];
    parscan_dist_rebalance(data, 1, in, 0, out, 0);
}

static void destroy(void *data)
{
    parscan_comm_destroy(data);
}

Test(comm, of_a_cancelled_thread_ends_its_call)
{
    parscan_context *const c = test_context();
    pretender p = {0};
    const parscan_comm_functions functions =
        PARSCAN_COMM_FUNCTIONS(.all_gather = gather_both, .all_to_all = keep_counts,
                               .wait = wait_as_a_point_of_cancellation,
                               .release = release_as_a_point_of_cancellation);
    parscan_comm *comm;
    cr_assert_eq(
        parscan_comm_create(&comm, c,
                            &PARSCAN_COMM_OPTIONS(.size = 2, .functions = &functions, .user = &p)),
        PARSCAN_OK);
    cr_assert(returns_before_it_is_cancelled(move_nothing, comm));
    cr_assert_str_eq(parscan_comm_error(comm), "");
    cr_assert(returns_before_it_is_cancelled(destroy, comm));
    parscan_context_destroy(c);
}
