# cmake --install: headers, libraries, the program, man pages, the .pc files and a CMake package. All of
# them find each other by relative paths, so that an installation can be moved.
include(CMakePackageConfigHelpers)

parscan_installed(libraries parscan)
install(TARGETS ${libraries} EXPORT parscan-targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(PARSCAN_BUILD_PROGRAM)
    set_target_properties(parscan_program PROPERTIES
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS parscan_program DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(FILES apps/cli/parscan.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    # bash and fish look for a file with the program's name; zsh's has the names of both programs.
    set(completions "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    set(fish_completions "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    install(FILES apps/cli/parscan.bash DESTINATION "${completions}" RENAME parscan)
    install(FILES apps/cli/parscan.fish DESTINATION "${fish_completions}")
    install(FILES apps/cli/parscan.zsh DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions"
        RENAME _parscan)
endif()
if(TARGET parscan_mpi_program)
    set_target_properties(parscan_mpi_program PROPERTIES
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS parscan_mpi_program DESTINATION "${CMAKE_INSTALL_BINDIR}")
    install(FILES apps/cli/mpi/parscan-mpi.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES apps/cli/parscan.bash DESTINATION "${completions}" RENAME parscan-mpi)
    install(FILES apps/cli/parscan.fish DESTINATION "${fish_completions}" RENAME parscan-mpi.fish)
endif()
install(DIRECTORY include/parscan "${PROJECT_BINARY_DIR}/include/parscan"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h"
    PATTERN "comm_mpi.h" EXCLUDE PATTERN "comm_nccl.h" EXCLUDE)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE pc_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE pc_includedir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
    BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE pc_prefix)
# The flags with which a program links the static library.
set(pc_private "-pthread -lm")
if(PARSCAN_HAVE_CUDA)
    string(APPEND pc_private " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lstdc++ -ldl -lrt")
endif()
set(pc_names parscan)
set(pc_shared "")
if(PARSCAN_KINDS STREQUAL "static") # -lparscan is the archive
    set(pc_shared " ${pc_private}")
endif()
if("static" IN_LIST PARSCAN_KINDS)
    list(APPEND pc_names parscan-static)
endif()
set(transports "")
foreach(transport mpi nccl)
    string(TOUPPER ${transport} upper)
    if(PARSCAN_HAVE_${upper})
        list(APPEND transports ${transport})
        list(APPEND pc_names parscan-${transport})
    endif()
endforeach()
foreach(name IN LISTS pc_names)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/parscan")
install(EXPORT parscan-targets NAMESPACE parscan:: DESTINATION "${package_dir}")
# The transports are components, find_package(parscan COMPONENTS mpi): only who wants one needs MPI or NCCL.
foreach(transport IN LISTS transports)
    parscan_installed(libraries parscan_${transport})
    install(TARGETS ${libraries}
        EXPORT parscan-${transport}-targets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT parscan-${transport}-targets NAMESPACE parscan:: DESTINATION "${package_dir}")
    install(FILES include/parscan/comm_${transport}.h
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/parscan")
endforeach()
if(PARSCAN_HAVE_NCCL)
    install(FILES cmake/FindNCCL.cmake DESTINATION "${package_dir}")
endif()
configure_package_config_file(cmake/parscan-config.cmake.in parscan-config.cmake
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(parscan-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/parscan-config.cmake"
    "${PROJECT_BINARY_DIR}/parscan-config-version.cmake" DESTINATION "${package_dir}")
