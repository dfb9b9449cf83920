/*
 * A square of LANES x LANES elements transposed in registers: log2 LANES rounds, each of which
 * interleaves the first half of the vectors with the second one.
 *
 * Before this file: UNIT, an unsigned type of the elements' size; NAME_OF_UNIT(name); LANES, the number
 * of them in a vector; EVERY_LANE(f), a list of f(k) for all lanes. Undefined at the end.
 */
typedef UNIT NAME_OF_UNIT(vector) __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));
#define VECTOR NAME_OF_UNIT(vector)
#define LOW_LANE(k) (k) / 2 + (k) % 2 * LANES
#define HIGH_LANE(k) LOW_LANE((k) + LANES)

static inline __attribute__((always_inline)) void
NAME_OF_UNIT(transpose)(const char *from, size_t from_stride, char *to, size_t to_stride)
{
    VECTOR v[LANES], turned[LANES];
    UNROLLED for (size_t k = 0; k < LANES; k++) memcpy(&v[k], from + k * from_stride, sizeof v[k]);
    UNROLLED for (size_t round = 1; round < LANES; round *= 2)
    {
        UNROLLED for (size_t k = 0; k < LANES / 2; k++)
        {
            turned[2 * k] = __builtin_shufflevector(v[k], v[k + LANES / 2], EVERY_LANE(LOW_LANE));
            turned[2 * k + 1] =
                __builtin_shufflevector(v[k], v[k + LANES / 2], EVERY_LANE(HIGH_LANE));
        }
        UNROLLED for (size_t k = 0; k < LANES; k++) v[k] = turned[k];
    }
    UNROLLED for (size_t k = 0; k < LANES; k++) memcpy(to + k * to_stride, &v[k], sizeof v[k]);
}

/* The whole squares of `height` vectors times `width` elements. Returns how many of the height. */
static size_t NAME_OF_UNIT(transpose_squares)(const char *from, size_t from_stride, size_t height,
                                              size_t width, char *to, size_t to_stride)
{
    size_t k = 0;
    for (; k + LANES <= height; k += LANES)
        for (size_t i = 0; i < width; i += LANES) {
            const char *const square = from + k * from_stride + i * sizeof(UNIT);
            NAME_OF_UNIT(transpose)
            (square, from_stride, to + i * to_stride + k * sizeof(UNIT), to_stride);
        }
    return k;
}

#undef VECTOR
#undef LOW_LANE
#undef HIGH_LANE
#undef UNIT
#undef NAME_OF_UNIT
#undef LANES
#undef EVERY_LANE
