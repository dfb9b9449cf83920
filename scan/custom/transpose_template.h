/*
 * A square of LANES x LANES elements transposed in registers. A vector is loaded as chunks of 16 bytes of rows that
 * are PER_CHUNK apart, so that all shuffles stay within chunks: these are the cheapest, of which x86 starts two in a
 * cycle if vectors have 32 bytes.
 *
 * Before this file: UNIT, an unsigned type of the elements' size; NAME_OF_UNIT(name); LANES, the number
 * of them in a vector, one chunk or two; EVERY_LANE(f), a list of f(k) for all lanes. Undefined at the end.
 */
#define PER_CHUNK (16 / (int)sizeof(UNIT))

typedef UNIT NAME_OF_UNIT(vector) __attribute__((vector_size(PANEL_VECTOR_BYTES)));
#define VECTOR NAME_OF_UNIT(vector)
/* The first halves of two vectors' chunks, interleaved; the second ones. */
#define LOW_LANE(k) (k) / PER_CHUNK *PER_CHUNK + (k) % PER_CHUNK / 2 + (k) % 2 * LANES
#define HIGH_LANE(k) LOW_LANE(k) + PER_CHUNK / 2

static inline __attribute__((always_inline)) VECTOR NAME_OF_UNIT(load_chunks)(const char *from,
                                                                              size_t from_stride)
{
#if PANEL_VECTOR_BYTES == 16
    VECTOR v;
    (void)from_stride;
    memcpy(&v, from, sizeof v);
    return v;
#else
    return (VECTOR)load_two_chunks(from, from + PER_CHUNK * from_stride);
#endif
}

static inline __attribute__((always_inline)) void
NAME_OF_UNIT(transpose)(const char *from, size_t from_stride, char *to, size_t to_stride)
{
    UNROLLED for (size_t chunk = 0; chunk < LANES; chunk += PER_CHUNK)
    {
        VECTOR v[PER_CHUNK], turned[PER_CHUNK];
        UNROLLED for (size_t k = 0; k < PER_CHUNK; k++) v[k] =
            NAME_OF_UNIT(load_chunks)(from + k * from_stride + chunk * sizeof(UNIT), from_stride);
        UNROLLED for (size_t round = 1; round < PER_CHUNK; round *= 2)
        {
            UNROLLED for (size_t k = 0; k < PER_CHUNK / 2; k++)
            {
                turned[2 * k] =
                    __builtin_shufflevector(v[k], v[k + PER_CHUNK / 2], EVERY_LANE(LOW_LANE));
                turned[2 * k + 1] =
                    __builtin_shufflevector(v[k], v[k + PER_CHUNK / 2], EVERY_LANE(HIGH_LANE));
            }
            UNROLLED for (size_t k = 0; k < PER_CHUNK; k++) v[k] = turned[k];
        }
        UNROLLED for (size_t k = 0; k < PER_CHUNK; k++)
            memcpy(to + (chunk + k) * to_stride, &v[k], sizeof v[k]);
    }
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
#undef PER_CHUNK
#undef UNIT
#undef NAME_OF_UNIT
#undef LANES
#undef EVERY_LANE
