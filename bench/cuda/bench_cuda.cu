/*
 * bench_cuda: every primitive on the GPU, compared with CUB and with the device's own copy, with uniform and skewed
 * inputs. How it measures is told in cuda_bench.h; the rows are in cuda_*_rows.cu. The bytes are those that
 * the work must move: for a sort one read of the keys, and one read and one write of everything for every
 * byte of a key.
 */
#include <new>
#include <set>

#include "cuda_bench.h"

/* The least duration of a timing by events, whose resolution is half a microsecond; and of graphs, whose first
   launch takes the host some 10 us. */
#define LEAST_SECONDS 200e-6
#define LEAST_GRAPH_SECONDS 1e-3

#define WRONG_RESULT "wrong result"

/* No multiple of anything, and fast to verify. */
enum { VERIFIED_N = 100003 };

enum way { DIRECT, GRAPH, CHAIN };

void *bench::bytes(const std::string &name, size_t size)
{
    buffer &b = arrays[name];
    if (b.bytes < size) {
        MUST(cudaFree(b.data));
        b = {};
        const cudaError_t error = cudaMalloc(&b.data, size);
        if (error == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw std::bad_alloc();
        }
        MUST(error);
        b.bytes = size;
    }
    return b.data;
}

void bench::attempt(parscan_status status)
{
    if (status != PARSCAN_OK && failure.empty())
        failure =
            std::string(parscan_status_string(status)) + ": " + parscan_context_error(context);
}

void bench::attempt(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    cudaGetLastError(); /* so that no later call finds it */
    if (failure.empty())
        failure = cudaGetErrorString(error);
}

void *group::read(size_t bytes)
{
    void *const array = b.bytes("in", bytes);
    in = array;
    return array;
}

void *group::writes(const std::string &name, size_t bytes)
{
    void *const array = b.bytes(name, bytes);
    outputs.push_back({array, b.bytes(name + "'", bytes), bytes});
    return array;
}

void *group::write(size_t bytes)
{
    return out = writes("out", bytes);
}

void group::chain(bool exact)
{
    const size_t bytes = outputs[0].bytes;
    if (n >> GRAPH_LOG2N > 0)
        return;
    chained = {b.bytes("chain", bytes), b.bytes("chain'", bytes), bytes};
    exact_chain = exact;
}

void group::copy(void *to, const void *from, size_t bytes)
{
    bench &owner = b;
    all.push_back({"copy",
                   [&owner, to, from, bytes](const void *, void *) {
                       owner.attempt(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                                     owner.stream));
                   },
                   2.0 * (double)bytes, BENCH_COPY, false, ""});
}

static void add_peer(group &g, const cub_peer &peer, cub_work work, double bytes, cub_call call,
                     bool checked, const char *name)
{
    bench &b = g.b;
    const auto function = peer.calls[work];
    size_t needed = 0;
    call.stream = b.stream;
    call.n = call.n != 0 ? call.n : g.n;
    const bool takes_in = call.in == NULL, takes_out = call.out == NULL;
    if (takes_in)
        call.in = g.in;
    if (takes_out)
        call.out = g.out;
    if (function(NULL, needed, call) == cudaErrorNotSupported)
        return;
    b.bytes("cub-work", std::max<size_t>(needed, 1));
    const buffer *const work_memory = &b.arrays["cub-work"]; /* another call may let it grow */
    g.all.push_back({std::string(peer.name) + (name != NULL ? name : ""),
                     [=, &b](const void *in, void *out) {
                         cub_call now = call;
                         size_t room = work_memory->bytes;
                         now.in = takes_in ? in : call.in;
                         now.out = takes_out ? out : call.out;
                         b.attempt(function(work_memory->data, room, now));
                     },
                     bytes, BENCH_PEER, checked, ""});
}

void group::cub(cub_work work, double bytes, cub_call call, bool checked, const char *name)
{
    add_peer(*this, peer_cub, work, bytes, call, checked, name);
#ifdef BENCH_HAVE_CUB_MAIN
    add_peer(*this, peer_cub_main, work, bytes, call, checked, name);
#endif
}

/* The same call with its length in device memory: n, or a 16th of it in arrays of n. */
static contestant with_length(const group &g, const contestant &c, size_t n)
{
    bench &b = g.b;
    contestant added = c;
    uint64_t *const length = b.array<uint64_t>("length of " + std::to_string(n), 1);
    const uint64_t value = n;
    MUST(cudaMemcpy(length, &value, sizeof value, cudaMemcpyHostToDevice));
    added.name += n == g.n ? " length" : " 16th";
    added.checked = n == g.n;
    added.bytes = c.bytes * (double)n / (double)g.n;
    added.run = [&b, c, length](const void *in, void *out) {
        const parscan_lengths lengths = PARSCAN_LENGTHS(.n = length);
        b.attempt(parscan_set_lengths(b.context, &lengths));
        c.run(in, out);
    };
    return added;
}

void group::parscan(const char *name, double bytes,
                    std::function<parscan_status(const void *in, void *out)> call)
{
    bench &owner = b;
    const contestant c = {
        name,  [&owner, call](const void *in, void *out) { owner.attempt(call(in, out)); },
        bytes, BENCH_PARSCAN,
        true,  ""};
    all.push_back(c);
    if (!b.options.lengths)
        return;
    all.push_back(with_length(*this, c, n));
    all.push_back(with_length(*this, c, n / 16));
}

static bool same(const bench &b, const output &o)
{
    const uint8_t *const out = (const uint8_t *)o.out, *const wanted = (const uint8_t *)o.reference;
    unsigned *const differ = b.differ;
    MUST(cudaMemsetAsync(differ, 0, sizeof *differ, b.stream));
    on_device(b, o.bytes, [=] __device__(size_t i) {
        if (out[i] != wanted[i])
            *differ = 1;
    });
    return fetched(b, b.differ) == 0;
}

/* Overwrites the outputs with the same bytes for every contestant, so that whole arrays can be
   compared. */
static void spoil(const group &g)
{
    for (const output &o : g.outputs)
        MUST(cudaMemsetAsync(o.out, 0xa5, o.bytes, g.b.stream));
    if (g.chained.out != NULL)
        MUST(cudaMemsetAsync(g.chained.out, 0xa5, g.chained.bytes, g.b.stream));
}

static void keep(const group &g, const output &o)
{
    MUST(cudaMemcpyAsync(o.reference, o.out, o.bytes, cudaMemcpyDeviceToDevice, g.b.stream));
}

/* Its last output is the array of the chain. */
static void run_chain(const group &g, const contestant &c)
{
    const void *from = g.in;
    for (int k = 0; k < CALLS_OF_A_GRAPH; k++) {
        void *const to = k % 2 == 0 ? g.out : g.chained.out;
        c.run(from, to);
        from = to;
    }
}

static void run_in(const group &g, const contestant &c, way how)
{
    if (how == CHAIN)
        run_chain(g, c);
    else
        for (int k = 0; k < (how == GRAPH ? CALLS_OF_A_GRAPH : 1); k++)
            c.run(g.in, g.out);
}

/* The references of the outputs and of the chain. If they fail, nothing is compared, and the program will fail. */
static void make_references(group &g)
{
    const auto peer = std::find_if(g.all.begin(), g.all.end(),
                                   [](const contestant &c) { return c.role == BENCH_PEER; });
    g.has_reference &= g.reference || peer != g.all.end();
    if (!g.has_reference)
        return;
    g.b.failure.clear();
    spoil(g);
    if (g.reference)
        g.reference();
    else
        peer->run(g.in, g.out);
    for (const output &o : g.outputs)
        keep(g, o);
    g.exact_chain &= g.chained.out != NULL && peer != g.all.end();
    if (g.exact_chain) {
        run_chain(g, *peer);
        keep(g, g.chained);
    }
    MUST(cudaStreamSynchronize(g.b.stream));
    if (!g.b.failure.empty()) {
        fprintf(stderr, "bench_cuda: %s/%s/%s: the reference: %s\n", g.work.c_str(), g.type.c_str(),
                g.input.c_str(), g.b.failure.c_str());
        g.has_reference = g.exact_chain = g.b.right = false;
    }
}

/* What the outputs of a contestant show after a run. */
static std::string failure_of(const group &g, const contestant &c, way how)
{
    bench &b = g.b;
    b.attempt(parscan_synchronize(b.context));
    MUST(cudaStreamSynchronize(b.stream));
    bool right = true;
    if (how == CHAIN)
        right = !g.exact_chain || same(b, g.chained);
    else if (c.checked && g.has_reference)
        for (const output &o : g.outputs)
            right &= same(b, o);
    return !b.failure.empty() ? b.failure : right ? "" : WRONG_RESULT;
}

/* Runs a contestant once. An error, or a result that differs from the reference, becomes its
   failure. */
static bool verify_contestant(group &g, contestant &c)
{
    if (!c.failure.empty())
        return false;
    g.b.failure.clear();
    spoil(g);
    c.run(g.in, g.out);
    c.failure = failure_of(g, c, DIRECT);
    return c.failure.empty();
}

/* A contestant, in one of the ways, as the context of a bench_case. */
struct turn {
    group &g;
    contestant &c;
    way how;
    cudaGraphExec_t graph;
    std::string failure;
};

static void run_turn(void *context)
{
    const turn &t = *(turn *)context;
    if (t.graph != NULL)
        t.g.b.attempt(cudaGraphLaunch(t.graph, t.g.b.stream));
    else
        run_in(t.g, t.c, t.how);
}

static void capture(turn &t)
{
    bench &b = t.g.b;
    cudaGraph_t graph = NULL;
    MUST(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeRelaxed));
    run_in(t.g, t.c, t.how);
    b.attempt(cudaStreamEndCapture(b.stream, &graph));
    if (b.failure.empty())
        b.attempt(cudaGraphInstantiate(&t.graph, graph, 0));
    if (graph != NULL)
        MUST(cudaGraphDestroy(graph));
}

/* The call by itself comes first, which makes the scratch memory that a capture needs. */
static bool verify_turn(void *context)
{
    turn &t = *(turn *)context;
    bench &b = t.g.b;
    if (verify_contestant(t.g, t.c) && t.how != DIRECT) {
        b.failure.clear();
        spoil(t.g);
        capture(t);
        if (t.graph != NULL)
            run_turn(&t);
        t.failure = failure_of(t.g, t.c, t.how);
    }
    if (!t.c.failure.empty())
        t.failure = t.c.failure;
    return t.failure.empty();
}

static double time_turn(void *context, size_t runs)
{
    turn &t = *(turn *)context;
    bench &b = t.g.b;
    b.failure.clear();
    MUST(cudaEventRecord(b.begin, b.stream));
    for (size_t k = 0; k < runs; k++)
        run_turn(&t);
    MUST(cudaEventRecord(b.end, b.stream));
    MUST(cudaEventSynchronize(b.end));
    float ms;
    MUST(cudaEventElapsedTime(&ms, b.begin, b.end));
    t.failure = b.failure;
    return t.failure.empty() ? ms * 1e-3 : 0;
}

static const char *failure_of_turn(void *context)
{
    const turn &t = *(turn *)context;
    return t.failure.empty() || t.failure == WRONG_RESULT ? NULL : t.failure.c_str();
}

static void sweep_device(void *context)
{
    const bench &b = *(bench *)context;
    MUST(cudaMemsetAsync(b.swept.data, 0, b.swept.bytes, b.stream));
}

static void add_turn(bench_group *cases, std::vector<turn> &turns, group &g, contestant &c, way how)
{
    static const char *const words[] = {"direct", "graph", "chain"};
    turns.push_back({g, c, how, NULL, ""});
    bench_add(cases, {.name = c.name.c_str(),
                      .run = run_turn,
                      .verify = verify_turn,
                      .context = &turns.back(),
                      .bytes = c.bytes,
                      .role = c.role,
                      .way = words[how],
                      .calls = how == DIRECT ? 1u : CALLS_OF_A_GRAPH,
                      .time = time_turn,
                      .failure = failure_of_turn});
}

/* Verifies and times the contestants, and writes their rows. Returns false if a result was
   wrong. */
static bool measure(group &g, unsigned log2n)
{
    bench_options &options = g.b.options;
    const bool graphs = log2n < GRAPH_LOG2N && !options.stream && !options.cold && !g.in_stream;
    bench_group *const cases =
        bench_new_group(&options, g.work.c_str(), g.type.c_str(), g.input.c_str(), log2n, 0);
    std::vector<turn> turns;
    turns.reserve(2 * g.all.size()); /* the cases keep pointers to its elements */
    for (contestant &c : g.all) {
        add_turn(cases, turns, g, c, graphs ? GRAPH : DIRECT);
        if (graphs && g.chained.out != NULL && c.role != BENCH_COPY)
            add_turn(cases, turns, g, c, CHAIN);
    }
    cases->sweep = sweep_device;
    cases->cold_context = &g.b;
    cases->least_seconds = graphs ? LEAST_GRAPH_SECONDS : LEAST_SECONDS;
    const bool right = bench_measure(cases);
    free(cases);
    for (const turn &t : turns)
        if (t.graph != NULL)
            MUST(cudaGraphExecDestroy(t.graph));
    return right;
}

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
        b.right &= measure(g, log2n);
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
    parscan_context_destroy(b.context);
    return bench_finish(&b.options, b.right);
}
