/* Differences and flags in chunks, against loops over the whole array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chunked_case.h"
#include "tests/support/compact_case.h"
#include "tests/support/every_simd.h"
#include "tests/support/number.h"
#include "tests/support/oracle.h"
#include "tests/support/oracle_compact.h"
#include "tests/support/random.h"
#include "tests/support/test_engine.h"

enum { WIDEST = 16, FEW = 7 };

/* ---- differences ---- */

typedef struct difference_case {
    parscan_type type;
    parscan_op op;
    const void *init, *in;
    size_t n, most;
    uint64_t borders;
} difference_case;

static parscan_status make_difference(parscan_chunked **chunked, parscan_context *context,
                                      const void *what)
{
    const difference_case *const d = what;
    return parscan_chunked_create_difference(chunked, context, d->type,
                                             &PARSCAN_SCAN_OPTIONS(.op = d->op, .init = d->init));
}

/* A difference of floats of up to 24 bits, in double and rounded once more, is rounded right: double has more
   than twice as many bits. */
static void subtract(const difference_case *d, number a, number b, void *out, size_t i)
{
    if (a.is_float)
        number_write_real(d->type, out, i, a.real - b.real);
    else
        number_write_integer(d->type, out, i,
                             d->op == PARSCAN_XOR ? a.integer ^ b.integer : a.integer - b.integer);
}

static void expect_differences(const chunked_contexts *contexts, const difference_case *d)
{
    const size_t size = parscan_type_size(d->type);
    char *const expected = need_memory(d->n * size), *const out = need_memory(d->n * size);
    for (size_t i = 0; i < d->n; i++)
        if (i > 0 || d->init != NULL)
            subtract(d, number_read(d->type, d->in, i),
                     i > 0 ? number_read(d->type, d->in, i - 1) : number_read(d->type, d->init, 0),
                     expected, i);
        else
            memcpy(expected, d->in, size);
    const chunked_case c = {.make = make_difference,
                            .what = d,
                            .in = d->in,
                            .in_size = size,
                            .out = out,
                            .out_size = size,
                            .n = d->n,
                            .most = d->most,
                            .in_place = true,
                            .borders = d->borders};
    chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, d->n);
    const size_t wrong = first_difference(d->type, expected, out, d->n);
    cr_assert_eq(wrong, d->n, "%s of %s, init %d, borders %llx: element %zu of %zu",
                 parscan_op_name(d->op), parscan_type_name(d->type), d->init != NULL,
                 (unsigned long long)d->borders, wrong, d->n);
    free(expected);
    free(out);
}

static void expect_every_way(const chunked_contexts *contexts, difference_case d)
{
    char init[WIDEST + 1];
    void *const in = random_array(d.type, PARSCAN_SUM, d.n);
    random_fill(d.type, PARSCAN_SUM, init + 1, 1);
    d.in = in;
    for (unsigned way = 0; way < 4; way++) {
        d.op = (way & 1) && !oracle_is_float(d.type) ? PARSCAN_XOR : PARSCAN_SUM;
        d.init = way & 2 ? init + 1 : NULL;
        expect_differences(contexts, &d);
    }
    free(in);
}

SimdTest(chunked_difference, of_every_type_is_right)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++) {
        expect_every_way(&contexts,
                         (difference_case){.type = all_types[t], .n = 5003, .most = 1500});
        expect_every_way(&contexts, (difference_case){.type = all_types[t], .n = 200, .most = 3});
        expect_every_way(&contexts, (difference_case){.type = all_types[t], .n = 0, .most = 1});
    }
    expect_every_way(&contexts,
                     (difference_case){.type = PARSCAN_U64, .n = 300007, .most = 300007});
    expect_every_way(&contexts,
                     (difference_case){.type = PARSCAN_BF16, .n = 300007, .most = 300007});
    chunked_contexts_destroy(&contexts);
}

Test(chunked_difference, is_right_wherever_chunks_end)
{
    chunked_contexts contexts = chunked_contexts_make(2);
    for (size_t t = 0; t < TYPES; t++)
        for (unsigned cut = 0; cut < 1u << (FEW - 1); cut++)
            expect_every_way(&contexts, (difference_case){.type = all_types[t],
                                                          .n = FEW,
                                                          .borders = cut | 1u << (FEW - 1)});
    chunked_contexts_destroy(&contexts);
}

/* ---- flags ---- */

typedef struct flags_case {
    parscan_type type;
    const parscan_predicate *keep;
} flags_case;

static parscan_status make_flags(parscan_chunked **chunked, parscan_context *context,
                                 const void *what)
{
    const flags_case *const f = what;
    return parscan_chunked_create_flags_if(chunked, context, f->type, f->keep);
}

static void expect_flags(const chunked_contexts *contexts, const flags_case *f, const void *in,
                         size_t n)
{
    const size_t size = parscan_type_size(f->type);
    uint8_t *const flags = need_memory(n);
    const chunked_case c = {.make = make_flags,
                            .what = f,
                            .in = in,
                            .in_size = size,
                            .out = flags,
                            .out_size = 1,
                            .n = n,
                            .most = n / 3 + 1,
                            .in_place = size == 1};
    chunked_run(contexts, &c, (parscan_chunked_end){.out = NULL}, n);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(flags[i], oracle_keeps(f->type, (const char *)in + i * size, f->keep),
                     "%s: flag %zu of %zu", parscan_type_name(f->type), i, n);
    free(flags);
}

SimdTest(chunked_flags_if, of_every_type_and_predicate_are_right)
{
    chunked_contexts contexts = chunked_contexts_make(3);
    for (size_t t = 0; t < TYPES; t++)
        for (int comparison = PARSCAN_NONZERO; comparison <= PARSCAN_BETWEEN; comparison++) {
            odd_predicate of;
            const parscan_type type = all_types[t];
            void *const bounds = random_array(type, PARSCAN_SUM, 2);
            predicate_of(&of, type, (parscan_comparison)comparison, bounds,
                         (char *)bounds + parscan_type_size(type));
            void *const in = patterned_array(type, &of.keep, HALF, 2003);
            expect_flags(&contexts, &(flags_case){type, &of.keep}, in, 2003);
            expect_flags(&contexts, &(flags_case){type, NULL}, in, comparison == 0 ? 0 : 50);
            free(bounds);
            free(in);
        }
    chunked_contexts_destroy(&contexts);
}

/* ---- what is refused ---- */

Test(chunked_each, refuses_bad_arguments_in_words)
{
    static const struct {
        parscan_scan_options options;
        const char *words;
    } wrong[] = {
        {{.struct_size = sizeof(parscan_scan_options), .op = PARSCAN_MAX}, "op = max"},
        {{.struct_size = sizeof(parscan_scan_options), .out_type = PARSCAN_U64}, "out_type = u64"},
        {{.struct_size = sizeof(parscan_scan_options), .reverse = 1}, "reverse = 1"},
    };
    parscan_context *const context = test_context();
    parscan_chunked *chunked;
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        cr_assert_eq(
            parscan_chunked_create_difference(&chunked, context, PARSCAN_U32, &wrong[k].options),
            PARSCAN_ERROR_UNSUPPORTED);
        cr_assert_not_null(strstr(parscan_context_error(context), wrong[k].words), "%s",
                           parscan_context_error(context));
        cr_assert_null(chunked);
    }
    cr_assert_eq(parscan_chunked_create_flags_if(&chunked, context, (parscan_type)77, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "type = 77"));
    uint16_t both[4] = {1, 2, 3, 4};
    cr_assert_eq(parscan_chunked_create_flags_if(&chunked, context, PARSCAN_U16, NULL), PARSCAN_OK);
    cr_assert_eq(parscan_chunked_update(chunked, &PARSCAN_CHUNK(.in = both, .out = both, .n = 4)),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_not_null(strstr(parscan_context_error(context), "chunk->out"));
    parscan_chunked_destroy(chunked);
    parscan_context_destroy(context);
}
