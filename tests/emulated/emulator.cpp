/* What serves the fibers of an emulated launch (emulator.h). */
#include "tests/emulated/emulator.h"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdlib>
#include <deque>
#include <map>
#include <random>

namespace emulator
{

launch_state running;

/* What the lanes of a warp tell each other. The next exchange may start before all have read. */
struct warp {
    unsigned arrived = 0, turn = 0;
    uint64_t given[32], seen[2][32];
};

struct bulk_copy {
    void *to;
    const void *from;
    uint32_t bytes;
    void *barrier;
};

/* Its room is followed by words that nobody may write. */
struct block_variable {
    enum : size_t { GUARD = 1024 };
    static const uint64_t UNWRITTEN = 0xa5a5a5a5a5a5a5a5u;
    const char *file;
    unsigned line;
    std::vector<uint64_t> room;

    bool is_intact() const
    {
        return std::all_of(room.end() - GUARD, room.end(),
                           [](uint64_t word) { return word == UNWRITTEN; });
    }
};

struct whole_block : block {
    std::vector<warp> warps;
    std::map<const void *, counting_barrier> barriers;
    std::vector<bulk_copy> copies; /* that have started */
    std::vector<block_variable> variables;
    std::vector<unsigned char> memory; /* has `shared` */
};

/* What the scheduler asks of a fiber in each round. */
struct fiber_state {
    const unsigned *awaited; /* it waits while this is `seen` */
    unsigned seen, block;
    bool done;
};

/* setjmp and longjmp change from one to another, which make no system call; swapcontext makes two. */
struct whole_fiber : fiber {
    jmp_buf left_at;
    fiber_state *state;
    std::vector<char> stack;
};

static jmp_buf scheduler;
static std::deque<whole_fiber> fibers; /* as many as the largest launch had, each with its stack */
static task current_kernel;
/* PARSCAN_TEST_SEED gives other ones. */
static std::mt19937_64 numbers{[] {
    const char *const seed = std::getenv("PARSCAN_TEST_SEED");
    return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}()};

static whole_fiber &current_fiber()
{
    return *static_cast<whole_fiber *>(running.current);
}

static whole_block &current_block()
{
    return *static_cast<whole_block *>(running.current->block);
}

uint64_t random_numbers::operator()()
{
    return numbers();
}

void give_way()
{
    if (_setjmp(current_fiber().left_at) == 0)
        _longjmp(scheduler, 1);
}

void wait_while(const unsigned &word, unsigned seen)
{
    if (word != seen)
        return;
    fiber_state &state = *current_fiber().state;
    state.awaited = &word;
    state.seen = seen;
    give_way();
    state.awaited = nullptr;
}

static bool waits(const fiber_state &f)
{
    return f.awaited != nullptr && *f.awaited == f.seen;
}

static void resume(whole_fiber &f)
{
    running.current = &f;
    if (_setjmp(scheduler) == 0)
        _longjmp(f.left_at, 1);
}

void fail(const char *words)
{
    printf("emulated: %s\n", words);
    exit(1);
}

const uint64_t *exchange(uint64_t given)
{
    warp &own = current_block().warps[running.current->thread / 32];
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

void arrive(named_barrier &barrier, unsigned threads)
{
    if (++barrier.arrived < threads)
        return;
    barrier.arrived = 0;
    barrier.turn++;
    barrier.votes[barrier.turn % 2] = 0; /* all have read those of the turn before the last */
}

void arrive_and_wait(named_barrier &barrier, unsigned threads)
{
    const unsigned turn = barrier.turn;
    arrive(barrier, threads);
    if (running.in_order && barrier.turn != turn)
        give_way();
    wait_while(barrier.turn, turn);
}

unsigned arrive_and_count(named_barrier &barrier, unsigned threads, bool vote)
{
    unsigned &votes = barrier.votes[barrier.turn % 2];
    votes += vote;
    arrive_and_wait(barrier, threads);
    return votes;
}

uint64_t *variable(const char *file, unsigned line, size_t words)
{
    std::vector<block_variable> &variables = current_block().variables;
    for (block_variable &v : variables)
        if (v.line == line && strcmp(v.file, file) == 0)
            return v.room.data();
    variables.push_back(
        {file, line,
         std::vector<uint64_t>(words + block_variable::GUARD, +block_variable::UNWRITTEN)});
    return variables.back().room.data();
}

void make_barrier(const void *barrier, unsigned count)
{
    counting_barrier made;
    made.count = made.pending = count;
    current_block().barriers[barrier] = made;
}

counting_barrier &barrier_at(const void *barrier)
{
    return current_block().barriers.at(barrier);
}

void begin_copy(void *to, const void *from, uint32_t bytes, void *barrier)
{
    current_block().copies.push_back({to, from, bytes, barrier});
}

/* A thread of one launch after another. */
static void run_fiber()
{
    for (;;) {
        give_way();
        current_kernel.call(current_kernel.state);
        current_fiber().state->done = true;
    }
}

static void begin_block(whole_block &b, unsigned index, unsigned threads, size_t shared_bytes)
{
    const uintptr_t ALIGNMENT = 128;
    b.index = index;
    b.threads = threads;
    b.warps.resize(threads / 32);
    b.memory.assign(shared_bytes + ALIGNMENT, 0xa5);
    const uintptr_t at = (uintptr_t)b.memory.data() + ALIGNMENT - 1;
    b.shared = (unsigned char *)(at / ALIGNMENT * ALIGNMENT);
}

static void make_fiber(whole_fiber &f)
{
    ucontext_t begin;
    f.stack.resize(16384);
    getcontext(&begin);
    begin.uc_stack.ss_sp = f.stack.data();
    begin.uc_stack.ss_size = f.stack.size();
    makecontext(&begin, run_fiber, 0);
    running.current = &f;
    if (_setjmp(scheduler) == 0)
        setcontext(&begin);
}

static void begin_fiber(whole_fiber &f, fiber_state &state, block &b, unsigned thread)
{
    f.block = &b;
    f.thread = thread;
    f.state = &state;
    state = {nullptr, 0, b.index, false};
}

/* Another order of the threads, near the last one. */
static void shuffle_some(std::vector<unsigned> &order)
{
    const size_t first = numbers() % order.size();
    std::rotate(order.begin(), order.begin() + (ptrdiff_t)first, order.end());
    for (unsigned k = 0; k < 64; k++)
        std::swap(order[numbers() % order.size()], order[numbers() % order.size()]);
}

/* Warps fall behind: they do nothing until some later round. */
static void send_some_to_sleep(std::vector<unsigned> &asleep_until, unsigned round, unsigned seldom)
{
    const unsigned ROUNDS = 32;
    for (unsigned &until : asleep_until)
        if (until <= round && numbers() % seldom == 0)
            until = round + ROUNDS;
}

/* Copies come at any time after they have started, those of a block in order. */
static void land_some_copies(whole_block &b)
{
    if (b.copies.empty() || numbers() % 4 != 0)
        return;
    const bulk_copy copy = b.copies.front();
    b.copies.erase(b.copies.begin());
    memcpy(copy.to, copy.from, copy.bytes);
    counting_barrier &barrier = b.barriers.at(copy.barrier);
    barrier.bytes -= copy.bytes;
    barrier.complete_if_due();
}

void launch(unsigned blocks, unsigned threads, size_t shared_bytes, bool in_order, task kernel)
{
    /* A short kernel needs many sleepers, or all of its warps come to each place in the same round. */
    const unsigned seldom = !in_order && numbers() % 8 == 0 ? 8 : 128;
    const unsigned MOST_ROUNDS = 40000 * (128 / seldom), BLOCK_SLEEPS = 512;
    unsigned block_asleep = blocks;
    std::vector<unsigned> asleep_until(blocks * threads / 32, 0); /* for each warp */
    std::vector<whole_block> grid(blocks);
    std::vector<fiber_state> states(blocks * threads);
    std::vector<unsigned> order(blocks * threads);
    running.blocks = blocks;
    running.in_order = in_order;
    current_kernel = kernel;
    for (unsigned b = 0; b < blocks; b++)
        begin_block(grid[b], b, threads, shared_bytes);
    while (fibers.size() < order.size()) {
        fibers.emplace_back();
        make_fiber(fibers.back());
    }
    for (unsigned k = 0; k < order.size(); k++)
        begin_fiber(fibers[k], states[k], grid[k / threads], k % threads);
    std::iota(order.begin(), order.end(), 0u);
    size_t left = order.size();
    for (unsigned round = 0; left > 0; round++) {
        if (round == MOST_ROUNDS)
            fail("a kernel does not end");
        if (!in_order && round % 3 == 0)
            shuffle_some(order);
        if (!in_order && round % BLOCK_SLEEPS == 0)
            block_asleep = (unsigned)(numbers() % (blocks + 1));
        if (!in_order)
            send_some_to_sleep(asleep_until, round, seldom);
        for (unsigned k : order) {
            const fiber_state &f = states[k];
            if (f.done || waits(f) || f.block == block_asleep || asleep_until[k / 32] > round)
                continue;
            if (running.meanwhile.call != nullptr)
                running.meanwhile.call(running.meanwhile.state);
            resume(fibers[k]);
            left -= f.done;
        }
        for (whole_block &b : grid)
            land_some_copies(b);
    }
    for (const whole_block &b : grid)
        for (const block_variable &v : b.variables)
            if (!v.is_intact())
                fail("a shared variable was written past its end");
    for (const whole_block &b : grid)
        if (!b.copies.empty())
            fail("a bulk copy was begun, and nobody waited for it");
}

} // namespace emulator
