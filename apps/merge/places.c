/* Places in sorted arrays. Compiled once for each width of keys and SIMD set. */
#include "apps/merge/places.h"

#include "scan/cpu/element.h"

/* More bytes are no faster: each key of those that a vector's needles lie among takes its turn. */
#define PLACE_BYTES (PARSCAN_VECTOR_BYTES < 32 ? PARSCAN_VECTOR_BYTES : 32)
#define PLACE_LANES (PLACE_BYTES * 8 / PARSCAN_ELEMENT_BITS)
#define PLACE_FUNCTION static inline __attribute__((always_inline))
typedef T rank_vector __attribute__((vector_size(PLACE_BYTES)));
typedef uint16_t place_vector __attribute__((vector_size(PLACE_LANES * sizeof(uint16_t))));

/* ---- ranks ---- */

PLACE_FUNCTION rank_vector of_floats(const place_order *order, rank_vector bits)
{
    const rank_vector zero = {0};
    const rank_vector nan = (bits & highest()) > (T)order->infinity;
    const rank_vector minus_zero = bits == lowest();
    bits ^= minus_zero & (order->equal_zeros ? lowest() : (T)0);
    bits ^= (bits < zero) & highest();
    return ((bits & ~nan) | (nan & highest())) ^ (T)order->flip;
}

PLACE_FUNCTION rank_vector of_keys(const place_order *order, rank_vector bits, const bool floats)
{
    return floats ? of_floats(order, bits) : bits ^ (T)order->flip;
}

PLACE_FUNCTION void rank_keys(const place_order *order, const char *keys, size_t n, T *ranks,
                              const bool floats)
{
    size_t i = 0;
    rank_vector v = {0};
    for (; n - i >= PLACE_LANES; i += PLACE_LANES) {
        memcpy(&v, keys + i * sizeof(T), sizeof v);
        v = of_keys(order, v, floats);
        memcpy(ranks + i, &v, sizeof v);
    }
    for (; i < n; i++) {
        T last;
        memcpy(&last, keys + i * sizeof(T), sizeof last);
        v[0] = last;
        ranks[i] = of_keys(order, v, floats)[0];
    }
}

static void ranks_of(const place_order *order, const char *keys, size_t n, void *ranks)
{
    const place_order by = *order;
    if (by.infinity != 0)
        rank_keys(&by, keys, n, ranks, true);
    else
        rank_keys(&by, keys, n, ranks, false);
}

static bool in_order(const void *ranks, size_t n)
{
    const T *const r = ranks;
    rank_vector descents = {0}, v, before;
    T last = 0;
    size_t i = 1;
    for (; n - i >= PLACE_LANES && n > i; i += PLACE_LANES) {
        memcpy(&v, r + i, sizeof v);
        memcpy(&before, r + i - 1, sizeof before);
        descents |= v < before;
    }
    for (; i < n; i++)
        last |= r[i] < r[i - 1];
    for (size_t lane = 0; lane < PLACE_LANES; lane++)
        last |= descents[lane];
    return last == 0;
}

/* ---- places ---- */

PLACE_FUNCTION bool is_before(T key, T needle, const bool upper)
{
    return upper ? key <= needle : key < needle;
}

/* One more in each lane whose needle the key is before. */
PLACE_FUNCTION rank_vector count_key(rank_vector counts, rank_vector needles, T key,
                                     const bool upper)
{
    const rank_vector keys = (rank_vector){0} + key;
    return counts - (rank_vector)(upper ? keys <= needles : keys < needles);
}

/* Of needles of the highest rank, those behind the keys are counted too. */
PLACE_FUNCTION void put_places(uint16_t *places, rank_vector counts, T most)
{
    const rank_vector more = counts > most;
    const place_vector few =
        __builtin_convertvector((counts & ~more) | (more & most), place_vector);
    memcpy(places, &few, sizeof few);
}

/* Keys are passed by fours that are before all later needles. The counts of a vector start with those. */
PLACE_FUNCTION void count_keys(const T *needles, size_t n, const T *keys, size_t m,
                               const bool upper, uint16_t *places)
{
    size_t passed = 0;
    for (size_t i = 0; i < n; i += PLACE_LANES) {
        rank_vector v, counts = (rank_vector){0} + (T)passed;
        memcpy(&v, needles + i, sizeof v);
        const T last = needles[i + PLACE_LANES - 1];
        for (;;) {
            for (size_t k = 0; k < PLACES_KEYS; k++)
                counts = count_key(counts, v, keys[passed + k], upper);
            if (m - passed < PLACES_KEYS || !is_before(keys[passed + PLACES_KEYS - 1], last, upper))
                break;
            passed += PLACES_KEYS;
        }
        put_places(places + i, counts, (T)m);
    }
}

static void places_of(const void *needles, size_t n, const void *keys, size_t m, bool upper,
                      uint16_t *places)
{
    if (upper)
        count_keys(needles, n, keys, m, true, places);
    else
        count_keys(needles, n, keys, m, false, places);
}

const place_kernels NAMED(PARSCAN_PASTE(parscan_places_, PARSCAN_ISA)) = {
    .ranks = ranks_of, .in_order = in_order, .places = places_of};
