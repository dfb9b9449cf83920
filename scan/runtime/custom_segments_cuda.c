#include "scan/runtime/custom_segments_cuda.h"

#include "scan/custom/operator_state.h"
#include "scan/runtime/custom_run.h"
#include "scan/runtime/custom_scan_cuda.h"

static custom_program segments_program(const parscan_scan_call *call)
{
    const bool reduces = call->kind == PARSCAN_KIND_REDUCE;
    return (custom_program){.kind = reduces ? CUSTOM_SEGMENTED_REDUCE : CUSTOM_SEGMENTED_SCAN,
                            .architecture = parscan_custom_architecture(call->context),
                            .reverse = call->reverse};
}

/* Without elements the offsets' empty segments are left. */
parscan_status parscan_custom_segments_cuda(const parscan_scan_call *call, const void *in,
                                            void *out, custom_segments *segments)
{
    custom_code *const code = call->custom->code;
    const custom_run run = {call, code, parscan_custom_code_text(code), in, out};
    custom_run placed = run;
    custom_program program = segments_program(call);
    segments->pass = (custom_pass){.call = parscan_custom_fields(&run)};
    if (call->kind == PARSCAN_KIND_REDUCE) /* results do not lie as elements do */
        placed.out = NULL;
    parscan_custom_place_tiles(&placed, &program, &segments->pass);
    const custom_pass_shape shape = parscan_custom_shape_of(run.text, &program);
    const size_t tiles = (segments->pass.head_padding + call->n) / shape.tile + 1;
    const size_t words = parscan_custom_marked_size(run.text) / 4;
    const custom_use *use;
    parscan_chain_memory memory;
    parscan_status status = parscan_custom_use(call->context, code, &program, &use);
    if (status == PARSCAN_OK)
        status = parscan_cuda_chain_memory(call->context, words * tiles, &memory);
    if (status != PARSCAN_OK || use == NULL)
        return status;
    segments->pass.chain = (custom_chain){memory.control, memory.status, memory.words};
    const custom_launch launch = {.kernel = use->kernels[CUSTOM_MAIN],
                                  .blocks = tiles,
                                  .threads = shape.threads,
                                  .shared_bytes = shape.shared_bytes,
                                  .chained = true,
                                  .params = segments};
    return parscan_custom_launch(call->context, &launch);
}

parscan_status parscan_custom_prepare_segments_cuda(const parscan_scan_call *call)
{
    parscan_scan_call none = *call;
    none.in = NULL;
    custom_code *const code = call->custom->code;
    custom_program program = segments_program(call);
    const custom_use *use;
    parscan_status status = parscan_custom_check_cuda(&none);
    if (status != PARSCAN_OK)
        return status;
    status = parscan_cuda_begin(call->context, "parscan_operator_prepare");
    if (status == PARSCAN_OK) {
        program.vectors = parscan_custom_has_vectors(parscan_custom_code_text(code), NULL);
        program.aligned = true;
        status = parscan_custom_use(call->context, code, &program, &use);
    }
    return parscan_cuda_end(call->context, status);
}
