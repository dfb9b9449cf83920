/*
 * A communicator whose ranks are threads of the test, each with a context of its own, of the backend
 * under test (test_engine.h). The transport checks that all ranks call the same exchanges in the
 * same order, that both ranks of a pair give the same count, that waits come in order, and that each
 * is called once. It takes host memory alone.
 *
 *     static void body(parscan_comm *comm, void *data)
 *     {
 *         rank_expect(parscan_dist_reduce(comm, ...) == PARSCAN_OK, "%s", parscan_comm_error(comm));
 *     }
 *     ...
 *     thread_comm_run(&(thread_comm_options){.ranks = 3}, body, &data);
 *
 * The body must not use Criterion's assertions, which belong to the test's own thread.
 */
#ifndef PARSCAN_TESTS_THREAD_COMM_H
#define PARSCAN_TESTS_THREAD_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "parscan/comm.h"

typedef enum thread_comm_fault {
    THREAD_COMM_NO_FAULT = 0,
    THREAD_COMM_BEGIN_FAILS, /* all_gather or all_to_all returns an error; the others are told */
    THREAD_COMM_WAIT_FAILS,  /* the same in wait */
    THREAD_COMM_RANK_IS_LATE /* the exchange never starts; the others notice by the time */
} thread_comm_fault;

typedef struct thread_comm_options {
    unsigned ranks;
    unsigned threads; /* of every context; 0: 1 */
    double timeout;   /* 0: 60 seconds */
    /* What happens on one rank at one of its exchanges, which are counted from 0. */
    thread_comm_fault fault;
    unsigned fault_rank;
    size_t fault_exchange;
    /* On this rank one allocation of host memory fails, counted from 1 after the creation of the
       comm. 0: none. */
    unsigned allocation_rank;
    size_t allocation_fails;
} thread_comm_options;

/* What happened. */
typedef struct thread_comm_result {
    size_t exchanges;   /* of rank 0 */
    size_t allocations; /* of allocation_rank, after the creation of the comm */
    uint64_t bytes;     /* that ranks have sent to other ranks in all_to_all */
} thread_comm_result;

typedef void thread_comm_body(parscan_comm *comm, void *data);

/* Runs the body once for each rank, at the same time. Afterwards the test fails if a rank_expect()
   did not hold, if ranks did not call the same exchanges, or if memory was not freed. */
thread_comm_result thread_comm_run(const thread_comm_options *options, thread_comm_body *body,
                                   void *data);

/* In a body: keeps the words for the test's failure, tells the other ranks, and leaves the body. */
#define rank_expect(condition, ...)              \
    do {                                         \
        if (!(condition)) {                      \
            thread_comm_fail(comm, __VA_ARGS__); \
            return;                              \
        }                                        \
    } while (0)

__attribute__((format(printf, 2, 3))) void thread_comm_fail(parscan_comm *comm, const char *format,
                                                            ...);

#endif
