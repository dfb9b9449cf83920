#include "apps/cli/common_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/output_name.h"

bool take_type(const char *value, parscan_type *type, failure *why)
{
    int number = 0;
    const bool taken = take_name(value, type_name_of, &number, why);
    *type = (parscan_type)number;
    return taken;
}

bool take_axis(const char *value, axis_option *axis, failure *why)
{
    char *end;
    const long number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || number < INT_MIN || number > INT_MAX)
        return fail(why, "'%.100s' is not the number of a dimension", value);
    *axis = (axis_option){true, (int)number};
    return true;
}

static bool take_timeout(const char *value, double *seconds, failure *why)
{
    char *end;
    *seconds = strtod(value, &end);
    if (end != value && *end == '\0' && *seconds > 0)
        return true;
    return fail(why, "'%.100s' is not a number of seconds above 0, or inf", value);
}

bool common_take(common_options *options, int id, const char *value, failure *why)
{
    int number = 0;
    bool taken = true;
    switch (id) {
    case OPTION_FORMAT:
        taken = take_name(value, format_name_of, &number, why);
        options->format = (file_format)number;
        break;
    case OPTION_TYPE:
        return take_type(value, &options->type, why);
    case 'o':
        return take_path(value, &options->output, why);
    case OPTION_OUTPUT_FORMAT:
        taken = take_name(value, format_name_of, &number, why);
        options->output_format = (file_format)number;
        break;
    case OPTION_BACKEND:
        taken = take_name(value, backend_name_of, &number, why);
        options->backend = (parscan_backend)number;
        break;
    case OPTION_THREADS:
        return take_count(value, &options->threads, why);
    case OPTION_STATS:
        options->stats = true;
        break;
    case OPTION_QUIET:
        options->quiet = true;
        break;
    case OPTION_TIMEOUT:
        return take_timeout(value, &options->timeout, why);
    case OPTION_MEMBER:
        return take_path(value, &options->member, why);
    case OPTION_FLATTEN:
        options->flatten = true;
        break;
    case OPTION_AXIS:
        return take_axis(value, &options->axis, why);
    default:
        return field_take(&options->fields, id, value, why);
    }
    return taken;
}

bool common_reads_text(const common_options *options, failure *why)
{
    return !options->flatten ||
           fail(why, "--flatten is for npy arrays, and the input is a text here");
}

bool is_standard_file(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

bool common_take_input(common_options *options, int argc, char **argv, failure *why)
{
    const int count = argc - optind;
    if (count > 1 && options->most_inputs == 0)
        return fail(why, "at most one input FILE may be given, not %d", count);
    if (count > 1 && (size_t)count > options->most_inputs)
        return fail(why, "at most %zu input FILEs may be given, not %d", options->most_inputs,
                    count);
    for (int i = optind; i < argc; i++)
        if (argv[i][0] == '\0')
            return fail(why, "FILE %d is an empty word", i - optind + 1);
    options->inputs = argv + optind;
    options->input_count = (size_t)count;
    options->input = count > 0 ? argv[optind] : NULL;
    return options->any_output_name ||
           output_name_check("--output", options->output, options->output_format, why);
}
