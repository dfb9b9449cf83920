/*
 * Few keys, sorted in registers: a part of sort_vectors.h, which tells how. They are integers, and become keys where
 * they are stored.
 */
VECTOR_FUNCTION void order_two(V *a, V *b)
{
    const V low = SIGNED_MINIMUM(*a, *b);
    *b = SIGNED_MAXIMUM(*a, *b);
    *a = low;
}

/* Batcher's odd-even merge sort of each column. */
#define ORDER(i, j) order_two(&x[i], &x[j])
VECTOR_FUNCTION void order_pairs(V x[ROWS])
{
    ORDER(0, 1), ORDER(2, 3), ORDER(4, 5), ORDER(6, 7);
}

VECTOR_FUNCTION void order_fours(V x[ROWS])
{
    ORDER(0, 2), ORDER(1, 3), ORDER(4, 6), ORDER(5, 7);
}

VECTOR_FUNCTION void order_halves(V x[ROWS])
{
    ORDER(0, 4), ORDER(1, 5), ORDER(2, 6), ORDER(3, 7);
}

VECTOR_FUNCTION void sort_columns(V x[ROWS])
{
    order_pairs(x);
    order_fours(x);
    ORDER(1, 2), ORDER(5, 6);
    order_halves(x);
    ORDER(2, 4), ORDER(3, 5);
    ORDER(1, 2), ORDER(3, 4), ORDER(5, 6);
}

/* In each column: bitonic rows are put in order. */
VECTOR_FUNCTION void merge_columns(V x[ROWS])
{
    order_halves(x);
    order_fours(x);
    order_pairs(x);
}

#define LANE_ACROSS(k, s) (k) ^ (s)
#define LANE_OF_ORDER(k, s) (k) & (s) ? LANES + (k) : (k)
/* Lane k and lane k ^ s of a vector are compared: where bit `bit` of k is 0 the lesser element stays. */
#define ORDER_LANES(v, s) \
    ORDER_WITH(v, __builtin_shufflevector(v, v, EVERY_LANE(LANE_ACROSS, s)), s)
#define ORDER_WITH(v, w, bit)                                           \
    __builtin_shufflevector(SIGNED_MINIMUM(v, w), SIGNED_MAXIMUM(v, w), \
                            EVERY_LANE(LANE_OF_ORDER, bit))

#define ALL_ROWS(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)

/* Rows i and 7 - i of groups of s / 2 columns, each in order column by column: the groups are merged two and two,
   the rows of one reversed. */
#define TURN(i, s)                                                                    \
    {                                                                                 \
        const V a = x[i], b = x[7 - (i)];                                             \
        const V of_a = __builtin_shufflevector(a, a, EVERY_LANE(LANE_ACROSS, (s)-1)); \
        const V of_b = __builtin_shufflevector(b, b, EVERY_LANE(LANE_ACROSS, (s)-1)); \
        x[i] = ORDER_WITH(a, of_b, (s) / 2);                                          \
        x[7 - (i)] = ORDER_WITH(b, of_a, (s) / 2);                                    \
    }
#define TURN_ALL(s) TURN(0, s) TURN(1, s) TURN(2, s) TURN(3, s)
#define CROSS_1(i) x[i] = ORDER_LANES(x[i], 1);
#define CROSS_2(i) x[i] = ORDER_LANES(x[i], 2);
#define CROSS_4(i) x[i] = ORDER_LANES(x[i], 4);
VECTOR_FUNCTION void merge_all_columns(V x[ROWS])
{
    TURN_ALL(2)
    merge_columns(x);
    TURN_ALL(4)
    ALL_ROWS(CROSS_1)
    merge_columns(x);
    TURN_ALL(8)
    ALL_ROWS(CROSS_2)
    ALL_ROWS(CROSS_1)
    merge_columns(x);
#if LANES == 16
    TURN_ALL(16)
    ALL_ROWS(CROSS_4)
    ALL_ROWS(CROSS_2)
    ALL_ROWS(CROSS_1)
    merge_columns(x);
#endif
}

/* The lanes of rows i and i + 4 interleaved, three times: the rows become columns. */
#define INTERLEAVE(i)                                                                   \
    y[2 * (i)] = __builtin_shufflevector(x[i], x[(i) + 4], EVERY_LANE(LANE_OF_LOW, 0)); \
    y[2 * (i) + 1] = __builtin_shufflevector(x[i], x[(i) + 4], EVERY_LANE(LANE_OF_HIGH, 0));
VECTOR_FUNCTION void interleave(V y[ROWS], const V x[ROWS]){INTERLEAVE(0) INTERLEAVE(1)
                                                                INTERLEAVE(2) INTERLEAVE(3)}

VECTOR_FUNCTION void transpose(V x[ROWS])
{
    V y[ROWS];
    interleave(y, x);
    interleave(x, y);
    interleave(y, x);
    memcpy(x, y, sizeof y);
}

/* Sorts n keys, at most FEW. */
static void sort_few(sort_map map, const T *from, size_t n, char *to)
{
    V x[ROWS];
    T padded[FEW];
    if (n < FEW) {
        for (size_t i = n / LANES * LANES; i < FEW; i += LANES)
            vector_store(padded + i, vector_splat(highest()));
        memcpy(padded, from, n * sizeof(T));
        from = padded;
    }
#define LOAD(i) x[i] = vector_load(from + (i)*LANES);
    ALL_ROWS(LOAD)
    sort_columns(x);
    merge_all_columns(x);
    transpose(x);
    char *const target = n < FEW ? (char *)padded : to;
#define STORE(i) vector_store(target + (i) * sizeof(V), keys_of(map, x[i]));
    ALL_ROWS(STORE)
    if (n < FEW)
        memcpy(to, padded, n * sizeof(T));
}
