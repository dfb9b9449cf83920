/*
 * bench_cuda: every primitive on the GPU, compared with CUB and with the device's own copy, with uniform and skewed
 * inputs. How it measures is told in cuda_bench.h; the rows are in cuda_*_rows.cu. The bytes are those that
 * the work must move: for a sort one read of the keys, and one read and one write of everything for every
 * byte of a key.
 */
#include <new>
#include <set>

#include "cuda_measure.h"

/* No multiple of anything, and fast to verify. */
enum { VERIFIED_N = 100003 };

/* Frees the arrays of the last group, and its context with the scratch memory that only grows. */
static void start_afresh(bench &b)
{
    for (const auto &each : b.arrays)
        MUST(cudaFree(each.second.data));
    b.arrays.clear();
    parscan_context_destroy(b.context);
    char words[512] = "";
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .stream = b.stream, .error = words,
                                .error_size = sizeof words);
    if (parscan_context_create(&b.context, &options) != PARSCAN_OK) {
        fprintf(stderr, "bench_cuda: %s\n", words);
        exit(EXIT_FAILURE);
    }
}

/* Throws std::bad_alloc if the arrays do not fit in memory. */
static void set_up(group &g, const std::function<void(group &)> &make)
{
    start_afresh(g.b);
    make(g);
    make_references(g);
}

/* Returns the contestants that are wrong at a modest, odd length. They are not timed at any
   size. */
static std::set<std::string> wrong_ones(group modest, const std::function<void(group &)> &make)
{
    std::set<std::string> wrong;
    set_up(modest, make);
    for (contestant &c : modest.all)
        if (!verify_contestant(modest, c)) {
            fprintf(stderr, "bench_cuda: %s/%s/%s, %s, n = %zu: %s\n", modest.work.c_str(),
                    modest.type.c_str(), modest.input.c_str(), c.name.c_str(), modest.n,
                    c.failure.c_str());
            if (c.failure == WRONG_RESULT)
                wrong.insert(c.name);
        }
    modest.b.right &= wrong.empty();
    return wrong;
}

void each_size(bench &b, const std::string &work, const std::string &type, const std::string &input,
               const std::function<void(group &)> &make, unsigned most_log2n)
{
    const bench_options &options = b.options;
    if (!bench_wanted(&options, work.c_str(), type.c_str(), input.c_str()))
        return;
    const unsigned last = std::min(options.max_log2n, most_log2n);
    const std::set<std::string> wrong =
        wrong_ones({b, work, type, input, VERIFIED_N, NULL, NULL, {}, {}, {}}, make);
    for (unsigned log2n = options.min_log2n; log2n <= last; log2n += options.step) {
        group g = {b, work, type, input, (size_t)1 << log2n, NULL, NULL, {}, {}, {}};
        try {
            set_up(g, make);
        } catch (const std::bad_alloc &) {
            break;
        }
        for (contestant &c : g.all)
            if (wrong.count(c.name))
                c.failure = WRONG_RESULT;
        b.right &= measure_contestants(g, log2n);
    }
}

/* Returns false, with a message, if there is no GPU, or no driver that this program can use. */
static bool open_device(bench &b)
{
    cudaDeviceProp gpu;
    int count, driver = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
        printf("# no GPU: nothing measured: %s\n", cudaGetErrorString(error));
        return false;
    }
    MUST(cudaGetDeviceProperties(&gpu, 0));
    MUST(cudaStreamCreate(&b.stream));
    MUST(cudaEventCreate(&b.begin));
    MUST(cudaEventCreate(&b.end));
    MUST(cudaMalloc(&b.differ, sizeof *b.differ));
    b.swept.bytes = 2 * (size_t)gpu.l2CacheSize;
    MUST(cudaMalloc(&b.swept.data, b.swept.bytes));
    char words[512];
    MUST(cudaDriverGetVersion(&driver));
    int length = snprintf(words, sizeof words,
                          "# GPU: %s, %d multiprocessors, L2 cache %d MiB, memory %zu MiB; CUDA "
                          "driver %d.%d, runtime %d.%d\n# peers: CUB %d",
                          gpu.name, gpu.multiProcessorCount, gpu.l2CacheSize >> 20,
                          gpu.totalGlobalMem >> 20, driver / 1000, driver % 1000 / 10,
                          CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, peer_cub.version);
#ifdef BENCH_HAVE_CUB_MAIN
    length += snprintf(words + length, sizeof words - (size_t)length, ", cub_main: CUB %d",
                       peer_cub_main.version);
#endif
    snprintf(words + length, sizeof words - (size_t)length, "\n");
    bench_write_head("bench_cuda", &b.options, words);
    return true;
}

int main(int argc, char **argv)
{
    bench b = {};
    b.right = true;
    b.options = bench_defaults();
    bench_parse(&b.options, argc, argv);
    if (!b.options.list && !open_device(b))
        return EXIT_SUCCESS;
    scan_rows(b);
    sort_rows(b);
    compact_rows(b);
    histogram_rows(b);
    allocate_rows(b);
    segmented_rows(b);
    pipeline_rows(b);
    axis_rows(b);
    select_rows(b);
    merge_rows(b);
    search_rows(b);
    operator_rows(b);
    launch_rows(b);
    parscan_context_destroy(b.context);
    return bench_finish(&b.options, b.right);
}
