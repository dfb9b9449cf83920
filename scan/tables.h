/*
 * The element types, the operators and the algorithms: the only list of each.
 *
 * These lists are expanded into the public enums, PARSCAN_TYPE_OF, the names, the sizes, the
 * per-type builds of the CPU engine, the CUDA instantiations and the tests. So a new type or operator
 * starts with one line here; CONTRIBUTING.md lists what else it touches. cmake/tables.cmake reads the
 * lists too: it writes the public enums and compiles files once for each type. So an entry stays on one
 * line that starts with "X(ctx, ". Numbers are part of the ABI: never change a number, and never use
 * one twice.
 */
#ifndef PARSCAN_SCAN_TABLES_H
#define PARSCAN_SCAN_TABLES_H

/*
 * The element types: those in which the processor computes, and those in which it only stores. An
 * element of these is widened to A where it is read, exactly, and a result is rounded where it is written.
 *
 * X(ctx, NAME, number, name, C type, A, class, lowest, highest, lane)
 *   A      the type in which sums and products are computed. For integers it is unsigned, so that
 *          signed sums wrap, and not promoted to int. For floats it is the type itself.
 *   class  INTEGER, FLOAT or HALF: selects the operators, and how minimum and maximum compare. A HALF
 *          is a float of 16 bits, computed in F32
 *   lowest, highest   the identities of MAX and MIN; those of a HALF are of type A
 *   lane   the bits of a SIMD lane that holds an element; 0: SIMD registers have no such lane
 */
/* clang-format off */
#define PARSCAN_ARITHMETIC_TYPES(X, ctx)                                                 \
    X(ctx, U8,   1, u8,  uint8_t,  uint32_t, INTEGER, 0,         UINT8_MAX,  8)          \
    X(ctx, I8,   2, i8,  int8_t,   uint32_t, INTEGER, INT8_MIN,  INT8_MAX,   8)          \
    X(ctx, U16,  3, u16, uint16_t, uint32_t, INTEGER, 0,         UINT16_MAX, 16)         \
    X(ctx, I16,  4, i16, int16_t,  uint32_t, INTEGER, INT16_MIN, INT16_MAX,  16)         \
    X(ctx, U32,  5, u32, uint32_t, uint32_t, INTEGER, 0,         UINT32_MAX, 32)         \
    X(ctx, I32,  6, i32, int32_t,  uint32_t, INTEGER, INT32_MIN, INT32_MAX,  32)         \
    X(ctx, U64,  7, u64, uint64_t, uint64_t, INTEGER, 0,         UINT64_MAX, 64)         \
    X(ctx, I64,  8, i64, int64_t,  uint64_t, INTEGER, INT64_MIN, INT64_MAX,  64)         \
    X(ctx, F32,  9, f32, float,    float,    FLOAT,   -INFINITY, INFINITY,   32)         \
    X(ctx, F64, 10, f64, double,   double,   FLOAT,   -INFINITY, INFINITY,   64)

#define PARSCAN_STORED_TYPES(X, ctx)                                                     \
    X(ctx, F16,  11, f16,  parscan_f16,  float, HALF, -INFINITY, INFINITY,   16)         \
    X(ctx, BF16, 12, bf16, parscan_bf16, float, HALF, -INFINITY, INFINITY,   16)

#define PARSCAN_TYPES(X, ctx) PARSCAN_ARITHMETIC_TYPES(X, ctx) PARSCAN_STORED_TYPES(X, ctx)

/* X(ctx, FROM, TO): a SUM may read elements of type FROM and accumulate in type TO. */
#define PARSCAN_ARITHMETIC_WIDENINGS(X, ctx)                                           \
    X(ctx, U8, U32) X(ctx, U8, U64) X(ctx, U16, U32) X(ctx, U16, U64) X(ctx, U32, U64) \
    X(ctx, I8, I32) X(ctx, I8, I64) X(ctx, I16, I32) X(ctx, I16, I64) X(ctx, I32, I64) \
    X(ctx, F32, F64)

#define PARSCAN_STORED_WIDENINGS(X, ctx)                                               \
    X(ctx, F16, F32) X(ctx, F16, F64) X(ctx, BF16, F32) X(ctx, BF16, F64)

#define PARSCAN_WIDENINGS(X, ctx) \
    PARSCAN_ARITHMETIC_WIDENINGS(X, ctx) PARSCAN_STORED_WIDENINGS(X, ctx)

/*
 * X(ctx, NAME, bits, name, is_float, infinity): the classes of keys, for code that depends on the bits of
 * elements only, as sorts do. A signed integer is in the class of the unsigned one of its size.
 *   infinity   the bits of a float's infinity: those of every NaN, but the sign, are above. 0: no float
 */
#define PARSCAN_ARITHMETIC_KEY_CLASSES(X, ctx)                                         \
    X(ctx, U8,   8, u8,  false, 0)                                                     \
    X(ctx, U16, 16, u16, false, 0)                                                     \
    X(ctx, U32, 32, u32, false, 0)                                                     \
    X(ctx, U64, 64, u64, false, 0)                                                     \
    X(ctx, F32, 32, f32, true,  0x7f800000)                                            \
    X(ctx, F64, 64, f64, true,  0x7ff0000000000000)

#define PARSCAN_STORED_KEY_CLASSES(X, ctx)                                             \
    X(ctx, F16,  16, f16,  true, 0x7c00)                                               \
    X(ctx, BF16, 16, bf16, true, 0x7f80)

#define PARSCAN_KEY_CLASSES(X, ctx) \
    PARSCAN_ARITHMETIC_KEY_CLASSES(X, ctx) PARSCAN_STORED_KEY_CLASSES(X, ctx)

/*
 * X(ctx, NAME, number, name, meaning, order, combine, identity)
 *   order     COMMUTES, or ORDERED: combine(a, b) may differ from combine(b, a). ORDERED operators
 *             have no vector expression: SIMD kernels combine their lanes one by one.
 *   combine   an expression of T a, T b (a is the earlier operand), A, minimum() and maximum().
 *             If the operator COMMUTES, a and b may also be SIMD vectors, which have no ?:.
 *   identity  an expression of T, A, lowest() and highest(). It is exact: combining it with x gives
 *             x to the bit. So the identity of a sum of floats is -0, since 0 + -0 is +0.
 */
#define PARSCAN_ARITHMETIC_OPS(X, ctx)                                                          \
    X(ctx, SUM,     0, sum,     "a + b",         COMMUTES, (T)((A)a + (A)b), (T)(-(A)0))        \
    X(ctx, PRODUCT, 1, product, "a * b",         COMMUTES, (T)((A)a * (A)b), (T)1)              \
    X(ctx, MIN,     2, min,     "minimum(a, b)", COMMUTES, minimum(a, b),    highest())         \
    X(ctx, MAX,     3, max,     "maximum(a, b)", COMMUTES, maximum(a, b),    lowest())

#define PARSCAN_BIT_OPS(X, ctx)                                                                 \
    X(ctx, AND,     4, and,     "a & b",         COMMUTES, (T)((A)a & (A)b), (T)~(A)0)          \
    X(ctx, OR,      5, or,      "a | b",         COMMUTES, (T)((A)a | (A)b), (T)0)              \
    X(ctx, XOR,     6, xor,     "a ^ b",         COMMUTES, (T)((A)a ^ (A)b), (T)0)

/* X(ctx, NAME): operators whose results have the same bits for signed and unsigned integers. */
#define PARSCAN_SIGNLESS_OPS(X, ctx) \
    X(ctx, SUM) X(ctx, PRODUCT) X(ctx, AND) X(ctx, OR) X(ctx, XOR)

/* X(ctx, NAME): operators that round floats. All others give the same bits in any grouping. */
#define PARSCAN_ROUNDING_OPS(X, ctx) \
    X(ctx, SUM) X(ctx, PRODUCT)
/* clang-format on */

#define PARSCAN_OPS(X, ctx) PARSCAN_ARITHMETIC_OPS(X, ctx) PARSCAN_BIT_OPS(X, ctx)
#define PARSCAN_OPS_INTEGER(X, ctx) PARSCAN_OPS(X, ctx)
#define PARSCAN_OPS_FLOAT(X, ctx) PARSCAN_ARITHMETIC_OPS(X, ctx)
#define PARSCAN_OPS_HALF(X, ctx) PARSCAN_ARITHMETIC_OPS(X, ctx)

/* clang-format off */
/* X(ctx, NAME, number, name) */
#define PARSCAN_ALGORITHMS(X, ctx)                                                     \
    X(ctx, AUTO,        0, "auto")                                                     \
    X(ctx, SEQUENTIAL,  1, "sequential")                                               \
    X(ctx, SINGLE_PASS, 6, "single-pass")                                              \
    PARSCAN_BLOCK_ALGORITHMS(X, ctx)

/* Each is a header of scan/block/. The hierarchical scan runs it on arrays of any length. */
#define PARSCAN_BLOCK_ALGORITHMS(X, ctx)                                               \
    X(ctx, KOGGE_STONE, 2, "kogge-stone")                                              \
    X(ctx, BRENT_KUNG,  3, "brent-kung")                                               \
    X(ctx, THREE_PHASE, 4, "three-phase")                                              \
    X(ctx, WARP,        5, "warp")                                                     \
    X(ctx, WARP_PADDED, 7, "warp-padded")
/* clang-format on */

#define PARSCAN_PASTE_(a, b) a##b
#define PARSCAN_PASTE(a, b) PARSCAN_PASTE_(a, b)

/* NAMED(function) is function_u8 in files that CMake compiles once for each element type, with
   PARSCAN_ELEMENT_NAME=u8. */
#define NAMED(function) PARSCAN_PASTE(PARSCAN_PASTE(function, _), PARSCAN_ELEMENT_NAME)

#endif
