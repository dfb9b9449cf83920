# Run at every build: writes the commit into OUTPUT, which changes only when the commit does. What
# bench/run.sh itself writes is no change of the sources.
execute_process(COMMAND git describe --always --abbrev=12
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
execute_process(COMMAND git diff --quiet HEAD -- :/ ":(top,exclude)bench/results"
        ":(top,exclude)README.md" ":(top,exclude)docs/performance.md"
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE changed)
if(failed)
    set(commit unknown)
elseif(changed)
    string(APPEND commit -dirty)
endif()
set(text "#define BENCH_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT text STREQUAL old)
    file(WRITE "${OUTPUT}" "${text}")
endif()
