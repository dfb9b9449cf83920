# The man pages of section 3, made from the public headers (man_pages.awk), in BUILD/man/man3. Without awk
# there are none.
find_program(PARSCAN_AWK NAMES awk mawk gawk)
mark_as_advanced(PARSCAN_AWK)
if(NOT PARSCAN_AWK)
    message(STATUS "parscan: no awk, so no man pages of section 3")
    return()
endif()

set(man_headers ${parscan_headers})
foreach(transport MPI NCCL)
    if(NOT PARSCAN_HAVE_${transport})
        string(TOLOWER ${transport} name)
        list(FILTER man_headers EXCLUDE REGEX "/comm_${name}\\.h$")
    endif()
endforeach()
# Their date is that of the version in the CHANGELOG.
file(STRINGS "${PROJECT_SOURCE_DIR}/CHANGELOG.md" released LIMIT_COUNT 1
    REGEX "^## ${PROJECT_VERSION} - [0-9-]+$")
string(REGEX REPLACE ".* - " "" released "${released}")

set(man_folder "${PROJECT_BINARY_DIR}/man/man3")
set(man_awk "${PROJECT_SOURCE_DIR}/cmake/man_text.awk" "${PROJECT_SOURCE_DIR}/cmake/man_pages.awk")
list(TRANSFORM man_awk PREPEND "-f" OUTPUT_VARIABLE man_program)
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/man/made"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${man_folder}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${man_folder}"
    COMMAND "${PARSCAN_AWK}" -v "out=${man_folder}" -v "version=${PROJECT_VERSION}"
        -v "date=${released}" ${man_program} ${man_headers}
    COMMAND "${CMAKE_COMMAND}" -E touch "${PROJECT_BINARY_DIR}/man/made"
    DEPENDS ${man_awk} ${man_headers} "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    COMMENT "Man pages from the headers" VERBATIM)
add_custom_target(parscan_man ALL DEPENDS "${PROJECT_BINARY_DIR}/man/made")
install(DIRECTORY "${man_folder}" DESTINATION "${CMAKE_INSTALL_MANDIR}")
