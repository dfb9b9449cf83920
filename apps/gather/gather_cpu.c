/*
 * Gather and scatter on the CPU. Threads take runs of the indices. A scatter whose elements cannot be stored
 * in one step, or of which the last one must win, is divided by windows of the output in place of that:
 * each thread stores to its own window, in the order of the indices, which it reads all.
 */
#include <stdatomic.h>

#include "apps/gather/gather_call.h"
#include "apps/gather/gather_kernels.h"
#include "scan/cpu/isa.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

/* The bytes of indices and elements that a thread takes at once. */
#define RUN_BYTES (128u << 10)

/* Of so many pairs of neighbours in a run, this many must lie further apart than NEAR_BYTES, so that lines
   are fetched ahead: indices in order need no such fetches, which cost as much as the moves. */
enum { SAMPLES = 16, FAR_SAMPLES = 4, NEAR_BYTES = 512 };

/* An element of a line or more is divided among windows whatever the order of its indices is. */
enum { LONG_VALUE = 64 };

typedef struct gather_pass {
    const gather_call *call;
    const gather_kernels *kernels;
    size_t run;        /* indices of a run */
    size_t windows;    /* of the output; 0: threads take runs */
    atomic_flag lock;  /* of `first` */
    index_fault first; /* the one with the lowest place */
} gather_pass;

static const gather_kernels *gather_kernels_of(parscan_isa isa)
{
    return PARSCAN_BY_ISA(isa, &parscan_gather_portable, &parscan_gather_avx2,
                          &parscan_gather_avx512);
}

static void report(gather_pass *pass, const index_fault *fault)
{
    if (!fault->found)
        return;
    while (atomic_flag_test_and_set_explicit(&pass->lock, memory_order_acquire))
        parscan_relax();
    if (!pass->first.found || fault->place < pass->first.place)
        pass->first = *fault;
    atomic_flag_clear_explicit(&pass->lock, memory_order_release);
}

static uint64_t distance(const gather_call *call, size_t i)
{
    const uint64_t a = parscan_index_at(call, i), b = parscan_index_at(call, i + 1);
    return a < b ? b - a : a - b;
}

/* Whether neighbours of a run lie in lines that are far from each other, and not in the caches. */
static bool is_scattered(const gather_call *call, size_t begin, size_t end)
{
    const size_t step = (end - begin) / SAMPLES;
    unsigned far = 0;
    if (step < 2 || call->count <= call->context->l2_bytes / call->value_size)
        return false;
    for (size_t k = 0; k < SAMPLES; k++)
        far += distance(call, begin + k * step) > NEAR_BYTES / call->value_size;
    return far >= FAR_SAMPLES;
}

static void move_run(void *state, size_t k, unsigned worker)
{
    gather_pass *const pass = state;
    const gather_call *const call = pass->call;
    const size_t begin = k * pass->run;
    const size_t end = call->n - begin < pass->run ? call->n : begin + pass->run;
    index_fault fault = {false, 0, 0};
    (void)worker;
    pass->kernels->move(call, begin, end, is_scattered(call, begin, end), &fault);
    report(pass, &fault);
}

static void store_window(void *state, size_t k, unsigned worker)
{
    gather_pass *const pass = state;
    const uint64_t width = pass->call->limit / pass->windows;
    const uint64_t low = k * width, high = k + 1 < pass->windows ? low + width : pass->call->limit;
    index_fault fault = {false, 0, 0};
    (void)worker;
    pass->kernels->scatter_window(pass->call, low, high, &fault);
    report(pass, &fault);
}

/* Whether an element is stored in one step, so that no other thread mixes its bytes with it. */
static bool stores_at_once(const gather_call *call)
{
    const size_t size = call->value_size;
    return size <= sizeof(uint64_t) && (size & (size - 1)) == 0 && (uintptr_t)call->out % size == 0;
}

/* Whether the order in which elements are stored matters, or that no two threads store to one place. */
static bool has_order(const gather_call *call)
{
    return call->scatters && (call->last_wins || !stores_at_once(call));
}

/* Whether windows pay. Each thread reads all indices, which takes as long as elements in the caches, or in
   order, take to be stored. */
static bool windows_pay(const gather_call *call)
{
    return call->value_size >= LONG_VALUE || is_scattered(call, 0, call->n);
}

parscan_status parscan_gather_cpu(const gather_call *call)
{
    parscan_context *const context = call->context;
    const size_t bytes = call->value_size + parscan_type_size(call->index_type);
    gather_pass pass = {.call = call,
                        .kernels = gather_kernels_of(context->isa),
                        .run = bytes < RUN_BYTES ? RUN_BYTES / bytes : 1,
                        .lock = ATOMIC_FLAG_INIT};
    if (context->measures)
        return PARSCAN_OK;
    unsigned threads = parscan_threads_for(context, call->n * bytes);
    if (threads > 1 && has_order(call)) {
        if (windows_pay(call) && call->limit >= threads)
            pass.windows = threads;
        else
            threads = 1;
    }
    if (pass.windows > 0)
        parscan_team_for(context, threads, pass.windows, 1, store_window, &pass);
    else
        parscan_team_for(context, threads, (call->n - 1) / pass.run + 1, 1, move_run, &pass);
    return parscan_fail_index(call, &pass.first);
}
