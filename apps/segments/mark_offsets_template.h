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

/* Whether none of the offsets k to k + MARKED - 1, k > 0, is less than the one before it. */
static inline bool OF_TYPE(ordered)(const char *all, size_t k)
{
    OF_TYPE(offsets) decrease = {0};
    for (size_t j = k; j < k + MARKED; j += sizeof decrease / sizeof(OFFSET)) {
        OF_TYPE(offsets) before, offsets;
        memcpy(&before, all + (j - 1) * sizeof(OFFSET), sizeof before);
        memcpy(&offsets, all + j * sizeof(OFFSET), sizeof offsets);
        decrease |= (OF_TYPE(offsets))(offsets < before);
    }
    OFFSET any = 0;
    for (size_t lane = 0; lane < sizeof decrease / sizeof any; lane++)
        any |= decrease[lane];
    return any == 0;
}

/* Sets flags[offset - begin] for the offsets from index k on that are below end. Returns the
   index of the first that is not, or of one that decreases. */
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
        while (count - k >= MARKED && OF_TYPE(offset_at)(offsets, k + MARKED) < end &&
               OF_TYPE(ordered)(offsets, k + 1)) {
            for (size_t j = k + 1; j <= k + MARKED; j++)
                flags[OF_TYPE(offset_at)(offsets, j) - begin] = 1;
            k += MARKED;
            before = OF_TYPE(offset_at)(offsets, k);
        }
    }
    return k;
}

#undef OFFSET
#undef OF_TYPE
