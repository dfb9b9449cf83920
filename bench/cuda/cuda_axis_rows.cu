/* Calls along an axis: down columns, along rows. */
#include "cuda_bench.h"

/* A thread a line is the reference; it is slow, so that large arrays have none. */
enum { MOST_OF_A_THREAD = 1 << 20 };

/* Lines of an array of about N elements: `inner` neighbours, or lines of `length` elements, whatever else is given
   as 0. */
struct axis_input {
    const char *name;
    size_t inner, length;
};

struct lines {
    size_t outer, n, inner;
};

static lines lines_of(const axis_input &input, size_t n)
{
    const size_t inner = input.inner != 0 ? input.inner : std::max<size_t>(n / input.length, 1);
    const size_t length =
        input.length != 0 ? std::min(input.length, n) : std::max<size_t>(n / inner, 1);
    return input.inner == 1 ? lines{std::max<size_t>(n / length, 1), length, 1}
                            : lines{1, length, std::min(inner, n)};
}

/* A thread for each line. */
static void sum_by_threads(const group &g, lines s, bool reduces)
{
    const float *const in = (const float *)g.in;
    float *const out = (float *)g.out;
    on_device(g.b, s.outer * s.inner, [=] __device__(size_t q) {
        const size_t first = q / s.inner * s.n * s.inner + q % s.inner;
        float sum = 0;
        for (size_t i = 0; i < s.n; i++) {
            sum += in[first + i * s.inner];
            if (!reduces)
                out[first + i * s.inner] = sum;
        }
        if (reduces)
            out[q] = sum;
    });
}

static void axis_row(bench &b, const axis_input &input, bool reduces)
{
    const auto make = [=, &b](group &g) {
        const lines s = lines_of(input, g.n);
        const size_t all = s.outer * s.n * s.inner, bytes = all * sizeof(float);
        void *const in = g.read(bytes);
        void *const copied = reduces ? b.bytes("copied", bytes) : g.write(bytes);
        if (reduces)
            g.write(s.outer * s.inner * sizeof(float));
        fill_values(b, PARSCAN_F32, in, all);
        g.has_reference = g.n <= MOST_OF_A_THREAD;
        g.reference = [&g, s, reduces] { sum_by_threads(g, s, reduces); };
        g.copy(copied, in, bytes);
        for (int reproducible = 0; reproducible < (input.inner == 64 ? 2 : 1); reproducible++)
            g.parscan(reproducible ? "reproducible" : "auto", (reduces ? 1.0 : 2.0) * (double)bytes,
                      [=, &b](const void *from, void *to) {
                          const parscan_shape shape =
                              PARSCAN_SHAPE(.outer = s.outer, .inner = s.inner);
                          const parscan_scan_options options =
                              PARSCAN_SCAN_OPTIONS(.reproducible = reproducible, .shape = &shape);
                          return (reduces ? parscan_reduce : parscan_inclusive_scan)(
                              b.context, PARSCAN_F32, from, to, s.n, &options);
                      });
    };
    each_size(b, reduces ? "reduce-axis" : "scan-axis", "f32", input.name, make);
}

/* A call along an axis of keys, which has no reference. results: of each line, of 4 bytes; 0: as many as elements.
   call(shape, n, elements from and to). */
template <typename Call>
static void call_row(bench &b, const char *work, parscan_type type, const axis_input &input,
                     size_t results, double arrays, Call call)
{
    each_size(b, work, parscan_type_name(type), input.name, [=, &b](group &g) {
        const lines s = lines_of(input, g.n);
        const size_t all = s.outer * s.n * s.inner, bytes = all * 4;
        void *const in = g.read(bytes);
        g.write(results == 0 ? bytes : s.outer * s.inner * std::min(results, s.n) * 4);
        fill_keys(b, type, in, all, uniform);
        g.has_reference = false;
        g.copy(b.bytes("copied", bytes), in, bytes);
        g.parscan("parscan", arrays * (double)bytes, [=, &b](const void *from, void *to) {
            return call(PARSCAN_SHAPE(.outer = s.outer, .inner = s.inner), s.n, from, to);
        });
    });
}

/* Rows are sorted beside CUB's sort of segments, which is told their offsets, and sorts pairs with their indices. Its
   sort of more than 500 segments copies counts to the host, so no graph is made. */
static void sort_rows_row(bench &b, const axis_input &input, bool argsort)
{
    each_size(b, argsort ? "argsort-axis" : "sort-axis", "u32", input.name, [=, &b](group &g) {
        const lines s = lines_of(input, g.n);
        const size_t all = s.outer * s.n, bytes = all * sizeof(uint32_t);
        void *const keys = g.read(bytes);
        uint32_t *const sorted = b.array<uint32_t>("sorted", all);
        uint32_t *const offsets = b.array<uint32_t>("row-offsets", s.outer + 1);
        uint32_t *const numbers = b.array<uint32_t>("numbers", argsort ? all : 1);
        g.write(bytes);
        fill_keys(b, PARSCAN_U32, keys, all, uniform);
        on_device(b, s.outer + 1, [=] __device__(size_t i) { offsets[i] = (uint32_t)(i * s.n); });
        if (argsort)
            on_device(b, all, [=] __device__(size_t i) { numbers[i] = (uint32_t)(i % s.n); });
        g.in_stream = true;
        g.copy(sorted, keys, bytes);
        cub_call call = {.type = PARSCAN_U32, .offsets = offsets, .segments = s.outer};
        if (argsort) {
            call.out = sorted;
            call.beside = numbers;
            call.beside_out = g.out;
        }
        g.cub(argsort ? CUB_sort_pairs_of_segments : CUB_sort_segments, 2.0 * (double)bytes, call);
        g.parscan("parscan", 2.0 * (double)bytes, [=, &b](const void *from, void *to) {
            const parscan_shape shape = PARSCAN_SHAPE(.outer = s.outer, .inner = 1);
            const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.shape = &shape);
            return argsort ? parscan_argsort(b.context, PARSCAN_U32, from, PARSCAN_U32, to, s.n,
                                             &options)
                           : parscan_sort_keys(b.context, PARSCAN_U32, from, to, s.n, &options);
        });
    });
}

/* Keys, or their indices, are read once and written once: what a sort adds is its own. */
static void sort_axis_row(bench &b, const axis_input &input, bool argsort)
{
    call_row(b, argsort ? "argsort-axis" : "sort-axis", PARSCAN_U32, input, 0, 2,
             [=, &b](const parscan_shape &shape, size_t n, const void *from, void *to) {
                 const parscan_sort_options options = PARSCAN_SORT_OPTIONS(.shape = &shape);
                 return argsort ? parscan_argsort(b.context, PARSCAN_U32, from, PARSCAN_U32, to, n,
                                                  &options)
                                : parscan_sort_keys(b.context, PARSCAN_U32, from, to, n, &options);
             });
}

/* With one a, which is 0.5: the time does not depend on b. */
static void recurrence_axis_row(bench &b, const axis_input &input)
{
    call_row(b, "recurrence-axis", PARSCAN_F32, input, 0, 2,
             [=, &b](const parscan_shape &shape, size_t n, const void *from, void *to) {
                 const float a = 0.5f;
                 const parscan_recurrence_options options =
                     PARSCAN_RECURRENCE_OPTIONS(.constant_a = 1, .shape = &shape);
                 return parscan_recurrence_with(b.context, PARSCAN_F32, &a, from, NULL, to, n,
                                                &options);
             });
}

/* The index of the largest, or those of the 8 largest. */
static void select_axis_row(bench &b, const axis_input &input, bool top)
{
    call_row(b, top ? "top-8-axis" : "argmax-axis", PARSCAN_F32, input, top ? 8 : 1, 1,
             [=, &b](const parscan_shape &shape, size_t n, const void *from, void *to) {
                 const parscan_arg_reduce_options one = PARSCAN_ARG_REDUCE_OPTIONS(.shape = &shape);
                 const parscan_top_k_options some = PARSCAN_TOP_K_OPTIONS(.shape = &shape);
                 return top ? parscan_top_k(b.context, PARSCAN_F32, from, n, std::min(n, (size_t)8),
                                            NULL, PARSCAN_U32, to, &some)
                            : parscan_arg_reduce(b.context, PARSCAN_F32, from, n, PARSCAN_MAX, NULL,
                                                 PARSCAN_U32, to, &one);
             });
}

void axis_rows(bench &b)
{
    static const axis_input inputs[] = {
        {"columns-2", 2, 0},      {"columns-3", 3, 0},       {"columns-16", 16, 0},
        {"columns-64", 64, 0},    {"columns-1024", 1024, 0}, {"columns-65536", 65536, 0},
        {"columns-of-64", 0, 64}, {"columns-of-2", 0, 2},    {"rows-of-2", 1, 2},
        {"rows-of-64", 1, 64},    {"rows-of-1024", 1, 1024}, {"rows-of-65536", 1, 65536}};
    for (const axis_input &input : inputs) {
        axis_row(b, input, false);
        axis_row(b, input, true);
    }
    for (const size_t columns : {64, 1024}) {
        const axis_input input = {columns == 64 ? "columns-64" : "columns-1024", columns, 0};
        sort_axis_row(b, input, false);
        sort_axis_row(b, input, true);
        select_axis_row(b, input, false);
    }
    for (const axis_input &input : {inputs[0], inputs[3], inputs[9], inputs[10]})
        recurrence_axis_row(b, input);
    for (const axis_input &input : {inputs[3], inputs[6]})
        select_axis_row(b, input, true);
    sort_axis_row(b, {"columns-of-1024", 0, 1024}, false);
    for (const axis_input &input : {inputs[9], inputs[10], axis_input{"rows-of-16384", 1, 16384}})
        for (int argsort = 0; argsort < 2; argsort++)
            sort_rows_row(b, input, argsort != 0);
}
