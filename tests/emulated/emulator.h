/*
 * Kernels on the CPU, for tests of what a GPU does too seldom: each thread of a launch is a fiber, which
 * gives way to the others wherever it waits. Lanes of a warp are served in order, or threads in random
 * order, where a block or a warp may also fall behind for a while. Memory is sequentially consistent, so
 * races are found only where they change a result; racecheck looks for all.
 */
#ifndef PARSCAN_TESTS_EMULATOR_H
#define PARSCAN_TESTS_EMULATOR_H

#include <setjmp.h>
#include <stdint.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace emulator
{

/* What the lanes of a warp tell each other. The next exchange may start before all have read. */
struct warp {
    unsigned arrived = 0, turn = 0;
    uint64_t given[32], seen[2][32];
};

/* A barrier of warps: it completes when so many threads as they say have arrived. */
struct named_barrier {
    unsigned arrived = 0, turn = 0;
    unsigned votes[2] = {}; /* in turns with an even number, and an odd one */
};

/* An mbarrier, which also waits for bytes. */
struct counting_barrier {
    unsigned count = 0, pending = 0, phase = 0;
    int64_t bytes = 0;

    void complete_if_due()
    {
        if (pending > 0 || bytes != 0)
            return;
        phase ^= 1;
        pending = count;
    }
};

struct bulk_copy {
    void *to;
    const void *from;
    uint32_t bytes;
    void *barrier;
};

struct block {
    unsigned index, threads;
    std::vector<warp> warps;
    named_barrier all, named[16];
    std::map<const void *, counting_barrier> barriers;
    std::vector<bulk_copy> copies; /* that have started */
    /* By the file and line that declare it. */
    std::map<std::pair<std::string, unsigned>, std::vector<uint64_t>> variables;
    std::vector<unsigned char> memory;
    unsigned char *shared; /* of memory, aligned */
};

struct piece_copy {
    void *to;
    const void *from;
    unsigned bytes;
};

/* setjmp and longjmp change from one to another, which make no system call; swapcontext makes two. */
struct fiber {
    jmp_buf left_at;
    emulator::block *block;
    unsigned thread;
    std::vector<piece_copy> pieces; /* that have started */
    std::vector<size_t> committed;  /* the number of pieces when each group ended */
    bool done;
    const unsigned *awaited = nullptr; /* it waits while this is `seen` */
    unsigned seen;
    std::vector<char> stack;
};

/* The launch that runs. A process has one at a time. */
struct launch_state {
    fiber *current = nullptr;
    jmp_buf scheduler;
    std::deque<fiber> fibers; /* as many as the largest launch had, each with its stack */
    unsigned blocks = 0;
    bool in_order = false;
    std::function<void()> kernel;
    std::function<void()> meanwhile; /* what another kernel does to memory, at any time; or none */
    std::mt19937_64 random{1};
};
inline launch_state running;

inline void give_way()
{
    if (_setjmp(running.current->left_at) == 0)
        _longjmp(running.scheduler, 1);
}

/* Waits while the word is `seen`. The scheduler looks at it, so that a fiber that waits is not run. */
inline void wait_while(const unsigned &word, unsigned seen)
{
    if (word != seen)
        return;
    running.current->awaited = &word;
    running.current->seen = seen;
    give_way();
    running.current->awaited = nullptr;
}

inline bool waits(const fiber &f)
{
    return f.awaited != nullptr && *f.awaited == f.seen;
}

inline void resume(fiber &f)
{
    running.current = &f;
    if (_setjmp(running.scheduler) == 0)
        _longjmp(f.left_at, 1);
}

/* The test has failed. */
[[noreturn]] inline void fail(const char *words)
{
    printf("emulated: %s\n", words);
    exit(1);
}

/* What the lanes of this warp have given, when all have. */
inline const uint64_t *exchange(uint64_t given)
{
    warp &own = running.current->block->warps[running.current->thread / 32];
    const unsigned turn = own.turn;
    own.given[running.current->thread % 32] = given;
    if (++own.arrived == 32) {
        memcpy(own.seen[turn % 2], own.given, sizeof own.given);
        own.arrived = 0;
        own.turn++;
        if (running.in_order)
            give_way(); /* the last lane does not go on as the first */
    }
    wait_while(own.turn, turn);
    return own.seen[turn % 2];
}

inline void arrive(named_barrier &barrier, unsigned threads)
{
    if (++barrier.arrived < threads)
        return;
    barrier.arrived = 0;
    barrier.turn++;
    barrier.votes[barrier.turn % 2] = 0; /* all have read those of the turn before the last */
}

inline void arrive_and_wait(named_barrier &barrier, unsigned threads)
{
    const unsigned turn = barrier.turn;
    arrive(barrier, threads);
    if (running.in_order && barrier.turn != turn)
        give_way();
    wait_while(barrier.turn, turn);
}

/* The same; returns how many of the threads have voted for it. */
inline unsigned arrive_and_count(named_barrier &barrier, unsigned threads, bool vote)
{
    unsigned &votes = barrier.votes[barrier.turn % 2];
    votes += vote;
    arrive_and_wait(barrier, threads);
    return votes;
}

/* A thread of one launch after another. */
inline void run_fiber()
{
    for (;;) {
        give_way();
        running.kernel();
        running.current->done = true;
    }
}

inline void begin_block(block &b, unsigned index, unsigned threads, size_t shared_bytes)
{
    const uintptr_t ALIGNMENT = 128;
    b.index = index;
    b.threads = threads;
    b.warps.resize(threads / 32);
    b.memory.assign(shared_bytes + ALIGNMENT, 0xa5);
    const uintptr_t at = (uintptr_t)b.memory.data() + ALIGNMENT - 1;
    b.shared = (unsigned char *)(at / ALIGNMENT * ALIGNMENT);
}

inline void make_fiber(fiber &f)
{
    ucontext_t begin;
    f.stack.resize(16384);
    getcontext(&begin);
    begin.uc_stack.ss_sp = f.stack.data();
    begin.uc_stack.ss_size = f.stack.size();
    makecontext(&begin, run_fiber, 0);
    running.current = &f;
    if (_setjmp(running.scheduler) == 0)
        setcontext(&begin);
}

inline void begin_fiber(fiber &f, block &b, unsigned thread)
{
    f.block = &b;
    f.thread = thread;
    f.done = false;
}

/* Another order of the threads, near the last one. */
inline void shuffle_some(std::vector<unsigned> &order)
{
    const size_t first = running.random() % order.size();
    std::rotate(order.begin(), order.begin() + (ptrdiff_t)first, order.end());
    for (unsigned k = 0; k < 64; k++)
        std::swap(order[running.random() % order.size()], order[running.random() % order.size()]);
}

/* Warps fall behind: they do nothing until some later round. */
inline void send_some_to_sleep(std::vector<unsigned> &asleep_until, unsigned round)
{
    const unsigned SELDOM = 128, ROUNDS = 32;
    for (unsigned &until : asleep_until)
        if (until <= round && running.random() % SELDOM == 0)
            until = round + ROUNDS;
}

/* Copies come at any time after they have started, those of a block in order. */
inline void land_some_copies(block &b)
{
    if (b.copies.empty() || running.random() % 4 != 0)
        return;
    const bulk_copy copy = b.copies.front();
    b.copies.erase(b.copies.begin());
    memcpy(copy.to, copy.from, copy.bytes);
    counting_barrier &barrier = b.barriers.at(copy.barrier);
    barrier.bytes -= copy.bytes;
    barrier.complete_if_due();
}

inline void launch(unsigned blocks, unsigned threads, size_t shared_bytes, bool in_order,
                   std::function<void()> kernel)
{
    const unsigned MOST_ROUNDS = 40000, BLOCK_SLEEPS = 512;
    unsigned block_asleep = blocks;
    std::vector<unsigned> asleep_until(blocks * threads / 32, 0); /* for each warp */
    std::vector<block> grid(blocks);
    std::deque<fiber> &fibers = running.fibers;
    std::vector<unsigned> order(blocks * threads);
    running.blocks = blocks;
    running.in_order = in_order;
    running.kernel = kernel;
    for (unsigned b = 0; b < blocks; b++)
        begin_block(grid[b], b, threads, shared_bytes);
    while (fibers.size() < order.size()) {
        fibers.emplace_back();
        make_fiber(fibers.back());
    }
    for (unsigned k = 0; k < order.size(); k++)
        begin_fiber(fibers[k], grid[k / threads], k % threads);
    std::iota(order.begin(), order.end(), 0u);
    size_t left = order.size();
    for (unsigned round = 0; left > 0; round++) {
        if (round == MOST_ROUNDS)
            fail("a kernel does not end");
        if (!in_order && round % 3 == 0)
            shuffle_some(order);
        if (!in_order && round % BLOCK_SLEEPS == 0)
            block_asleep = (unsigned)(running.random() % (blocks + 1));
        if (!in_order)
            send_some_to_sleep(asleep_until, round);
        for (unsigned k : order) {
            fiber &f = fibers[k];
            if (f.done || waits(f) || f.block->index == block_asleep ||
                asleep_until[k / 32] > round)
                continue;
            if (running.meanwhile)
                running.meanwhile();
            resume(f);
            left -= f.done;
        }
        for (block &b : grid)
            land_some_copies(b);
    }
    for (const block &b : grid)
        if (!b.copies.empty())
            fail("a bulk copy was begun, and nobody waited for it");
}

} // namespace emulator

#endif
