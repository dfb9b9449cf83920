/*
 * What contestants write is compared with the reference, and they are timed: one call, graphs and chains of calls.
 */
#include "cuda_measure.h"

/* The least duration of a timing by events, whose resolution is half a microsecond; and of graphs, whose first
   launch takes the host some 10 us. */
#define LEAST_SECONDS 200e-6
#define LEAST_GRAPH_SECONDS 1e-3

enum way { DIRECT, GRAPH, CHAIN };

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

void make_references(group &g)
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

bool verify_contestant(group &g, contestant &c)
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

bool measure_contestants(group &g, unsigned log2n)
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
