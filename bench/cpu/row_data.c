#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 2 << 20, SLACK = 8 << 20 };

const bench_row *bench_row_at(size_t k)
{
    static const bench_row *const parts[] = {rows_scan,      rows_segmented, rows_compact,
                                             rows_histogram, rows_sort,      rows_allocate,
                                             rows_custom};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (const bench_row *row = parts[part]; row->work != NULL; row++)
            if (k-- == 0)
                return row;
    return NULL;
}

bool rows_wanted(const bench_options *options, const bench_row **rows)
{
    size_t count = 0;
    for (size_t k = 0; bench_row_at(k) != NULL && count < MAX_ROWS; k++) {
        const bench_row *const row = bench_row_at(k);
        if (bench_wanted(options, row->work, row->type, row->input))
            rows[count++] = row;
    }
    rows[count] = NULL;
    return bench_rows_wanted() > 0;
}

const char *bench_row_name(const bench_row *row)
{
    static char name[128];
    snprintf(name, sizeof name, "%s/%s/%s", row->work, row->type, row->input);
    return name;
}

/* Bytes to be set, by all threads. */
typedef struct setting {
    char *to;
    const char *from; /* NULL: to `value` */
    size_t bytes;
    unsigned char value;
} setting;

static void set_piece(void *context, size_t piece)
{
    const setting *const s = context;
    const size_t begin = piece * PIECE, left = s->bytes - begin;
    const size_t bytes = left < PIECE ? left : PIECE;
    if (s->from != NULL)
        memcpy(s->to + begin, s->from + begin, bytes);
    else
        memset(s->to + begin, s->value, bytes);
}

static void set_all(workers *team, setting s)
{
    workers_each(team, (s.bytes + PIECE - 1) / PIECE, set_piece, &s);
}

void row_data_create(row_data *data, workers *team, size_t room, size_t most, bool huge_pages,
                     uint64_t seed)
{
    /* The arrays have different offsets within a page (bench_memory() says why). */
    memset(data, 0, sizeof *data);
    data->team = team;
    data->seed = seed;
    data->room = room;
    data->in = bench_memory(room + SLACK, 0, huge_pages);
    data->more_in = bench_memory(room + SLACK, 1024, huge_pages);
    data->out = bench_memory(room + SLACK, 2048, huge_pages);
    data->more_out = bench_memory(room / 2 + SLACK, 3072, huge_pages);
    data->blocks = calloc(blocks_of(most) + 1, sizeof *data->blocks);
    data->marks = calloc(blocks_of(most) + 1, sizeof *data->marks);
    bench_require(data->blocks != NULL && data->marks != NULL, "no memory for checks", NULL);
    set_all(team, (setting){data->in, NULL, room + SLACK, 0});
    set_all(team, (setting){data->more_in, NULL, room + SLACK, 0});
    set_all(team, (setting){data->out, NULL, room + SLACK, 0});
    set_all(team, (setting){data->more_out, NULL, room / 2 + SLACK, 0});
}

void row_data_destroy(row_data *data)
{
    bench_release(data->in);
    bench_release(data->more_in);
    bench_release(data->out);
    bench_release(data->more_out);
    free(data->blocks);
    free(data->marks);
}

void row_data_restore(row_data *data)
{
    set_all(data->team, (setting){data->out, data->in, data->n * data->row->element_size, 0});
}

void row_data_spoil(row_data *data)
{
    const size_t used = data->n * data->row->array_bytes;
    const size_t bytes = used < data->room ? used + SLACK / 2 : data->room;
    data->result = UINT64_MAX;
    if (data->row->in_place) {
        row_data_restore(data);
        return;
    }
    set_all(data->team, (setting){data->out, NULL, bytes, 0xa5});
    set_all(data->team, (setting){data->more_out, NULL, bytes / 2, 0xa5});
}

const char *row_verify(row_data *data, row_call *call, parscan_context *engine)
{
    row_data_spoil(data);
    workers_settle(data->team);
    if (engine == NULL)
        data->row->plain(data);
    else if (call(data, engine) != PARSCAN_OK)
        return parscan_context_error(engine);
    return data->row->check(data) ? NULL : "wrong";
}

PER_BLOCK_SUM(count_heads, d->n, head_at(d, i))
PER_ELEMENT(flags_block, d->n, ((uint8_t *)d->more_in)[i] = head_at(d, i))
PER_ELEMENT(indices_block, d->n, ((uint32_t *)d->more_in)[i] = (uint32_t)i)

void rank_heads(row_data *data)
{
    each_block(data, data->n, count_heads);
    data->count = prefix_of_blocks(data, data->n);
}

void fill_flags(row_data *data)
{
    each_block(data, data->n, flags_block);
}

void fill_indices(row_data *data)
{
    each_block(data, data->n, indices_block);
}
