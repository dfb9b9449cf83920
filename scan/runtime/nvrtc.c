#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

/* NVRTC by dlopen(). Its functions and their numbers are those of every version from CUDA 11 on. */
#include "scan/runtime/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scan/context/context_state.h"

enum { NVRTC_OK = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_COMPILATION = 6, NVRTC_CANCELLED = 16 };
enum { OLDEST_MAJOR = 11, NEWEST_MAJOR = 13, MOST_ARCHITECTURES = 64 };

typedef struct nvrtc_symbol {
    const char *name;
    size_t offset; /* of its field in nvrtc_library */
} nvrtc_symbol;

static const nvrtc_symbol needed[] = {
    {"nvrtcCreateProgram", offsetof(nvrtc_library, create)},
    {"nvrtcDestroyProgram", offsetof(nvrtc_library, destroy)},
    {"nvrtcCompileProgram", offsetof(nvrtc_library, compile)},
    {"nvrtcGetProgramLogSize", offsetof(nvrtc_library, log_size)},
    {"nvrtcGetProgramLog", offsetof(nvrtc_library, log)},
    {"nvrtcGetCUBINSize", offsetof(nvrtc_library, cubin_size)},
    {"nvrtcGetCUBIN", offsetof(nvrtc_library, cubin)},
    {"nvrtcGetPTXSize", offsetof(nvrtc_library, ptx_size)},
    {"nvrtcGetPTX", offsetof(nvrtc_library, ptx)},
    {"nvrtcGetNumSupportedArchs", offsetof(nvrtc_library, count_architectures)},
    {"nvrtcGetSupportedArchs", offsetof(nvrtc_library, architectures)},
    {"nvrtcGetErrorString", offsetof(nvrtc_library, error_string)},
};

/* ISO C has no conversion of an object's address to that of a function; POSIX has it. */
static bool find(nvrtc_library *nvrtc, const nvrtc_symbol *symbol)
{
    void *const address = dlsym(nvrtc->handle, symbol->name);
    memcpy((char *)nvrtc + symbol->offset, &address, sizeof address);
    return address != NULL;
}

static const char *take_functions(nvrtc_library *nvrtc)
{
    static const nvrtc_symbol optional = {"nvrtcSetFlowCallback",
                                          offsetof(nvrtc_library, set_flow_callback)};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (!find(nvrtc, &needed[k])) {
            parscan_nvrtc_close(nvrtc);
            return "this machine's NVRTC lacks functions that CUDA 11.2 has";
        }
    find(nvrtc, &optional);
    return NULL;
}

static bool open_named(nvrtc_library *nvrtc, const char *name)
{
    nvrtc->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return nvrtc->handle != NULL;
}

static bool open_major(nvrtc_library *nvrtc, int major)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char name[64];
        snprintf(name, sizeof name,
                 major == OLDEST_MAJOR ? "%slibnvrtc.so.%d.2" : "%slibnvrtc.so.%d", folders[k],
                 major);
        if (open_named(nvrtc, name))
            return true;
    }
    return false;
}

const char *parscan_nvrtc_open(nvrtc_library *nvrtc, int driver, const char *name)
{
    const int newest = driver == 0 ? NEWEST_MAJOR : driver / 1000;
    memset(nvrtc, 0, sizeof *nvrtc);
    bool found = name != NULL && open_named(nvrtc, name);
    for (int major = newest; name == NULL && !found && major >= OLDEST_MAJOR; major--)
        found = open_major(nvrtc, major);
    return found ? take_functions(nvrtc)
                 : "there is no NVRTC (libnvrtc.so of CUDA's toolkit), which compiles operators";
}

void parscan_nvrtc_close(nvrtc_library *nvrtc)
{
    if (nvrtc->handle != NULL)
        dlclose(nvrtc->handle);
    memset(nvrtc, 0, sizeof *nvrtc);
}

/* The time after which the compiler is ended. */
typedef struct deadline {
    struct timespec at;
    bool passed;
} deadline;

static deadline deadline_in(double seconds)
{
    deadline end = {.passed = false};
    const double most = 1e9, given = seconds < most ? seconds : most;
    const time_t whole = (time_t)given;
    clock_gettime(CLOCK_MONOTONIC, &end.at);
    end.at.tv_sec += whole;
    end.at.tv_nsec += (long)((given - (double)whole) * 1e9);
    if (end.at.tv_nsec >= 1000000000) {
        end.at.tv_nsec -= 1000000000;
        end.at.tv_sec++;
    }
    return end;
}

/* NVRTC calls it now and then; not 0: it stops. */
static int is_over(void *payload, void *reserved)
{
    deadline *const end = payload;
    struct timespec now;
    (void)reserved;
    clock_gettime(CLOCK_MONOTONIC, &now);
    end->passed = end->passed || now.tv_sec > end->at.tv_sec ||
                  (now.tv_sec == end->at.tv_sec && now.tv_nsec >= end->at.tv_nsec);
    return end->passed;
}

/* The newest architecture that NVRTC knows and the device can run; 0: there is none. */
static int known_architecture(const nvrtc_library *nvrtc, int device)
{
    int all[MOST_ARCHITECTURES], count = 0, newest = 0;
    if (nvrtc->count_architectures(&count) != NVRTC_OK || count > MOST_ARCHITECTURES ||
        nvrtc->architectures(all) != NVRTC_OK)
        return 0;
    for (int k = 0; k < count; k++)
        if (all[k] <= device && all[k] > newest)
            newest = all[k];
    return newest;
}

/* The bytes of the code or of the log; NULL: there are none, or no memory for them. */
static char *fetch(int (*size_of)(nvrtc_program, size_t *), int (*get)(nvrtc_program, char *),
                   nvrtc_program program, const parscan_allocator *allocator, size_t *size)
{
    if (size_of(program, size) != NVRTC_OK || *size == 0)
        return NULL;
    char *const bytes = parscan_host_allocate(allocator, *size);
    if (bytes != NULL && get(program, bytes) != NVRTC_OK) {
        parscan_host_release(allocator, bytes);
        return NULL;
    }
    return bytes;
}

static void fetch_log(const nvrtc_library *nvrtc, nvrtc_program program,
                      const parscan_allocator *allocator, nvrtc_output *output)
{
    size_t size = 0;
    output->log = fetch(nvrtc->log_size, nvrtc->log, program, allocator, &size);
    if (output->log != NULL && size <= 1) {
        parscan_host_release(allocator, output->log);
        output->log = NULL;
    }
}

static parscan_status fetch_code(const nvrtc_library *nvrtc, nvrtc_program program, bool is_ptx,
                                 const parscan_allocator *allocator, nvrtc_output *output)
{
    output->code = is_ptx
                       ? fetch(nvrtc->ptx_size, nvrtc->ptx, program, allocator, &output->size)
                       : fetch(nvrtc->cubin_size, nvrtc->cubin, program, allocator, &output->size);
    if (output->code != NULL)
        return PARSCAN_OK;
    return output->size > 0 ? PARSCAN_ERROR_OUT_OF_MEMORY : PARSCAN_ERROR_INTERNAL;
}

static parscan_status status_of(int error, const deadline *end)
{
    if (error == NVRTC_OK)
        return PARSCAN_OK;
    if (error == NVRTC_CANCELLED || end->passed)
        return PARSCAN_ERROR_UNSUPPORTED;
    if (error == NVRTC_OUT_OF_MEMORY)
        return PARSCAN_ERROR_OUT_OF_MEMORY;
    return error == NVRTC_COMPILATION ? PARSCAN_ERROR_INVALID_ARGUMENT : PARSCAN_ERROR_INTERNAL;
}

parscan_status parscan_nvrtc_compile(const nvrtc_library *nvrtc, const nvrtc_input *input,
                                     const parscan_allocator *allocator, nvrtc_output *output)
{
    const int known = known_architecture(nvrtc, input->architecture);
    const bool is_ptx = known != input->architecture;
    deadline end = deadline_in(input->seconds);
    nvrtc_program program = NULL;
    char architecture[32];
    memset(output, 0, sizeof *output);
    if (known == 0)
        return PARSCAN_ERROR_UNSUPPORTED;
    snprintf(architecture, sizeof architecture, "-arch=%s_%d", is_ptx ? "compute" : "sm", known);
    const char *const options[] = {architecture, "-std=c++17", "-default-device", "-fmad=false"};
    const int count = (int)(sizeof options / sizeof *options) - !input->exact;
    int error =
        nvrtc->create(&program, input->text, "parscan", input->count, input->headers, input->names);
    if (error != NVRTC_OK)
        return status_of(error, &end);
    if (input->seconds > 0 && nvrtc->set_flow_callback != NULL)
        nvrtc->set_flow_callback(program, is_over, &end);
    error = nvrtc->compile(program, count, options);
    fetch_log(nvrtc, program, allocator, output);
    parscan_status status = status_of(error, &end);
    if (status == PARSCAN_OK)
        status = fetch_code(nvrtc, program, is_ptx, allocator, output);
    nvrtc->destroy(&program);
    return status;
}
