#include "apps/cli/scan_options.h"

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/line_append.h"
#include "apps/cli/number_text.h"

bool scan_take(scan_arguments *scan, common_options *common, int id, const char *value,
               failure *why)
{
    parscan_scan_options *const options = &scan->options;
    int number = 0;
    bool taken = true;
    switch (id) {
    case OPTION_OP:
        taken = take_name(value, op_name_of, &number, why);
        options->op = (parscan_op)number;
        break;
    case OPTION_EXCLUSIVE:
        scan->exclusive = true;
        break;
    case OPTION_INIT:
        scan->init = value;
        break;
    case OPTION_REVERSE:
        options->reverse = 1;
        break;
    case OPTION_ALGORITHM:
        taken = take_name(value, algorithm_name_of, &number, why);
        options->algorithm = (parscan_algorithm)number;
        break;
    case OPTION_CHECKED:
        scan->checked = true;
        break;
    case OPTION_APPEND:
        scan->append = common->fields.given = true;
        break;
    case OPTION_OUT_TYPE:
        return take_type(value, &options->out_type, why);
    case OPTION_REPRODUCIBLE:
        options->reproducible = 1;
        break;
    case OPTION_BLOCK_THREADS:
        return take_count(value, &options->block_threads, why);
    case OPTION_ITEMS:
        return take_count(value, &options->items_per_thread, why);
    default:
        return common_take(common, id, value, why);
    }
    return taken;
}

parscan_type scan_out_type(const scan_arguments *scan, parscan_type type)
{
    return scan->options.out_type != 0 ? scan->options.out_type : type;
}

void scan_take_mask(scan_arguments *scan, bool is_mask)
{
    if (is_mask && scan->options.op == PARSCAN_SUM && scan->options.out_type == 0)
        scan->options.out_type = PARSCAN_U64;
}

int scan_read_init(scan_arguments *scan, parscan_type type, failure *why)
{
    if (scan->init == NULL)
        return STATUS_DONE;
    scan->options.init = scan->init_value;
    if (number_parse(element_traits_of(scan_out_type(scan, type)), scan->init, scan->init_value,
                     why))
        return STATUS_DONE;
    fail_in(why, "--init");
    return STATUS_USAGE;
}

int scan_begin_check(scan_arguments *scan, const session *job, parscan_type type, failure *why)
{
    const parscan_scan_options *const options = &scan->options;
    if (scan->append && (options->reverse || job->options->axis.given)) {
        fail(why, "--append and %s exclude each other", options->reverse ? "--reverse" : "--axis");
        return STATUS_USAGE;
    }
    if (!scan->checked)
        return STATUS_DONE;
    if (options->reverse || job->options->axis.given || parscan_is_float(type)) {
        fail(why, "--checked is for integers without --reverse and --axis");
        return STATUS_USAGE;
    }
    scan->checked = options->op == PARSCAN_SUM || options->op == PARSCAN_PRODUCT;
    scan->check = (overflow_check){.op = options->op,
                                   .exclusive = scan->exclusive,
                                   .init = options->init,
                                   .orders.type = PARSCAN_U64};
    return STATUS_DONE;
}

void scan_print_stats(const scan_arguments *scan, session *job, const second_input *second,
                      const stream_totals *totals)
{
    const uint64_t cuts = scan->offsets != NULL ? scan->offsets->count : totals->read;
    const size_t cut_size = second != NULL ? parscan_type_size(job->second.type) : 0;
    const size_t moved =
        parscan_type_size(job->in.type) + parscan_type_size(scan_out_type(scan, job->in.type));
    session_print_stats(job, totals->read,
                        (double)totals->read * (double)moved + (double)cuts * (double)cut_size,
                        totals->seconds, scan->options.algorithm != PARSCAN_SEQUENTIAL);
}

static int scan_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    scan_arguments *const scan = user;
    const parscan_status called = parscan_chunked_update(
        scan->chunked, &PARSCAN_CHUNK(.in = piece->in.data, .in2 = piece->second.data,
                                      .out = piece->out.data, .n = piece->in.n));
    piece->out.n = piece->in.n;
    const int status = session_check_result(job, called, why);
    if (status == STATUS_DONE && scan->checked &&
        !overflow_check_piece(&scan->check, session_input_name(job), piece, why)) {
        piece->out.n = 0;
        return STATUS_FAILED;
    }
    return status;
}

/* The same where lines are written. */
static int scan_lines_of_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    scan_arguments *const scan = user;
    stream_piece numbers = *piece;
    scan->results.type = scan_out_type(scan, job->in.type);
    if (!array_reserve(&scan->results, piece->in.n))
        return session_out_of_memory(job, why), STATUS_FAILED;
    numbers.out = scan->results;
    const int status = scan_piece(job, user, &numbers, why);
    if (status != STATUS_DONE)
        return status;
    if (!lines_append_head(job, &piece->lines, op_name_of((int)scan->options.op), &piece->out))
        return session_out_of_memory(job, why), STATUS_FAILED;
    return lines_append(job, &piece->lines, &numbers.out, &scan->fields, &piece->out, why)
               ? STATUS_DONE
               : STATUS_FAILED;
}

static bool read_offsets(session *job, void *user, stream_piece *piece, failure *why)
{
    scan_arguments *const scan = user;
    return offset_flags_read(scan->offsets, job, piece, why);
}

int scan_stream(scan_arguments *scan, session *job, const second_input *second, failure *why)
{
    stream_totals totals;
    const stream_work work = {.out_type =
                                  scan->append ? PARSCAN_U8 : scan_out_type(scan, job->in.type),
                              .one_each = !scan->append,
                              .new_memory = scan->checked,
                              .lines = scan->append,
                              .second = second,
                              .read_second = scan->offsets != NULL ? read_offsets : NULL,
                              .compute = scan->append ? scan_lines_of_piece : scan_piece,
                              .user = scan};
    const int status = stream_run(job, &work, &totals, why);
    overflow_check_release(&scan->check);
    array_release(&scan->results);
    if (status == STATUS_DONE)
        scan_print_stats(scan, job, second, &totals);
    return status;
}
