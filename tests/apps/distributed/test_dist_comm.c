/* Communicators: creation and its errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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
