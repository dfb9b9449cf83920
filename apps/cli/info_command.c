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

/* One line an engine: what a context of it says. */
static void print_engine(parscan_backend backend)
{
    char label[16], words[256] = "";
    parscan_context *context;
    const parscan_status status = parscan_context_create(
        &context,
        &PARSCAN_CONTEXT_OPTIONS(.backend = backend, .error = words, .error_size = sizeof words));
    snprintf(label, sizeof label, "%s:", parscan_backend_name(backend));
    if (status == PARSCAN_OK && backend == PARSCAN_BACKEND_CPU)
        printf("%-12s%u threads, %s kernels\n", label, parscan_context_threads(context),
               parscan_context_simd(context));
    else if (status == PARSCAN_OK)
        printf("%-12sfound\n", label);
    else if (status == PARSCAN_ERROR_BACKEND)
        printf("%-12snot in this build\n", label);
    else
        printf("%-12s%s\n", label, words[0] != '\0' ? words : parscan_status_string(status));
    parscan_context_destroy(context);
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
    print_engine(PARSCAN_BACKEND_CPU);
    print_engine(PARSCAN_BACKEND_CUDA);
    print_cpu_features();
    print_names("types:", type_name_of);
    print_names("operators:", op_name_of);
    print_names("algorithms:", algorithm_name_of);
    return STATUS_DONE;
}
