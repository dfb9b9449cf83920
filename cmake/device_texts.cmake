# The text of the device code that is compiled at run time, as one C file: the headers of scan/runtime/ that
# kernels are made of, and all that they include.
#
# Included by library.cmake, for what the file depends on; run as a script, it writes the file:
#     cmake -DROOT=SOURCE -DGENERATED=FOLDER/include -DOUT=FILE -P cmake/device_texts.cmake

if(CMAKE_SCRIPT_MODE_FILE)
    cmake_minimum_required(VERSION 3.22)
endif()

set(device_text_roots scan/runtime/custom_scan.cuh scan/runtime/custom_reduce.cuh scan/runtime/custom_blocks.cuh
    scan/runtime/custom_test.cuh scan/runtime/custom_sort.cuh scan/runtime/custom_segments.cuh scan/runtime/custom_tree.cuh
    scan/runtime/custom_kernels.cuh)
# Names by which device code includes headers of C and C++; rtc_standard.h has what it needs of them.
set(device_text_standard stdint.h stddef.h stdbool.h string.h limits.h math.h type_traits)

# What NVRTC sees of a file: no comments, and no lines that are for other compilers.
function(device_text_read path result)
    file(READ "${path}" text)
    string(REGEX REPLACE "#ifndef __CUDACC_RTC__\n([^#]|#i)*#endif\n" "" text "${text}")
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
    string(REGEX REPLACE "\n[ \t\n]*\n" "\n" text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

# All headers of a list and those that they include, by the names of the #include lines; paths: their files.
function(device_text_closure root generated names paths)
    set(open ${device_text_roots})
    set(done "")
    set(files "")
    while(open)
        list(POP_FRONT open name)
        if(name IN_LIST done)
            continue()
        endif()
        list(APPEND done "${name}")
        set(path "${root}/${name}")
        if(NOT EXISTS "${path}")
            set(path "${generated}/${name}")
        endif()
        list(APPEND files "${path}")
        device_text_read("${path}" text)
        string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
        foreach(include IN LISTS includes)
            string(REGEX REPLACE "#include \"(.*)\"" "\\1" include "${include}")
            list(APPEND open "${include}")
        endforeach()
    endwhile()
    set(${names} ${done} PARENT_SCOPE)
    set(${paths} ${files} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    return()
endif()

# Appends the definition of a text to `code`, and its hash to `hashes`.
function(device_text_define number path)
    device_text_read("${path}" text)
    string(SHA256 hash "${text}")
    file(WRITE "${OUT}.text" "${text}")
    file(READ "${OUT}.text" bytes HEX)
    file(REMOVE "${OUT}.text")
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    set(code "${code}static const char text_${number}[] = {\n${bytes}0};\n" PARENT_SCOPE)
    set(hashes "${hashes}${hash}" PARENT_SCOPE)
endfunction()

device_text_closure("${ROOT}" "${GENERATED}" names paths)
set(code "/* Written by cmake/device_texts.cmake. */\n#include \"scan/runtime/device_texts.h\"\n\n")
set(hashes "")
set(number 0)
set(list_of_texts "")
set(list_of_names "")
foreach(path IN LISTS paths)
    list(GET names ${number} name)
    device_text_define(${number} "${path}")
    string(APPEND list_of_texts "    text_${number},\n")
    string(APPEND list_of_names "    \"${name}\",\n")
    math(EXPR number "${number} + 1")
endforeach()
device_text_define(standard "${ROOT}/scan/runtime/rtc_standard.h")
foreach(name IN LISTS device_text_standard)
    string(APPEND list_of_texts "    text_standard,\n")
    string(APPEND list_of_names "    \"${name}\",\n")
    math(EXPR number "${number} + 1")
endforeach()
string(SHA256 hash "${hashes}")
string(APPEND code
    "\nconst char *const parscan_device_texts[] = {\n${list_of_texts}};\n"
    "const char *const parscan_device_text_names[] = {\n${list_of_names}};\n"
    "const int parscan_device_text_count = ${number};\n"
    "const char parscan_device_text_hash[] = \"${hash}\";\n")
file(WRITE "${OUT}" "${code}")
