/*
 * The kernels for the elements of one key class and one value class.
 *
 * Before: what key_kernels_template.h needs, VALUE_NAME, VALUE_BYTES (0: keys without values), and
 * VALUE_ANY_SIZE if the size of a value is known only at run time. VALUE_NAME and VALUE_BYTES are
 * undefined at the end.
 */
#define OF_ELEMENT(function) PARSCAN_PASTE(OF_KEY(function), PARSCAN_PASTE(_, VALUE_NAME))

/* Stores a value. If `from` is NULL, the value is the element's index. */
KERNEL void OF_ELEMENT(put_value)(char *to, size_t at, const char *from, size_t i, size_t index,
                                  size_t size)
{
#if VALUE_BYTES == 0
    (void)to, (void)at, (void)from, (void)i, (void)index, (void)size;
#elif defined VALUE_ANY_SIZE
    (void)index;
    memcpy(to + at * size, from + i * size, size);
#else
    (void)size;
#if VALUE_BYTES == 4
    uint32_t value = (uint32_t)index;
#else
    uint64_t value = index;
#endif
    if (from != NULL)
        memcpy(&value, from + i * sizeof value, sizeof value);
    memcpy(to + at * sizeof value, &value, sizeof value);
#endif
}

KERNEL void OF_ELEMENT(put)(elements to, size_t at, elements from, size_t i, size_t index,
                            size_t value_size)
{
    OF_KEY(put_key)(to.keys, at, OF_KEY(key)(from.keys, i));
    OF_ELEMENT(put_value)(to.values, at, from.values, i, index, value_size);
}

/* Fetches the line where an element will be stored. */
KERNEL void OF_ELEMENT(prefetch)(elements to, size_t at, size_t value_size)
{
    __builtin_prefetch(to.keys + at * (KEY_BITS / 8), 1);
    if (VALUE_BYTES != 0)
        __builtin_prefetch(to.values + at * value_size, 1);
}

#include "apps/sort/element_scatter_template.h"

/* ---- a bucket, within the caches ---- */

KERNEL elements OF_ELEMENT(from_index)(elements e, size_t begin, size_t value_size)
{
    e.keys += begin * (KEY_BITS / 8);
    if (e.values != NULL)
        e.values += begin * value_size;
    return e;
}

/* Copies a bucket to its target, unless it is there already. */
static void OF_ELEMENT(copy)(const bucket_sort *b, elements from, elements to)
{
    if (from.keys != to.keys)
        memcpy(to.keys, from.keys, b->n * sizeof(KEY));
    if (VALUE_BYTES == 0 || from.values == to.values)
        return;
    if (from.values != NULL)
        memcpy(to.values, from.values, b->n * b->value_size);
    else
        for (size_t i = 0; i < b->n; i++)
            OF_ELEMENT(put_value)(to.values, i, NULL, i, b->begin + i, b->value_size);
}

/* Insertion sort. It gives up when it has moved more than `patience` elements; equal keys are
   still in order then. */
static bool OF_ELEMENT(insert)(const bucket_sort *b, elements e, size_t patience)
{
    const key_order order = b->order;
    KEY top = OF_KEY(rank)(&order, OF_KEY(key)(e.keys, 0));
    for (size_t i = 1; i < b->n; i++) {
        const KEY key = OF_KEY(key)(e.keys, i), rank = OF_KEY(rank)(&order, key);
        if (rank >= top) {
            top = rank;
            continue;
        }
#if VALUE_BYTES != 0
        char value[64];
        memcpy(value, e.values + i * b->value_size, b->value_size);
#endif
        size_t j = i;
        do {
            OF_ELEMENT(put)(e, j, e, j - 1, 0, b->value_size);
            j--;
        } while (j > 0 && OF_KEY(rank)(&order, OF_KEY(key)(e.keys, j - 1)) > rank);
        OF_KEY(put_key)(e.keys, j, key);
#if VALUE_BYTES != 0
        memcpy(e.values + j * b->value_size, value, b->value_size);
#endif
        if (i - j > patience)
            return false;
        patience -= i - j;
    }
    return true;
}

KERNEL void OF_ELEMENT(bucket_pass_as)(const bucket_sort *b, key_digit digit, elements from,
                                       elements to, uint32_t *at, const bool prefetch)
{
    const key_order order = b->order;
    const size_t n = b->n, value_size = b->value_size, index = b->begin;
    size_t i = 0;
    for (; i + DIGIT_BLOCK <= n; i += DIGIT_BLOCK) {
        KEY block[DIGIT_BLOCK], next[DIGIT_BLOCK];
        OF_KEY(digits_of_block)(&order, digit, from.keys + i * sizeof(KEY), block);
        if (prefetch)
            OF_KEY(digits_of_next)(&order, digit, from.keys, i, n, next);
        UNROLL
        for (size_t k = 0; k < DIGIT_BLOCK; k++) {
            if (prefetch)
                OF_ELEMENT(prefetch)(to, at[next[k]], value_size);
            OF_ELEMENT(put)(to, at[block[k]]++, from, i + k, index + i + k, value_size);
        }
    }
    for (; i < n; i++) {
        const size_t d = OF_KEY(digit)(&order, digit, OF_KEY(key)(from.keys, i));
        OF_ELEMENT(put)(to, at[d]++, from, i, index + i, value_size);
    }
}

static void OF_ELEMENT(bucket_pass)(const bucket_sort *b, key_digit digit, elements from,
                                    elements to, uint32_t *at)
{
    if (b->prefetch && b->n * (sizeof(KEY) + b->value_size) >= PREFETCH_FROM)
        OF_ELEMENT(bucket_pass_as)(b, digit, from, to, at, true);
    else
        OF_ELEMENT(bucket_pass_as)(b, digit, from, to, at, false);
}

/* Counts all digits of a plan in one read. */
KERNEL void OF_ELEMENT(count_digits)(const bucket_sort *b, const char *keys, const unsigned digits,
                                     bucket_digits plan)
{
    const key_order order = b->order;
    const size_t n = b->n;
    uint32_t *const counts = b->counts;
    size_t i = 0;
    for (; i + DIGIT_BLOCK <= n; i += DIGIT_BLOCK)
        for (unsigned j = 0; j < digits; j++) {
            const key_digit digit = {plan.low + j * plan.bits, plan.bits};
            uint32_t *const of_digit = counts + ((size_t)j << plan.bits);
            KEY block[DIGIT_BLOCK];
            OF_KEY(digits_of_block)(&order, digit, keys + i * sizeof(KEY), block);
            UNROLL
            for (size_t k = 0; k < DIGIT_BLOCK; k++)
                of_digit[block[k]]++;
        }
    for (; i < n; i++)
        for (unsigned j = 0; j < digits; j++) {
            const key_digit digit = {plan.low + j * plan.bits, plan.bits};
            const size_t d = OF_KEY(digit)(&order, digit, OF_KEY(key)(keys, i));
            counts[((size_t)j << plan.bits) + d]++;
        }
}

static void OF_ELEMENT(count_plan)(const bucket_sort *b, const char *keys, bucket_digits plan)
{
    memset(b->counts, 0, ((size_t)plan.digits << plan.bits) * sizeof *b->counts);
    if (plan.digits == 2)
        OF_ELEMENT(count_digits)(b, keys, 2, plan);
    else
        OF_ELEMENT(count_digits)(b, keys, plan.digits, plan);
}

/* Sorts from the least significant digit up: from -> spare -> spare ... -> to. from.keys may be those
   of the second spare, since the first pass writes to the first one. */
static void OF_ELEMENT(sort_digits)(const bucket_sort *b, bucket_digits plan, elements from,
                                    elements to)
{
    unsigned left[BUCKET_MAX_DIGITS], count = 0;
    OF_ELEMENT(count_plan)(b, from.keys, plan);
    const KEY any = OF_KEY(key)(from.keys, 0);
    for (unsigned k = 0; k < plan.digits; k++) {
        const key_digit digit = {plan.low + k * plan.bits, plan.bits};
        uint32_t *const counts = b->counts + ((size_t)k << plan.bits);
        if (counts[OF_KEY(digit)(&b->order, digit, any)] != b->n)
            left[count++] = k;
        /* One scan serves all digits: the last count is reduced so that the next digit starts
           with 0. */
        counts[((size_t)1 << plan.bits) - 1] -= (uint32_t)b->n;
    }
    scan_counts(b->counts, (size_t)plan.digits << plan.bits);
    if (count == 1) {
        elements aside = from;
        if (from.keys == to.keys)
            aside.keys = b->spare[0].keys;
        if (VALUE_BYTES != 0 && from.values == to.values)
            aside.values = b->spare[0].values;
        OF_ELEMENT(copy)(b, from, aside);
        from = aside;
    }
    for (unsigned k = 0; k < count; k++) {
        const elements next = k + 1 == count ? to : b->spare[k % 2];
        const key_digit digit = {plan.low + left[k] * plan.bits, plan.bits};
        OF_ELEMENT(bucket_pass)(b, digit, from, next, b->counts + ((size_t)left[k] << plan.bits));
        from = next;
    }
}

static void OF_ELEMENT(sort)(const bucket_sort *b)
{
    enum { INSERTION = 24 };
    elements from = OF_ELEMENT(from_index)(b->from, b->begin, b->value_size);
    const elements to = OF_ELEMENT(from_index)(b->to, b->begin, b->value_size);
    if (b->n <= INSERTION) {
        OF_ELEMENT(copy)(b, from, to);
        OF_ELEMENT(insert)(b, to, SIZE_MAX);
        return;
    }
#if VALUE_BYTES == 0 && KEY_BITS >= 32
    if (b->n <= OF_KEY(VECTORS_MOST) && !OF_KEY(has_few_digits)(b, from.keys) &&
        OF_KEY(by_vectors)(&b->order, from.keys, b->n, b->spare[0].keys, to.keys))
        return;
#endif
    uint64_t varying;
    if (OF_KEY(may_change)(b, from)) {
        char *const copy = OF_KEY(place_of_copy)(b, from, to);
        varying = OF_KEY(copy_varying)(&b->order, from.keys, b->n, copy);
        from.keys = copy;
    } else {
        varying = OF_KEY(varying)(&b->order, from.keys, b->n, 1);
    }
    if (varying == 0) {
        OF_ELEMENT(copy)(b, from, to);
        return;
    }
    const bucket_digits plan = plan_bucket(varying, b->n, false);
    OF_ELEMENT(sort_digits)(b, plan, from, to);
    if (!plan.partial || OF_ELEMENT(insert)(b, to, b->n / 2))
        return;
    from = to;
    if (OF_KEY(may_change)(b, to)) {
        from.keys = b->spare[1].keys;
        read_once(from.keys, to.keys, b->n * sizeof(KEY));
    }
    OF_ELEMENT(sort_digits)(b, plan_bucket(varying, b->n, true), from, to);
}

#undef OF_ELEMENT
#undef GROUP
#undef VALUE_NAME
#undef VALUE_BYTES
