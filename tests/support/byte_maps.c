#include "tests/support/byte_maps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

void compose_bytes(size_t size, const uint8_t *earlier, const uint8_t *later, uint8_t *out)
{
    size_t k = 0;
    for (; k + 1 < size; k += 2) {
        const uint8_t a = (uint8_t)(earlier[k] * later[k]);
        const uint8_t b = (uint8_t)(later[k] * earlier[k + 1] + later[k + 1]);
        out[k] = a;
        out[k + 1] = b;
    }
    if (k < size)
        out[k] = (uint8_t)(earlier[k] + later[k]);
}

void neutral_bytes(size_t size, uint8_t *out)
{
    memset(out, 0, size);
    for (size_t k = 0; k + 1 < size; k += 2)
        out[k] = 1;
}

uint8_t *random_byte_maps(size_t size, size_t n)
{
    uint8_t *const bytes = malloc(size * n + 8);
    cr_assert_not_null(bytes);
    for (size_t k = 0; k < size * n; k += 8) {
        const uint64_t bits = random_bits();
        memcpy(bytes + k, &bits, size * n - k < 8 ? size * n - k : 8);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k + 1 < size; k += 2)
            bytes[i * size + k] |= 1;
    return bytes;
}

/* The state of the operator. */
typedef struct byte_maps {
    size_t size, alignment;
} byte_maps;

/* Other bytes are what no element, init or identity can lead to: memory that nobody has written. A function that follows
   an index or a pointer in its elements would fail there. */
static bool are_maps(size_t size, const uint8_t *elements, size_t n)
{
    unsigned odd = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k + 1 < size; k += 2)
            odd &= elements[i * size + k];
    return odd != 0;
}

static void compose_many(const void *earlier, const void *later, void *out, size_t n,
                         const void *state)
{
    const byte_maps *const maps = state;
    const size_t size = maps->size;
    if (n == 0 || ((uintptr_t)earlier | (uintptr_t)later | (uintptr_t)out) % maps->alignment != 0)
        abort();
    if (!are_maps(size, earlier, n) || !are_maps(size, later, n))
        abort();
    for (size_t k = 0; k < n; k++)
        compose_bytes(size, (const uint8_t *)earlier + k * size, (const uint8_t *)later + k * size,
                      (uint8_t *)out + k * size);
}

/* The same for CUDA. */
static const char text[] =
    "struct maps { uint8_t of[SIZE]; };\n"
    "__device__ maps compose(maps earlier, maps later, const void *)\n"
    "{\n"
    "    maps both;\n"
    "    for (int k = 0; k + 1 < SIZE; k += 2) {\n"
    "        both.of[k] = (uint8_t)(earlier.of[k] * later.of[k]);\n"
    "        both.of[k + 1] = (uint8_t)(later.of[k] * earlier.of[k + 1] + later.of[k + 1]);\n"
    "    }\n"
    "    if (SIZE % 2 == 1)\n"
    "        both.of[SIZE - 1] = (uint8_t)(earlier.of[SIZE - 1] + later.of[SIZE - 1]);\n"
    "    return both;\n"
    "}\n";

parscan_operator *byte_maps_operator_with(parscan_operator_options options)
{
    char source[sizeof text + 64];
    snprintf(source, sizeof source, "#define SIZE %zu\n%s#undef SIZE\n", options.element_size,
             text);
    const byte_maps maps = {options.element_size, options.alignment != 0 ? options.alignment : 1};
    char words[256] = "";
    parscan_operator *op;
    options.struct_size = sizeof options;
    options.combine = compose_many;
    options.cuda_source = source;
    options.cuda_type = "maps";
    options.cuda_function = "compose";
    options.state = &maps;
    options.state_size = sizeof maps;
    options.error = words;
    options.error_size = sizeof words;
    cr_assert_eq(parscan_operator_create(&op, &options), PARSCAN_OK, "%s", words);
    return op;
}

parscan_operator *byte_maps_operator(size_t size, unsigned alignment, bool has_identity)
{
    uint8_t neutral[MOST_BYTES];
    neutral_bytes(size, neutral);
    return byte_maps_operator_with((parscan_operator_options){
        .element_size = size,
        .alignment = alignment,
        .identity = has_identity ? neutral : NULL,
    });
}
