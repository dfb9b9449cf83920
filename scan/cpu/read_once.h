/*
 * Reads memory of the caller's that another thread may be changing. What a place is made of must be
 * read once only: what is checked, or counted, is then what is used (docs/contracts.md, "Input that
 * changes during a call").
 */
#ifndef PARSCAN_SCAN_CPU_READ_ONCE_H
#define PARSCAN_SCAN_CPU_READ_ONCE_H

#include <stddef.h>
#include <string.h>

/* Copies `bytes` bytes. The compiler may not read `from` again where `to` is read later. */
static inline __attribute__((always_inline)) void read_once(void *to, const void *from,
                                                            size_t bytes)
{
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
}

/* Keeps a vector, or an integer, that was read in its register: the compiler may not read it from memory
   again where it is used twice. */
#if defined __x86_64__
#define READ_VECTOR_ONCE(v) __asm__("" : "+v"(v))
#elif defined __aarch64__
#define READ_VECTOR_ONCE(v) __asm__("" : "+w"(v))
#else
#define READ_VECTOR_ONCE(v) __asm__("" : "+m"(v))
#endif
#define READ_WORD_ONCE(x) __asm__("" : "+r"(x))

#endif
