#include "scan/runtime/custom_program.h"

#include <stdint.h>
#include <string.h>

#include "scan/cuda/plan.h"
#include "scan/runtime/custom_params.h"
#include "scan/runtime/text_buffer.h"
#include "scan/tables.h"

/* The registers of a lane for the elements that it has at once, and how many elements it may have. */
#define LANE_WORDS 32u

/* Vectors of a lane, at most, where a stage also has a mask for each vector. */
#define MARKED_VECTORS 4u

bool parscan_custom_has_vectors(const custom_text *text, const void *out)
{
    const size_t size = text->size;
    if (text->store != NULL)
        return false;
    return size <= 16 ? 16 % size == 0 && (uintptr_t)out % size == 0
                      : size % 16 == 0 && (uintptr_t)out % 16 == 0;
}

size_t parscan_custom_combined_size(const custom_text *text)
{
    const size_t alignment = text->alignment < 4 ? 4 : text->alignment;
    return text->identity != NULL ? text->size
                                  : (text->size + 4 + alignment - 1) / alignment * alignment;
}

/* The widest word of at most 16 bytes in which elements can be copied. */
static unsigned unit_of(const custom_text *text)
{
    unsigned unit = 16;
    while (text->size % unit != 0 || text->alignment % unit != 0)
        unit /= 2;
    return unit;
}

static unsigned power_of_two_at_most(unsigned most)
{
    unsigned power = 1;
    while (2 * power <= most)
        power *= 2;
    return power;
}

static bool is_segmented(custom_program_kind kind)
{
    return kind == CUSTOM_SEGMENTED_SCAN || kind == CUSTOM_SEGMENTED_REDUCE;
}

size_t parscan_custom_marked_size(const custom_text *text)
{
    const size_t alignment = text->alignment < 4 ? 4 : text->alignment;
    const size_t size = (text->size + 3) / 4 * 4 + 4;
    return (size + alignment - 1) / alignment * alignment;
}

/* The shapes are those of tuning_cuda.cuh, where elements have their sizes. */
custom_pass_shape parscan_custom_shape_of(const custom_text *text, const custom_program *program)
{
    const bool segmented = is_segmented(program->kind);
    const size_t combined =
        segmented ? parscan_custom_marked_size(text) : parscan_custom_combined_size(text);
    const unsigned words = (unsigned)((combined + 3) / 4);
    const unsigned lane = program->vectors && text->size < 16 ? (unsigned)(16 / text->size) : 1;
    const unsigned at_once = lane * words < LANE_WORDS ? LANE_WORDS / (lane * words) : 1;
    const bool narrow = program->vectors && text->size < 4;
    /* Warps that reduce load by a map, too: so many of them are worth it where they have registers for two blocks. */
    const bool maps = text->load != NULL;
    const bool specialised = PARSCAN_WARP_SPECIALISED(program->architecture) &&
                             (!maps || (words <= 2 && !segmented && !narrow));
    custom_pass_shape shape = {.unit = program->vectors ? 16 : unit_of(text)};
    shape.vectors = power_of_two_at_most(at_once);
    if (segmented && shape.vectors > MARKED_VECTORS)
        shape.vectors = MARKED_VECTORS;
    if (!specialised && shape.vectors > 1)
        shape.vectors /= 2;
    shape.scanners =
        (narrow && (specialised || text->size == 1)) || (segmented && specialised && words <= 2)
            ? 16
            : 8;
    shape.reducers = specialised && !maps ? shape.scanners / 2 : shape.scanners;
    shape.stages = !specialised ? 1 : maps ? 3 : narrow && text->size == 1 ? 8 : 6;
    shape.threads = (specialised ? shape.scanners + shape.reducers + 2 : shape.scanners) * 32;
    shape.blocks = specialised  ? (maps ? 2 : 1)
                   : words <= 2 ? 1024 / shape.threads
                                : 512 / shape.threads;
    shape.tile = (size_t)shape.scanners * 32 * shape.vectors * lane;
    shape.shared_bytes = shape.stages * (shape.tile * text->size + 256);
    return shape;
}

static void add_headers(text_buffer *to, custom_program_kind kind)
{
    static const char *const headers[] = {
        [CUSTOM_SCAN] = "custom_scan.cuh",
        [CUSTOM_REDUCE] = "custom_reduce.cuh",
        [CUSTOM_BLOCKS] = "custom_blocks.cuh",
        [CUSTOM_SEQUENTIAL] = "custom_blocks.cuh",
        [CUSTOM_TEST] = "custom_test.cuh",
        [CUSTOM_HEADS] = "custom_test.cuh",
        [CUSTOM_SORT] = "custom_sort.cuh",
        [CUSTOM_SEGMENTED_SCAN] = "custom_segments.cuh",
        [CUSTOM_SEGMENTED_REDUCE] = "custom_segments.cuh",
        [CUSTOM_TREE] = "custom_tree.cuh",
    };
    parscan_text_add_format(to, "#include \"scan/runtime/%s\"\n", headers[kind]);
}

/* Bytes as a macro of words of 32 bits. */
static void define_words(text_buffer *to, const char *name, const void *bytes, size_t size)
{
    parscan_text_add_format(to, "#define %s ", name);
    for (size_t at = 0; at < size; at += 4) {
        uint32_t word = 0;
        memcpy(&word, (const char *)bytes + at, size - at < 4 ? size - at : 4);
        parscan_text_add_format(to, "%#xu,", (unsigned)word);
    }
    parscan_text_add(to, "\n");
}

static void define_name(text_buffer *to, const char *name, const char *value)
{
    if (value == NULL)
        return;
    parscan_text_add_format(to, "#define %s ", name);
    parscan_text_add(to, value);
    parscan_text_add(to, "\n");
}

static void define_number(text_buffer *to, const char *name, size_t value)
{
    parscan_text_add_format(to, "#define %s %zu\n", name, value);
}

/* Lines of the caller's keep their numbers. */
static void add_callers(text_buffer *to, const char *name, const char *source)
{
    if (source == NULL)
        return;
    parscan_text_add_format(to, "namespace parscan_text {\n#line 1 \"%s\"\n", name);
    parscan_text_add(to, source);
    parscan_text_add(to, "\n}\n");
}

static void define_operator(text_buffer *to, const custom_text *text)
{
    parscan_text_add(to, "#line 1 \"parscan\"\n");
    define_name(to, "PARSCAN_TYPE", text->type);
    define_name(to, "PARSCAN_FUNCTION", text->function);
    define_name(to, "PARSCAN_LOAD", text->load);
    define_name(to, "PARSCAN_STORE", text->store);
    define_number(to, "PARSCAN_SIZE", text->size);
    define_number(to, "PARSCAN_ALIGNMENT", text->alignment);
    define_number(to, "PARSCAN_COMMUTES", text->commutes);
    if (text->identity != NULL)
        define_words(to, "PARSCAN_IDENTITY", text->identity, text->size);
    if (text->state != NULL)
        define_words(to, "PARSCAN_STATE", text->state, text->state_size);
}

static void define_pass(text_buffer *to, const custom_text *text, const custom_program *program)
{
    const custom_pass_shape shape = parscan_custom_shape_of(text, program);
    define_number(to, "PARSCAN_SCANNERS", shape.scanners);
    define_number(to, "PARSCAN_REDUCERS", shape.reducers);
    define_number(to, "PARSCAN_VECTORS", shape.vectors);
    define_number(to, "PARSCAN_STAGES", shape.stages);
    define_number(to, "PARSCAN_UNIT", shape.unit);
    define_number(to, "PARSCAN_THREADS", shape.threads);
    define_number(to, "PARSCAN_BLOCKS", shape.blocks);
    define_number(to, "PARSCAN_ALIGNED", program->aligned);
    define_number(to, "PARSCAN_REVERSE", program->reverse);
    if (is_segmented(program->kind))
        define_number(to, "PARSCAN_MARKED_SIZE", parscan_custom_marked_size(text));
}

static void define_blocks(text_buffer *to, parscan_algorithm algorithm)
{
    switch ((int)algorithm) {
#define X(ctx, NAME, ...)                                             \
    case PARSCAN_##NAME:                                              \
        define_name(to, "PARSCAN_BLOCK_ALGORITHM", "PARSCAN_" #NAME); \
        break;
        PARSCAN_BLOCK_ALGORITHMS(X, )
#undef X
    }
}

char *parscan_custom_program_text(const custom_text *text, const custom_program *program,
                                  const parscan_allocator *allocator)
{
    static const char *const kinds[] = {
        [CUSTOM_SCAN] = "PARSCAN_MAKE_SCAN",
        [CUSTOM_REDUCE] = "PARSCAN_MAKE_REDUCE",
        [CUSTOM_BLOCKS] = "PARSCAN_MAKE_BLOCKS",
        [CUSTOM_SEQUENTIAL] = "PARSCAN_MAKE_SEQUENTIAL",
        [CUSTOM_TEST] = "PARSCAN_MAKE_TEST",
        [CUSTOM_HEADS] = "PARSCAN_MAKE_HEADS",
        [CUSTOM_SORT] = "PARSCAN_MAKE_SORT",
        [CUSTOM_SEGMENTED_SCAN] = "PARSCAN_MAKE_SEGMENTED_SCAN",
        [CUSTOM_SEGMENTED_REDUCE] = "PARSCAN_MAKE_SEGMENTED_REDUCE",
        [CUSTOM_TREE] = "PARSCAN_MAKE_TREE",
    };
    text_buffer to = {.allocator = allocator};
    parscan_text_add(&to, "#define PARSCAN_API\n"); /* attributes of the host */
    add_headers(&to, program->kind);
    add_callers(&to, "operator", text->source);
    add_callers(&to, "load", text->load_source);
    add_callers(&to, "store", text->store_source);
    define_operator(&to, text);
    if (program->kind == CUSTOM_SCAN || is_segmented(program->kind))
        define_pass(&to, text, program);
    if (program->kind == CUSTOM_BLOCKS)
        define_blocks(&to, program->algorithm);
    define_name(&to, kinds[program->kind], "1");
    parscan_text_add(&to, "#include \"scan/runtime/custom_kernels.cuh\"\n");
    return parscan_text_take(&to);
}
