/*
 * The one function that reads the public structs, on structs of this test: those of an older
 * caller, which are smaller than the library's, of the same version and of a newer one. Every
 * struct lies in memory of exactly its size, so that AddressSanitizer sees a read beyond it.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/context/check.h"

/* The struct in its first version, in the second, and in the library's, the third. */
typedef struct first_version {
    size_t struct_size;
    uint32_t a, b;
} first_version;

typedef struct second_version {
    size_t struct_size;
    uint32_t a, b;
    uint64_t c;
} second_version;

typedef struct third_version {
    size_t struct_size;
    uint32_t a, b;
    uint64_t c, d;
} third_version;

PARSCAN_STRUCT_CAN_GROW(first_version, b, sizeof(first_version));
PARSCAN_STRUCT_CAN_GROW(third_version, d, sizeof(first_version));

enum { OLDEST = sizeof(first_version), TODAY = sizeof(third_version), MOST = 4096 };

static parscan_context *cpu_context(void)
{
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 1);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    return context;
}

/* A struct of `size` bytes, whose first `known` bytes are numbered from 1 and whose rest is zero,
   in memory of exactly that size, but with room for struct_size. For free(). */
static unsigned char *caller_struct(size_t size, size_t known)
{
    const size_t bytes = size > MOST || size < sizeof size ? sizeof size : size;
    unsigned char *const given = malloc(bytes);
    cr_assert_not_null(given);
    for (size_t i = 0; i < bytes; i++)
        given[i] = i < known ? (unsigned char)(i + 1) : 0;
    memcpy(given, &size, sizeof size);
    return given;
}

static parscan_status read_today(parscan_context *context, const void *given, third_version *local)
{
    memset(local, 0xa5, sizeof *local);
    return parscan_read_struct(context, "options", given, OLDEST, local, sizeof *local);
}

Test(read_struct, gives_all_defaults_for_no_struct)
{
    third_version local;
    cr_assert_eq(read_today(NULL, NULL, &local), PARSCAN_OK);
    cr_assert(local.struct_size == TODAY && local.a == 0 && local.b == 0);
    cr_assert(local.c == 0 && local.d == 0);
}

Test(read_struct, of_the_first_version_has_zero_in_the_fields_that_came_later)
{
    third_version local;
    first_version *const given = malloc(sizeof *given);
    *given = (first_version){.struct_size = sizeof *given, .a = 7, .b = 8};
    cr_assert_eq(read_today(NULL, given, &local), PARSCAN_OK);
    cr_assert(local.struct_size == TODAY && local.a == 7 && local.b == 8);
    cr_assert(local.c == 0 && local.d == 0);
    free(given);
}

Test(read_struct, of_a_version_between_has_the_fields_that_it_knows)
{
    third_version local;
    second_version *const given = malloc(sizeof *given);
    *given = (second_version){.struct_size = sizeof *given, .a = 7, .b = 8, .c = 9};
    cr_assert_eq(read_today(NULL, given, &local), PARSCAN_OK);
    cr_assert(local.a == 7 && local.b == 8 && local.c == 9 && local.d == 0);
    free(given);
}

Test(read_struct, of_every_accepted_size_is_copied_up_to_its_end_and_zero_beyond)
{
    parscan_context *const context = cpu_context();
    for (size_t size = OLDEST; size <= MOST; size++) {
        unsigned char *const given = caller_struct(size, TODAY);
        third_version local;
        cr_assert_eq(read_today(context, given, &local), PARSCAN_OK, "%zu: %s", size,
                     parscan_context_error(context));
        cr_assert_eq(local.struct_size, TODAY);
        const size_t common = size < TODAY ? size : TODAY;
        for (size_t i = sizeof size; i < TODAY; i++)
            cr_assert_eq(((unsigned char *)&local)[i], i < common ? i + 1 : 0, "%zu, byte %zu",
                         size, i);
        free(given);
    }
    parscan_context_destroy(context);
}

static void expect_refusal(parscan_context *context, size_t size, const char *limit)
{
    char value[32];
    third_version local;
    unsigned char *const given = caller_struct(size, TODAY);
    cr_assert_eq(read_today(context, given, &local), PARSCAN_ERROR_INVALID_ARGUMENT, "%zu", size);
    const char *const words = parscan_context_error(context);
    snprintf(value, sizeof value, "struct_size = %zu", size);
    cr_assert(strstr(words, "options->") && strstr(words, value) && strstr(words, limit),
              "\"%s\" does not name options->%s and %s", words, value, limit);
    cr_assert(local.struct_size == TODAY && local.a == 0 && local.b == 0);
    cr_assert(local.c == 0 && local.d == 0);
    free(given);
}

Test(read_struct, refuses_sizes_that_no_version_has_and_reads_nothing_but_the_size)
{
    parscan_context *const context = cpu_context();
    for (size_t size = 0; size < OLDEST; size++)
        expect_refusal(context, size, "at least 16");
    expect_refusal(context, MOST + 1, "at most 4096");
    expect_refusal(context, SIZE_MAX / 2, "at most 4096");
    expect_refusal(context, SIZE_MAX, "at most 4096");
    parscan_context_destroy(context);
}

Test(read_struct, refuses_a_newer_struct_with_a_field_set_and_names_its_byte)
{
    parscan_context *const context = cpu_context();
    static const size_t sizes[] = {TODAY + 1, TODAY + 7, TODAY + 8, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t set = TODAY; set < sizes[k]; set++) {
            char byte[32];
            third_version local;
            unsigned char *const given = caller_struct(sizes[k], TODAY);
            given[set] = 0x80;
            cr_assert_eq(read_today(context, given, &local), PARSCAN_ERROR_UNSUPPORTED);
            const char *const words = parscan_context_error(context);
            snprintf(byte, sizeof byte, "byte %zu is", set);
            cr_assert(strstr(words, byte) && strstr(words, "options->struct_size"), "%s", words);
            /* What the library knows has been read all the same: a buffer for the message, for one.
               */
            cr_assert_eq(memcmp((char *)&local + sizeof(size_t), given + sizeof(size_t),
                                TODAY - sizeof(size_t)),
                         0);
            free(given);
        }
    parscan_context_destroy(context);
}
