# libparscan_mpi and libparscan_nccl: a parscan_comm over MPI and over NCCL, as shared and static
# libraries. libparscan itself links neither. Sets PARSCAN_HAVE_MPI and PARSCAN_HAVE_NCCL.

# parscan_transport_wanted(VARIABLE OPTION): whether to look for it: the option is AUTO or ON.
function(parscan_transport_wanted variable option)
    if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "${option}=${${option}}: it must be AUTO, ON or OFF")
    endif()
    set(${variable} ON)
    # The MPI of this machine is not that of the other.
    if(${option} STREQUAL "OFF" OR (${option} STREQUAL "AUTO" AND CMAKE_CROSSCOMPILING))
        set(${variable} OFF)
    endif()
    set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# parscan_transport(NAME FILES FILE... LIBRARIES TARGET...): the libraries parscan_NAME, with their .pc
# file and export set. LIBRARIES are public: the header includes theirs.
function(parscan_transport name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;LIBRARIES")
    add_library(parscan_${name} SHARED ${arg_FILES})
    add_library(parscan_${name}_static STATIC ${arg_FILES})
    target_link_libraries(parscan_${name} PUBLIC parscan ${arg_LIBRARIES})
    target_link_libraries(parscan_${name}_static PUBLIC parscan_static ${arg_LIBRARIES})
    set_target_properties(parscan_${name} PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
    set_target_properties(parscan_${name}_static PROPERTIES OUTPUT_NAME parscan_${name})
    parscan_version_symbols(parscan_${name})
    parscan_kinds(parscan_${name})
    foreach(library parscan_${name} parscan_${name}_static)
        target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}")
        target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:parscan_flags>)
        if(PARSCAN_HAVE_CUDA)
            target_compile_definitions(${library} PRIVATE PARSCAN_HAVE_CUDA)
            target_link_libraries(${library} PRIVATE CUDA::cudart_static)
        endif()
    endforeach()
endfunction()

set(PARSCAN_HAVE_MPI OFF)
parscan_transport_wanted(wanted PARSCAN_MPI)
if(wanted)
    find_package(MPI COMPONENTS C)
    set(PARSCAN_HAVE_MPI ${MPI_C_FOUND})
    if(NOT MPI_C_FOUND AND PARSCAN_MPI STREQUAL "ON")
        message(FATAL_ERROR "PARSCAN_MPI=ON, but no MPI was found (mpicc on PATH, or MPI_HOME)")
    endif()
endif()
if(PARSCAN_HAVE_MPI)
    parscan_transport(mpi FILES apps/mpi/comm_mpi.c apps/mpi/mpi_transport.c apps/mpi/mpi_wait.c
        LIBRARIES MPI::MPI_C)
endif()

set(PARSCAN_HAVE_NCCL OFF)
parscan_transport_wanted(wanted PARSCAN_NCCL)
if(wanted AND PARSCAN_HAVE_CUDA)
    list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/cmake")
    find_package(NCCL)
    set(PARSCAN_HAVE_NCCL ${NCCL_FOUND})
endif()
if(NOT PARSCAN_HAVE_NCCL AND PARSCAN_NCCL STREQUAL "ON")
    message(FATAL_ERROR "PARSCAN_NCCL=ON needs CUDA, nccl.h and libnccl (NCCL_ROOT)")
endif()
if(PARSCAN_HAVE_NCCL)
    parscan_transport(nccl
        FILES apps/nccl/comm_nccl.c apps/nccl/nccl_board.c apps/nccl/nccl_buffers.c
            apps/nccl/nccl_functions.c apps/nccl/nccl_host.c apps/nccl/nccl_lend.c apps/nccl/nccl_meeting.c
            apps/nccl/nccl_peers.c apps/nccl/nccl_transport.c apps/nccl/nccl_wait.c
        LIBRARIES NCCL::NCCL)
endif()
message(STATUS "parscan: libparscan_mpi is built: ${PARSCAN_HAVE_MPI}, "
    "libparscan_nccl: ${PARSCAN_HAVE_NCCL}")
