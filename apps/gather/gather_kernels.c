/*
 * Elements of 1, 2, 4, 8 and 16 bytes have loops of their own, in which an element is one move. Others of
 * up to 64 bytes are copied inline, longer ones by memcpy. Each index is read once: another thread may
 * change it. Indices are tested one by one; the branch is foreseen, and takes no time beside the moves.
 */
#include "apps/gather/gather_kernels.h"

#include "scan/cpu/copy_small.h"
#include "scan/cpu/read_once.h"
#include "scan/tables.h"

/* How many indices ahead lines are fetched: elements of up to COPY_SMALL_MOST bytes, and longer ones, of
   which the first LINES_AHEAD lines. */
#define AHEAD 32
#define AHEAD_LONG 4
#define LINES_AHEAD 4

/* The indices of a window are looked at in tiles of this many. */
#define TILE 512u

/* The size of an element in loops for any size. */
#define ANY 0

COPY_FUNCTION uint64_t index_at(const bool wide, const void *indices, size_t i)
{
    uint64_t index;
    uint32_t narrow;
    if (wide) {
        memcpy(&index, (const char *)indices + i * sizeof index, sizeof index);
    } else {
        memcpy(&narrow, (const char *)indices + i * sizeof narrow, sizeof narrow);
        index = narrow;
    }
    return index;
}

/* The same, of an index that is used twice. */
COPY_FUNCTION uint64_t index_once(const bool wide, const void *indices, size_t i)
{
    size_t index = (size_t)index_at(wide, indices, i);
    READ_WORD_ONCE(index);
    return index;
}

COPY_FUNCTION void copy_value(char *to, const char *from, const size_t fixed, size_t size)
{
    if (fixed != ANY)
        memcpy(to, from, fixed);
    else if (size <= COPY_SMALL_MOST)
        copy_small(to, from, size);
    else
        memcpy(to, from, size);
}

/* Stores an element in one step; `to` is aligned to its size. */
#define STORE_CASE(type)                                               \
    case sizeof(type): {                                               \
        type value;                                                    \
        memcpy(&value, from, sizeof value);                            \
        __atomic_store_n((type *)(void *)to, value, __ATOMIC_RELAXED); \
        break;                                                         \
    }
COPY_FUNCTION void store_value(char *to, const char *from, const size_t fixed, size_t size)
{
    switch (fixed) {
        STORE_CASE(uint8_t)
        STORE_CASE(uint16_t)
        STORE_CASE(uint32_t)
        STORE_CASE(uint64_t)
    default:
        copy_value(to, from, fixed, size);
    }
}

COPY_FUNCTION void note_fault(index_fault *fault, size_t place, uint64_t index)
{
    if (!fault->found)
        *fault = (index_fault){true, place, index};
}

/* ---- by a range of indices ---- */

/* Where the element of index i + distance is, for a prefetch only. */
COPY_FUNCTION const char *far_value(const gather_call *c, const bool wide, size_t i, size_t size)
{
    const uintptr_t array = (uintptr_t)(c->scatters ? c->out : c->in);
    return (const char *)(array + (uintptr_t)index_at(wide, c->indices, i) * size);
}

COPY_FUNCTION void fetch_ahead(const gather_call *c, const bool wide, size_t i, size_t end,
                               size_t size)
{
    if (size <= COPY_SMALL_MOST) {
        if (end - i > AHEAD)
            __builtin_prefetch(far_value(c, wide, i + AHEAD, size));
    } else if (end - i > AHEAD_LONG) {
        const char *const value = far_value(c, wide, i + AHEAD_LONG, size);
        for (size_t k = 0; k < size && k < LINES_AHEAD * 64; k += 64)
            __builtin_prefetch(value + k);
    }
}

COPY_FUNCTION void move_range(const gather_call *call, size_t begin, size_t end,
                              const bool scatters, const bool wide, const size_t fixed,
                              const bool ahead, index_fault *fault)
{
    const gather_call c = *call;
    const size_t size = fixed != ANY ? fixed : c.value_size;
    for (size_t i = begin; i < end; i++) {
        const uint64_t index = index_once(wide, c.indices, i);
        if (ahead)
            fetch_ahead(&c, wide, i, end, size);
        if (__builtin_expect(index < c.limit, 1)) {
            if (scatters)
                store_value(c.out + (size_t)index * size, c.in + i * size, fixed, size);
            else
                copy_value(c.out + i * size, c.in + (size_t)index * size, fixed, size);
        } else {
            if (!scatters)
                memset(c.out + i * size, 0, size);
            note_fault(fault, i, index);
        }
    }
}

/* ---- by the indices of a window ---- */

/* The indices of a tile that lie in the window, in their order. */
typedef struct window_tile {
    size_t count;
    uint64_t largest;     /* of all indices of the tile */
    uint64_t place[TILE]; /* in out */
    uint16_t from[TILE];  /* in the tile */
} window_tile;

COPY_FUNCTION void choose(window_tile *tile, const gather_call *c, size_t begin, size_t n,
                          const bool wide, uint64_t low, uint64_t width)
{
    size_t count = 0;
    uint64_t largest = 0;
    for (size_t k = 0; k < n; k++) {
        const uint64_t index = index_once(wide, c->indices, begin + k);
        tile->place[count] = index;
        tile->from[count] = (uint16_t)k;
        count += index - low < width;
        largest = index > largest ? index : largest;
    }
    tile->count = count;
    tile->largest = largest;
}

COPY_FUNCTION void find_fault(const gather_call *c, size_t begin, size_t n, const bool wide,
                              index_fault *fault)
{
    for (size_t i = begin; i < begin + n && !fault->found; i++) {
        const uint64_t index = index_once(wide, c->indices, i);
        if (index >= c->limit)
            note_fault(fault, i, index);
    }
}

COPY_FUNCTION void store_tile(const window_tile *tile, const gather_call *c, size_t begin,
                              const size_t fixed, size_t size)
{
    for (size_t k = 0; k < tile->count; k++) {
        if (tile->count - k > AHEAD)
            __builtin_prefetch(c->out + (size_t)tile->place[k + AHEAD] * size, 1);
        copy_value(c->out + (size_t)tile->place[k] * size, c->in + (begin + tile->from[k]) * size,
                   fixed, size);
    }
}

COPY_FUNCTION void scatter_in(const gather_call *call, uint64_t low, uint64_t high, const bool wide,
                              const size_t fixed, index_fault *fault)
{
    const gather_call c = *call;
    const size_t size = fixed != ANY ? fixed : c.value_size;
    window_tile tile;
    for (size_t begin = 0; begin < c.n; begin += TILE) {
        const size_t n = c.n - begin < TILE ? c.n - begin : TILE;
        choose(&tile, &c, begin, n, wide, low, high - low);
        if (low == 0 && tile.largest >= c.limit)
            find_fault(&c, begin, n, wide, fault);
        store_tile(&tile, &c, begin, fixed, size);
    }
}

/* ---- for each size of an element ---- */

#define BY_SIZE(size, CALL) \
    switch (size) {         \
    case 1:                 \
        CALL(1);            \
        break;              \
    case 2:                 \
        CALL(2);            \
        break;              \
    case 4:                 \
        CALL(4);            \
        break;              \
    case 8:                 \
        CALL(8);            \
        break;              \
    case 16:                \
        CALL(16);           \
        break;              \
    default:                \
        CALL(ANY);          \
    }

COPY_FUNCTION void move_sized(const gather_call *call, size_t begin, size_t end, const size_t fixed,
                              const bool ahead, index_fault *fault)
{
    if (call->scatters && call->wide)
        move_range(call, begin, end, true, true, fixed, ahead, fault);
    else if (call->scatters)
        move_range(call, begin, end, true, false, fixed, ahead, fault);
    else if (call->wide)
        move_range(call, begin, end, false, true, fixed, ahead, fault);
    else
        move_range(call, begin, end, false, false, fixed, ahead, fault);
}

/* Elements of out that are not aligned to their size cannot be stored at once. */
static size_t size_at_once(const gather_call *call)
{
    const size_t size = call->value_size;
    return call->scatters && size <= sizeof(uint64_t) && (uintptr_t)call->out % size != 0 ? ANY
                                                                                          : size;
}

static void move(const gather_call *call, size_t begin, size_t end, bool ahead, index_fault *fault)
{
#define MOVE(fixed) move_sized(call, begin, end, fixed, false, fault)
#define MOVE_AHEAD(fixed) move_sized(call, begin, end, fixed, true, fault)
    const size_t size = size_at_once(call);
    if (ahead)
        BY_SIZE(size, MOVE_AHEAD)
    else
        BY_SIZE(size, MOVE)
}

static void scatter_window(const gather_call *call, uint64_t low, uint64_t high, index_fault *fault)
{
#define SCATTER_WIDE(fixed) scatter_in(call, low, high, true, fixed, fault)
#define SCATTER_NARROW(fixed) scatter_in(call, low, high, false, fixed, fault)
    if (call->wide)
        BY_SIZE(call->value_size, SCATTER_WIDE)
    else
        BY_SIZE(call->value_size, SCATTER_NARROW)
}

const gather_kernels PARSCAN_PASTE(parscan_gather_, PARSCAN_ISA) = {
    .move = move,
    .scatter_window = scatter_window,
};
