#include "scan/custom/custom_arrays.h"

#include "scan/cpu/isa.h"
#include "scan/cpu/stream_fence.h"
#include "scan/cpu/tiles.h"

custom_arrays parscan_custom_arrays_of(const parscan_scan_call *call)
{
    const parscan_isa isa = call->context->isa;
    const parscan_operator *const op = call->custom;
    return (custom_arrays){
        .op = op,
        .kernels = PARSCAN_BY_ISA(isa, &parscan_panel_kernels_portable, &parscan_panel_kernels_avx2,
                                  &parscan_panel_kernels_avx512),
        .in = call->in,
        .out = call->out,
        .n = call->n,
        .reverse = call->reverse,
        .stream = call->in != call->out && call->n >= STREAM_FROM_BYTES / op->size,
    };
}

static size_t buffer_bytes(const panel_shape *shape)
{
    return (panel_elements(shape) * shape->size + 63) / 64 * 64;
}

size_t parscan_custom_work_bytes(const panel_shape *shape, size_t count)
{
    return count * panel_bytes(shape) + 3 * buffer_bytes(shape) + panel_sums_bytes(shape);
}

custom_work parscan_custom_work_at(const panel_shape *shape, size_t count, char *memory)
{
    custom_work work = {.panels = memory};
    work.buffer = memory + count * panel_bytes(shape);
    work.other = work.buffer + buffer_bytes(shape);
    work.results = work.other + buffer_bytes(shape);
    work.panel.sums = panel_sums_at(shape, work.results + buffer_bytes(shape));
    return work;
}

/* Where n elements from begin on lie in the caller's arrays. */
static size_t place_of(const custom_arrays *arrays, size_t begin, size_t n)
{
    return arrays->reverse ? arrays->n - begin - n : begin;
}

/* The elements, of any alignment. */
static const char *elements_at(const custom_arrays *arrays, size_t begin, size_t n,
                               custom_work *work)
{
    const parscan_operator *const op = arrays->op;
    const size_t place = place_of(arrays, begin, n);
    const char *elements = arrays->in;
    if (op->load != NULL) {
        char *const loaded = arrays->reverse ? work->other : work->buffer;
        op->load(arrays->in, place, loaded, n, op->state);
        elements = loaded;
    } else {
        elements += place * op->size;
    }
    if (!arrays->reverse)
        return elements;
    arrays->kernels->reverse(elements, n, op->size, work->buffer);
    return work->buffer;
}

const char *parscan_custom_elements(const custom_arrays *arrays, size_t begin, size_t n,
                                    custom_work *work)
{
    const char *const elements = elements_at(arrays, begin, n, work);
    if (custom_is_aligned(arrays->op, elements))
        return elements;
    return memcpy(work->buffer, elements, n * arrays->op->size);
}

void parscan_custom_load_panel(const custom_arrays *arrays, const panel_shape *shape, size_t begin,
                               size_t n, char *panel, custom_work *work)
{
    arrays->kernels->to_columns(shape, elements_at(arrays, begin, n, work), n, panel);
}

void parscan_custom_fetch(const custom_arrays *arrays, size_t begin, size_t n, size_t steps,
                          custom_work *work)
{
    if (arrays->op->load == NULL && n > 0)
        traffic_fetch(&work->panel.traffic,
                      arrays->in + place_of(arrays, begin, n) * arrays->op->size,
                      n * arrays->op->size, steps);
}

static void custom_store(const custom_arrays *arrays, const panel_shape *shape, size_t begin,
                         size_t n, custom_work *work)
{
    const parscan_operator *const op = arrays->op;
    const size_t place = place_of(arrays, begin, n);
    if (op->store != NULL) {
        op->store(work->results, arrays->out, place, n, op->state);
        return;
    }
    char *const to = arrays->out + place * op->size;
    if (arrays->stream)
        traffic_store(&work->panel.traffic, arrays->kernels->store_lines, to, work->results,
                      n * op->size, shape->rows);
    else
        memcpy(to, work->results, n * op->size);
}

void parscan_custom_store_panel(const custom_arrays *arrays, const panel_shape *shape,
                                const char *rows, size_t begin, size_t n, custom_work *work)
{
    if (!arrays->reverse && !arrays->stream && arrays->op->store == NULL) {
        arrays->kernels->from_columns(shape, rows, n, arrays->out + begin * shape->size);
        return;
    }
    traffic_end(&work->panel.traffic);
    char *const forward = arrays->reverse ? work->other : work->results;
    arrays->kernels->from_columns(shape, rows, n, forward);
    if (arrays->reverse)
        arrays->kernels->reverse(forward, n, shape->size, work->results);
    custom_store(arrays, shape, begin, n, work);
}

void parscan_custom_end(const custom_arrays *arrays, custom_work *work)
{
    if (!arrays->stream)
        return;
    traffic_end(&work->panel.traffic);
    stream_fence();
}

custom_value parscan_custom_load_one(const custom_arrays *arrays, size_t i)
{
    const parscan_operator *const op = arrays->op;
    const size_t place = place_of(arrays, i, 1);
    custom_value value = {.present = true};
    if (op->load != NULL)
        op->load(arrays->in, place, value.bytes, 1, op->state);
    else
        memcpy(value.bytes, arrays->in + place * op->size, op->size);
    return value;
}

custom_value parscan_custom_load_stored(const custom_arrays *arrays, size_t i)
{
    return custom_value_of(arrays->op, arrays->out + place_of(arrays, i, 1) * arrays->op->size);
}

void parscan_custom_store_at(const custom_arrays *arrays, size_t place, const void *element)
{
    const parscan_operator *const op = arrays->op;
    if (op->store != NULL)
        op->store(element, arrays->out, place, 1, op->state);
    else
        memcpy(arrays->out + place * op->size, element, op->size);
}

void parscan_custom_store_one(const custom_arrays *arrays, size_t i, const void *element)
{
    parscan_custom_store_at(arrays, place_of(arrays, i, 1), element);
}

custom_value parscan_custom_start(const parscan_scan_call *call)
{
    const parscan_operator *const op = call->custom;
    if (call->init != NULL)
        return custom_value_of(op, call->init);
    return custom_value_of(op, op->has_identity ? op->identity : NULL);
}
