/*
 * bench_cuda_apps: what is built on scan, on the GPU, compared with CUB, Thrust and the device's
 * own copy: sort, compaction, histogram, bin, allocate, expand, pack, segmented scan and reduction,
 * recurrence, with uniform and skewed inputs. The rows are in cuda_apps/, by kind.
 *
 * The outputs of every contestant are compared with the reference at every size before it is timed.
 * The reference is CUB's result; where CUB has nothing comparable, it is a plain search or loop
 * (recurrences above 2^20 are not compared). The bytes are those that the work must move: for a
 * sort one read of the keys, and one read and one write of everything for every byte of a key.
 */
#include <set>

#include "cuda_apps/cuda_rows.h"

/* No multiple of anything, and fast to verify. */
enum { VERIFIED_N = 100003 };

static void fill_reference(group &g)
{
    if (g.has_reference)
        make_reference(g.b, g.outputs, g.reference ? g.reference : g.all[1].run);
    else
        for (contestant &c : g.all)
            c.checked = false;
}

/* Returns the contestants that are wrong at a modest, odd length. They are not timed at any
   size. */
static std::set<std::string> wrong_ones(bench &b, const std::string &row, const std::string &type,
                                        const std::string &input,
                                        const std::function<void(group &)> &make)
{
    std::set<std::string> wrong;
    group modest = {b, row, type, input, VERIFIED_N, {}, {}, {}};
    make(modest);
    fill_reference(modest);
    for (contestant &c : modest.all)
        if (!verify_contestant(b, modest.outputs, c) && c.failure == WRONG_RESULT) {
            wrong.insert(c.name);
            fprintf(stderr, "bench_cuda_apps: WRONG RESULT: %s/%s/%s, %s, n = %zu\n", row.c_str(),
                    type.c_str(), input.c_str(), c.name.c_str(), modest.n);
        }
    return wrong;
}

void each_size(bench &b, const std::string &row, const std::string &type, const std::string &input,
               const std::function<void(group &)> &make)
{
    const bench_options &options = b.options;
    if (!bench_wanted(&options, row.c_str(), type.c_str(), input.c_str()))
        return;
    const std::set<std::string> wrong = wrong_ones(b, row, type, input, make);
    for (unsigned log2n = options.min_log2n; log2n <= options.max_log2n; log2n += options.step) {
        group g = {b, row, type, input, (size_t)1 << log2n, {}, {}, {}};
        make(g);
        fill_reference(g);
        for (contestant &c : g.all)
            if (wrong.count(c.name))
                c.failure = WRONG_RESULT;
        b.right &= measure(
            b, bench_new_group(&options, row.c_str(), type.c_str(), input.c_str(), log2n, 0),
            g.outputs, g.all);
    }
}

int main(int argc, char **argv)
{
    enum { MAX_LOG2N = 30 }; /* CUB's counts are ints here */
    bench b = {};
    b.right = true;
    b.options = bench_defaults();
    bench_parse(&b.options, argc, argv);
    if (b.options.max_log2n > MAX_LOG2N)
        b.options.max_log2n = MAX_LOG2N;
    cudaDeviceProp properties;
    if (!b.options.list) {
        if (!open_device(b, properties)) {
            printf("# no GPU: nothing measured\n");
            return EXIT_SUCCESS;
        }
        write_cuda_head("bench_cuda_apps", b.options, properties);
    }
    sort_rows(b);
    compact_rows(b);
    histogram_rows(b);
    allocate_rows(b);
    segmented_rows(b);
    parscan_context_destroy(b.context);
    return bench_finish(&b.options, b.right);
}
