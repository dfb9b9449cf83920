#include "apps/cli/sizes.h"

#include <inttypes.h>

#include "apps/cli/command.h"
#include "apps/cli/element_traits.h"
#include "apps/cli/integer_bits.h"
#include "apps/cli/session.h"
#include "parscan/scan.h"

/* The signed element at that index. */
static int64_t element_at(const array *elements, size_t index)
{
    const size_t size = parscan_type_size(elements->type);
    return (int64_t)load_signed((const char *)elements->data + index * size, size);
}

int sizes_check(parscan_context *context, const array *sizes, uint64_t first, const char *what,
                const char *name, failure *why)
{
    if (parscan_signless(sizes->type) == sizes->type)
        return STATUS_DONE;
    int64_t lowest = 0; /* room for an element of any size */
    const parscan_status reduced =
        parscan_reduce(context, sizes->type, sizes->data, &lowest, sizes->n,
                       &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MIN));
    const int status = session_status_of(reduced, parscan_context_error(context), why);
    if (status == STATUS_FAILED)
        fail_in(why, name);
    if (status != STATUS_DONE || sizes->n == 0)
        return status;
    if (element_at(&(array){.type = sizes->type, .data = &lowest}, 0) >= 0)
        return STATUS_DONE;
    size_t index = 0;
    while (element_at(sizes, index) >= 0)
        index++;
    fail(why, "%s: element %" PRIu64 ": a %s cannot be negative: %" PRId64, name, first + index + 1,
         what, element_at(sizes, index));
    return STATUS_FAILED;
}
