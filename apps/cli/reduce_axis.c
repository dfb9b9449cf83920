#include "apps/cli/reduce_axis.h"

#include <math.h>
#include <string.h>

#include "apps/cli/axis_run.h"
#include "apps/cli/command.h"
#include "parscan/scan.h"
#include "scan/type_traits.h"

int reduce_axis_usage(const tally_list *list, const axis_option *axis, failure *why)
{
    if (!axis->given || list->count == 1)
        return STATUS_DONE;
    fail(why, "--op: %zu operators; with --axis %d there is one", list->count, axis->number);
    return STATUS_USAGE;
}

/* The type of the sum: the largest of its kind. */
static parscan_type sum_type(parscan_type type)
{
    if (parscan_is_float(type))
        return PARSCAN_F64;
    return parscan_type_traits_of(type).is_signed ? PARSCAN_I64 : PARSCAN_U64;
}

static parscan_type result_type(tally_op op, parscan_type type)
{
    switch (op) {
    case TALLY_SUM:
        return sum_type(type);
    case TALLY_COUNT:
        return PARSCAN_U64;
    case TALLY_MEAN:
        return PARSCAN_F64;
    default:
        return type;
    }
}

/* Makes doubles of elements of 64 bits, in place, and divides them. */
static void divide(parscan_type type, void *elements, size_t count, double by)
{
    char *at = elements;
    for (size_t i = 0; i < count; i++, at += sizeof(double)) {
        double number;
        uint64_t bits;
        memcpy(&bits, at, sizeof bits);
        memcpy(&number, at, sizeof number);
        if (type == PARSCAN_I64)
            number = (double)(int64_t)bits;
        else if (type == PARSCAN_U64)
            number = (double)bits;
        number /= by;
        memcpy(at, &number, sizeof number);
    }
}

/* A sum of 64-bit integers may need more bits, and their mean has a double's: these become doubles before
   they are added. */
static void make_doubles(array *elements)
{
    if (parscan_type_size(elements->type) < sizeof(double))
        return;
    divide(elements->type, elements->data, elements->n, 1);
    elements->type = PARSCAN_F64;
}

static parscan_status reduce_lines(session *job, void *user, const axis_lines *lines)
{
    const tally_op op = *(const tally_op *)user;
    const size_t count = lines->shape.outer * lines->shape.inner;
    array *const in = &job->in;
    if (op == TALLY_COUNT) {
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)job->out.data)[i] = lines->n;
        return PARSCAN_OK;
    }
    parscan_scan_options options = PARSCAN_SCAN_OPTIONS(.shape = &lines->shape);
    options.op = op == TALLY_MIN ? PARSCAN_MIN : op == TALLY_MAX ? PARSCAN_MAX : PARSCAN_SUM;
    if (op == TALLY_MEAN)
        make_doubles(in);
    const parscan_type type = options.op == PARSCAN_SUM ? sum_type(in->type) : in->type;
    options.out_type = type != in->type ? type : 0;
    options.reproducible = options.op == PARSCAN_SUM && parscan_is_float(type);
    const parscan_status called =
        parscan_reduce(job->context, in->type, in->data, job->out.data, lines->n, &options);
    if (called == PARSCAN_OK && op == TALLY_MEAN)
        divide(type, job->out.data, count, (double)lines->n);
    if (called == PARSCAN_OK && op == TALLY_MEAN &&
        lines->n == 0) /* 0 / 0 has a sign on some processors */
        for (size_t i = 0; i < count; i++)
            ((double *)job->out.data)[i] = (double)NAN;
    return called;
}

static int check_lines(void *user, const axis_lines *lines, failure *why)
{
    const tally_op op = *(const tally_op *)user;
    if (lines->n > 0 || (op != TALLY_MIN && op != TALLY_MAX))
        return STATUS_DONE;
    fail(why, "--op %s: axis %d has no elements", tally_op_name_of(op), lines->axis);
    return STATUS_USAGE;
}

int reduce_axis(session *job, tally_op op, failure *why)
{
    return axis_run(job,
                    &(axis_work){.out_type = result_type(op, job->in.type),
                                 .new_memory = true,
                                 .drops = true,
                                 .check = check_lines,
                                 .compute = reduce_lines,
                                 .user = &op},
                    why);
}
