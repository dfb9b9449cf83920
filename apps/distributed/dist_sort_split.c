#include <string.h>

#include "apps/distributed/dist_sort.h"
#include "parscan/memory.h"

enum {
    BORDER_DIGIT_BITS = 11, /* the most bits by which the bucket of a border is split again, */
    MANY_BORDERS = 64,      /* and, from so many such buckets on, these */
    MANY_DIGIT_BITS = 8,
    BITS_AT_ONCE = 256 /* of buckets, in one gather of at most 4096 bytes */
};

/* A bucket in which a border lies, and how it is split. */
typedef struct border_bucket {
    size_t bucket;
    uint64_t begin;       /* of this rank's elements, in s->split */
    key_digit digit;      /* bits = 0: all keys are equal */
    uint64_t *own, *sums; /* counts of its digits, of this rank and of all */
} border_bucket;

/* One more level of digits for all buckets in which borders lie. */
typedef struct refinement {
    dist_sort *s;
    border_bucket *of;
    size_t count;
    unsigned digit_bits; /* the most */
    sort_bits *bits;     /* of each, of this rank, later of all */
    uint64_t *counts;    /* all of `own`, then all of `sums` */
    dist_bucket *next;
} refinement;

static uint64_t lowest_bit(const dist_sort *s)
{
    const uint64_t keep = s->parts.call.order.keep;
    return keep & (~keep + 1);
}

/* Whether a border lies within begin + 1 to end - 1. *border is where the search goes on; begin must
   not decrease from call to call. */
static bool holds_border(const dist_sort *s, uint64_t begin, uint64_t end, unsigned *border)
{
    const unsigned size = s->comm->size;
    while (*border < size && s->border[*border] <= begin)
        ++*border;
    return *border < size && s->border[*border] < end;
}

/* Appends the buckets into which a digit has split a bucket that starts at `begin` in the result.
   Small neighbours become one. Returns how many they are. */
static size_t append_digits(const dist_sort *s, dist_bucket *list, const dist_bucket *from,
                            uint64_t begin, key_digit digit, const uint64_t *own,
                            const uint64_t *sums)
{
    const bool equal = ((uint64_t)1 << digit.low) <= lowest_bit(s);
    unsigned border = 1;
    size_t count = 0;
    for (size_t d = 0; d < (size_t)1 << digit.bits; d++) {
        if (sums[d] == 0)
            continue;
        const dist_bucket next = {.first = from->first | (uint64_t)d << digit.low,
                                  .total = sums[d],
                                  .n = own[d],
                                  .high = digit.low,
                                  .equal = equal};
        dist_bucket *const last = count > 0 ? &list[count - 1] : NULL;
        if (last != NULL && last->total + next.total <= s->small &&
            !holds_border(s, begin - last->total, begin + next.total, &border)) {
            last->high = 64 - (unsigned)__builtin_clzll(last->first ^ next.first);
            last->total += next.total;
            last->n += next.n;
            last->equal = false;
        } else {
            list[count++] = next;
        }
        begin += next.total;
    }
    return count;
}

/* Gathers the bits of `count` keys' sets from all ranks into bits, BITS_AT_ONCE at a time, at least
   once: this is where the ranks agree on what has gone before. */
static parscan_status gather_bits(dist_sort *s, parscan_status status, sort_bits *bits,
                                  size_t count)
{
    const unsigned size = s->comm->size;
    const size_t at_once = size < BITS_AT_ONCE ? size : BITS_AT_ONCE;
    sort_bits mine[BITS_AT_ONCE];
    size_t k = 0;
    do {
        const size_t n = count - k < at_once ? count - k : at_once;
        memset(mine, 0, sizeof mine);
        if (status == PARSCAN_OK && n > 0)
            memcpy(mine, bits + k, n * sizeof *mine);
        status = parscan_comm_gather(s->comm, status, mine, at_once * sizeof *mine, s->gathered);
        if (status != PARSCAN_OK)
            return status;
        for (size_t i = 0; i < n; i++)
            for (unsigned r = 0; r < size; r++) {
                bits[k + i].ones |= s->gathered[r * at_once + i].ones;
                bits[k + i].zeros |= s->gathered[r * at_once + i].zeros;
            }
        k += n;
    } while (k < count);
    return PARSCAN_OK;
}

/* Finds bits of a bucket's keys, with the highest one that varies among them. If keys of a sample differ
   in the highest bit that may vary, no other key is looked at. */
static parscan_status find_bits(dist_sort *s, const dist_bucket *b, const char *keys,
                                sort_bits *bits)
{
    const uint64_t below = b->high < 64 ? ((uint64_t)1 << b->high) - 1 : ~(uint64_t)0;
    const uint64_t may_vary = s->parts.call.order.keep & below;
    const uint64_t top = (uint64_t)1 << (63 - __builtin_clzll(may_vary | 1));
    const parscan_status status = s->engine->find_bits(&s->parts, keys, b->n, false, bits);
    if (status != PARSCAN_OK || (bits->ones & bits->zeros & top) != 0)
        return status;
    return s->engine->find_bits(&s->parts, keys, b->n, true, bits);
}

/* Finds the buckets in which borders lie, and the bits of their keys, and takes what the level
   needs. */
static parscan_status find_borders(refinement *r)
{
    dist_sort *const s = r->s;
    const sort_call *const call = &s->parts.call;
    parscan_status status = PARSCAN_OK;
    uint64_t begin = 0, mine = 0, most = 0;
    unsigned border = 1;
    r->of = parscan_dist_sort_memory(s, s->comm->size, sizeof *r->of, &status);
    r->bits = parscan_dist_sort_memory(s, s->comm->size, sizeof *r->bits, &status);
    for (size_t k = 0; status == PARSCAN_OK && k < s->bucket_count; k++) {
        const dist_bucket *const b = &s->buckets[k];
        if (!b->equal && holds_border(s, begin, begin + b->total, &border)) {
            r->of[r->count] = (border_bucket){.bucket = k, .begin = mine};
            status =
                find_bits(s, b, elements_from(call, s->split, mine).keys, &r->bits[r->count++]);
            most = most < b->n ? b->n : most;
        }
        begin += b->total;
        mine += b->n;
    }
    if (status != PARSCAN_OK || r->count == 0)
        return status;
    r->digit_bits = r->count < MANY_BORDERS ? BORDER_DIGIT_BITS : MANY_DIGIT_BITS;
    if (r->digit_bits > s->digit_bits)
        r->digit_bits = s->digit_bits;
    const size_t digits = r->count << r->digit_bits;
    r->counts = parscan_dist_sort_memory(s, 2 * digits, sizeof *r->counts, &status);
    r->next = parscan_dist_sort_memory(s, s->bucket_count + digits, sizeof *r->next, &status);
    if (status == PARSCAN_OK)
        status = parscan_dist_sort_elements(s, DIST_SORT_ASIDE, most, &s->parts.aside);
    return status;
}

/* Splits the buckets. A failure is agreed on later: until then this rank has counted nothing. */
static parscan_status split_borders(refinement *r)
{
    dist_sort *const s = r->s;
    const size_t digits = r->count << r->digit_bits;
    parscan_status status = PARSCAN_OK;
    memset(r->counts, 0, 2 * digits * sizeof *r->counts);
    for (size_t k = 0; k < r->count; k++) {
        border_bucket *const b = &r->of[k];
        const dist_bucket *const bucket = &s->buckets[b->bucket];
        const uint64_t known = bucket->high < 64 ? ~(uint64_t)0 << bucket->high : 0;
        const uint64_t varying = r->bits[k].ones & r->bits[k].zeros & ~known;
        b->own = r->counts + (k << r->digit_bits);
        b->sums = b->own + digits;
        if (varying == 0)
            continue;
        b->digit = parscan_sort_choose_digit(varying, SIZE_MAX, 1, r->digit_bits);
        const elements at = elements_from(&s->parts.call, s->split, b->begin);
        if (status == PARSCAN_OK && bucket->n > 0)
            status = s->engine->split(&s->parts, at, at, bucket->n, b->digit, b->own);
    }
    return status;
}

/* Puts the buckets in place of those that were split. */
static void replace_buckets(refinement *r)
{
    dist_sort *const s = r->s;
    size_t count = 0, k = 0;
    uint64_t begin = 0;
    for (size_t i = 0; i < s->bucket_count; i++) {
        dist_bucket *const b = &s->buckets[i];
        const border_bucket *const border =
            k < r->count && r->of[k].bucket == i ? &r->of[k++] : NULL;
        if (border != NULL && border->digit.bits > 0) {
            count += append_digits(s, r->next + count, b, begin, border->digit, border->own,
                                   border->sums);
        } else {
            b->equal = b->equal || border != NULL;
            r->next[count++] = *b;
        }
        begin += b->total;
    }
    s->buckets = r->next;
    s->bucket_count = count;
}

/* One level. *done: there was nothing to split. */
static parscan_status refine(dist_sort *s, parscan_status *late, bool *done)
{
    refinement r = {.s = s};
    parscan_status status = *late == PARSCAN_OK ? find_borders(&r) : *late;
    status = gather_bits(s, status, r.bits, r.count);
    *done = status != PARSCAN_OK || r.count == 0;
    if (!*done) {
        *late = split_borders(&r);
        const size_t digits = r.count << r.digit_bits;
        memcpy(r.counts + digits, r.counts, digits * sizeof *r.counts);
        status = parscan_sum_counts(s->comm, r.counts + digits, digits);
        if (status == PARSCAN_OK)
            replace_buckets(&r);
    }
    return status;
}

/* Chooses the first digit. If the samples do not differ in the top bit, all keys are looked at. */
static parscan_status choose_first(dist_sort *s, sort_bits bits, key_digit *digit)
{
    const uint64_t keep = s->parts.call.order.keep;
    const uint64_t top = (uint64_t)1 << (63 - __builtin_clzll(keep));
    if ((bits.ones & bits.zeros & top) == 0) {
        const parscan_status local =
            s->engine->find_bits(&s->parts, s->parts.call.in.keys, s->parts.n_in, true, &bits);
        const parscan_status status = gather_bits(s, local, &bits, 1);
        if (status != PARSCAN_OK)
            return status;
    }
    const uint64_t varying = (bits.ones & bits.zeros & keep) | lowest_bit(s);
    const sort_call *const call = &s->parts.call;
    *digit = parscan_sort_choose_digit(varying, s->total * (call->key_size + call->value_size),
                                       s->bucket_bytes, s->digit_bits);
    return PARSCAN_OK;
}

/* Clears an array of the engine, which is a few elements long. */
static parscan_status clear_elements(dist_sort *s, void *array, size_t bytes)
{
    static const char zeros[512] = {0};
    parscan_status status = PARSCAN_OK;
    for (size_t at = 0; status == PARSCAN_OK && at < bytes; at += sizeof zeros) {
        const size_t left = bytes - at;
        status = parscan_copy(s->comm->context, (char *)array + at, zeros,
                              left < sizeof zeros ? left : sizeof zeros);
    }
    return status;
}

/* What travels ends at a multiple of DIST_SORT_STEP, so a few elements after the last one go along. */
static parscan_status clear_end(dist_sort *s)
{
    const sort_call *const call = &s->parts.call;
    const elements end = elements_from(call, s->split, s->parts.n_in);
    parscan_status status = clear_elements(s, end.keys, DIST_SORT_STEP * call->key_size);
    if (status == PARSCAN_OK && call->value_size > 0)
        status = clear_elements(s, end.values, DIST_SORT_STEP * call->value_size);
    return status;
}

/* The split of all elements. *late: a failure of this rank, which is agreed on later. */
static parscan_status split_all(dist_sort *s, key_digit digit, parscan_status *late)
{
    const size_t digits = (size_t)1 << digit.bits;
    uint64_t *const own = s->counts, *const sums = own + digits;
    memset(own, 0, digits * sizeof *own);
    *late = clear_end(s);
    if (*late == PARSCAN_OK && s->parts.n_in > 0)
        *late = s->engine->split(&s->parts, s->parts.call.in, s->split, s->parts.n_in, digit, own);
    memcpy(sums, own, digits * sizeof *sums);
    const parscan_status status = parscan_sum_counts(s->comm, sums, digits);
    if (status != PARSCAN_OK)
        return status;
    const dist_bucket root = {.total = s->total, .n = s->parts.n_in};
    s->bucket_count = append_digits(s, s->buckets, &root, 0, digit, own, sums);
    return PARSCAN_OK;
}

parscan_status parscan_dist_sort_split(dist_sort *s, sort_bits sampled)
{
    key_digit digit = {0, 0};
    parscan_status late = PARSCAN_OK;
    parscan_status status = choose_first(s, sampled, &digit);
    if (status == PARSCAN_OK)
        status = split_all(s, digit, &late);
    for (bool done = false; status == PARSCAN_OK && !done;)
        status = refine(s, &late, &done);
    return status;
}
