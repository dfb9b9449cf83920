/* Operators of the caller's are made, and refused, in words. */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/scan.h"
#include "parscan/segmented.h"
#include "tests/support/byte_maps.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"

PARSCAN_DEFINE_OPERATOR(sum_of_pairs, pair, (typedef struct pair { int32_t a, b; } pair;), {
    pair sum = {earlier.a + later.a, earlier.b + later.b};
    return sum;
})

static const parscan_operator_options right = {
    .struct_size = sizeof right,
    PARSCAN_DEFINED_OPERATOR(sum_of_pairs, pair),
};

/* The options are INVALID_ARGUMENT, and the words name what is wrong. */
static void expect_refused(parscan_operator_options options, const char *named)
{
    char words[256] = "";
    parscan_operator *op = (parscan_operator *)(void *)words;
    options.error = words;
    options.error_size = sizeof words;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_ERROR_INVALID_ARGUMENT, "%s",
                 named);
    cr_assert_null(op);
    cr_assert(strstr(words, named) != NULL, "%s: %s", named, words);
}

static void load_nothing(const void *in, size_t first, void *out, size_t n, const void *state)
{
    (void)in, (void)first, (void)out, (void)n, (void)state;
}

static void relate_nothing(const void *a, const void *b, uint8_t *flags, size_t n,
                           const void *state)
{
    (void)a, (void)b, (void)flags, (void)n, (void)state;
}

static void test_nothing(const void *x, uint8_t *flags, size_t n, const void *state)
{
    (void)x, (void)flags, (void)n, (void)state;
}

static void *no_memory(size_t size, void *user)
{
    (void)size, (void)user;
    return NULL;
}

Test(operator, is_refused_in_words)
{
    parscan_operator_options options = right;
    options.element_size = 0;
    expect_refused(options, "element_size = 0");
    options.element_size = 65;
    expect_refused(options, "element_size = 65");
    options = right;
    options.alignment = 16;
    expect_refused(options, "alignment = 16");
    options.alignment = 3;
    expect_refused(options, "alignment = 3");
    options.alignment = 128;
    expect_refused(options, "alignment = 128");
    options = right;
    options.state_size = 4;
    expect_refused(options, "state is NULL, state_size = 4");
    options.state = &right;
    options.state_size = 0;
    expect_refused(options, "state_size = 0");
    options.state_size = 4097;
    expect_refused(options, "state_size = 4097");
    options = right;
    options.combine = NULL;
    options.cuda_source = NULL;
    expect_refused(options, "combine and cuda_source are NULL");
    options = right;
    options.test = test_nothing;
    expect_refused(options, "kind = 0 has an option of another kind: test");
    options = right;
    options.kind = PARSCAN_OPERATOR_PREDICATE;
    options.cuda_source = NULL;
    expect_refused(options, "test and cuda_source are NULL");
    options = right;
    options.kind = PARSCAN_OPERATOR_PREDICATE;
    options.test = test_nothing;
    expect_refused(options, "kind = 2 has an option of another kind: combine");
    options.combine = NULL;
    options.load = load_nothing;
    expect_refused(options, "load or store");
    options = right;
    options.kind = (parscan_operator_kind)7;
    expect_refused(options, "kind = 7");
    options.kind = PARSCAN_OPERATOR_RELATION;
    options.combine = NULL;
    options.cuda_source = NULL;
    expect_refused(options, "relate and cuda_source are NULL");
    options = right;
    options.kind = PARSCAN_OPERATOR_RELATION;
    options.relate = relate_nothing;
    expect_refused(options, "combine");
    options.combine = NULL;
    options.identity = &right;
    expect_refused(options, "identity");
    options = right;
    options.kind = PARSCAN_OPERATOR_PREDICATE;
    options.combine = NULL;
    options.test = test_nothing;
    options.commutes = 1;
    expect_refused(options, "kind = 2 has an option of another kind: commutes");
    options = right;
    options.relate = relate_nothing;
    expect_refused(options, "relate");
    options = right;
    options.in_size = 4;
    expect_refused(options, "in_size = 4");
    options = right;
    options.out_size = 4;
    expect_refused(options, "out_size = 4");
    options = right;
    options.allocator.allocate = no_memory;
    expect_refused(options, "allocator");
    options = right;
    options.load = load_nothing;
    options.struct_size = 8;
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_operator_create(&op, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_operator_create(NULL, &right), PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_operator_destroy(NULL);
}

Test(operator, names_for_cuda_are_refused_in_words)
{
    parscan_operator_options options = right;
    options.cuda_type = NULL;
    expect_refused(options, "cuda_type is NULL");
    options = right;
    options.cuda_function = "sum; int more";
    expect_refused(options, "cuda_function is no name");
    options.cuda_function = "";
    expect_refused(options, "cuda_function is no name");
    options = right;
    options.cuda_load = "load\n";
    expect_refused(options, "cuda_load is no name");
    options.cuda_load = "load";
    expect_refused(options, "cuda_load and cuda_store");
    options = right;
    options.compile_seconds = -1;
    expect_refused(options, "compile_seconds = -1");
}

/* A call is refused, and its words have these in them. */
Test(operator, and_type_go_together)
{
    parscan_context *const context = test_context();
    parscan_operator *op;
    pair in[4] = {{1, 2}}, out[4] = {{0, 0}};
    cr_assert_eq(parscan_operator_create(&op, &right), PARSCAN_OK);
    const parscan_scan_options none = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_SUM);
    expect_error_words(context, parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &none),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "custom is NULL");
    expect_error_words(context, parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "custom is NULL");
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(context, parscan_inclusive_scan(context, PARSCAN_U64, in, out, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "type = u64");
    options.op = PARSCAN_MAX;
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "op = 3");
    options = PARSCAN_SCAN_OPTIONS(.custom = op, .out_type = PARSCAN_U64);
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "out_type = 7");
    const parscan_shape shape = PARSCAN_SHAPE(.outer = 1, .inner = 2);
    options = PARSCAN_SCAN_OPTIONS(.custom = op, .shape = &shape);
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 2, &options),
                       PARSCAN_ERROR_UNSUPPORTED, "shape");
    options = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(context, parscan_difference(context, PARSCAN_CUSTOM, in, out, 4, &options),
                       PARSCAN_ERROR_UNSUPPORTED, "no operator");
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, NULL, out, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "in is NULL");
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, NULL, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "out is NULL");
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, in + 1, 3, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "overlap");
    options =
        PARSCAN_SCAN_OPTIONS(.custom = op, .algorithm = PARSCAN_KOGGE_STONE, .block_threads = 4000);
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &options),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "block_threads");
    cr_assert(out[0].a == 0 && out[3].b == 0);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

Test(operator, keeps_copies_of_state_and_identity)
{
    parscan_context *const context = test_context();
    uint8_t neutral[4], out[4] = {0};
    neutral_bytes(4, neutral);
    parscan_operator *const op = byte_maps_operator(4, 0, true);
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.custom = op);
    cr_assert_eq(parscan_reduce(context, PARSCAN_CUSTOM, NULL, out, 0, &options), PARSCAN_OK);
    cr_assert_eq(memcmp(out, neutral, 4), 0);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* It has a text for CUDA alone, and an engine that it has nothing for says so. */
Test(operator, of_one_engine_is_unsupported_on_the_other)
{
    parscan_context *const context = test_context();
    const bool on_cpu = parscan_context_backend(context) == PARSCAN_BACKEND_CPU;
    parscan_operator_options options = right;
    parscan_operator *op;
    pair in[4] = {{1, 2}}, out[4] = {{0, 0}};
    if (on_cpu)
        options.combine = NULL;
    else
        options.cuda_source = NULL;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    const parscan_scan_options custom = PARSCAN_SCAN_OPTIONS(.custom = op);
    expect_error_words(context,
                       parscan_inclusive_scan(context, PARSCAN_CUSTOM, in, out, 4, &custom),
                       PARSCAN_ERROR_UNSUPPORTED, on_cpu ? "no combine" : "no cuda_source");
    cr_assert(out[0].a == 0 && out[3].b == 0);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}

/* What is compiled, without a GPU: nothing yet. */
Test(operator, code_is_saved_loaded_and_prepared)
{
    parscan_context *const context = test_context();
    parscan_operator_options options = right;
    parscan_operator *op, *other;
    char blob[512];
    size_t size = 77, again;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK);
    options.commutes = 1;
    cr_assert_eq(parscan_operator_create(&other, &options), PARSCAN_OK);
    cr_assert_str_eq(parscan_operator_log(op), "");
    cr_assert_str_eq(parscan_operator_log(NULL), "");
    expect_error_words(context, parscan_operator_save(context, op, blob, sizeof blob, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "size is NULL");
    expect_error_words(context, parscan_operator_save(context, NULL, blob, sizeof blob, &size),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "op is NULL");
    expect_error_words(context, parscan_operator_save(context, op, NULL, 4, &size),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "blob is NULL");
    expect_error_words(context, parscan_operator_load(context, op, NULL, 4),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "blob is NULL");
    cr_assert_eq(parscan_operator_save(NULL, op, blob, 4, &size), PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_operator_load(NULL, op, blob, 4), PARSCAN_ERROR_INVALID_ARGUMENT);
    const parscan_status status = parscan_operator_save(context, op, NULL, 0, &size);
    if (status == PARSCAN_ERROR_UNSUPPORTED) { /* a build without CUDA */
        expect_error_words(context, status, PARSCAN_ERROR_UNSUPPORTED, "no CUDA");
        expect_error_words(context, parscan_operator_load(context, op, blob, 4),
                           PARSCAN_ERROR_UNSUPPORTED, "no CUDA");
    } else {
        expect_error_words(context, status, PARSCAN_ERROR_CAPACITY, "capacity = 0");
        cr_assert_eq(parscan_operator_save(context, op, blob, sizeof blob, &again), PARSCAN_OK);
        cr_assert_eq(size, again);
        cr_assert_eq(parscan_operator_load(context, op, blob, size), PARSCAN_OK);
        expect_error_words(context, parscan_operator_load(context, other, blob, size),
                           PARSCAN_ERROR_INVALID_ARGUMENT, "of another operator");
        expect_error_words(context, parscan_operator_load(context, op, blob, size - 1),
                           PARSCAN_ERROR_INVALID_ARGUMENT, "too short");
        blob[size - 1] ^= 1;
        expect_error_words(context, parscan_operator_load(context, op, blob, size),
                           PARSCAN_ERROR_INVALID_ARGUMENT, "damaged");
    }
    parscan_operator_destroy(op);
    parscan_operator_destroy(other);
    parscan_context_destroy(context);
}

Test(operator, uses_are_refused_in_words)
{
    parscan_context *const context = test_context();
    parscan_operator *op;
    cr_assert_eq(parscan_operator_create(&op, &right), PARSCAN_OK);
    cr_assert_eq(parscan_operator_prepare(NULL, op, 1, NULL), PARSCAN_ERROR_INVALID_ARGUMENT);
    expect_error_words(context, parscan_operator_prepare(context, NULL, 1, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "op is NULL");
    expect_error_words(context, parscan_operator_prepare(context, op, 0, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "uses = 0");
    expect_error_words(context, parscan_operator_prepare(context, op, 8, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "uses = 0x8");
    const parscan_scan_options wrong = PARSCAN_SCAN_OPTIONS(.algorithm = (parscan_algorithm)99);
    expect_error_words(context, parscan_operator_prepare(context, op, 1, &wrong),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "algorithm = 99");
    if (parscan_context_backend(context) == PARSCAN_BACKEND_CPU)
        cr_assert_eq(parscan_operator_prepare(context, op, 7 | 64 | 128, NULL), PARSCAN_OK);
    parscan_operator_destroy(op);
    const parscan_operator_options relates =
        PARSCAN_OPERATOR_OPTIONS(.kind = PARSCAN_OPERATOR_RELATION, .element_size = 4,
                                 .relate = relate_nothing);
    cr_assert_eq(parscan_operator_create(&op, &relates), PARSCAN_OK);
    expect_error_words(context, parscan_operator_prepare(context, op, 1, NULL),
                       PARSCAN_ERROR_INVALID_ARGUMENT, "uses = 0x1");
    if (parscan_context_backend(context) == PARSCAN_BACKEND_CPU)
        cr_assert_eq(parscan_operator_prepare(context, op,
                                              PARSCAN_USE_SORT_BY | PARSCAN_USE_UNIQUE_BY, NULL),
                     PARSCAN_OK);
    parscan_operator_destroy(op);
    parscan_context_destroy(context);
}
