/* parscan quantile: elements by their ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/line_output.h"
#include "apps/cli/number_text.h"
#include "apps/cli/shortest_float.h"
#include "parscan/sort.h"

__extension__ typedef unsigned __int128 wide_unsigned;

enum { MOST_QUANTILES = 64, MOST_DECIMALS = 9, UNIT = 1000000000 /* 10^MOST_DECIMALS */ };

typedef struct quantile_command {
    common_options common;
    uint64_t quantiles[MOST_QUANTILES]; /* in parts of UNIT, which are exact */
    size_t count;
    bool linear;
} quantile_command;

enum { OPTION_LINEAR = OPTION_OWN };

static const struct option option_list[] = {COMMON_OPTIONS,
                                            FIELD_OPTIONS,
                                            MIRROR_OPTION,
                                            {"quantiles", required_argument, NULL, 'q'},
                                            {"linear", no_argument, NULL, OPTION_LINEAR},
                                            {0}};

static const help_part help[] = {
    {"usage: parscan quantile [options] [FILE]...\n"
     "\n"
     "Writes quantiles of the elements, on one line with tabs between them. The quantile Q of N "
     "elements\n"
     "is the element whose rank is Q * N, rounded up: the smallest that at least that many are "
     "not\n"
     "above. NaN is the largest.\n"
     "\n"
     "  -q, --quantiles Q,... up to 64 numbers of 0 to 1, with up to 9 decimals and no exponent\n"
     "                        (default: 0,0.25,0.5,0.75,1)\n"
     "  --linear              between the two nearest elements, in f64, as NumPy does by default; "
     "nan\n"
     "                        if an element is NaN\n",
     NULL},
    FIELD_HELP,
    MIRROR_HELP,
    COMMON_HELP,
    EXAMPLE_HELP("parscan quantile -q 0.5,0.9 data/sizes.txt"),
    {0}};

/* Reads a number of 0 to 1, which ends at *end. */
static bool read_quantile(const char *text, uint64_t *quantile, const char **end)
{
    const char *p = text;
    const bool decimals = *p == '.' && p[1] >= '0' && p[1] <= '9';
    if (*p != '0' && *p != '1' && !decimals)
        return false;
    uint64_t value = decimals ? 0 : (uint64_t)(*p++ - '0') * UNIT;
    if (*p == '.') {
        p++;
        for (uint64_t unit = UNIT / 10; *p >= '0' && *p <= '9' && unit > 0; unit /= 10)
            value += (uint64_t)(*p++ - '0') * unit;
    }
    *quantile = value;
    *end = p;
    return value <= UNIT;
}

static bool take_quantiles(quantile_command *command, const char *value, failure *why)
{
    command->count = 0;
    for (const char *p = value;; p++) {
        const char *const begin = p;
        const int size = (int)strcspn(p, ",");
        if (command->count == MOST_QUANTILES)
            return fail(why, "more than %d numbers", MOST_QUANTILES);
        if (!read_quantile(p, &command->quantiles[command->count], &p) || p != begin + size)
            return fail(why,
                        "'%.*s' is not a number of 0 to 1 with up to %d decimals and no exponent, "
                        "such as 0.25 (commas stand between several)",
                        size < 100 ? size : 100, begin, MOST_DECIMALS);
        command->count++;
        if (*p == '\0')
            return true;
    }
}

static bool take_quantile_option(int id, const char *value, void *user, failure *why)
{
    quantile_command *const command = user;
    switch (id) {
    case 'q':
        return take_quantiles(command, value, why);
    case OPTION_LINEAR:
        command->linear = true;
        return true;
    default:
        return common_take(&command->common, id, value, why);
    }
}

/* The element of that rank, counted from 0, as text. */
static char *format_rank(const array *sorted, uint64_t rank, char *to)
{
    const size_t size = parscan_type_size(sorted->type);
    return numbers_format(element_traits_of(sorted->type), (const char *)sorted->data + rank * size,
                          1, to) -
           1;
}

static double value_of_rank(const array *sorted, uint64_t rank)
{
    const size_t size = parscan_type_size(sorted->type);
    return element_as_double(sorted->type, (const char *)sorted->data + rank * size);
}

/* The number at part t, above 0 and below 1, of the way from a to b, with NumPy's rounding; where their difference is no
   finite double, the number that is right, if there is one. */
static double between(double a, double b, double t)
{
    const double difference = b - a;
    if (isfinite(difference))
        return t < 0.5 ? a + difference * t : b - difference * (1 - t);
    const double value = a * (1 - t) + b * t;
    return isnan(value) ? (double)NAN : value;
}

/* Between the ranks around quantile * (n - 1); NaN if an element is NaN. */
static char *format_linear(const array *sorted, uint64_t quantile, char *to)
{
    const wide_unsigned place = (wide_unsigned)quantile * (sorted->n - 1);
    const uint64_t rank = (uint64_t)(place / UNIT), part = (uint64_t)(place % UNIT);
    double value = value_of_rank(sorted, rank);
    if (isnan(value_of_rank(sorted, sorted->n - 1)))
        value = (double)NAN;
    else if (part > 0)
        value = between(value, value_of_rank(sorted, rank + 1), (double)part / UNIT);
    return numbers_format(element_traits_of(PARSCAN_F64), &value, 1, to) - 1;
}

static char *format_nearest(const array *sorted, uint64_t quantile, char *to)
{
    const wide_unsigned place = (wide_unsigned)quantile * sorted->n;
    const uint64_t rank = (uint64_t)((place + UNIT - 1) / UNIT);
    return format_rank(sorted, rank > 0 ? rank - 1 : 0, to);
}

static int write_quantiles(const quantile_command *command, session *job, failure *why)
{
    char line[MOST_QUANTILES * (NUMBER_MAX_LENGTH + 2)], *end = line;
    shortest_decimal_prepare();
    for (size_t i = 0; i < command->count; i++) {
        end = (command->linear ? format_linear : format_nearest)(&job->out, command->quantiles[i],
                                                                 end);
        *end++ = i + 1 < command->count ? '\t' : '\n';
    }
    numbers_set_point(line, end, job->fields.decimal);
    const array bytes = {PARSCAN_U8, (size_t)(end - line), line, sizeof line};
    job->input_format = FORMAT_TEXT;
    return lines_write(job, &bytes, why) ? STATUS_DONE : STATUS_FAILED;
}

static int sort_all(session *job, failure *why)
{
    if (!session_read_rest(job, NULL, why) || !session_make_out(job, job->in.type, job->in.n, why))
        return STATUS_FAILED;
    if (job->in.n == 0) {
        fail(why, "%s: there are no elements, so there are no quantiles", session_input_name(job));
        return STATUS_FAILED;
    }
    const double begin = seconds_now();
    const parscan_status called =
        parscan_sort_keys(job->context, job->in.type, job->in.data, job->out.data, job->in.n, NULL);
    job->out.n = job->in.n;
    const int status = session_check_result(job, called, why);
    if (status == STATUS_DONE)
        session_print_stats(job, job->in.n,
                            2 * (double)job->in.n * (double)parscan_type_size(job->in.type),
                            seconds_now() - begin, true);
    return status;
}

static int run_quantile(session *job, void *user, failure *why)
{
    quantile_command *const command = user;
    failure unused;
    if (command->count == 0)
        take_quantiles(command, "0,0.25,0.5,0.75,1", &unused);
    int status = session_begin(job, 0, NULL, NULL, NULL, why);
    if (status == STATUS_DONE)
        status = sort_all(job, why);
    return status == STATUS_DONE ? write_quantiles(command, job, why) : status;
}

int command_quantile(int argc, char **argv)
{
    quantile_command command = {.common = {.most_inputs = ANY_INPUTS}};
    const usage spec = {.command = "quantile",
                        .help = help,
                        .options = option_list,
                        .short_options = COMMON_SHORT_OPTIONS FIELD_SHORT_OPTIONS "q:",
                        .take = take_quantile_option,
                        .user = &command};
    return session_command(&spec, &command.common, run_quantile, argc, argv);
}
