# Run at every build: writes the commit into OUTPUT, which changes only when the commit does.
execute_process(COMMAND git describe --always --dirty --abbrev=12
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
    set(commit unknown)
endif()
set(text "#define BENCH_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT text STREQUAL old)
    file(WRITE "${OUTPUT}" "${text}")
endif()
