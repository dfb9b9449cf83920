/* Stands for scan/cuda/pipeline.cuh in the emulator: the same functions. */
#ifndef PARSCAN_SCAN_PIPELINE_CUH
#define PARSCAN_SCAN_PIPELINE_CUH

#include "tests/emulated/emulator.h"

static inline emulator::block &own_block()
{
    return *emulator::running.current->block;
}

/* The shared variable of the block that is declared in this line. */
template <typename T>
static inline T &own_variable(const char *file, unsigned line)
{
    return *(T *)emulator::variable(file, line, sizeof(T) / 8 + 1);
}

static inline void barrier_init(uint64_t *barrier, unsigned arrivals)
{
    emulator::make_barrier(barrier, arrivals);
}

static inline void barrier_arrive_expecting(uint64_t *barrier, uint32_t bytes)
{
    emulator::counting_barrier &b = emulator::barrier_at(barrier);
    if (b.pending == 0)
        emulator::fail("more arrivals at an mbarrier than it has");
    b.bytes += bytes;
    b.pending--;
    b.complete_if_due();
}

static inline void barrier_arrive(uint64_t *barrier)
{
    barrier_arrive_expecting(barrier, 0);
}

static inline void barrier_wait(uint64_t *barrier, unsigned parity)
{
    emulator::wait_while(emulator::barrier_at(barrier).phase, parity);
}

static inline void barriers_are_initialised() {}

template <unsigned WARPS>
static inline void warps_sync(unsigned id)
{
    emulator::arrive_and_wait(own_block().named[id], WARPS * 32);
}

static inline void fence_async_proxy() {}

static inline void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    if ((uintptr_t)to % 16 != 0 || (uintptr_t)from % 16 != 0 || bytes % 16 != 0)
        emulator::fail("a bulk copy is not of whole, aligned pieces of 16 bytes");
    emulator::begin_copy(to, from, bytes, barrier);
}

/* Copies land as late as they may. */
static inline void copy_piece(void *to, const void *from)
{
    if ((uintptr_t)to % 16 != 0 || (uintptr_t)from % 16 != 0)
        emulator::fail("a copy is not of a whole, aligned piece of 16 bytes");
    emulator::running.current->pieces.push_back({to, from, 16});
}

static inline void pieces_wait()
{
    std::vector<emulator::piece_copy> &pieces = emulator::running.current->pieces;
    for (const emulator::piece_copy &piece : pieces)
        memcpy(piece.to, piece.from, piece.bytes);
    pieces.clear();
    emulator::running.current->committed.clear();
}

static inline void pieces_commit()
{
    emulator::running.current->committed.push_back(emulator::running.current->pieces.size());
}

template <unsigned LATER>
static inline void pieces_wait_but()
{
    std::vector<emulator::piece_copy> &pieces = emulator::running.current->pieces;
    std::vector<size_t> &ends = emulator::running.current->committed;
    const size_t groups = ends.size() > LATER ? ends.size() - LATER : 0;
    const size_t landed = groups > 0 ? ends[groups - 1] : 0;
    for (size_t i = 0; i < landed; i++)
        memcpy(pieces[i].to, pieces[i].from, pieces[i].bytes);
    pieces.erase(pieces.begin(), pieces.begin() + (ptrdiff_t)landed);
    ends.erase(ends.begin(), ends.begin() + (ptrdiff_t)groups);
    for (size_t &end : ends)
        end -= landed;
}

template <unsigned BYTES>
static inline void copy_unit(void *to, const void *from)
{
    if ((uintptr_t)to % BYTES != 0 || (uintptr_t)from % BYTES != 0)
        emulator::fail("a copy is not aligned to its size");
    emulator::running.current->pieces.push_back({to, from, BYTES});
}

static inline void copies_arrive(uint64_t *barrier)
{
    pieces_wait();
    barrier_arrive(barrier);
}

static inline void prefetch_bulk(const void *, uint32_t bytes)
{
    if (bytes % 16 != 0)
        emulator::fail("a bulk prefetch is not of whole pieces of 16 bytes");
}

static inline void prefetch_line(const void *address)
{
    (void)*(const volatile char *)address; /* it must be there */
}

static inline void group_init(unsigned, unsigned) {}

static inline void group_arrive(unsigned id, unsigned threads)
{
    emulator::arrive(own_block().named[id], threads);
}

static inline void group_sync(unsigned id, unsigned threads)
{
    emulator::arrive_and_wait(own_block().named[id], threads);
}

/* The words of a tile's status, if they are wanted. */
template <typename Words>
static inline void load_if_wanted(const uint64_t *from, bool wanted, Words &words)
{
    emulator::give_way();
    for (unsigned k = 0; wanted && k < sizeof words / sizeof words[0]; k++)
        words[k] = from[k];
}

template <typename T>
static inline void store_alike(T *to, T value)
{
    *(volatile T *)to = value;
}

static inline void add_if(bool which, uint32_t *to, uint32_t value)
{
    if (which)
        atomicAdd(to, value);
}

static inline uint32_t opaque(uint32_t value)
{
    return value;
}
static inline uint64_t opaque(uint64_t value)
{
    return value;
}

static inline uint32_t lanes_that_agree(uint32_t value, uint32_t bit, uint32_t among)
{
    const bool set = (value & bit) != 0;
    const uint32_t votes = __ballot_sync(~0u, set);
    return among & (set ? votes : ~votes);
}

static inline void wait_for_previous_kernel() {}

static inline void allow_next_kernel() {}

#endif
