#include "apps/cli/order_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/cli/command.h"
#include "apps/cli/element_order.h"
#include "apps/cli/number_text.h"
#include "apps/cli/shortest_float.h"
#include "apps/cli/stream.h"

typedef struct order_checker {
    const order_rules *rules;
    bool begun;
    uint64_t last;
    array orders; /* u64: of a piece */
} order_checker;

static bool is_in_order(const order_rules *rules, uint64_t before, uint64_t order)
{
    const bool ascends = rules->descending ? order < before : order > before;
    return ascends || (order == before && !rules->strict);
}

/* The first element of the piece that is not in order; n: all are. */
static size_t first_wrong(order_checker *checker, parscan_type type, size_t n)
{
    uint64_t *const orders = checker->orders.data;
    for (size_t i = 0; i < n; i++) {
        orders[i] = checker->rules->strict ? order_without_sign_of_0(type, orders[i]) : orders[i];
        if (checker->begun && !is_in_order(checker->rules, checker->last, orders[i]))
            return i;
        checker->begun = true;
        checker->last = orders[i];
    }
    return n;
}

void order_format(parscan_type type, uint64_t order, char text[NUMBER_MAX_LENGTH + 2])
{
    long double element; /* room and alignment for an element of any type */
    element_of_order(type, order, &element);
    *(numbers_format(element_traits_of(type), &element, 1, text) - 1) = '\0';
}

bool order_fail(const char *name, bool lines, uint64_t number, parscan_type type, uint64_t order,
                uint64_t before, const char *advice, failure *why)
{
    char text[NUMBER_MAX_LENGTH + 2], text_before[NUMBER_MAX_LENGTH + 2];
    shortest_decimal_prepare();
    order_format(type, order, text);
    order_format(type, before, text_before);
    const bool advises = advice != NULL;
    return fail(why, "%s: %s %" PRIu64 ": %s is not in order: it comes after %s%s%s%s", name,
                lines ? "line" : "element", number, text, text_before, advises ? " (" : "",
                advises ? advice : "",
                !advises ? ""
                : lines  ? " sorts lines)"
                         : " sorts it)");
}

static int fail_piece(const session *job, const order_checker *checker, const stream_piece *piece,
                      size_t wrong, failure *why)
{
    const bool lines = session_has_fields(job);
    order_fail(session_input_name(job), lines,
               lines ? line_store_line(&piece->lines, wrong) : piece->first + wrong + 1,
               piece->in.type, ((const uint64_t *)checker->orders.data)[wrong], checker->last, NULL,
               why);
    return STATUS_FAILED;
}

static int check_piece(session *job, void *user, stream_piece *piece, failure *why)
{
    order_checker *const checker = user;
    if (!array_reserve(&checker->orders, piece->in.n)) {
        session_out_of_memory(job, why);
        return STATUS_FAILED;
    }
    element_orders(piece->in.type, piece->in.data, piece->in.n, checker->orders.data);
    const size_t wrong = first_wrong(checker, piece->in.type, piece->in.n);
    return wrong == piece->in.n ? STATUS_DONE : fail_piece(job, checker, piece, wrong, why);
}

int order_check(session *job, const order_rules *rules, failure *why)
{
    order_checker checker = {.rules = rules, .orders = {.type = PARSCAN_U64}};
    stream_totals totals;
    const stream_work work = {
        .lines = session_has_fields(job), .compute = check_piece, .user = &checker};
    const int status = stream_run(job, &work, &totals, why);
    array_release(&checker.orders);
    if (status == STATUS_DONE)
        session_print_stats(job, totals.read,
                            (double)totals.read * (double)parscan_type_size(job->in.type),
                            totals.seconds, false);
    return status;
}
