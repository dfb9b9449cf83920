/*
 * Marks offsets as flags. heads.c includes this file once for each type of offset.
 *
 * Before: OFFSET, the type; OF_TYPE(name), which makes name_u32 or name_u64; MARKED, the number of
 * offsets that are checked together, a multiple of a vector's. After: mark_offsets_u32 or
 * mark_offsets_u64. OFFSET and OF_TYPE are undefined again.
 */

static inline OFFSET OF_TYPE(offset_at)(const char *offsets, size_t k)
{
    OFFSET offset;
    memcpy(&offset, offsets + k * sizeof offset, sizeof offset);
    return offset;
}

typedef OFFSET OF_TYPE(offsets) __attribute__((vector_size(PARSCAN_VECTOR_BYTES)));

/* Reads the MARKED offsets from index k > 0 on, and tells whether each of them lies in the `length`
   elements from `begin` on, and is not less than the one before it. */
static inline bool OF_TYPE(take_marked)(const char *all, size_t k, OFFSET begin, OFFSET length,
                                        OFFSET *taken)
{
    OF_TYPE(offsets) wrong = {0};
    for (size_t j = 0; j < MARKED; j += sizeof wrong / sizeof(OFFSET)) {
        OF_TYPE(offsets) before, offsets;
        memcpy(&before, all + (k + j - 1) * sizeof(OFFSET), sizeof before);
        memcpy(&offsets, all + (k + j) * sizeof(OFFSET), sizeof offsets);
        memcpy(taken + j, &offsets, sizeof offsets);
        wrong |= (OF_TYPE(offsets))(offsets < before);
        wrong |= (OF_TYPE(offsets))(offsets - begin >= length);
    }
    OFFSET any = 0;
    for (size_t lane = 0; lane < sizeof wrong / sizeof any; lane++)
        any |= wrong[lane];
    return any == 0;
}

/* Sets flags[offset - begin] for the offsets from index k <= count on that are below end. Returns the
   index of the first that is not, or of one that decreases. Another thread may change offsets
   meanwhile: each is read once, and then checked and used. */
static size_t OF_TYPE(mark_offsets)(head_reader *reader, size_t k, size_t begin, size_t end,
                                    uint8_t *flags)
{
    const char *const offsets = reader->segments->data;
    const size_t count = reader->segments->count;
    OFFSET before = (OFFSET)begin;
    for (; k <= count; k++) {
        const OFFSET offset = OF_TYPE(offset_at)(offsets, k);
        if (offset >= end)
            return k;
        if (offset < before) {
            reader->wrong = true;
            return k;
        }
        flags[offset - begin] = 1;
        before = offset;
        /* MARKED at once, where so many are in the range. */
        OFFSET taken[MARKED];
        while (count - k >= MARKED && OF_TYPE(offset_at)(offsets, k + MARKED) < end &&
               OF_TYPE(take_marked)(offsets, k + 1, (OFFSET)begin, (OFFSET)(end - begin), taken)) {
            for (size_t j = 0; j < MARKED; j++)
                flags[taken[j] - begin] = 1;
            k += MARKED;
            before = taken[MARKED - 1];
        }
    }
    reader->wrong = true; /* the last offset, which is not below any end, has changed */
    return count;
}

#undef OFFSET
#undef OF_TYPE
