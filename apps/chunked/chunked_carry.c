/*
 * The carry as bytes: a head, what the object was created with, the state, and the tree or the
 * counts, one after the other, in the byte order of the machine.
 */
#include <inttypes.h>
#include <string.h>

#include "apps/chunked/chunked_object.h"
#include "scan/reproducible/tree_carry.h"

#define MARK "parscanC"
#define VERSION 1u
#define BYTE_ORDER_MARK 0x01020304u

typedef struct carry_head {
    char mark[8];
    uint32_t byte_order, version;
    uint64_t size; /* of all */
    uint64_t sum;  /* of all bytes after the head */
    chunked_arguments arguments;
    chunked_state state;
} carry_head;

_Static_assert(sizeof(carry_head) == offsetof(carry_head, state) + sizeof(chunked_state) &&
                   offsetof(carry_head, arguments) == 32,
               "a carry has no padding");

/* FNV-1a, 64 bits. */
uint64_t parscan_chunked_sum_of_bytes(const void *bytes, size_t size, uint64_t sum)
{
    const unsigned char *const from = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ from[i]) * 0x100000001b3u;
    return sum;
}

static uint64_t sum_of_all(const carry_head *head, const void *carry, size_t carry_bytes)
{
    const size_t begin = offsetof(carry_head, arguments);
    const uint64_t sum = parscan_chunked_sum_of_bytes((const char *)head + begin,
                                                      sizeof *head - begin, CHUNKED_NO_BYTES);
    return parscan_chunked_sum_of_bytes(carry, carry_bytes, sum);
}

size_t parscan_chunked_carry_size(const parscan_chunked *chunked)
{
    return chunked == NULL ? 0 : sizeof(carry_head) + chunked->carry_bytes;
}

static parscan_status check_size(parscan_chunked *chunked, const void *carry, size_t size)
{
    if (carry == NULL)
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT, "carry is NULL");
    if (size != parscan_chunked_carry_size(chunked))
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "size = %zu: the carry of %s has %zu bytes", size,
                            chunked->primitive->name, parscan_chunked_carry_size(chunked));
    return PARSCAN_OK;
}

parscan_status parscan_chunked_carry_get(parscan_chunked *chunked, void *carry, size_t size)
{
    if (chunked == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    const parscan_status status = check_size(chunked, carry, size);
    if (status != PARSCAN_OK)
        return status;
    if (chunked->finished)
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,
                            "parscan_chunked_carry_get() after parscan_chunked_finish()");
    carry_head head = {.mark = {0},
                       .byte_order = BYTE_ORDER_MARK,
                       .version = VERSION,
                       .size = size,
                       .arguments = chunked->arguments,
                       .state = chunked->state};
    memcpy(head.mark, MARK, sizeof head.mark);
    head.sum = sum_of_all(&head, chunked->carry, chunked->carry_bytes);
    memcpy(carry, &head, sizeof head);
    if (chunked->carry != NULL)
        memcpy((char *)carry + sizeof head, chunked->carry, chunked->carry_bytes);
    return PARSCAN_OK;
}

/* Checks that a carry was made with the object's own arguments. */
static parscan_status check_carry_arguments(parscan_chunked *chunked,
                                            const chunked_arguments *theirs)
{
    const chunked_arguments *const mine = &chunked->arguments;
#define X(field, words)                                                           \
    if (theirs->field != mine->field)                                             \
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,     \
                            "carry: " words " is %" PRIu64 " in it, and %" PRIu64 \
                            " in this object, %s",                                \
                            theirs->field, mine->field, chunked->primitive->name);
    CHUNKED_NUMBERS(X)
#undef X
#define X(field, words)                                                                      \
    if (memcmp(&theirs->field, &mine->field, sizeof mine->field) != 0)                       \
        return parscan_fail(chunked->context, PARSCAN_ERROR_INVALID_ARGUMENT,                \
                            "carry: " words " is another one in it than in this object, %s", \
                            chunked->primitive->name);
    CHUNKED_VALUES(X)
#undef X
    return PARSCAN_OK;
}

/* Whether the parts that the engines rely on are as parscan_chunked_carry_get() writes them. */
static bool is_sound(const parscan_chunked *chunked, const carry_head *head, const char *carry)
{
    if (head->state.begun > 1 || sum_of_all(head, carry, chunked->carry_bytes) != head->sum)
        return false;
    if (!parscan_chunked_has_tree(chunked))
        return true;
    parscan_tree_carry place;
    memcpy(&place, carry, offsetof(parscan_tree_carry, blocks));
    return head->state.elements <= TREE_MOST_ELEMENTS &&
           place.tiles == head->state.elements / TREE_TILE &&
           place.pending == head->state.elements % TREE_TILE;
}

parscan_status parscan_chunked_carry_set(parscan_chunked *chunked, const void *carry, size_t size)
{
    carry_head head;
    if (chunked == NULL)
        return PARSCAN_ERROR_INVALID_ARGUMENT;
    parscan_context *const context = chunked->context;
    if (carry != NULL && size >= sizeof head) {
        memcpy(&head, carry, sizeof head);
        if (memcmp(head.mark, MARK, sizeof head.mark) != 0)
            return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT,
                                "carry: its first bytes are not those of a carry");
        if (head.byte_order != BYTE_ORDER_MARK)
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "carry: it has another byte order than this machine");
        if (head.version != VERSION)
            return parscan_fail(context, PARSCAN_ERROR_UNSUPPORTED,
                                "carry: its format is version %u, parscan %s knows version %u",
                                head.version, PARSCAN_VERSION_STRING, VERSION);
        const parscan_status status = check_carry_arguments(chunked, &head.arguments);
        if (status != PARSCAN_OK)
            return status;
    }
    const parscan_status status = check_size(chunked, carry, size);
    if (status != PARSCAN_OK)
        return status;
    const char *const rest = (const char *)carry + sizeof head;
    if (head.size != size || !is_sound(chunked, &head, rest))
        return parscan_fail(context, PARSCAN_ERROR_INVALID_ARGUMENT, "carry: it is damaged");
    chunked->state = head.state;
    chunked->finished = false;
    if (chunked->carry != NULL)
        memcpy(chunked->carry, rest, chunked->carry_bytes);
    return PARSCAN_OK;
}
