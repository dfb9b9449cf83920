# libparscan, as a shared and a static library. Both consist of the same object files.

# The SIMD instruction sets that the CPU engine is compiled for.
set(simd_sets portable)
set(simd_portable_bytes 16)
set(simd_portable_flags "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    list(APPEND simd_sets avx2 avx512)
    set(simd_avx2_bytes 32)
    # gcc 12 copies 8 bytes through an MMX register in a few places, without an emms: at -O3 in the portable
    # kernels of u64, at -O1 with AddressSanitizer in those of f32. MMX registers are the x87 registers,
    # which are then unusable: every long double is NaN from then on.
    set(simd_portable_flags -mno-mmx)
    set(simd_avx2_flags -mno-mmx -mavx2 -mbmi -mbmi2 -mpopcnt -mf16c)
    set(simd_avx512_bytes 64)
    set(simd_avx512_flags -mno-mmx -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
        -mavx512vbmi -mavx512vbmi2 -mbmi -mbmi2 -mpopcnt -mf16c -mprefer-vector-width=512)
endif()
# A context uses the best of these sets that the processor has, so the portable set must be built.
# Builds that do not test the kernels, but threads, readers or another compiler, build fewer sets.
set(PARSCAN_SIMD_SETS "${simd_sets}" CACHE STRING "The SIMD sets that are built, of: ${simd_sets}")
foreach(simd IN LISTS PARSCAN_SIMD_SETS)
    if(NOT simd IN_LIST simd_sets)
        message(FATAL_ERROR "PARSCAN_SIMD_SETS=${PARSCAN_SIMD_SETS}: ${simd} is not one of ${simd_sets}")
    endif()
endforeach()
if(NOT "portable" IN_LIST PARSCAN_SIMD_SETS)
    message(FATAL_ERROR "PARSCAN_SIMD_SETS=${PARSCAN_SIMD_SETS}: portable must be in it")
endif()
set(simd_sets ${PARSCAN_SIMD_SETS})
set(simd_definitions "")
foreach(simd IN LISTS simd_sets)
    string(TOUPPER "PARSCAN_HAVE_${simd}" definition)
    list(APPEND simd_definitions ${definition})
endforeach()

# For builds whose tests take one set each, as those of sanitizers and of a second compiler in .ci/run.
set(PARSCAN_SIMD_TURN "" CACHE STRING
    "Empty, or a number t: of the files compiled once a type and set, type k has set (k + t) modulo their number alone")
# parscan_simd_set_of(RESULT TYPE): the only set of a type, empty if it has all: kernels of other files call those of U32
# and F32 by the set's name.
function(parscan_simd_set_of result type)
    set(types ${PARSCAN_TYPE_NAMES} ${PARSCAN_STORED_TYPE_NAMES})
    list(FIND types ${type} k)
    set(set "")
    if(NOT PARSCAN_SIMD_TURN STREQUAL "" AND k GREATER_EQUAL 0 AND NOT type MATCHES "^[UF]32$")
        list(LENGTH simd_sets count)
        math(EXPR k "(${k} + ${PARSCAN_SIMD_TURN}) % ${count}")
        list(GET simd_sets ${k} set)
    endif()
    set(${result} "${set}" PARENT_SCOPE)
endfunction()

# parscan_read_intrinsics_once(TARGET FIRST): gcc takes a fifth of a second to read <immintrin.h>, in each of 220 files: the
# target has it precompiled by FIRST, that of the same SIMD set and no type. The objects stay the same. Not for a launcher, which
# is a compiler's cache: it keeps the objects, and would have to be told to trust precompiled headers.
function(parscan_read_intrinsics_once target first)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU" OR CMAKE_C_COMPILER_LAUNCHER)
        return()
    endif()
    if(target STREQUAL first)
        target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/scan/cpu/intrinsics.h")
    else()
        target_precompile_headers(${target} REUSE_FROM ${first})
    endif()
endfunction()

# parscan_sources([CUDA | PLAN | RUNTIME] [EACH_TYPE | TYPES TYPE...] [EACH_SIMD] FILES FILE...)
# The sources.cmake of each folder lists its files with this function. It tells how often they are
# compiled:
#   (none)      once
#   EACH_TYPE   once for each element type in which the processor computes, with PARSCAN_ELEMENT=U8, PARSCAN_ELEMENT_NAME=u8,
#               PARSCAN_ELEMENT_CLASS=INTEGER and PARSCAN_ELEMENT_BITS=8
#   TYPES       the same for the element types that are named
#   EACH_SIMD   once for each SIMD set, with PARSCAN_ISA=avx2 and PARSCAN_VECTOR_BYTES=32; with
#               EACH_TYPE or TYPES once for each pair of an element type and a SIMD set
#   CUDA        only if CUDA code is compiled
#   PLAN        once: plans of the CUDA engine, plain C (scan/cuda/plan.h). A file NAME_plan.c has the table
#               parscan_NAME_plans. Without CUDA only tests link them
#   RUNTIME     once: what compiles operators of the caller's for CUDA, plain C too. The same
set(parscan_objects "")
set(parscan_plans "")
function(parscan_sources)
    cmake_parse_arguments(PARSE_ARGV 0 arg "CUDA;PLAN;RUNTIME;EACH_TYPE;EACH_SIMD" "" "TYPES;FILES")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILES)
        message(FATAL_ERROR "parscan_sources(${ARGN}): wrong arguments")
    endif()
    if(arg_CUDA AND NOT PARSCAN_HAVE_CUDA)
        return()
    endif()
    set(types ${arg_TYPES})
    if(arg_EACH_TYPE)
        set(types ${PARSCAN_TYPE_NAMES})
    elseif(NOT types)
        set(types NONE)
    endif()
    set(engine cpu)
    if(arg_CUDA)
        set(engine cuda)
    endif()
    if(arg_PLAN)
        set(engine plan)
        foreach(file IN LISTS arg_FILES)
            if(file MATCHES "([a-z_0-9]+)_plan\\.c$")
                list(APPEND parscan_plans ${CMAKE_MATCH_1})
            endif()
        endforeach()
        set(parscan_plans ${parscan_plans} PARENT_SCOPE)
    endif()
    if(arg_RUNTIME)
        set(engine runtime)
    endif()
    if(arg_EACH_SIMD)
        set(engine ${simd_sets})
    endif()
    list(FIND types I8 of_every_type)
    foreach(variant IN LISTS engine)
        foreach(type IN LISTS types)
            parscan_simd_set_of(only ${type})
            if(arg_EACH_SIMD AND of_every_type GREATER_EQUAL 0 AND only AND NOT only STREQUAL variant)
                continue()
            endif()
            string(TOLOWER ${type} name)
            set(target parscan_${variant}_${name})
            if(type STREQUAL "NONE")
                set(target parscan_${variant})
            endif()
            if(NOT TARGET ${target})
                add_library(${target} OBJECT)
                set(parscan_objects ${parscan_objects} ${target})
                if(NOT type STREQUAL "NONE")
                    target_compile_definitions(${target} PRIVATE
                        PARSCAN_ELEMENT=${type} PARSCAN_ELEMENT_NAME=${name}
                        PARSCAN_ELEMENT_CLASS=${PARSCAN_TYPE_CLASS_${type}}
                        PARSCAN_ELEMENT_BITS=${PARSCAN_TYPE_LANE_${type}}
                        $<$<AND:$<STREQUAL:${variant},cpu>,$<BOOL:${only}>>:PARSCAN_ONLY_ISA=${only}>)
                endif()
                if(arg_EACH_SIMD)
                    # -fwrapv: signed lanes wrap, like the sums of tables.h. -Wno-psabi: no function
                    # passes a vector to another file, so the ABI of vectors does not matter.
                    target_compile_definitions(${target} PRIVATE
                        PARSCAN_ISA=${variant} PARSCAN_VECTOR_BYTES=${simd_${variant}_bytes})
                    target_compile_options(${target} PRIVATE
                        ${simd_${variant}_flags} $<$<NOT:$<CONFIG:Debug>>:-O3> -fwrapv -Wno-psabi)
                    parscan_read_intrinsics_once(${target} parscan_${variant})
                endif()
            endif()
            target_sources(${target} PRIVATE ${arg_FILES})
        endforeach()
    endforeach()
    set(parscan_objects ${parscan_objects} PARENT_SCOPE)
endfunction()

# The device code that is compiled at run time, as a C file.
include(cmake/device_texts.cmake)
set(parscan_device_texts "${PROJECT_BINARY_DIR}/device_texts.c")
device_text_closure("${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/include" device_names device_paths)
# A header that is added to them changes one of these files.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${device_paths})
set(parscan_write_device_texts "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}"
    "-DGENERATED=${PROJECT_BINARY_DIR}/include" "-DOUT=${parscan_device_texts}"
    -P "${PROJECT_SOURCE_DIR}/cmake/device_texts.cmake")
add_custom_command(OUTPUT "${parscan_device_texts}" COMMAND ${parscan_write_device_texts}
    DEPENDS ${device_paths} "${PROJECT_SOURCE_DIR}/scan/runtime/rtc_standard.h"
        "${PROJECT_SOURCE_DIR}/cmake/device_texts.cmake"
    COMMENT "The device code that is compiled at run time" VERBATIM)

include(scan/sources.cmake)
# Those that have a folder in tests/apps are tested.
set(parscan_apps radix segments merge order join gather search sort compact histogram allocate segmented select chunked sorter difference distributed)
foreach(app IN LISTS parscan_apps)
    include(apps/${app}/sources.cmake)
endforeach()

# parscan_one_cuda_source(TARGET [MADE]), where not all kernels are made: one file that includes all .cu files of the target,
# and one of those that the regular expression MADE matches: of these kernels are made, of the others only the syntax is checked.
# nvcc takes most of a second to read CUDA's own headers, and more to read CUB's.
function(parscan_one_cuda_source target)
    if(PARSCAN_CUDA_KERNELS STREQUAL "ALL")
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    set(all ${sources})
    list(FILTER all INCLUDE REGEX "\\.cu$")
    list(FILTER sources EXCLUDE REGEX "\\.cu$")
    set(made "")
    if(ARGC GREATER 1)
        set(made ${all})
        list(FILTER made INCLUDE REGEX "${ARGV1}")
        list(FILTER all EXCLUDE REGEX "${ARGV1}")
    endif()
    foreach(part IN ITEMS all made)
        if(NOT ${part})
            continue()
        endif()
        list(TRANSFORM ${part} REPLACE "(.+)" "#include \"${folder}/\\1\"")
        list(JOIN ${part} "\n" text)
        set(file "${PROJECT_BINARY_DIR}/one_source/${target}_${part}.cu")
        file(CONFIGURE OUTPUT "${file}" CONTENT "${text}\n" @ONLY)
        list(APPEND sources "${file}")
        if(ARGC GREATER 1 AND part STREQUAL "all")
            set_property(SOURCE "${file}" PROPERTY COMPILE_OPTIONS ${parscan_syntax_only})
        endif()
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${sources})
endfunction()

set(parscan_object_files "")
foreach(objects IN LISTS parscan_objects)
    target_include_directories(${objects} PRIVATE
        "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
    target_compile_definitions(${objects} PRIVATE ${simd_definitions})
    target_link_libraries(${objects} PRIVATE parscan_flags)
    # always_inline is for speed alone. Without optimisation, or under sanitizers, kernels compile in less than half of
    # the time where the compiler need not. Intrinsics, which must be inlined, say __always_inline__.
    target_compile_definitions(${objects} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Debug>>:always_inline=unused>)
    if(PARSCAN_HAVE_CUDA)
        target_compile_definitions(${objects} PRIVATE PARSCAN_HAVE_CUDA)
    endif()
    if(objects MATCHES "^parscan_cuda")
        target_include_directories(${objects} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
        # cooperative_groups.h then does without <cuda/atomic>, which takes nvcc two seconds to read.
        target_compile_definitions(${objects} PRIVATE _CG_LIMIT_INCLUDED_DEPENDENCIES)
    endif()
    if(objects MATCHES "^parscan_cuda_(.*)$" AND NOT PARSCAN_CUDA_KERNELS STREQUAL "ALL")
        string(TOUPPER ${CMAKE_MATCH_1} type)
        target_compile_definitions(${objects} PRIVATE PARSCAN_CUDA_CHECKED_ONLY)
        set(made ${PARSCAN_CUDA_KERNELS})
        list(FILTER made INCLUDE REGEX "^${type}/")
        list(TRANSFORM made REPLACE "^[^/]*/" "")
        if(made)
            parscan_one_cuda_source(${objects} "${made}")
        else()
            if(NOT type IN_LIST PARSCAN_CUDA_KERNELS)
                target_compile_options(${objects} PRIVATE ${parscan_syntax_only})
            endif()
            parscan_one_cuda_source(${objects})
        endif()
    endif()
    if(PARSCAN_HAVE_CUDA OR NOT objects MATCHES "^parscan_(plan|runtime)$")
        list(APPEND parscan_object_files $<TARGET_OBJECTS:${objects}>)
    endif()
endforeach()

add_library(parscan SHARED ${parscan_object_files})
add_library(parscan_static STATIC ${parscan_object_files})
set_target_properties(parscan PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(parscan_static PROPERTIES OUTPUT_NAME parscan)

parscan_version_symbols(parscan)
parscan_kinds(parscan)
foreach(library parscan parscan_static)
    target_include_directories(${library} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
        "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
target_link_libraries(parscan PRIVATE Threads::Threads m)
target_link_libraries(parscan_static INTERFACE Threads::Threads m)
if(PARSCAN_HAVE_CUDA)
    # Of C++ nvcc's objects need what guards the first launch of each kernel (__cxa_guard_acquire), and no more: the C compiler
    # links, to which CMake names the C++ library.
    set_target_properties(parscan PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(parscan PRIVATE CUDA::cudart_static)
    target_link_libraries(parscan_static INTERFACE CUDA::cudart_static stdc++)
endif()
