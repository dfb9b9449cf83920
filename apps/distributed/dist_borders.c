/*
 * A border is looked for in windows that grow from one end of the piece. Whether a window has one is
 * asked by a call of the engine: flags are reduced by MAX, keys are counted as runs. The window that
 * has it is halved until it is small, and then read on the host.
 */
#include "apps/distributed/dist_borders.h"

#include "apps/segments/segment_heads.h"
#include "parscan/compact.h"
#include "parscan/memory.h"

/* So many elements are read on the host. */
enum { WINDOW = 512 };

/* Elements begin to end - 1 may start a segment; begin > 0. */
typedef struct window {
    size_t begin, end;
} window;

static size_t element_size(const parscan_segments *segments)
{
    return segments->kind == PARSCAN_SEGMENTS_KEYS ? parscan_type_size(segments->type) : 1;
}

/* Whether a segment starts in a window. */
static parscan_status ask(parscan_context *context, const parscan_segments *segments, window w,
                          bool *found)
{
    const char *const data = segments->data;
    if (segments->kind == PARSCAN_SEGMENTS_KEYS) {
        const char *const before = data + (w.begin - 1) * element_size(segments);
        uint64_t runs = 0;
        const parscan_status status = parscan_run_length_encode(
            context, segments->type, before, NULL, PARSCAN_U64, NULL, w.end - w.begin + 1, &runs);
        *found = runs > 1;
        return status;
    }
    uint8_t most = 0;
    const parscan_status status =
        parscan_reduce(context, PARSCAN_U8, data + w.begin, &most, w.end - w.begin,
                       &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
    *found = most != 0;
    return status;
}

/* The first or the last border of a small window. Sets *border if there is one. */
static parscan_status look(parscan_context *context, const parscan_segments *segments, window w,
                           bool last, size_t *border, bool *found)
{
    unsigned char here[(WINDOW + 1) * DIST_ELEMENT];
    const size_t size = element_size(segments), n = w.end - w.begin + 1;
    const parscan_status status =
        parscan_copy(context, here, (const char *)segments->data + (w.begin - 1) * size, n * size);
    if (status != PARSCAN_OK)
        return status;
    parscan_segments copy = *segments;
    copy.data = here;
    *found = false;
    for (size_t i = segment_head(&copy, 1, n, NULL); i < n;
         i = segment_head(&copy, i + 1, n, NULL)) {
        *border = w.begin - 1 + i;
        *found = true;
        if (!last)
            break;
    }
    return PARSCAN_OK;
}

/* Whether a window has a border; that of a small one is known then. */
static parscan_status has_border(parscan_context *context, const parscan_segments *segments,
                                 window w, bool last, size_t *border, bool *found)
{
    return w.end - w.begin <= WINDOW ? look(context, segments, w, last, border, found)
                                     : ask(context, segments, w, found);
}

/* The window at one end of what is left: the first or the last `size` elements. */
static window window_part(window left, size_t size, bool last)
{
    if (left.end - left.begin <= size)
        return left;
    return last ? (window){left.end - size, left.end} : (window){left.begin, left.begin + size};
}

/* What is left without the window. */
static window rest_of(window left, window w, bool last)
{
    return last ? (window){left.begin, w.begin} : (window){w.end, left.end};
}

/* Halves a window that has a border until that is known. */
static parscan_status narrow(parscan_context *context, const parscan_segments *segments, window w,
                             bool last, size_t *border)
{
    parscan_status status = PARSCAN_OK;
    while (status == PARSCAN_OK && w.end - w.begin > WINDOW) {
        bool found;
        const window half = window_part(w, (w.end - w.begin) / 2, last);
        status = has_border(context, segments, half, last, border, &found);
        w = found ? half : rest_of(w, half, last);
    }
    bool found;
    return status == PARSCAN_OK ? look(context, segments, w, last, border, &found) : status;
}

static parscan_status find(parscan_context *context, const parscan_segments *segments, size_t n,
                           bool last, size_t *border)
{
    window left = {1, n};
    *border = last ? 0 : n;
    for (size_t size = WINDOW; left.begin < left.end; size *= 2) {
        bool found;
        const window w = window_part(left, size, last);
        const parscan_status status = has_border(context, segments, w, last, border, &found);
        if (status != PARSCAN_OK)
            return status;
        if (found)
            return narrow(context, segments, w, last, border);
        left = rest_of(left, w, last);
    }
    return PARSCAN_OK;
}

parscan_status parscan_first_border(parscan_context *context, const parscan_segments *segments,
                                    size_t n, size_t *border)
{
    return find(context, segments, n, false, border);
}

parscan_status parscan_last_border(parscan_context *context, const parscan_segments *segments,
                                   size_t n, size_t *border)
{
    return find(context, segments, n, true, border);
}

bool parscan_same_run(parscan_type type, const dist_element *a, const dist_element *b)
{
    unsigned char both[2 * DIST_ELEMENT];
    const size_t size = parscan_type_size(type);
    memcpy(both, a->bytes, size);
    memcpy(both + size, b->bytes, size);
    const parscan_segments pair = {.kind = PARSCAN_SEGMENTS_KEYS, .type = type, .data = both};
    return segment_head(&pair, 1, 2, NULL) == 2;
}
