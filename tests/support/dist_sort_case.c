#include "tests/support/dist_sort_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test_engine.h"

static void *allocated(size_t bytes)
{
    void *const memory = malloc(bytes + 1);
    if (memory == NULL)
        abort();
    return memory;
}

static size_t value_size_of(const dist_sort_case *sort)
{
    return sort->sort.index_type != 0 ? sizeof(uint64_t) : sort->sort.value_size;
}

dist_sort_data dist_sort_data_of(const dist_sort_case *sort, const void *keys, const void *values)
{
    const size_t n = sort->sort.n, size = parscan_type_size(sort->sort.type);
    dist_sort_data data = {.sort = sort, .keys = keys, .values = values};
    data.keys_out = allocated(n * size);
    data.values_out = allocated(n * value_size_of(sort));
    memset(data.keys_out, 0xa5, n * size);
    memset(data.values_out, 0xa5, n * value_size_of(sort));
    data.in = cut_pieces(sort->in, sort->ranks, n);
    data.out = sort->sort.keys_in_place ? data.in : cut_pieces(sort->out, sort->ranks, n);
    if (sort->sort.keys_in_place && n > 0)
        memcpy(data.keys_out, keys, n * size);
    return data;
}

void dist_sort_release(dist_sort_data *data)
{
    free(data->keys_out);
    free(data->values_out);
}

parscan_status dist_sort_call(parscan_comm *comm, const dist_sort_data *data)
{
    const sort_case *const sort = &data->sort->sort;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t in = data->in.begin[rank], out = data->out.begin[rank];
    const size_t n_in = piece_length(&data->in, rank), n_out = piece_length(&data->out, rank);
    const size_t size = parscan_type_size(sort->type), value_size = value_size_of(data->sort);
    const char *const keys = (sort->keys_in_place ? data->keys_out : data->keys) + in * size;
    parscan_sort_options options = sort->options;
    options.struct_size = sizeof options;
    if (sort->index_type != 0)
        return parscan_dist_argsort(comm, sort->type, keys, n_in,
                                    (uint64_t *)(void *)(data->values_out + out * value_size),
                                    n_out, &options);
    if (sort->value_size != 0)
        return parscan_dist_sort_pairs(comm, sort->type, keys, data->keys_out + out * size,
                                       value_size, data->values + in * value_size,
                                       data->values_out + out * value_size, n_in, n_out, &options);
    return parscan_dist_sort_keys(comm, sort->type, keys, n_in, data->keys_out + out * size, n_out,
                                  &options);
}

static void sort_as_rank(parscan_comm *comm, void *state)
{
    const parscan_status status = dist_sort_call(comm, state);
    rank_expect(status == PARSCAN_OK, "%s", parscan_comm_error(comm));
}

/* What one context makes of the joined array. */
static void expect_as_one(const dist_sort_case *sort, const void *keys, const void *values,
                          const dist_sort_data *data, const char *words)
{
    const size_t n = sort->sort.n, size = parscan_type_size(sort->sort.type);
    char *const keys_out = allocated(n * size), *const values_out =
                                                    allocated(n * value_size_of(sort));
    parscan_context *const context = test_context();
    const sort_arrays arrays = {keys, keys_out, values, values_out};
    cr_assert_eq(call_sort(context, &sort->sort, NULL, arrays), PARSCAN_OK, "%s",
                 parscan_context_error(context));
    parscan_context_destroy(context);
    cr_assert(sort->sort.index_type != 0 || memcmp(keys_out, data->keys_out, n * size) == 0,
              "keys differ: %s", words);
    cr_assert(memcmp(values_out, data->values_out, n * value_size_of(sort)) == 0,
              "values differ: %s", words);
    free(keys_out);
    free(values_out);
}

thread_comm_result expect_dist_sort(dist_sort_case sort, const void *keys, const size_t *order)
{
    char what[64], words[SORT_WORDS], wrong[SORT_WORDS] = "";
    void *const values = sort_values(sort.sort.value_size, sort.sort.n);
    dist_sort_data data = dist_sort_data_of(&sort, keys, values);
    snprintf(what, sizeof what, "%u ranks, pieces %d to %d", sort.ranks, sort.in, sort.out);
    describe_sort(&sort.sort, what, words);
    const thread_comm_result result = thread_comm_run(
        &(thread_comm_options){.ranks = sort.ranks, .threads = sort.threads}, sort_as_rank, &data);
    if (order == NULL)
        expect_as_one(&sort, keys, values, &data, words);
    else
        cr_assert(sorted_is_right(&sort.sort, keys, values, order,
                                  (sort_arrays){keys, data.keys_out, values, data.values_out},
                                  wrong),
                  "%s: %s", words, wrong);
    dist_sort_release(&data);
    free(values);
    return result;
}
