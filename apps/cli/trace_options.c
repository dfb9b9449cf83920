#include "apps/cli/trace_options.h"

#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/common_options.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/number_text.h"
#include "apps/cli/output_name.h"
#include "apps/cli/trace_html.h"
#include "apps/cli/trace_scan.h"
#include "apps/cli/usage.h"

enum {
    OPTION_ALGORITHM = OPTION_OWN,
    OPTION_OP,
    OPTION_EXCLUSIVE,
    OPTION_BLOCK_THREADS,
    OPTION_ITEMS,
    OPTION_SVG,
    OPTION_HTML,
    OPTION_FILE,
    OPTION_LINE
};

static const struct option option_list[] = {
    {"algorithm", required_argument, NULL, OPTION_ALGORITHM},
    {"op", required_argument, NULL, OPTION_OP},
    {"exclusive", no_argument, NULL, OPTION_EXCLUSIVE},
    {"block-threads", required_argument, NULL, OPTION_BLOCK_THREADS},
    {"items", required_argument, NULL, OPTION_ITEMS},
    {"type", required_argument, NULL, OPTION_TYPE},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"html", required_argument, NULL, OPTION_HTML},
    {"file", required_argument, NULL, OPTION_FILE},
    AXIS_OPTIONS,
    FIELD_OPTIONS,
    {"line", required_argument, NULL, OPTION_LINE},
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {0}};

#define SPACE_NAME(ctx, NAME, number, name) " " name
#define TRACEABLE "sequential" PARSCAN_BLOCK_ALGORITHMS(SPACE_NAME, )

static const help_part help[] = {
    {"usage: parscan trace [options] [--] VALUES...\n"
     "       parscan trace [options] --file FILE\n"
     "\n"
     "Prints the array after each step of a scan algorithm, the number of operations counted while "
     "it\n"
     "ran, and the textbook's count.\n"
     "\n"
     "  --algorithm NAME      (default kogge-stone)\n"
     "                        " TRACEABLE "\n"
     "  --op NAME             the operator (default sum): ",
     op_name_of},
    {"\n"
     "  --exclusive           combine the elements before i, without element i\n"
     "  --block-threads N     threads per block (default: enough for one block). More values than "
     "a\n"
     "                        block holds are scanned hierarchically\n"
     "  --items N             elements per thread, for three-phase\n"
     "  --type T              the type of the values (default i64, or that of an npy file): ",
     type_name_of},
    {"\n"
     "  --file FILE           the values are those of this file, text or npy; '-': standard input\n"
     "  --axis N              of an npy array of rows and columns: the values are those of one "
     "column\n"
     "                        (N is 0 or -2) or of one row (1 or -1)\n"
     "  --line N              the number of that column or row (default 0, the first); the steps "
     "of\n"
     "                        all are the same\n"
     "  --svg FILE            also draw the steps: a column per step, an arrow per operation;\n"
     "                        '-': draw on standard output, and print no text\n"
     "  --html FILE           also write a page in which a browser goes through the steps of these "
     "values\n"
     "                        and of others, by every algorithm; '-' as for --svg\n"
     "  --backend ENGINE      auto or cpu: trace runs on the CPU; the steps on CUDA are the "
     "same\n" HELP_HELP "\n"
     "Put -- before values such as -inf, which look like options.\n",
     NULL},
    FIELD_HELP,
    EXAMPLE_HELP("parscan trace --algorithm brent-kung 4 6 7 1 2 8 5 2"),
    {0}};

static bool take_algorithm(const char *value, parscan_algorithm *algorithm, failure *why)
{
    int number;
    if (!take_name(value, algorithm_name_of, &number, why))
        return false;
    *algorithm = (parscan_algorithm)number;
    if (*algorithm != PARSCAN_AUTO && *algorithm != PARSCAN_SINGLE_PASS)
        return true;
    return fail(why, "%s has no steps to show; these have: " TRACEABLE, value);
}

/* The block algorithms have one source for both engines. */
static bool take_backend(const char *value, failure *why)
{
    int number;
    return take_name(value, backend_name_of, &number, why) &&
           (number != PARSCAN_BACKEND_CUDA ||
            fail(why, "%s: trace runs on the CPU; the steps on CUDA are the same", value));
}

static bool take_trace_option(int id, const char *value, void *user, failure *why)
{
    trace_options *const options = user;
    int number = 0;
    bool taken = true;
    switch (id) {
    case OPTION_ALGORITHM:
        return take_algorithm(value, &options->shape.algorithm, why);
    case OPTION_OP:
        taken = take_name(value, op_name_of, &number, why);
        options->op = (parscan_op)number;
        return taken;
    case OPTION_EXCLUSIVE:
        options->exclusive = true;
        return true;
    case OPTION_BLOCK_THREADS:
        return take_count(value, &options->shape.threads, why);
    case OPTION_ITEMS:
        return take_count(value, &options->shape.items, why);
    case OPTION_TYPE:
        taken = take_name(value, type_name_of, &number, why);
        options->type = (parscan_type)number;
        return taken;
    case OPTION_BACKEND:
        return take_backend(value, why);
    case OPTION_FILE:
        return take_path(value, &options->file.path, why);
    case OPTION_AXIS:
        return take_axis(value, &options->file.axis, why);
    case OPTION_LINE:
        options->file.line_given = true;
        return take_size(value, 0, &options->file.line, why);
    case OPTION_MEMBER:
        return take_path(value, &options->file.member, why);
    case OPTION_FLATTEN:
        options->file.flatten = true;
        return true;
    case OPTION_SVG:
        return take_path(value, &options->svg, why);
    case OPTION_HTML:
        return take_path(value, &options->html, why);
    default:
        return field_take(&options->file.fields, id, value, why);
    }
}

/* -5 and -.5 are numbers; -x and --x are options. */
static bool is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '.' && !(argument[1] >= '0' && argument[1] <= '9');
}

/* Whether the next argument is the value of this option, which may be abbreviated. */
static bool is_before_value(const char *argument)
{
    if (argument[1] != '-' && argument[1] != '\0' && argument[2] == '\0')
        return strchr(FIELD_SHORT_OPTIONS, argument[1]) != NULL;
    for (const struct option *option = option_list; option->name != NULL; option++)
        if (option->has_arg == required_argument && strncmp(argument, "--", 2) == 0 &&
            strncmp(option->name, argument + 2, strlen(argument + 2)) == 0)
            return true;
    return false;
}

/* Moves the values out of argv, where the options stay. Unlike for getopt_long(), negative numbers
   are values. Returns the number of arguments that stay; *n is the number of values. */
static int part_values(int argc, char **argv, const char **values, size_t *n)
{
    int kept = 1;
    bool only_values = false;
    *n = 0;
    for (int i = 1; i < argc; i++) {
        if (only_values || !is_option(argv[i])) {
            values[(*n)++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_values = true;
        } else {
            argv[kept++] = argv[i];
            if (is_before_value(argv[i]) && i + 1 < argc)
                argv[kept++] = argv[++i];
        }
    }
    argv[kept] = NULL;
    return kept;
}

/* Checks what depends on several options, and on the number of values. */
static bool complete_trace_options(trace_options *options, failure *why)
{
    if (!trace_value_has_op(options->type, options->op))
        return fail(why, "--op: %s is for integers, not for %s", parscan_op_name(options->op),
                    parscan_type_name(options->type));
    if (options->html != NULL && options->n > TRACE_HTML_MOST)
        return fail(why, "--html: a page shows up to %d values, not %zu", TRACE_HTML_MOST,
                    options->n);
    if (!output_name_check_plain("--svg", options->svg, why) ||
        !output_name_check_plain("--html", options->html, why))
        return false;
    if (options->html != NULL && options->svg != NULL && strcmp(options->html, options->svg) == 0)
        return fail(why, "--svg and --html: both name %s", options->html);
    const element_traits *const traits = element_traits_of(options->type);
    options->asked = options->shape;
    const bool items_given = options->shape.items != 0;
    bool threads_wrong;
    const char *const wrong =
        trace_shape_complete(&options->shape, options->n, traits->size, &threads_wrong);
    if (wrong != NULL)
        return fail(why, "%s: %s", threads_wrong || !items_given ? "--block-threads" : "--items",
                    wrong);
    return true;
}

/* Returns an exit status. */
static int read_values(trace_options *options, const char **words, failure *why)
{
    if (options->type == 0)
        options->type = PARSCAN_I64;
    if (!complete_trace_options(options, why))
        return STATUS_USAGE;
    for (size_t i = 0; i < options->n; i++)
        if (!trace_value_read(options->type, words[i], &options->values[i], why))
            return STATUS_USAGE;
    return STATUS_DONE;
}

static int read_values_of_file(trace_options *options, failure *why)
{
    array elements;
    int status = STATUS_FAILED;
    if (!trace_file_read(&options->file, options->type, &elements, why))
        goto exit;
    options->type = elements.type;
    options->n = elements.n;
    free(options->values);
    options->values = calloc(elements.n, sizeof *options->values);
    if (options->values == NULL) {
        fail_out_of_memory(why);
        goto exit;
    }
    const size_t size = parscan_type_size(elements.type);
    for (size_t i = 0; i < elements.n; i++)
        options->values[i] = trace_value_of(elements.type, (const char *)elements.data + i * size);
    status = complete_trace_options(options, why) ? STATUS_DONE : STATUS_USAGE;
exit:
    array_release(&elements);
    return status;
}

bool trace_options_read(trace_options *options, int argc, char **argv, int *status)
{
    *options = (trace_options){.shape.algorithm = PARSCAN_KOGGE_STONE};
    const usage spec = {.command = "trace",
                        .help = help,
                        .options = option_list,
                        .short_options = FIELD_SHORT_OPTIONS,
                        .take = take_trace_option,
                        .user = options};
    failure why;
    bool done = false;
    const char **const words = calloc((size_t)argc + 1, sizeof *words);
    options->values = calloc((size_t)argc + 1, sizeof *options->values);
    if (words == NULL || options->values == NULL) {
        fail_out_of_memory(&why);
        failure_print(&why);
        *status = STATUS_FAILED;
        goto exit;
    }
    const int kept = part_values(argc, argv, words, &options->n);
    const usage_verdict verdict = usage_read(&spec, kept, argv);
    *status = usage_status(verdict);
    if (verdict != USAGE_RUN)
        goto exit;
    *status = STATUS_USAGE;
    if (trace_file_check(&options->file, options->n, &why))
        *status = options->file.path != NULL ? read_values_of_file(options, &why)
                                             : read_values(options, words, &why);
    done = *status == STATUS_DONE;
    if (*status == STATUS_USAGE)
        usage_wrong(spec.command, &why);
    else if (!done)
        failure_print(&why);
exit:
    free(words);
    return done;
}
