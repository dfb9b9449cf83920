/* Contexts that measure, against what contexts on a device then hold. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parscan/parscan.h"
#include "scan/cuda/cuda_context.h"
#include "tests/cuda/on_device.h"
#include "tests/scan/cpu/array_calls.h"
#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/test_engine.h"

TestSuite(measure, .timeout = 300);

static const size_t lengths[] = {0, 1, 1000, 4097, 100003, (1u << 20) + 1, 1u << 23};

/* device: NULL: the one that is present. */
static parscan_context *measuring(const parscan_measured_device *device, bool host, size_t limit)
{
    char words[256] = "";
    parscan_context *context = NULL;
    const parscan_context_options options =
        PARSCAN_CONTEXT_OPTIONS(.backend = PARSCAN_BACKEND_CUDA, .scratch_limit = limit,
                                .error = words, .error_size = sizeof words, .measure = 1,
                                .measure_host = host, .measure_device = device);
    cr_assert_eq(parscan_context_create(&context, &options), PARSCAN_OK, "%s", words);
    return context;
}

static parscan_measured_device present_device(void)
{
    parscan_context *const context = context_on(NULL);
    const parscan_plan_device *const device =
        &((const struct parscan_context *)context)->cuda->plan_device;
    const parscan_measured_device described =
        PARSCAN_MEASURED_DEVICE(.multiprocessors = device->multiprocessors,
                                .shared_bytes = device->shared_bytes,
                                .architecture = device->architecture);
    parscan_context_destroy(context);
    return described;
}

/* The words of a partition's blocks are as many as blocks may fit, without asking the kernel. In a chunk of a
   reduction by key, which may end runs of the chunk before, a sum more is told. */
static size_t most_spared(const char *name)
{
    return strstr(name, "partition") != NULL                    ? 1 << 20
           : strstr(name, "reduction by key in chunks") != NULL ? 8
                                                                : 0;
}

static void expect_told(const char *name, size_t n, size_t told, size_t held)
{
    cr_expect(told >= held && told - held <= most_spared(name),
              "%s of %zu elements: %zu bytes are told, %zu held", name, n, told, held);
}

/* Calls with a capacity: copies of as many results as fit are told. */
static bool is_of_capacity(const char *name)
{
    return strcmp(name, "expansion") == 0 || strstr(name, "decoded") != NULL ||
           strstr(name, "join") != NULL;
}

static array_call call_on(size_t n)
{
    array_call call = {.n = n};
    for (size_t k = 0; k < ARRAY_CALL_ARRAYS; k++) {
        const size_t bytes = n * ARRAY_CALL_BYTES + ARRAY_CALL_MORE;
        call.at[k] = device_room(bytes);
        CUDA(cudaMemset(call.at[k], 0, bytes));
    }
    return call;
}

static void end_call(array_call *call)
{
    for (size_t k = 0; k < ARRAY_CALL_ARRAYS; k++)
        CUDA(cudaFree(call->at[k]));
}

Test(measure, tells_what_a_context_holds_after_calls_on_the_device)
{
    need_cuda();
    const parscan_measured_device device = present_device();
    parscan_context *const all = context_on(NULL), *const all_told = measuring(&device, false, 0);
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        array_call call = call_on(lengths[l]);
        for (size_t k = 0; k < array_call_count(); k++) {
            if (!array_call_on_cuda(k))
                continue;
            parscan_context *const told = measuring(l % 2 == 0 ? &device : NULL, false, 0);
            parscan_context *const real = context_on(NULL);
            parscan_context *const contexts[] = {told, real, all_told, all};
            for (size_t c = 0; c < 4; c++) {
                call.context = contexts[c];
                const parscan_status status = array_call_run(k, &call);
                /* All keys are equal: they have more pairs than fit. */
                if (status != PARSCAN_ERROR_CAPACITY || !is_of_capacity(array_call_name(k)))
                    expect_ok(call.context, status);
                /* Zeros are no offsets of segments: an error that does not matter here. */
                parscan_synchronize(call.context);
            }
            expect_told(array_call_name(k), lengths[l], parscan_context_scratch(told),
                        parscan_context_scratch(real));
            cr_expect_geq(parscan_context_scratch(all_told), parscan_context_scratch(all));
            parscan_context_destroy(told);
            parscan_context_destroy(real);
        }
        end_call(&call);
    }
    parscan_context_destroy(all);
    parscan_context_destroy(all_told);
}

Test(measure, tells_what_a_context_holds_after_calls_on_host_arrays)
{
    need_cuda();
    const parscan_measured_device device = present_device();
    for (size_t l = 2; l < COUNT_OF(lengths); l++) {
        primitive_inputs *const in = primitive_inputs_begin(lengths[l]);
        cr_assert_not_null(in);
        for (size_t k = 0; k < primitive_count(); k++) {
            char *const out = malloc(primitive_bytes(k, in));
            parscan_context *const told = measuring(&device, true, 0);
            parscan_context *const real = context_on(NULL);
            const parscan_status done = primitive_run(k, real, in, out);
            const size_t held = parscan_context_scratch(real);
            const parscan_status status = primitive_run(k, told, in, out);
            if (done != PARSCAN_ERROR_UNSUPPORTED)
                expect_ok(real, done);
            if (done == PARSCAN_ERROR_UNSUPPORTED) /* what the CPU alone has */
                cr_expect_eq(status, done, "%s", primitive_name(k));
            else if (status == PARSCAN_ERROR_UNSUPPORTED)
                cr_assert_str_eq(primitive_name(k), "pack");
            else if (is_of_capacity(primitive_name(k)))
                cr_expect_geq(parscan_context_scratch(told), held);
            else
                expect_told(primitive_name(k), lengths[l], parscan_context_scratch(told), held);
            parscan_context_destroy(told);
            parscan_context_destroy(real);
            free(out);
        }
        primitive_inputs_end(in);
    }
}

/* What is told is enough to capture the calls at once. */
Test(measure, tells_what_must_be_reserved_for_a_capture)
{
    need_cuda();
    cudaStream_t stream;
    cudaGraph_t graph;
    CUDA(cudaStreamCreate(&stream));
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        array_call call = call_on(lengths[l]);
        for (size_t k = 0; k < array_call_count(); k++) {
            if (!array_call_on_cuda(k) || array_call_most(k, lengths[l]) != ARRAY_CALL_NONE)
                continue; /* or its count is on the host */
            parscan_context *const told = measuring(NULL, false, 0);
            parscan_context *const real = context_on(stream);
            call.context = told;
            expect_ok(told, array_call_run(k, &call));
            expect_ok(real, parscan_context_reserve(real, parscan_context_scratch(told)));
            call.context = real;
            CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            const parscan_status status = array_call_run(k, &call);
            CUDA(cudaStreamEndCapture(stream, &graph));
            cr_assert_eq(status, PARSCAN_OK, "%s of %zu elements: %s", array_call_name(k),
                         lengths[l], parscan_context_error(real));
            CUDA(cudaGraphDestroy(graph));
            parscan_context_destroy(told);
            parscan_context_destroy(real);
        }
        end_call(&call);
    }
    CUDA(cudaStreamDestroy(stream));
}
