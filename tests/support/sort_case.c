#include "tests/support/sort_case.h"
#include "tests/support/allocated.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64u
#define GUARD_BYTE 0xa5

parscan_status call_sort(parscan_context *context, const sort_case *sort,
                         const parscan_segments *segments, sort_arrays a)
{
    parscan_sort_options options = sort->options;
    options.struct_size = sizeof options;
    if (sort->index_type != 0)
        return parscan_argsort(context, sort->type, a.keys_in, sort->index_type, a.values_out,
                               sort->n, &options);
    if (segments != NULL)
        return parscan_sort_segments(context, sort->type, a.keys_in, a.keys_out, sort->value_size,
                                     a.values_in, a.values_out, sort->n, segments, &options);
    if (sort->value_size != 0)
        return parscan_sort_pairs(context, sort->type, a.keys_in, a.keys_out, sort->value_size,
                                  a.values_in, a.values_out, sort->n, &options);
    return parscan_sort_keys(context, sort->type, a.keys_in, a.keys_out, sort->n, &options);
}

size_t *sort_order(const sort_case *sort, const void *keys)
{
    size_t *const order = allocated(sort->n * sizeof *order);
    const oracle_sort question = {
        .type = sort->type,
        .descending = sort->options.descending != 0,
        .begin_bit = sort->options.begin_bit,
        .end_bit = sort->options.end_bit,
        .keys = keys,
        .n = sort->n,
        .bounds = sort->cut != NULL ? sort->cut->bounds : NULL,
    };
    oracle_sort_order(&question, order);
    return order;
}

void *sort_values(size_t size, size_t n)
{
    unsigned char *const values = allocated(n * size);
    for (size_t i = 0; i < n; i++) {
        const uint64_t word = (uint64_t)i * 0x9e3779b97f4a7c15u;
        unsigned char *const value = values + i * size;
        size_t j = 0;
        for (; j + sizeof word <= size; j += sizeof word) {
            const uint64_t part = word ^ j / 8 % 256 * UINT64_C(0x0101010101010101);
            memcpy(value + j, &part, sizeof part);
        }
        for (; j < size; j++)
            value[j] = (unsigned char)(word >> 8 * (j % 8)) ^ (unsigned char)(j / 8);
    }
    return values;
}

void describe_sort(const sort_case *sort, const char *what, char words[SORT_WORDS])
{
    char cut[CUT_WORDS] = "";
    if (sort->cut != NULL)
        describe_cut(sort->cut, cut);
    snprintf(words, SORT_WORDS,
             "%s of %zu %s, values of %zu bytes, descending %d, bits %u to %u, offsets %u %u, "
             "in place: keys %d values %d; %s: %.200s",
             sort->index_type != 0 ? "argsort" : "sort", sort->n, parscan_type_name(sort->type),
             sort->value_size, sort->options.descending, sort->options.begin_bit,
             sort->options.end_bit, sort->in_offset, sort->out_offset, sort->keys_in_place,
             sort->values_in_place, cut, what);
}

/* The first element in which two arrays differ; n if there is none. */
static size_t differ_at(const void *a, const void *b, size_t size, size_t n)
{
    size_t i = 0;
    if (n == 0 || memcmp(a, b, n * size) == 0)
        return n;
    while (memcmp((const char *)a + i * size, (const char *)b + i * size, size) == 0)
        i++;
    return i;
}

/* Whether out is array in order. */
static bool is_in_order(const char *name, const void *array, size_t size, const size_t *order,
                        size_t n, const void *out, char words[SORT_WORDS])
{
    void *const expected = allocated(n * size);
    oracle_gather(array, size, order, n, expected);
    const size_t at = differ_at(expected, out, size, n);
    free(expected);
    if (at < n)
        snprintf(words, SORT_WORDS, "%s %zu is not the input's %zu", name, at, order[at]);
    return at == n;
}

static bool are_the_indices(parscan_type type, const size_t *order, size_t n, const void *out,
                            char words[SORT_WORDS])
{
    const size_t size = parscan_type_size(type);
    for (size_t k = 0; k < n; k++) {
        uint64_t index = 0; /* little-endian, as all there is */
        memcpy(&index, (const char *)out + k * size, size);
        if (index != order[k]) {
            snprintf(words, SORT_WORDS, "index %zu is %llu, expected %zu", k,
                     (unsigned long long)index, order[k]);
            return false;
        }
    }
    return true;
}

bool sorted_is_right(const sort_case *sort, const void *keys, const void *values,
                     const size_t *order, sort_arrays a, char words[SORT_WORDS])
{
    const size_t n = sort->n;
    if (sort->index_type != 0)
        return are_the_indices(sort->index_type, order, n, a.values_out, words);
    return is_in_order("key", keys, parscan_type_size(sort->type), order, n, a.keys_out, words) &&
           (sort->value_size == 0 ||
            is_in_order("value", values, sort->value_size, order, n, a.values_out, words));
}

/* An input that ends where its memory ends, so that a sanitizer sees a read past it, and an output
   between guards. */
typedef struct in_and_out {
    char *in_memory, *out_memory, *in, *out;
    size_t bytes, before;
} in_and_out;

static in_and_out arrays_of(const void *from, size_t bytes, const sort_case *sort, bool in_place)
{
    in_and_out a = {.bytes = bytes, .before = GUARD + sort->out_offset};
    a.in_memory = allocated(sort->in_offset + bytes);
    a.out_memory = allocated(a.before + bytes + GUARD);
    memset(a.out_memory, GUARD_BYTE, a.before + bytes + GUARD);
    a.out = a.out_memory + a.before;
    a.in = in_place ? a.out : a.in_memory + sort->in_offset;
    if (bytes > 0 && from != NULL)
        memcpy(a.in, from, bytes);
    return a;
}

static const char *wrong_around(const in_and_out *a, const void *from)
{
    for (size_t i = 0; i < a->before; i++)
        if ((unsigned char)a->out_memory[i] != GUARD_BYTE)
            return "memory before the output was written";
    for (size_t i = 0; i < GUARD; i++)
        if ((unsigned char)a->out[a->bytes + i] != GUARD_BYTE)
            return "memory after the output was written";
    if (a->in != a->out && from != NULL && a->bytes > 0 && memcmp(a->in, from, a->bytes) != 0)
        return "an input was written";
    return NULL;
}

static void free_arrays(const in_and_out *a)
{
    free(a->in_memory);
    free(a->out_memory);
}

/* The segments' data at an address as odd as the keys'. */
static parscan_segments segments_at(const cut_array *cut, char *memory, unsigned offset)
{
    parscan_segments segments = cut->segments;
    memcpy(memory + offset, segments.data, cut->bytes);
    segments.data = memory + offset;
    return segments;
}

void expect_order(parscan_context *context, sort_case sort, const void *keys, const size_t *order)
{
    const size_t value_size =
        sort.index_type != 0 ? parscan_type_size(sort.index_type) : sort.value_size;
    void *const values = sort.value_size == 0 ? NULL : sort_values(sort.value_size, sort.n);
    in_and_out k =
        arrays_of(keys, sort.n * parscan_type_size(sort.type), &sort, sort.keys_in_place);
    in_and_out v = arrays_of(values, sort.n * value_size, &sort, sort.values_in_place);
    const sort_arrays arrays = {k.in, k.out, values == NULL ? NULL : v.in,
                                value_size == 0 ? NULL : v.out};
    char *const cut_memory = allocated(sort.cut == NULL ? 0 : sort.in_offset + sort.cut->bytes);
    parscan_segments segments;
    if (sort.cut != NULL)
        segments = segments_at(sort.cut, cut_memory, sort.in_offset);
    char words[SORT_WORDS], described[SORT_WORDS];
    const char *wrong = NULL;
    if (call_sort(context, &sort, sort.cut == NULL ? NULL : &segments, arrays) != PARSCAN_OK ||
        parscan_synchronize(context) != PARSCAN_OK)
        wrong = parscan_context_error(context);
    else if ((wrong = wrong_around(&k, keys)) == NULL)
        wrong = wrong_around(&v, values);
    if (wrong == NULL && sort.cut != NULL &&
        memcmp(segments.data, sort.cut->segments.data, sort.cut->bytes) != 0)
        wrong = "the segments' data was written";
    if (wrong == NULL && !sorted_is_right(&sort, keys, values, order, arrays, words))
        wrong = words;
    if (wrong != NULL) {
        describe_sort(&sort, wrong, described);
        cr_assert_fail("%s", described);
    }
    free(values);
    free(cut_memory);
    free_arrays(&k);
    free_arrays(&v);
}

void expect_sort(parscan_context *context, sort_case sort, const void *keys)
{
    size_t *const order = sort_order(&sort, keys);
    expect_order(context, sort, keys, order);
    free(order);
}
