# libparscan, shared and static, from the same objects.

# The files of the core that know no element type.
add_library(parscan_core OBJECT
    scan/block/block_shape.c
    scan/context/check.c
    scan/context/context.c
    scan/context/memory.c
    scan/context/names.c
    scan/scan.c)
set(parscan_objects parscan_core)

# The files that are compiled once an element type.
foreach(type IN LISTS PARSCAN_TYPE_NAMES)
    string(TOLOWER ${type} name)
    add_library(parscan_cpu_${name} OBJECT
        scan/hierarchical/hierarchical_cpu.c
        scan/scan_cpu.c
        scan/single_pass/single_pass_cpu.c)
    target_compile_definitions(parscan_cpu_${name} PRIVATE
        PARSCAN_ELEMENT=${type} PARSCAN_ELEMENT_NAME=${name}
        PARSCAN_ELEMENT_CLASS=${PARSCAN_TYPE_CLASS_${type}})
    list(APPEND parscan_objects parscan_cpu_${name})
endforeach()

set(parscan_object_files "")
foreach(objects IN LISTS parscan_objects)
    target_include_directories(${objects} PRIVATE
        "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
    target_link_libraries(${objects} PRIVATE parscan_flags OpenMP::OpenMP_C)
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
target_link_libraries(parscan PRIVATE OpenMP::OpenMP_C m)
target_link_libraries(parscan_static INTERFACE OpenMP::OpenMP_C m)
