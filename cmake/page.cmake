# cmake -D FOLDER=apps/cli/page -D OUT=trace_page.c -P page.cmake: page.html with the files that it names between
# two @, as an array of C.
file(READ "${FOLDER}/page.html" page)
foreach(name page.css scan.js steps.js text.js view.js)
    file(READ "${FOLDER}/${name}" part)
    string(REPLACE "@${name}@" "${part}" page "${page}")
endforeach()
file(WRITE "${OUT}.html" "${page}")
file(READ "${OUT}.html" bytes HEX)
file(REMOVE "${OUT}.html")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUT}" "/* Made by cmake/page.cmake. */\n#include \"apps/cli/trace_page.h\"\n\nconst unsigned char trace_page[] = {\n${bytes}0};\n")
