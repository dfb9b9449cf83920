/* The launches of the histogram on CUDA, and the choice of the table in which blocks count. */
#include "apps/histogram/histogram_kernels.cuh"
#include "scan/cuda/launch.cuh"

static size_t element_size(histogram_elements elements)
{
    switch (elements) {
    case HISTOGRAM_BYTES:
        return 1;
    case HISTOGRAM_16:
        return 2;
    case HISTOGRAM_64:
    case HISTOGRAM_F64:
        return 8;
    default:
        return 4;
    }
}

/* Calls launch(E()), where E is the type that reads the elements. */
template <typename Launch>
static cudaError_t with_elements(histogram_elements elements, Launch launch)
{
    switch (elements) {
    case HISTOGRAM_16:
        return launch(elements_16());
    case HISTOGRAM_32:
        return launch(elements_32());
    case HISTOGRAM_64:
        return launch(elements_64());
    case HISTOGRAM_F32:
        return launch(elements_f32());
    case HISTOGRAM_F64:
        return launch(elements_f64());
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t clear(const parscan_cuda *cuda, const count_params &params)
{
    return cudaMemsetAsync(params.counts, 0, words_of_counts(params) * sizeof(uint32_t),
                           cuda->stream);
}

/* Launches a kernel that counts. It clears the counts first, unless the kernel adds to them or overwrites
   them. From CLEARED_BESIDE bytes of input on, a kernel clears them while the other begins to count, where
   the device can do that. Before that it is not faster: a second launch takes the host longer than a memset. */
template <typename Kernel>
static cudaError_t launch_count(Kernel *function, parscan_cuda *cuda, size_t work, unsigned threads,
                                size_t shared_bytes, const count_params &params)
{
    if (params.adds || params.alone)
        return launch_persistent(function, cuda, work, threads, shared_bytes, params);
    parscan_cuda_kernel clears;
    cudaError_t error =
        parscan_cuda_kernel_of(cuda, (const void *)clear_counts, CLEAR_THREADS, 0, &clears);
    if (error != cudaSuccess)
        return error;
    if (clears.architecture >= 90 && params.n * element_size(params.elements) >= CLEARED_BESIDE) {
        error = launch_persistent(clear_counts, cuda, words_of_counts(params) / CLEAR_THREADS + 1,
                                  CLEAR_THREADS, 0, params);
        return error != cudaSuccess ? error
                                    : launch_dependent_persistent(function, cuda, work, threads,
                                                                  shared_bytes, params);
    }
    error = clear(cuda, params);
    return error != cudaSuccess
               ? error
               : launch_persistent(function, cuda, work, threads, shared_bytes, params);
}

static size_t batches_of(const count_params &params, unsigned threads)
{
    const size_t batch = threads * VECTORS * (16 / element_size(params.elements));
    return params.n / batch + 1;
}

/* How many blocks pay, up to `most`. Adding the tables of b blocks to the counts takes b * bins
   / 208 ns, and counting takes n * `picoseconds` / b ps (measured on an H200). The sum is least
   where b * b is `square`. */
static size_t useful_blocks(const count_params &params, size_t most, size_t picoseconds)
{
    const double square = (double)params.n / params.map.bins * (0.208 * picoseconds);
    size_t blocks = 1;
    while (blocks < most && (double)blocks * blocks < square)
        blocks++;
    return blocks;
}

template <typename TABLE>
static cudaError_t count_in(parscan_cuda *cuda, const count_params &params, size_t most_blocks,
                            size_t shared_bytes)
{
    const size_t batches = batches_of(params, TABLE::THREADS);
    return with_elements(params.elements, [&](auto elements) {
        return launch_count(count_elements<decltype(elements), TABLE>, cuda,
                            batches < most_blocks ? batches : most_blocks, TABLE::THREADS,
                            shared_bytes, params);
    });
}

/* The number of copies, as a power of two, for which a block has enough elements; at most one
   for each lane. */
static unsigned copies_log2(const count_params &params, size_t elements_a_block)
{
    unsigned log2 = 0;
    while (log2 < 5 && (size_t)params.map.bins << (log2 + 1) <= WORDS_TABLE &&
           (size_t)params.map.bins << (log2 + 1) <= elements_a_block)
        log2++;
    return log2;
}

static cudaError_t count_in_words(parscan_cuda *cuda, count_params &params)
{
    const size_t batches = batches_of(params, WORDS_THREADS);
    const size_t most = (size_t)cuda->multiprocessors * WORDS_BLOCKS;
    const size_t blocks = useful_blocks(params, most, WORDS_PICOSECONDS);
    params.alone = batches == 1 && !params.adds;
    params.copies_log2 = copies_log2(params, params.n / (batches < blocks ? batches : blocks));
    return count_in<words_table>(cuda, params, blocks, WORDS_TABLE * sizeof(uint32_t));
}

template <typename TABLE>
static cudaError_t count_in_slots(parscan_cuda *cuda, count_params &params, unsigned slots_log2,
                                  size_t room)
{
    params.slots_log2 = slots_log2;
    while (2 * sizeof(uint32_t) << params.slots_log2 > room)
        params.slots_log2--;
    return count_in<TABLE>(cuda, params, SIZE_MAX, 2 * sizeof(uint32_t) << params.slots_log2);
}

static cudaError_t count_bytes(parscan_cuda *cuda, const count_params &params)
{
    return launch_count(count_byte_elements, cuda, batches_of(params, BYTES_THREADS), BYTES_THREADS,
                        0, params);
}

cudaError_t parscan_histogram_launch(parscan_cuda *cuda, const histogram_on_device *made)
{
    count_params params = {*made, 0, 0, 0, false, false};
    params.pairs = !params.wide && (uintptr_t)params.counts % sizeof(uint64_t) == 0;
    if (params.n == 0)
        return params.adds ? cudaSuccess : clear(cuda, params);
    if (params.elements == HISTOGRAM_BYTES)
        return count_bytes(cuda, params);
    if (params.map.bins <= WORDS_TABLE)
        return count_in_words(cuda, params);
    int room = 0;
    const cudaError_t error =
        cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device);
    if (error != cudaSuccess)
        return error;
    const size_t table = room < (int)HALVES_MOST ? (size_t)room : HALVES_MOST;
    params.table_words = halves_table::words_of(params.map.bins);
    if (params.table_words * sizeof(uint32_t) <= table && params.n / HALVES_FROM >= params.map.bins)
        return count_in<halves_table>(
            cuda, params, useful_blocks(params, cuda->multiprocessors, HALVES_PICOSECONDS), table);
    return params.n <= FEW_ELEMENTS ? count_in_slots<cached_table<FEW_THREADS, FEW_BLOCKS>>(
                                          cuda, params, FEW_SLOTS_LOG2, (size_t)room)
                                    : count_in_slots<cached_table<CACHED_THREADS, CACHED_BLOCKS>>(
                                          cuda, params, CACHED_SLOTS_LOG2, (size_t)room);
}

cudaError_t parscan_histogram_narrow(parscan_cuda *cuda, const narrow_counts_params *params)
{
    const unsigned threads = 256;
    return launch_blocks(narrow_counts, cuda, (params->bins + threads - 1) / threads, threads, 0,
                         *params);
}
