#include "tests/support/dist_sort_case.h"
#include "tests/support/allocated.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test_engine.h"

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
    return data;
}

void dist_sort_release(dist_sort_data *data)
{
    free(data->keys_out);
    free(data->values_out);
}

/* An argsort takes arrays of the program's memory. */
static parscan_status call_argsort(parscan_comm *comm, const dist_sort_data *data,
                                   const parscan_sort_options *options)
{
    const sort_case *const sort = &data->sort->sort;
    const unsigned rank = parscan_comm_rank(comm);
    return parscan_dist_argsort(
        comm, sort->type, data->keys + data->in.begin[rank] * parscan_type_size(sort->type),
        piece_length(&data->in, rank), (uint64_t *)(void *)data->values_out + data->out.begin[rank],
        piece_length(&data->out, rank), options);
}

/* A sort takes pieces in the memory of the engine. */
parscan_status dist_sort_call(parscan_comm *comm, const dist_sort_data *data)
{
    const sort_case *const sort = &data->sort->sort;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t in = data->in.begin[rank], out = data->out.begin[rank];
    const size_t n_in = piece_length(&data->in, rank), n_out = piece_length(&data->out, rank);
    const size_t size = parscan_type_size(sort->type), value_size = sort->value_size;
    parscan_sort_options options = sort->options;
    options.struct_size = sizeof options;
    if (sort->index_type != 0)
        return call_argsort(comm, data, &options);
    char *const keys = data->keys_out + out * size, *const values =
                                                        data->values_out + out * value_size;
    void *const keys_in = piece_create(comm, data->keys + in * size, n_in * size);
    void *const values_in =
        piece_create(comm, (char *)data->values + in * value_size, n_in * value_size);
    void *const keys_out = sort->keys_in_place ? keys_in : piece_create(comm, NULL, n_out * size);
    void *const values_out = piece_create(comm, NULL, n_out * value_size);
    const parscan_status status =
        value_size != 0
            ? parscan_dist_sort_pairs(comm, sort->type, keys_in, keys_out, value_size, values_in,
                                      values_out, n_in, n_out, &options)
            : parscan_dist_sort_keys(comm, sort->type, keys_in, n_in, keys_out, n_out, &options);
    piece_read(comm, keys, keys_out, n_out * size);
    piece_read(comm, values, values_out, n_out * value_size);
    if (!sort->keys_in_place)
        piece_destroy(comm, keys_out);
    piece_destroy(comm, values_out);
    piece_destroy(comm, keys_in);
    piece_destroy(comm, values_in);
    return status;
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
