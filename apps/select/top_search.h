/*
 * The search for the k first of an array, by one thread or by several.
 *
 * A sample gives a limit that some more than k elements pass. One read of the array lists them. A limit is a
 * pair (rank, index): all pairs differ, so equal elements need no care. If too many pass, or fewer than k, another
 * sample is tried. If that fails too, and for k above a sixteenth of n, the limit of exactly k elements is found
 * by counting: one read for each byte of a key.
 */
#ifndef PARSCAN_APPS_SELECT_TOP_SEARCH_H
#define PARSCAN_APPS_SELECT_TOP_SEARCH_H

#include "apps/select/top_k_kernels.h"
#include "scan/context/context_state.h"

typedef struct top_limit {
    uint64_t rank;
    size_t index;
} top_limit;

/* An array, and the memory of a search in it. */
typedef struct top_search {
    parscan_context *context;
    const top_kernels *kernels;
    key_order order;
    unsigned key_bits;
    const char *in;
    size_t n, k; /* 0 < k <= n */
    unsigned threads;
    size_t entry_room; /* of entries and spare */
    top_entry *entries, *spare;
    top_entry *staging;        /* of each thread */
    size_t *next, *block_list; /* of each block of spare; of each range */
    size_t *range_counts;      /* the entries of each range */
    size_t *digit_counts;      /* of each range */
    top_limit limit;
} top_search;

/* The bytes of memory for a search with these n and k, and all smaller ones. */
size_t parscan_top_search_bytes(size_t n, size_t k, unsigned threads);

/* Gives it that memory, aligned to 8 bytes. */
void parscan_top_search_memory(top_search *search, size_t n, size_t k, unsigned threads,
                               void *memory);

/* Finds the k first. Returns true if they are in search->entries, in the order of their indices; false if
   search->limit tells them: then they are listed or written by the functions below. */
bool parscan_top_search(top_search *search);

/* Lists what passes search->limit in search->entries, at most k. Returns the number, which is k if the array has
   not changed. */
size_t parscan_top_list(top_search *search);

/* Calls write(state, entries, count, at) for what passes search->limit, in ranges of the array at once: at, the
   number of those before. No more than k are written. */
typedef void write_entries(void *state, const top_entry *entries, size_t count, size_t at);
void parscan_top_write(top_search *search, write_entries *write, void *state);

#endif
