/*
 * What a group and its contestants are made of: arrays, the copy, CUB, calls of parscan.
 */
#include <new>

#include "cuda_bench.h"

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
