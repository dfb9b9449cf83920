/*
 * The macros in which the block algorithms are written. They have two meanings, for CUDA and the
 * CPU.
 *
 * A block is a group of threads that share memory and wait for each other at barriers. On CUDA it
 * is a thread block. On the CPU one core runs all its threads, one step after another: what is a
 * barrier on CUDA is the end of a loop on the CPU. The algorithms in this folder are written once,
 * with these macros, and compiled by the C compiler and by nvcc.
 *
 * Before this file: on the CPU the includer defines T, OPERATOR, combine(op, a, b), identity(op),
 * and for loads and stores VIEW, load(view, i), store(view, i, value) (see scan/cpu/element.h). On
 * CUDA T, OPERATOR, In and Out are template parameters; In is the type of the loaded elements
 * (INPUT_VIEW), Out that of the stored ones (OUTPUT_VIEW). scan/cuda/cuda_block.cuh defines the rest.
 *
 *   EACH_THREAD(t, threads) { }   a step: every thread t of the block runs the body once, then all
 *                                 threads meet at a barrier. The bodies of one step may run in any
 *                                 order and at the same time: none may read what another writes.
 *                                 `continue` ends the body for thread t only. `break`, `return` and
 *                                 `goto` are not allowed: on the CPU they would end the step for
 *                                 all threads that follow. tests/scan/block/check_steps.sh finds
 *                                 them.
 *   EACH_LANE(t) { }              a step of one warp: each of its 32 lanes runs the body once, then
 *                                 they meet. They do not wait for the other warps of the block.
 *   EACH_ITEM(i, n, threads) { }  a strided loop: the threads share 0 <= i < n; then a barrier.
 *   PADDED_INDEX(i)               the index of element i of a tile in shared memory. One element of
 *                                 padding follows every 32 elements, so that threads that walk
 *                                 their own segments use different banks. n elements take the room
 *                                 of PADDED_SIZE(n).
 *   PER_THREAD(type, name)        a variable of each thread that outlives a step: a register on
 *                                 CUDA, an array on the CPU. A step uses it as MINE(name, t). For
 *                                 warp algorithms.
 *   KEPT(type, name)              a copy of the one element that only this thread writes: a
 *                                 register on CUDA, nothing on the CPU. KEEP(name, element) sets it
 *                                 after the thread has read or written the element. OWN(name,
 *                                 element) is then the element's value: on CUDA the register, on
 *                                 the CPU the element itself.
 *   SHUFFLE_UP(to, from, delta)   every lane t >= delta of a warp gets MINE(from, t - delta); what
 *                                 the lanes below get is undefined.
 *   SHOW(op, array, n, what, value)   called at the end of a step: element i of the scan is now
 *                                 array[PADDED_INDEX(i)]. It does nothing, unless the includer
 *                                 (`trace`) defines it.
 *
 * A test build defines BLOCK_REVERSED: the threads of a step run from the last to the first, and
 * shared memory is padded. So a race, or an index without PADDED_INDEX, gives a wrong answer
 * without a GPU.
 */
#ifndef PARSCAN_SCAN_BLOCK_H
#define PARSCAN_SCAN_BLOCK_H

#define WARP_SIZE 32u
#define BLOCK_MAX_THREADS 1024u

#ifdef __CUDACC__

/* The body of a step is the body of this loop. So a `break` does not leave the outer loop, which
   runs the barrier. */
#define BODY_ONCE for (unsigned once_ = 1; once_; once_ = 0)
#define BLOCK_TEMPLATE template <typename T, typename OPERATOR>
#define BLOCK_TEMPLATE_T template <typename T>
#define BLOCK_TEMPLATE_IN template <typename T, typename In>
#define BLOCK_TEMPLATE_OUT template <typename T, typename Out>
#define BLOCK_FUNCTION static __device__ __forceinline__
#define SHAPE_FUNCTION static inline __host__ __device__
#define EACH_THREAD(t, threads)                                      \
    for (unsigned t = block_thread(threads), pending_ = 1; pending_; \
         pending_ = 0, __syncthreads())                              \
    BODY_ONCE
#define EACH_LANE(t)                                                                               \
    for (unsigned t = threadIdx.x % WARP_SIZE, pending_ = 1; pending_; pending_ = 0, __syncwarp()) \
    BODY_ONCE
#define EACH_ITEM(i, n, threads)                                                           \
    for (unsigned i = block_thread(threads), more_ = 1; more_; __syncthreads(), more_ = 0) \
        for (; i < (n); i += (threads))                                                    \
    BODY_ONCE
#define PADDED_INDEX(i) ((i) + (i) / 32u)
#define PER_THREAD(type, name) type name
#define MINE(name, t) (name)
#define KEPT(type, name) type name
#define KEEP(name, element) ((name) = (element))
#define OWN(name, element) (name)
#define SHUFFLE_UP(to, from, delta) (to) = warp_shuffle_up((from), (delta))

#else

#define BLOCK_TEMPLATE
#define BLOCK_TEMPLATE_T
#define BLOCK_TEMPLATE_IN
#define BLOCK_TEMPLATE_OUT
#define INPUT_VIEW VIEW
#define OUTPUT_VIEW VIEW
#define BLOCK_FUNCTION static inline __attribute__((always_inline, unused))
#define SHAPE_FUNCTION static inline
#ifdef BLOCK_REVERSED
#define EACH_THREAD(t, threads) for (unsigned t = (threads); t-- > 0;)
#define EACH_ITEM(i, n, threads) EACH_THREAD(i, n)
#define PADDED_INDEX(i) ((i) + (i) / 32u)
#else
#define EACH_THREAD(t, threads) for (size_t t = 0; t < (threads); t++)
#define EACH_ITEM(i, n, threads) EACH_THREAD(i, n)
#define PADDED_INDEX(i) (i)
#endif
#define EACH_LANE(t) EACH_THREAD(t, WARP_SIZE)
#define PER_THREAD(type, name) type name[WARP_SIZE]
#define MINE(name, t) ((name)[t])
#define KEPT(type, name) (void)0
#define KEEP(name, element) ((void)0)
#define OWN(name, element) (element)
#define SHUFFLE_UP(to, from, delta) \
    EACH_LANE(lane_)                \
    if (lane_ >= (delta))           \
    MINE(to, lane_) = MINE(from, lane_ - (delta))

#endif

#ifdef __CUDACC__
/* The launch guarantees t < threads. The assumption lets the compiler remove tests of t. */
BLOCK_FUNCTION unsigned block_thread(unsigned threads)
{
    __builtin_assume(threadIdx.x < threads);
    return threadIdx.x;
}
#endif

/* The same on both engines, so that both accept the same shapes. */
#define PADDED_SIZE(n) ((n) + (n) / 32u + 1u)

#ifndef SHOW
#define SHOW(op, array, n, what, value) ((void)0)
#endif

#endif
