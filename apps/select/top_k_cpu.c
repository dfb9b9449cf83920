/*
 * The CPU engine of top-k. All elements, and long segments, are searched by all threads (top_search.h); short
 * segments are divided among them (select_segments.h). The k elements that are found are then sorted: few
 * by themselves, many by parscan_sort_pairs() in the outputs, where they are written in the order of their
 * indices, since that sort is stable.
 */
#include "apps/select/select_call.h"
#include "apps/select/select_segments.h"
#include "apps/select/top_entries.h"
#include "apps/select/top_search.h"
#include "parscan/sort.h"
#include "scan/context/float_mode.h"
#include "scan/context/held_scratch.h"
#include "scan/cpu/team.h"
#include "scan/cpu/tiles.h"

enum {
    OWN_SORT = 4096,    /* so many entries are sorted by one thread */
    FEW_ELEMENTS = 1024 /* of which a few are found in the first-level cache */
};

typedef struct top_pass {
    const select_call *call;
    top_search search;  /* of all threads */
    top_search *shorts; /* of each thread, for short segments */
    char *keys;         /* room for values that are not wanted, but sorted */
    size_t size, index_size;
    parscan_status status;
} top_pass;

/* Where results of one segment go. */
typedef struct top_target {
    const top_pass *pass;
    const char *in;
    char *values, *indices; /* NULL: not wanted */
} top_target;

const top_kernels *parscan_top_kernels_of(parscan_isa isa, key_class key)
{
    switch (key) {
#define X(ctx, NAME, bits, name, ...)                                    \
    case KEY_##NAME:                                                     \
        return PARSCAN_BY_ISA(isa, &parscan_top_kernels_portable_##name, \
                              &parscan_top_kernels_avx2_##name,          \
                              &parscan_top_kernels_avx512_##name);
        PARSCAN_KEY_CLASSES(X, )
#undef X
    default:
        return NULL;
    }
}

static top_target target_of(const top_pass *pass, one_segment s)
{
    const select_call *const call = pass->call;
    const size_t slot = s.segment * call->k;
    top_target target = {.pass = pass, .in = (const char *)call->in + s.begin * pass->size};
    if (call->values != NULL)
        target.values = (char *)call->values + slot * pass->size;
    if (call->indices != NULL)
        target.indices = (char *)call->indices + slot * pass->index_size;
    return target;
}

static void put_count(const top_pass *pass, size_t segment, size_t length)
{
    const uint64_t count = length < pass->call->k ? length : pass->call->k;
    if (pass->call->counts != NULL)
        memcpy((char *)pass->call->counts + segment * sizeof count, &count, sizeof count);
}

/* Elements of `size` bytes, a constant in a call. */
static inline void put_values(const top_target *target, const top_entry *entries, size_t count,
                              size_t at, const size_t size)
{
    for (size_t i = 0; i < count; i++)
        memcpy(target->values + (at + i) * size, target->in + (size_t)entries[i].index * size,
               size);
}

static inline void put_indices(const top_target *target, const top_entry *entries, size_t count,
                               size_t at, const parscan_type type)
{
    for (size_t i = 0; i < count; i++)
        store_index(type, target->indices, at + i, (size_t)entries[i].index);
}

static void put_entries(void *state, const top_entry *entries, size_t count, size_t at)
{
    const top_target *const target = state;
    const size_t size = target->values == NULL ? 0 : target->pass->size;
    if (size == 1)
        put_values(target, entries, count, at, 1);
    else if (size == 2)
        put_values(target, entries, count, at, 2);
    else if (size == 4)
        put_values(target, entries, count, at, 4);
    else if (size == 8)
        put_values(target, entries, count, at, 8);
    if (target->indices != NULL && target->pass->index_size == sizeof(uint32_t))
        put_indices(target, entries, count, at, PARSCAN_U32);
    else if (target->indices != NULL)
        put_indices(target, entries, count, at, PARSCAN_U64);
}

/* ---- short segments ---- */

static void take_short(void *state, one_segment s, unsigned worker)
{
    const top_pass *const pass = state;
    top_search *const search = &pass->shorts[worker];
    top_target target = target_of(pass, s);
    search->in = target.in;
    search->n = s.end - s.begin;
    search->k = search->n < pass->call->k ? search->n : pass->call->k;
    put_count(pass, s.segment, search->n);
    if (search->k == 0)
        return;
    size_t found = search->k;
    if (search->k <= TOP_FEW && search->n <= FEW_ELEMENTS) {
        found =
            search->kernels->few(&search->order, search->in, search->n, search->k, search->entries);
    } else {
        if (!parscan_top_search(search))
            found = parscan_top_list(search);
        parscan_sort_entries(search->entries, found, search->spare);
    }
    put_entries(&target, search->entries, found, 0);
}

/* ---- all elements, or a long segment ---- */

/* Sorts what the outputs have in the order of the indices. */
static parscan_status sort_outputs(const select_call *call, const top_target *target, size_t k)
{
    const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.descending = !call->smallest);
    if (target->indices == NULL)
        return parscan_sort_keys(call->context, call->type, target->values, target->values, k,
                                 &options);
    return parscan_sort_pairs(call->context, call->type, target->values, target->values,
                              target->pass->index_size, target->indices, target->indices, k,
                              &options);
}

static parscan_status take_all(top_pass *pass, one_segment s)
{
    top_search *const search = &pass->search;
    top_target target = target_of(pass, s);
    search->in = target.in;
    search->n = s.end - s.begin;
    search->k = search->n < pass->call->k ? search->n : pass->call->k;
    put_count(pass, s.segment, search->n);
    if (search->k == 0 || (target.values == NULL && target.indices == NULL))
        return PARSCAN_OK;
    const bool listed = parscan_top_search(search);
    if (search->k <= OWN_SORT) {
        const size_t found = listed ? search->k : parscan_top_list(search);
        parscan_sort_entries(search->entries, found, search->spare);
        put_entries(&target, search->entries, found, 0);
        return PARSCAN_OK;
    }
    if (target.values == NULL)
        target.values = pass->keys;
    if (listed)
        put_entries(&target, search->entries, search->k, 0);
    else
        parscan_top_write(search, put_entries, &target);
    return sort_outputs(pass->call, &target, search->k);
}

static void take_long(void *state, one_segment s, unsigned worker)
{
    top_pass *const pass = state;
    (void)worker;
    if (pass->status == PARSCAN_OK)
        pass->status = take_all(pass, s);
}

/* ---- memory ---- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* What is searched at most: by all threads, and by one. */
typedef struct top_sizes {
    size_t n, k, short_n, short_k;
    size_t listed; /* the most of k elements that all threads list; more are written directly */
    size_t keys;   /* bytes */
    segment_division division;
} top_sizes;

static top_sizes sizes_of(const select_call *call, unsigned threads)
{
    top_sizes sizes = {.n = call->n, .k = call->k < call->n ? call->k : call->n};
    if (call->segments != NULL) {
        sizes.division = parscan_divide_segments(call->context, call->segments, call->n, threads);
        const size_t longest = sizes.division.long_from;
        sizes.short_n = call->n < longest ? call->n : longest;
        sizes.short_k = sizes.k < sizes.short_n ? sizes.k : sizes.short_n;
        if (call->n <= longest)
            sizes.n = sizes.k = 0;
    }
    const size_t most = sizes.n / 16 > OWN_SORT ? sizes.n / 16 : OWN_SORT;
    sizes.listed = sizes.k < most ? sizes.k : most;
    if (call->values == NULL)
        sizes.keys = whole_lines(sizes.k * parscan_type_size(call->type));
    return sizes;
}

static size_t short_bytes(const top_sizes *sizes)
{
    return sizes->short_n == 0
               ? 0
               : whole_lines(parscan_top_search_bytes(sizes->short_n, sizes->short_k, 1));
}

static size_t long_bytes(const top_sizes *sizes, unsigned threads)
{
    return sizes->n == 0 ? 0
                         : whole_lines(parscan_top_search_bytes(sizes->n, sizes->listed, threads));
}

static size_t scratch_need(const void *state, unsigned threads)
{
    const top_sizes sizes = sizes_of(state, threads);
    return sizes.keys + long_bytes(&sizes, threads) +
           threads * (whole_lines(sizeof(top_search)) + short_bytes(&sizes)) + sizes.division.bytes;
}

/* Gives the searches their memory. Returns what is left for the division. */
static void *place_memory(top_pass *pass, const top_sizes *sizes, unsigned threads, char *memory)
{
    const select_call *const call = pass->call;
    const key_class key = parscan_type_traits_of(call->type).key;
    top_search search = {
        .context = call->context,
        .kernels = parscan_top_kernels_of(call->context->isa, key),
        .order = parscan_key_order(call->type, !call->smallest, 0, 8 * (unsigned)pass->size),
        .key_bits = 8 * (unsigned)pass->size,
    };
    pass->keys = memory;
    memory += sizes->keys;
    pass->search = search;
    if (sizes->n > 0)
        parscan_top_search_memory(&pass->search, sizes->n, sizes->listed, threads, memory);
    memory += long_bytes(sizes, threads);
    pass->shorts = (top_search *)memory;
    memory += threads * whole_lines(sizeof(top_search));
    for (unsigned t = 0; t < threads; t++) {
        pass->shorts[t] = search;
        if (sizes->short_n > 0)
            parscan_top_search_memory(&pass->shorts[t], sizes->short_n, sizes->short_k, 1, memory);
        memory += short_bytes(sizes);
    }
    return memory;
}

static parscan_status run(top_pass *pass, unsigned threads, char *memory)
{
    const select_call *const call = pass->call;
    const top_sizes sizes = sizes_of(call, threads);
    char *const rest = place_memory(pass, &sizes, threads, memory);
    if (call->segments == NULL) {
        if (call->count != NULL)
            *call->count = 1;
        return take_all(pass, (one_segment){0, 0, call->n});
    }
    const parscan_status status = parscan_each_segment(&sizes.division, rest, threads, take_short,
                                                       take_long, pass, call->count);
    return status == PARSCAN_OK ? pass->status : status;
}

/* What a sort of the results takes on one thread: at most so much. */
static size_t sort_bytes(const select_call *call)
{
    enum { OF_A_THREAD = (2 << 20) + (64 << 10) };
    const size_t k = call->k < call->n ? call->k : call->n;
    return k <= OWN_SORT ? 0 : k * (parscan_type_size(call->type) + sizeof(uint64_t)) + OF_A_THREAD;
}

/* A context that measures also needs what the sort of the results does. */
static parscan_status measure(const top_pass *pass, size_t segments, char *memory)
{
    const select_call *const call = pass->call;
    const top_sizes sizes = sizes_of(call, 1);
    if (call->count != NULL)
        *call->count = segments;
    if (sizes.k <= OWN_SORT)
        return PARSCAN_OK;
    const top_target target = {.pass = pass,
                               .values = call->values != NULL ? call->values : memory,
                               .indices = call->indices};
    return sort_outputs(call, &target, sizes.k);
}

static parscan_status take_call(const select_call *call)
{
    parscan_context *const context = call->context;
    top_pass pass = {.call = call,
                     .size = parscan_type_size(call->type),
                     .index_size = call->indices == NULL ? 0 : parscan_type_size(call->index_type)};
    const size_t segments =
        call->segments == NULL ? 1 : parscan_most_segments(call->segments, call->n);
    const size_t bytes = call->n * pass.size;
    unsigned threads = parscan_threads_for(context, bytes > segments ? bytes : segments);
    held_scratch held;
    parscan_status status =
        parscan_hold_scratch(context, &threads, scratch_need, call, sort_bytes(call), &held);
    if (status != PARSCAN_OK)
        return status;
    status = context->measures ? measure(&pass, segments, held.memory.data)
                               : run(&pass, threads, held.memory.data);
    parscan_let_scratch(context, &held);
    return status;
}

/* Sizes of samples are computed in double. */
parscan_status parscan_top_k_cpu(const select_call *call)
{
    const parscan_float_state before = parscan_float_begin(FLOAT_DEFAULT);
    const parscan_status status = take_call(call);
    parscan_float_end(before);
    return status;
}
