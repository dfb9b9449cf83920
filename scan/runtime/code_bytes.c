#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC */

#include "scan/runtime/code_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan/context/context_state.h"

/* FNV-1a: G. Fowler, L. Noll, K. Vo. */
#define FNV_PRIME UINT64_C(0x100000001b3)
#define FNV_START UINT64_C(0xcbf29ce484222325)

#define MOST_FILE ((size_t)1 << 28)

static uint64_t hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const all = bytes;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ all[k]) * FNV_PRIME;
    return hash;
}

code_key parscan_code_key_of(code_key before, const void *bytes, size_t size)
{
    const uint64_t length = size;
    code_key key;
    for (int k = 0; k < 2; k++) {
        key.halves[k] = hash(before.halves[k] ^ (FNV_START + (uint64_t)k), &length, sizeof length);
        key.halves[k] = hash(key.halves[k], bytes, size);
    }
    return key;
}

uint64_t parscan_code_checksum(const void *bytes, size_t size)
{
    return hash(FNV_START, bytes, size);
}

typedef struct file_head {
    char magic[8];
    code_key key;
    uint64_t size, checksum;
} file_head;

static const char file_magic[8] = "parsc\n\1";

/* The path of a key's file, of the allocator; NULL: no memory. beside: of the file that is written first. */
static char *path_of(const char *folder, code_key key, bool beside,
                     const parscan_allocator *allocator)
{
    const size_t room = strlen(folder) + 128;
    char *const path = parscan_host_allocate(allocator, room);
    if (path == NULL)
        return NULL;
    const int length =
        snprintf(path, room, "%s/parscan-%016llx%016llx.code", folder,
                 (unsigned long long)key.halves[0], (unsigned long long)key.halves[1]);
    if (beside)
        snprintf(path + length, room - (size_t)length, ".%ld.%p", (long)getpid(), (void *)path);
    return path;
}

static bool read_all(int file, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        const ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t size)
{
    for (const char *at = from; size > 0;) {
        const ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool read_head(int file, code_key key, file_head *head)
{
    struct stat about;
    return read_all(file, head, sizeof *head) &&
           memcmp(head->magic, file_magic, sizeof file_magic) == 0 &&
           code_keys_are_equal(head->key, key) && head->size > 0 && head->size <= MOST_FILE &&
           fstat(file, &about) == 0 && (uint64_t)about.st_size == sizeof *head + head->size;
}

static char *read_code(int file, code_key key, const parscan_allocator *allocator, size_t *size)
{
    file_head head;
    if (!read_head(file, key, &head))
        return NULL;
    char *const code = parscan_host_allocate(allocator, head.size);
    if (code == NULL)
        return NULL;
    if (!read_all(file, code, head.size) ||
        parscan_code_checksum(code, head.size) != head.checksum) {
        parscan_host_release(allocator, code);
        return NULL;
    }
    *size = head.size;
    return code;
}

char *parscan_code_file_read(const char *folder, code_key key, const parscan_allocator *allocator,
                             size_t *size)
{
    char *const path = path_of(folder, key, false, allocator);
    if (path == NULL)
        return NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    parscan_host_release(allocator, path);
    if (file < 0)
        return NULL;
    char *const code = read_code(file, key, allocator, size);
    close(file);
    return code;
}

static bool write_file(const char *path, code_key key, const void *code, size_t size)
{
    file_head head = {.key = key, .size = size, .checksum = parscan_code_checksum(code, size)};
    memcpy(head.magic, file_magic, sizeof file_magic);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    const bool written = write_all(file, &head, sizeof head) && write_all(file, code, size);
    return close(file) == 0 && written;
}

void parscan_code_file_write(const char *folder, code_key key, const void *code, size_t size,
                             const parscan_allocator *allocator)
{
    char *const path = path_of(folder, key, false, allocator);
    char *const beside = path_of(folder, key, true, allocator);
    if (path != NULL && beside != NULL &&
        !(write_file(beside, key, code, size) && rename(beside, path) == 0))
        unlink(beside);
    parscan_host_release(allocator, beside);
    parscan_host_release(allocator, path);
}
