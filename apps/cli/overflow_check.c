#include "apps/cli/overflow_check.h"

#include <inttypes.h>

#include "apps/cli/element_order.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/integer_bits.h"

/* Whether a and b combined are beyond the type. */
static bool is_beyond(const element_traits *type, bool is_signed, parscan_op op, uint64_t a,
                      uint64_t b)
{
    uint64_t whole = 0;
    int64_t number = 0;
    if (!is_signed)
        return (op == PARSCAN_SUM ? __builtin_add_overflow(a, b, &whole)
                                  : __builtin_mul_overflow(a, b, &whole)) ||
               whole > type->highest;
    const bool beyond = op == PARSCAN_SUM ? __builtin_add_overflow((int64_t)a, (int64_t)b, &number)
                                          : __builtin_mul_overflow((int64_t)a, (int64_t)b, &number);
    return beyond || number > (int64_t)type->highest ||
           (number < 0 && 0 - (uint64_t)number > type->lowest_magnitude);
}

static uint64_t load(const array *elements, size_t i, bool is_signed)
{
    const size_t size = parscan_type_size(elements->type);
    const void *const at = (const char *)elements->data + i * size;
    return is_signed ? load_signed(at, size) : load_unsigned(at, size);
}

static bool fail_wrapped(const overflow_check *check, const char *name, uint64_t number,
                         parscan_type type, failure *why)
{
    const bool widest = parscan_type_size(type) == sizeof(uint64_t);
    return fail(why, "%s: element %" PRIu64 ": the %s is beyond %s, and wraps around%s", name,
                number, check->op == PARSCAN_SUM ? "sum" : "product", parscan_type_name(type),
                widest || check->op != PARSCAN_SUM ? "" : " (--out-type T: a wider type)");
}

/* Each segment begins with the value of --init, if there is one. */
static void begin_segment(overflow_check *check, parscan_type type, bool is_signed)
{
    check->wrapped = false;
    check->begun = check->init != NULL;
    if (check->begun)
        check->value =
            load(&(array){.type = type, .data = (void *)(uintptr_t)check->init}, 0, is_signed);
}

/* Whether element i of the piece begins a segment. */
static bool begins(overflow_check *check, const stream_piece *piece, size_t i)
{
    if (!check->by_keys)
        return piece->first + i == 0 ||
               (piece->second.n > 0 && ((const uint8_t *)piece->second.data)[i] != 0);
    const uint64_t key =
        order_without_sign_of_0(piece->second.type, ((const uint64_t *)check->orders.data)[i]);
    const bool differs = !check->has_key || key != check->key;
    check->has_key = true;
    check->key = key;
    return differs;
}

bool overflow_check_piece(overflow_check *check, const char *name, const stream_piece *piece,
                          failure *why)
{
    const parscan_type type = piece->out.type;
    const element_traits *const traits = element_traits_of(type);
    const bool is_signed = parscan_type_traits_of(type).is_signed;
    if (check->by_keys && !array_reserve(&check->orders, piece->in.n))
        return fail_out_of_memory(why) || fail_in(why, name);
    if (check->by_keys)
        element_orders(piece->second.type, piece->second.data, piece->in.n, check->orders.data);
    for (size_t i = 0; i < piece->in.n; i++) {
        const uint64_t element = load(&piece->in, i, is_signed);
        if (begins(check, piece, i))
            begin_segment(check, type, is_signed);
        if (check->exclusive && check->wrapped)
            return fail_wrapped(check, name, piece->first + i + 1, type, why);
        const uint64_t before = check->exclusive ? load(&piece->out, i, is_signed) : check->value;
        check->wrapped = (check->exclusive || check->begun) &&
                         is_beyond(traits, is_signed, check->op, before, element);
        if (check->wrapped && !check->exclusive)
            return fail_wrapped(check, name, piece->first + i + 1, type, why);
        check->value = load(&piece->out, i, is_signed);
        check->begun = true;
    }
    return true;
}

void overflow_check_release(overflow_check *check)
{
    array_release(&check->orders);
}
