/* Histogram, allocation, bin and rebalance of arrays in pieces, against one process on the whole
   array. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/distributed.h"
#include "tests/support/fewer_cases.h"
#include "tests/support/random.h"
#include "tests/support/rank_pieces.h"
#include "tests/support/scan_case.h"
#include "tests/support/test_engine.h"
#include "tests/support/thread_comm.h"

typedef struct counts_whole {
    size_t n, bins;
    const parscan_histogram_options *options;
    parscan_type type, result_type;
    const char *in;
    char *expected;
    uint64_t total, alignment;
    bool close;
    pieces cut, cut_out;
    size_t value_size;
    const char *values;
    char *values_out; /* what one process makes of them */
} counts_whole;

static void *need(size_t bytes)
{
    void *const memory = calloc(bytes + 1, 1);
    cr_assert_not_null(memory);
    return memory;
}

typedef void whole_body(parscan_comm *comm, void *whole);

static void with_all_pieces(counts_whole *whole, whole_body *body)
{
    static const unsigned ranks[] = RANK_COUNTS;
    for (size_t r = 0; r < COUNT_OF(ranks); r++)
        for (int pattern = 0; pattern < PIECE_PATTERNS; pattern++) {
            if (!takes_case())
                continue;
            whole->cut = cut_pieces((piece_pattern)pattern, ranks[r], whole->n);
            whole->cut_out =
                cut_pieces((piece_pattern)((pattern + r) % PIECE_PATTERNS), ranks[r], whole->bins);
            thread_comm_run(&(thread_comm_options){.ranks = ranks[r]}, body, whole);
        }
}

static void histogram_of_piece(parscan_comm *comm, void *data)
{
    const counts_whole *const whole = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t size = parscan_type_size(whole->type), n = piece_length(&whole->cut, rank);
    const size_t bytes = whole->bins * parscan_type_size(whole->result_type);
    void *const in = piece_create(comm, whole->in + whole->cut.begin[rank] * size, n * size);
    void *const counts = piece_create(comm, NULL, bytes);
    const parscan_status status = parscan_dist_histogram(
        comm, whole->type, in, n, whole->bins, whole->result_type, counts, whole->options);
    const bool right = status == PARSCAN_OK && piece_is(comm, counts, whole->expected, bytes);
    piece_destroy(comm, counts);
    piece_destroy(comm, in);
    rank_expect(right, "histogram, %zu bins: %s", whole->bins, parscan_comm_error(comm));
}

Test(dist_histogram, is_that_of_one_process_on_every_rank)
{
    static const size_t bins[] = {1, 128, 129, 5000};
    enum { N = 20000 };
    parscan_context *const context = test_context();
    uint16_t *const in = random_array(PARSCAN_U16, PARSCAN_SUM, N);
    /* The same bits are floats too, which are counted from 0 to a large number. */
    static const parscan_type types[] = {PARSCAN_U16, PARSCAN_F16, PARSCAN_BF16};
    static const uint16_t zero = 0, most = 0x7800;
    const parscan_histogram_options bounds =
        PARSCAN_HISTOGRAM_OPTIONS(.lower = &zero, .upper = &most);
    for (size_t k = 0; k < COUNT_OF(types) * COUNT_OF(bins); k++) {
        const parscan_type type = types[k / COUNT_OF(bins)];
        counts_whole whole = {
            .n = N, .bins = bins[k % COUNT_OF(bins)], .type = type, .in = (char *)in};
        whole.options = type == PARSCAN_U16 ? NULL : &bounds;
        whole.result_type = k % 2 == 0 ? PARSCAN_U32 : PARSCAN_U64;
        whole.expected = need(whole.bins * 8);
        cr_assert_eq(parscan_histogram(context, type, in, N, whole.bins, whole.result_type,
                                       whole.expected, whole.options),
                     PARSCAN_OK);
        with_all_pieces(&whole, histogram_of_piece);
        free(whole.expected);
    }
    free(in);
    parscan_context_destroy(context);
}

static void allocate_piece(parscan_comm *comm, void *data)
{
    const counts_whole *const whole = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t n = piece_length(&whole->cut, rank), begin = whole->cut.begin[rank];
    const size_t size = parscan_type_size(whole->type);
    const size_t offset_size = parscan_type_size(whole->result_type);
    const bool in_place = size == offset_size;
    /* In place there is room for the offset that closes. */
    const size_t more = in_place || whole->close;
    void *const sizes = piece_create(comm, whole->in + begin * size, (n + in_place) * size);
    void *const offsets = in_place ? sizes : piece_create(comm, NULL, (n + more) * offset_size);
    uint64_t total = 0, again = 0;
    const parscan_allocate_options options =
        PARSCAN_ALLOCATE_OPTIONS(.alignment = whole->alignment, .close = whole->close);
    const parscan_status alone = parscan_dist_allocate(comm, whole->type, sizes, n,
                                                       whole->result_type, NULL, &again, &options);
    const parscan_status status = parscan_dist_allocate(
        comm, whole->type, sizes, n, whole->result_type, offsets, &total, &options);
    const bool right = alone == PARSCAN_OK && status == PARSCAN_OK && total == whole->total &&
                       again == total &&
                       piece_is(comm, offsets, whole->expected + begin * offset_size,
                                (n + whole->close) * offset_size);
    if (!in_place)
        piece_destroy(comm, offsets);
    piece_destroy(comm, sizes);
    rank_expect(right, "allocation: total %llu, %llu: %s", (unsigned long long)total,
                (unsigned long long)whole->total, parscan_comm_error(comm));
}

Test(dist_allocate, is_that_of_one_process)
{
    static const parscan_type types[][2] = {
        {PARSCAN_U8, PARSCAN_U32}, {PARSCAN_U16, PARSCAN_U64}, {PARSCAN_U64, PARSCAN_U64}};
    enum { N = 5000 };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < 4 * COUNT_OF(types); k++) {
        const size_t t = k / 4;
        counts_whole whole = {.n = N, .bins = 1, .type = types[t][0], .result_type = types[t][1]};
        char *const sizes = need((N + 1) * sizeof(uint64_t));
        for (size_t i = 0; i < N; i++) {
            const uint64_t value = random_below(200);
            memcpy(sizes + i * parscan_type_size(whole.type), &value,
                   parscan_type_size(whole.type));
        }
        whole.in = sizes;
        whole.alignment = k % 2 == 0 ? 0 : 64;
        whole.close = k % 4 >= 2;
        whole.expected = need((N + 1) * sizeof(uint64_t));
        cr_assert_eq(parscan_allocate(context, whole.type, sizes, N, whole.result_type,
                                      whole.expected, &whole.total,
                                      &PARSCAN_ALLOCATE_OPTIONS(.alignment = whole.alignment,
                                                                .close = whole.close)),
                     PARSCAN_OK);
        with_all_pieces(&whole, allocate_piece);
        free(whole.expected);
        free(sizes);
    }
    parscan_context_destroy(context);
}

static void allocate_too_much(parscan_comm *comm, void *data)
{
    const uint32_t size = 0x60000000;
    const uint64_t large = UINT64_MAX / 2;
    const unsigned ranks = parscan_comm_size(comm);
    uint32_t offset = 0;
    uint64_t total = 0;
    (void)data;
    parscan_status status =
        parscan_dist_allocate(comm, PARSCAN_U32, &size, 1, PARSCAN_U32, &offset, &total, NULL);
    rank_expect(status == PARSCAN_ERROR_OVERFLOW && total == (uint64_t)ranks * size, "%llu: %s",
                (unsigned long long)total, parscan_comm_error(comm));
    status = parscan_dist_allocate(comm, PARSCAN_U64, &large, 1, PARSCAN_U64, NULL, &total, NULL);
    rank_expect(status == PARSCAN_ERROR_OVERFLOW && total == UINT64_MAX, "%llu: %s",
                (unsigned long long)total, parscan_comm_error(comm));
    const uint32_t ten = 10;
    status = parscan_dist_allocate(comm, PARSCAN_U32, &ten, 1, PARSCAN_U32, &offset, &total,
                                   &PARSCAN_ALLOCATE_OPTIONS(.capacity = 29));
    rank_expect(status == PARSCAN_ERROR_CAPACITY && total == 30 &&
                    offset == 10 * parscan_comm_rank(comm),
                "%llu: %s", (unsigned long long)total, parscan_comm_error(comm));
}

Test(dist_allocate, tells_all_ranks_of_a_total_that_does_not_fit)
{
    thread_comm_run(&(thread_comm_options){.ranks = 3}, allocate_too_much, NULL);
}

/* The bins that ranks own are cut_out. */
static void bin_piece_of(parscan_comm *comm, void *data)
{
    const counts_whole *const whole = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t n = piece_length(&whole->cut, rank), begin = whole->cut.begin[rank];
    const size_t size = parscan_type_size(whole->type), value = whole->value_size;
    const size_t bins = piece_length(&whole->cut_out, rank);
    const uint64_t *const offsets = (const uint64_t *)(const void *)whole->expected;
    const uint64_t from = offsets[whole->cut_out.begin[rank]];
    const uint64_t mine = offsets[whole->cut_out.begin[rank + 1]] - from;
    void *const bin_of = piece_create(comm, whole->in + begin * size, n * size);
    void *const values =
        whole->values != NULL ? piece_create(comm, whole->values + begin * value, n * value) : NULL;
    void *const got_offsets = piece_create(comm, NULL, (bins + 1) * sizeof(uint64_t));
    void *const out = piece_create(comm, NULL, (size_t)mine * value);
    uint64_t count = 0, counted = 0;
    const parscan_status alone = parscan_dist_bin(comm, whole->type, bin_of, value, values, n, bins,
                                                  PARSCAN_U64, got_offsets, NULL, 0, &counted);
    const parscan_status status =
        parscan_dist_bin(comm, whole->type, bin_of, value, values, n, bins, PARSCAN_U64,
                         got_offsets, mine > 0 ? out : NULL, (size_t)mine, &count);
    bool right = alone == PARSCAN_OK && status == PARSCAN_OK && count == mine && counted == mine &&
                 piece_is(comm, out, whole->values_out + from * value, (size_t)mine * value);
    uint64_t *const here = malloc((bins + 1) * sizeof *here);
    piece_read(comm, here, got_offsets, (bins + 1) * sizeof *here);
    for (size_t b = 0; right && b <= bins; b++)
        right = here[b] == offsets[whole->cut_out.begin[rank] + b] - from;
    free(here);
    piece_destroy(comm, out);
    piece_destroy(comm, got_offsets);
    if (values != NULL)
        piece_destroy(comm, values);
    piece_destroy(comm, bin_of);
    rank_expect(right, "bin, %zu of %zu bins, value_size %zu: %s", bins, whole->bins, value,
                parscan_comm_error(comm));
}

Test(dist_bin, brings_values_to_the_owners_in_the_order_of_one_process)
{
    static const struct {
        parscan_type type;
        size_t bins, value_size;
        bool indices;
    } cases[] = {{PARSCAN_U8, 200, 4, false},
                 {PARSCAN_U16, 3000, 12, false},
                 {PARSCAN_U32, 70000, 8, true},
                 {PARSCAN_U64, 3, 1, false},
                 {PARSCAN_U32, 0, 4, true}};
    enum { N = 4000 };
    parscan_context *const context = test_context();
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        counts_whole whole = {.n = N,
                              .bins = cases[k].bins,
                              .type = cases[k].type,
                              .value_size = cases[k].value_size};
        char *const bin_of = need(N * sizeof(uint64_t)), *const values = need(N * 16);
        for (size_t i = 0; i < N; i++) { /* some bins are nobody's */
            const uint64_t bin = random_below(whole.bins + whole.bins / 8 + 1);
            memcpy(bin_of + i * parscan_type_size(whole.type), &bin, parscan_type_size(whole.type));
        }
        for (size_t i = 0; i < N * 16; i++)
            values[i] = (char)random_bits();
        whole.in = bin_of;
        whole.values = cases[k].indices ? NULL : values;
        whole.expected = need((whole.bins + 1) * sizeof(uint64_t));
        whole.values_out = need(N * whole.value_size);
        cr_assert_eq(parscan_bin(context, whole.type, bin_of, whole.value_size, whole.values, N,
                                 whole.bins, PARSCAN_U64, whole.expected, whole.values_out),
                     PARSCAN_OK);
        with_all_pieces(&whole, bin_piece_of);
        free(whole.values_out);
        free(whole.expected);
        free(values);
        free(bin_of);
    }
    parscan_context_destroy(context);
}

static void bin_without_room(parscan_comm *comm, void *data)
{
    static const uint8_t bin_of[] = {0, 1, 2, 2};
    static const uint32_t values[] = {5, 6, 7, 8};
    uint32_t offsets[2], out[12];
    uint64_t count = 0;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t capacity = rank == 2 ? 5 : 6;
    (void)data;
    const parscan_status status = parscan_dist_bin(comm, PARSCAN_U8, bin_of, 4, values, 4, 1,
                                                   PARSCAN_U32, offsets, out, capacity, &count);
    rank_expect(status == PARSCAN_ERROR_CAPACITY && count == (rank == 2 ? 6 : 3) &&
                    strstr(parscan_comm_error(comm), "rank 2: capacity = 5") != NULL,
                "%llu: %s", (unsigned long long)count, parscan_comm_error(comm));
}

Test(dist_bin, tells_every_rank_how_much_room_it_needs)
{
    if (test_backend() == PARSCAN_BACKEND_CPU)
        thread_comm_run(&(thread_comm_options){.ranks = 3}, bin_without_room, NULL);
}

static void rebalance_piece(parscan_comm *comm, void *data)
{
    const counts_whole *const whole = data;
    const unsigned rank = parscan_comm_rank(comm);
    const size_t size = whole->value_size;
    const size_t n_in = piece_length(&whole->cut, rank),
                 n_out = piece_length(&whole->cut_out, rank);
    void *const in = piece_create(comm, whole->in + whole->cut.begin[rank] * size, n_in * size);
    void *const out = piece_create(comm, NULL, n_out * size);
    const parscan_status status = parscan_dist_rebalance(comm, size, in, n_in, out, n_out);
    const bool right =
        status == PARSCAN_OK &&
        piece_is(comm, out, whole->in + whole->cut_out.begin[rank] * size, n_out * size);
    piece_destroy(comm, out);
    piece_destroy(comm, in);
    rank_expect(right, "from %zu to %zu elements of %zu bytes: %s", n_in, n_out, size,
                parscan_comm_error(comm));
}

Test(dist_rebalance, cuts_the_array_anew)
{
    enum { N = 3001 };
    for (size_t size = 1; size < 20; size += 7) {
        counts_whole whole = {.n = N, .bins = N, .value_size = size};
        char *const in = need(N * size);
        for (size_t i = 0; i < N * size; i++)
            in[i] = (char)random_bits();
        whole.in = in;
        with_all_pieces(&whole, rebalance_piece);
        free(in);
    }
}
