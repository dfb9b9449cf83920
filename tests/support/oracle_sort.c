#include "tests/support/oracle_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scan/tables.h"
#include "scan/type_traits.h"
#include "tests/support/half_number.h"
#include "tests/support/oracle.h"
#include "tests/support/remember.h"

typedef struct item {
    union {
        uint64_t integer; /* sign-extended */
        double real;
    } key;
    size_t index, segment;
} item;

/* What items are compared by. */
static struct {
    bool is_float, is_signed, descending, by_bits;
    unsigned begin_bit, end_bit, sign_bit;
} order_of;

static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    if (a == 0 && b == 0)
        return (signbit(b) != 0) - (signbit(a) != 0);
    return (a > b) - (a < b);
}

/* The uppermost bit that differs decides: one is after zero, but for a sign. */
static int compare_bits(uint64_t a, uint64_t b)
{
    for (unsigned bit = order_of.end_bit; bit-- > order_of.begin_bit;) {
        const int of_a = a >> bit & 1, of_b = b >> bit & 1;
        if (of_a != of_b)
            return order_of.is_signed && bit == order_of.sign_bit ? of_b - of_a : of_a - of_b;
    }
    return 0;
}

static int compare_keys(const item *a, const item *b)
{
    if (order_of.is_float)
        return compare_reals(a->key.real, b->key.real);
    if (order_of.by_bits)
        return compare_bits(a->key.integer, b->key.integer);
    if (order_of.is_signed) {
        const int64_t x = (int64_t)a->key.integer, y = (int64_t)b->key.integer;
        return (x > y) - (x < y);
    }
    return (a->key.integer > b->key.integer) - (a->key.integer < b->key.integer);
}

static inline int compare_items(const item *a, const item *b)
{
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    const int keys = compare_keys(a, b);
    if (keys != 0)
        return order_of.descending ? -keys : keys;
    return (a->index > b->index) - (a->index < b->index);
}

#define ITEM_INTEGER(value) ((item){.key.integer = (uint64_t)(value)})
#define ITEM_FLOAT(value) ((item){.key.real = (double)(value)})
#define ITEM_HALF(value) ITEM_FLOAT(half_to_number(type, (value).bits))

static item read_key(parscan_type type, const void *keys, size_t i)
{
    switch (type) {
#define X(ctx, NAME, number, name, ctype, arithmetic, class, ...)            \
    case PARSCAN_##NAME: {                                                   \
        ctype value;                                                         \
        memcpy(&value, (const char *)keys + i * sizeof value, sizeof value); \
        return ITEM_##class(value);                                          \
    }
        PARSCAN_TYPES(X, )
#undef X
    }
    return (item){0};
}

static void set_order(const oracle_sort *sort)
{
    order_of.descending = sort->descending;
    order_of.by_bits = sort->begin_bit != 0 || sort->end_bit != 0;
    order_of.begin_bit = sort->begin_bit;
    order_of.sign_bit = (unsigned)(8 * parscan_type_size(sort->type) - 1);
    order_of.end_bit = sort->end_bit != 0 ? sort->end_bit : order_of.sign_bit + 1;
    order_of.is_float = oracle_is_float(sort->type);
    order_of.is_signed = parscan_type_traits_of(sort->type).is_signed;
}

/* Merge sort: runs of one, two, four items and so on are merged. Quicker than qsort(), which calls a
   function for each comparison. */
static void sort_items(item *items, size_t n)
{
    item *from = items, *to = malloc(n * sizeof *to + 1);
    item *const spare = to;
    if (spare == NULL)
        abort();
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = begin + run < n ? begin + run : n;
            const size_t end = middle + run < n ? middle + run : n;
            size_t a = begin, b = middle;
            for (size_t k = begin; k < end; k++) {
                const bool second =
                    a == middle || (b < end && compare_items(&from[b], &from[a]) < 0);
                to[k] = from[second ? b++ : a++];
            }
        }
        item *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
    free(spare);
}

static void find_order(const oracle_sort *sort, size_t *order)
{
    item *const items = malloc(sort->n * sizeof *items + 1);
    if (items == NULL)
        abort();
    size_t segment = 0;
    for (size_t i = 0; i < sort->n; i++) {
        while (sort->bounds != NULL && i >= sort->bounds[segment + 1])
            segment++;
        items[i] = read_key(sort->type, sort->keys, i);
        items[i].index = i;
        items[i].segment = segment;
    }
    set_order(sort);
    sort_items(items, sort->n);
    for (size_t k = 0; k < sort->n; k++)
        order[k] = items[k].index;
    free(items);
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

void oracle_gather(const void *array, size_t size, const size_t *order, size_t n, void *sorted)
{
    for (size_t k = 0; k < n; k++)
        memcpy((char *)sorted + k * size, (const char *)array + order[k] * size, size);
}
