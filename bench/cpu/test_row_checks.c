/* The checks of the CPU's rows: they accept what a plain loop computes, and find an
   element, or a count, that is not right. */
#include <criterion/criterion.h>
#include <string.h>

#include "parscan/parscan.h"
#include "rows.h"

enum { SEED = 11 };

/* Lengths with a last block that is full, and with one that is not. */
static const size_t lengths[] = {1u << 17, 200003, 300};

/* An output of a row, and how many bytes its elements have. */
typedef struct output {
    char *array;
    size_t count, size;
} output;

static bool is(const bench_row *row, const char *work)
{
    return strcmp(row->work, work) == 0;
}

static bool begins(const bench_row *row, const char *work)
{
    return strncmp(row->work, work, strlen(work)) == 0;
}

/* Whether the row counts its elements; partition does, too. */
static bool counts(const bench_row *row)
{
    return begins(row, "compact") || is(row, "segmented-reduce") || is(row, "unique") ||
           is(row, "run-lengths") || is(row, "dense-to-csr") || is(row, "expand");
}

static bool has_result(const bench_row *row)
{
    return counts(row) || begins(row, "reduce") || is(row, "partition") || is(row, "allocate");
}

/* The outputs of a row after a call; those that it has not have a count of 0. */
static void outputs_of(const row_data *d, output found[2])
{
    const bench_row *const row = d->row;
    found[0] = (output){d->out, d->n, row->element_size};
    found[1] = (output){d->more_out, 0, sizeof(uint32_t)};
    if (begins(row, "reduce"))
        found[0].count = 0;
    else if (counts(row) || is(row, "pack"))
        found[0].count = d->count;
    else if (begins(row, "histogram"))
        found[0] = (output){d->more_out, row->parameter, 4};
    else if (is(row, "argsort"))
        found[0] = (output){d->more_out, d->n, 4};
    else if (is(row, "allocate"))
        found[0].size = sizeof(uint64_t);
    else if (begins(row, "bin-"))
        found[1] = (output){(char *)((uint32_t *)d->out + d->n), row->parameter + 1, 4};
    if (is(row, "sort-pairs"))
        found[1].count = d->n;
    else if (is(row, "run-lengths") || is(row, "dense-to-csr") || is(row, "expand"))
        found[1].count = d->count;
}

/* Changes the lowest bit of an element, and expects that the check finds it. */
static void expect_found(row_data *d, const output *out, size_t at)
{
    out->array[at * out->size] ^= 1;
    cr_assert(!d->row->check(d), "%s, n = %zu, element %zu of %zu", bench_row_name(d->row), d->n,
              at, out->count);
    out->array[at * out->size] ^= 1;
}

static void expect_checks(row_data *d)
{
    if (d->row->plain == NULL)
        return;
    cr_assert_null(row_verify(d, NULL, NULL), "%s, n = %zu", bench_row_name(d->row), d->n);
    output outputs[2];
    outputs_of(d, outputs);
    for (size_t k = 0; k < 2; k++) {
        if (outputs[k].count == 0)
            continue;
        expect_found(d, &outputs[k], 0);
        expect_found(d, &outputs[k], outputs[k].count / 2);
        expect_found(d, &outputs[k], outputs[k].count - 1);
    }
    if (has_result(d->row)) {
        d->result++;
        cr_assert(!d->row->check(d), "%s, n = %zu: the count", bench_row_name(d->row), d->n);
        d->result--;
    }
    cr_assert(d->row->check(d), "%s, n = %zu", bench_row_name(d->row), d->n);
}

/* Calls each(data) for every row at lengths[least] to lengths[most]. */
static void each_row(size_t least, size_t most, void (*each)(row_data *d))
{
    workers *const team = workers_start(3);
    row_data data;
    row_data_create(&data, team, sizeof(uint64_t) * lengths[1], lengths[1], false, SEED);
    for (size_t k = 0; bench_row_at(k) != NULL; k++)
        for (size_t length = least; length <= most; length++) {
            data.row = bench_row_at(k);
            data.n = lengths[length];
            data.row->fill(&data);
            each(&data);
        }
    row_data_destroy(&data);
    workers_stop(team);
}

Test(row_checks, accept_a_plain_loop_and_find_one_wrong_bit)
{
    each_row(0, 2, expect_checks);
}

static void expect_right(row_data *d)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        parscan_context *const engine = bench_engine(threads);
        const char *const words = row_verify(d, d->row->call, engine);
        cr_assert_null(words, "%s: %s", bench_row_name(d->row), words);
        parscan_context_destroy(engine);
    }
}

Test(row_checks, accept_parscan_with_any_number_of_threads)
{
    each_row(1, 1, expect_right);
}
