/* Allocation, expansion, packing. */
#include <string.h>

#include "rows.h"

enum { MOST_SIZE = 50, MOST_ITEM = 9 };

/* ---- allocate: sizes below 50 ---- */

ROW_FILL(fill_allocate, ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i) % MOST_SIZE)

ROW_CALL(allocate,
         parscan_allocate(engine, PARSCAN_U32, d->in, d->n, PARSCAN_U64, d->out, &d->result, NULL))

static void plain_allocate(row_data *d)
{
    const uint32_t *const sizes = d->in;
    uint64_t *const offsets = d->out, offset = 0;
    for (size_t i = 0; i < d->n; i++) {
        offsets[i] = offset;
        offset += sizes[i];
    }
    d->result = offset;
}

/* d->blocks: the sums of the sizes before each block. Returns the sum of all. */
PER_BLOCK_SUM(sum_sizes, d->items, ((const uint32_t *)d->in)[i])

static uint64_t sums_before(row_data *d)
{
    each_block(d, d->items, sum_sizes);
    return prefix_of_blocks(d, d->items);
}

PER_BLOCK(check_offsets_block, d->n, uint64_t offset = d->blocks[block],
          expect(d, ((const uint64_t *)d->out)[i] == offset),
          offset += ((const uint32_t *)d->in)[i])

static bool check_allocate(row_data *d)
{
    d->items = d->n;
    return d->result == sums_before(d) && none_wrong(d, d->n, check_offsets_block);
}

ROW_BYTES(allocate_bytes, 12.0 * (double)d->n)

/* ---- expand: n slots at most, sizes from 0 to 8 ---- */

PER_ELEMENT(fill_items_block, d->items,
            ((uint32_t *)d->in)[i] = (uint32_t)random_at(d->seed, i) % MOST_ITEM)

/* As many items as have slots: n / 4 less a little, and fewer where the luck is bad. */
static void fill_expand(row_data *d)
{
    d->items = d->n / 4 - d->n / 32;
    each_block(d, d->items, fill_items_block);
    while ((d->count = sums_before(d)) > d->n)
        d->items -= (d->items + 7) / 8;
}

ROW_CALL(expand, parscan_expand(engine, PARSCAN_U32, d->in, d->items, PARSCAN_U32, d->out,
                                d->more_out, d->n, &d->result))

static void plain_expand(row_data *d)
{
    const uint32_t *const sizes = d->in;
    uint32_t *const owner = d->out, *const ranks = d->more_out;
    size_t slot = 0;
    for (size_t i = 0; i < d->items; i++)
        for (uint32_t rank = 0; rank < sizes[i]; rank++, slot++) {
            owner[slot] = (uint32_t)i;
            ranks[slot] = rank;
        }
    d->result = slot;
}

PER_BLOCK(check_slots_block, d->items, size_t slot = d->blocks[block],
          for (uint32_t rank = 0; rank < ((const uint32_t *)d->in)[i]; rank++, slot++)
              expect(d, ((const uint32_t *)d->out)[slot] == i &&
                            ((const uint32_t *)d->more_out)[slot] == rank))

static bool check_expand(row_data *d)
{
    return d->result == sums_before(d) && none_wrong(d, d->items, check_slots_block);
}

ROW_BYTES(expand_bytes, 4.0 * (double)d->items + 8.0 * (double)d->count)

/* ---- pack: n bytes in records of row->parameter bytes that lie close together ---- */

/* Sizes and offsets share more_in. */
static uint32_t *sizes_of(const row_data *d)
{
    return d->more_in;
}

static uint32_t *record_offsets_of(const row_data *d)
{
    return (uint32_t *)d->more_in + d->items;
}

PER_ELEMENT(fill_bytes_block, d->n, ((uint8_t *)d->in)[i] = (uint8_t)random_at(d->seed, i))

PER_ELEMENT(fill_records_block, d->items, sizes_of(d)[i] = (uint32_t)d->row->parameter,
            record_offsets_of(d)[i] = (uint32_t)(i * d->row->parameter))

static void fill_pack(row_data *d)
{
    d->items = d->n / d->row->parameter;
    d->count = d->items * d->row->parameter;
    each_block(d, d->n, fill_bytes_block);
    each_block(d, d->items, fill_records_block);
}

ROW_CALL(pack, parscan_pack(engine, d->in, PARSCAN_U32, record_offsets_of(d), PARSCAN_U32,
                            sizes_of(d), d->out, record_offsets_of(d), d->items))

static void plain_pack(row_data *d)
{
    for (size_t i = 0; i < d->items; i++)
        memcpy((char *)d->out + record_offsets_of(d)[i],
               (const char *)d->in + record_offsets_of(d)[i], sizes_of(d)[i]);
}

ROW_CHECK(check_pack, d->count, ((const uint8_t *)d->out)[i] == ((const uint8_t *)d->in)[i])

ROW_BYTES(pack_bytes, 2.0 * (double)d->count + 12.0 * (double)d->items)

#define PACK(bytes)                                                                          \
    {                                                                                        \
        "pack", "u8", #bytes "-bytes", bytes, 2, 1, fill_pack, pack_bytes, pack, plain_pack, \
            .check = check_pack                                                              \
    }

const bench_row rows_allocate[] = {{"allocate", "u32-u64", "align-1", 0, 8, 4, fill_allocate,
                                    allocate_bytes, allocate, plain_allocate,
                                    .check = check_allocate},
                                   {"expand", "u32", "small", 0, 8, 4, fill_expand, expand_bytes,
                                    expand, plain_expand, .check = check_expand},
                                   PACK(4),
                                   PACK(64),
                                   PACK(1024),
                                   {0}};
