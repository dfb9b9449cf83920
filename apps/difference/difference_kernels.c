#include "apps/difference/difference_kernels.h"

#include "scan/cpu/simd.h"
#include "scan/cpu/simd_stored.h"
#include "scan/cpu/stream_fence.h"

difference_kernel NAMED(PARSCAN_PASTE(parscan_difference_, PARSCAN_ISA));

/* Floats of 16 bits are stored by two vectors. */
#define TOGETHER 4
#define STEP_ELEMENTS ((size_t)TOGETHER * LANES)

/* Integers wrap: signed ones too, since this file is compiled with -fwrapv. */
VECTOR_FUNCTION V vector_subtract(const parscan_op op, V a, V b)
{
#if !PARSCAN_ELEMENT_IS_FLOAT
    if (op == PARSCAN_XOR)
        return a ^ b;
#endif
    (void)op;
    return a - b;
}

VECTOR_FUNCTION T subtract(const parscan_op op, T a, T b)
{
#if !PARSCAN_ELEMENT_IS_FLOAT
    if (op == PARSCAN_XOR)
        return (T)(a ^ b);
#endif
    (void)op;
    return (T)((A)a - (A)b);
}

/* The elements that come before a vector of out that is aligned. */
VECTOR_FUNCTION size_t misaligned_elements(const parscan_type type, const difference_tile *tile)
{
    const size_t size = typed_size(type), up = (uintptr_t)tile->out % sizeof(V) / size;
    const size_t elements = up == 0 ? 0 : sizeof(V) / size - up;
    return elements < tile->n ? elements : tile->n;
}

/* The elements `from` to `to` - 1. In place an element is read before its place is written, also as the
   neighbour of the next one: it is kept in *before. */
VECTOR_FUNCTION void forward_singly(const parscan_type type, const parscan_op op,
                                    const difference_tile *tile, size_t from, size_t to, T *before)
{
    const size_t size = typed_size(type);
    for (size_t i = from; i < to; i++) {
        const T x = typed_read(type, (const char *)tile->in + i * size);
        typed_write(type, (char *)tile->out + i * size, subtract(op, x, *before));
        *before = x;
    }
}

VECTOR_FUNCTION void forward(const parscan_type type, const parscan_op op, const bool stream,
                             const difference_tile *tile)
{
    const size_t size = typed_size(type), n = tile->n;
    T before = typed_read(type, tile->neighbour);
    size_t i = stream ? misaligned_elements(type, tile) : 0;
    forward_singly(type, op, tile, 0, i, &before);
    V last = vector_splat(before);
    for (; i + STEP_ELEMENTS <= n; i += STEP_ELEMENTS) {
        V results[TOGETHER];
        for (int t = 0; t < TOGETHER; t++) {
            const size_t at = (i + t * LANES) * size;
            const V v = typed_load(PARSCAN_SUM, type, (const char *)tile->in + at);
            results[t] = vector_subtract(op, v, vector_after(last, v));
            typed_store(PARSCAN_SUM, type, stream, false, (char *)tile->out + at, results, t);
            last = v;
        }
    }
    before = vector_last(last);
    forward_singly(type, op, tile, i, n, &before);
}

/* The same for in[i] - in[i + 1]. Ascending, in[i + 1] has not been written yet. */
VECTOR_FUNCTION void reverse_singly(const parscan_type type, const parscan_op op,
                                    const difference_tile *tile, size_t from, size_t to)
{
    const size_t size = typed_size(type);
    for (size_t i = from; i < to; i++) {
        const char *const in = (const char *)tile->in + i * size;
        const void *const after = i + 1 < tile->n ? in + size : tile->neighbour;
        const T x = typed_read(type, in);
        typed_write(type, (char *)tile->out + i * size, subtract(op, x, typed_read(type, after)));
    }
}

VECTOR_FUNCTION void reverse(const parscan_type type, const parscan_op op, const bool stream,
                             const difference_tile *tile)
{
    const size_t size = typed_size(type), n = tile->n;
    size_t i = stream ? misaligned_elements(type, tile) : 0;
    reverse_singly(type, op, tile, 0, i);
    for (; i + STEP_ELEMENTS + 1 <= n; i += STEP_ELEMENTS) {
        V results[TOGETHER];
        for (int t = 0; t < TOGETHER; t++) {
            const char *const in = (const char *)tile->in + (i + t * LANES) * size;
            const V v = typed_load(PARSCAN_SUM, type, in);
            results[t] = vector_subtract(op, v, typed_load(PARSCAN_SUM, type, in + size));
            typed_store(PARSCAN_SUM, type, stream, false,
                        (char *)tile->out + (i + t * LANES) * size, results, t);
        }
    }
    reverse_singly(type, op, tile, i, n);
}

VECTOR_FUNCTION void of_type(const parscan_type type, const parscan_op op,
                             const difference_tile *tile)
{
    if (tile->reverse && tile->stream)
        reverse(type, op, true, tile);
    else if (tile->reverse)
        reverse(type, op, false, tile);
    else if (tile->stream)
        forward(type, op, true, tile);
    else
        forward(type, op, false, tile);
}

/* Functions of their own, for the stack. */
#define FUNCTION_OF(name, type, op)                                                      \
    static __attribute__((noinline)) void difference_##name(const difference_tile *tile) \
    {                                                                                    \
        of_type(type, op, tile);                                                         \
    }
FUNCTION_OF(own, PARSCAN_ELEMENT_TYPE, PARSCAN_SUM)
#if !PARSCAN_ELEMENT_IS_FLOAT
FUNCTION_OF(bits, PARSCAN_ELEMENT_TYPE, PARSCAN_XOR)
#endif
#define X(ctx, NAME, number, name, ...) FUNCTION_OF(name, PARSCAN_##NAME, PARSCAN_SUM)
PARSCAN_STORED_TYPES(X, )
#undef X

void NAMED(PARSCAN_PASTE(parscan_difference_, PARSCAN_ISA))(const difference_tile *tile)
{
#define X(ctx, NAME, number, name, ...)                        \
    if (IS_HALF(tile->type) && tile->type == PARSCAN_##NAME) { \
        difference_##name(tile);                               \
    } else
    PARSCAN_STORED_TYPES(X, )
#undef X
#if !PARSCAN_ELEMENT_IS_FLOAT
    if (tile->op == PARSCAN_XOR)
        difference_bits(tile);
    else
#endif
        difference_own(tile);
    if (tile->stream)
        stream_fence();
}
