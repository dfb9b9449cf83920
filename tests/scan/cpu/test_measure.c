/* Contexts that measure: what they tell against what a context then holds, on the CPU; for CUDA, in a
   build that has it, without a device. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "tests/scan/cpu/array_calls.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/fewer_cases.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const unsigned thread_counts[] = {1, 2, 8, 64};
static const size_t lengths[] = {1000, (1u << 15) + 3, (1u << 18) + 3, 1u << 20};

static parscan_context *measuring(unsigned threads, size_t limit)
{
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = threads,
                                .scratch_limit = limit, .measure = 1);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK);
    return context;
}

/* ---- the CPU ---- */

static void call_primitive(size_t k, parscan_context *context, const primitive_inputs *in)
{
    char *const out = malloc(primitive_bytes(k, in) + 1);
    cr_assert_not_null(out);
    cr_assert_eq(primitive_run(k, context, in, out), PARSCAN_OK, "%s: %s", primitive_name(k),
                 parscan_context_error(context));
    free(out);
}

/* Whether the scratch depends on the elements: a histogram of many bins samples them; keys of rows have the
   bits that vary. */
static bool elements_choose(size_t k)
{
    const char *const name = primitive_name(k);
    return strncmp(name, "histogram of ", 13) == 0 || strcmp(name, "sort of columns") == 0 ||
           strcmp(name, "sort of strings") == 0;
}

Test(measure, tells_what_a_context_of_the_cpu_holds_after_each_call_and_after_all)
{
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        primitive_inputs *const in = primitive_inputs_begin(lengths[l]);
        cr_assert_not_null(in);
        for (size_t t = 0; t < 3; t++) {
            const unsigned threads = thread_counts[t];
            if (lengths[l] == 1u << 20 && threads != 8)
                continue;
            parscan_context *const all = cpu_context(threads), *const told = measuring(threads, 0);
            for (size_t k = 0; k < primitive_count(); k++) {
                if (!takes_larger_case())
                    continue;
                parscan_context *const one = cpu_context(threads);
                parscan_context *const told_of_one = measuring(threads, 0);
                call_primitive(k, one, in);
                call_primitive(k, all, in);
                call_primitive(k, told, in);
                call_primitive(k, told_of_one, in);
                const size_t held = parscan_context_scratch(one);
                const size_t told_one = parscan_context_scratch(told_of_one);
                cr_assert(told_one == held || (told_one > held && elements_choose(k)),
                          "%s of %zu elements on %u threads: %zu bytes are told, %zu held",
                          primitive_name(k), lengths[l], threads, told_one, held);
                cr_assert_geq(parscan_context_scratch(told), parscan_context_scratch(all),
                              "%s of %zu elements on %u threads, after others", primitive_name(k),
                              lengths[l], threads);
                parscan_context_destroy(one);
                parscan_context_destroy(told_of_one);
            }
            parscan_context_destroy(all);
            parscan_context_destroy(told);
        }
        primitive_inputs_end(in);
    }
}

Test(measure, keeps_to_the_limit_as_a_context_does)
{
    const size_t limit = 100000;
    primitive_inputs *const in = primitive_inputs_begin(lengths[2]);
    char *const out = malloc(lengths[2] * 24 + (1 << 20));
    for (size_t k = 0; k < primitive_count(); k++) {
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CPU, .threads = 8,
                                    .scratch_limit = limit);
        parscan_context *real, *const told = measuring(8, limit);
        cr_assert_eq(parscan_context_create(&real, &options), PARSCAN_OK);
        const parscan_status status = primitive_run(k, real, in, out);
        cr_assert_eq(primitive_run(k, told, in, out), status, "%s", primitive_name(k));
        cr_assert_geq(parscan_context_scratch(told), parscan_context_scratch(real), "%s",
                      primitive_name(k));
        parscan_context_destroy(real);
        parscan_context_destroy(told);
    }
    free(out);
    primitive_inputs_end(in);
}

/* ---- addresses without memory ---- */

static array_call call_of(parscan_context *context, size_t n)
{
    array_call call = {.context = context, .n = n};
    for (size_t k = 0; k < ARRAY_CALL_ARRAYS; k++)
        call.at[k] = (void *)(((uintptr_t)k + 1) << 44);
    return call;
}

static void expect_call(size_t k, parscan_context *context, size_t n)
{
    array_call call = call_of(context, n);
    const parscan_status status = array_call_run(k, &call);
    cr_assert_eq(status, PARSCAN_OK, "%s of %zu elements: %s", array_call_name(k), n,
                 parscan_context_error(context));
    cr_assert_eq(call.count, array_call_most(k, n), "%s of %zu elements: %llu", array_call_name(k),
                 n, (unsigned long long)call.count);
}

static const size_t any_length[] = {
    0, 1, 4097, 100003, 1u << 20, (1u << 23) + 1, 1u << 28, UINT32_MAX, (size_t)1 << 34};

Test(measure, of_the_cpu_needs_no_arrays_and_counts_the_most)
{
    for (size_t t = 0; t < COUNT_OF(thread_counts); t++)
        for (size_t k = 0; k < array_call_count() * COUNT_OF(any_length); k++) {
            parscan_context *const context = measuring(thread_counts[t], 0);
            expect_call(k / COUNT_OF(any_length), context, any_length[k % COUNT_OF(any_length)]);
            parscan_context_destroy(context);
        }
}

Test(measure, gives_addresses_for_memory_and_copies_nothing)
{
    parscan_context *const context = measuring(2, 0);
    void *a, *b;
    cr_assert_eq(parscan_malloc(context, &a, (size_t)1 << 50), PARSCAN_OK);
    cr_assert_eq(parscan_malloc(context, &b, 1), PARSCAN_OK);
    cr_assert(a != NULL && b != NULL && a != b);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, a, a, (size_t)1 << 40, NULL),
                 PARSCAN_OK);
    cr_assert_eq(parscan_copy(context, b, (char *)a + 64, 1), PARSCAN_OK);
    cr_assert_eq(parscan_context_reserve(context, (size_t)1 << 50), PARSCAN_OK);
    cr_assert_geq(parscan_context_scratch(context), (size_t)1 << 50);
    cr_assert_eq(parscan_free(context, a), PARSCAN_OK);
    cr_assert_eq(parscan_free(context, b), PARSCAN_OK);
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    parscan_context_destroy(context);
}

Test(measure, refuses_what_the_calls_refuse)
{
    parscan_context *const context = measuring(2, 0);
    char *const at = (char *)((uintptr_t)1 << 44);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, NULL, at, 5, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(parscan_inclusive_scan(context, PARSCAN_U32, at, at + 4, 5, NULL),
                 PARSCAN_ERROR_INVALID_ARGUMENT);
    parscan_sorter *sorter;
    const parscan_sorter_options sorts =
        PARSCAN_SORTER_OPTIONS(.key_type = PARSCAN_U32, .memory_limit = 64 << 20);
    cr_assert_eq(parscan_sorter_create(&sorter, context, &sorts), PARSCAN_ERROR_UNSUPPORTED);
    parscan_comm *comm;
    const parscan_comm_options ranks = PARSCAN_COMM_OPTIONS(.size = 1);
    cr_assert_eq(parscan_comm_create(&comm, context, &ranks), PARSCAN_ERROR_UNSUPPORTED);
    parscan_context_destroy(context);
}

static const parscan_measured_device h100 = {sizeof(parscan_measured_device), 132, 232448, 90, 0};

Test(measure, options_are_checked)
{
    const parscan_measured_device none =
        PARSCAN_MEASURED_DEVICE(.multiprocessors = 0, .shared_bytes = 232448, .architecture = 90);
    const struct {
        const char *word;
        parscan_context_options options;
    } wrong[] = {
        {"measure_host", PARSCAN_CONTEXT_OPTIONS(.measure_host = 1)},
        {"measure_device", PARSCAN_CONTEXT_OPTIONS(.measure_device = &h100)},
        {"measure_device", PARSCAN_CONTEXT_OPTIONS(.measure = 1, .backend = PARSCAN_BACKEND_CPU,
                                                   .measure_device = &h100)},
        {"multiprocessors = 0", PARSCAN_CONTEXT_OPTIONS(.measure = 1, .measure_device = &none)},
    };
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        char words[256] = "";
        parscan_context *context;
        parscan_context_options options = wrong[k].options;
        options.error = words;
        options.error_size = sizeof words;
        const parscan_status status = parscan_context_create(&context, &options);
        cr_assert(status == PARSCAN_ERROR_INVALID_ARGUMENT ||
                      (k == 3 && status == PARSCAN_ERROR_BACKEND),
                  "%zu: %s", k, words);
        cr_assert(status == PARSCAN_ERROR_BACKEND || strstr(words, wrong[k].word) != NULL, "%s",
                  words);
    }
}

/* ---- CUDA without a device ---- */

static const parscan_measured_device t4 = {sizeof(parscan_measured_device), 40, 65536, 75, 0};
static const parscan_measured_device rtx = {sizeof(parscan_measured_device), 170, 101376, 120, 0};
static const parscan_measured_device *const devices[] = {&h100, &t4, &rtx};

/* NULL: this build has no CUDA. */
static parscan_context *measuring_cuda(const parscan_measured_device *device, bool host,
                                       size_t limit)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.scratch_limit = limit, .error = words, .error_size = sizeof words,
                                .measure = 1, .measure_host = host, .measure_device = device);
    const parscan_status status = parscan_context_create(&context, &options);
    cr_assert(status == PARSCAN_OK || (status == PARSCAN_ERROR_BACKEND &&
                                       strstr(words, "this build has no CUDA") != NULL),
              "%s", words);
    return context;
}

static bool has_cuda(void)
{
    parscan_context *const context = measuring_cuda(&h100, false, 0);
    const bool has = context != NULL;
    parscan_context_destroy(context);
    if (!has)
        cr_skip_test("this build has no CUDA\n");
    return has;
}

static size_t told_of(size_t k, const parscan_measured_device *device, size_t n)
{
    parscan_context *const context = measuring_cuda(device, false, 0);
    cr_assert_eq(parscan_context_backend(context), PARSCAN_BACKEND_CUDA);
    expect_call(k, context, n);
    cr_assert_eq(parscan_synchronize(context), PARSCAN_OK);
    const size_t told = parscan_context_scratch(context);
    expect_call(k, context, n);
    cr_assert_eq(parscan_context_scratch(context), told, "%s: the second time", array_call_name(k));
    parscan_context_destroy(context);
    return told;
}

Test(measure, of_cuda_needs_no_device_and_grows_with_the_length)
{
    if (!has_cuda())
        return;
    for (size_t d = 0; d < COUNT_OF(devices); d++)
        for (size_t k = 0; k < array_call_count(); k++) {
            if (!array_call_on_cuda(k))
                continue;
            size_t before = 0;
            for (size_t l = 0; l < COUNT_OF(any_length); l++) {
                const size_t told = told_of(k, devices[d], any_length[l]);
                cr_assert_eq(told, told_of(k, devices[d], any_length[l]));
                cr_expect(told >= before || any_length[l] < (1u << 23),
                          "%s of %zu elements, device %zu: %zu bytes, of fewer %zu",
                          array_call_name(k), any_length[l], d, told, before);
                before = told;
            }
        }
}

/* Two sorts of n u64 take the keys once more, and 2 MiB and some more. */
Test(measure, of_cuda_tells_what_the_headers_tell)
{
    if (!has_cuda())
        return;
    const size_t n = (size_t)1 << 30;
    parscan_context *const context = measuring_cuda(&h100, false, 0);
    char *const at = (char *)((uintptr_t)1 << 44);
    cr_assert_eq(parscan_sort_keys(context, PARSCAN_U64, at, at + 8 * n, n, NULL), PARSCAN_OK);
    const size_t told = parscan_context_scratch(context);
    cr_assert(told >= 8 * n && told < 8 * n + (4u << 20), "%zu", told - 8 * n);
    parscan_context_destroy(context);
}

Test(measure, of_cuda_counts_copies_of_host_arrays)
{
    if (!has_cuda())
        return;
    const size_t n = 1000003;
    parscan_context *const device = measuring_cuda(&h100, false, 0);
    parscan_context *const host = measuring_cuda(&h100, true, 0);
    parscan_context *const limited = measuring_cuda(&h100, true, 1 << 20);
    array_call call = call_of(device, n);
    for (size_t k = 0; k < array_call_count(); k++) {
        if (!array_call_on_cuda(k))
            continue;
        call.context = device;
        cr_assert_eq(array_call_run(k, &call), PARSCAN_OK);
        call.context = host;
        const parscan_status status = array_call_run(k, &call);
        cr_assert(status == PARSCAN_OK || (status == PARSCAN_ERROR_UNSUPPORTED &&
                                           strcmp(array_call_name(k), "pack") == 0),
                  "%s: %s", array_call_name(k), parscan_context_error(host));
    }
    cr_assert_geq(parscan_context_scratch(host), parscan_context_scratch(device) + 4 * n);
    call.context = limited;
    cr_assert_eq(array_call_run(0, &call), PARSCAN_ERROR_UNSUPPORTED);
    cr_assert_not_null(strstr(parscan_context_error(limited), "scratch_limit = 1048576"));
    parscan_context_destroy(device);
    parscan_context_destroy(host);
    parscan_context_destroy(limited);
}

Test(measure, of_cuda_refuses_what_the_cpu_alone_has)
{
    if (!has_cuda())
        return;
    for (size_t k = 0; k < array_call_count(); k++) {
        if (array_call_on_cuda(k))
            continue;
        parscan_context *const context = measuring_cuda(&h100, false, 0);
        array_call call = call_of(context, 1000);
        cr_assert_eq(array_call_run(k, &call), PARSCAN_ERROR_UNSUPPORTED, "%s", array_call_name(k));
        cr_assert_not_null(strstr(parscan_context_error(context), "needs a CPU context"), "%s: %s",
                           array_call_name(k), parscan_context_error(context));
        parscan_context_destroy(context);
    }
}

/* As every struct of the API. */
Test(measure, takes_a_description_of_another_version)
{
    if (!has_cuda())
        return;
    struct {
        parscan_measured_device known;
        uint64_t more;
    } device = {h100, 0};
    const struct {
        size_t size;
        uint64_t more;
        parscan_status status;
    } cases[] = {
        {0, 0, PARSCAN_ERROR_INVALID_ARGUMENT},
        {sizeof h100 - 8, 0, PARSCAN_ERROR_INVALID_ARGUMENT},
        {sizeof h100, 1, PARSCAN_OK},
        {sizeof h100 + 8, 0, PARSCAN_OK},
        {sizeof h100 + 8, 1, PARSCAN_ERROR_UNSUPPORTED},
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        parscan_context *context;
        const parscan_context_options options =
            PARSCAN_CONTEXT_OPTIONS(.measure = 1, .measure_device = &device.known);
        device.known.struct_size = cases[k].size;
        device.more = cases[k].more;
        cr_assert_eq(parscan_context_create(&context, &options), cases[k].status, "case %zu", k);
        parscan_context_destroy(context);
    }
}
