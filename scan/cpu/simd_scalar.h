/*
 * Vectors of one element, for types that have no SIMD lanes. Included by simd.h, which tells what
 * each function does.
 */
#ifndef PARSCAN_SCAN_CPU_SIMD_SCALAR_H
#define PARSCAN_SCAN_CPU_SIMD_SCALAR_H

VECTOR_FUNCTION void vector_stream(T *to, V v)
{
    vector_store(to, v);
}
VECTOR_FUNCTION V vector_splat(T x)
{
    return x;
}
VECTOR_FUNCTION T vector_first(V v)
{
    return v;
}
VECTOR_FUNCTION T vector_last(V v)
{
    return v;
}
VECTOR_FUNCTION V vector_broadcast_last(V v)
{
    return v;
}

VECTOR_FUNCTION V vector_reverse(V v)
{
    return v;
}

VECTOR_FUNCTION V vector_evens(V a, V b)
{
    (void)b;
    return a;
}

VECTOR_FUNCTION V vector_odds(V a, V b)
{
    (void)a;
    return b;
}

VECTOR_FUNCTION V vector_after(V previous, V v)
{
    (void)v;
    return previous;
}

VECTOR_FUNCTION V vector_combine(const OPERATOR op, V a, V b)
{
    return combine(op, a, b);
}

VECTOR_FUNCTION bool works_on_keys(const OPERATOR op)
{
    (void)op;
    return false;
}

VECTOR_FUNCTION V vector_keys(const OPERATOR op, V v)
{
    (void)op;
    return v;
}

VECTOR_FUNCTION V vector_values(const OPERATOR op, V keys)
{
    (void)op;
    return keys;
}

VECTOR_FUNCTION V vector_combine_keys(const OPERATOR op, V a, V b)
{
    return combine(op, a, b);
}

VECTOR_FUNCTION V vector_neutral_keys(const OPERATOR op)
{
    return identity(op);
}

VECTOR_FUNCTION V vector_scan_keys(const OPERATOR op, V v, const bool exclusive, V *sum)
{
    *sum = v;
    return exclusive ? identity(op) : v;
}

VECTOR_FUNCTION V vector_scan(const OPERATOR op, V v)
{
    (void)op;
    return v;
}

#endif
