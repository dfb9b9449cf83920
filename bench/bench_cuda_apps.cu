/*
 * bench_cuda_apps: what is built on scan, on the GPU, beside CUB and beside the device's own copy:
 * sort, compaction, histogram, bin, allocate, expand, pack, segmented scan and reduce, recurrence;
 * the inputs uniform and skewed. The rows are in cuda_apps/, by kind.
 *
 * Every contestant's outputs are compared with the reference, whole and to the bit, at every size
 * before it is timed: with CUB's, or with a plain search or loop where CUB has nothing like it
 * (recurrences above 2^20: not at all). A call that fails is a row that says why. gb_per_s counts
 * the bytes that the work must move: for a sort one read of the keys, and a read and a write of all
 * for every byte of a key. share_of_copy is that rate beside the copy's; times_cub is CUB's time
 * over this one; g_per_s is 10^9 elements of 2^log2n a second.
 */
#include <cstring>
#include <set>

#include "cuda_apps/cuda_rows.h"

/* Neither a multiple of anything nor slow. */
enum { VERIFIED_N = 100003 };

static void fill_reference(group &g)
{
    if (g.has_reference)
        make_reference(g.b, g.outputs, g.reference ? g.reference : g.all[1].run);
    else
        for (contestant &c : g.all)
            c.checked = false;
}

static void print_row(const group &g, unsigned log2n, contestant &c, double copy_rate, double cub)
{
    printf("%s,%s,%s,%u,%s,", g.row.c_str(), g.type.c_str(), g.input.c_str(), log2n,
           c.name.c_str());
    if (!c.failure.empty()) {
        printf(",,,,,,,\"%s\"\n", c.failure.c_str());
        return;
    }
    const double ms = quantile(c.times, 0.5), rate = c.bytes / ms * 1e-6;
    printf("%.5f,%.5f,%.5f,%.1f,%.3f,", ms, quantile(c.times, 0.25), quantile(c.times, 0.75), rate,
           rate / copy_rate);
    if (cub > 0)
        printf("%.3f", cub / ms);
    printf(",%.3f,\n", (double)g.n / ms * 1e-6);
}

static void print_group(group &g, unsigned log2n)
{
    double copy_rate = 0, cub = 0;
    for (contestant &c : g.all) {
        if (!c.failure.empty())
            continue;
        if (c.name == "copy")
            copy_rate = c.bytes / quantile(c.times, 0.5) * 1e-6;
        if (c.name == "cub")
            cub = quantile(c.times, 0.5);
    }
    for (contestant &c : g.all)
        print_row(g, log2n, c, copy_rate, cub);
    fflush(stdout);
}

static void make_and_verify(group &g, const std::function<void(group &)> &make,
                            std::set<std::string> &wrong)
{
    make(g);
    fill_reference(g);
    for (contestant &c : g.all)
        if (wrong.count(c.name))
            c.failure = "wrong result";
    verify(g.b, g.outputs, g.all);
    for (const contestant &c : g.all) {
        if (c.failure != "wrong result" || !wrong.insert(c.name).second)
            continue;
        g.b.wrong = true;
        fprintf(stderr, "bench_cuda_apps: WRONG RESULT: %s/%s/%s, %s, n = %zu\n", g.row.c_str(),
                g.type.c_str(), g.input.c_str(), c.name.c_str(), g.n);
    }
}

void each_size(bench &b, const std::string &row, const std::string &type, const std::string &input,
               const std::function<void(group &)> &make)
{
    const std::string name = row + "/" + type + "/" + input;
    if (b.rows != NULL && regexec(b.rows, name.c_str(), 0, NULL, 0) != 0)
        return;
    if (b.list) {
        printf("%s\n", name.c_str());
        return;
    }
    std::set<std::string> wrong;
    group modest = {b, row, type, input, VERIFIED_N, {}, {}, {}};
    make_and_verify(modest, make, wrong);
    for (unsigned log2n = b.how.min; log2n <= b.how.max; log2n += b.how.step) {
        group g = {b, row, type, input, (size_t)1 << log2n, {}, {}, {}};
        make_and_verify(g, make, wrong);
        time_in_turn(b, b.how, g.n, g.all);
        print_group(g, log2n);
    }
}

static void usage()
{
    fprintf(stderr, "usage: bench_cuda_apps [options]   CSV on standard output\n"
                    "  --min K, --max K   sizes 2^K (default 12 to 28, at most 30)\n"
                    "  --step K           every so many K (default 4)\n"
                    "  --rows REGEX       rows WORK/TYPE/INPUT that have it somewhere (extended)\n"
                    "  --list             the names of the rows, nothing measured\n"
                    "  --reps N           timings of a contestant (default 11)\n"
                    "  --seconds S        for a row at a size, when 3 timings take no longer "
                    "(default 1)\n"
                    "  --seed N           of the inputs (default 1)\n");
    exit(2);
}

static void read_options(bench &b, int argc, char **argv)
{
    static regex_t rows;
    b.how = {12, 28, 4, 11, 1};
    b.seed = 1;
    for (int k = 1; k < argc; k++) {
        const std::string name = argv[k];
        if (name == "--list") {
            b.list = true;
            continue;
        }
        if (++k == argc)
            usage();
        if (name == "--seed")
            b.seed = strtoull(argv[k], NULL, 10);
        else if (name == "--rows" && regcomp(&rows, argv[k], REG_EXTENDED | REG_NOSUB) == 0)
            b.rows = &rows;
        else if (!read_setting(b.how, name, argv[k]))
            usage();
    }
    if (b.how.max > 30 || b.how.min < 4)
        usage();
}

int main(int argc, char **argv)
{
    bench b = {};
    read_options(b, argc, argv);
    cudaDeviceProp properties;
    if (!b.list) {
        if (!open_device(b, properties)) {
            printf("# no GPU: nothing measured\n");
            return EXIT_SUCCESS;
        }
        printf("# bench_cuda_apps, parscan %s, CUB of CUDA %d.%d, %s, seed %llu\n",
               parscan_version(), CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
               properties.name, (unsigned long long)b.seed);
        printf("row,type,input,log2n,name,ms,q1,q3,gb_per_s,share_of_copy,times_cub,g_per_s,"
               "failure\n");
    }
    sort_rows(b);
    compact_rows(b);
    histogram_rows(b);
    allocate_rows(b);
    segmented_rows(b);
    parscan_context_destroy(b.context);
    return b.wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
