# The kinds of our libraries: shared and static ones are built and installed, or those alone that
# BUILD_SHARED_LIBS names. A target of the other kind is there, and built where it is asked for: the tests
# want both.
set(PARSCAN_KINDS shared static)
if(DEFINED BUILD_SHARED_LIBS)
    set(PARSCAN_KINDS static)
    if(BUILD_SHARED_LIBS)
        set(PARSCAN_KINDS shared)
    endif()
endif()

# parscan_kinds(NAME): the users' names of the targets NAME and NAME_static: parscan::NAME is the shared one,
# or the only one.
function(parscan_kinds name)
    add_library(parscan::${name}_static ALIAS ${name}_static)
    if(PARSCAN_KINDS STREQUAL "static")
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_library(parscan::${name} ALIAS ${name}_static)
        return()
    endif()
    add_library(parscan::${name} ALIAS ${name})
    if(PARSCAN_KINDS STREQUAL "shared")
        set_target_properties(${name}_static PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# parscan_installed(VARIABLE NAME): those of the targets NAME and NAME_static that are installed.
function(parscan_installed variable name)
    set(targets ${name} ${name}_static)
    if(PARSCAN_KINDS STREQUAL "static")
        list(POP_FRONT targets)
    elseif(PARSCAN_KINDS STREQUAL "shared")
        list(POP_BACK targets)
    endif()
    set(${variable} ${targets} PARENT_SCOPE)
endfunction()
