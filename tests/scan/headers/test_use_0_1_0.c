/*
 * A program that was compiled against the headers of parscan 0.1.0, and runs with the library of
 * today: its structs have the sizes of then, its enums the numbers of then, and every function is
 * still there. Options lie on the stack between bytes that are not zero, as in any program.
 */
#include <stdio.h>
#include <string.h>

#include "tests/scan/headers/parscan_0_1_0.h"

#ifdef PARSCAN_WITH_SIZE
#error "a header of today was included"
#endif

enum { N = 8 };
static const int32_t in[N] = {3, 1, 7, 0, 4, 1, 6, 3};
static int failures;

/* The sizes that the library pins as the oldest (scan/context/check.h). */
#define HAS_SIZE(type, bytes) \
    typedef char type##_has_its_size[sizeof(void *) != 8 || sizeof(type) == (bytes) ? 1 : -1]
HAS_SIZE(parscan_context_options, 80);
HAS_SIZE(parscan_scan_options, 48);
HAS_SIZE(parscan_segments, 32);
HAS_SIZE(parscan_sort_options, 24);
HAS_SIZE(parscan_predicate, 32);
HAS_SIZE(parscan_histogram_options, 24);
HAS_SIZE(parscan_allocate_options, 24);

/* A struct between two runs of bytes that are not zero; its padding is not zero either. */
#define AMONG_GARBAGE(type)         \
    struct {                        \
        unsigned char before[64];   \
        type value;                 \
        unsigned char behind[4096]; \
    }
#define FILL(variable, size)                                                          \
    (memset(&(variable), 0xa5, sizeof(variable)), memset(&(variable).value, 0, size), \
     (variable).value.struct_size = sizeof(variable).value)

static void expect(parscan_context *context, parscan_status status, const char *call,
                   const void *out, const void *expected, size_t bytes)
{
    if (status == PARSCAN_OK && memcmp(out, expected, bytes) == 0)
        return;
    failures++;
    fprintf(stderr, "%s: %s: %s\n", call, parscan_status_string(status),
            status == PARSCAN_OK ? "another result" : parscan_context_error(context));
}

#define EXPECT(call, out, ...)                                          \
    do {                                                                \
        const int32_t expected[] = {__VA_ARGS__};                       \
        memset(out, 0xff, sizeof(out));                                 \
        const parscan_status status = call;                             \
        expect(context, status, #call, out, expected, sizeof expected); \
    } while (0)

static void scans(parscan_context *context)
{
    AMONG_GARBAGE(parscan_scan_options) options;
    int32_t out[N];
    FILL(options, sizeof options.value);
    options.value.op = PARSCAN_MAX;
    options.value.reverse = 1;
    EXPECT(parscan_inclusive_scan(context, PARSCAN_I32, in, out, N, &options.value), out, 7, 7, 7,
           6, 6, 6, 6, 3);
    EXPECT(parscan_reduce(context, PARSCAN_I32, in, out, N, &options.value), out, 7);
    options.value = PARSCAN_SCAN_OPTIONS(.algorithm = PARSCAN_THREE_PHASE, .block_threads = 2,
                                         .items_per_thread = 2);
    EXPECT(parscan_exclusive_scan(context, PARSCAN_I32, in, out, N, &options.value), out, 0, 3, 4,
           11, 11, 15, 16, 22);
}

static void segments(parscan_context *context)
{
    static const uint32_t cuts[] = {0, 3, 3, 8};
    AMONG_GARBAGE(parscan_segments) three;
    int32_t out[N];
    FILL(three, sizeof three.value);
    three.value = PARSCAN_SEGMENTS(.kind = PARSCAN_SEGMENTS_OFFSETS, .type = PARSCAN_U32,
                                   .data = cuts, .count = 3);
    EXPECT(parscan_segmented_inclusive_scan(context, PARSCAN_I32, in, out, N, &three.value, NULL),
           out, 3, 4, 11, 0, 4, 5, 11, 14);
    EXPECT(parscan_segmented_exclusive_scan(context, PARSCAN_I32, in, out, N, &three.value, NULL),
           out, 0, 3, 4, 0, 0, 4, 5, 11);
    EXPECT(parscan_segmented_reduce(context, PARSCAN_I32, in, out, N, &three.value, NULL, NULL),
           out, 11, 0, 14);
    EXPECT(
        parscan_sort_segments(context, PARSCAN_I32, in, out, 0, NULL, NULL, N, &three.value, NULL),
        out, 1, 3, 7, 0, 1, 3, 4, 6);
}

/* The last four bytes of these options had no name in 0.1.0: a caller may leave anything there. */
static void sorts(parscan_context *context)
{
    AMONG_GARBAGE(parscan_sort_options) options;
    int32_t out[N], values[N];
    FILL(options, 20);
    options.value.descending = 1;
    options.value.begin_bit = 1;
    options.value.end_bit = 3;
    EXPECT(parscan_sort_keys(context, PARSCAN_I32, in, out, N, &options.value), out, 7, 6, 4, 3, 3,
           1, 0, 1);
    EXPECT(parscan_sort_pairs(context, PARSCAN_I32, in, out, 4, in, values, N, &options.value),
           values, 7, 6, 4, 3, 3, 1, 0, 1);
    EXPECT(parscan_argsort(context, PARSCAN_I32, in, PARSCAN_U32, out, N, &options.value), out, 2,
           6, 4, 0, 7, 1, 3, 5);
}

static void compactions(parscan_context *context)
{
    static const int32_t low = 3, high = 6;
    AMONG_GARBAGE(parscan_predicate) keep;
    int32_t out[N];
    uint64_t count;
    FILL(keep, sizeof keep.value);
    keep.value = PARSCAN_PREDICATE(.comparison = PARSCAN_BETWEEN, .value = &low, .upper = &high);
    EXPECT(parscan_compact_if(context, PARSCAN_I32, in, &keep.value, out, N, &count), out, 3, 4, 6,
           3);
    EXPECT(
        parscan_compact_indices(context, PARSCAN_I32, in, &keep.value, PARSCAN_U32, out, N, &count),
        out, 0, 4, 6, 7);
    EXPECT(parscan_partition(context, PARSCAN_I32, in, &keep.value, out, N, &count), out, 3, 4, 6,
           3, 1, 7, 0, 1);
}

static void bins_and_offsets(parscan_context *context)
{
    static const int32_t lower = 1, upper = 7;
    AMONG_GARBAGE(parscan_histogram_options) bounds;
    AMONG_GARBAGE(parscan_allocate_options) room;
    int32_t out[N];
    uint64_t total;
    FILL(bounds, sizeof bounds.value);
    bounds.value = PARSCAN_HISTOGRAM_OPTIONS(.lower = &lower, .upper = &upper);
    EXPECT(parscan_histogram(context, PARSCAN_I32, in, N, 2, PARSCAN_U32, out, &bounds.value), out,
           4, 2);
    FILL(room, sizeof room.value);
    room.value = PARSCAN_ALLOCATE_OPTIONS(.alignment = 4, .capacity = 36);
    EXPECT(parscan_allocate(context, PARSCAN_U32, in, N, PARSCAN_U32, out, &total, &room.value),
           out, 0, 4, 8, 16, 16, 20, 24, 32);
}

/* Those that this program does not call; the linker finds them. */
typedef void function(void);
static function *const others[] = {
    (function *)parscan_type_name,      (function *)parscan_op_name,
    (function *)parscan_algorithm_name, (function *)parscan_backend_name,
    (function *)parscan_type_size,      (function *)parscan_version,
    (function *)parscan_synchronize,    (function *)parscan_context_backend,
    (function *)parscan_context_device, (function *)parscan_context_threads,
    (function *)parscan_context_simd,   (function *)parscan_malloc,
    (function *)parscan_free,           (function *)parscan_copy,
    (function *)parscan_recurrence,     (function *)parscan_compact,
    (function *)parscan_unique,         (function *)parscan_run_length_encode,
    (function *)parscan_dense_to_csr,   (function *)parscan_bin,
    (function *)parscan_expand,         (function *)parscan_pack,
};

int main(void)
{
    AMONG_GARBAGE(parscan_context_options) options;
    char words[256] = "";
    parscan_context *context = NULL;
    FILL(options, sizeof options.value);
    options.value = PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 5000,
                                            .error = words, .error_size = sizeof words);
    if (parscan_context_create(&context, &options.value) != PARSCAN_ERROR_INVALID_ARGUMENT ||
        strstr(words, "5000") == NULL)
        return fprintf(stderr, "threads = 5000 is not refused in words: \"%s\"\n", words), 1;
    options.value.threads = 2;
    if (parscan_context_create(&context, &options.value) != PARSCAN_OK)
        return fprintf(stderr, "%s\n", words), 1;
    scans(context);
    segments(context);
    sorts(context);
    compactions(context);
    bins_and_offsets(context);
    parscan_context_destroy(context);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        failures += others[k] == NULL;
    return failures != 0;
}
