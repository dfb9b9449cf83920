/* Every bad argument of compaction: the status, the message, nothing written, the context as good as
   before. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/compact_case.h"
#include "tests/support/test_engine.h"

#define N 10u

/* What is wrong with a call; the message names the argument and its value. */
typedef struct bad_call {
    const char *name, *value;
    compact_case c;
    bool no_in, no_flags, no_out[3], no_count, out_is_in;
} bad_call;

#define UNKNOWN(enum_type, number) (enum_type)(number)
#define OUT_VALUES         \
    {                      \
        true, false, false \
    }
#define OUT_INDICES        \
    {                      \
        false, true, false \
    }
#define OUT_COLUMNS        \
    {                      \
        false, false, true \
    }
#define OF_FLAGS .kind = COMPACT_FLAGS, .element_size = 4, .n = N
#define OF_IF .kind = COMPACT_IF, .type = PARSCAN_I32, .n = N
#define OF_INDICES .kind = COMPACT_INDICES, .type = PARSCAN_I32, .index_type = PARSCAN_U32, .n = N
#define OF_BOTH .kind = COMPACT_BOTH, .type = PARSCAN_I32, .index_type = PARSCAN_U32, .n = N
#define OF_PARTITION .kind = COMPACT_PARTITION, .type = PARSCAN_I32, .n = N
#define OF_UNIQUE .kind = COMPACT_UNIQUE, .type = PARSCAN_I32, .n = N
#define OF_RUNS .kind = COMPACT_RUNS, .type = PARSCAN_I32, .index_type = PARSCAN_U32, .n = N
#define OF_CSR \
    .kind = COMPACT_CSR, .type = PARSCAN_I32, .index_type = PARSCAN_U64, .rows = 5, .columns = 2

static const int32_t one = 1;
static const parscan_predicate bad_predicates[] = {
    {.struct_size = 0, .comparison = PARSCAN_EQUAL, .value = &one},
    {.struct_size = 8, .comparison = PARSCAN_EQUAL, .value = &one},
    {.struct_size = 4097, .comparison = PARSCAN_EQUAL, .value = &one},
    {.struct_size = sizeof(parscan_predicate),
     .comparison = UNKNOWN(parscan_comparison, 8),
     .value = &one,
     .upper = &one},
    {.struct_size = sizeof(parscan_predicate),
     .comparison = UNKNOWN(parscan_comparison, 77),
     .value = &one,
     .upper = &one},
    {.struct_size = sizeof(parscan_predicate), .comparison = PARSCAN_EQUAL},
    {.struct_size = sizeof(parscan_predicate), .comparison = PARSCAN_BETWEEN, .upper = &one},
    {.struct_size = sizeof(parscan_predicate), .comparison = PARSCAN_BETWEEN, .value = &one},
};
static const char *const words_of_predicates[][2] = {
    {"struct_size", "0"}, {"struct_size", "8"}, {"struct_size", "4097"}, {"comparison", "8"},
    {"comparison", "77"}, {"value", "NULL"},    {"value", "NULL"},       {"upper", "NULL"},
};

static const bad_call bad_arrays[] = {
    {"in", "NULL", .c = {OF_FLAGS}, .no_in = true},
    {"flags", "NULL", .c = {OF_FLAGS}, .no_flags = true},
    {"count", "NULL", .c = {OF_FLAGS}, .no_count = true},
    {"in", "NULL", .c = {OF_IF}, .no_in = true},
    {"count", "NULL", .c = {OF_IF}, .no_count = true},
    {"in", "NULL", .c = {OF_INDICES}, .no_in = true},
    {"count", "NULL", .c = {OF_INDICES}, .no_count = true},
    {"in", "NULL", .c = {OF_BOTH}, .no_in = true},
    {"count", "NULL", .c = {OF_BOTH}, .no_count = true},
    {"in", "NULL", .c = {OF_PARTITION}, .no_in = true},
    {"count", "NULL", .c = {OF_PARTITION}, .no_count = true},
    {"out", "in", .c = {OF_PARTITION}, .out_is_in = true},
    {"in", "NULL", .c = {OF_UNIQUE}, .no_in = true},
    {"count", "NULL", .c = {OF_UNIQUE}, .no_count = true},
    {"in", "NULL", .c = {OF_RUNS}, .no_in = true},
    {"count", "NULL", .c = {OF_RUNS}, .no_count = true},
    {"dense", "NULL", .c = {OF_CSR}, .no_in = true},
    {"row_offsets", "NULL", .c = {OF_CSR}, .no_out = OUT_INDICES},
    {"column_indices", "NULL", .c = {OF_CSR}, .no_out = OUT_COLUMNS},
    {"values", "NULL", .c = {OF_CSR}, .no_out = OUT_VALUES},
    {"count", "NULL", .c = {OF_CSR}, .no_count = true},
};

#define HUGE_N "18446744073709551615"
#define BEYOND_U32 "4294967297"

static const bad_call bad_sizes[] = {
    {"element_size", "0", .c = {.kind = COMPACT_FLAGS, .element_size = 0, .n = N}},
    {"element_size", "0", .c = {.kind = COMPACT_FLAGS, .element_size = 0, .n = 0}},
    {"n", HUGE_N, .c = {.kind = COMPACT_FLAGS, .element_size = 1, .n = SIZE_MAX}},
    {"n", "10", .c = {.kind = COMPACT_FLAGS, .element_size = SIZE_MAX / 5, .n = N}},
    {"n", HUGE_N, .c = {.kind = COMPACT_IF, .type = PARSCAN_U8, .n = SIZE_MAX}},
    {"n", HUGE_N, .c = {.kind = COMPACT_PARTITION, .type = PARSCAN_U8, .n = SIZE_MAX}},
    {"n", HUGE_N, .c = {.kind = COMPACT_UNIQUE, .type = PARSCAN_F64, .n = SIZE_MAX}},
    {"n", HUGE_N,
     .c = {.kind = COMPACT_RUNS, .type = PARSCAN_I8, .index_type = PARSCAN_U64, .n = SIZE_MAX}},
    {"n", HUGE_N,
     .c = {.kind = COMPACT_INDICES, .type = PARSCAN_I8, .index_type = PARSCAN_U64, .n = SIZE_MAX}},
    {"n", BEYOND_U32,
     .c = {.kind = COMPACT_INDICES,
           .type = PARSCAN_I8,
           .index_type = PARSCAN_U32,
           .n = (size_t)UINT32_MAX + 2}},
    {"rows", HUGE_N,
     .c = {.kind = COMPACT_CSR,
           .type = PARSCAN_U8,
           .index_type = PARSCAN_U64,
           .rows = SIZE_MAX,
           .columns = 0}},
    {"rows", HUGE_N,
     .c = {.kind = COMPACT_CSR,
           .type = PARSCAN_U8,
           .index_type = PARSCAN_U64,
           .rows = SIZE_MAX,
           .columns = 1}},
    {"rows", "8589934592",
     .c = {.kind = COMPACT_CSR,
           .type = PARSCAN_U8,
           .index_type = PARSCAN_U64,
           .rows = (size_t)1 << 33,
           .columns = (size_t)1 << 33}},
    {"columns", HUGE_N,
     .c = {.kind = COMPACT_CSR,
           .type = PARSCAN_U8,
           .index_type = PARSCAN_U64,
           .rows = 3,
           .columns = SIZE_MAX}},
};

static const unsigned char untouched = 0xa5;

static bool all_untouched(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != untouched)
            return false;
    return true;
}

/* 1 2 3 ..., all of which are kept. */
static void expect_a_good_call(parscan_context *context)
{
    int32_t in[N], out[N];
    uint64_t count = 0;
    for (size_t i = 0; i < N; i++)
        in[i] = (int32_t)i + 1;
    cr_assert_eq(parscan_compact_if(context, PARSCAN_I32, in, NULL, out, N, &count), PARSCAN_OK);
    cr_assert(count == N && memcmp(in, out, sizeof in) == 0);
}

static void expect_failure(parscan_context *context, const bad_call *bad)
{
    unsigned char in[8 * N], flags[N], out[3][8 * (N + 1)], before[sizeof in];
    uint64_t count = 12345;
    memset(in, 3, sizeof in);
    memcpy(before, in, sizeof in);
    memset(flags, 1, sizeof flags);
    memset(out, untouched, sizeof out);
    void *outputs[3];
    for (size_t k = 0; k < 3; k++)
        outputs[k] = bad->no_out[k] ? NULL : bad->out_is_in ? (void *)in : out[k];
    const parscan_status status =
        call_compact(context, &bad->c, bad->no_in ? NULL : in, bad->no_flags ? NULL : flags,
                     outputs, bad->no_count ? NULL : &count);
    const char *const words = parscan_context_error(context);
    cr_assert_eq(status, PARSCAN_ERROR_INVALID_ARGUMENT, "kind %d, %s = %s: %s: %s",
                 (int)bad->c.kind, bad->name, bad->value, parscan_status_string(status), words);
    cr_assert(strstr(words, bad->name) != NULL && strstr(words, bad->value) != NULL,
              "kind %d: \"%s\" does not name %s = %s", (int)bad->c.kind, words, bad->name,
              bad->value);
    cr_assert_eq(memcmp(in, before, sizeof in), 0);
    cr_assert(all_untouched(out[0], sizeof out), "%s = %s: written", bad->name, bad->value);
    cr_assert_eq(count, 12345, "%s = %s: the count was written", bad->name, bad->value);
    expect_a_good_call(context);
}

static void expect_failures(const bad_call *bad, size_t count)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < count; k++)
        expect_failure(context, &bad[k]);
    parscan_context_destroy(context);
}

Test(bad_compaction, missing_arrays_are_named)
{
    expect_failures(bad_arrays, COUNT_OF(bad_arrays));
}

Test(bad_compaction, sizes_of_nothing_and_beyond_memory_are_named)
{
    expect_failures(bad_sizes, COUNT_OF(bad_sizes));
}

Test(bad_compaction, predicates_are_checked_with_elements_and_without)
{
    static const compact_kind kinds[] = {COMPACT_IF, COMPACT_INDICES, COMPACT_BOTH,
                                         COMPACT_PARTITION};
    parscan_context *const context = test_context();
    for (size_t p = 0; p < COUNT_OF(bad_predicates); p++)
        for (size_t k = 0; k < 2 * COUNT_OF(kinds); k++) {
            bad_call bad = {.name = words_of_predicates[p][0], .value = words_of_predicates[p][1]};
            bad.c = (compact_case){OF_INDICES, .keep = &bad_predicates[p]};
            bad.c.kind = kinds[k / 2];
            bad.c.n = k % 2 == 0 ? N : 0;
            expect_failure(context, &bad);
        }
    parscan_context_destroy(context);
}

Test(bad_compaction, partitions_do_not_overlap)
{
    parscan_context *const context = test_context();
    int32_t room[3 * N] = {0};
    uint64_t count = 12345;
    for (size_t at = 0; at <= 2 * N; at++) {
        const bool overlaps = at > 0 && at < 2 * N;
        const parscan_status status =
            parscan_partition(context, PARSCAN_I32, room + N, NULL, room + at, N, &count);
        cr_assert_eq(status, overlaps ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_OK, "at %zu: %s",
                     at, parscan_context_error(context));
        cr_assert(!overlaps || strstr(parscan_context_error(context), "overlaps in") != NULL);
        cr_assert_eq(count, overlaps ? 12345 : 0);
        count = 12345;
    }
    cr_assert_eq(parscan_partition(context, PARSCAN_I32, room, NULL, room, 0, &count), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(bad_compaction, types_that_are_none_are_named)
{
    static const struct {
        parscan_type type;
        const char *value;
    } none[] = {{UNKNOWN(parscan_type, 0), "0"},
                {UNKNOWN(parscan_type, 13), "13"},
                {UNKNOWN(parscan_type, 99), "99"}};
    parscan_context *const context = test_context();
    for (compact_kind kind = COMPACT_IF; kind <= COMPACT_CSR; kind++)
        for (size_t k = 0; k < COUNT_OF(none); k++) {
            bad_call bad = {"type", none[k].value, .c = {OF_CSR}};
            bad.c.kind = kind;
            bad.c.n = N;
            bad.c.type = none[k].type;
            expect_failure(context, &bad);
        }
    parscan_context_destroy(context);
}

Test(bad_compaction, indices_are_integers_of_32_or_64_bits)
{
    static const compact_kind kinds[] = {COMPACT_INDICES, COMPACT_BOTH, COMPACT_RUNS, COMPACT_CSR};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (int type = 0; type <= TYPES + 2; type++) {
            const char *const name = parscan_type_name((parscan_type)type);
            bad_call bad = {kinds[k] == COMPACT_RUNS ? "count_type" : "index_type", "",
                            .c = {OF_CSR}};
            bad.value = name != NULL ? name : type == 0 ? "0" : "1"; /* 13, 14 */
            bad.c.kind = kinds[k];
            bad.c.n = N;
            bad.c.index_type = (parscan_type)type;
            if (type != PARSCAN_U32 && type != PARSCAN_U64 && type != PARSCAN_I32 &&
                type != PARSCAN_I64)
                expect_failure(context, &bad);
        }
    parscan_context_destroy(context);
}

Test(bad_compaction, a_null_context_is_invalid)
{
    unsigned char in[8 * N] = {1}, flags[N] = {1}, out[3][8 * N] = {{7}};
    void *const outputs[3] = {out[0], out[1], out[2]};
    uint64_t count = 5;
    for (compact_kind kind = COMPACT_FLAGS; kind <= COMPACT_CSR; kind++) {
        compact_case c = {OF_CSR, .element_size = 4};
        c.kind = kind;
        c.n = N;
        cr_assert_eq(call_compact(NULL, &c, in, flags, outputs, &count),
                     PARSCAN_ERROR_INVALID_ARGUMENT);
    }
    cr_assert(count == 5 && out[0][0] == 7);
}

Test(compaction, of_nothing_takes_null_arrays_and_counts_0)
{
    void *const nothing[3] = {NULL, NULL, NULL};
    parscan_context *const context = test_context();
    for (compact_kind kind = COMPACT_FLAGS; kind < COMPACT_CSR; kind++) {
        compact_case c = {OF_INDICES, .element_size = 4};
        uint64_t count = 99;
        c.kind = kind;
        c.n = 0;
        cr_assert_eq(call_compact(context, &c, NULL, NULL, nothing, &count), PARSCAN_OK,
                     "kind %d: %s", (int)kind, parscan_context_error(context));
        cr_assert_eq(count, 0, "kind %d", (int)kind);
    }
    parscan_context_destroy(context);
}

Test(dense_to_csr, of_no_rows_or_no_columns_takes_null_arrays_and_writes_offsets_of_0)
{
    parscan_context *const context = test_context();
    for (size_t rows = 0; rows < 20; rows++)
        for (size_t columns = 0; columns < 20; columns += 19) {
            uint32_t offsets[21];
            uint64_t count = 99;
            if (rows * columns != 0)
                continue;
            memset(offsets, 0xa5, sizeof offsets);
            cr_assert_eq(parscan_dense_to_csr(context, PARSCAN_F64, NULL, rows, columns,
                                              PARSCAN_U32, offsets, NULL, NULL, &count),
                         PARSCAN_OK, "%s", parscan_context_error(context));
            cr_assert_eq(count, 0);
            for (size_t r = 0; r <= rows; r++)
                cr_assert_eq(offsets[r], 0);
            cr_assert_eq(offsets[rows + 1 < 21 ? rows + 1 : 20], rows + 1 < 21 ? 0xa5a5a5a5 : 0);
        }
    parscan_context_destroy(context);
}
