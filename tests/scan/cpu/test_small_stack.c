/*
 * Every primitive may be called from a thread whose stack has 64 KiB. First the stack that each one
 * uses is measured on a larger one, so that a failure has a name; then all run on 64 KiB.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parscan/parscan.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"

#define SMALL ((size_t)64 << 10)
#define LARGE ((size_t)1 << 20)
#define GUARD ((size_t)1 << 20) /* larger than any frame, so that none reaches beyond it */
/* What a call may use: the rest is for the thread's own data, and for the caller. */
#define MOST ((size_t)52 << 10)
#define UNTOUCHED 0xa5

static const size_t lengths[] = {1000, (1u << 17) + 3, (1u << 21) + 5};

/* Runs a function on a stack of its own. The memory below the stack cannot be touched. */
static void run_on_stack(char *stack, size_t size, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstack(&attributes, stack, size), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run, argument), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static char *make_stack(size_t size)
{
    char *const whole =
        mmap(NULL, GUARD + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(whole, MAP_FAILED);
    cr_assert_eq(mprotect(whole, GUARD, PROT_NONE), 0);
    return whole + GUARD;
}

typedef struct work {
    void (*run)(struct work *w);
    parscan_context *context;
    const primitive_inputs *in;
    size_t n, number; /* of the primitive, or of the scan */
    char *out, *stack;
    parscan_status status;
    size_t used;
} work;

static void *call(void *argument)
{
    work *const w = argument;
    w->run(w);
    return NULL;
}

static void run_primitive(work *w)
{
    w->status = primitive_run(w->number, w->context, w->in, w->out);
}

/* Fills the stack below this frame, calls, and looks how deep the call has written. */
static void *measure(void *argument)
{
    work *const w = argument;
    char here;
    const size_t below = (size_t)(&here - w->stack) - 4096;
    memset(w->stack, UNTOUCHED, below);
    call(w);
    size_t clean = 0;
    while (clean < below && (unsigned char)w->stack[clean] == UNTOUCHED)
        clean++;
    w->used = below - clean;
    return NULL;
}

static void need_plain_frames(void)
{
    if (UNDER_SANITIZER)
        cr_skip("a sanitizer makes frames larger");
}

/* Runs and checks one call on a stack of this size. */
static void expect_small_stack(work *w, unsigned threads, size_t size, void *(*run)(void *),
                               const char *name)
{
    w->context = cpu_context(threads);
    cr_assert_not_null(w->context);
    run_on_stack(w->stack, size, run, w);
    cr_assert_eq(w->status, PARSCAN_OK, "%s: %s", name, parscan_context_error(w->context));
    cr_expect_leq(w->used, MOST, "%s of %zu elements on %u threads: %zu bytes of stack", name, w->n,
                  threads, w->used);
    parscan_context_destroy(w->context);
}

static void each_call(unsigned threads, size_t count, size_t size, void *(*run)(void *))
{
    char *const stack = make_stack(size);
    for (size_t k = 0; k < count; k++) {
        primitive_inputs *const in = primitive_inputs_begin(lengths[k]);
        cr_assert_not_null(in);
        for (size_t p = 0; p < primitive_count(); p++) {
            if (!takes_larger_case())
                continue;
            work w = {.run = run_primitive, .in = in, .n = lengths[k], .number = p, .stack = stack};
            w.out = malloc(primitive_bytes(p, in));
            cr_assert_not_null(w.out);
            expect_small_stack(&w, threads, size, run, primitive_name(p));
            free(w.out);
        }
        primitive_inputs_end(in);
    }
    munmap(stack - GUARD, GUARD + size);
}

SimdTest(small_stack, no_call_uses_more_than_52_KiB)
{
    need_plain_frames();
    each_call(1, COUNT_OF(lengths), LARGE, measure);
    each_call(4, COUNT_OF(lengths), LARGE, measure);
}

SimdTest(small_stack, holds_every_call)
{
    need_plain_frames();
    /* No thread can have less than the system's least: 128 KiB on Arm. */
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    const size_t size = least > (long)SMALL ? (size_t)least : SMALL;
    each_call(4, COUNT_OF(lengths), size, call);
    each_call(1, COUNT_OF(lengths) - 1, size, call);
}

/* ---- every type ---- */

enum { SHAPES = 4, KINDS = 3, SCANS = TYPES * SHAPES * KINDS * 4 };

/* Scan number k of a type, whose frames differ by type, operator and direction. The values are all
   zero; each element starts a segment, or all elements are one. */
static void run_scan(work *w)
{
    static const uint8_t flags[1 << 19];
    static const parscan_op ops[] = {PARSCAN_SUM, PARSCAN_PRODUCT, PARSCAN_MAX};
    const parscan_type type = all_types[w->number % TYPES];
    const size_t shape = w->number / TYPES % SHAPES, kind = w->number / TYPES / SHAPES % KINDS;
    const size_t mode = w->number / TYPES / SHAPES / KINDS;
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = ops[mode % 3], .reverse = mode % 2);
    const uint32_t ends[2] = {0, (uint32_t)w->n};
    const parscan_segments segments[] = {
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_FLAGS, .data = flags),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32, .data = ends,
                         .count = 1),
        PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_KEYS, .type = PARSCAN_U8, .data = flags)};
    uint64_t count;
    cr_assert_leq(w->n, sizeof flags);
    if (shape == SHAPES - 1) {
        options.reproducible = mode == 3;
        w->status = call_scan(w->context, (scan_kind)kind, type, w->out,
                              kind == SCAN_REDUCE ? w->out + w->n * 8 : w->out, w->n, &options);
    } else if (kind == 2) {
        w->status = parscan_segmented_reduce(w->context, type, w->out, w->out + w->n * 8, w->n,
                                             &segments[shape], &count, &options);
    } else {
        w->status =
            (kind == 0 ? parscan_segmented_inclusive_scan : parscan_segmented_exclusive_scan)(
                w->context, type, w->out, w->out, w->n, &segments[shape], &options);
    }
}

SimdTest(small_stack, no_scan_of_any_type_uses_more)
{
    need_plain_frames();
    char *const stack = make_stack(LARGE);
    const size_t n = 300001;
    for (size_t k = 0; k < SCANS; k++)
        for (unsigned threads = 1; threads <= 3 && takes_larger_case(); threads += 2) {
            work w = {.run = run_scan, .n = n, .number = k, .stack = stack};
            w.out = calloc(2 * n, 8);
            cr_assert_not_null(w.out);
            char name[64];
            snprintf(name, sizeof name, "scan %zu of %s", k,
                     parscan_type_name(all_types[k % TYPES]));
            expect_small_stack(&w, threads, LARGE, measure, name);
            free(w.out);
        }
    munmap(stack - GUARD, GUARD + LARGE);
}
