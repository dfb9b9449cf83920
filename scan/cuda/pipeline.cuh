/*
 * How the warps of a block synchronise and load shared memory in a single-pass kernel: mbarriers
 * and bulk copies (compute capability 9.0), named barriers, and 16-byte asynchronous copies.
 */
#ifndef PARSCAN_SCAN_PIPELINE_CUH
#define PARSCAN_SCAN_PIPELINE_CUH

#include <stdint.h>
#include <string.h>

static __device__ __forceinline__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void barrier_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals));
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ __forceinline__ void barrier_arrive_expecting(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* WARPS warps of a block wait for each other. All use the same id, 1 to 15. */
template <unsigned WARPS>
static __device__ __forceinline__ void warps_sync(unsigned id)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(WARPS * 32) : "memory");
}

/* Copies `bytes` bytes to shared memory; the barrier counts them. Addresses and bytes must be
   multiples of 16. */
static __device__ __forceinline__ void bulk_load(void *to, const void *from, uint32_t bytes,
                                                 uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}

/* Brings `bytes` bytes, a multiple of 16, into the L2 cache, from the multiple of 16 at or before
   `from` on. Nothing before compute capability 9.0. */
static __device__ __forceinline__ void prefetch_bulk(const void *from, uint32_t bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"((uintptr_t)from & ~(uintptr_t)15),
        "r"(bytes)
        : "memory");
#endif
}

/* Brings the line of an address into the L2 cache. */
static __device__ __forceinline__ void prefetch_line(const void *address)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/* Orders earlier ordinary stores to shared memory before later bulk copies. */
static __device__ __forceinline__ void fence_async_proxy()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Makes initialised mbarriers visible to bulk copies. By the thread that has initialised them. */
static __device__ __forceinline__ void barriers_are_initialised()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    fence_async_proxy();
}

/* A lane copies 16 aligned bytes to shared memory. From compute capability 8.0 on the copy is
   asynchronous and bypasses the registers. pieces_wait() waits for all copies of the lane. */
static __device__ __forceinline__ void copy_piece(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#else
    *(uint4 *)to = __ldcs((const uint4 *)from);
#endif
}

/* A lane copies BYTES aligned bytes, 4, 8 or 16, asynchronously from compute capability 8.0 on. Less is
   copied at once. */
template <unsigned BYTES>
static __device__ __forceinline__ void copy_unit(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (BYTES >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)),
                     "l"(from), "n"(BYTES)
                     : "memory");
        return;
    }
#endif
    memcpy(__builtin_assume_aligned(to, BYTES), __builtin_assume_aligned(from, BYTES), BYTES);
}

/* Arrives at an mbarrier when all earlier copy_unit() and copy_piece() of the lane have landed. */
static __device__ __forceinline__ void copies_arrive(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier))
                 : "memory");
#endif
}

/* Ends a group of copies of the lane. */
static __device__ __forceinline__ void pieces_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for all groups but the LATER last ones. */
template <unsigned LATER>
static __device__ __forceinline__ void pieces_wait_but()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}

static __device__ __forceinline__ void pieces_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/*
 * Barriers between groups of a block's warps, 1 <= id < GROUP_BARRIERS. A barrier completes when
 * `threads` threads (whole warps) have reached it. group_sync() waits for all of them,
 * group_arrive() does not wait. One thread calls group_init() for each barrier, before a
 * __syncthreads().
 *
 * They are named barriers, which all architectures have. The racecheck tool of compute-sanitizer
 * does not follow a named barrier that warps reach at different places of the code. It reports
 * hazards where there are none. So a build that defines PARSCAN_RACECHECK (preset racecheck) uses
 * mbarriers instead, which the tool follows. Every thread arrives and waits exactly where it does
 * with named barriers.
 */
#define GROUP_BARRIERS 8u

#ifdef PARSCAN_RACECHECK

static __device__ __forceinline__ uint64_t *group_barrier(unsigned id)
{
    __shared__ uint64_t barriers[GROUP_BARRIERS];
    return barriers + id;
}

static __device__ __forceinline__ void group_init(unsigned id, unsigned threads)
{
    barrier_init(group_barrier(id), threads);
}

static __device__ __forceinline__ void group_arrive(unsigned id, unsigned)
{
    barrier_arrive(group_barrier(id));
}

static __device__ __forceinline__ void group_sync(unsigned id, unsigned)
{
    asm volatile("{\n"
                 ".reg .b64 phase;\n"
                 ".reg .pred done;\n"
                 "mbarrier.arrive.shared.b64 phase, [%0];\n"
                 "again: mbarrier.try_wait.shared.b64 done, [%0], phase;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(group_barrier(id)))
                 : "memory");
}

#else

static __device__ __forceinline__ void group_init(unsigned, unsigned) {}

static __device__ __forceinline__ void group_arrive(unsigned id, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

static __device__ __forceinline__ void group_sync(unsigned id, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

#endif

/* Several threads may store the same value to the same address at once, and no other value. */
template <typename T>
static __device__ __forceinline__ void store_alike(T *to, T value)
{
    *(volatile T *)to = value;
}

/* Adds to a word of shared memory, in lanes where `which` is true. Nothing else depends on that: of an if the
   compiler would compute address and value in those lanes only, which takes twice the instructions. */
static __device__ __forceinline__ void add_if(bool which, uint32_t *to, uint32_t value)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p red.shared.add.u32 [%1], %2;}" ::"r"(
                     (uint32_t)which),
                 "r"(shared_address(to)), "r"(value)
                 : "memory");
}

/* Returns the same value, but the compiler knows nothing about it. So it computes again what
   depends on the value, and does not keep it in registers. */
static __device__ __forceinline__ uint32_t opaque(uint32_t value)
{
    asm volatile("" : "+r"(value));
    return value;
}
static __device__ __forceinline__ uint64_t opaque(uint64_t value)
{
    asm volatile("" : "+l"(value));
    return value;
}

/* The lanes of `among` whose values agree with this lane's value in one bit; `bit` is its mask. All
   lanes of the warp call it. It takes four instructions; with __ballot_sync() the compiler needs
   seven. */
static __device__ __forceinline__ uint32_t lanes_that_agree(uint32_t value, uint32_t bit,
                                                            uint32_t among)
{
    uint32_t votes, unset;
    asm volatile("{.reg .pred p; .reg .u32 t; and.b32 t, %2, %3; setp.ne.u32 p, t, 0; "
                 "vote.sync.ballot.b32 %0, p, 0xffffffff; selp.b32 %1, 0, -1, p;}"
                 : "=r"(votes), "=r"(unset)
                 : "r"(value), "r"(bit));
    return among & (votes ^ unset);
}

/* Allows the next kernel in the stream to start, if it is launched by launch_overlapped() (compute
   capability 9.0), when all blocks have called this or ended. */
static __device__ __forceinline__ void allow_next_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Waits for the end of the kernel before this one in the stream, beside which this one may have started.
   Then it allows the next kernel to start. */
static __device__ __forceinline__ void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    allow_next_kernel();
}

#endif
