/*
 * The bins of elements (bin_map.h), in loops that compilers vectorise. Compiled once for each
 * element type and instruction set.
 */
#include "apps/histogram/bin_map.h"
#include "scan/cpu/element.h"

bin_map_kernel NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA));

/* Rounds down. `bin` is scale * d with d < width, perhaps rounded up, so it fits a signed integer;
   the conversion to one is a single instruction in every instruction set. */
static inline uint32_t whole(double bin)
{
    return (uint32_t)(int32_t)bin;
}

#if PARSCAN_ELEMENT_IS_FLOAT

void NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA))(const bin_map *map,
                                                                const void *from, size_t n,
                                                                uint32_t *restrict to)
{
    const T *const in = from;
    const double lower = map->float_lower, upper = map->float_upper, scale = map->scale;
    const uint32_t bins = map->bins;
    for (size_t i = 0; i < n; i++) {
        T element;
        memcpy(&element, &in[i], sizeof element);
        const double x = element;
        const bool inside = (x >= lower) & (x < upper);
        const uint32_t bin = whole(((inside ? x : lower) - lower) * scale);
        to[i] = !inside ? bins : bin < bins ? bin : bins - 1;
    }
}

#else

/* x - lower, wrapping: for x outside it is at least width. Narrow types are computed in 32 bits,
   since width may not fit the type. */
#if PARSCAN_ELEMENT_BITS == 64
typedef uint64_t word;
#else
typedef uint32_t word;
#endif

__extension__ typedef unsigned __int128 wide;

static inline word distance(const T *in, size_t i, word lower)
{
    T element;
    memcpy(&element, &in[i], sizeof element);
    return (word)element - lower;
}

static void shift(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    const unsigned bits = map->shift;
    for (size_t i = 0; i < n; i++) {
        const word d = distance(in, i, lower);
        to[i] = d <= last ? (uint32_t)(d >> bits) : bins;
    }
}

static void scale(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    const double factor = map->scale;
    for (size_t i = 0; i < n; i++) {
        const word d = distance(in, i, lower);
        const uint32_t bin = whole((double)(d <= last ? d : 0) * factor);
        to[i] = d <= last ? bin : bins;
    }
}

static void exact(const bin_map *map, const T *in, size_t n, uint32_t *restrict to)
{
    const word lower = (word)map->lower, last = (word)(map->width - 1);
    const uint32_t bins = map->bins;
    for (size_t i = 0; i < n; i++) {
        const word d = distance(in, i, lower);
        uint32_t bin = bins;
        if (d <= last) {
            bin = whole((double)d * map->scale);
            const wide dividend = (wide)d * bins, below = (wide)bin * map->width;
            if (dividend < below)
                bin--;
            else if (dividend - below >= map->width)
                bin++;
        }
        to[i] = bin;
    }
}

void NAMED(PARSCAN_PASTE(parscan_bin_map_kernel_, PARSCAN_ISA))(const bin_map *map,
                                                                const void *from, size_t n,
                                                                uint32_t *restrict to)
{
    switch (map->kind) {
    case BIN_MAP_SHIFT:
        shift(map, from, n, to);
        break;
    case BIN_MAP_SCALE:
        scale(map, from, n, to);
        break;
    case BIN_MAP_EXACT:
        exact(map, from, n, to);
        break;
    }
}

#endif
