/*
 * The kernels of an allocation for one offset type T. Sizes are widened and rounded up in
 * registers, reduced or scanned as a scan does with a tile (scan/cpu/tile_kernels.c), and shifted
 * back.
 *
 * Sums wrap in T. A tile is taken in parts of at most PART sizes. If sizes are narrower than T, the sum of a
 * part cannot wrap. If they are as wide, the upper halves of the units are summed as well. That sum cannot wrap,
 * and it falls short of the exact sum by less than 2^bits of T, so together with the wrapped sum it gives the
 * exact sum.
 */
#include "apps/allocate/allocate_kernels.h"
#include "scan/cpu/simd.h"
#include "scan/cpu/stream_fence.h"

#define UNROLLED 4
#define STEP_ELEMENTS ((size_t)UNROLLED * LANES)
#define HALF (PARSCAN_ELEMENT_BITS / 2)

/* So many u16 sizes, rounded up to 2^16, or halves of u32 sizes, can be summed in 32 bits. */
#define PART ((size_t)32768)

/* The wrapped sums of units and of their upper halves. */
typedef struct wrapped_sum {
    T sum, high;
} wrapped_sum;

static size_sum exact(wrapped_sum wrapped)
{
    const T low = wrapped.sum - (T)(wrapped.high << HALF);
    const uint64_t high = (uint64_t)wrapped.high << HALF;
    return (size_sum){high + low, high >> HALF != wrapped.high || high + low < high};
}

VECTOR_FUNCTION bool as_wide(const parscan_type size_type)
{
    return size_type == PARSCAN_ELEMENT_TYPE;
}

/* How sizes become units: unchanged, rounded up, or rounded up and divided. */
typedef enum counting { AS_THEY_ARE, ROUNDED, DIVIDED } counting;

/* For values of type T and for vectors. */
#define ROUND_UP(size, mask) (((size) + (mask)) & ~(mask))
#define DIVIDE_UP(size, mask, shift) \
    (((size) >> (shift)) + ((((size) & (mask)) + (mask)) >> (shift)))

VECTOR_FUNCTION T load_units(const parscan_type size_type, const counting how,
                             const allocate_tile *tile, size_t i)
{
    const T size = (T)size_at(size_type, tile->sizes, i), mask = (T)tile->mask;
    return how == AS_THEY_ARE ? size
           : how == ROUNDED   ? ROUND_UP(size, mask)
                              : DIVIDE_UP(size, mask, tile->shift);
}

VECTOR_FUNCTION V load_vector_units(const parscan_type size_type, const counting how,
                                    const allocate_tile *tile, size_t i)
{
    const V mask = vector_splat((T)tile->mask);
    V sizes;
    if (as_wide(size_type)) {
        sizes = vector_load((const T *)tile->sizes + i);
    } else {
        T wide[LANES];
        for (size_t k = 0; k < LANES; k++)
            wide[k] = (T)size_at(size_type, tile->sizes, i + k);
        sizes = vector_load(wide);
    }
    return how == AS_THEY_ARE ? sizes
           : how == ROUNDED   ? ROUND_UP(sizes, mask)
                              : DIVIDE_UP(sizes, mask, (T)tile->shift);
}

VECTOR_FUNCTION T vector_sum(V v)
{
    return vector_last(vector_scan(PARSCAN_SUM, v));
}

VECTOR_FUNCTION size_t size_bytes(const parscan_type size_type)
{
    return size_type == PARSCAN_U8    ? 1
           : size_type == PARSCAN_U16 ? 2
           : size_type == PARSCAN_U32 ? 4
                                      : 8;
}

/* The reduction prefetches one quarter of the next tile, the scan the rest. */
VECTOR_FUNCTION size_sum reduce(const parscan_type size_type, const counting how,
                                const allocate_tile *work)
{
    const allocate_tile copy = *work, *const tile = &copy; /* a copy, which no store can change */
    const size_t step_bytes = STEP_ELEMENTS * size_bytes(size_type);
    V sums[UNROLLED] = {{0}}, high = {0};
    size_t i = 0;
    for (; i + STEP_ELEMENTS <= tile->n; i += STEP_ELEMENTS) {
        if (tile->next != NULL)
            prefetch((const char *)tile->next + i * size_bytes(size_type) / 4, step_bytes / 4);
        for (int u = 0; u < UNROLLED; u++) {
            const V units = load_vector_units(size_type, how, tile, i + u * LANES);
            sums[u] += units;
            if (as_wide(size_type))
                high += units >> HALF;
        }
    }
    wrapped_sum all = {vector_sum(sums[0] + sums[1] + (sums[2] + sums[3])), vector_sum(high)};
    for (; i < tile->n; i++) {
        const T units = load_units(size_type, how, tile, i);
        all.sum += units;
        all.high += units >> HALF;
    }
    return as_wide(size_type) ? exact(all) : (size_sum){all.sum, false};
}

/* Scans the elements begin to end - 1 of a tile one by one: the first ones up to an aligned
   address, and the last ones. */
VECTOR_FUNCTION wrapped_sum scan_singly(const parscan_type size_type, const counting how,
                                        const allocate_tile *tile, size_t begin, size_t end,
                                        wrapped_sum before)
{
    for (size_t i = begin; i < end; i++) {
        const T units = load_units(size_type, how, tile, i);
        const T offset = (T)(before.sum << tile->shift);
        memcpy((T *)tile->offsets + i, &offset, sizeof offset);
        before.sum += units;
        before.high += units >> HALF;
    }
    return before;
}

VECTOR_FUNCTION size_sum scan(const parscan_type size_type, const counting how, const bool stream,
                              const allocate_tile *work)
{
    const allocate_tile copy = *work, *const tile = &copy; /* a copy, which no store can change */
    T *const out = tile->offsets;
    const size_t misaligned = (uintptr_t)out % sizeof(V) / sizeof(T);
    const size_t head = !stream || misaligned == 0 ? 0 : LANES - misaligned;
    size_t i = head < tile->n ? head : tile->n;
    wrapped_sum through =
        scan_singly(size_type, how, tile, 0, i, (wrapped_sum){.sum = (T)tile->before});
    const size_t step_bytes = STEP_ELEMENTS * size_bytes(size_type);
    const char *next = tile->next;
    if (next != NULL)
        next += tile->n * size_bytes(size_type) / 4;
    const V zero = {0};
    V before = vector_splat(through.sum), high = zero;
    for (; i + STEP_ELEMENTS <= tile->n; i += STEP_ELEMENTS) {
        if (next != NULL) {
            prefetch(next, step_bytes / 4 * 3);
            next += step_bytes / 4 * 3;
        }
        V scanned[UNROLLED];
        for (int u = 0; u < UNROLLED; u++) {
            const V units = load_vector_units(size_type, how, tile, i + u * LANES);
            if (as_wide(size_type))
                high += units >> HALF;
            scanned[u] = vector_scan(PARSCAN_SUM, units);
        }
        for (int u = 0; u < UNROLLED; u++) {
            const V sum = before + vector_after(zero, scanned[u]);
            const V offsets = how == DIVIDED ? sum << (T)tile->shift : sum;
            if (stream)
                vector_stream(out + i + u * LANES, offsets);
            else
                vector_store(out + i + u * LANES, offsets);
            before += vector_broadcast_last(scanned[u]);
        }
    }
    through.sum = vector_first(before);
    through.high += vector_sum(high);
    through = scan_singly(size_type, how, tile, i, tile->n, through);
    through.sum -= (T)tile->before;
    return as_wide(size_type) ? exact(through) : (size_sum){through.sum, false};
}

VECTOR_FUNCTION counting counting_of(const allocate_tile *tile)
{
    return tile->mask == 0 ? AS_THEY_ARE : tile->shift == 0 ? ROUNDED : DIVIDED;
}

static size_sum reduce_specialised(const allocate_tile *tile)
{
    size_sum sum = {0, false};
    switch (counting_of(tile)) {
    case AS_THEY_ARE:
        WITH_SIZE_TYPE(tile->size_type, sum = reduce(SIZE, AS_THEY_ARE, tile))
        break;
    case ROUNDED:
        WITH_SIZE_TYPE(tile->size_type, sum = reduce(SIZE, ROUNDED, tile))
        break;
    case DIVIDED:
        WITH_SIZE_TYPE(tile->size_type, sum = reduce(SIZE, DIVIDED, tile))
        break;
    }
    return sum;
}

VECTOR_FUNCTION size_sum scan_counted(const counting how, const allocate_tile *tile)
{
    size_sum sum = {0, false};
    if (tile->stream)
        WITH_SIZE_TYPE(tile->size_type, sum = scan(SIZE, how, true, tile))
    else
        WITH_SIZE_TYPE(tile->size_type, sum = scan(SIZE, how, false, tile))
    return sum;
}

static size_sum scan_specialised(const allocate_tile *tile)
{
    switch (counting_of(tile)) {
    case ROUNDED:
        return scan_counted(ROUNDED, tile);
    case DIVIDED:
        return scan_counted(DIVIDED, tile);
    default:
        return scan_counted(AS_THEY_ARE, tile);
    }
}

/* Sums a tile in parts. Of the next tile a reduction prefetches the first quarter, a scan the rest. */
static size_sum sum_of_parts(size_sum (*sum_of)(const allocate_tile *part),
                             const allocate_tile *tile, bool scans)
{
    const size_t bytes = parscan_type_size(tile->size_type);
    size_sum sum = {0, false};
    allocate_tile part = *tile;
    for (size_t done = 0; done < tile->n; done += part.n) {
        part.n = tile->n - done < PART ? tile->n - done : PART;
        part.sizes = (const char *)tile->sizes + done * bytes;
        if (scans)
            part.offsets = (T *)tile->offsets + done;
        part.before = tile->before + sum.sum;
        if (tile->next != NULL) {
            const size_t begun = scans ? tile->n - part.n + 3 * done : done;
            part.next = (const char *)tile->next + begun * bytes / 4;
        }
        sum = size_sum_add(sum, sum_of(&part));
    }
    return sum;
}

static size_sum reduce_tile(const allocate_tile *tile)
{
    return sum_of_parts(reduce_specialised, tile, false);
}

static size_sum scan_tile(const allocate_tile *tile)
{
    return sum_of_parts(scan_specialised, tile, true);
}

static void narrow(const uint64_t *from, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t value = (uint32_t)from[i];
        memcpy((char *)to + i * sizeof value, &value, sizeof value);
    }
}

const allocate_kernels PARSCAN_PASTE(NAMED(parscan_allocate), PARSCAN_PASTE(_, PARSCAN_ISA)) = {
    .reduce = reduce_tile,
    .scan = scan_tile,
    .narrow = narrow,
    .fence = stream_fence,
};
