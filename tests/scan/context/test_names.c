/* Names, sizes, and the numbers of the ABI. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/type_traits.h"

typedef struct pinned {
    int value, number;
    const char *found, *name;
} pinned;

/* Each of count values has its number and its name. */
static void expect_pinned(const pinned *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        cr_assert_eq(values[k].value, values[k].number, "%s", values[k].name);
        cr_assert_not_null(values[k].found, "%s", values[k].name);
        cr_assert_str_eq(values[k].found, values[k].name);
    }
}

#define EXPECT_PINNED(values) expect_pinned(values, sizeof(values) / sizeof((values)[0]))
#define PINNED(value, number, name_of, name)                    \
    {                                                           \
        PARSCAN_##value, number, name_of(PARSCAN_##value), name \
    }

Test(names, types_keep_their_numbers_and_names)
{
    const pinned types[] = {
        PINNED(U8, 1, parscan_type_name, "u8"),    PINNED(I8, 2, parscan_type_name, "i8"),
        PINNED(U16, 3, parscan_type_name, "u16"),  PINNED(I16, 4, parscan_type_name, "i16"),
        PINNED(U32, 5, parscan_type_name, "u32"),  PINNED(I32, 6, parscan_type_name, "i32"),
        PINNED(U64, 7, parscan_type_name, "u64"),  PINNED(I64, 8, parscan_type_name, "i64"),
        PINNED(F32, 9, parscan_type_name, "f32"),  PINNED(F64, 10, parscan_type_name, "f64"),
        PINNED(F16, 11, parscan_type_name, "f16"), PINNED(BF16, 12, parscan_type_name, "bf16"),
    };
    EXPECT_PINNED(types);
}

Test(names, operators_keep_their_numbers_and_names)
{
    const pinned ops[] = {
        PINNED(SUM, 0, parscan_op_name, "sum"), PINNED(PRODUCT, 1, parscan_op_name, "product"),
        PINNED(MIN, 2, parscan_op_name, "min"), PINNED(MAX, 3, parscan_op_name, "max"),
        PINNED(AND, 4, parscan_op_name, "and"), PINNED(OR, 5, parscan_op_name, "or"),
        PINNED(XOR, 6, parscan_op_name, "xor"),
    };
    EXPECT_PINNED(ops);
}

Test(names, algorithms_keep_their_numbers_and_names)
{
    const pinned algorithms[] = {
        PINNED(AUTO, 0, parscan_algorithm_name, "auto"),
        PINNED(SEQUENTIAL, 1, parscan_algorithm_name, "sequential"),
        PINNED(KOGGE_STONE, 2, parscan_algorithm_name, "kogge-stone"),
        PINNED(BRENT_KUNG, 3, parscan_algorithm_name, "brent-kung"),
        PINNED(THREE_PHASE, 4, parscan_algorithm_name, "three-phase"),
        PINNED(WARP, 5, parscan_algorithm_name, "warp"),
        PINNED(SINGLE_PASS, 6, parscan_algorithm_name, "single-pass"),
        PINNED(WARP_PADDED, 7, parscan_algorithm_name, "warp-padded"),
    };
    EXPECT_PINNED(algorithms);
}

Test(names, backends_keep_their_numbers_and_names)
{
    const pinned backends[] = {
        PINNED(BACKEND_AUTO, 0, parscan_backend_name, "auto"),
        PINNED(BACKEND_CPU, 1, parscan_backend_name, "cpu"),
        PINNED(BACKEND_CUDA, 2, parscan_backend_name, "cuda"),
    };
    EXPECT_PINNED(backends);
}

Test(names, statuses_keep_their_numbers_and_have_words_of_their_own)
{
    const int statuses[] = {
        PARSCAN_OK,
        PARSCAN_ERROR_INVALID_ARGUMENT,
        PARSCAN_ERROR_UNSUPPORTED,
        PARSCAN_ERROR_OUT_OF_MEMORY,
        PARSCAN_ERROR_OVERFLOW,
        PARSCAN_ERROR_CAPACITY,
        PARSCAN_ERROR_BACKEND,
        PARSCAN_ERROR_DEVICE,
        PARSCAN_ERROR_INTERNAL,
        PARSCAN_ERROR_IO,
    };
    for (int k = 0; k < 10; k++) {
        cr_assert_eq(statuses[k], k);
        const char *const words = parscan_status_string((parscan_status)k);
        cr_assert_gt(strlen(words), 0);
        cr_assert_str_neq(words, "unknown status");
        for (int other = 0; other < k; other++)
            cr_assert_str_neq(words, parscan_status_string((parscan_status)other));
    }
}

Test(names, tell_what_is_in_no_enum)
{
    const int strangers[] = {-1, 77, 1 << 30};
    for (size_t k = 0; k < sizeof strangers / sizeof strangers[0]; k++) {
        cr_assert_null(parscan_type_name((parscan_type)strangers[k]));
        cr_assert_null(parscan_op_name((parscan_op)strangers[k]));
        cr_assert_null(parscan_algorithm_name((parscan_algorithm)strangers[k]));
        cr_assert_null(parscan_backend_name((parscan_backend)strangers[k]));
        cr_assert_str_eq(parscan_status_string((parscan_status)strangers[k]), "unknown status");
        cr_assert_eq(parscan_type_size((parscan_type)strangers[k]), 0);
    }
    cr_assert_null(parscan_type_name((parscan_type)0));
    cr_assert_eq(parscan_type_size((parscan_type)0), 0);
}

Test(names, sizes_are_those_of_the_c_types)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2};
    for (int type = 1; type <= 12; type++)
        cr_assert_eq(parscan_type_size((parscan_type)type), sizes[type]);
}

Test(type_traits, give_each_type_its_sign_its_unsigned_type_its_class_of_keys_and_what_computes_it)
{
    static const struct {
        parscan_type type, signless, compute;
        key_class key;
        bool is_signed, is_float;
    } expected[] = {
        {PARSCAN_U8, PARSCAN_U8, PARSCAN_U8, KEY_U8, false, false},
        {PARSCAN_I8, PARSCAN_U8, PARSCAN_I8, KEY_U8, true, false},
        {PARSCAN_U16, PARSCAN_U16, PARSCAN_U16, KEY_U16, false, false},
        {PARSCAN_I16, PARSCAN_U16, PARSCAN_I16, KEY_U16, true, false},
        {PARSCAN_U32, PARSCAN_U32, PARSCAN_U32, KEY_U32, false, false},
        {PARSCAN_I32, PARSCAN_U32, PARSCAN_I32, KEY_U32, true, false},
        {PARSCAN_U64, PARSCAN_U64, PARSCAN_U64, KEY_U64, false, false},
        {PARSCAN_I64, PARSCAN_U64, PARSCAN_I64, KEY_U64, true, false},
        {PARSCAN_F32, PARSCAN_F32, PARSCAN_F32, KEY_F32, false, true},
        {PARSCAN_F64, PARSCAN_F64, PARSCAN_F64, KEY_F64, false, true},
        {PARSCAN_F16, PARSCAN_F16, PARSCAN_F32, KEY_F16, false, true},
        {PARSCAN_BF16, PARSCAN_BF16, PARSCAN_F32, KEY_BF16, false, true},
        {(parscan_type)77, (parscan_type)77, (parscan_type)77, KEY_CLASSES, false, false},
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        const parscan_type type = expected[k].type;
        const parscan_type_traits traits = parscan_type_traits_of(type);
        cr_assert_eq(traits.size, parscan_type_size(type));
        cr_assert_eq(traits.signless, expected[k].signless);
        cr_assert_eq(traits.compute, expected[k].compute);
        cr_assert_eq(traits.key, expected[k].key);
        cr_assert_eq(traits.is_signed, expected[k].is_signed);
        cr_assert_eq(traits.is_float, expected[k].is_float);
    }
}

Test(names, type_of_a_pointer_is_the_type_it_points_to)
{
    cr_assert_eq(PARSCAN_TYPE_OF((uint8_t *)NULL), PARSCAN_U8);
    cr_assert_eq(PARSCAN_TYPE_OF((int8_t *)NULL), PARSCAN_I8);
    cr_assert_eq(PARSCAN_TYPE_OF((uint16_t *)NULL), PARSCAN_U16);
    cr_assert_eq(PARSCAN_TYPE_OF((int16_t *)NULL), PARSCAN_I16);
    cr_assert_eq(PARSCAN_TYPE_OF((uint32_t *)NULL), PARSCAN_U32);
    cr_assert_eq(PARSCAN_TYPE_OF((int32_t *)NULL), PARSCAN_I32);
    cr_assert_eq(PARSCAN_TYPE_OF((uint64_t *)NULL), PARSCAN_U64);
    cr_assert_eq(PARSCAN_TYPE_OF((int64_t *)NULL), PARSCAN_I64);
    cr_assert_eq(PARSCAN_TYPE_OF((const float *)NULL), PARSCAN_F32);
    cr_assert_eq(PARSCAN_TYPE_OF((const double *)NULL), PARSCAN_F64);
    cr_assert_eq(PARSCAN_TYPE_OF((parscan_f16 *)NULL), PARSCAN_F16);
    cr_assert_eq(PARSCAN_TYPE_OF((const parscan_bf16 *)NULL), PARSCAN_BF16);
}

Test(version, of_the_library_is_that_of_the_headers)
{
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", PARSCAN_VERSION_MAJOR, PARSCAN_VERSION_MINOR,
             PARSCAN_VERSION_PATCH);
    cr_assert_str_eq(parscan_version(), PARSCAN_VERSION_STRING);
    cr_assert_str_eq(parscan_version(), numbers);
}
