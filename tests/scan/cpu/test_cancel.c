/* A thread that is cancelled in a call ends after it. */
#include <criterion/criterion.h>

#include "tests/scan/cpu/every_primitive.h"
#include "tests/support/cancelled.h"

typedef struct calls {
    const primitive_inputs *in;
    parscan_context *context;
    const char *wrong;
} calls;

static void create(void *data)
{
    ((calls *)data)->context = cpu_context(3);
}

static void run_primitives(void *data)
{
    calls *const c = data;
    c->wrong = first_wrong_of_few(c->context, c->in);
}

static void destroy(void *data)
{
    parscan_context_destroy(((calls *)data)->context);
}

Test(cancellation, takes_effect_behind_the_calls_of_a_context)
{
    primitive_inputs *const in = primitive_inputs_begin((1u << 17) + 3);
    calls c = {.in = in};
    cr_assert_not_null(in);
    cr_assert(returns_before_it_is_cancelled(create, &c), "in parscan_context_create()");
    cr_assert_not_null(c.context);
    cr_assert(returns_before_it_is_cancelled(run_primitives, &c), "in a primitive");
    cr_assert_null(c.wrong, "%s", c.wrong);
    cr_assert_null(first_wrong_of_few(c.context, in), "afterwards");
    cr_assert(returns_before_it_is_cancelled(destroy, &c), "in parscan_context_destroy()");
    primitive_inputs_end(in);
}
