# libparscan, shared and static, from the same objects.

# The files of each folder, by how often they are compiled:
set(parscan_sources "")           # once: they know no element type
set(parscan_element_sources "")   # once an element type
set(parscan_simd_sources "")      # once an instruction set
set(parscan_element_simd_sources "")   # once an element type and instruction set
set(parscan_cuda_sources "")           # CUDA's host code, once
set(parscan_cuda_element_sources "")   # CUDA's kernels, once an element type
set(parscan_no_cuda_sources "")        # in their place, where there is no nvcc
include(scan/sources.cmake)
foreach(app sort compact histogram allocate segmented)
    include(apps/${app}/sources.cmake OPTIONAL)
endforeach()

if(NOT PARSCAN_HAVE_CUDA)
    list(APPEND parscan_sources ${parscan_no_cuda_sources})
endif()
add_library(parscan_core OBJECT ${parscan_sources})
set(parscan_objects parscan_core)

# Files that are compiled once an element type, and, with SIMD, once an instruction set too.
function(parscan_element_objects target type)
    string(TOLOWER ${type} name)
    add_library(${target} OBJECT ${ARGN})
    target_compile_definitions(${target} PRIVATE
        PARSCAN_ELEMENT=${type} PARSCAN_ELEMENT_NAME=${name}
        PARSCAN_ELEMENT_CLASS=${PARSCAN_TYPE_CLASS_${type}}
        PARSCAN_ELEMENT_BITS=${PARSCAN_TYPE_LANE_${type}})
    set(parscan_objects ${parscan_objects} ${target} PARENT_SCOPE)
endfunction()

set(simd_sets portable)
set(simd_portable_bytes 16)
set(simd_portable_flags "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    list(APPEND simd_sets avx2 avx512)
    set(simd_avx2_bytes 32)
    # gcc 12 moves 8 bytes by MMX registers in some builds (-O1 with AddressSanitizer), and leaves the x87
    # registers, which they share, unusable: long double is NaN from then on.
    set(simd_portable_flags -mno-mmx)
    set(simd_avx2_flags -mno-mmx -mavx2 -mbmi -mbmi2 -mpopcnt)
    set(simd_avx512_bytes 64)
    set(simd_avx512_flags -mno-mmx -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
        -mavx512vbmi -mavx512vbmi2 -mbmi -mbmi2 -mpopcnt -mprefer-vector-width=512)
endif()
# A context uses the best of these that the processor has, so portable is always among them. Builds
# that look at something else than the kernels (threads, readers, another compiler) take fewer.
set(PARSCAN_SIMD_SETS "${simd_sets}" CACHE STRING "The sets of SIMD instructions that are built: ${simd_sets}")
foreach(simd IN LISTS PARSCAN_SIMD_SETS)
    if(NOT simd IN_LIST simd_sets)
        message(FATAL_ERROR "PARSCAN_SIMD_SETS=${PARSCAN_SIMD_SETS}: ${simd} is none of ${simd_sets}")
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

# Lanes wrap as the tables' sums do; vectors stay inside their file, whatever the ABI.
function(parscan_simd_options target simd)
    target_compile_definitions(${target} PRIVATE
        PARSCAN_ISA=${simd} PARSCAN_VECTOR_BYTES=${simd_${simd}_bytes})
    target_compile_options(${target} PRIVATE
        ${simd_${simd}_flags} $<$<NOT:$<CONFIG:Debug>>:-O3> -fwrapv -Wno-psabi)
endfunction()

if(parscan_simd_sources)
    foreach(simd IN LISTS simd_sets)
        add_library(parscan_${simd} OBJECT ${parscan_simd_sources})
        parscan_simd_options(parscan_${simd} ${simd})
        list(APPEND parscan_objects parscan_${simd})
    endforeach()
endif()
foreach(type IN LISTS PARSCAN_TYPE_NAMES)
    string(TOLOWER ${type} name)
    parscan_element_objects(parscan_cpu_${name} ${type} ${parscan_element_sources})
    foreach(simd IN LISTS simd_sets)
        parscan_element_objects(parscan_${simd}_${name} ${type} ${parscan_element_simd_sources})
        parscan_simd_options(parscan_${simd}_${name} ${simd})
    endforeach()
endforeach()

if(PARSCAN_HAVE_CUDA)
    add_library(parscan_cuda OBJECT ${parscan_cuda_sources})
    list(APPEND parscan_objects parscan_cuda)
    foreach(type IN LISTS PARSCAN_TYPE_NAMES)
        string(TOLOWER ${type} name)
        parscan_element_objects(parscan_cuda_${name} ${type} ${parscan_cuda_element_sources})
    endforeach()
endif()

set(parscan_object_files "")
foreach(objects IN LISTS parscan_objects)
    target_include_directories(${objects} PRIVATE
        "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
    target_compile_definitions(${objects} PRIVATE ${simd_definitions})
    target_link_libraries(${objects} PRIVATE parscan_flags OpenMP::OpenMP_C)
    if(objects MATCHES "^parscan_cuda")
        target_include_directories(${objects} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    endif()
    list(APPEND parscan_object_files $<TARGET_OBJECTS:${objects}>)
endforeach()

add_library(parscan SHARED ${parscan_object_files})
add_library(parscan_static STATIC ${parscan_object_files})
set_target_properties(parscan PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(parscan_static PROPERTIES OUTPUT_NAME parscan)
foreach(library parscan parscan_static)
    add_library(parscan::${library} ALIAS ${library})
    target_include_directories(${library} INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
        "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
# The shared library keeps OpenMP to itself; the static one hands it on.
target_link_libraries(parscan PRIVATE OpenMP::OpenMP_C Threads::Threads m)
target_link_options(parscan_static INTERFACE ${OpenMP_C_FLAGS})
target_link_libraries(parscan_static INTERFACE m)
if(PARSCAN_HAVE_CUDA)
    # CUDA's kernels need no C++ library: the C compiler links.
    set_target_properties(parscan PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(parscan PRIVATE CUDA::cudart_static)
    target_link_libraries(parscan_static INTERFACE CUDA::cudart_static)
endif()
