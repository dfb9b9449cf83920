/*
 * parscan/options.h: the structs that calls take, and how they grow.
 *
 * Every struct of options starts with struct_size, the struct's size where the caller was compiled.
 * Later versions of parscan add fields, always at the end of a struct. A program and a library of
 * different versions work together as follows:
 *
 *     struct_size                          the library
 *     less than the struct's first size    returns INVALID_ARGUMENT
 *     less than the size it knows          takes the missing fields as zero
 *     the size it knows                    reads all fields
 *     more, up to 4096                     returns UNSUPPORTED unless the bytes beyond that size
 *                                          are zero
 *     more than 4096                       returns INVALID_ARGUMENT
 *
 * The first size of a struct is its size in parscan 0.1.0, or in the first later version that has
 * the struct. The library reads no byte beyond struct_size. In every field but struct_size, zero is
 * the default, but a sorter's key_type has none. A NULL pointer to a struct of options means all
 * defaults.
 *
 * Without the macros below (in C++ before C++20, in other languages): set the whole struct to zero,
 * then struct_size to its size.
 */
#ifndef PARSCAN_OPTIONS_H
#define PARSCAN_OPTIONS_H

/*
 * PARSCAN_WITH_SIZE(type, fields): a value of a struct type, with struct_size set, the given fields
 * set by designated initialisers, and all others zero. The macros of the structs use it:
 *
 *     parscan_reduce(context, PARSCAN_U8, in, &out, n, &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX));
 *
 * This is C (C99 or later), where the value has an address. In C++ (C++20 or later) it has none:
 * assign it to a variable first. The fields must then be in the order of their declaration.
 */
#ifdef __cplusplus
/* With -Wextra, g++ warns of fields that are left out, unless the braces come from a system header.
   In a template it looks at the place of the whole expression, which therefore starts with
   static_cast. */
#pragma GCC system_header
#define PARSCAN_WITH_SIZE(type, ...) \
    static_cast<type>(type{.struct_size = sizeof(type), __VA_ARGS__})
#else
#define PARSCAN_WITH_SIZE(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})
#endif

#endif
