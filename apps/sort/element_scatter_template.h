/*
 * The scatter of a digit through memory, for the elements of one key class and one value class: a part of
 * element_kernels_template.h, which stands before it and includes it.
 */
/* The number of keys in a line, and of values: both then fill whole cache lines. */
#if VALUE_BYTES == 0 || defined VALUE_ANY_SIZE || KEY_BITS / 8 < VALUE_BYTES
#define GROUP (COMBINED_BYTES / (KEY_BITS / 8))
#else
#define GROUP (COMBINED_BYTES / VALUE_BYTES)
#endif
enum {
#ifdef VALUE_ANY_SIZE
    OF_ELEMENT(LINE_BYTES) = 0
#else
    OF_ELEMENT(LINE_BYTES) = GROUP * (KEY_BITS / 8 + VALUE_BYTES)
#endif
};

KERNEL void OF_ELEMENT(scatter_plain)(const digit_scatter *s, const bool by_octaves)
{
    const key_order order = s->order;
    const key_digit digit = s->digit;
    const key_octaves octaves = s->octaves;
    const elements from = s->from, to = s->to;
    const size_t value_size = s->value_size;
    size_t *const at = s->at;
    const size_t last = s->limit - 1;
    for (size_t i = s->begin; i < s->end; i++) {
        const KEY key = OF_KEY(key)(from.keys, i);
        const size_t place =
            size_min(at[OF_KEY(bucket)(&order, digit, &octaves, by_octaves, key)]++, last);
        OF_KEY(put_key)(to.keys, place, key);
        OF_ELEMENT(put_value)
        (to.values, place, from.values, i, s->first_index + i, value_size);
    }
}

#ifndef VALUE_ANY_SIZE
/* The state of the write-combining buffers. */
typedef struct OF_ELEMENT(combiner) {
    char *key_lines, *value_lines; /* a line for each digit, in the cache */
    char *keys, *values;           /* where the lines go: the output arrays, aligned down */
    bool stream_values;            /* the lines of values are aligned too */
    size_t *to, *first; /* of each digit: start of its next line, place of its first element */
    size_t limit;       /* no line ends after it */
} OF_ELEMENT(combiner);

KERNEL void OF_ELEMENT(flush_array)(char *to, const char *line, size_t begin, size_t end,
                                    size_t size, bool stream)
{
    if (stream && end - begin == GROUP)
        for (size_t k = 0; k < GROUP * size; k += 64)
            stream_line(to + k, line + k);
    else
        memcpy(to + begin * size, line + begin * size, (end - begin) * size);
}

/* Writes the first `end` elements of a digit's line, except those before the digit's first
   element. If keys have changed since they were counted, a line may lie after the limit; it is
   dropped. */
KERNEL void OF_ELEMENT(flush)(const OF_ELEMENT(combiner) * c, size_t d, size_t end)
{
    enum { SIZE = KEY_BITS / 8 };
    const size_t line = c->to[d], begin = c->first[d] > line ? c->first[d] - line : 0;
    if (begin >= end || line + end > c->limit)
        return;
    OF_ELEMENT(flush_array)
    (c->keys + line * SIZE, c->key_lines + d * GROUP * SIZE, begin, end, SIZE, true);
    if (VALUE_BYTES != 0)
        OF_ELEMENT(flush_array)
    (c->values + line * VALUE_BYTES, c->value_lines + d * GROUP * VALUE_BYTES, begin, end,
     VALUE_BYTES, c->stream_values);
    c->to[d] = line + GROUP;
}

KERNEL void OF_ELEMENT(combine)(const OF_ELEMENT(combiner) * c, const digit_scatter *s,
                                uint32_t *slots, size_t d, size_t i)
{
    uint32_t slot = slots[d];
    OF_KEY(put_key)(c->key_lines, slot, OF_KEY(key)(s->from.keys, i));
    OF_ELEMENT(put_value)
    (c->value_lines, slot, s->from.values, i, s->first_index + i, VALUE_BYTES);
    slots[d] = ++slot;
    if (__builtin_expect(slot % GROUP == 0, 0)) {
        slots[d] = slot - GROUP;
        OF_ELEMENT(flush)(c, d, GROUP);
    }
}

/*
 * Scatters with write-combining: the elements of a digit are gathered in a line in the cache, and
 * written to memory a whole line at a time. The first and the last line of a digit may be only
 * partly its own; the rest of such a line belongs to other digits and is not written.
 */
KERNEL void OF_ELEMENT(scatter_lines)(const digit_scatter *scatter, const bool prefetch,
                                      const bool by_octaves)
{
    enum { SIZE = KEY_BITS / 8 };
    const digit_scatter s = *scatter;
    const size_t digits = (size_t)1 << s.digit.bits;
    const size_t misalignment = (uintptr_t)s.to.keys % (GROUP * SIZE) / SIZE;
    const OF_ELEMENT(combiner) c = {
        .key_lines = s.lines,
        .value_lines = s.lines + digits * GROUP * SIZE,
        .keys = s.to.keys - misalignment * SIZE,
        .values = s.to.values - misalignment * VALUE_BYTES,
        .stream_values = ((uintptr_t)s.to.values - misalignment * VALUE_BYTES) % 64 == 0,
        .to = s.at,
        .first = s.line_begin,
        .limit = s.limit + misalignment,
    };
    uint32_t slots[1 << SCATTER_DIGIT_BITS];
    for (size_t d = 0; d < digits; d++) {
        const size_t first = s.at[d] + misalignment, in_line = first % GROUP;
        c.first[d] = first;
        c.to[d] = first - in_line;
        slots[d] = (uint32_t)(d * GROUP + in_line);
    }
    const elements lines = {c.key_lines, c.value_lines};
    size_t i = s.begin;
    for (; i + DIGIT_BLOCK <= s.end; i += DIGIT_BLOCK) {
        KEY block[DIGIT_BLOCK], next[DIGIT_BLOCK];
        OF_KEY(buckets_of_block)
        (&s.order, s.digit, &s.octaves, by_octaves, s.from.keys + i * SIZE, block);
        if (prefetch)
            OF_KEY(buckets_of_block)
        (&s.order, s.digit, &s.octaves, by_octaves,
         s.from.keys + size_min(i + DIGIT_BLOCK, s.end - DIGIT_BLOCK) * SIZE, next);
        UNROLL
        for (size_t k = 0; k < DIGIT_BLOCK; k++) {
            if (prefetch)
                OF_ELEMENT(prefetch)(lines, slots[next[k]], VALUE_BYTES);
            OF_ELEMENT(combine)(&c, &s, slots, block[k], i + k);
        }
    }
    for (; i < s.end; i++)
        OF_ELEMENT(combine)
    (&c, &s, slots,
     OF_KEY(bucket)(&s.order, s.digit, &s.octaves, by_octaves, OF_KEY(key)(s.from.keys, i)), i);
    for (size_t d = 0; d < digits; d++)
        OF_ELEMENT(flush)(&c, d, slots[d] % GROUP);
    stream_fence();
}

static void OF_ELEMENT(scatter_combining)(const digit_scatter *s)
{
    if (OF_KEY(HAS_OCTAVES) && s->octaves.fine != 0)
        OF_ELEMENT(scatter_lines)(s, s->prefetch, true);
    else if (s->prefetch)
        OF_ELEMENT(scatter_lines)(s, true, false);
    else
        OF_ELEMENT(scatter_lines)(s, false, false);
}
#endif

static void OF_ELEMENT(scatter)(const digit_scatter *s)
{
#ifndef VALUE_ANY_SIZE
    if (s->stream && (uintptr_t)s->to.keys % (KEY_BITS / 8) == 0) {
        OF_ELEMENT(scatter_combining)(s);
        return;
    }
#endif
    if (OF_KEY(HAS_OCTAVES) && s->octaves.fine != 0)
        OF_ELEMENT(scatter_plain)(s, true);
    else
        OF_ELEMENT(scatter_plain)(s, false);
}
