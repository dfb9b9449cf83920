/*
 * The public headers of parscan 0.1.0 in one, without their comments: what a program was compiled
 * against that runs with a library of today. This file never changes.
 */
#ifndef PARSCAN_TESTS_PARSCAN_0_1_0_H
#define PARSCAN_TESTS_PARSCAN_0_1_0_H
#include <stddef.h>
#include <stdint.h>

#define PARSCAN_API __attribute__((visibility("default")))
#define PARSCAN_VERSION_MAJOR 0
#define PARSCAN_VERSION_MINOR 1
#define PARSCAN_VERSION_PATCH 0
#define PARSCAN_VERSION_STRING "0.1.0"
typedef enum parscan_status {
    PARSCAN_OK = 0,
    PARSCAN_ERROR_INVALID_ARGUMENT = 1,
    PARSCAN_ERROR_UNSUPPORTED = 2,
    PARSCAN_ERROR_OUT_OF_MEMORY = 3,
    PARSCAN_ERROR_OVERFLOW = 4,
    PARSCAN_ERROR_CAPACITY = 5,
    PARSCAN_ERROR_BACKEND = 6,
    PARSCAN_ERROR_DEVICE = 7,
    PARSCAN_ERROR_INTERNAL = 8
} parscan_status;
typedef enum parscan_type {
    PARSCAN_U8 = 1,
    PARSCAN_I8 = 2,
    PARSCAN_U16 = 3,
    PARSCAN_I16 = 4,
    PARSCAN_U32 = 5,
    PARSCAN_I32 = 6,
    PARSCAN_U64 = 7,
    PARSCAN_I64 = 8,
    PARSCAN_F32 = 9,
    PARSCAN_F64 = 10
} parscan_type;
typedef enum parscan_op {
    PARSCAN_SUM = 0,
    PARSCAN_PRODUCT = 1,
    PARSCAN_MIN = 2,
    PARSCAN_MAX = 3,
    PARSCAN_AND = 4,
    PARSCAN_OR = 5,
    PARSCAN_XOR = 6
} parscan_op;
typedef enum parscan_algorithm {
    PARSCAN_AUTO = 0,
    PARSCAN_SEQUENTIAL = 1,
    PARSCAN_SINGLE_PASS = 6,
    PARSCAN_KOGGE_STONE = 2,
    PARSCAN_BRENT_KUNG = 3,
    PARSCAN_THREE_PHASE = 4,
    PARSCAN_WARP = 5,
    PARSCAN_WARP_PADDED = 7
} parscan_algorithm;
typedef enum parscan_backend {
    PARSCAN_BACKEND_AUTO = 0,
    PARSCAN_BACKEND_CPU = 1,
    PARSCAN_BACKEND_CUDA = 2
} parscan_backend;
PARSCAN_API const char *parscan_type_name(parscan_type type);
PARSCAN_API const char *parscan_op_name(parscan_op op);
PARSCAN_API const char *parscan_algorithm_name(parscan_algorithm algorithm);
PARSCAN_API const char *parscan_backend_name(parscan_backend backend);
PARSCAN_API const char *parscan_status_string(parscan_status status);
PARSCAN_API size_t parscan_type_size(parscan_type type);
PARSCAN_API const char *parscan_version(void);

typedef struct parscan_context parscan_context;
typedef struct parscan_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *pointer, void *user);
    void *user;
} parscan_allocator;
typedef struct parscan_context_options {
    size_t struct_size;
    parscan_backend backend;
    int device;
    void *stream;
    unsigned threads;
    size_t scratch_limit;
    parscan_allocator allocator;
    char *error;
    size_t error_size;
} parscan_context_options;
#define PARSCAN_CONTEXT_OPTIONS(...) \
    ((parscan_context_options){.struct_size = sizeof(parscan_context_options), __VA_ARGS__})
PARSCAN_API parscan_status parscan_context_create(parscan_context **context,
                                                  const parscan_context_options *options);
PARSCAN_API void parscan_context_destroy(parscan_context *context);
PARSCAN_API parscan_status parscan_synchronize(parscan_context *context);
PARSCAN_API parscan_backend parscan_context_backend(const parscan_context *context);
PARSCAN_API const char *parscan_context_device(const parscan_context *context);
PARSCAN_API unsigned parscan_context_threads(const parscan_context *context);
PARSCAN_API const char *parscan_context_simd(const parscan_context *context);
PARSCAN_API const char *parscan_context_error(const parscan_context *context);

PARSCAN_API parscan_status parscan_malloc(parscan_context *context, void **pointer, size_t size);
PARSCAN_API parscan_status parscan_free(parscan_context *context, void *pointer);
PARSCAN_API parscan_status parscan_copy(parscan_context *context, void *to, const void *from,
                                        size_t size);

typedef struct parscan_scan_options {
    size_t struct_size;
    parscan_op op;
    parscan_algorithm algorithm;
    parscan_type out_type;
    const void *init;
    int reverse;
    int reproducible;
    unsigned block_threads;
    unsigned items_per_thread;
} parscan_scan_options;
#define PARSCAN_SCAN_OPTIONS(...) \
    ((parscan_scan_options){.struct_size = sizeof(parscan_scan_options), __VA_ARGS__})
PARSCAN_API parscan_status parscan_inclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_exclusive_scan(parscan_context *context, parscan_type type,
                                                  const void *in, void *out, size_t n,
                                                  const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_reduce(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n,
                                          const parscan_scan_options *options);

typedef enum parscan_segment_kind {
    PARSCAN_SEGMENTS_FLAGS = 0,
    PARSCAN_SEGMENTS_OFFSETS = 1,
    PARSCAN_SEGMENTS_KEYS = 2
} parscan_segment_kind;
typedef struct parscan_segments {
    size_t struct_size;
    parscan_segment_kind kind;
    parscan_type type;
    const void *data;
    size_t count;
} parscan_segments;
#define PARSCAN_SEGMENTS(...) \
    ((parscan_segments){.struct_size = sizeof(parscan_segments), __VA_ARGS__})

PARSCAN_API parscan_status parscan_segmented_inclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_segmented_exclusive_scan(parscan_context *context,
                                                            parscan_type type, const void *in,
                                                            void *out, size_t n,
                                                            const parscan_segments *segments,
                                                            const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_segmented_reduce(parscan_context *context, parscan_type type,
                                                    const void *in, void *out, size_t n,
                                                    const parscan_segments *segments,
                                                    uint64_t *count,
                                                    const parscan_scan_options *options);
PARSCAN_API parscan_status parscan_recurrence(parscan_context *context, parscan_type type,
                                              const void *a, const void *b, const void *x0,
                                              void *out, size_t n);

typedef struct parscan_sort_options {
    size_t struct_size;
    int descending;
    unsigned begin_bit, end_bit;
} parscan_sort_options;
#define PARSCAN_SORT_OPTIONS(...) \
    ((parscan_sort_options){.struct_size = sizeof(parscan_sort_options), __VA_ARGS__})
PARSCAN_API parscan_status parscan_sort_keys(parscan_context *context, parscan_type key_type,
                                             const void *keys_in, void *keys_out, size_t n,
                                             const parscan_sort_options *options);
PARSCAN_API parscan_status parscan_sort_pairs(parscan_context *context, parscan_type key_type,
                                              const void *keys_in, void *keys_out,
                                              size_t value_size, const void *values_in,
                                              void *values_out, size_t n,
                                              const parscan_sort_options *options);
PARSCAN_API parscan_status parscan_argsort(parscan_context *context, parscan_type key_type,
                                           const void *keys, parscan_type index_type,
                                           void *indices_out, size_t n,
                                           const parscan_sort_options *options);
PARSCAN_API parscan_status parscan_sort_segments(parscan_context *context, parscan_type key_type,
                                                 const void *keys_in, void *keys_out,
                                                 size_t value_size, const void *values_in,
                                                 void *values_out, size_t n,
                                                 const parscan_segments *segments,
                                                 const parscan_sort_options *options);

typedef enum parscan_comparison {
    PARSCAN_NONZERO = 0,
    PARSCAN_EQUAL = 1,
    PARSCAN_NOT_EQUAL = 2,
    PARSCAN_LESS = 3,
    PARSCAN_LESS_EQUAL = 4,
    PARSCAN_GREATER = 5,
    PARSCAN_GREATER_EQUAL = 6,
    PARSCAN_BETWEEN = 7
} parscan_comparison;
typedef struct parscan_predicate {
    size_t struct_size;
    parscan_comparison comparison;
    const void *value;
    const void *upper;
} parscan_predicate;
#define PARSCAN_PREDICATE(...) \
    ((parscan_predicate){.struct_size = sizeof(parscan_predicate), __VA_ARGS__})
PARSCAN_API parscan_status parscan_compact(parscan_context *context, size_t element_size,
                                           const void *in, const uint8_t *flags, void *out,
                                           size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_compact_if(parscan_context *context, parscan_type type,
                                              const void *in, const parscan_predicate *keep,
                                              void *out, size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_compact_indices(parscan_context *context, parscan_type type,
                                                   const void *in, const parscan_predicate *keep,
                                                   parscan_type index_type, void *indices_out,
                                                   size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_partition(parscan_context *context, parscan_type type,
                                             const void *in, const parscan_predicate *keep,
                                             void *out, size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_unique(parscan_context *context, parscan_type type,
                                          const void *in, void *out, size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_run_length_encode(parscan_context *context, parscan_type type,
                                                     const void *in, void *values,
                                                     parscan_type count_type, void *lengths,
                                                     size_t n, uint64_t *count);
PARSCAN_API parscan_status parscan_dense_to_csr(parscan_context *context, parscan_type type,
                                                const void *dense, size_t rows, size_t columns,
                                                parscan_type index_type, void *row_offsets,
                                                void *column_indices, void *values,
                                                uint64_t *count);

typedef struct parscan_histogram_options {
    size_t struct_size;
    const void *lower, *upper;
} parscan_histogram_options;
#define PARSCAN_HISTOGRAM_OPTIONS(...) \
    ((parscan_histogram_options){.struct_size = sizeof(parscan_histogram_options), __VA_ARGS__})
PARSCAN_API parscan_status parscan_histogram(parscan_context *context, parscan_type type,
                                             const void *in, size_t n, size_t bins,
                                             parscan_type count_type, void *counts,
                                             const parscan_histogram_options *options);
PARSCAN_API parscan_status parscan_bin(parscan_context *context, parscan_type bin_type,
                                       const void *bin_of, size_t value_size, const void *values,
                                       size_t n, size_t bins, parscan_type offset_type,
                                       void *offsets, void *values_out);

typedef struct parscan_allocate_options {
    size_t struct_size;
    uint64_t alignment;
    uint64_t capacity;
} parscan_allocate_options;
#define PARSCAN_ALLOCATE_OPTIONS(...) \
    ((parscan_allocate_options){.struct_size = sizeof(parscan_allocate_options), __VA_ARGS__})
PARSCAN_API parscan_status parscan_allocate(parscan_context *context, parscan_type size_type,
                                            const void *sizes, size_t n, parscan_type offset_type,
                                            void *offsets, uint64_t *total,
                                            const parscan_allocate_options *options);
PARSCAN_API parscan_status parscan_expand(parscan_context *context, parscan_type size_type,
                                          const void *sizes, size_t n, parscan_type index_type,
                                          void *owner, void *rank, uint64_t capacity,
                                          uint64_t *total);
PARSCAN_API parscan_status parscan_pack(parscan_context *context, const void *in,
                                        parscan_type offset_type, const void *in_offsets,
                                        parscan_type size_type, const void *sizes, void *out,
                                        const void *out_offsets, size_t n);

#endif
