/*
 * Kernels on the CPU, for tests of what a GPU does too seldom: each thread of a launch is a fiber, which
 * gives way to the others wherever it waits. Lanes of a warp are served in order, or threads in random
 * order, where a block or a warp may also fall behind for a while. Memory is sequentially consistent, so
 * races are found only where they change a result; racecheck looks for all.
 *
 * Each test is compiled anew with copies of the kernels, so what serves the fibers is in emulator.cpp, optimised, and
 * this header includes little.
 */
#ifndef PARSCAN_TESTS_EMULATOR_H
#define PARSCAN_TESTS_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace emulator
{

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

struct block {
    unsigned index, threads;
    named_barrier all, named[16];
    unsigned char *shared; /* aligned */
};

struct piece_copy {
    void *to;
    const void *from;
    unsigned bytes;
};

struct fiber {
    emulator::block *block;
    unsigned thread;
    std::vector<piece_copy> pieces; /* that have started */
    std::vector<size_t> committed;  /* the number of pieces when each group ended */
};

/* A function without arguments that lives elsewhere, or none. */
struct task {
    void (*call)(const void *) = nullptr;
    const void *state = nullptr;

    task(std::nullptr_t = nullptr) {}
    template <typename Function>
    task(const Function &function)
        : call([](const void *state) { (*(const Function *)state)(); }), state(&function)
    {
    }
};

/* The same numbers in each run, unless PARSCAN_TEST_SEED says where they begin. */
struct random_numbers {
    typedef uint64_t result_type;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return UINT64_MAX; }
    result_type operator()();
};

/* The launch that runs. A process has one at a time. */
struct launch_state {
    fiber *current = nullptr;
    unsigned blocks = 0;
    bool in_order = false;
    task meanwhile; /* what another kernel does to memory, at any time; or none */
    random_numbers random;
};
extern launch_state running;

void give_way();

/* Waits while the word is `seen`. The scheduler looks at it, so that a fiber that waits is not run. */
void wait_while(const unsigned &word, unsigned seen);

/* The test has failed. */
[[noreturn]] void fail(const char *words);

/* What the lanes of this warp have given, when all have. */
const uint64_t *exchange(uint64_t given);

void arrive(named_barrier &barrier, unsigned threads);
void arrive_and_wait(named_barrier &barrier, unsigned threads);
/* The same; returns how many of the threads have voted for it. */
unsigned arrive_and_count(named_barrier &barrier, unsigned threads, bool vote);

/* Of the current block: its variable that is declared in this line; its mbarrier, which is new or was made; a bulk copy
   that completes at one. */
uint64_t *variable(const char *file, unsigned line, size_t words);
void make_barrier(const void *barrier, unsigned count);
counting_barrier &barrier_at(const void *barrier);
void begin_copy(void *to, const void *from, uint32_t bytes, void *barrier);

void launch(unsigned blocks, unsigned threads, size_t shared_bytes, bool in_order, task kernel);

} // namespace emulator

#endif
