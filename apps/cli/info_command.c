/* parscan info: what this build and this machine have. */
#include <limits.h>
#include <stdio.h>

#include "apps/cli/command.h"
#include "apps/cli/usage.h"
#include "parscan/context.h"

static const struct option option_list[] = {{0}};

static const help_part help[] = {{"usage: parscan info\n"
                                  "\n"
                                  "Prints the version, the engines, the CPU's threads and vector "
                                  "instructions, and the names of\n"
                                  "the element types, operators and algorithms.\n"
                                  "\n"
                                  "  -h, --help            this page\n",
                                  NULL},
                                 {0}};

static bool take(int id, const char *value, void *user, failure *why)
{
    (void)id, (void)value, (void)user, (void)why;
    return true;
}

static void print_names(const char *label, name_of *names)
{
    printf("%-12s", label);
    lookup_print(names, 0, 0, INT_MAX);
    putchar('\n');
}

/* One line an engine or device: what a context of it says, or why there is none. */
static parscan_status print_engine(parscan_backend backend, int device)
{
    char label[16], words[256] = "";
    parscan_context *context;
    const parscan_status status = parscan_context_create(
        &context, &PARSCAN_CONTEXT_OPTIONS(.backend = backend, .device = device, .error = words,
                                           .error_size = sizeof words));
    snprintf(label, sizeof label, "%s:", parscan_backend_name(backend));
    if (status == PARSCAN_OK && backend == PARSCAN_BACKEND_CPU)
        printf("%-12s%u threads, %s kernels\n", label, parscan_context_threads(context),
               parscan_context_simd(context));
    else if (status == PARSCAN_OK)
        printf("%-12sdevice %d: %s\n", label, device, parscan_context_device(context));
    else if (device == 0)
        printf("%-12s%s\n", label, words[0] != '\0' ? words : parscan_status_string(status));
    parscan_context_destroy(context);
    return status;
}

/* Devices are numbered from 0. */
static void print_devices(void)
{
    int device = 0;
    while (print_engine(PARSCAN_BACKEND_CUDA, device) == PARSCAN_OK)
        device++;
}

static void print_cpu_features(void)
{
    fputs("features:  ", stdout);
#if defined __x86_64__
    __builtin_cpu_init();
#define FEATURE(name)                 \
    if (__builtin_cpu_supports(name)) \
    fputs(" " name, stdout)
    FEATURE("sse4.2");
    FEATURE("avx");
    FEATURE("avx2");
    FEATURE("fma");
    FEATURE("bmi2");
    FEATURE("avx512f");
    FEATURE("avx512bw");
    FEATURE("avx512vl");
    FEATURE("avx512vbmi2");
#undef FEATURE
#elif defined __aarch64__
    fputs(" neon", stdout);
#endif
    putchar('\n');
}

int command_info(int argc, char **argv)
{
    const usage spec = {
        .command = "info", .help = help, .options = option_list, .short_options = "", .take = take};
    const usage_verdict verdict = usage_read(&spec, argc, argv);
    if (verdict != USAGE_RUN)
        return usage_status(verdict);
    if (argc > optind) {
        failure why;
        fail(&why, "info takes no arguments");
        return usage_wrong(spec.command, &why);
    }
    printf("%-12s%s\n", "version:", parscan_version());
    print_engine(PARSCAN_BACKEND_CPU, 0);
    print_devices();
    print_cpu_features();
    print_names("types:", type_name_of);
    print_names("operators:", op_name_of);
    print_names("algorithms:", algorithm_name_of);
    return STATUS_DONE;
}
