#include "scan/runtime/custom_test_cuda.h"

#include "scan/runtime/custom_run.h"

static custom_program test_program(const parscan_context *context, const parscan_operator *op)
{
    return (custom_program){.kind =
                                op->kind == PARSCAN_OPERATOR_RELATION ? CUSTOM_HEADS : CUSTOM_TEST,
                            .architecture = parscan_custom_architecture(context)};
}

parscan_status parscan_custom_test_cuda(parscan_context *context, const parscan_operator *keep,
                                        const void *in, uint8_t *flags, size_t n,
                                        const uint64_t *n_at)
{
    const parscan_scan_call call = {.context = context, .custom = keep, .n = n, .n_at = n_at};
    const custom_run run = {&call, keep->code, parscan_custom_code_text(keep->code), in, flags};
    const custom_program program = test_program(context, keep);
    const custom_use *use;
    const parscan_status status = parscan_custom_use(context, run.code, &program, &use);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    const custom_call fields = parscan_custom_fields(&run);
    const custom_launch launch = {.kernel = use->kernels[CUSTOM_MAIN],
                                  .blocks = n / CUSTOM_TEST_THREADS + 1,
                                  .threads = CUSTOM_TEST_THREADS,
                                  .chained = true,
                                  .in_order = true,
                                  .params = &fields};
    return parscan_custom_launch(context, &launch);
}

parscan_status parscan_custom_prepare_test_cuda(parscan_context *context,
                                                const parscan_operator *keep)
{
    const custom_program program = test_program(context, keep);
    const custom_use *use;
    parscan_status status = parscan_cuda_begin(context, "parscan_operator_prepare");
    if (status == PARSCAN_OK)
        status = parscan_custom_use(context, keep->code, &program, &use);
    return parscan_cuda_end(context, status);
}
