#include "tests/support/engine_array.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 64, KNOWN = 0xa5 };

static size_t whole(const engine_array *a)
{
    return AROUND + a->shift + a->bytes + AROUND;
}

static unsigned char *image(const engine_array *a)
{
    unsigned char *const bytes = malloc(whole(a));
    cr_assert_not_null(bytes);
    memset(bytes, KNOWN, whole(a));
    return bytes;
}

bool engine_has_memory(const parscan_context *context)
{
    return parscan_context_backend(context) != PARSCAN_BACKEND_CPU;
}

engine_array engine_array_create(parscan_context *context, const void *from, size_t bytes,
                                 size_t shift)
{
    engine_array a = {.context = context, .bytes = bytes, .shift = shift};
    unsigned char *const here = image(&a);
    if (from != NULL && bytes > 0)
        memcpy(here + AROUND + shift, from, bytes);
    if (parscan_malloc(context, &a.memory, whole(&a)) != PARSCAN_OK ||
        parscan_copy(context, a.memory, here, whole(&a)) != PARSCAN_OK)
        cr_assert_fail("%s", parscan_context_error(context));
    a.array = (char *)a.memory + AROUND + shift;
    free(here);
    return a;
}

void *engine_array_read(const engine_array *a, const char *words)
{
    unsigned char *const here = image(a);
    if (parscan_copy(a->context, here, a->memory, whole(a)) != PARSCAN_OK)
        cr_assert_fail("%s", parscan_context_error(a->context));
    for (size_t k = 0; k < AROUND + a->shift; k++)
        cr_assert_eq(here[k], KNOWN, "%zu bytes before an array were written: %s",
                     AROUND + a->shift - k, words);
    for (size_t k = whole(a) - AROUND; k < whole(a); k++)
        cr_assert_eq(here[k], KNOWN, "memory behind an array was written: %s", words);
    memmove(here, here + AROUND + a->shift, a->bytes);
    return here;
}

void engine_array_destroy(engine_array *a)
{
    parscan_free(a->context, a->memory);
}
