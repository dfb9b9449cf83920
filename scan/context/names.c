/* Names and sizes, from the lists of tables.h. */
#include "scan/context/context_state.h"
#include "scan/type_traits.h"

const char *parscan_type_name(parscan_type type)
{
    switch ((int)type) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return #name;
        PARSCAN_TYPES(X, )
#undef X
    }
    return NULL;
}

size_t parscan_type_size(parscan_type type)
{
    return parscan_type_traits_of(type).size;
}

const char *parscan_op_name(parscan_op op)
{
    switch (op) {
#define X(ctx, NAME, number, name, ...) \
    case PARSCAN_##NAME:                \
        return #name;
        PARSCAN_OPS(X, )
#undef X
    }
    return NULL;
}

const char *parscan_algorithm_name(parscan_algorithm algorithm)
{
    switch (algorithm) {
#define X(ctx, NAME, number, name) \
    case PARSCAN_##NAME:           \
        return name;
        PARSCAN_ALGORITHMS(X, )
#undef X
    }
    return NULL;
}

const char *parscan_backend_name(parscan_backend backend)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};
    return (unsigned)backend < sizeof names / sizeof names[0] ? names[backend] : NULL;
}

const char *parscan_isa_name(parscan_isa isa)
{
    static const char *const names[] = {"portable", "avx2", "avx512"};
    return names[isa];
}

const char *parscan_status_string(parscan_status status)
{
    static const char *const words[] = {
        "ok",
        "invalid argument",
        "unsupported",
        "out of memory",
        "overflow: the total does not fit its type",
        "capacity: the total exceeds the space given",
        "the engine is not available",
        "device error",
        "internal error: a bug in parscan, or an input changed during the call",
        "a file could not be created, written or read",
    };
    return (unsigned)status < sizeof words / sizeof words[0] ? words[status] : "unknown status";
}

const char *parscan_version(void)
{
    return PARSCAN_VERSION_STRING;
}
