/*
 * The fast path of the CPU engine: one pass over memory; a look-back tells each tile what comes
 * before it. Compiled once for each element type (see scan/cpu/element.h).
 *
 * A tile fits a core's caches. A thread reduces the tile, which reads it from main memory (some of
 * it was prefetched during the tile before). Then the thread learns from the look-back what comes
 * before the tile, and scans the tile from its cache to memory. So every element is read and
 * written once.
 *
 * If there is no memory for the look-back, one thread does all.
 *
 * Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA, 2016.
 */
#include "scan/call_element.h"
#define SUMMARY T
#define PREFIX T
#include "scan/cpu/look_back.h"
#include "scan/cpu/tile_kernels.h"
#include "scan/scan_element_cpu.h"

/* Shorter arrays are scanned sequentially, since setting up vectors costs more. */
#define SEQUENTIAL_BELOW (PARSCAN_ELEMENT_IS_FLOAT ? 48u : 128u)

/* The elements of a buffer on the stack. Beside it the first-level cache has room for the input and the
   output, which go through it. */
#define BUFFER (TILE_BYTES / 4 / sizeof(T))

/* A reduction is cut in so many ranges for each thread, so that a late thread holds up little. */
#define RANGES_A_THREAD 4u

/* Bytes of input from which on one thread prefetches its next tile: the processor's own prefetches end at each page. */
#define PREFETCH_FROM (32u << 20)
#define PREFETCH_IN_PLACE (8u << 20)

typedef struct scan_pass {
    OPERATOR op;
    const tile_kernels *kernels;
    VIEW in, out;
    size_t n, tile; /* elements: in all, in a tile */
    size_t size;    /* the bytes of an element of the input */
    bool exclusive, stream;
    bool prefetches; /* the next tile, on one thread */
    bool staged;     /* the kernels do not take the elements as they are: tiles are in a buffer */
    T first;         /* what comes before the first tile: init, or the identity */
    tile_plan plan;
    look_back look_back;
} scan_pass;

static size_t tile_length(const scan_pass *pass, size_t tile)
{
    const size_t left = pass->n - tile * pass->tile;
    return left < pass->tile ? left : pass->tile;
}

/* Where a tile lies in an array. */
static size_t tile_place(const scan_pass *pass, const VIEW *view, size_t tile)
{
    const size_t begin = tile * pass->tile;
    return view->reverse ? pass->n - begin - tile_length(pass, tile) : begin;
}

/* The elements of a tile for the kernels: in place, or gathered in a buffer. */
static const void *tile_in(const scan_pass *pass, size_t tile, T *buffer)
{
    if (!pass->staged)
        return (const char *)pass->in.data + tile_place(pass, &pass->in, tile) * pass->size;
    pass->kernels->gather(&pass->in, tile * pass->tile, tile_length(pass, tile), buffer);
    return buffer;
}

static T scan_tile(const scan_pass *pass, size_t tile, const void *in, T *buffer, T before,
                   const void *next)
{
    const parscan_type type = pass->out.type;
    tile_scan work = {
        .in = in,
        .out =
            (char *)pass->out.data + tile_place(pass, &pass->out, tile) * parscan_type_size(type),
        .type = type,
        .n = tile_length(pass, tile),
        .before = before,
        .exclusive = pass->exclusive,
        .stream = pass->stream,
        .reverse = pass->out.reverse,
        .next = next,
    };
    if (!pass->staged || (!pass->out.reverse && type == PARSCAN_ELEMENT_TYPE))
        return pass->kernels->scan(pass->op, &work);
    work.out = buffer;
    work.type = PARSCAN_ELEMENT_TYPE;
    work.stream = work.reverse = false;
    const T through = pass->kernels->scan(pass->op, &work);
    pass->kernels->scatter(&pass->out, tile * pass->tile, work.n, buffer, pass->stream);
    return through;
}

/* Where the input of a tile lies, for the kernels to prefetch. NULL where they cannot: if the tile
   is not whole, or if they read a buffer, whose elements are larger. */
static const void *tile_memory(const scan_pass *pass, size_t tile)
{
    const size_t begin = tile * pass->tile, end = begin + pass->tile;
    if (tile >= pass->n / pass->tile || pass->staged)
        return NULL;
    return (const char *)pass->in.data + (pass->in.reverse ? pass->n - end : begin) * pass->size;
}

/* in: from tile_in(). */
static T reduce_tile(const scan_pass *pass, const void *in, size_t n, const void *next)
{
    if (pass->staged)
        return pass->kernels->reduce(pass->op, PARSCAN_ELEMENT_TYPE, in, n, next);
    return pass->in.reverse ? pass->kernels->reduce_reverse(pass->op, pass->in.type, in, n, next)
                            : pass->kernels->reduce(pass->op, pass->in.type, in, n, next);
}

static T add_tile(const void *pass, const T *prefix, const T *sum)
{
    return combine(((const scan_pass *)pass)->op, *prefix, *sum);
}

static T sum_tile(const void *state, void *work, size_t tile)
{
    const scan_pass *const pass = state;
    return reduce_tile(pass, tile_in(pass, tile, work), tile_length(pass, tile), NULL);
}

static const tile_functions tile_sums = {.add = add_tile, .summarise = sum_tile};

/* The work of one thread. */
static void scan_tiles(void *state, size_t part)
{
    scan_pass *const pass = state;
    look_back *const l = &pass->look_back;
    T *const buffer = (T *)(pass->plan.work + part * pass->plan.work_bytes);
    T *const second = buffer + (pass->staged ? pass->tile : 0);
    size_t tile = look_back_claim(l);
    while (tile < l->tiles) {
        const size_t next = look_back_early(l);
        const void *const ahead = tile_memory(pass, next);
        const void *const in = tile_in(pass, tile, buffer);
        const T sum = reduce_tile(pass, in, tile_length(pass, tile), ahead);
        look_back_publish(l, tile, &sum);
        const T before = look_back_prefix(l, tile, &tile_sums, pass, second);
        const T through = combine(pass->op, before, sum);
        look_back_pass(l, tile, &through);
        scan_tile(pass, tile, in, buffer, before, ahead);
        tile = look_back_next(l, next);
    }
    if (pass->stream)
        pass->kernels->fence();
}

/* The same on one thread. It knows a tile's prefix without a reduction. Never inlined: its
   buffer would be on the stack of every call. */
static __attribute__((noinline)) T scan_tiles_alone(scan_pass *pass)
{
    alignas(64) T buffer[BUFFER];
    T before = pass->first;
    for (size_t tile = 0; tile * pass->tile < pass->n; tile++)
        before = scan_tile(pass, tile, tile_in(pass, tile, buffer), buffer, before,
                           pass->prefetches ? tile_memory(pass, tile + 1) : NULL);
    if (pass->stream)
        pass->kernels->fence();
    return before;
}

static T scan_in_parallel(scan_pass *pass, parscan_context *context)
{
    const size_t tiles = pass->n / pass->tile + (pass->n % pass->tile != 0);
    look_back_begin(&pass->look_back, &pass->plan, tiles, pass->plan.tile_bytes, pass->first,
                    pass->in.data == pass->out.data);
    parscan_team_run(context, pass->plan.threads, scan_tiles, pass);
    return look_back_end(&pass->look_back);
}

/* ---- reduction ---- */

typedef struct reduction {
    const scan_pass *pass;
    size_t range, ranges; /* elements in a range; the last has the rest too */
    T *sums;
} reduction;

static void reduce_range(void *state, size_t index, unsigned worker)
{
    (void)worker;
    const reduction *const r = state;
    const scan_pass *const pass = r->pass;
    size_t begin = index * r->range;
    const size_t end = index + 1 == r->ranges ? pass->n : begin + r->range;
    if (!pass->staged && !pass->in.reverse) {
        const char *const in = (const char *)pass->in.data + begin * pass->size;
        r->sums[index] = reduce_tile(pass, in, end - begin, NULL);
        return;
    }
    alignas(64) T buffer[BUFFER];
    const size_t piece = pass->staged ? BUFFER : TILE_BYTES / sizeof(T);
    T sum = identity(pass->op);
    for (; begin < end; begin += piece) {
        const size_t n = end - begin < piece ? end - begin : piece;
        const void *in = (const char *)pass->in.data + (pass->n - begin - n) * pass->size;
        if (pass->staged) {
            pass->kernels->gather(&pass->in, begin, n, buffer);
            in = buffer;
        }
        sum = combine(pass->op, sum, reduce_tile(pass, in, n, NULL));
    }
    r->sums[index] = sum;
}

/* The sums of the ranges are combined in the order of the ranges. */
static T reduce(const scan_pass *pass, parscan_context *context)
{
    T alone;
    const unsigned threads = pass->plan.threads;
    reduction r = {.pass = pass, .ranges = threads * RANGES_A_THREAD, .sums = pass->plan.slots};
    if (threads == 1) {
        r.ranges = 1;
        r.sums = &alone;
    }
    r.range = pass->n / r.ranges;
    parscan_team_for(context, threads, r.ranges, 1, reduce_range, &r);
    T result = pass->first;
    for (size_t k = 0; k < r.ranges; k++)
        result = combine(pass->op, result, r.sums[k]);
    return result;
}

static void scan(scan_pass *pass, const parscan_scan_call *call, const T *init)
{
    /* The exact bits of the first result: combining a NaN with the identity would quiet it. */
    const first_element first =
        first_of(&pass->in, &pass->out, pass->exclusive, start_value(call->op, init));
    const T through =
        pass->plan.threads == 1 ? scan_tiles_alone(pass) : scan_in_parallel(pass, call->context);
    store_carry(call, through);
    if (pass->exclusive || init == NULL)
        store_first(&pass->out, &first);
}

/* A reduction takes one sum for each range where a scan has slots. */
static tile_plan single_pass_plan_of(const parscan_scan_call *call, bool staged)
{
    const bool reduce = call->kind == PARSCAN_KIND_REDUCE;
    const tile_demand demand = {
        .bytes = call->n * sizeof(T),
        .slot_bytes = reduce ? 0 : sizeof(tile_slot),
        .work_eighths = staged && !reduce ? 16 : 0,
        .work_bytes = reduce ? RANGES_A_THREAD * sizeof(T) : 0,
    };
    return parscan_plan_tiles(call->context, &demand);
}

parscan_status NAMED(parscan_single_pass_cpu)(const parscan_scan_call *call)
{
    if (call->n < SEQUENTIAL_BELOW)
        return call->context->measures ? PARSCAN_OK : NAMED(parscan_sequential_cpu)(call);
    T init;
    const T *const start = init_of(call, &init);
    const VIEW in = input_of(call), out = output_of(call);
    const size_t out_size = parscan_type_size(out.type);
    const bool staged =
        !kernels_take(in.type) || (call->kind != PARSCAN_KIND_REDUCE && in.type != out.type);
    const tile_plan plan = single_pass_plan_of(call, staged);
    if (call->context->measures)
        return PARSCAN_OK;
    scan_pass pass = {
        .op = call->op,
        .kernels = NAMED(parscan_tile_kernels)(call->context->isa),
        .in = in,
        .out = out,
        .n = call->n,
        .size = parscan_type_size(in.type),
        .tile = staged && plan.threads == 1 ? BUFFER : plan.tile_bytes / sizeof(T),
        .plan = plan,
        .exclusive = call->kind == PARSCAN_KIND_EXCLUSIVE,
        .prefetches =
            !staged &&
            call->n >= (in.data == out.data ? PREFETCH_IN_PLACE : PREFETCH_FROM) / sizeof(T),
        .staged = staged,
        /* Streaming stores need elements that are aligned to their size. */
        .stream = in.data != out.data && call->n >= STREAM_FROM_BYTES / out_size &&
                  (uintptr_t)out.data % out_size == 0,
        .first = start != NULL ? *start : identity(call->op),
    };
    if (call->kind == PARSCAN_KIND_REDUCE) {
        const T sum = reduce(&pass, call->context);
        store_result(call, sum);
        store_carry(call, sum);
    } else {
        scan(&pass, call, start);
    }
    return PARSCAN_OK;
}
