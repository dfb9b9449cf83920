// The option macros of the public headers, as C++20 takes them: wherever an expression may stand,
// with any of the fields left out, without a warning.
#include "parscan/parscan.h"

static const parscan_sort_options down = PARSCAN_SORT_OPTIONS(.descending = 1);
static const int32_t three = 3;
static const parscan_predicate below =
    PARSCAN_PREDICATE(.comparison = PARSCAN_LESS, .value = &three);
constexpr parscan_allocate_options aligned = PARSCAN_ALLOCATE_OPTIONS(.alignment = 8);
constexpr parscan_sorter_options u8s = PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U8);
static_assert(u8s.struct_size == sizeof u8s && u8s.memory_limit == 0, "fields");
static_assert(aligned.struct_size == sizeof aligned && aligned.capacity == 0, "fields");

template <class T>
parscan_scan_options reverse(const T *init)
{
    const parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.init = init, .reverse = 1);
    return options;
}

template <class Call>
static bool all_of_them(parscan_context *context, Call call)
{
    const uint8_t heads[] = {1, 0, 1, 0};
    const int32_t in[] = {1, 5, 2, 4};
    int32_t out[4] = {};
    const auto segments = PARSCAN_SEGMENTS(.data = heads);
    const auto bounds = PARSCAN_HISTOGRAM_OPTIONS();
    uint32_t counts[8] = {}, offsets[4] = {};
    uint64_t kept = 0, total = 0;
    bool right = parscan_segmented_inclusive_scan(context, PARSCAN_I32, in, out, 4, &segments,
                                                  nullptr) == PARSCAN_OK;
    right = right && out[1] == 6 && out[3] == 6;
    right = right && parscan_sort_keys(context, PARSCAN_I32, in, out, 4, &down) == PARSCAN_OK;
    right = right && out[0] == 5 && out[3] == 1;
    right =
        right && parscan_compact_if(context, PARSCAN_I32, in, &below, out, 4, &kept) == PARSCAN_OK;
    right = right && kept == 2 && out[1] == 2;
    right = right && parscan_histogram(context, PARSCAN_I32, in, 4, 8, PARSCAN_U32, counts,
                                       &bounds) == PARSCAN_OK;
    right = right && counts[5] == 1 && counts[3] == 0;
    right = right && parscan_allocate(context, PARSCAN_U32, counts, 4, PARSCAN_U32, offsets, &total,
                                      &aligned) == PARSCAN_OK;
    parscan_chunked *chunked = nullptr;
    const auto chunk = PARSCAN_CHUNK(.in = in, .out = out, .n = 4);
    const auto end = PARSCAN_CHUNKED_END(.total = &kept);
    right = right && parscan_chunked_create_inclusive_scan(&chunked, context, PARSCAN_I32,
                                                           nullptr) == PARSCAN_OK;
    right = right && parscan_chunked_update(chunked, &chunk) == PARSCAN_OK &&
            parscan_chunked_finish(chunked, &end) == PARSCAN_OK && out[3] == 12 && kept == 4;
    parscan_chunked_destroy(chunked);
    return right && total == 16 && call(PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
}

struct interval {
    int32_t low, high;
};
PARSCAN_DEFINE_PREDICATE(is_wide, interval, (),
                         { return x.high - x.low > *(const int32_t *)state; })

/* The macros give fields in the order of their declaration. */
static bool keeps_wide_intervals(parscan_context *context)
{
    const int32_t width = 2;
    const interval in[] = {{1, 2}, {1, 9}, {3, 4}, {0, 3}};
    interval out[4] = {};
    uint64_t kept = 0;
    parscan_operator *wide = nullptr;
    const parscan_operator_options options = PARSCAN_OPERATOR_OPTIONS(
        PARSCAN_DEFINED_PREDICATE(is_wide, interval), .state = &width, .state_size = sizeof width);
    if (parscan_operator_create(&wide, &options) != PARSCAN_OK)
        return false;
    const parscan_predicate keep = PARSCAN_PREDICATE(.custom = wide);
    const parscan_status status =
        parscan_compact_if(context, PARSCAN_CUSTOM, in, &keep, out, 4, &kept);
    parscan_operator_destroy(wide);
    return status == PARSCAN_OK && kept == 2 && out[0].high == 9 && out[1].high == 3;
}

int main()
{
    parscan_context *context = nullptr;
    const parscan_context_options one_thread = PARSCAN_CONTEXT_OPTIONS(.threads = 1);
    if (parscan_context_create(&context, &one_thread) != PARSCAN_OK)
        return 1;
    const parscan_scan_options options =
        PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX, .algorithm = PARSCAN_BRENT_KUNG, .reverse = 1);
    const int32_t in[] = {1, 5, 2, 4};
    int32_t out[4] = {};
    parscan_status status = parscan_inclusive_scan(context, PARSCAN_I32, in, out, 4, &options);
    bool right = status == PARSCAN_OK && out[0] == 5 && out[1] == 5 && out[2] == 4 && out[3] == 4;
    const parscan_scan_options from_three = reverse(&three);
    status = parscan_inclusive_scan(context, PARSCAN_I32, in, out, 4, &from_three);
    right = right && status == PARSCAN_OK && out[0] == 15 && out[3] == 7;
    right = right && all_of_them(context, [&](const parscan_scan_options &minimum) {
                return parscan_reduce(context, PARSCAN_I32, in, out, 4, &minimum) == PARSCAN_OK &&
                       out[0] == 1;
            });
    right = right && keeps_wide_intervals(context);
    parscan_context_destroy(context);
    return right ? 0 : 2;
}
