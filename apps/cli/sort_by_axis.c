#include "apps/cli/sort_by_axis.h"

#include "apps/cli/axis_run.h"

typedef struct lines_order {
    parscan_sort_options options;
    bool argsort;
} lines_order;

static parscan_status sort_each(session *job, void *user, const axis_lines *lines)
{
    lines_order *const order = user;
    order->options.shape = &lines->shape;
    if (order->argsort)
        return parscan_argsort(job->context, job->in.type, job->in.data, PARSCAN_U64, job->out.data,
                               lines->n, &order->options);
    return parscan_sort_keys(job->context, job->in.type, job->in.data, job->out.data, lines->n,
                             &order->options);
}

int sort_axis(session *job, const parscan_sort_options *options, bool argsort, failure *why)
{
    lines_order order = {*options, argsort};
    return axis_run(job,
                    &(axis_work){.out_type = argsort ? PARSCAN_U64 : job->in.type,
                                 .new_memory = argsort,
                                 .compute = sort_each,
                                 .user = &order},
                    why);
}
