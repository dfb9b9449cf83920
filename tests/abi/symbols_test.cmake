# cmake -DSOURCE=... -DWORK=... -P symbols_test.cmake: functions get the version of their comment.
cmake_minimum_required(VERSION 3.22)
include("${SOURCE}/cmake/symbols.cmake")
set(PROJECT_VERSION_MAJOR 0)
file(WRITE "${WORK}/new.h" [[
/* Two functions. Since parscan 0.10. */
PARSCAN_API parscan_status parscan_gather(parscan_context *context, const void *in);
PARSCAN_API parscan_status
    parscan_scatter(parscan_context *context, const char names[]);

/* One of the first release, whose comment names parscan_gather(). */
PARSCAN_API const char *parscan_allocate(size_t n);
/*
 * Between the two.
 * Since parscan 0.3.
 */
PARSCAN_API void parscan_free_all(void);
]])
parscan_write_symbols(parscan libparscan0 "${WORK}" "${WORK}/new.h")
file(READ "${WORK}/parscan.map" map)
file(READ "${WORK}/libparscan0.symbols" debian)
set(expected_map [[
PARSCAN_0.2 {
global:
    parscan_allocate;
local:
    *;
};
PARSCAN_0.3 {
global:
    parscan_free_all;
} PARSCAN_0.2;
PARSCAN_0.10 {
global:
    parscan_gather;
    parscan_scatter;
} PARSCAN_0.3;
]])
set(expected_debian [[
libparscan.so.0 libparscan0 #MINVER#
 (symver)PARSCAN_0.2 0.2.0
 (symver)PARSCAN_0.3 0.3.0
 (symver)PARSCAN_0.10 0.10.0
]])
foreach(file map debian)
    if(NOT ${file} STREQUAL expected_${file})
        message(FATAL_ERROR "expected:\n${expected_${file}}\nfound:\n${${file}}")
    endif()
endforeach()
