/*
 * The vocabulary of the block algorithms, with two meanings.
 *
 * A block is a group of threads that share memory and meet at barriers. On CUDA it is a thread
 * block. On the CPU one core plays all its threads, one step after another: what is a barrier there
 * is the end of a loop here. The algorithms in this folder are written once, in these words, and
 * compiled by the C compiler and by nvcc.
 *
 * Before: on the CPU, the includer has defined T, OPERATOR, combine(op, a, b), identity(op), and
 * for the loads and stores VIEW, load(view, i), store(view, i, value) (see scan/cpu/element.h). On
 * CUDA T, OPERATOR and In, the type of what is loaded (INPUT_VIEW), are template parameters, and
 * block_cuda.h has defined the rest.
 *
 *   EACH_THREAD(t, threads) { }   a step: every thread t of the block runs the body once, then all
 *                                 meet at a barrier. Bodies of one step may run in any order and at
 *                                 once: none may read what another writes.
 *                                 `continue` ends the body for thread t alone. `break`, `return` and
 *                                 `goto` are not for a step: on the CPU they would end it for all threads
 *                                 that follow. tests/scan/block/check_steps.sh finds them.
 *   EACH_LANE(t) { }              a step of one warp: its 32 lanes run the body once, then they meet,
 *                                 and need not wait for the other warps of the block.
 *   EACH_ITEM(i, n, threads) { }  a strided loop: the threads share out 0 <= i < n; then a barrier.
 *   PADDED_INDEX(i)               where element i of a tile lies in shared memory: one word of
 *                                 padding every 32 keeps threads that walk their own segments on
 *                                 different banks. PADDED_SIZE(n) is the room that n elements take.
 *   PER_THREAD(type, name)        a variable of each thread that outlives a step, MINE(name, t) in a
 *                                 step: a register on CUDA, an array on the CPU. Warp algorithms.
 *   KEPT(type, name)              what a thread keeps of the one element that it alone writes, where it
 *                                 can: a register on CUDA. KEEP(name, element) after it has read or
 *                                 written it; OWN(name, element) is the element then. On the CPU it is
 *                                 in shared memory only.
 *   SHUFFLE_UP(to, from, delta)   every lane t >= delta of a warp gets MINE(from, t - delta); what
 *                                 the lanes below get is undefined.
 *   SHOW(op, array, n, what, value)   the hook at the end of a step: element i of the scan is now
 *                                 array[PADDED_INDEX(i)]. Nothing, unless the includer (`trace`) defines it.
 *
 * A test build defines BLOCK_REVERSED: the threads of a step run from the last to the first, and
 * memory is padded, so that a race or a opaque PADDED_INDEX gives a wrong answer without a GPU.
 */
#ifndef PARSCAN_SCAN_BLOCK_H
#define PARSCAN_SCAN_BLOCK_H

#define WARP_SIZE 32u
#define BLOCK_MAX_THREADS 1024u

#ifdef __CUDACC__

/* The body of a step is the body of this loop: a `break` does not leave the one that ends in the barrier. */
#define BODY_ONCE for (unsigned once_ = 1; once_; once_ = 0)
#define BLOCK_TEMPLATE template <typename T, typename OPERATOR>
#define BLOCK_TEMPLATE_T template <typename T>
#define BLOCK_TEMPLATE_IN template <typename T, typename In>
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
#define INPUT_VIEW VIEW
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
/* What the launch makes true lets the compiler leave out tests of t. */
BLOCK_FUNCTION unsigned block_thread(unsigned threads)
{
    __builtin_assume(threadIdx.x < threads);
    return threadIdx.x;
}
#endif

/* The same on both engines, so that both take the same shapes. */
#define PADDED_SIZE(n) ((n) + (n) / 32u + 1u)

#ifndef SHOW
#define SHOW(op, array, n, what, value) ((void)0)
#endif

#endif
