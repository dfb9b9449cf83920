# Sets PARSCAN_HAVE_CUDA: whether CUDA code is compiled.
set(PARSCAN_HAVE_CUDA OFF)
if(PARSCAN_CUDA STREQUAL "AUTO" OR PARSCAN_CUDA STREQUAL "ON")
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES
                75-real 80-real 86-real 89-real 90-real 100-real 120)
        endif()
        enable_language(CUDA)
        find_package(CUDAToolkit REQUIRED)
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
        set(PARSCAN_HAVE_CUDA ON)
    elseif(PARSCAN_CUDA STREQUAL "ON")
        message(FATAL_ERROR "PARSCAN_CUDA=ON, but no CUDA compiler was found (nvcc on PATH or CUDACXX)")
    endif()
elseif(NOT PARSCAN_CUDA STREQUAL "OFF")
    message(FATAL_ERROR "PARSCAN_CUDA=${PARSCAN_CUDA}: it must be AUTO, ON or OFF")
endif()
message(STATUS "parscan: CUDA code is compiled: ${PARSCAN_HAVE_CUDA}")

# A machine that only checks that all of it compiles need not optimise and assemble the kernels of every type.
set(PARSCAN_CUDA_KERNELS ALL CACHE STRING
    "Element types whose CUDA kernels are made: ALL, or names (U64;F16), F64/tree of files that match alone; only the syntax of the others, and of bench_cuda's peers, is checked")
set(parscan_syntax_only $<$<COMPILE_LANGUAGE:CUDA>:-fdevice-syntax-only>) # of nvcc 13
