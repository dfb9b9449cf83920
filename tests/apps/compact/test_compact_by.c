/* parscan_flags_if(), parscan_compact_by(), and the count alone of every compaction, against the oracle of what
   is kept. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/lengths.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

/* Elements, and which of them are kept. */
typedef struct filtered {
    parscan_type type;
    odd_predicate of;
    size_t n, kept;
    void *in;
    uint64_t *indices;
} filtered;

static void filtered_create(filtered *f, parscan_type type, parscan_comparison comparison, size_t n)
{
    char values[2 * sizeof(uint64_t)];
    f->type = type;
    f->n = n;
    random_fill(type, PARSCAN_SUM, values, 2);
    predicate_of(&f->of, type, comparison, values, values + parscan_type_size(type));
    f->in = patterned_array(type, &f->of.keep, any_pattern(), n);
    f->indices = malloc((n + 1) * sizeof *f->indices);
    cr_assert(f->in != NULL && f->indices != NULL);
    f->kept = oracle_kept(type, f->in, n, &f->of.keep, f->indices);
}

static void filtered_destroy(filtered *f)
{
    free(f->in);
    free(f->indices);
}

static void expect_flags(parscan_context *context, const filtered *f, bool in_place)
{
    const size_t size = parscan_type_size(f->type);
    uint8_t *const memory = malloc(f->n * size + 2);
    cr_assert_not_null(memory);
    memcpy(memory, f->in, f->n * size);
    uint8_t *const flags = in_place ? memory : malloc(f->n + 2);
    memset(flags + f->n, 0xa5, 2);
    cr_assert_eq(
        parscan_flags_if(context, f->type, in_place ? memory : f->in, &f->of.keep, flags, f->n),
        PARSCAN_OK, "%s", parscan_context_error(context));
    for (size_t i = 0, k = 0; i < f->n; i++) {
        const bool kept = k < f->kept && f->indices[k] == i;
        cr_assert_eq(flags[i], kept, "%s, flag %zu of %zu", parscan_type_name(f->type), i, f->n);
        k += kept;
    }
    cr_assert(flags[f->n] == 0xa5 && flags[f->n + 1] == 0xa5);
    if (!in_place)
        free(flags);
    free(memory);
}

static void expect_moved(parscan_context *context, const filtered *f, size_t element_size,
                         bool in_place)
{
    const size_t bytes = f->n * element_size;
    unsigned char *const records = malloc(bytes + 1), *const out = malloc(bytes + 1);
    cr_assert(records != NULL && out != NULL);
    for (size_t i = 0; i < bytes; i++)
        records[i] = (unsigned char)random_bits();
    memcpy(out, records, bytes);
    uint64_t count = 7;
    cr_assert_eq(parscan_compact_by(context, element_size, in_place ? out : records, f->type, f->in,
                                    &f->of.keep, out, f->n, &count),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(count, f->kept);
    for (size_t k = 0; k < f->kept; k++)
        cr_assert_arr_eq(out + k * element_size, records + f->indices[k] * element_size,
                         element_size, "%s, %zu bytes, record %zu of %zu",
                         parscan_type_name(f->type), element_size, k, f->kept);
    free(records);
    free(out);
}

static void expect_counts(parscan_context *context, const filtered *f)
{
    uint64_t count[4] = {7, 7, 7, 7};
    cr_assert_eq(parscan_compact_if(context, f->type, f->in, &f->of.keep, NULL, f->n, &count[0]),
                 PARSCAN_OK, "%s", parscan_context_error(context));
    cr_assert_eq(parscan_compact_indices(context, f->type, f->in, &f->of.keep, PARSCAN_U32, NULL,
                                         f->n, &count[1]),
                 PARSCAN_OK);
    cr_assert_eq(parscan_partition(context, f->type, f->in, &f->of.keep, NULL, f->n, &count[2]),
                 PARSCAN_OK);
    cr_assert_eq(
        parscan_compact_by(context, 12, NULL, f->type, f->in, &f->of.keep, NULL, f->n, &count[3]),
        PARSCAN_OK);
    for (int k = 0; k < 4; k++)
        cr_assert_eq(count[k], f->kept, "%s, way %d", parscan_type_name(f->type), k);
    cr_assert_eq(parscan_unique(context, f->type, f->in, NULL, f->n, &count[0]), PARSCAN_OK);
    cr_assert_eq(parscan_run_length_encode(context, f->type, f->in, NULL, PARSCAN_U32, NULL, f->n,
                                           &count[1]),
                 PARSCAN_OK);
    const uint64_t runs = oracle_run_starts(f->type, f->in, f->n, f->indices);
    cr_assert(count[0] == runs && count[1] == runs, "%s", parscan_type_name(f->type));
}

static const size_t lengths[] = {0, 1, 7, 8, 63, 64, 65, 130, 2047, 2049, 70001};

SimdTest(filter, gives_flags_moves_records_and_counts)
{
    static const size_t sizes[] = {1, 2, 4, 8, 3, 16, 24};
    parscan_context *const context = test_context();
    for (size_t t = 0; t < TYPES; t++)
        for (size_t l = 0; l < COUNT_OF(lengths); l++) {
            filtered f;
            filtered_create(&f, all_types[t], (parscan_comparison)((t + l) % 8), lengths[l]);
            expect_flags(context, &f, false);
            if (parscan_type_size(all_types[t]) == 1)
                expect_flags(context, &f, true);
            expect_moved(context, &f, sizes[(t + l) % COUNT_OF(sizes)], l % 2);
            expect_counts(context, &f);
            filtered_destroy(&f);
        }
    parscan_context_destroy(context);
}

SimdTest(filter, of_many_elements_on_several_threads)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        parscan_context *const context =
            test_context_with((parscan_context_options){.threads = threads});
        filtered f;
        filtered_create(&f, PARSCAN_I32, PARSCAN_LESS, 1000003);
        expect_flags(context, &f, false);
        expect_moved(context, &f, 8, false);
        expect_moved(context, &f, 4, true);
        expect_counts(context, &f);
        filtered_destroy(&f);
        parscan_context_destroy(context);
    }
}

Test(count_alone, of_flags_reads_no_elements)
{
    const uint8_t flags[5] = {0, 3, 0, 1, 255};
    uint64_t count = 0;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_compact(context, 100, NULL, flags, NULL, 5, &count), PARSCAN_OK);
    cr_assert_eq(count, 3);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 2)), PARSCAN_OK);
    cr_assert_eq(parscan_compact(context, 100, NULL, flags, NULL, 5, &count),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert_eq(count, 3);
    parscan_context_destroy(context);
}

Test(filter, takes_lengths_and_refuses_bad_arguments_in_words)
{
    const uint32_t in[4] = {5, 0, 7, 9};
    const uint64_t two = 2;
    uint32_t out[4] = {0};
    uint8_t flags[4] = {9, 9, 9, 9};
    uint64_t count = 99;
    parscan_context *const context = test_context();
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.n = &two)), PARSCAN_OK);
    cr_assert_eq(parscan_flags_if(context, PARSCAN_U32, in, NULL, flags, 4), PARSCAN_OK);
    cr_assert(flags[0] == 1 && flags[1] == 0 && flags[2] == 9);
    cr_assert_eq(parscan_set_lengths(context, &PARSCAN_LENGTHS(.out_capacity = 2)), PARSCAN_OK);
    cr_assert_eq(parscan_compact_by(context, 4, in, PARSCAN_U32, in, NULL, out, 4, &count),
                 PARSCAN_ERROR_CAPACITY);
    cr_assert(count == 3 && out[0] == 5 && out[1] == 7 && out[2] == 0);
#define REFUSED(call, word)                             \
    cr_assert_eq(call, PARSCAN_ERROR_INVALID_ARGUMENT); \
    cr_assert(strstr(parscan_context_error(context), word), "%s", parscan_context_error(context))
    REFUSED(parscan_flags_if(context, PARSCAN_U32, NULL, NULL, flags, 4), "in is NULL");
    REFUSED(parscan_flags_if(context, PARSCAN_U32, in, NULL, NULL, 4), "flags_out is NULL");
    REFUSED(parscan_flags_if(context, (parscan_type)77, in, NULL, flags, 4), "type = 77");
    REFUSED(parscan_compact_by(context, 4, in, PARSCAN_U32, NULL, NULL, out, 4, &count),
            "by is NULL");
    REFUSED(parscan_compact_by(context, 4, NULL, PARSCAN_U32, in, NULL, out, 4, &count),
            "in is NULL");
    REFUSED(parscan_compact_by(context, 0, in, PARSCAN_U32, in, NULL, out, 4, &count),
            "element_size = 0");
    REFUSED(parscan_compact_by(context, 4, in, PARSCAN_U32, in, NULL, out, 4, NULL),
            "count is NULL");
    cr_assert_eq(parscan_flags_if(NULL, PARSCAN_U32, in, NULL, flags, 4),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_context_destroy(context);
}
