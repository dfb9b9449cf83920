#include "tests/cuda/operator_subjects.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"
#include "tests/support/scan_case.h"

/* x -> a x + b modulo 2^32: first the earlier one. */
PARSCAN_DEFINE_OPERATOR(affine, affine_map,
                        (typedef struct affine_map { uint32_t a, b; } affine_map;), {
                            affine_map both;
                            both.a = later.a * earlier.a;
                            both.b = later.a * earlier.b + later.b;
                            return both;
                        })
static const affine_map affine_identity = {1, 0};

/* The same in 16 bytes. */
PARSCAN_DEFINE_OPERATOR(wide_affine, wide_map,
                        (typedef struct wide_map { uint64_t a, b; } wide_map;), {
                            wide_map both;
                            both.a = later.a * earlier.a;
                            both.b = later.a * earlier.b + later.b;
                            return both;
                        })
static const wide_map wide_identity = {1, 0};

/* The last byte that is not 0. */
PARSCAN_DEFINE_OPERATOR(last_byte, uint8_t, (), { return later != 0 ? later : earlier; })
static const uint8_t no_byte = 0;

PARSCAN_DEFINE_OPERATOR(xor_word, uint16_t, (), { return (uint16_t)(earlier ^ later); })

/* Sums, with a state that both add. */
PARSCAN_DEFINE_OPERATOR(shifted_sum, uint32_t, (),
                        { return earlier + later + ((const uint32_t *)state)[1]; })
static const uint32_t shift_state[2] = {9, 7};

/* The first and the last of a range, and its length. */
PARSCAN_DEFINE_OPERATOR(byte_range, bytes3,
                        (typedef struct bytes3 { uint8_t first, last, count; } bytes3;), {
                            bytes3 both;
                            both.first = earlier.first;
                            both.last = later.last;
                            both.count = (uint8_t)(earlier.count + later.count);
                            return both;
                        })

PARSCAN_DEFINE_OPERATOR(word_range, words3,
                        (typedef struct words3 { uint32_t first, last, count; } words3;), {
                            words3 both;
                            both.first = earlier.first;
                            both.last = later.last;
                            both.count = earlier.count + later.count;
                            return both;
                        })

/* Four-by-four bytes: products of matrices modulo 256. */
PARSCAN_DEFINE_OPERATOR(matrix_product, matrix,
                        (typedef struct matrix { uint32_t of[4][4]; } matrix;), {
                            matrix both;
                            for (int i = 0; i < 4; i++)
                                for (int j = 0; j < 4; j++) {
                                    both.of[i][j] = 0;
                                    for (int k = 0; k < 4; k++)
                                        both.of[i][j] += earlier.of[i][k] * later.of[k][j];
                                }
                            return both;
                        })
static const matrix matrix_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};

#define OPTIONS(name, T, ...)                                                               \
    {                                                                                       \
        .struct_size = sizeof(parscan_operator_options), PARSCAN_DEFINED_OPERATOR(name, T), \
        __VA_ARGS__                                                                         \
    }

const operator_subject operator_subjects[OPERATOR_SUBJECTS] = {
    [AFFINE_SUBJECT] = {"affine maps", OPTIONS(affine, affine_map, .identity = &affine_identity), 8,
                        true},
    [BARE_SUBJECT] = {"affine maps without identity", OPTIONS(affine, affine_map, .commutes = 0), 8,
                      false},
    {"affine maps of alignment 4",
     OPTIONS(affine, affine_map, .identity = &affine_identity, .alignment = 4), 4, false},
    {"affine maps of 16 bytes", OPTIONS(wide_affine, wide_map, .identity = &wide_identity), 16,
     false},
    {"the last byte", OPTIONS(last_byte, uint8_t, .identity = &no_byte), 1, true},
    {"exclusive or, without identity", OPTIONS(xor_word, uint16_t, .commutes = 1), 2, false},
    {"sums with a state",
     OPTIONS(shifted_sum, uint32_t, .commutes = 1, .state = shift_state,
             .state_size = sizeof shift_state),
     4, false},
    {"ranges of 3 bytes", OPTIONS(byte_range, bytes3, .commutes = 0), 1, true},
    {"ranges of 12 bytes", OPTIONS(word_range, words3, .commutes = 0), 4, true},
    {"matrices", OPTIONS(matrix_product, matrix, .identity = &matrix_identity), 16, false},
};

parscan_operator *made_operator(const parscan_operator_options *options)
{
    parscan_operator_options told = *options;
    parscan_operator *op;
    char words[256] = "";
    told.error = words;
    told.error_size = sizeof words;
    if (parscan_operator_create(&op, &told) != PARSCAN_OK)
        cr_assert_fail("no operator: %s", words);
    return op;
}

parscan_operator *subject_operator(const operator_subject *subject)
{
    return made_operator(&subject->options);
}

void *subject_elements(const operator_subject *subject, size_t n)
{
    const size_t bytes = n * subject->options.element_size;
    unsigned char *const elements = malloc(bytes + 1);
    if (elements == NULL)
        abort();
    for (size_t k = 0; k < bytes; k++)
        elements[k] = (unsigned char)random_bits();
    return elements;
}

void subject_expected(const operator_subject *subject, int kind, bool reverse, const void *init,
                      const void *in, void *out, size_t n)
{
    const parscan_operator_options *const op = &subject->options;
    const size_t size = op->element_size;
    _Alignas(64) unsigned char sum[64], x[64];
    const void *const start = init != NULL ? init : kind == SCAN_INCLUSIVE ? NULL : op->identity;
    bool there = start != NULL;
    if (there)
        memcpy(sum, start, size);
    for (size_t k = 0; k < n; k++) {
        const size_t i = reverse ? n - 1 - k : k;
        if (kind == SCAN_EXCLUSIVE)
            memcpy((char *)out + i * size, sum, size);
        memcpy(x, (const char *)in + i * size, size);
        if (there)
            op->combine(sum, x, sum, 1, op->state);
        else
            memcpy(sum, x, size);
        there = true;
        if (kind == SCAN_INCLUSIVE)
            memcpy((char *)out + i * size, sum, size);
    }
    if (kind == SCAN_REDUCE)
        memcpy(out, sum, size);
}
