#define _GNU_SOURCE /* preadv, pwritev, fallocate */
#include "apps/sorter/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

/* Blocks of one system call: what has been read is still in the second-level cache when its sums are
   tested, and what is written has its sums made just before. */
enum { BLOCKS_AT_ONCE = 8 };

/* In front of the elements of a block. */
typedef struct block_head {
    uint64_t sum, n;
} block_head;

/* The pieces of memory of one read or write. */
typedef struct pieces {
    block_head heads[BLOCKS_AT_ONCE];
    struct iovec list[3 * BLOCKS_AT_ONCE];
    unsigned count;
} pieces;

static size_t block_bytes(const spill_shape *shape)
{
    return sizeof(block_head) + shape->block_elements * (shape->key_size + shape->value_size);
}

static size_t blocks_of(const spill_shape *shape, size_t n)
{
    return n / shape->block_elements + (n % shape->block_elements != 0);
}

uint64_t parscan_spill_bytes(const spill_shape *shape, size_t n)
{
    return (uint64_t)blocks_of(shape, n) * sizeof(block_head) +
           (uint64_t)n * (shape->key_size + shape->value_size);
}

static uint64_t rotated(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t mixed(uint64_t sum, uint64_t word)
{
    return rotated(sum + word * 0xc2b2ae3d27d4eb4fu, 31) * 0x9e3779b185ebca87u;
}

/* Four sums at once, since each multiplication waits for the one before. */
static uint64_t sum_bytes(uint64_t seed, const char *data, size_t bytes)
{
    uint64_t sums[4] = {seed, seed + 1, seed + 2, seed + 3}, words[4] = {0};
    size_t i = 0;
    for (; i + sizeof words <= bytes; i += sizeof words) {
        memcpy(words, data + i, sizeof words);
        for (unsigned k = 0; k < 4; k++)
            sums[k] = mixed(sums[k], words[k]);
    }
    memset(words, 0, sizeof words);
    if (bytes > i)
        memcpy(words, data + i, bytes - i);
    for (unsigned k = 0; k < 4; k++)
        sums[k] = mixed(sums[k], words[k]);
    return mixed(mixed(mixed(mixed(bytes, sums[0]), sums[1]), sums[2]), sums[3]);
}

static block_head head_of(const spill_shape *shape, const spill_blocks *blocks, size_t block)
{
    const size_t begin = block * shape->block_elements, left = blocks->n - begin;
    const size_t n = left < shape->block_elements ? left : shape->block_elements;
    const uint64_t place = blocks->offset + block * block_bytes(shape);
    uint64_t sum = sum_bytes(place, blocks->keys + begin * shape->key_size, n * shape->key_size);
    if (shape->value_size > 0)
        sum = sum_bytes(sum, blocks->values + begin * shape->value_size, n * shape->value_size);
    return (block_head){sum, n};
}

static void list_pieces(const spill_shape *shape, const spill_blocks *blocks, pieces *p)
{
    p->count = 0;
    for (size_t begin = 0, block = 0; begin < blocks->n; begin += shape->block_elements, block++) {
        const size_t left = blocks->n - begin;
        const size_t n = left < shape->block_elements ? left : shape->block_elements;
        p->list[p->count++] = (struct iovec){&p->heads[block], sizeof p->heads[block]};
        p->list[p->count++] =
            (struct iovec){blocks->keys + begin * shape->key_size, n * shape->key_size};
        if (shape->value_size > 0)
            p->list[p->count++] =
                (struct iovec){blocks->values + begin * shape->value_size, n * shape->value_size};
    }
}

typedef ssize_t transfer(int file, const struct iovec *list, int count, off_t offset);

/* Reads or writes all pieces. Returns 0, an error number, or -1 where a file ends too early. */
static int move_pieces(transfer *move, int file, pieces *p, uint64_t offset)
{
    struct iovec *list = p->list;
    unsigned count = p->count;
    while (count > 0) {
        const ssize_t moved = move(file, list, (int)count, (off_t)offset);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? errno : -1;
        offset += (uint64_t)moved;
        size_t rest = (size_t)moved;
        for (; count > 0 && rest >= list->iov_len; list++, count--)
            rest -= list->iov_len;
        if (rest > 0) {
            list->iov_base = (char *)list->iov_base + rest;
            list->iov_len -= rest;
        }
    }
    return 0;
}

/* Takes the blocks of the next system call from those that are left. */
static spill_blocks take_blocks(const spill_shape *shape, spill_blocks *left)
{
    spill_blocks taken = *left;
    const size_t most = BLOCKS_AT_ONCE * shape->block_elements;
    if (taken.n > most)
        taken.n = most;
    left->keys += taken.n * shape->key_size;
    if (shape->value_size > 0)
        left->values += taken.n * shape->value_size;
    left->offset += parscan_spill_bytes(shape, taken.n);
    left->n -= taken.n;
    return taken;
}

bool parscan_spill_write(const spill_shape *shape, const spill_blocks *blocks,
                         spill_failure *failure)
{
    spill_blocks left = *blocks;
    int error = 0;
    while (error == 0 && left.n > 0) {
        const spill_blocks next = take_blocks(shape, &left);
        pieces p;
        for (size_t block = 0; block < blocks_of(shape, next.n); block++)
            p.heads[block] = head_of(shape, &next, block);
        list_pieces(shape, &next, &p);
        error = move_pieces(pwritev, next.folder->file, &p, next.offset);
    }
    if (error != 0)
        parscan_spill_fail(failure, blocks->folder, "a run cannot be written",
                           error < 0 ? ENOSPC : error);
    return error == 0;
}

static bool read_blocks(const spill_shape *shape, const spill_blocks *blocks,
                        spill_failure *failure)
{
    pieces p;
    list_pieces(shape, blocks, &p);
    const int error = move_pieces(preadv, blocks->folder->file, &p, blocks->offset);
    if (error > 0) {
        parscan_spill_fail(failure, blocks->folder, "a run cannot be read", error);
        return false;
    }
    bool same = error == 0;
    for (size_t block = 0; same && block < blocks_of(shape, blocks->n); block++) {
        const block_head head = head_of(shape, blocks, block);
        same = head.sum == p.heads[block].sum && head.n == p.heads[block].n;
    }
    if (!same) {
        failure->status = PARSCAN_ERROR_IO;
        snprintf(failure->words, sizeof failure->words,
                 "folder %.96s: a run is %s: byte %llu of the file", blocks->folder->path,
                 error < 0 ? "shorter than what was written" : "not what was written",
                 (unsigned long long)blocks->offset);
    }
    return same;
}

bool parscan_spill_read(const spill_shape *shape, const spill_blocks *blocks,
                        spill_failure *failure)
{
    spill_blocks left = *blocks;
    while (left.n > 0) {
        const spill_blocks next = take_blocks(shape, &left);
        if (!read_blocks(shape, &next, failure))
            return false;
    }
    return true;
}

void parscan_spill_forget(const spill_shape *shape, const spill_blocks *blocks)
{
#ifdef FALLOC_FL_PUNCH_HOLE
    const int before = errno;
    if (fallocate(blocks->folder->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)blocks->offset, (off_t)parscan_spill_bytes(shape, blocks->n)) != 0)
        errno = before; /* then the space is given back with the file */
#else
    (void)shape, (void)blocks;
#endif
}
