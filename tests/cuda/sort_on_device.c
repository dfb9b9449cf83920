#include "tests/cuda/sort_on_device.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static size_t value_size_of(const sort_case *sort)
{
    return sort->index_type != 0 ? parscan_type_size(sort->index_type) : sort->value_size;
}

static char *room_at(size_t bytes, unsigned offset)
{
    return (char *)device_room(bytes + offset) + offset;
}

static char *copy_at(const void *from, size_t bytes, unsigned offset)
{
    char *const to = room_at(bytes, offset);
    device_write(to, from, bytes);
    return to;
}

static void free_at(const void *array, unsigned offset)
{
    if (array != NULL)
        CUDA(cudaFree((char *)array - offset));
}

sort_on_device place_sort(const sort_case *sort, const void *keys, const void *values)
{
    const unsigned in_offset = sort->in_offset;
    sort_on_device d = {.key_bytes = sort->n * parscan_type_size(sort->type),
                        .value_bytes = sort->n * value_size_of(sort),
                        .in_offset = in_offset,
                        .out_offset = sort->out_offset};
    void *const keys_in = copy_at(keys, d.key_bytes, in_offset);
    void *const values_in =
        sort->value_size == 0 ? NULL : copy_at(values, d.value_bytes, in_offset);
    void *const values_out = d.value_bytes == 0      ? NULL
                             : sort->values_in_place ? values_in
                                                     : room_at(d.value_bytes, d.out_offset);
    d.arrays =
        (sort_arrays){keys_in, sort->keys_in_place ? keys_in : room_at(d.key_bytes, d.out_offset),
                      values_in, values_out};
    if (sort->cut != NULL) {
        d.segments = sort->cut->segments;
        d.segments.data = device_copy_of(sort->cut->segments.data, sort->cut->bytes);
    }
    return d;
}

void release_sort(const sort_on_device *d)
{
    free_at(d->arrays.keys_in, d->in_offset);
    free_at(d->arrays.values_in, d->in_offset);
    if (d->arrays.keys_out != d->arrays.keys_in)
        free_at(d->arrays.keys_out, d->out_offset);
    if (d->arrays.values_out != d->arrays.values_in)
        free_at(d->arrays.values_out, d->out_offset);
    CUDA(cudaFree((void *)d->segments.data));
}

parscan_status ask_sort(parscan_context *context, const sort_case *sort, const sort_on_device *d)
{
    return call_sort(context, sort, sort->cut == NULL ? NULL : &d->segments, d->arrays);
}

void expect_answer(const sort_case *sort, const void *keys, const void *values,
                   const sort_on_device *d)
{
    char words[SORT_WORDS], described[SORT_WORDS];
    size_t *const order = sort_order(sort, keys);
    const sort_arrays found = {
        NULL, host_copy_of(d->arrays.keys_out, d->key_bytes), NULL,
        d->value_bytes == 0 ? NULL : host_copy_of(d->arrays.values_out, d->value_bytes)};
    if (!sorted_is_right(sort, keys, values, order, found, words)) {
        describe_sort(sort, words, described);
        cr_assert_fail("%s", described);
    }
    free(found.keys_out);
    free(found.values_out);
    free(order);
}

void expect_keys_on_device(parscan_context *context, sort_case sort, const void *keys)
{
    void *const values = sort.value_size == 0 ? NULL : sort_values(sort.value_size, sort.n);
    const sort_on_device d = place_sort(&sort, keys, values);
    expect_ok(context, ask_sort(context, &sort, &d));
    expect_ok(context, parscan_synchronize(context));
    expect_answer(&sort, keys, values, &d);
    release_sort(&d);
    free(values);
}

void expect_on_device(parscan_context *context, sort_case sort, key_pattern pattern)
{
    void *const keys = patterned_keys(sort.type, pattern, sort.n);
    expect_keys_on_device(context, sort, keys);
    free(keys);
}
