/*
 * The end of a program that is compiled at run time: the CALLER of custom_value.cuh, and the kernels of
 * the program's kind. custom_program.c writes what stands before it: the caller's text in the namespace
 * parscan_text, and the macros.
 */
namespace parscan_text
{
typedef PARSCAN_TYPE parscan_element;
#ifdef PARSCAN_STATE
static __constant__ __align__(16) const uint32_t parscan_state[] = {PARSCAN_STATE};
#define PARSCAN_GIVEN_STATE ((const void *)parscan_text::parscan_state)
#else
#define PARSCAN_GIVEN_STATE nullptr
#endif
} // namespace parscan_text

struct parscan_caller {
    typedef parscan_text::parscan_element E;
    enum : unsigned { SIZE = PARSCAN_SIZE, ALIGNMENT = PARSCAN_ALIGNMENT };
    static_assert(sizeof(E) == SIZE, "element_size is not the size of cuda_type");
    static_assert(alignof(E) <= ALIGNMENT, "alignment is less than that of cuda_type");
    static const bool COMMUTES = PARSCAN_COMMUTES;

#ifdef PARSCAN_MAKE_TEST
    static __device__ __forceinline__ bool test(const E &x)
    {
        return parscan_text::PARSCAN_FUNCTION(x, PARSCAN_GIVEN_STATE) != 0;
    }
#elif defined(PARSCAN_MAKE_HEADS) || defined(PARSCAN_MAKE_SORT)
    static __device__ __forceinline__ bool relate(const E &a, const E &b)
    {
        return parscan_text::PARSCAN_FUNCTION(a, b, PARSCAN_GIVEN_STATE) != 0;
    }
#else
    static __device__ __forceinline__ E combine(const E &a, const E &b)
    {
        return parscan_text::PARSCAN_FUNCTION(a, b, PARSCAN_GIVEN_STATE);
    }
#endif
#ifdef PARSCAN_IDENTITY
    static const bool HAS_IDENTITY = true;
    static __device__ __forceinline__ E identity()
    {
        const uint32_t words[] = {PARSCAN_IDENTITY};
        E element;
        memcpy(&element, words, sizeof element);
        return element;
    }
#else
    static const bool HAS_IDENTITY = false;
#endif
#ifdef PARSCAN_LOAD
    static const bool LOADS = true;
    static __device__ __forceinline__ E load(const void *in, size_t i)
    {
        return parscan_text::PARSCAN_LOAD(in, i, PARSCAN_GIVEN_STATE);
    }
#else
    static const bool LOADS = false;
#endif
#ifdef PARSCAN_STORE
    static const bool STORES = true;
    static __device__ __forceinline__ void store(const E &x, void *out, size_t i)
    {
        parscan_text::PARSCAN_STORE(x, out, i, PARSCAN_GIVEN_STATE);
    }
#else
    static const bool STORES = false;
#endif
};

#ifdef PARSCAN_SCANNERS
struct parscan_which {
    enum : unsigned {
        SCANNERS = PARSCAN_SCANNERS,
        REDUCERS = PARSCAN_REDUCERS,
        VECTORS = PARSCAN_VECTORS,
        STAGES = PARSCAN_STAGES,
        UNIT = PARSCAN_UNIT
    };
    static const bool ALIGNED = PARSCAN_ALIGNED, REVERSE = PARSCAN_REVERSE;
};
#endif

#ifdef PARSCAN_MAKE_SCAN
extern "C" __global__ void __launch_bounds__(PARSCAN_THREADS, PARSCAN_BLOCKS)
    parscan_custom(const __grid_constant__ custom_pass given)
{
    custom_scan<parscan_caller, parscan_which>(given);
}
#endif

#ifdef PARSCAN_MAKE_REDUCE
extern "C" __global__ void __launch_bounds__(CUSTOM_REDUCE_THREADS, 2)
    parscan_custom(const __grid_constant__ custom_pass given)
{
    custom_reduce<parscan_caller>(given);
}
#endif

#ifdef PARSCAN_MAKE_BLOCKS
extern "C" __global__ void __launch_bounds__(BLOCK_MAX_THREADS)
    parscan_custom(const __grid_constant__ custom_level given)
{
    custom_scan_tiles<parscan_caller, PARSCAN_BLOCK_ALGORITHM, callers_elements<parscan_caller>>(
        given);
}
extern "C" __global__ void __launch_bounds__(CUSTOM_TILES_THREADS)
    parscan_custom_reduce_tiles(const __grid_constant__ custom_level given)
{
    custom_reduce_tiles<parscan_caller, callers_elements<parscan_caller>>(given);
}
extern "C" __global__ void __launch_bounds__(BLOCK_MAX_THREADS)
    parscan_custom_scan_sums(const __grid_constant__ custom_level given)
{
    custom_scan_tiles<parscan_caller, PARSCAN_BLOCK_ALGORITHM, combined_type<parscan_caller>::T>(
        given);
}
extern "C" __global__ void __launch_bounds__(CUSTOM_TILES_THREADS)
    parscan_custom_reduce_sums(const __grid_constant__ custom_level given)
{
    custom_reduce_tiles<parscan_caller, combined_type<parscan_caller>::T>(given);
}
#endif

#ifdef PARSCAN_MAKE_SEQUENTIAL
extern "C" __global__ void parscan_custom(const __grid_constant__ custom_call given)
{
    custom_sequential<parscan_caller>(given);
}
#endif

#ifdef PARSCAN_MAKE_TEST
extern "C" __global__ void __launch_bounds__(CUSTOM_TEST_THREADS)
    parscan_custom(const __grid_constant__ custom_call given)
{
    custom_test<parscan_caller>(given);
}
#endif

#ifdef PARSCAN_MAKE_HEADS
extern "C" __global__ void __launch_bounds__(CUSTOM_TEST_THREADS)
    parscan_custom(const __grid_constant__ custom_call given)
{
    custom_heads<parscan_caller>(given);
}
#endif

#ifdef PARSCAN_MAKE_SORT
extern "C" __global__ void __launch_bounds__(CUSTOM_SORT_THREADS, CUSTOM_SORT_BLOCKS(PARSCAN_SIZE))
    parscan_custom(const __grid_constant__ custom_sort given)
{
    custom_sort_tiles<parscan_caller>(given);
}
extern "C" __global__ void __launch_bounds__(CUSTOM_SORT_THREADS, CUSTOM_SORT_BLOCKS(PARSCAN_SIZE))
    parscan_custom_merge_runs(const __grid_constant__ custom_sort given)
{
    custom_merge_runs<parscan_caller>(given);
}
#endif

#if defined(PARSCAN_MAKE_SEGMENTED_SCAN) || defined(PARSCAN_MAKE_SEGMENTED_REDUCE)
#ifdef PARSCAN_MAKE_SEGMENTED_REDUCE
enum : bool { parscan_reduces = true };
#else
enum : bool { parscan_reduces = false };
#endif
static_assert(sizeof(marked_element<parscan_caller>) == PARSCAN_MARKED_SIZE,
              "the host makes room for elements of another size");
extern "C" __global__ void __launch_bounds__(PARSCAN_THREADS, PARSCAN_BLOCKS)
    parscan_custom(const __grid_constant__ custom_segments given)
{
    custom_segmented<parscan_caller, parscan_which, parscan_reduces>(given);
}
#endif

#ifdef PARSCAN_MAKE_TREE
extern "C" __global__ void __launch_bounds__(CUSTOM_TREE_THREADS)
    parscan_custom(const __grid_constant__ custom_tree given)
{
    custom_tree_sums<parscan_caller>(given);
}
extern "C" __global__ void __launch_bounds__(CUSTOM_TREE_THREADS)
    parscan_custom_tree_scan(const __grid_constant__ custom_tree given)
{
    custom_tree_scan<parscan_caller>(given);
}
extern "C" __global__ void __launch_bounds__(CUSTOM_TREE_THREADS)
    parscan_custom_tree_result(const __grid_constant__ custom_tree given)
{
    custom_tree_result<parscan_caller>(given);
}
#endif
