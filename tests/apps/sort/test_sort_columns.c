/* The order of rows by several columns, against an oracle that compares rows: columns of all types and of
   strings of every width, each in either direction; rows that differ late, or not at all. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/columns.h"
#include "tests/support/allocated.h"
#include "tests/support/engine_array.h"
#include "tests/support/every_simd.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/key_patterns.h"
#include "tests/support/oracle_columns.h"
#include "tests/support/random.h"
#include "tests/support/sanitizer.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

enum { MOST_COLUMNS = 64, WIDEST = 64 };

typedef struct table {
    size_t n, count;
    parscan_column columns[MOST_COLUMNS];
    engine_array on_engine[MOST_COLUMNS];
} table;

static size_t element_bytes(const parscan_column *column)
{
    return column->type == PARSCAN_BYTES ? column->width : parscan_type_size(column->type);
}

/* Strings of bytes below `letters`, of which the first `prefix` are the same in all. */
static unsigned char *strings(size_t n, size_t width, size_t letters, size_t prefix)
{
    unsigned char *const bytes = allocated(n * width);
    for (size_t i = 0; i < n * width; i++)
        bytes[i] = (unsigned char)(i % width < prefix ? 'x' : 'a' + random_below(letters));
    return bytes;
}

static void add_strings(table *t, size_t width, size_t letters, size_t prefix)
{
    t->columns[t->count++] =
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = width, .descending = (int)random_below(2),
                       .data = strings(t->n, width, letters, prefix));
}

static void add_keys(table *t, parscan_type type, key_pattern pattern)
{
    t->columns[t->count++] = PARSCAN_COLUMN(.type = type, .descending = (int)random_below(2),
                                            .data = patterned_keys(type, pattern, t->n));
}

static void add_any_column(table *t)
{
    static const size_t letters[] = {1, 2, 3, 26, 256};
    if (random_below(4) == 0) {
        const size_t width = 1 + random_below(WIDEST);
        add_strings(t, width, letters[random_below(COUNT_OF(letters))], random_below(width + 1));
    } else {
        add_keys(t, all_types[random_below(TYPES)], (key_pattern)random_below(KEY_PATTERNS));
    }
}

static void free_table(table *t)
{
    for (size_t k = 0; k < t->count; k++)
        free((void *)t->columns[k].data);
}

static uint64_t index_at(parscan_type type, const void *indices, size_t i)
{
    uint64_t wide;
    uint32_t narrow;
    if (parscan_type_size(type) == sizeof wide) {
        memcpy(&wide, (const char *)indices + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)indices + i * sizeof narrow, sizeof narrow);
    return narrow;
}

static void expect_indices(const table *t, parscan_type type, const void *out, const size_t *order)
{
    for (size_t i = 0; i < t->n; i++)
        cr_assert_eq(index_at(type, out, i), order[i], "%s %zu of %zu rows by %zu columns: not %zu",
                     parscan_type_name(type), i, t->n, t->count, order[i]);
}

/* What is written beside the indices: flags, and values of any size, 0 too. */
typedef struct beside {
    bool heads;
    size_t value_size;
    unsigned char *values;
} beside;

static beside any_beside(size_t n)
{
    static const size_t sizes[] = {0, 0, 1, 4, 8, 8, 12, 64};
    const size_t size = sizes[random_below(COUNT_OF(sizes))];
    beside b = {random_below(3) != 0, size, allocated(n * size)};
    for (size_t i = 0; i < n * size; i++)
        b.values[i] = (unsigned char)random_below(256);
    return b;
}

static void expect_beside(const table *t, const beside *b, const size_t *order,
                          const uint8_t *heads, const unsigned char *values)
{
    for (size_t i = 0; b->heads && i < t->n; i++)
        cr_assert_eq(heads[i],
                     i == 0 ||
                         oracle_compare_rows(t->columns, t->count, order[i - 1], order[i]) != 0,
                     "head %zu of %zu rows by %zu columns", i, t->n, t->count);
    for (size_t i = 0; b->value_size > 0 && i < t->n; i++)
        cr_assert_arr_eq(values + i * b->value_size, b->values + order[i] * b->value_size,
                         b->value_size, "value %zu of %zu rows, %zu bytes", i, t->n, b->value_size);
}

static parscan_sort_columns_options options_of(const beside *b, uint8_t *heads, const void *in,
                                               void *out)
{
    return PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = b->heads ? heads : NULL,
                                        .value_size = b->value_size,
                                        .values_in = b->value_size > 0 ? in : NULL,
                                        .values_out = b->value_size > 0 ? out : NULL);
}

static void expect_ok(parscan_context *context, parscan_status status)
{
    cr_assert_eq(status, PARSCAN_OK, "%s", parscan_context_error(context));
}

/* The columns in the program's memory, the indices at any address. */
static void expect_here(parscan_context *context, const table *t, parscan_type type,
                        const size_t *order)
{
    const size_t bytes = t->n * parscan_type_size(type);
    const size_t shift = random_below(9);
    char *const memory = allocated(bytes + 32);
    const beside with = any_beside(t->n);
    uint8_t *const heads = allocated(t->n);
    unsigned char *const values = allocated(t->n * with.value_size + 8);
    const parscan_sort_columns_options options =
        options_of(&with, heads, with.values, values + shift % 8);
    memset(memory, 0xa5, bytes + 32);
    expect_ok(context, parscan_sort_columns_with(context, t->columns, t->count, type,
                                                 memory + 8 + shift, t->n, &options));
    expect_indices(t, type, memory + 8 + shift, order);
    expect_beside(t, &with, order, heads, values + shift % 8);
    free(with.values);
    free(heads);
    free(values);
    for (size_t i = 0; i < bytes + 32; i++)
        if (i < 8 + shift || i >= 8 + shift + bytes)
            cr_assert_eq((unsigned char)memory[i], 0xa5);
    free(memory);
}

/* All arrays in the engine's memory; strings at any address. */
static void expect_there(parscan_context *context, table *t, parscan_type type, const size_t *order)
{
    parscan_column columns[MOST_COLUMNS];
    const beside with = any_beside(t->n);
    engine_array out = engine_array_create(context, NULL, t->n * parscan_type_size(type), 0);
    engine_array heads = engine_array_create(context, NULL, t->n, random_below(8));
    engine_array values_in =
        engine_array_create(context, with.values, t->n * with.value_size, random_below(8));
    engine_array values_out = engine_array_create(context, NULL, t->n * with.value_size, 4);
    const parscan_sort_columns_options options =
        options_of(&with, heads.array, values_in.array, values_out.array);
    for (size_t k = 0; k < t->count; k++) {
        const parscan_column *const column = &t->columns[k];
        t->on_engine[k] = engine_array_create(context, column->data, t->n * element_bytes(column),
                                              column->type == PARSCAN_BYTES ? random_below(8) : 0);
        columns[k] = *column;
        columns[k].data = t->on_engine[k].array;
    }
    expect_ok(context, parscan_sort_columns_with(context, columns, t->count, type, out.array, t->n,
                                                 &options));
    expect_ok(context, parscan_synchronize(context));
    void *const indices = engine_array_read(&out, "indices");
    void *const flags = engine_array_read(&heads, "heads");
    void *const values = engine_array_read(&values_out, "values");
    expect_indices(t, type, indices, order);
    expect_beside(t, &with, order, flags, values);
    free(indices);
    free(flags);
    free(values);
    free(with.values);
    engine_array_destroy(&out);
    engine_array_destroy(&heads);
    engine_array_destroy(&values_in);
    engine_array_destroy(&values_out);
    for (size_t k = 0; k < t->count; k++)
        engine_array_destroy(&t->on_engine[k]);
}

static void expect_table(parscan_context *context, table *t)
{
    static const parscan_type types[] = {PARSCAN_U32, PARSCAN_I64, PARSCAN_I32, PARSCAN_U64};
    size_t *const order = allocated(t->n * sizeof *order);
    const parscan_type type = types[random_below(COUNT_OF(types))];
    oracle_sort_columns(t->columns, t->count, t->n, order);
    expect_here(context, t, type, order);
    if (engine_has_memory(context))
        expect_there(context, t, type, order);
    free(order);
}

SimdTest(sort_columns, of_any_types_are_in_the_order_of_rows)
{
    static const size_t lengths[] = {0, 1, 2, 3, 10, 100, 1023, 1025, 3001};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < LESS_UNDER_SANITIZER(30, 8) * COUNT_OF(lengths); k++) {
        table t = {.n = lengths[k % COUNT_OF(lengths)]};
        const size_t count = random_below(7);
        for (size_t c = 0; c < count; c++)
            add_any_column(&t);
        if (takes_case())
            expect_table(context, &t);
        free_table(&t);
    }
    parscan_context_destroy(context);
}

/* A column of few values before it, so that it decides between equal rows. */
SimdTest(sort_columns, of_each_type_have_the_order_of_sorts)
{
    parscan_context *const context = test_context();
    for (size_t k = 0; k < TYPES * KEY_PATTERNS; k++) {
        table t = {.n = 400 + random_below(100)};
        if (random_below(4) != 0)
            add_keys(&t, PARSCAN_I16, KEYS_FEW);
        add_keys(&t, all_types[k % TYPES], (key_pattern)(k / TYPES));
        if (takes_case())
            expect_table(context, &t);
        free_table(&t);
    }
    parscan_context_destroy(context);
}

/* Every width, and rows that differ in the last byte alone. */
SimdTest(sort_columns, of_strings_have_the_order_of_memcmp)
{
    parscan_context *const context = test_context();
    for (size_t width = 1; width <= WIDEST; width++)
        for (unsigned k = 0; k < 3; k++) {
            table t = {.n = 300};
            if (k == 1)
                add_keys(&t, PARSCAN_F64, KEYS_SPECIAL);
            add_strings(&t, width, k == 2 ? 256 : 2, k == 0 ? width - 1 : random_below(width));
            if (takes_case())
                expect_table(context, &t);
            free_table(&t);
        }
    parscan_context_destroy(context);
}

/* Rows are told apart by the last columns, if at all, so that each round lists nearly all of them. */
SimdTest(sort_columns, are_as_many_as_64_of_64_bytes)
{
    parscan_context *const context = test_context();
    for (unsigned k = 0; k < 3; k++) {
        if (k != 1 && !takes_larger_case())
            continue;
        table t = {.n = 200};
        for (size_t c = 0; c < MOST_COLUMNS; c++)
            add_strings(&t, WIDEST, 2, k == 2 ? 0 : WIDEST - 1);
        for (size_t c = 0; k == 1 && c + 1 < MOST_COLUMNS;
             c++) /* two kinds of rows, but for the end */
            for (size_t i = 0; i < t.n; i++)
                memset((char *)t.columns[c].data + i * WIDEST, (int)(i % 2), WIDEST);
        expect_table(context, &t);
        free_table(&t);
    }
    parscan_context_destroy(context);
}

/* Pairs, triples and longer groups of rows that are equal in the first 64 bits that vary. */
static table tied_rows(size_t n, size_t distinct)
{
    table t = {.n = n};
    uint64_t *const first = allocated(n * sizeof *first), *const second = allocated(n * 8);
    for (size_t i = 0; i < n; i++) {
        first[i] = random_below(distinct) * 0x9e3779b97f4a7c15u;
        second[i] = random_below(3) == 0 ? random_bits() : random_below(5) << 40;
    }
    t.columns[t.count++] = PARSCAN_COLUMN(.type = PARSCAN_U64, .data = first);
    t.columns[t.count++] = PARSCAN_COLUMN(.type = PARSCAN_I64, .descending = 1, .data = second);
    add_strings(&t, 19, 4, 5);
    add_keys(&t, PARSCAN_BF16, KEYS_SPECIAL);
    return t;
}

SimdTest(sort_columns, are_right_where_rows_are_equal_in_the_first_ones)
{
    static const size_t distinct[] = {1, 2, 100, 20000, 60000, 2000000};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(distinct); k++) {
        if (k != 2 && !takes_larger_case())
            continue;
        table t = tied_rows(LESS_UNDER_SANITIZER(60001, 20001), distinct[k]);
        expect_table(context, &t);
        free_table(&t);
    }
    parscan_context_destroy(context);
}

Test(sort_columns, are_the_same_on_1_2_3_and_7_threads)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    for (size_t k = FIRST_OF_1_2_3_7_THREADS; k < COUNT_OF(threads); k++) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads[k]});
        table t = tied_rows(90001, 30000);
        expect_table(context, &t);
        free_table(&t);
        parscan_context_destroy(context);
    }
}

/* So many that CUDA's keys have 4 bytes; most rows are equal in their first bits, so that keys take the last
   ones first. */
Test(sort_columns, are_right_where_many_rows_have_few_values)
{
    parscan_context *const context = test_context();
    table t = {.n = engine_has_memory(context) ? 2200001 : 20001};
    for (size_t c = 0; c < 3; c++) {
        add_keys(&t, PARSCAN_U64, KEYS_RANDOM);
        for (size_t i = 0; i < t.n; i++)
            if (random_below(8) != 0)
                ((uint64_t *)t.columns[c].data)[i] = 0;
    }
    expect_table(context, &t);
    free_table(&t);
    parscan_context_destroy(context);
}

/* The bits that vary do so in few rows, or all are the same. */
Test(sort_columns, skip_constant_bits)
{
    parscan_context *const context = test_context();
    for (unsigned k = 0; k < 8; k++) {
        if (k != 4 && !takes_larger_case())
            continue;
        table t = {.n = 5000};
        for (size_t c = 0; c < 20; c++)
            add_keys(&t, PARSCAN_U64, KEYS_EQUAL);
        for (size_t c = 0; c < 20; c++)
            if (k > 0)
                ((uint64_t *)t.columns[c].data)[random_below(t.n)] ^=
                    (uint64_t)1 << random_below(k < 4 ? 2 : 64);
        expect_table(context, &t);
        free_table(&t);
    }
    parscan_context_destroy(context);
}

/* ---- many rows of few values, which are numbered on the CPU ---- */

enum { MANY = (1 << 20) + 4099 };

/* Each row once, in order, those that are equal by their numbers; and flags of groups. Quicker than a sort. */
static void expect_in_order(const table *t, const uint32_t *order, const uint8_t *heads)
{
    uint8_t *const seen = allocated(t->n);
    memset(seen, 0, t->n);
    for (size_t i = 0; i < t->n; i++) {
        cr_assert(order[i] < t->n && !seen[order[i]]);
        seen[order[i]] = 1;
        const int found =
            i == 0 ? -1 : oracle_compare_rows(t->columns, t->count, order[i - 1], order[i]);
        cr_assert(found < 0 || (found == 0 && order[i - 1] < order[i]), "row %zu", i);
        cr_assert_eq(heads[i], found < 0, "head %zu", i);
    }
    free(seen);
}

static void expect_numbered(parscan_context *context, const table *t)
{
    uint32_t *const order = allocated(t->n * sizeof *order);
    uint64_t *const in = allocated(t->n * sizeof *in), *const out = allocated(t->n * sizeof *out);
    uint8_t *const heads = allocated(t->n);
    for (size_t i = 0; i < t->n; i++)
        in[i] = i * 0x9e3779b97f4a7c15u;
    expect_ok(context, parscan_sort_columns_with(
                           context, t->columns, t->count, PARSCAN_U32, order, t->n,
                           &PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = heads, .value_size = 8,
                                                         .values_in = in, .values_out = out)));
    expect_in_order(t, order, heads);
    for (size_t i = 0; i < t->n; i++)
        cr_assert_eq(out[i], in[order[i]], "value %zu", i);
    free(order);
    free(in);
    free(out);
    free(heads);
}

/* A column of numbers below `distinct`, turned into values of all bits; the last one is in one row alone. */
static void add_few_values(table *t, size_t distinct)
{
    uint64_t *const values = allocated(t->n * sizeof *values);
    for (size_t i = 0; i < t->n; i++)
        values[i] = random_below(distinct - 1) * 0x9e3779b97f4a7c15u;
    values[t->n - 1 - t->count] = (distinct - 1) * 0x9e3779b97f4a7c15u;
    t->columns[t->count++] = PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 8, .data = values,
                                            .descending = (int)random_below(2));
}

/* 4096 values are the most that have numbers; of 9000 a sample shows too many. */
static void few_values(parscan_context *context, size_t a, size_t b, size_t narrow)
{
    table t = {.n = MANY};
    add_few_values(&t, a);
    add_few_values(&t, b);
    for (size_t c = 0; c < 6; c++) /* more words than have numbers */
        if (narrow > 0)
            add_few_values(&t, narrow);
    add_keys(&t, PARSCAN_I16, KEYS_FEW);
    expect_numbered(context, &t);
    free_table(&t);
}

Test(sort_columns, of_few_values_are_right)
{
    static const size_t distinct[][3] = {{2, 1000, 0}, {4096, 4097, 0}, {9000, 3, 0}, {100, 7, 2}};
    parscan_context *const context = test_context();
    for (size_t k = 0; k < LESS_UNDER_SANITIZER(COUNT_OF(distinct), 2); k++)
        few_values(context, distinct[k][0], distinct[k][1], distinct[k][2]);
    parscan_context_destroy(context);
}

/* Refuses what numbers of values take alone. */
static void *refuse_numbers(size_t size, void *user)
{
    const bool refuses = size > (500u << 10) && size < (600u << 10);
    *(size_t *)user += refuses;
    return refuses ? NULL : malloc(size);
}

static void release_memory(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Without memory for numbers, and with a limit, values are sorted as they are. */
Test(sort_columns, of_few_values_need_no_numbers)
{
    size_t refused = 0;
    const parscan_allocator allocator = {refuse_numbers, release_memory, &refused};
    for (unsigned limited = 0; limited < LESS_UNDER_SANITIZER(2u, 1u); limited++) {
        parscan_context *context;
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 2,
                                    .scratch_limit = limited ? (size_t)1 << 30 : 0,
                                    .allocator = limited ? (parscan_allocator){0} : allocator);
        cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
        few_values(context, 1000, 20, 0);
        parscan_context_destroy(context);
        cr_assert_eq(refused, 1);
    }
}

/* ---- bad arguments ---- */

typedef struct bad_call {
    parscan_column columns[3];
    size_t count, n;
    parscan_type index_type;
    void *out;
    const char *words;
} bad_call;

static uint32_t numbers[16];
static uint64_t indices[16];

static bad_call right_call(void)
{
    return (bad_call){
        .columns = {PARSCAN_COLUMN(.type = PARSCAN_U32, .data = numbers),
                    PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 2, .data = numbers),
                    PARSCAN_COLUMN(.type = PARSCAN_I8, .data = numbers)},
        .count = 3,
        .n = 16,
        .index_type = PARSCAN_U32,
        .out = indices,
    };
}

static void expect_refusal(parscan_context *context, const bad_call *bad)
{
    cr_assert_eq(
        parscan_sort_columns(context, bad->columns, bad->count, bad->index_type, bad->out, bad->n),
        PARSCAN_ERROR_INVALID_ARGUMENT, "%s", bad->words);
    cr_assert_not_null(strstr(parscan_context_error(context), bad->words), "%s: %s", bad->words,
                       parscan_context_error(context));
}

/* What options have wrong. */
Test(sort_columns, name_what_is_wrong_with_options)
{
    parscan_context *const context = test_context();
    const bad_call right = right_call();
    uint8_t heads[16];
    uint32_t values[16];
    const struct {
        parscan_sort_columns_options options;
        const char *words;
    } bad[] = {
        {{.struct_size = 8}, "options->struct_size = 8"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.values_out = values), "options->value_size = 0"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.value_size = 4, .values_out = values), "options->values_in"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.value_size = 4, .values_in = numbers),
         "options->values_out"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = (uint8_t *)numbers), "columns[0].data"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = (uint8_t *)indices + 63), "indices_out"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = (uint8_t *)values, .value_size = 4,
                                      .values_in = numbers, .values_out = values),
         "options->heads_out"},
        {PARSCAN_SORT_COLUMNS_OPTIONS(.heads_out = heads, .value_size = 4, .values_in = values,
                                      .values_out = values),
         "options->values_in"},
    };
    for (size_t k = 0; k < COUNT_OF(bad); k++) {
        cr_assert_eq(parscan_sort_columns_with(context, right.columns, 3, PARSCAN_U32, indices, 16,
                                               &bad[k].options),
                     PARSCAN_ERROR_INVALID_ARGUMENT, "%s", bad[k].words);
        cr_assert_not_null(strstr(parscan_context_error(context), bad[k].words), "%s: %s",
                           bad[k].words, parscan_context_error(context));
    }
    parscan_context_destroy(context);
}

Test(sort_columns, name_what_is_wrong)
{
    parscan_context *const context = test_context();
    const bad_call right = right_call();
    bad_call bad[11];
    for (size_t k = 0; k < COUNT_OF(bad); k++)
        bad[k] = right;
    bad[0].columns[1].width = 0, bad[0].words = "columns[1].width = 0";
    bad[1].columns[1].width = 65, bad[1].words = "columns[1].width = 65";
    bad[2].columns[0].width = 4, bad[2].words = "columns[0].width = 4";
    bad[3].columns[2].type = (parscan_type)99, bad[3].words = "columns[2].type = 99";
    bad[4].columns[2].data = NULL, bad[4].words = "columns[2].data";
    bad[5].columns[1].struct_size = 40, bad[5].words = "columns[1].struct_size = 40";
    bad[6].columns[0].struct_size = 8, bad[6].words = "columns[0]";
    bad[7].index_type = PARSCAN_F32, bad[7].words = "index_type";
    bad[8].out = NULL, bad[8].words = "indices_out";
    bad[9].out = numbers, bad[9].words = "indices_out";
    bad[10].n = ((size_t)1 << 32) + 1, bad[10].words = "n = 4294967297";
    for (size_t k = 0; k < COUNT_OF(bad); k++)
        expect_refusal(context, &bad[k]);
    cr_assert_eq(parscan_sort_columns(context, NULL, 1, PARSCAN_U32, indices, 16),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_sort_columns(context, right.columns, 65, PARSCAN_U32, indices, 16),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "column_count = 65"));
    expect_ok(context, parscan_sort_columns(context, right.columns, 3, PARSCAN_U32, indices, 16));
    expect_ok(context,
              parscan_sort_columns_with(context, right.columns, 3, PARSCAN_U32, indices, 16, NULL));
    expect_ok(context, parscan_sort_columns(context, NULL, 0, PARSCAN_U32, NULL, 0));
    parscan_context_destroy(context);
}
