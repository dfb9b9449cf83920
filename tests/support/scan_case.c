#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/random.h"
#include "tests/support/remember.h"

#define GUARD 64u
#define GUARD_BYTE 0xa5

#define LISTED(ctx, NAME, ...) PARSCAN_##NAME,
const parscan_type all_types[TYPES] = {PARSCAN_TYPES(LISTED, )};
const parscan_op all_ops[OPS] = {PARSCAN_OPS(LISTED, )};
const parscan_algorithm all_algorithms[ALGORITHMS] = {PARSCAN_ALGORITHMS(LISTED, )};

bool type_has(parscan_type type, parscan_op op)
{
    if (!oracle_is_float(type))
        return true;
    static const parscan_op float_ops[] = {PARSCAN_OPS_FLOAT(LISTED, )};
    for (size_t k = 0; k < COUNT_OF(float_ops); k++)
        if (float_ops[k] == op)
            return true;
    return false;
}

bool op_rounds(parscan_op op)
{
#define X(ctx, NAME) || op == PARSCAN_##NAME
    return false PARSCAN_ROUNDING_OPS(X, );
#undef X
}

parscan_status call_scan(parscan_context *context, scan_kind kind, parscan_type type,
                         const void *in, void *out, size_t n, const parscan_scan_options *options)
{
    switch (kind) {
    case SCAN_INCLUSIVE:
        return parscan_inclusive_scan(context, type, in, out, n, options);
    case SCAN_EXCLUSIVE:
        return parscan_exclusive_scan(context, type, in, out, n, options);
    default:
        return parscan_reduce(context, type, in, out, n, options);
    }
}

void describe_case(const scan_case *scan, const char *what, char words[CASE_WORDS])
{
    static const char *const kinds[] = {"inclusive scan", "exclusive scan", "reduce"};
    const parscan_scan_options *const o = &scan->options;
    snprintf(words, CASE_WORDS,
             "%s of %s to %s, op %s, algorithm %s%s, threads %u, items %u, init %s, reverse %d, "
             "n = %zu, offsets %u %u, in place %d, %s memory: %.200s",
             kinds[scan->kind], parscan_type_name(scan->type),
             o->out_type == 0 ? "itself" : parscan_type_name(o->out_type), parscan_op_name(o->op),
             parscan_algorithm_name(o->algorithm), o->reproducible ? " reproducible" : "",
             o->block_threads, o->items_per_thread, o->init == NULL ? "none" : "given", o->reverse,
             scan->n, scan->in_offset, scan->out_offset, scan->in_place,
             scan->space == ENGINE_MEMORY ? "the engine's" : "host", what);
}

static bool all_bytes_are(const unsigned char *bytes, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

/* Compares an answer with the oracle's; what is wrong, or NULL. */
static const char *wrong_answer(const scan_case *scan, const void *in, const void *out,
                                char words[CASE_WORDS])
{
    const parscan_scan_options *const o = &scan->options;
    const oracle_scan question = {
        .kind = scan->kind,
        .type = scan->type,
        .out_type = o->out_type == 0 ? scan->type : o->out_type,
        .op = o->op,
        .reverse = o->reverse != 0,
        .init = o->init,
        .in = in,
        .n = scan->n,
    };
    const size_t to = parscan_type_size(question.out_type);
    const size_t results = scan->kind == SCAN_REDUCE ? 1 : scan->n;
    const uint64_t parts[] = {
        (uint64_t)scan->kind, (uint64_t)scan->type, (uint64_t)question.out_type,
        (uint64_t)o->op,      question.reverse,     o->init != NULL};
    uint64_t claim = fingerprint(0, parts, sizeof parts);
    claim = fingerprint(claim, o->init, o->init != NULL ? to : 0);
    claim = fingerprint(claim, in, scan->n * parscan_type_size(scan->type));
    claim = fingerprint(claim, out, results * to);
    if (recall(claim, NULL, 0))
        return NULL;
    char difference[ORACLE_WORDS];
    const size_t at = oracle_disagrees_at(&question, out, difference);
    if (at == ORACLE_AGREES) {
        remember(claim, NULL, 0);
        return NULL;
    }
    snprintf(words, CASE_WORDS, "element %zu: %s", at, difference);
    return words;
}

/* The arrays of a case. The input ends where its memory ends, so that a sanitizer sees a read past
   it; the output lies between guards. */
typedef struct arrays {
    char *in_memory, *out_memory, *in, *out;
    size_t in_before, in_bytes, out_before, out_bytes;
} arrays;

static void point_into_memory(const scan_case *scan, arrays *a)
{
    a->out = a->out_memory + a->out_before;
    a->in = scan->in_place ? a->out : a->in_memory + a->in_before;
}

static size_t in_whole(const arrays *a)
{
    return a->in_before + a->in_bytes;
}

static size_t out_whole(const arrays *a)
{
    return a->out_before + a->out_bytes + GUARD;
}

static arrays make_arrays(const scan_case *scan, const void *in)
{
    const size_t size = parscan_type_size(scan->type);
    const size_t to =
        scan->options.out_type == 0 ? size : parscan_type_size(scan->options.out_type);
    const bool aligned = scan->space == ENGINE_MEMORY;
    arrays a = {.in_before = scan->in_offset * (aligned ? size : 1),
                .in_bytes = scan->n * size,
                .out_before = GUARD + scan->out_offset * (aligned ? to : 1),
                .out_bytes = (scan->kind == SCAN_REDUCE ? 1 : scan->n) * to};
    a.in_memory = malloc(in_whole(&a));
    a.out_memory = malloc(out_whole(&a));
    if (a.in_memory == NULL || a.out_memory == NULL)
        abort();
    memset(a.in_memory, GUARD_BYTE, in_whole(&a));
    memset(a.out_memory, GUARD_BYTE, out_whole(&a));
    point_into_memory(scan, &a);
    if (scan->n > 0)
        memcpy(a.in, in, a.in_bytes);
    return a;
}

static parscan_status call_on_arrays(parscan_context *context, const scan_case *scan,
                                     const arrays *a)
{
    parscan_scan_options options = scan->options;
    options.struct_size = sizeof options;
    const parscan_status status =
        call_scan(context, scan->kind, scan->type, a->in, a->out, scan->n, &options);
    return status == PARSCAN_OK ? parscan_synchronize(context) : status;
}

/* All of the arrays to the engine's memory, the call, all of them back. */
static parscan_status call_in_engine_memory(parscan_context *context, const scan_case *scan,
                                            const arrays *here)
{
    arrays there = *here;
    void *in = NULL, *out = NULL;
    parscan_status status = parscan_malloc(context, &in, in_whole(here));
    if (status == PARSCAN_OK)
        status = parscan_malloc(context, &out, out_whole(here));
    there.in_memory = in;
    there.out_memory = out;
    point_into_memory(scan, &there);
    if (status == PARSCAN_OK)
        status = parscan_copy(context, in, here->in_memory, in_whole(here));
    if (status == PARSCAN_OK)
        status = parscan_copy(context, out, here->out_memory, out_whole(here));
    if (status == PARSCAN_OK)
        status = call_on_arrays(context, scan, &there);
    if (status == PARSCAN_OK)
        status = parscan_copy(context, here->in_memory, in, in_whole(here));
    if (status == PARSCAN_OK)
        status = parscan_copy(context, here->out_memory, out, out_whole(here));
    parscan_free(context, in);
    parscan_free(context, out);
    return status;
}

bool scan_is_right_in(parscan_context *context, const scan_case *scan, const void *in,
                      char words[CASE_WORDS])
{
    const arrays a = make_arrays(scan, in);
    char difference[CASE_WORDS];
    const char *wrong = NULL;
    const parscan_status status = scan->space == ENGINE_MEMORY
                                      ? call_in_engine_memory(context, scan, &a)
                                      : call_on_arrays(context, scan, &a);
    if (status != PARSCAN_OK)
        wrong = parscan_context_error(context);
    else if (!all_bytes_are((unsigned char *)a.out_memory, a.out_before, GUARD_BYTE) ||
             !all_bytes_are((unsigned char *)a.out + a.out_bytes, GUARD, GUARD_BYTE))
        wrong = "memory around the output was written";
    else if (!scan->in_place && scan->n > 0 && memcmp(a.in, in, a.in_bytes) != 0)
        wrong = "the input was written";
    else
        wrong = wrong_answer(scan, in, a.out, difference);
    if (wrong != NULL)
        describe_case(scan, wrong, words);
    free(a.in_memory);
    free(a.out_memory);
    return wrong == NULL;
}

bool scan_is_right(parscan_context *context, const scan_case *scan, const void *in,
                   char words[CASE_WORDS])
{
    /* The CPU engine's memory is the program's. */
    const bool differs = parscan_context_backend(context) != PARSCAN_BACKEND_CPU;
    scan_case placed = *scan;
    placed.space = HOST_MEMORY;
    if (!scan_is_right_in(context, &placed, in, words))
        return false;
    placed.space = ENGINE_MEMORY;
    return !differs || scan_is_right_in(context, &placed, in, words);
}

bool answer_is_right(const scan_case *scan, const void *in, const void *out, char words[CASE_WORDS])
{
    char difference[CASE_WORDS];
    const char *const wrong = wrong_answer(scan, in, out, difference);
    if (wrong != NULL)
        describe_case(scan, wrong, words);
    return wrong == NULL;
}

void expect_scan(parscan_context *context, scan_case scan, const void *in)
{
    char words[CASE_WORDS];
    if (!scan_is_right(context, &scan, in, words))
        cr_assert_fail("%s", words);
}

void *random_array(parscan_type type, parscan_op op, size_t n)
{
    void *const array = malloc(n * parscan_type_size(type) + 1);
    if (array == NULL)
        abort();
    random_fill(type, op, array, n);
    return array;
}
