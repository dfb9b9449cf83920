#include "apps/cli/overflow_check.h"

#include <inttypes.h>

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

bool overflow_check_piece(overflow_check *check, const char *name, uint64_t first, const array *in,
                          const array *out, failure *why)
{
    const element_traits *const type = element_traits_of(out->type);
    const bool is_signed = parscan_type_traits_of(out->type).is_signed;
    if (!check->begun && check->init != NULL && in->n > 0) {
        check->value =
            load(&(array){.type = out->type, .data = (void *)(uintptr_t)check->init}, 0, is_signed);
        check->begun = true;
    }
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t element = load(in, i, is_signed);
        if (check->exclusive && check->wrapped)
            return fail_wrapped(check, name, first + i + 1, out->type, why);
        const uint64_t before = check->exclusive ? load(out, i, is_signed) : check->value;
        check->wrapped = (check->exclusive || check->begun) &&
                         is_beyond(type, is_signed, check->op, before, element);
        if (check->wrapped && !check->exclusive)
            return fail_wrapped(check, name, first + i + 1, out->type, why);
        check->value = load(out, i, is_signed);
        check->begun = true;
    }
    return true;
}
