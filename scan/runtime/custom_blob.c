/* Blobs: what parscan_operator_save() and parscan_operator_load() pass around. */
#include <string.h>

#include "scan/context/context_state.h"
#include "scan/runtime/custom_code_state.h"

/* A blob: a head, entries, each with its bytes up to a multiple of 8, and a checksum of all before. */
typedef struct blob_head {
    char magic[8];
    code_key of; /* of the operator, as this version of the library compiles it */
    uint64_t count;
} blob_head;

typedef struct blob_entry {
    code_key key;
    uint64_t architecture, size;
} blob_entry;

static const char blob_magic[8] = "parsb\n\1";

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* A program of the operator, for no device, stands for all that its programs have in common. */
static parscan_status key_of_operator(const custom_code *code, code_key *key)
{
    const custom_program any = {.kind = CUSTOM_SEQUENTIAL};
    return parscan_custom_code_key(code, &any, key);
}

static size_t blob_size(const custom_code *code)
{
    size_t size = sizeof(blob_head) + sizeof(uint64_t);
    for (const kept_code *kept = code->kept; kept != NULL; kept = kept->next)
        size += sizeof(blob_entry) + padded(kept->size);
    return size;
}

static void write_blob(const custom_code *code, code_key of, char *blob)
{
    blob_head head = {.of = of};
    char *at = blob + sizeof head;
    memcpy(head.magic, blob_magic, sizeof blob_magic);
    for (const kept_code *kept = code->kept; kept != NULL; kept = kept->next, head.count++) {
        const blob_entry entry = {kept->key, kept->architecture, kept->size};
        memcpy(at, &entry, sizeof entry);
        at += sizeof entry;
        memset(at, 0, padded(kept->size));
        memcpy(at, kept->bytes, kept->size);
        at += padded(kept->size);
    }
    memcpy(blob, &head, sizeof head);
    const uint64_t checksum = parscan_code_checksum(blob, (size_t)(at - blob));
    memcpy(at, &checksum, sizeof checksum);
}

parscan_status parscan_custom_code_save(custom_code *code, void *blob, size_t capacity,
                                        size_t *size)
{
    code_key of;
    parscan_custom_code_lock(code);
    parscan_status status = key_of_operator(code, &of);
    *size = blob_size(code);
    if (status == PARSCAN_OK && (blob == NULL || capacity < *size))
        status = PARSCAN_ERROR_CAPACITY;
    if (status == PARSCAN_OK)
        write_blob(code, of, blob);
    parscan_custom_code_unlock(code);
    return status;
}

/* Returns what is wrong with a blob, or NULL. */
static const char *check_blob(const char *blob, size_t size, code_key of, blob_head *head)
{
    uint64_t checksum;
    if (size < sizeof *head + sizeof checksum)
        return "the blob is too short";
    memcpy(head, blob, sizeof *head);
    if (memcmp(head->magic, blob_magic, sizeof blob_magic) != 0)
        return "the blob is none of parscan_operator_save()";
    const size_t before = size - sizeof checksum;
    memcpy(&checksum, blob + before, sizeof checksum);
    if (parscan_code_checksum(blob, before) != checksum)
        return "the blob is damaged";
    return code_keys_are_equal(head->of, of)
               ? NULL
               : "the blob is of another operator, or of another version of parscan";
}

/* Keeps the entries of a checked blob; `left` bytes follow its head. */
static parscan_status keep_entries(custom_code *code, const char *at, size_t left, uint64_t count)
{
    for (blob_entry entry; count > 0; count--) {
        if (left < sizeof entry)
            return PARSCAN_ERROR_INVALID_ARGUMENT;
        memcpy(&entry, at, sizeof entry);
        at += sizeof entry;
        left -= sizeof entry;
        if (entry.size == 0 || entry.size > left || padded(entry.size) > left)
            return PARSCAN_ERROR_INVALID_ARGUMENT;
        char *const bytes = parscan_host_allocate(&code->allocator, entry.size);
        if (bytes == NULL)
            return PARSCAN_ERROR_OUT_OF_MEMORY;
        memcpy(bytes, at, entry.size);
        if (parscan_custom_keep(code, entry.key, (int)entry.architecture, bytes, entry.size) ==
            NULL)
            return PARSCAN_ERROR_OUT_OF_MEMORY;
        at += padded(entry.size);
        left -= padded(entry.size);
    }
    return left == 0 ? PARSCAN_OK : PARSCAN_ERROR_INVALID_ARGUMENT;
}

parscan_status parscan_custom_code_load(custom_code *code, const void *blob, size_t size,
                                        const char **words)
{
    blob_head head;
    code_key of;
    parscan_custom_code_lock(code);
    parscan_status status = key_of_operator(code, &of);
    *words = "no memory for a blob";
    if (status == PARSCAN_OK) {
        const char *const wrong = check_blob(blob, size, of, &head);
        if (wrong != NULL) {
            *words = wrong;
            status = PARSCAN_ERROR_INVALID_ARGUMENT;
        }
    }
    if (status == PARSCAN_OK)
        status = keep_entries(code, (const char *)blob + sizeof head,
                              size - sizeof head - sizeof(uint64_t), head.count);
    if (status == PARSCAN_ERROR_INVALID_ARGUMENT && *words[0] == 'n')
        *words = "the blob is damaged";
    parscan_custom_code_unlock(code);
    return status;
}
