/*
 * parscan/options.h: structs that can grow, and values of them.
 *
 * A struct that a call takes begins with struct_size, its size where the caller was compiled. Later
 * versions of parscan add fields at the end of a struct, and only there. So a program and a library of
 * different versions understand each other:
 *
 *     struct_size                       what the library does
 *     below the struct's first size     INVALID_ARGUMENT
 *     below the library's               the fields that are not there are zero
 *     the library's                     all fields are read
 *     above the library's, up to 4096   UNSUPPORTED if a byte beyond the fields it knows is not zero
 *     above 4096                        INVALID_ARGUMENT
 *
 * No byte at struct_size or beyond is read. A struct's first size is the one in parscan 0.1.0, or in
 * the version that brought the struct. Zero in every field but struct_size is the default.
 */
#ifndef PARSCAN_OPTIONS_H
#define PARSCAN_OPTIONS_H

/*
 * PARSCAN_WITH_SIZE(type, fields): a value of type with struct_size and the designated fields set, all
 * others zero. PARSCAN_SCAN_OPTIONS(...) and the like are made of it. In C (C99 or later) the
 * value may stand behind an &: &PARSCAN_SCAN_OPTIONS(.op = PARSCAN_MAX). In C++ (C++20 or later) it is a
 * temporary object, and the fields must be given in the order of their declaration.
 */
#ifdef __cplusplus
/* g++ warns of the fields that are left out (-Wextra), unless the braces come from a system header. In a
   template it takes the location of the whole expression: so that begins with static_cast here. */
#pragma GCC system_header
#define PARSCAN_WITH_SIZE(type, ...) \
    static_cast<type>(type{.struct_size = sizeof(type), __VA_ARGS__})
#else
#define PARSCAN_WITH_SIZE(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})
#endif

#endif
