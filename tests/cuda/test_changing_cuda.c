/* Another stream writes to an input during calls. Their results may be anything, but they write nothing
   beside their outputs, and they end. memcheck looks at what they read (sanitize.sh). */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/cuda/on_device.h"
#include "tests/support/random.h"

TestSuite(input_that_changes, .timeout = 240);

#define GUARD ((size_t)1 << 20) /* bytes before and after an array */
#define CALLS 24u               /* at least, and copies meanwhile */
#define MOST_CALLS 100000u
#define VERSIONS 4u

typedef struct device_array {
    char *room, *data;
    size_t bytes;
} device_array;

static device_array array_create(size_t bytes)
{
    device_array array = {.room = device_room(bytes + 2 * GUARD), .bytes = bytes};
    array.data = array.room + GUARD;
    return array;
}

static void array_destroy(const device_array *array)
{
    CUDA(cudaFree(array->room));
}

static void expect_intact(const device_array *array, const char *name, const char *which)
{
    char *const found = host_copy_of(array->room, array->bytes + 2 * GUARD);
    cr_assert_eq(first_other_than(ROOM_BYTE, found, GUARD), GUARD, "%s wrote before %s", name,
                 which);
    cr_assert_eq(first_other_than(ROOM_BYTE, found + GUARD + array->bytes, GUARD), GUARD,
                 "%s wrote behind %s", name, which);
    free(found);
}

/* What a call has. `changing` is the input that changes: elements, sizes or offsets. */
typedef struct call_arrays {
    parscan_context *context;
    device_array changing, other, out, more; /* other: an input that stays */
    uint64_t *count;
    size_t n, mean; /* elements; of a segment, or entries of what the call has else */
} call_arrays;

typedef enum change { ELEMENTS, OFFSETS, SIZES } change;

/* width: the bytes of an element of `changing`; out_width and more: those of the outputs, for each
   element, and of one more. */
typedef struct changing_call {
    const char *name;
    change what;
    unsigned width;
    size_t n, mean;
    unsigned other, out_width, more_width;
    parscan_status (*call)(const call_arrays *a);
} changing_call;

static size_t entries_of(const changing_call *c)
{
    return c->what == OFFSETS ? c->n / c->mean + 1 : c->n;
}

static uint64_t entry_of(const changing_call *c, unsigned version, size_t k)
{
    const size_t last = entries_of(c) - 1;
    switch (c->what) {
    case OFFSETS:
        return version == 0   ? (k == last ? c->n : k * c->mean)
               : version == 1 ? 0
               : version == 2 ? random_below(c->n + 1)
                              : random_bits();
    case SIZES:
        return version == 0 ? 1 : random_below(c->mean + 1);
    default:
        return version == 0 ? random_bits() : version == 1 ? 0 : version == 2 ? (uint64_t)-1 : k;
    }
}

static char *versions_create(const changing_call *c)
{
    const size_t entries = entries_of(c);
    char *versions;
    CUDA(cudaMallocHost((void **)&versions, VERSIONS * entries * c->width));
    for (unsigned v = 0; v < VERSIONS; v++)
        for (size_t k = 0; k < entries; k++) {
            const uint64_t entry = entry_of(c, v, k); /* the device is little-endian, as the host */
            memcpy(versions + (v * entries + k) * c->width, &entry, c->width);
        }
    return versions;
}

/* A thread that copies parts of the versions to the input until it is told to stop. */
typedef struct writer {
    const device_array *to;
    const char *versions;
    atomic_bool stops;
    cudaError_t error;
    atomic_size_t copies;
} writer;

static void *write_versions(void *state)
{
    writer *const w = state;
    const size_t bytes = w->to->bytes;
    uint64_t random = 1;
    cudaStream_t stream;
    w->error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    while (w->error == cudaSuccess && !atomic_load(&w->stops)) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const size_t whole = random >> 40 & 3, at = whole == 0 ? 0 : (random >> 20) % bytes / 8 * 8;
        const size_t length = whole == 0 || bytes - at < 4096 ? bytes - at : (bytes - at) / 16;
        w->error =
            cudaMemcpyAsync(w->to->data + at, w->versions + (random >> 60) % VERSIONS * bytes + at,
                            length, cudaMemcpyHostToDevice, stream);
        if (w->error == cudaSuccess)
            w->error = cudaStreamSynchronize(stream);
        atomic_fetch_add(&w->copies, 1);
    }
    return NULL;
}

/* What the input says may be wrong, and then the call may say so. */
static void expect_no_fault(parscan_context *context, const char *name, parscan_status status)
{
    if (status == PARSCAN_ERROR_DEVICE || status == PARSCAN_ERROR_INTERNAL ||
        status == PARSCAN_ERROR_BACKEND || status == PARSCAN_ERROR_UNSUPPORTED)
        cr_assert_fail("%s: %s", name, parscan_context_error(context));
}

/* Offsets of records, `mean` bytes apart. */
static void fill_with_offsets(const call_arrays *a)
{
    const size_t count = a->more.bytes / sizeof(uint64_t);
    uint64_t *const offsets = malloc(a->more.bytes);
    for (size_t k = 0; k < count; k++)
        offsets[k] = k * a->mean;
    device_write(a->more.data, offsets, a->more.bytes);
    free(offsets);
}

static parscan_status pack_u32(const call_arrays *a);

static void expect_bounded(const changing_call *c)
{
    const size_t entries = entries_of(c);
    call_arrays a = {.context = context_on(NULL), .n = c->n, .mean = c->mean};
    char *const versions = versions_create(c);
    a.changing = array_create(entries * c->width);
    a.other = array_create((c->n + 1) * c->other);
    a.out = array_create(c->n * c->out_width);
    a.more = array_create((c->n + 1) * c->more_width);
    CUDA(cudaMemset(a.other.data, 0, a.other.bytes));
    if (c->call == pack_u32)
        fill_with_offsets(&a);
    device_write(a.changing.data, versions, a.changing.bytes);
    CUDA(cudaMalloc((void **)&a.count, sizeof *a.count));
    CUDA(cudaDeviceSynchronize());
    writer w = {.to = &a.changing, .versions = versions};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, write_versions, &w), 0);
    for (unsigned k = 0; k < CALLS || (atomic_load(&w.copies) < CALLS && k < MOST_CALLS); k++) {
        expect_no_fault(a.context, c->name, c->call(&a));
        expect_no_fault(a.context, c->name, parscan_synchronize(a.context));
    }
    atomic_store(&w.stops, true);
    pthread_join(thread, NULL);
    CUDA(w.error);
    cr_assert_geq(atomic_load(&w.copies), CALLS, "%s", c->name);
    expect_intact(&a.changing, c->name, "the input");
    expect_intact(&a.out, c->name, "the output");
    expect_intact(&a.more, c->name, "the second output");
    array_destroy(&a.changing);
    array_destroy(&a.other);
    array_destroy(&a.out);
    array_destroy(&a.more);
    CUDA(cudaFree(a.count));
    CUDA(cudaFreeHost(versions));
    parscan_context_destroy(a.context);
}

/* ---- the calls ---- */

#define SORT_KEYS(NAME, TYPE)                                                                      \
    static parscan_status sort_##NAME(const call_arrays *a)                                        \
    {                                                                                              \
        return parscan_sort_keys(a->context, TYPE, a->changing.data, a->out.data, a->n, NULL);     \
    }                                                                                              \
    static parscan_status sort_##NAME##_in_place(const call_arrays *a)                             \
    {                                                                                              \
        return parscan_sort_keys(a->context, TYPE, a->changing.data, a->changing.data, a->n,       \
                                 NULL);                                                            \
    }                                                                                              \
    static parscan_status argsort_##NAME(const call_arrays *a)                                     \
    {                                                                                              \
        return parscan_argsort(a->context, TYPE, a->changing.data, PARSCAN_U32, a->out.data, a->n, \
                               NULL);                                                              \
    }
SORT_KEYS(u8, PARSCAN_U8)
SORT_KEYS(u16, PARSCAN_U16)
SORT_KEYS(f16, PARSCAN_F16)
SORT_KEYS(u32, PARSCAN_U32)
SORT_KEYS(u64, PARSCAN_U64)
SORT_KEYS(f32, PARSCAN_F32)

/* Rows of few bits that vary, so that there are rounds. */
static parscan_status sort_columns(const call_arrays *a)
{
    const parscan_column by[] = {
        PARSCAN_COLUMN(.type = PARSCAN_U32, .data = a->changing.data),
        PARSCAN_COLUMN(.type = PARSCAN_F32, .data = a->changing.data, .descending = 1),
        PARSCAN_COLUMN(.type = PARSCAN_BYTES, .width = 4, .data = a->changing.data)};
    return parscan_sort_columns(a->context, by, 3, PARSCAN_U32, a->out.data, a->n);
}

static parscan_status sort_pairs(const call_arrays *a, parscan_type type, size_t size)
{
    return parscan_sort_pairs(a->context, type, a->changing.data, a->out.data, size, a->other.data,
                              a->more.data, a->n, NULL);
}
static parscan_status pairs_u32_4(const call_arrays *a)
{
    return sort_pairs(a, PARSCAN_U32, 4);
}
static parscan_status pairs_u64_8(const call_arrays *a)
{
    return sort_pairs(a, PARSCAN_U64, 8);
}
static parscan_status pairs_u32_12(const call_arrays *a)
{
    return sort_pairs(a, PARSCAN_U32, 12);
}

static parscan_segments segments_of(const call_arrays *a, size_t width)
{
    const parscan_segments segments = {.struct_size = sizeof segments,
                                       .kind = PARSCAN_SEGMENTS_OFFSETS,
                                       .type = width == 8 ? PARSCAN_U64 : PARSCAN_U32,
                                       .data = a->changing.data,
                                       .count = a->n / a->mean};
    return segments;
}

static parscan_status sort_segments(const call_arrays *a, size_t width, size_t value_size)
{
    const parscan_segments segments = segments_of(a, width);
    return parscan_sort_segments(a->context, PARSCAN_U32, a->other.data, a->out.data, value_size,
                                 value_size == 0 ? NULL : a->other.data,
                                 value_size == 0 ? NULL : a->more.data, a->n, &segments, NULL);
}
static parscan_status segments_32(const call_arrays *a)
{
    return sort_segments(a, 4, 0);
}
static parscan_status segments_64(const call_arrays *a)
{
    return sort_segments(a, 8, 0);
}
static parscan_status segments_pairs(const call_arrays *a)
{
    return sort_segments(a, 4, 4);
}

static parscan_status scan_segments(const call_arrays *a)
{
    const parscan_segments segments = segments_of(a, 4);
    return parscan_segmented_inclusive_scan(a->context, PARSCAN_U32, a->other.data, a->out.data,
                                            a->n, &segments, NULL);
}
static parscan_status scan_segments_64(const call_arrays *a)
{
    const parscan_segments segments = segments_of(a, 8);
    return parscan_segmented_exclusive_scan(a->context, PARSCAN_U64, a->other.data, a->out.data,
                                            a->n, &segments, NULL);
}
static parscan_status reduce_segments(const call_arrays *a)
{
    const parscan_segments segments = segments_of(a, 4);
    return parscan_segmented_reduce(a->context, PARSCAN_U32, a->other.data, a->out.data, a->n,
                                    &segments, a->count, NULL);
}
static parscan_status reduce_segments_64(const call_arrays *a)
{
    const parscan_segments segments = segments_of(a, 8);
    return parscan_segmented_reduce(a->context, PARSCAN_U64, a->other.data, a->out.data, a->n,
                                    &segments, a->count, NULL);
}
static parscan_status reduce_flagged(const call_arrays *a)
{
    const parscan_segments flags = {
        .struct_size = sizeof flags, .kind = PARSCAN_SEGMENTS_FLAGS, .data = a->changing.data};
    return parscan_segmented_reduce(a->context, PARSCAN_U32, a->other.data, a->out.data, a->n,
                                    &flags, a->count, NULL);
}

static parscan_predicate at_least_half(const void *half)
{
    const parscan_predicate keep = {
        .struct_size = sizeof keep, .comparison = PARSCAN_GREATER_EQUAL, .value = half};
    return keep;
}
static parscan_status partition_u8(const call_arrays *a)
{
    const uint8_t half = 128;
    const parscan_predicate keep = at_least_half(&half);
    return parscan_partition(a->context, PARSCAN_U8, a->changing.data, &keep, a->out.data, a->n,
                             a->count);
}
static parscan_status partition_u32(const call_arrays *a)
{
    const uint32_t half = 0x80000000u;
    const parscan_predicate keep = at_least_half(&half);
    return parscan_partition(a->context, PARSCAN_U32, a->changing.data, &keep, a->out.data, a->n,
                             a->count);
}
static parscan_status compact_if_u32(const call_arrays *a)
{
    return parscan_compact_if(a->context, PARSCAN_U32, a->changing.data, NULL, a->out.data, a->n,
                              a->count);
}
static parscan_status run_lengths_u32(const call_arrays *a)
{
    return parscan_run_length_encode(a->context, PARSCAN_U32, a->changing.data, a->out.data,
                                     PARSCAN_U32, a->more.data, a->n, a->count);
}
static parscan_status compact_by_u32(const call_arrays *a)
{
    return parscan_compact_by(a->context, 4, a->other.data, PARSCAN_U32, a->changing.data, NULL,
                              a->out.data, a->n, a->count);
}
static parscan_status unique_pairs_u32(const call_arrays *a)
{
    return parscan_unique_pairs(a->context, PARSCAN_U32, a->changing.data, a->out.data, 4,
                                a->other.data, a->more.data, a->n, a->count);
}
static parscan_status bounds_u32(const call_arrays *a)
{
    return parscan_upper_bound(a->context, PARSCAN_U32, a->changing.data, a->n, a->changing.data,
                               a->n, PARSCAN_U32, a->out.data);
}
static parscan_status join_u64(const call_arrays *a)
{
    return parscan_join(a->context, PARSCAN_JOIN_INNER, PARSCAN_U64, a->changing.data, a->n,
                        a->changing.data, a->n, PARSCAN_U32, a->out.data, a->more.data, a->n,
                        a->count);
}
static parscan_status join_u8(const call_arrays *a)
{
    return parscan_join(a->context, PARSCAN_JOIN_ANTI, PARSCAN_U8, a->changing.data, a->n,
                        a->changing.data, a->n / 2, PARSCAN_U64, a->out.data, NULL, a->n, a->count);
}
static parscan_status merge_pairs_u32(const call_arrays *a)
{
    const size_t n = a->n / 3, n2 = a->n - n;
    return parscan_merge(a->context, PARSCAN_U32, a->changing.data, n, a->changing.data + n * 4, n2,
                         a->out.data, 4, a->other.data, a->other.data + n * 4, a->more.data);
}
static parscan_status merge_f32(const call_arrays *a)
{
    const size_t n = a->n / 2, n2 = a->n - n;
    return parscan_merge(a->context, PARSCAN_F32, a->changing.data, n, a->changing.data + n * 4, n2,
                         a->out.data, 0, NULL, NULL, NULL);
}
static parscan_status union_u64(const call_arrays *a)
{
    const size_t n = a->n / 2, n2 = a->n - n;
    return parscan_set_union(a->context, PARSCAN_U64, a->changing.data, n, a->changing.data + n * 8,
                             n2, a->out.data, a->n, a->count);
}
static parscan_status intersection_u8(const call_arrays *a)
{
    return parscan_set_intersection(a->context, PARSCAN_U8, a->changing.data, a->n,
                                    a->changing.data, a->n / 2, a->out.data, a->n, a->count);
}
static parscan_status csr_u32(const call_arrays *a)
{
    return parscan_dense_to_csr(a->context, PARSCAN_U32, a->changing.data, a->n / 1000, 1000,
                                PARSCAN_U32, a->more.data, a->out.data, NULL, a->count);
}

static parscan_status bin_into(const call_arrays *a, size_t value_size)
{
    return parscan_bin(a->context, PARSCAN_U32, a->changing.data, value_size, a->other.data, a->n,
                       a->mean, PARSCAN_U32, a->more.data, a->out.data);
}
static parscan_status bin_4(const call_arrays *a)
{
    return bin_into(a, 4);
}
static parscan_status bin_12(const call_arrays *a)
{
    return bin_into(a, 12);
}
static parscan_status histogram_u32(const call_arrays *a)
{
    return parscan_histogram(a->context, PARSCAN_U32, a->changing.data, a->n, a->n, PARSCAN_U32,
                             a->out.data, NULL);
}

static parscan_status allocate_u32(const call_arrays *a)
{
    return parscan_allocate(a->context, PARSCAN_U32, a->changing.data, a->n, PARSCAN_U64,
                            a->out.data, a->count, NULL);
}
/* There are half as many slots as sizes may want. */
static parscan_status expand_u32(const call_arrays *a)
{
    return parscan_expand(a->context, PARSCAN_U32, a->changing.data, a->n, PARSCAN_U32, a->out.data,
                          a->more.data, a->n, a->count);
}
static parscan_status decode_u32(const call_arrays *a)
{
    return parscan_run_length_decode(a->context, 4, a->other.data, PARSCAN_U32, a->changing.data,
                                     a->n, a->out.data, a->n, a->count);
}
/* Records of up to `mean` bytes, and places for so many. */
static parscan_status pack_u32(const call_arrays *a)
{
    return parscan_pack(a->context, a->other.data, PARSCAN_U64, a->more.data, PARSCAN_U32,
                        a->changing.data, a->out.data, a->more.data, a->n);
}

/* ---- tests ---- */

static void expect_all_bounded(const changing_call *calls, size_t count)
{
    for (size_t k = 0; k < count; k++)
        expect_bounded(&calls[k]);
}

Test(input_that_changes, sorts_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"u32, one block", ELEMENTS, 4, 4000, 0, 0, 4, 0, sort_u32},
        {"u32, few tiles", ELEMENTS, 4, 100003, 0, 0, 4, 0, sort_u32},
        {"u32", ELEMENTS, 4, 3000001, 0, 0, 4, 0, sort_u32},
        {"u8", ELEMENTS, 1, 400001, 0, 0, 1, 0, sort_u8},
        {"u8, counted", ELEMENTS, 1, 3000001, 0, 0, 1, 0, sort_u8},
        {"u16", ELEMENTS, 2, 3000001, 0, 0, 2, 0, sort_u16},
        {"u16, counted", ELEMENTS, 2, 4200001, 0, 0, 2, 0, sort_u16},
        {"f16, counted", ELEMENTS, 2, 4200001, 0, 0, 2, 0, sort_f16},
        {"u64", ELEMENTS, 8, 2000003, 0, 0, 8, 0, sort_u64},
        {"f32", ELEMENTS, 4, 3000001, 0, 0, 4, 0, sort_f32},
        {"u32 in place, one block", ELEMENTS, 4, 4000, 0, 0, 0, 0, sort_u32_in_place},
        {"u32 in place", ELEMENTS, 4, 3000001, 0, 0, 0, 0, sort_u32_in_place},
        {"u64 in place", ELEMENTS, 8, 200003, 0, 0, 0, 0, sort_u64_in_place},
        {"f32 in place", ELEMENTS, 4, 200003, 0, 0, 0, 0, sort_f32_in_place},
        {"u8 in place", ELEMENTS, 1, 200003, 0, 0, 0, 0, sort_u8_in_place},
        {"u8 in place, counted", ELEMENTS, 1, 600001, 0, 0, 0, 0, sort_u8_in_place},
        {"f16 in place, counted", ELEMENTS, 2, 4200001, 0, 0, 0, 0, sort_f16_in_place},
        {"u16 in place, counted", ELEMENTS, 2, 4200001, 0, 0, 0, 0, sort_u16_in_place},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, sorts_of_pairs_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"u32 + 4, one block", ELEMENTS, 4, 4000, 0, 4, 4, 4, pairs_u32_4},
        {"u32 + 4", ELEMENTS, 4, 2000003, 0, 4, 4, 4, pairs_u32_4},
        {"u64 + 8", ELEMENTS, 8, 1000003, 0, 8, 8, 8, pairs_u64_8},
        {"u32 + 12", ELEMENTS, 4, 200003, 0, 12, 4, 12, pairs_u32_12},
        {"argsort of u32", ELEMENTS, 4, 1000003, 0, 0, 4, 0, argsort_u32},
        {"argsort of u64", ELEMENTS, 8, 100003, 0, 0, 4, 0, argsort_u64},
        {"argsort of f32", ELEMENTS, 4, 100003, 0, 0, 4, 0, argsort_f32},
        {"argsort of u8", ELEMENTS, 1, 1000003, 0, 0, 4, 0, argsort_u8},
        {"argsort of f16", ELEMENTS, 2, 100003, 0, 0, 4, 0, argsort_f16},
        {"argsort of u16", ELEMENTS, 2, 100003, 0, 0, 4, 0, argsort_u16},
        {"columns", ELEMENTS, 4, 100003, 0, 0, 4, 0, sort_columns},
        {"columns, many", ELEMENTS, 4, 2500003, 0, 0, 4, 0, sort_columns},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, sorts_of_segments_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"mean of 10", OFFSETS, 4, 100000, 10, 4, 4, 0, segments_32},
        {"mean of 10, many", OFFSETS, 4, 20000000, 10, 4, 4, 0, segments_32},
        {"mean of 40", OFFSETS, 8, 1000000, 40, 4, 4, 0, segments_64},
        {"mean of 300", OFFSETS, 4, 900000, 300, 4, 4, 0, segments_32},
        {"mean of 300, pairs", OFFSETS, 4, 900000, 300, 4, 4, 4, segments_pairs},
        {"mean of 40, pairs", OFFSETS, 4, 6000000, 40, 4, 4, 4, segments_pairs},
        {"mean of 5000", OFFSETS, 4, 3000000, 5000, 4, 4, 0, segments_32},
        {"mean of 20000, pairs", OFFSETS, 4, 3000000, 20000, 4, 4, 4, segments_pairs},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, segmented_scans_and_reductions_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"scan, direct", OFFSETS, 4, 100000, 50, 4, 4, 0, scan_segments},
        {"scan, direct, few", OFFSETS, 8, 500000, 900, 8, 8, 0, scan_segments_64},
        {"scan", OFFSETS, 4, 3000000, 50, 4, 4, 0, scan_segments},
        {"scan of long ones", OFFSETS, 8, 3000000, 100000, 8, 8, 0, scan_segments_64},
        {"reduction, direct", OFFSETS, 4, 500000, 100, 4, 4, 0, reduce_segments},
        {"reduction, direct, few", OFFSETS, 8, 500000, 16000, 8, 8, 0, reduce_segments_64},
        {"reduction", OFFSETS, 4, 5000000, 50, 4, 4, 0, reduce_segments},
        {"reduction of long ones", OFFSETS, 8, 5000000, 100000, 8, 8, 0, reduce_segments_64},
        {"reduction by flags", ELEMENTS, 1, 2000000, 0, 4, 4, 0, reduce_flagged},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, compactions_stay_in_their_outputs_and_partitions_end)
{
    static const changing_call calls[] = {
        {"partition of u32, held", ELEMENTS, 4, 2000003, 0, 0, 4, 0, partition_u32},
        {"partition of u32, counted", ELEMENTS, 4, 9000001, 0, 0, 4, 0, partition_u32},
        {"partition of u32, sampled", ELEMENTS, 4, 30000001, 0, 0, 4, 0, partition_u32},
        {"partition of u8, sampled", ELEMENTS, 1, 60000001, 0, 0, 1, 0, partition_u8},
        {"compaction of u32", ELEMENTS, 4, 3000001, 0, 0, 4, 0, compact_if_u32},
        {"run lengths of u32", ELEMENTS, 4, 3000001, 0, 0, 4, 4, run_lengths_u32},
        {"compaction by u32", ELEMENTS, 4, 3000001, 0, 4, 4, 0, compact_by_u32},
        {"unique pairs of u32", ELEMENTS, 4, 3000001, 0, 4, 4, 4, unique_pairs_u32},
        {"CSR of u32", ELEMENTS, 4, 3000000, 0, 0, 4, 4, csr_u32},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, bounds_joins_and_merges_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"merge of u32 + 4", ELEMENTS, 4, 3000001, 0, 4, 4, 4, merge_pairs_u32},
        {"merge of f32", ELEMENTS, 4, 100003, 0, 0, 4, 0, merge_f32},
        {"union of u64", ELEMENTS, 8, 2000003, 0, 0, 8, 0, union_u64},
        {"intersection of u8", ELEMENTS, 1, 3000001, 0, 0, 1, 0, intersection_u8},
        {"bounds of u32", ELEMENTS, 4, 3000001, 0, 0, 4, 0, bounds_u32},
        {"inner join of u64", ELEMENTS, 8, 1000003, 0, 0, 4, 4, join_u64},
        {"anti join of u8", ELEMENTS, 1, 3000001, 0, 0, 8, 0, join_u8},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}

Test(input_that_changes, bins_and_allocations_stay_in_their_outputs)
{
    static const changing_call calls[] = {
        {"200 bins, one block", SIZES, 4, 4000, 200, 4, 4, 4, bin_4},
        {"200 bins", SIZES, 4, 1000003, 200, 4, 4, 4, bin_4},
        {"1 bin", SIZES, 4, 1000003, 1, 4, 4, 4, bin_4},
        {"60000 bins", SIZES, 4, 1000003, 60000, 4, 4, 4, bin_4},
        {"60000 bins of few", SIZES, 4, 62000, 60000, 4, 4, 4, bin_4},
        {"60000 bins, 12 bytes", SIZES, 4, 100003, 60000, 12, 12, 4, bin_12},
        {"a bin for each", ELEMENTS, 4, 1000003, 1000003, 4, 4, 4, bin_4},
        {"histogram", ELEMENTS, 4, 1000003, 0, 0, 4, 0, histogram_u32},
        {"allocation", SIZES, 4, 1000003, 100, 0, 8, 0, allocate_u32},
        {"expansion", SIZES, 4, 1000003, 2, 0, 4, 4, expand_u32},
        {"run lengths decoded", SIZES, 4, 1000003, 2, 4, 4, 0, decode_u32},
        {"small records", SIZES, 4, 100003, 8, 8, 8, 8, pack_u32},
        {"large records", SIZES, 4, 1003, 20000, 20000, 20000, 8, pack_u32},
    };
    expect_all_bounded(calls, sizeof calls / sizeof *calls);
}
