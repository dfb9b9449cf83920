/*
 * SIMD vectors of T in memory: as they are, or, where T is float, as floats of 16 bits, which are widened
 * when they are loaded and rounded when they are stored (half_simd.h). Included after simd.h.
 *
 *     is_half_extreme(op, type)             whether tile kernels take a minimum or maximum of halves
 *     typed_size(type)                      the bytes of an element in memory
 *     typed_load(op, type, from)            LANES elements
 *     typed_load_as(quiet, type, from)      the same; signalling NaNs of halves are made quiet, or may stay
 *     typed_store(op, type, stream, reverse, to, v, k)   stream: past the caches; then what is stored must be
 *                                                        aligned
 *     typed_read(type, from), typed_write(type, to, x)    one element
 * type, stream and reverse are constants in a call.
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_STORED_H
#define PARSCAN_SCAN_CPU_SIMD_STORED_H

#include "scan/cpu/half_simd.h"

/* A type that is only stored: T is not it, but its compute type. */
#define IS_HALF(type) (PARSCAN_ELEMENT_TYPE == PARSCAN_F32 && (type) != PARSCAN_F32)

/* Whether half_extremes.h has it, in vectors of 16 bits. */
VECTOR_FUNCTION bool is_half_extreme(const OPERATOR op, const parscan_type type)
{
    return IS_HALF(type) && (op == PARSCAN_MIN || op == PARSCAN_MAX);
}

VECTOR_FUNCTION size_t typed_size(const parscan_type type)
{
    return IS_HALF(type) ? HALF_BYTES : sizeof(T);
}

VECTOR_FUNCTION T typed_read(const parscan_type type, const void *from)
{
    T x;
    if (IS_HALF(type))
        return (T)half_widen(type, from);
    memcpy(&x, from, sizeof x);
    return x;
}

VECTOR_FUNCTION void typed_write(const parscan_type type, void *to, T x)
{
    if (IS_HALF(type))
        half_narrow(type, to, (float)x);
    else
        memcpy(to, &x, sizeof x);
}

VECTOR_FUNCTION V typed_load_as(const bool quiet, const parscan_type type, const void *from)
{
    (void)quiet, (void)type;
#ifdef HALVES_VECTOR
    if (IS_HALF(type))
        return (V)floats_of(type, quiet, from);
#elif PARSCAN_ELEMENT_BITS == 32
    if (IS_HALF(type)) {
        V v;
        for (int k = 0; k < LANES; k++)
            v[k] = typed_read(type, (const char *)from + k * HALF_BYTES);
        return v;
    }
#endif
    return vector_load(from);
}

/* For an operator that does not compute, but compares, NaNs are made quiet here. */
VECTOR_FUNCTION V typed_load(const OPERATOR op, const parscan_type type, const void *from)
{
    return typed_load_as(works_on_keys(op), type, from);
}

/* Stores v[k], the vectors being stored in turn, downwards if `reverse`; `to` is the place of v[k]. Two
   vectors of halves are stored with the second of them. What an operator has compared is mostly exact. */
VECTOR_FUNCTION void typed_store(const OPERATOR op, const parscan_type type, const bool stream,
                                 const bool reverse, char *to, const V *v, const int k)
{
#ifdef HALVES_VECTOR
    if (IS_HALF(type)) {
        if (k % 2 != 0)
            halves_store(type, works_on_keys(op), stream, reverse ? to : to - LANES * HALF_BYTES,
                         (floats)v[reverse ? k : k - 1], (floats)v[reverse ? k - 1 : k]);
        return;
    }
#elif PARSCAN_ELEMENT_BITS == 32
    if (IS_HALF(type)) {
        for (int lane = 0; lane < LANES; lane++)
            typed_write(type, to + lane * HALF_BYTES, v[k][lane]);
        return;
    }
#endif
    (void)op, (void)type, (void)reverse;
    if (stream)
        vector_stream((T *)(void *)to, v[k]);
    else
        vector_store(to, v[k]);
}

#endif
