#include "tests/support/segmented_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/memory.h"
#include "tests/support/oracle_segmented.h"
#include "tests/support/remember.h"
#include "tests/support/scan_case.h"

#define GUARD 64u
#define GUARD_BYTE 0xa5

parscan_status call_segmented(parscan_context *context, scan_kind kind, parscan_type type,
                              const void *in, void *out, size_t n, const parscan_segments *segments,
                              uint64_t *count, const parscan_scan_options *options)
{
    switch (kind) {
    case SCAN_INCLUSIVE:
        return parscan_segmented_inclusive_scan(context, type, in, out, n, segments, options);
    case SCAN_EXCLUSIVE:
        return parscan_segmented_exclusive_scan(context, type, in, out, n, segments, options);
    default:
        return parscan_segmented_reduce(context, type, in, out, n, segments, count, options);
    }
}

static parscan_type out_type_of(const segmented_case *scan)
{
    return scan->options.out_type != 0 ? scan->options.out_type : scan->type;
}

void describe_segmented(const segmented_case *scan, const char *what, char words[SEGMENTED_WORDS])
{
    static const char *const kinds[] = {"inclusive scan", "exclusive scan", "reduce"};
    const parscan_scan_options *const o = &scan->options;
    char cut[CUT_WORDS];
    describe_cut(scan->cut, cut);
    snprintf(words, SEGMENTED_WORDS,
             "%s of %zu %s to %s, op %s, algorithm %s%s, init %s, reverse %d, offsets %u %u, "
             "in place %d; %s: %.200s",
             kinds[scan->kind], scan->cut->n, parscan_type_name(scan->type),
             parscan_type_name(out_type_of(scan)), parscan_op_name(o->op),
             parscan_algorithm_name(o->algorithm), o->reproducible ? " reproducible" : "",
             o->init == NULL ? "none" : "given", o->reverse, scan->in_offset, scan->out_offset,
             scan->in_place, cut, what);
}

bool segmented_is_right(const segmented_case *scan, const void *in, const void *out,
                        char words[SEGMENTED_WORDS])
{
    const oracle_segments question = {
        .scan = {.kind = scan->kind,
                 .type = scan->type,
                 .out_type = out_type_of(scan),
                 .op = scan->options.op,
                 .reverse = scan->options.reverse != 0,
                 .init = scan->options.init,
                 .in = in,
                 .n = scan->cut->n},
        .bounds = scan->cut->bounds,
        .count = scan->cut->count,
    };
    const size_t to = parscan_type_size(question.scan.out_type);
    const size_t results = scan->kind == SCAN_REDUCE ? scan->cut->count : scan->cut->n;
    const uint64_t parts[] = {
        (uint64_t)scan->kind,       (uint64_t)scan->type,  (uint64_t)question.scan.out_type,
        (uint64_t)question.scan.op, question.scan.reverse, question.scan.init != NULL};
    uint64_t claim = fingerprint(1, parts, sizeof parts);
    claim = fingerprint(claim, question.scan.init, question.scan.init != NULL ? to : 0);
    claim = fingerprint(claim, in, scan->cut->n * parscan_type_size(scan->type));
    claim = fingerprint(claim, question.bounds, (question.count + 1) * sizeof *question.bounds);
    claim = fingerprint(claim, out, results * to);
    if (recall(claim, NULL, 0))
        return true;
    char difference[ORACLE_WORDS];
    size_t at = 0;
    const size_t segment = oracle_segment_disagrees(&question, out, &at, difference);
    if (segment == ORACLE_AGREES) {
        remember(claim, NULL, 0);
        return true;
    }
    snprintf(words, SEGMENTED_WORDS, "segment %zu from %zu to %zu, element %zu: %s", segment,
             scan->cut->bounds[segment], scan->cut->bounds[segment + 1], at, difference);
    return false;
}

/* The arrays of a case. Inputs end where their memory ends, so that a sanitizer sees a read past
   them; the output lies between guards. */
typedef struct arrays {
    char *in_memory, *out_memory, *cut_memory, *in, *out;
    size_t in_bytes, out_bytes, out_before;
    parscan_segments segments;
} arrays;

static arrays make_arrays(const segmented_case *scan, const void *in)
{
    const size_t results = scan->kind == SCAN_REDUCE ? scan->cut->count : scan->cut->n;
    arrays a = {.in_bytes = scan->cut->n * parscan_type_size(scan->type),
                .out_bytes = results * parscan_type_size(out_type_of(scan)),
                .out_before = GUARD + scan->out_offset,
                .segments = scan->cut->segments};
    a.in_memory = malloc(scan->in_offset + a.in_bytes + (a.in_bytes == 0));
    a.out_memory = malloc(a.out_before + a.out_bytes + GUARD);
    a.cut_memory = malloc(scan->in_offset + scan->cut->bytes + (scan->cut->bytes == 0));
    if (a.in_memory == NULL || a.out_memory == NULL || a.cut_memory == NULL)
        abort();
    memset(a.out_memory, GUARD_BYTE, a.out_before + a.out_bytes + GUARD);
    a.out = a.out_memory + a.out_before;
    a.in = scan->in_place ? a.out : a.in_memory + scan->in_offset;
    if (a.in_bytes > 0)
        memcpy(a.in, in, a.in_bytes);
    memcpy(a.cut_memory + scan->in_offset, scan->cut->segments.data, scan->cut->bytes);
    a.segments.data = a.cut_memory + scan->in_offset;
    return a;
}

static bool all_bytes_are(const char *bytes, size_t n, unsigned char value)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)bytes[i] != value)
            return false;
    return true;
}

static const char *wrong_around(const segmented_case *scan, const arrays *a, const void *in)
{
    if (!all_bytes_are(a->out_memory, a->out_before, GUARD_BYTE))
        return "memory before the output was written";
    if (!all_bytes_are(a->out + a->out_bytes, GUARD, GUARD_BYTE))
        return "memory after the output was written";
    if (!scan->in_place && a->in_bytes > 0 && memcmp(a->in, in, a->in_bytes) != 0)
        return "the input was written";
    if (memcmp(a->segments.data, scan->cut->segments.data, scan->cut->bytes) != 0)
        return "the segments' data was written";
    return NULL;
}

/* A copy of the test's memory in the engine's. */
static char *engine_copy(parscan_context *context, const char *from, size_t bytes)
{
    void *to = NULL;
    cr_assert_eq(parscan_malloc(context, &to, bytes + (bytes == 0)), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    cr_assert_eq(parscan_copy(context, to, from, bytes), PARSCAN_OK);
    return to;
}

/* The call on copies of all arrays and of the count in the engine's memory, all of them brought back. */
static parscan_status call_in_engine_memory(parscan_context *context, const segmented_case *scan,
                                            const parscan_scan_options *options, const arrays *a,
                                            uint64_t *count)
{
    const size_t in_whole = scan->in_offset + a->in_bytes;
    const size_t out_whole = a->out_before + a->out_bytes + GUARD;
    const size_t cut_whole = scan->in_offset + scan->cut->bytes;
    char *const in = engine_copy(context, a->in_memory, in_whole);
    char *const out = engine_copy(context, a->out_memory, out_whole);
    char *const cut = engine_copy(context, a->cut_memory, cut_whole);
    char *const number = engine_copy(context, (char *)count, sizeof *count);
    parscan_segments segments = a->segments;
    segments.data = cut + scan->in_offset;
    parscan_status status = call_segmented(
        context, scan->kind, scan->type,
        scan->in_place ? out + a->out_before : in + scan->in_offset, out + a->out_before,
        scan->cut->n, &segments, scan->count_missing ? NULL : (uint64_t *)(void *)number, options);
    if (status == PARSCAN_OK)
        status = parscan_synchronize(context);
    cr_assert_eq(parscan_copy(context, a->in_memory, in, in_whole), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, a->out_memory, out, out_whole), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, a->cut_memory, cut, cut_whole), PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, count, number, sizeof *count), PARSCAN_OK);
    parscan_free(context, in);
    parscan_free(context, out);
    parscan_free(context, cut);
    parscan_free(context, number);
    return status;
}

static void expect_in(parscan_context *context, const segmented_case *scan, bool engine,
                      const void *in)
{
    const arrays a = make_arrays(scan, in);
    parscan_scan_options options = scan->options;
    options.struct_size = sizeof options;
    uint64_t count = scan->cut->count + 77;
    char words[SEGMENTED_WORDS], described[SEGMENTED_WORDS];
    const char *wrong = NULL;
    parscan_status status;
    if (engine)
        status = call_in_engine_memory(context, scan, &options, &a, &count);
    else
        status = call_segmented(context, scan->kind, scan->type, a.in, a.out, scan->cut->n,
                                &a.segments, scan->count_missing ? NULL : &count, &options);
    if (status != PARSCAN_OK || parscan_synchronize(context) != PARSCAN_OK)
        wrong = parscan_context_error(context);
    else if (scan->kind == SCAN_REDUCE && !scan->count_missing && count != scan->cut->count)
        wrong = "the count is wrong";
    else if ((wrong = wrong_around(scan, &a, in)) == NULL &&
             !segmented_is_right(scan, in, a.out, words))
        wrong = words;
    if (wrong != NULL) {
        describe_segmented(scan, wrong, described);
        cr_assert_fail("%s memory: %s", engine ? "the engine's" : "host", described);
    }
    free(a.in_memory);
    free(a.out_memory);
    free(a.cut_memory);
}

void expect_segmented(parscan_context *context, segmented_case scan, const void *in)
{
    expect_in(context, &scan, false, in);
    /* The CPU engine's memory is the program's. Device memory is aligned to its elements. */
    if (parscan_context_backend(context) == PARSCAN_BACKEND_CPU)
        return;
    scan.in_offset *= 8;
    scan.out_offset *= 8;
    expect_in(context, &scan, true, in);
}
