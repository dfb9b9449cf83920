#include "tests/support/oracle_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/tables.h"
#include "scan/type_traits.h"
#include "tests/support/half_number.h"
#include "tests/support/remember.h"

/* A key as an integer that is less, the earlier the key comes. */
typedef struct item {
    uint64_t rank;
    size_t index;
} item;

#define SIGN (UINT64_C(1) << 63)

/* In numeric order, -0 before 0; NaNs, all alike, after the others. */
static uint64_t rank_of_real(double real)
{
    uint64_t bits;
    if (isnan(real))
        return ~UINT64_C(0);
    memcpy(&bits, &real, sizeof bits);
    return signbit(real) ? ~bits : bits | SIGN;
}

/* The uppermost bit that differs decides: one is after zero, but for a sign. */
static uint64_t rank_of_bits(const oracle_sort *sort, bool is_signed, uint64_t integer)
{
    const unsigned width = (unsigned)(8 * parscan_type_size(sort->type));
    const unsigned end = sort->end_bit != 0 ? sort->end_bit : width;
    const uint64_t bits = is_signed ? integer ^ UINT64_C(1) << (width - 1) : integer;
    return (bits & ~UINT64_C(0) >> (64 - end)) >> sort->begin_bit;
}

static uint64_t rank_of_integer(const oracle_sort *sort, bool is_signed, uint64_t integer)
{
    if (sort->begin_bit != 0 || sort->end_bit != 0)
        return rank_of_bits(sort, is_signed, integer);
    return is_signed ? integer ^ SIGN : integer;
}

#define RANK_INTEGER(value) rank_of_integer(sort, is_signed, (uint64_t)(value))
#define RANK_FLOAT(value) rank_of_real((double)(value))
#define RANK_HALF(value) rank_of_real(half_to_number(sort->type, (value).bits))

static void read_items(const oracle_sort *sort, item *items)
{
    const bool is_signed = parscan_type_traits_of(sort->type).is_signed;
    const uint64_t descending = sort->descending ? ~UINT64_C(0) : 0;
    switch ((int)sort->type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)                      \
    case PARSCAN_##NAME:                                                               \
        for (size_t i = 0; i < sort->n; i++) {                                         \
            ctype value;                                                               \
            memcpy(&value, (const char *)sort->keys + i * sizeof value, sizeof value); \
            items[i] = (item){RANK_##class(value) ^ descending, i};                    \
        }                                                                              \
        break;
        PARSCAN_TYPES(X, )
#undef X
    }
}

/* Of two that are equal the one from a, which was before. */
static void merge(const item *a, const item *a_end, const item *b, const item *b_end, item *to)
{
    const bool in_order = b == b_end || a_end[-1].rank <= b->rank; /* as in many patterns of keys */
    while (!in_order && a < a_end && b < b_end) {
        const bool second = b->rank < a->rank;
        *to++ = *(second ? b : a);
        a += !second;
        b += second;
    }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *to);
}

/* Each item goes before all that are greater. */
static void insert_items(item *items, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        const item inserted = items[k];
        size_t at = k;
        for (; at > 0 && items[at - 1].rank > inserted.rank; at--)
            items[at] = items[at - 1];
        items[at] = inserted;
    }
}

#define INSERTED 12u

/* Merge sort: runs of some, twice as many and so on are merged. Quicker than qsort(), which calls a
   function for each comparison. */
static void sort_items(item *items, item *spare, size_t n)
{
    item *from = items, *to = spare;
    for (size_t begin = 0; begin < n; begin += INSERTED)
        insert_items(items + begin, begin + INSERTED < n ? INSERTED : n - begin);
    for (size_t run = INSERTED; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = begin + run < n ? begin + run : n;
            const size_t end = middle + run < n ? middle + run : n;
            merge(from + begin, from + middle, from + middle, from + end, to + begin);
        }
        item *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

static void find_order(const oracle_sort *sort, size_t *order)
{
    item *const items = malloc(sort->n * sizeof *items + 1);
    item *const spare = malloc(sort->n * sizeof *items + 1);
    if (items == NULL || spare == NULL)
        abort();
    read_items(sort, items);
    if (sort->bounds == NULL)
        sort_items(items, spare, sort->n);
    for (size_t s = 0; sort->bounds != NULL && sort->bounds[s] < sort->n; s++)
        sort_items(items + sort->bounds[s], spare, sort->bounds[s + 1] - sort->bounds[s]);
    for (size_t k = 0; k < sort->n; k++)
        order[k] = items[k].index;
    free(items);
    free(spare);
}

/* What the order depends on. */
static uint64_t question_of(const oracle_sort *sort)
{
    const uint64_t parts[] = {(uint64_t)sort->type, sort->descending, sort->begin_bit,
                              sort->end_bit, sort->bounds != NULL};
    uint64_t question = fingerprint(2, parts, sizeof parts);
    question = fingerprint(question, sort->keys, sort->n * parscan_type_size(sort->type));
    for (size_t s = 0; sort->bounds != NULL && sort->bounds[s] < sort->n; s++)
        question = fingerprint_number(question, sort->bounds[s]);
    return question;
}

void oracle_sort_order(const oracle_sort *sort, size_t *order)
{
    const uint64_t question = question_of(sort);
    const size_t bytes = sort->n * sizeof *order;
    if (recall(question, order, bytes))
        return;
    find_order(sort, order);
    remember(question, order, bytes);
}

static inline void gather_sized(const char *array, size_t size, const size_t *order, size_t n,
                                char *sorted)
{
    for (size_t k = 0; k < n; k++)
        memcpy(sorted + k * size, array + order[k] * size, size);
}

/* With a constant for the sizes of most elements: memcpy() is no call then. */
void oracle_gather(const void *array, size_t size, const size_t *order, size_t n, void *sorted)
{
    switch (size) {
    case 1:
        gather_sized(array, 1, order, n, sorted);
        break;
    case 2:
        gather_sized(array, 2, order, n, sorted);
        break;
    case 4:
        gather_sized(array, 4, order, n, sorted);
        break;
    case 8:
        gather_sized(array, 8, order, n, sorted);
        break;
    default:
        gather_sized(array, size, order, n, sorted);
    }
}
