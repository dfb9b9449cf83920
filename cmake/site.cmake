# The target site: the documents as a static site in BUILD/site (site.sh), where Doxygen, mandoc and Python with NumPy are.
find_program(PARSCAN_DOXYGEN doxygen)
find_program(PARSCAN_MANDOC mandoc)
mark_as_advanced(PARSCAN_DOXYGEN PARSCAN_MANDOC)
if(NOT PARSCAN_DOXYGEN OR NOT PARSCAN_MANDOC OR NOT TARGET parscan_man)
    return()
endif()
configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
add_custom_target(site
    COMMAND sh "${PROJECT_SOURCE_DIR}/cmake/site.sh" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/Doxyfile"
        "${PROJECT_BINARY_DIR}/site" "${PROJECT_BINARY_DIR}/man/man3" "$<TARGET_FILE:parscan>"
    COMMENT "The site, in ${PROJECT_BINARY_DIR}/site" VERBATIM)
add_dependencies(site parscan parscan_man)
