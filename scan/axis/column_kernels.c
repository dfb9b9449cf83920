/*
 * Neighbouring columns are the lanes of SIMD vectors, so there is nothing to shuffle. The sums stay in
 * the first-level cache, those of up to FEW columns in registers. Compiled once for each element type
 * and instruction set.
 */
#include "scan/axis/column_kernels.h"

#include "scan/cpu/simd.h"
#include "scan/cpu/simd_stored.h"

/* Floats of 16 bits are stored by two vectors. */
#define STEP_LANES ((size_t)2 * LANES)

/* Up to so many columns have loops of their own. */
enum { FEW = 4 };

/* Rows are prefetched so far ahead: the processor's own prefetcher stops at the end of a page. */
enum { AHEAD_BYTES = 4096 };

/* From this size on, a row may end with columns that are stored singly. */
enum { STREAMED_BYTES = 2048 };

/* Stores past the caches are slow beside others in the same lines: they need aligned rows, and few columns
   at the end of a row that are stored singly. */
static bool streams(const column_block *block, size_t size)
{
    return block->stream && block->out_row % (int64_t)sizeof(V) == 0 &&
           (uintptr_t)block->out % sizeof(V) == 0 &&
           (block->width % STEP_LANES == 0 || block->width * size >= STREAMED_BYTES);
}

/* The bytes from an element to the one that is to be prefetched with it. */
static int64_t ahead(const column_block *block, size_t size)
{
    const size_t row = block->width * size;
    return block->in_row * (int64_t)(row < AHEAD_BYTES ? AHEAD_BYTES / row : 1);
}

/* The sums of the columns that vectors take, as keys (simd_keys.h), or again as elements. */
VECTOR_FUNCTION void sums_to_keys(const OPERATOR op, T *sums, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        vector_store(sums + i, vector_keys(op, vector_load(sums + i)));
}

VECTOR_FUNCTION void sums_of_keys(const OPERATOR op, T *sums, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        vector_store(sums + i, vector_values(op, vector_load(sums + i)));
}

VECTOR_FUNCTION void scan_single(const OPERATOR op, const parscan_type type, const char *in,
                                 char *out, T *sum, const bool exclusive)
{
    const T before = *sum;
    *sum = combine(op, before, typed_read(type, in));
    typed_write(type, out, exclusive ? before : *sum);
}

/* Two vectors of a row, or one. */
VECTOR_FUNCTION void scan_step(const OPERATOR op, const parscan_type type, const char *in,
                               char *out, T *sums, const bool exclusive, const bool stream,
                               const int vectors)
{
    V shown[2];
    for (int k = 0; k < vectors; k++) {
        const V before = vector_load(sums + k * LANES);
        const V x = typed_load(op, type, in + k * LANES * typed_size(type));
        const V through = vector_combine_keys(op, before, vector_keys(op, x));
        vector_store(sums + k * LANES, through);
        shown[k] = vector_values(op, exclusive ? before : through);
        typed_store(op, type, stream, false, out + k * LANES * typed_size(type), shown, k);
    }
}

VECTOR_FUNCTION void scan_rows(const OPERATOR op, const parscan_type type,
                               const column_block *block, const bool exclusive, const bool stream)
{
    const size_t size = typed_size(type), width = block->width;
    const size_t pairs = width / STEP_LANES * STEP_LANES;
    const size_t end = IS_HALF(type) ? pairs : width / LANES * LANES;
    const int64_t next = ahead(block, size);
    const char *in = block->in;
    char *out = block->out;
    T *const sums = block->sums;
    sums_to_keys(op, sums, end);
    for (size_t row = 0; row < block->rows; row++, in += block->in_row, out += block->out_row) {
        for (size_t j = 0; j < pairs; j += STEP_LANES) {
            prefetch((const char *)((uintptr_t)in + j * size + (uintptr_t)next), STEP_LANES * size);
            scan_step(op, type, in + j * size, out + j * size, sums + j, exclusive, stream, 2);
        }
        if (end > pairs)
            scan_step(op, type, in + pairs * size, out + pairs * size, sums + pairs, exclusive,
                      stream, 1);
        for (size_t j = end; j < width; j++)
            scan_single(op, type, in + j * size, out + j * size, sums + j, exclusive);
    }
    sums_of_keys(op, sums, end);
}

/* The sums of `width` columns, a constant, are in registers. */
VECTOR_FUNCTION void scan_few(const OPERATOR op, const parscan_type type, const column_block *block,
                              const size_t width)
{
    const size_t size = typed_size(type);
    const bool exclusive = block->exclusive;
    const char *in = block->in;
    char *out = block->out;
    T sums[FEW];
    memcpy(sums, block->sums, width * sizeof(T));
    for (size_t row = 0; row < block->rows; row++, in += block->in_row, out += block->out_row)
        for (size_t j = 0; j < width; j++)
            scan_single(op, type, in + j * size, out + j * size, sums + j, exclusive);
    memcpy(block->sums, sums, width * sizeof(T));
}

VECTOR_FUNCTION void reduce_rows(const OPERATOR op, const parscan_type type,
                                 const column_block *block)
{
    const size_t size = typed_size(type);
    const size_t end = block->width / LANES * LANES;
    const int64_t next = ahead(block, size);
    const char *in = block->in;
    T *const sums = block->sums;
    sums_to_keys(op, sums, end);
    for (size_t row = 0; row < block->rows; row++, in += block->in_row) {
        for (size_t j = 0; j < end; j += LANES) {
            prefetch((const char *)((uintptr_t)in + j * size + (uintptr_t)next), LANES * size);
            const V x = vector_keys(op, typed_load(op, type, in + j * size));
            vector_store(sums + j, vector_combine_keys(op, vector_load(sums + j), x));
        }
        for (size_t j = end; j < block->width; j++)
            sums[j] = combine(op, sums[j], typed_read(type, in + j * size));
    }
    sums_of_keys(op, sums, end);
}

VECTOR_FUNCTION void reduce_few(const OPERATOR op, const parscan_type type,
                                const column_block *block, const size_t width)
{
    const size_t size = typed_size(type);
    const char *in = block->in;
    T sums[FEW];
    memcpy(sums, block->sums, width * sizeof(T));
    for (size_t row = 0; row < block->rows; row++, in += block->in_row)
        for (size_t j = 0; j < width; j++)
            sums[j] = combine(op, sums[j], typed_read(type, in + j * size));
    memcpy(block->sums, sums, width * sizeof(T));
}

/* Calls function(op, type, block, width) with a constant width. */
#define BY_WIDTH(function, op, type, block)                     \
    switch ((block)->width) {                                   \
    case 1:                                                     \
        DO_BY_OPERATOR(op, function, type, block, (size_t)1);   \
        return;                                                 \
    case 2:                                                     \
        DO_BY_OPERATOR(op, function, type, block, (size_t)2);   \
        return;                                                 \
    case 3:                                                     \
        DO_BY_OPERATOR(op, function, type, block, (size_t)3);   \
        return;                                                 \
    case FEW:                                                   \
        DO_BY_OPERATOR(op, function, type, block, (size_t)FEW); \
        return;                                                 \
    default:                                                    \
        break;                                                  \
    }

#define COLUMN_FUNCTIONS(name, type)                                  \
    static void scan_##name(OPERATOR op, const column_block *block)   \
    {                                                                 \
        BY_WIDTH(scan_few, op, type, block)                           \
        if (block->exclusive && streams(block, typed_size(type)))     \
            DO_BY_OPERATOR(op, scan_rows, type, block, true, true);   \
        else if (block->exclusive)                                    \
            DO_BY_OPERATOR(op, scan_rows, type, block, true, false);  \
        else if (streams(block, typed_size(type)))                    \
            DO_BY_OPERATOR(op, scan_rows, type, block, false, true);  \
        else                                                          \
            DO_BY_OPERATOR(op, scan_rows, type, block, false, false); \
    }                                                                 \
    static void reduce_##name(OPERATOR op, const column_block *block) \
    {                                                                 \
        BY_WIDTH(reduce_few, op, type, block)                         \
        DO_BY_OPERATOR(op, reduce_rows, type, block);                 \
    }
COLUMN_FUNCTIONS(own, PARSCAN_ELEMENT_TYPE)
#define X(ctx, NAME, number, name, ...) COLUMN_FUNCTIONS(name, PARSCAN_##NAME)
PARSCAN_STORED_TYPES(X, )
#undef X

static void scan_typed(OPERATOR op, const column_block *block)
{
#define X(ctx, NAME, number, name, ...)                          \
    if (IS_HALF(block->type) && block->type == PARSCAN_##NAME) { \
        scan_##name(op, block);                                  \
        return;                                                  \
    }
    PARSCAN_STORED_TYPES(X, )
#undef X
    scan_own(op, block);
}

/* Rows that lie next to each other, of which none is aligned, as aligned ones: each is the end of a row and
   the begin of the next one. Returns whether they can be. */
static bool scan_turned(OPERATOR op, const column_block *block)
{
    const size_t size = IS_HALF(block->type) ? HALF_BYTES : sizeof(T), width = block->width;
    const size_t up = (uintptr_t)block->out % sizeof(V) / size,
                 head = up > 0 ? sizeof(V) / size - up : 0;
    const int64_t row = (int64_t)(width * size);
    if (!block->stream || head == 0 || head >= width || block->rows < 2 || block->in_row != row ||
        block->out_row != row)
        return false;
    T sums[COLUMNS_MOST];
    memcpy(sums, block->sums + head, (width - head) * sizeof(T));
    column_block part = *block;
    part.rows = 1;
    part.width = head;
    scan_typed(op, &part);
    memcpy(sums + width - head, block->sums, head * sizeof(T));
    part.in += head * size;
    part.out += head * size;
    part.rows = block->rows - 1;
    part.width = width;
    part.sums = sums;
    scan_typed(op, &part);
    part.in += row * (int64_t)part.rows;
    part.out += row * (int64_t)part.rows;
    part.rows = 1;
    part.width = width - head;
    scan_typed(op, &part);
    memcpy(block->sums, sums + width - head, head * sizeof(T));
    memcpy(block->sums + head, sums, (width - head) * sizeof(T));
    return true;
}

static void scan(OPERATOR op, const column_block *block)
{
    if (!scan_turned(op, block))
        scan_typed(op, block);
}

static void reduce(OPERATOR op, const column_block *block)
{
#define X(ctx, NAME, number, name, ...)                          \
    if (IS_HALF(block->type) && block->type == PARSCAN_##NAME) { \
        reduce_##name(op, block);                                \
        return;                                                  \
    }
    PARSCAN_STORED_TYPES(X, )
#undef X
    reduce_own(op, block);
}

const column_kernels NAMED(PARSCAN_PASTE(parscan_column_kernels_, PARSCAN_ISA)) = {scan, reduce};
