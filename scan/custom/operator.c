#include "scan/custom/operator_state.h"

#include <stdio.h>

#include "scan/context/check.h"
#include "scan/context/context_state.h"

PARSCAN_STRUCT_CAN_GROW(parscan_operator_options, error_size, PARSCAN_OLDEST_OPERATOR_OPTIONS);

static parscan_status check_element(parscan_context *words, const parscan_operator_options *options)
{
    const size_t size = options->element_size, alignment = options->alignment;
    if (size == 0 || size > CUSTOM_MOST)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "element_size = %zu: it must be 1 to %u", size, CUSTOM_MOST);
    if (alignment > CUSTOM_MOST || (alignment & (alignment - 1)) != 0 ||
        (alignment > 0 && size % alignment != 0))
        return parscan_fail(
            words, PARSCAN_ERROR_INVALID_ARGUMENT,
            "alignment = %zu: it must be a power of two that divides element_size = "
            "%zu, or 0",
            alignment, size);
    if ((options->state == NULL) != (options->state_size == 0))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "state is %s, state_size = %zu: there must be both or neither",
                            options->state == NULL ? "NULL" : "not NULL", options->state_size);
    if (options->state_size > CUSTOM_STATE_MOST)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "state_size = %zu: it must be at most %u", options->state_size,
                            CUSTOM_STATE_MOST);
    if ((options->allocator.allocate == NULL) != (options->allocator.release == NULL))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "allocator: there must be both functions or neither");
    return PARSCAN_OK;
}

/* Whether there are maps: both engines have the same. */
static bool has_load(const parscan_operator_options *options)
{
    return options->combine != NULL ? options->load != NULL : options->cuda_load != NULL;
}

static bool has_store(const parscan_operator_options *options)
{
    return options->combine != NULL ? options->store != NULL : options->cuda_store != NULL;
}

/* An option that is there and belongs to another kind, or NULL. */
static const char *option_of_another_kind(const parscan_operator_options *options)
{
    const parscan_operator_kind kind = options->kind;
    if (options->combine != NULL && kind != PARSCAN_OPERATOR_COMBINE)
        return "combine";
    if (options->relate != NULL && kind != PARSCAN_OPERATOR_RELATION)
        return "relate";
    if (options->test != NULL && kind != PARSCAN_OPERATOR_PREDICATE)
        return "test";
    if (kind == PARSCAN_OPERATOR_COMBINE)
        return NULL;
    if (options->identity != NULL)
        return "identity";
    if (options->commutes != 0)
        return "commutes";
    return options->load != NULL || options->store != NULL || options->cuda_load != NULL ||
                   options->cuda_store != NULL
               ? "load or store"
               : NULL;
}

static parscan_status check_kind(parscan_context *words, const parscan_operator_options *options)
{
    const parscan_operator_kind kind = options->kind;
    if ((unsigned)kind > PARSCAN_OPERATOR_PREDICATE)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "kind = %d is not a parscan_operator_kind", (int)kind);
    if (kind == PARSCAN_OPERATOR_RELATION && options->relate == NULL &&
        options->cuda_source == NULL)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "relate and cuda_source are NULL: there must be one of them");
    if (kind == PARSCAN_OPERATOR_PREDICATE && options->test == NULL && options->cuda_source == NULL)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "test and cuda_source are NULL: there must be one of them");
    const char *const other = option_of_another_kind(options);
    if (other != NULL)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "kind = %d has an option of another kind: %s", (int)kind, other);
    if (kind == PARSCAN_OPERATOR_COMBINE && options->combine == NULL &&
        options->cuda_source == NULL)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "combine and cuda_source are NULL: there must be one of them");
    return PARSCAN_OK;
}

static parscan_status check_functions(parscan_context *words,
                                      const parscan_operator_options *options)
{
    const bool loads = has_load(options), stores = has_store(options);
    const parscan_status status = check_kind(words, options);
    if (status != PARSCAN_OK)
        return status;
    if (!loads && options->in_size != 0)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "in_size = %zu, but there is no load", options->in_size);
    if (stores != (options->out_size != 0))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "out_size = %zu, but there is %s store", options->out_size,
                            stores ? "a" : "no");
    return PARSCAN_OK;
}

static parscan_status check_name(parscan_context *words, const char *field, const char *name,
                                 bool needed)
{
    if (name == NULL && needed)
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "%s is NULL: cuda_source needs it", field);
    if (name != NULL && (name[0] == '\0' || strpbrk(name, "\n\r;{}()\"") != NULL))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT, "%s is no name", field);
    return PARSCAN_OK;
}

/* What is for CUDA. */
static parscan_status check_text(parscan_context *words, const parscan_operator_options *options)
{
    if (!(options->compile_seconds >= 0))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "compile_seconds = %g: it must be 0 or more", options->compile_seconds);
    if (options->cuda_source == NULL)
        return PARSCAN_OK;
    parscan_status status = check_name(words, "cuda_type", options->cuda_type, true);
    if (status == PARSCAN_OK)
        status = check_name(words, "cuda_function", options->cuda_function, true);
    if (status == PARSCAN_OK)
        status = check_name(words, "cuda_load", options->cuda_load, false);
    if (status == PARSCAN_OK)
        status = check_name(words, "cuda_store", options->cuda_store, false);
    if (status == PARSCAN_OK && options->combine != NULL &&
        ((options->cuda_load != NULL && options->load == NULL) ||
         (options->cuda_store != NULL && options->store == NULL)))
        return parscan_fail(words, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "cuda_load and cuda_store: an operator that has combine also has load "
                            "and store");
    return status;
}

/* The largest power of two up to 16 that divides the size. */
static size_t default_alignment(size_t size)
{
    const size_t power = size & (~size + 1);
    return power < 16 ? power : 16;
}

static void fill_operator(parscan_operator *op, const parscan_operator_options *options,
                          const parscan_allocator *allocator)
{
    *op = (parscan_operator){
        .allocator = *allocator,
        .kind = options->kind,
        .size = options->element_size,
        .alignment =
            options->alignment != 0 ? options->alignment : default_alignment(options->element_size),
        .has_identity = options->identity != NULL,
        .commutes = options->commutes != 0,
        .combine = options->combine,
        .relate = options->relate,
        .test = options->test,
        .load = options->load,
        .store = options->store,
        .loads = has_load(options),
        .stores = has_store(options),
        .in_size = has_load(options) ? options->in_size : options->element_size,
        .out_size = has_store(options) ? options->out_size : options->element_size,
        .state = options->state != NULL ? op + 1 : NULL,
    };
    if (options->identity != NULL)
        memcpy(op->identity, options->identity, options->element_size);
    if (options->state != NULL)
        memcpy(op + 1, options->state, options->state_size);
}

static parscan_status create_operator(parscan_context *words, parscan_operator **op,
                                      const parscan_operator_options *options)
{
    parscan_status status = check_element(words, options);
    if (status == PARSCAN_OK)
        status = check_functions(words, options);
    if (status == PARSCAN_OK)
        status = check_text(words, options);
    if (status != PARSCAN_OK)
        return status;
    const parscan_allocator allocator =
        options->allocator.allocate != NULL ? options->allocator : parscan_default_allocator();
    *op = parscan_host_allocate(&allocator, sizeof **op + options->state_size);
    if (*op == NULL)
        return parscan_fail(words, PARSCAN_ERROR_OUT_OF_MEMORY, "no memory for an operator");
    fill_operator(*op, options, &allocator);
    status = parscan_operator_take_text(*op, options);
    if (status == PARSCAN_OK)
        return PARSCAN_OK;
    parscan_host_release(&allocator, *op);
    *op = NULL;
    return parscan_fail(words, status, "no memory for the text of an operator");
}

parscan_status parscan_operator_create(parscan_operator **op,
                                       const parscan_operator_options *options)
{
    parscan_context words = {.error = ""}; /* for its message alone */
    parscan_operator_options local;
    if (op == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    *op = NULL;
    if (options == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_status status = parscan_read_struct(
        &words, "options", options, PARSCAN_OLDEST_OPERATOR_OPTIONS, &local, sizeof local);
    if (status == PARSCAN_OK)
        status = create_operator(&words, op, &local);
    if (status != PARSCAN_OK && local.error != NULL && local.error_size > 0)
        snprintf(local.error, local.error_size, "%s", words.error);
    return status;
}

void parscan_operator_destroy(parscan_operator *op)
{
    if (op == NULL)
        return;
    const parscan_allocator allocator = op->allocator;
    parscan_operator_leave_text(op);
    parscan_host_release(&allocator, op);
}
