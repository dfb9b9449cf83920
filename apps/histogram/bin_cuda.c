/*
 * The host side of a counting sort by bins on CUDA. Its variants are those of bin_plan.h. Few elements
 * take one launch. More elements are sorted by their bins in the passes of a radix sort (apps/radix);
 * the first pass leaves out elements without a bin. The last pass stores where each bin that has
 * elements starts, and a scan in reverse fills in the others, unless the offsets come from elsewhere.
 */
#include "apps/histogram/bin_cuda.h"

#include "apps/histogram/bin_call.h"
#include "apps/histogram/histogram_cuda.h"
#include "parscan/scan.h"
#include "scan/cuda/driver.h"

enum { BIN_OF, BIN_VALUES, BIN_OFFSETS, BIN_OUT, BIN_ARRAYS };

typedef struct bin_pass {
    bin_call *call;
    parscan_cuda_array *arrays; /* the driver's */
    bin_variant variant;
    sort_bins bins;
    bool wide;    /* the passes sort bins of 64 bits, else of 32 */
    bool fetches; /* the passes sort indices; the values are gathered by them */
} bin_pass;

/* Counts the bins in the array of offsets. */
static parscan_status count_bins(const bin_pass *pass)
{
    const bin_call *const call = pass->call;
    parscan_cuda *const cuda = call->context->cuda;
    const parscan_deferred deferred = call->n_at != NULL ? parscan_cuda_deferred(call->context)
                                                         : (parscan_deferred){.ordinal = 0};
    if (pass->variant == BIN_COUNTED) {
        const histogram_on_device made = {
            .map = {.kind = BIN_MAP_SHIFT, .bins = (uint32_t)call->bins, .width = call->bins},
            .elements = parscan_type_traits_of(call->bin_type).key,
            .in = pass->arrays[BIN_OF].device,
            .n = call->n,
            .n_at = call->n_at,
            .deferred = deferred,
            .counts = pass->bins.offsets,
            .wide = pass->bins.wide,
        };
        return PARSCAN_CUDA_QUEUE(call->context, parscan_histogram_launch(cuda, &made));
    }
    const count_bins_params all = {pass->arrays[BIN_OF].device, call->n, pass->bins, call->n_at,
                                   deferred};
    const parscan_status status = PARSCAN_CUDA_QUEUE(
        call->context,
        cudaMemsetAsync(pass->bins.offsets, 0, call->bins * call->offset_size, cuda->stream));
    return status == PARSCAN_OK
               ? PARSCAN_CUDA_QUEUE(call->context, parscan_bin_count_launch(cuda, &all))
               : status;
}

static parscan_status find_offsets(const bin_pass *pass)
{
    const bin_call *const call = pass->call;
    char *const offsets = pass->arrays[BIN_OFFSETS].device;
    parscan_status status = PARSCAN_OK;
    if (call->bins > 0)
        status = count_bins(pass);
    if (status == PARSCAN_OK)
        status = PARSCAN_CUDA_QUEUE(
            call->context, cudaMemsetAsync(offsets + call->bins * call->offset_size, 0,
                                           call->offset_size, call->context->cuda->stream));
    if (status == PARSCAN_OK && call->bins > 0 && call->n > 0)
        status = parscan_exclusive_scan(call->context, call->offset_type, offsets, offsets,
                                        call->bins + 1, NULL);
    return status;
}

static sort_bins bins_of(const bin_pass *pass)
{
    const bin_call *const call = pass->call;
    const size_t size = parscan_type_size(call->bin_type);
    const uint64_t most = size < 4 ? (uint64_t)1 << 8 * size : UINT64_MAX;
    return (sort_bins){
        .count = call->bins < most ? call->bins : most,
        .size = size,
        .bins = call->bins,
        .offsets = pass->arrays[BIN_OFFSETS].device,
        .wide = call->offset_size == sizeof(uint64_t),
        .from = pass->variant == BIN_BY_RANGES  ? OFFSETS_OF_RANGES
                : pass->variant == BIN_BY_TILES ? OFFSETS_OF_TILES
                                                : OFFSETS_OF_DIGITS,
    };
}

/* Whether values are words of 4 or 8 bytes, which the passes move. For others they move indices. */
static bool are_words(const bin_pass *pass)
{
    const size_t size = pass->call->value_size;
    return (size == 4 || size == 8) && (uintptr_t)pass->arrays[BIN_VALUES].device % size == 0 &&
           (uintptr_t)pass->arrays[BIN_OUT].device % size == 0;
}

static parscan_status make_room_for_bin(const bin_pass *pass, parscan_sort_cuda_call *sort)
{
    const size_t n = pass->call->n, entries = n * sort->value_size;
    const size_t bins = n * (pass->wide ? sizeof(uint64_t) : sizeof(uint32_t));
    scratch_piece pieces[5];
    unsigned count = 0;
    const bool few = pass->variant == BIN_IN_BLOCK;
    if (!few || pass->fetches)
        pieces[count++] = (scratch_piece){sizeof(sort_state), (void **)&sort->plan};
    if (pass->fetches)
        pieces[count++] = (scratch_piece){entries, &sort->values[SORT_OUT]};
    if (!few && sort->passes > 1) {
        pieces[count++] = (scratch_piece){bins, &sort->keys[SORT_SPARE]};
        pieces[count++] = (scratch_piece){entries, &sort->values[SORT_SPARE]};
    }
    if (!few && sort->passes > 2)
        pieces[count++] = (scratch_piece){bins, &sort->keys[SORT_OUT]};
    return count == 0 ? PARSCAN_OK : parscan_sort_take_scratch(pass->call->context, pieces, count);
}

/* Sets the offset of each empty bin to that of the next bin that has elements. */
static parscan_status fill_offsets(const bin_pass *pass)
{
    const bin_call *const call = pass->call;
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN, .reverse = true);
    return parscan_inclusive_scan(call->context, call->offset_type, pass->bins.offsets,
                                  pass->bins.offsets, call->bins + 1, &options);
}

static parscan_status fetch_values(const bin_pass *pass, const parscan_sort_cuda_call *sort)
{
    const parscan_gather_call gather = {
        .in = pass->arrays[BIN_VALUES].device,
        .index = sort->values[SORT_OUT],
        .out = pass->arrays[BIN_OUT].device,
        .size = pass->call->value_size,
        .n = pass->call->n,
        .index_size = sort->value_size,
        .count = &sort->plan->kept,
    };
    return parscan_gather_cuda(pass->call->context, &gather);
}

/* Sorts the values by their bins and computes the offsets. With few elements, it also serves
   calls without values. */
static parscan_status sort_by_bins(bin_pass *pass)
{
    const bin_call *const call = pass->call;
    const bool places = call->values_out != NULL, indices = call->values == NULL;
    pass->fetches = places && !indices && !are_words(pass);
    pass->wide = pass->bins.size == sizeof(uint64_t) || pass->bins.count > UINT32_MAX;
    parscan_sort_cuda_call sort = {
        .context = call->context,
        .keys = {pass->arrays[BIN_OF].device},
        .values = {pass->arrays[BIN_VALUES].device, pass->arrays[BIN_OUT].device},
        .n = call->n,
        .n_at = call->n_at,
        .value_size = !pass->fetches && places              ? call->value_size
                      : call->n <= (uint64_t)UINT32_MAX + 1 ? sizeof(uint32_t)
                                                            : sizeof(uint64_t),
        .indices = indices || pass->fetches,
        .drops_keys = true,
        .bins = pass->bins,
        .in_block = pass->variant == BIN_IN_BLOCK,
    };
    uint64_t bits = 1;
    while (bits < pass->bins.count - 1)
        bits = 2 * bits + 1;
    parscan_sort_choose_digits(&sort, bits, false);
    parscan_status status = make_room_for_bin(pass, &sort);
    if (status == PARSCAN_OK)
        status = pass->wide ? parscan_bin_cuda_u64(&sort) : parscan_bin_cuda_u32(&sort);
    if (status == PARSCAN_OK && pass->variant == BIN_BY_TILES)
        status = fill_offsets(pass);
    return status == PARSCAN_OK && pass->fetches ? fetch_values(pass, &sort) : status;
}

static unsigned describe_bin(const void *given, parscan_cuda_array *arrays)
{
    const bin_pass *const pass = given;
    const bin_call *const call = pass->call;
    const size_t values = call->values_out != NULL ? call->n : 0;
    arrays[BIN_OF] =
        parscan_cuda_input("bin_of", call->bin_of, call->n, parscan_type_size(call->bin_type));
    arrays[BIN_VALUES] = parscan_cuda_input("values", call->values, values, call->value_size);
    arrays[BIN_OFFSETS] =
        parscan_cuda_output("offsets", call->offsets, call->bins + 1, call->offset_size);
    arrays[BIN_OUT] = parscan_cuda_output("values_out", call->values_out, values, call->value_size);
    /* Indices are aligned to their type; values are bytes. */
    arrays[BIN_VALUES].alignment = 1;
    if (call->values != NULL)
        arrays[BIN_OUT].alignment = 1;
    return BIN_ARRAYS;
}

static unsigned lengths_of_bin(void *given, parscan_cuda_length *lengths)
{
    bin_call *const call = ((bin_pass *)given)->call;
    lengths[0] = (parscan_cuda_length){LENGTH_N, &call->n, &call->n_at};
    return 1;
}

static bin_variant plan_bin(const bin_call *call)
{
    const parscan_cuda *const cuda = call->context->cuda;
    const bin_facts facts = {call->n, call->bins, call->values_out != NULL};
    const bin_variant variant = parscan_bin_plan(&cuda->plan_device, &facts);
    if (cuda->prints_plans)
        parscan_plan_print(&parscan_bin_plans, variant, "%zu elements, %zu bins%s", call->n,
                           call->bins, facts.values ? "" : ", no values");
    return variant;
}

static parscan_status launch_bin(void *given, parscan_cuda_array *arrays)
{
    bin_pass *const pass = given;
    pass->arrays = arrays;
    pass->variant = plan_bin(pass->call);
    pass->bins = bins_of(pass);
    return pass->variant == BIN_COUNTED || pass->variant == BIN_COUNTED_IN_MEMORY
               ? find_offsets(pass)
               : sort_by_bins(pass);
}

/* Reads the number of values that have a bin, since only so many are copied to the host. */
static parscan_status learn_kept(void *given, parscan_cuda_array *arrays)
{
    const bin_call *const call = ((const bin_pass *)given)->call;
    const char *const end =
        (const char *)arrays[BIN_OFFSETS].device + call->bins * call->offset_size;
    uint64_t kept = 0;
    if (!arrays[BIN_OUT].staged)
        return PARSCAN_OK;
    const parscan_status status =
        parscan_cuda_unstage(call->context, &kept, end, call->offset_size);
    arrays[BIN_OUT].bytes = kept * call->value_size;
    return status;
}

parscan_status parscan_bin_cuda(const bin_call *given)
{
    static const parscan_cuda_operation operation = {.describe = describe_bin,
                                                     .lengths = lengths_of_bin,
                                                     .launch = launch_bin,
                                                     .finish = learn_kept};
    bin_call call = *given;
    bin_pass pass = {.call = &call};
    return parscan_cuda_run(call.context, "parscan_bin", &operation, &pass);
}
