/*
 * Values to the ranks that own their bins. Each rank sorts its entries by bin, so that those of one
 * owner lie together, in their order; after the exchange, the entries that a rank has got are those
 * of rank 0, of rank 1 and so on, and a stable local bin orders them.
 */
#include <string.h>

#include "apps/distributed/comm_state.h"
#include "parscan/distributed.h"
#include "parscan/memory.h"
#include "scan/context/check.h"

enum { MAX_VALUE_SIZE = 64 };

typedef struct dist_bin {
    parscan_comm *comm;
    parscan_type bin_type, offset_type;
    const void *bin_of, *values;
    size_t bin_size, value_size, n, bins, capacity;
    void *offsets, *values_out;
    uint64_t *count;
    bool moves_values;                      /* some rank wants them */
    uint64_t first_bin, first_index, owned; /* owned: by all ranks */
    uint64_t *bounds;                       /* size + 1: the first bins of all ranks */
    uint64_t *routes;                       /* 4 arrays for an exchange */
    char *sorted_bins;                      /* on the host */
    void *sorted_values, *got_values;       /* on the engine */
    char *got_bins;                         /* on the host */
    uint64_t got;
} dist_bin;

typedef struct bin_piece {
    uint64_t n, bins, wants_values;
} bin_piece;

/* ---- checks ---- */

static parscan_status check_dist_bin_values(const dist_bin *work)
{
    parscan_context *const context = work->comm->context;
    if (work->value_size == 0 || work->value_size > MAX_VALUE_SIZE)
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "value_size = %zu: it must be 1 to %d", work->value_size,
                            MAX_VALUE_SIZE);
    if (work->values == NULL && work->n > 0 && work->value_size != sizeof(uint32_t) &&
        work->value_size != sizeof(uint64_t))
        return parscan_fail(
            context, PARSCAN_ERROR_INVALID_ARGUMENT,
            "value_size = %zu, values is NULL: it must be 4 or 8, the bytes of an index",
            work->value_size);
    return work->values == NULL
               ? PARSCAN_OK
               : parscan_check_array(context, "values", work->values, work->n, work->value_size);
}

/* values_out has room for `capacity` values. A capacity beyond any memory says that the caller has
   not counted the room. */
static parscan_status check_dist_bin_places(const dist_bin *work)
{
    const bool moves = work->values_out != NULL;
    const size_t size = moves ? work->value_size : 1;
    const size_t room = work->capacity <= SIZE_MAX / 2 / size ? work->capacity * size : 1;
    const parscan_extent arrays[] = {
        {"values_out", work->values_out, room},
        {"offsets", work->offsets, (work->bins + 1) * parscan_type_size(work->offset_type)},
        {"bin_of", work->bin_of, work->n * work->bin_size},
        {"values", moves ? work->values : NULL, work->n * size}};
    return parscan_check_all_apart(work->comm->context, arrays, 2, 4);
}

static parscan_status check_dist_bin(const dist_bin *work)
{
    parscan_context *const context = work->comm->context;
    parscan_status status = parscan_check_unsigned(context, "bin_type", work->bin_type);
    if (status == PARSCAN_OK)
        status = parscan_check_index_type(context, "offset_type", work->offset_type);
    if (status == PARSCAN_OK)
        status = parscan_check_array(context, "bin_of", work->bin_of, work->n, work->bin_size);
    if (status == PARSCAN_OK && work->bins > (uint64_t)1 << 32)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                              "bins = %zu: it must be at most 2^32", work->bins);
    if (status == PARSCAN_OK)
        status = parscan_check_counted_array(context, "offsets", work->offsets, "bins + 1",
                                             work->bins + 1, parscan_type_size(work->offset_type));
    if (status == PARSCAN_OK && work->count == NULL)
        status = parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "count is NULL");
    if (status == PARSCAN_OK && work->values_out != NULL)
        status = check_dist_bin_values(work);
    return status == PARSCAN_OK ? check_dist_bin_places(work) : status;
}

/* ---- before the exchange ---- */

static uint64_t bin_at(const dist_bin *work, const char *bins, size_t i)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (work->bin_size) {
    case sizeof one:
        memcpy(&one, bins + i, sizeof one);
        return one;
    case sizeof two:
        memcpy(&two, bins + i * sizeof two, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, bins + i * sizeof four, sizeof four);
        return four;
    default:
        memcpy(&eight, bins + i * sizeof eight, sizeof eight);
        return eight;
    }
}

static parscan_status find_bounds(dist_bin *work, const bin_piece *all)
{
    const parscan_comm *const comm = work->comm;
    uint64_t entries = 0;
    for (unsigned rank = 0; rank < comm->size; rank++) {
        work->bounds[rank] = work->owned;
        if (rank == comm->rank) {
            work->first_bin = work->owned;
            work->first_index = entries;
        }
        work->moves_values |= all[rank].wants_values != 0;
        work->owned += all[rank].bins;
        entries += all[rank].n;
    }
    work->bounds[comm->size] = work->owned;
    if (!work->moves_values || work->values != NULL || work->value_size == sizeof(uint64_t) ||
        entries <= (uint64_t)1 << 32)
        return PARSCAN_OK;
    return parscan_fail(comm->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                        "value_size = 4: the indices of %llu entries need 8 bytes",
                        (unsigned long long)entries);
}

/* The values of this rank's entries: the caller's, or their global indices, in *values. */
static parscan_status make_values(dist_bin *work, const void **values)
{
    void *memory;
    *values = work->values;
    if (work->values != NULL || work->n == 0)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_comm_allocate(work->comm, COMM_ON_HOST, work->n * work->value_size, &memory);
    for (size_t i = 0; status == PARSCAN_OK && i < work->n; i++) {
        const uint64_t index = work->first_index + i;
        const uint32_t narrow = (uint32_t)index;
        memcpy((char *)memory + i * work->value_size,
               work->value_size == sizeof narrow ? (const void *)&narrow : &index,
               work->value_size);
    }
    *values = memory;
    return status;
}

/* Sorts the entries by bin: bins on the host, values on the engine. */
static parscan_status sort_entries(dist_bin *work)
{
    parscan_comm *const comm = work->comm;
    void *bins;
    const void *values;
    parscan_status status =
        parscan_comm_allocate(comm, COMM_ON_HOST, work->n * work->bin_size, &bins);
    if (status != PARSCAN_OK || work->n == 0)
        return status;
    work->sorted_bins = bins;
    if (!work->moves_values)
        return parscan_sort_keys(comm->context, work->bin_type, work->bin_of, bins, work->n, NULL);
    status = make_values(work, &values);
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_ENGINE, work->n * work->value_size,
                                       &work->sorted_values);
    return status == PARSCAN_OK
               ? parscan_sort_pairs(comm->context, work->bin_type, work->bin_of, bins,
                                    work->value_size, values, work->sorted_values, work->n, NULL)
               : status;
}

/* The first sorted entry whose bin is not below `bin`. */
static uint64_t first_of(const dist_bin *work, uint64_t bin)
{
    size_t low = 0, high = work->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bin_at(work, work->sorted_bins, middle) < bin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the exchange ---- */

/* Tells each rank how many entries it gets. */
static parscan_status exchange_counts(dist_bin *work)
{
    parscan_comm *const comm = work->comm;
    const size_t size = comm->size;
    uint64_t *const begin = work->routes, *const counts = begin + size;
    uint64_t *const got_begin = counts + size, *const got_counts = got_begin + size;
    uint64_t *const ones = work->bounds + size + 1, *const places = ones + size;
    exchange under_way;
    /* The bins are in order, unless another thread has changed them during the sort. */
    uint64_t end = first_of(work, work->bounds[0]);
    for (size_t rank = 0; rank < size; rank++) {
        begin[rank] = end;
        end = first_of(work, work->bounds[rank + 1]);
        end = end < begin[rank] ? begin[rank] : end;
        counts[rank] = end - begin[rank];
        ones[rank] = 1;
        places[rank] = rank;
    }
    parscan_status status = parscan_exchange_begin(comm, &under_way, sizeof *counts, counts, places,
                                                   ones, got_counts, places, ones);
    if (status == PARSCAN_OK)
        status = parscan_exchange_end(comm, &under_way);
    for (size_t rank = 0; rank < size; rank++) {
        got_begin[rank] = work->got;
        work->got += got_counts[rank];
    }
    return status;
}

/* The bins become those of this rank, counted from 0, as they are sent. */
static void localise(dist_bin *work)
{
    const parscan_comm *const comm = work->comm;
    for (size_t rank = 0; rank < comm->size; rank++) {
        const uint64_t begin = work->routes[rank], n = work->routes[comm->size + rank];
        for (uint64_t i = begin; i < begin + n; i++) {
            char *const at = work->sorted_bins + (size_t)i * work->bin_size;
            const uint64_t bin = bin_at(work, at, 0) - work->bounds[rank];
            const uint8_t one = (uint8_t)bin;
            const uint16_t two = (uint16_t)bin;
            const uint32_t four = (uint32_t)bin;
            memcpy(at,
                   work->bin_size == sizeof one    ? (const void *)&one
                   : work->bin_size == sizeof two  ? (const void *)&two
                   : work->bin_size == sizeof four ? (const void *)&four
                                                   : &bin,
                   work->bin_size);
        }
    }
}

static parscan_status take_room(dist_bin *work)
{
    parscan_comm *const comm = work->comm;
    void *bins;
    parscan_status status = PARSCAN_OK;
    if (work->got > parscan_most_index(work->offset_type))
        status = parscan_fail(comm->context, PARSCAN_ERROR_OVERFLOW,
                              "count = %llu does not fit offset_type = %s",
                              (unsigned long long)work->got, parscan_type_name(work->offset_type));
    const size_t capacity = work->values_out != NULL ? work->capacity : 0;
    if (status == PARSCAN_OK && work->moves_values && work->got > capacity)
        status = parscan_fail(comm->context, PARSCAN_ERROR_CAPACITY,
                              "capacity = %zu: count = %llu exceeds it", capacity,
                              (unsigned long long)work->got);
    if (status == PARSCAN_OK)
        status =
            parscan_comm_allocate(comm, COMM_ON_HOST, (size_t)work->got * work->bin_size, &bins);
    if (status == PARSCAN_OK && work->moves_values)
        status = parscan_comm_allocate(comm, COMM_ON_ENGINE, (size_t)work->got * work->value_size,
                                       &work->got_values);
    work->got_bins = status == PARSCAN_OK ? bins : NULL;
    return status;
}

static parscan_status exchange_entries(dist_bin *work)
{
    parscan_comm *const comm = work->comm;
    const uint64_t *const begin = work->routes, *const counts = begin + comm->size;
    const uint64_t *const got_begin = counts + comm->size, *const got = got_begin + comm->size;
    exchange bins, values = {false, NULL, NULL};
    parscan_status status = parscan_exchange_begin(comm, &bins, work->bin_size, work->sorted_bins,
                                                   begin, counts, work->got_bins, got_begin, got);
    if (status == PARSCAN_OK && work->moves_values)
        status = parscan_exchange_begin(comm, &values, work->value_size, work->sorted_values, begin,
                                        counts, work->got_values, got_begin, got);
    if (status == PARSCAN_OK)
        status = parscan_exchange_end(comm, &bins);
    if (status == PARSCAN_OK && work->moves_values)
        status = parscan_exchange_end(comm, &values);
    return status;
}

/* ---- the call ---- */

static parscan_status prepare_dist_bin(dist_bin *work, parscan_status status)
{
    parscan_comm *const comm = work->comm;
    const size_t size = comm->size;
    const bin_piece mine = {work->n, work->bins, work->values_out != NULL};
    void *all = NULL, *routes = NULL;
    if (status == PARSCAN_OK)
        status = parscan_comm_allocate(comm, COMM_ON_HOST, size * sizeof mine, &all);
    if (status == PARSCAN_OK)
        status =
            parscan_comm_allocate(comm, COMM_ON_HOST, (7 * size + 1) * sizeof(uint64_t), &routes);
    const int numbers[] = {(int)work->bin_type, (int)work->offset_type, (int)work->value_size};
    parscan_comm_note(comm, numbers, sizeof numbers);
    status = parscan_comm_gather(comm, status, &mine, sizeof mine, all);
    if (status != PARSCAN_OK)
        return status;
    work->routes = routes;
    work->bounds = work->routes + 4 * size;
    status = find_bounds(work, all);
    if (status == PARSCAN_OK && work->moves_values)
        status = check_dist_bin_values(work);
    if (status == PARSCAN_OK)
        status = sort_entries(work);
    return parscan_agree(comm, status);
}

static parscan_status run_dist_bin(dist_bin *work, parscan_status status)
{
    status = prepare_dist_bin(work, status);
    if (status == PARSCAN_OK)
        status = exchange_counts(work);
    if (status != PARSCAN_OK)
        return status;
    *work->count = work->got;
    localise(work);
    status = parscan_agree(work->comm, take_room(work));
    if (status == PARSCAN_OK)
        status = exchange_entries(work);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_bin(work->comm->context, work->bin_type, work->got_bins, work->value_size,
                         work->got_values, (size_t)work->got, work->bins, work->offset_type,
                         work->offsets, work->got > 0 ? work->values_out : NULL);
    return parscan_comm_finish(work->comm, status);
}

parscan_status parscan_dist_bin(parscan_comm *comm, parscan_type bin_type, const void *bin_of,
                                size_t value_size, const void *values, size_t n, size_t bins,
                                parscan_type offset_type, void *offsets, void *values_out,
                                size_t capacity, uint64_t *count)
{
    parscan_status status = parscan_comm_begin(comm, "parscan_dist_bin");
    if (status != PARSCAN_OK)
        return status;
    dist_bin work = {
        .comm = comm,
        .bin_type = bin_type,
        .offset_type = offset_type,
        .bin_of = bin_of,
        .values = values,
        .bin_size = parscan_type_size(bin_type),
        .value_size = value_size,
        .n = n,
        .bins = bins,
        .capacity = capacity,
        .offsets = offsets,
        .values_out = values_out,
        .count = count,
    };
    status = run_dist_bin(&work, check_dist_bin(&work));
    parscan_comm_end(comm);
    return status;
}
