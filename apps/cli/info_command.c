/* parscan info: what this build and this machine have. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/common_options.h"
#include "apps/cli/option_words.h"
#include "apps/cli/usage.h"
#include "parscan/context.h"

static const struct option option_list[] = {{"backend", required_argument, NULL, OPTION_BACKEND},
                                            {0}};

static const help_part help[] = {{"usage: parscan info [options]\n"
                                  "\n"
                                  "Prints the version, the engines, the CPU threads and vector "
                                  "instructions that are used, and the\n"
                                  "names of the element types, operators and algorithms.\n"
                                  "\n"
                                  "  --backend ENGINE      ",
                                  backend_name_of},
                                 {": only the lines of that engine; a failure if it\n"
                                  "                        is missing\n" HELP_HELP,
                                  NULL},
                                 EXAMPLE_HELP("parscan info"),
                                 {0}};

static bool take_info_option(int id, const char *value, void *user, failure *why)
{
    (void)id;
    int number = 0;
    const bool taken = take_name(value, backend_name_of, &number, why);
    *(parscan_backend *)user = (parscan_backend)number;
    return taken;
}

static void print_names(const char *label, name_of *names)
{
    printf("%-12s", label);
    lookup_print(names, 0, 0, INT_MAX);
    putchar('\n');
}

/* Prints a line about an engine or device. False with a message where there is none. */
static bool print_engine(parscan_backend backend, int device, failure *why)
{
    char label[16], words[512] = "";
    parscan_context *context;
    const parscan_status status = parscan_context_create(
        &context, &PARSCAN_CONTEXT_OPTIONS(.backend = backend, .device = device, .error = words,
                                           .error_size = sizeof words));
    snprintf(label, sizeof label, "%s:", parscan_backend_name(backend));
    if (status == PARSCAN_OK && backend == PARSCAN_BACKEND_CPU)
        printf("%-12s%u thread%s, %s kernels\n", label, parscan_context_threads(context),
               parscan_context_threads(context) == 1 ? "" : "s", parscan_context_simd(context));
    else if (status == PARSCAN_OK)
        printf("%-12sdevice %d: %s\n", label, device, parscan_context_device(context));
    else
        fail(why, "%s", words[0] != '\0' ? words : parscan_status_string(status));
    parscan_context_destroy(context);
    return status == PARSCAN_OK;
}

/* Devices are numbered from 0. */
static bool print_devices(failure *why)
{
    int device = 0;
    while (print_engine(PARSCAN_BACKEND_CUDA, device, why))
        device++;
    return device > 0;
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

/* The message of a failure without the argument at their start: the label names it already. */
static const char *without_argument(const char *words)
{
    static const char argument[] = "backend = cuda: ";
    const size_t length = sizeof argument - 1;
    return strncmp(words, argument, length) == 0 ? words + length : words;
}

static int print_one(parscan_backend backend)
{
    failure why;
    if (backend == PARSCAN_BACKEND_CUDA ? print_devices(&why) : print_engine(backend, 0, &why))
        return STATUS_DONE;
    option_words(&why);
    failure_print(&why);
    return STATUS_FAILED;
}

static void print_all(void)
{
    failure why;
    printf("%-12s%s\n", "version:", parscan_version());
    if (!print_engine(PARSCAN_BACKEND_CPU, 0, &why))
        printf("%-12s%s\n", "cpu:", why.text);
    if (!print_devices(&why))
        printf("%-12s%s\n", "cuda:", without_argument(why.text));
    print_cpu_features();
    print_names("types:", type_name_of);
    print_names("operators:", op_name_of);
    print_names("algorithms:", algorithm_name_of);
}

int command_info(int argc, char **argv)
{
    parscan_backend backend = PARSCAN_BACKEND_AUTO;
    const usage spec = {.command = "info",
                        .help = help,
                        .options = option_list,
                        .short_options = "",
                        .take = take_info_option,
                        .user = &backend};
    const usage_verdict verdict = usage_read(&spec, argc, argv);
    if (verdict != USAGE_RUN)
        return usage_status(verdict);
    if (argc > optind) {
        failure why;
        fail(&why, "info takes no arguments");
        return usage_wrong(spec.command, &why);
    }
    if (backend != PARSCAN_BACKEND_AUTO)
        return print_one(backend);
    print_all();
    return STATUS_DONE;
}
