# awk -v out=FOLDER -v version=0.2.0 -v date=2026-11-23 -f man_text.awk -f man_pages.awk HEADER...
#
# Writes the man pages of section 3 from the comments of the public headers, which are the manual: a
# page parscan_NAME.3 for parscan/NAME.h (parscan.3 for parscan.h), and for each function in it a page
# that includes it (.so). POSIX awk.
#
# A header is a list of blocks: a comment, and the declarations that follow it at once. The first
# comment is the description; a block with functions is a part of FUNCTIONS, every other one of TYPES
# AND MACROS.

function fail(words) {
    print "man_pages.awk: " FILENAME ": " words > "/dev/stderr"
    failed = 1
    exit 1
}

# ---- a page ----

function begin_header(name) {
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.h$/, "", name)
    header = "parscan/" name ".h"
    title = name == "parscan" ? name : "parscan_" name
    blocks = 0
    functions = 0
    state = "between"
}

function end_header(i, names) {
    if (blocks == 0)
        fail("no comment")
    names = title
    for (i = 1; i <= functions; i++)
        if (function_name[i] != title)
            names = names ", " function_name[i]
    page = ".\\\" Made from " header " by cmake/man_pages.awk.\n"
    request(".TH " toupper(title) " 3 \"" date "\" \"parscan " version "\" \"parscan manual\"")
    request(".nh")
    request(".ad l")
    request(".SH NAME")
    request(names " \\- " summary())
    put_synopsis()
    request(".SH DESCRIPTION")
    put_description()
    put_blocks("TYPES AND MACROS", 0)
    put_blocks("FUNCTIONS", 1)
    put_see_also()
    write_page(title, page)
    for (i = 1; i <= functions; i++)
        if (function_name[i] != title)
            write_page(function_name[i], ".so man3/" title ".3\n")
}

function write_page(name, words) {
    if (name in written)
        fail("two pages " name)
    written[name] = 1
    printf "%s", words > (out "/" name ".3")
    close(out "/" name ".3")
}

# The first sentence or clause of the header: "parscan/scan.h: inclusive scan, exclusive scan, reduction."
function summary(n, words, i) {
    n = comment_lines(comment_of[1])
    words = text[1, 2]
    for (i = 3; i <= n && text[1, i] != ""; i++)
        words = words " " text[1, i]
    if (index(words, header ": ") != 1)
        fail("does not begin with its name")
    words = substr(words, length(header ": ") + 1)
    sub(/\. .*/, "", words)
    sub(/\.$/, "", words)
    if (length(words) > 100)
        sub(/[:;].*/, "", words)
    return escaped(words)
}

function put_synopsis(i) {
    request(".SH SYNOPSIS")
    request(".nf")
    request(".B #include <" header ">")
    for (i = 1; i <= blocks; i++)
        if (is_function[i]) {
            request(".PP")
            put_bold(code_of[i])
        }
    request(".fi")
}

function put_bold(code) {
    request(".ft B")
    put_lines(code)
    request(".ft R")
}

function put_description(n) {
    n = comment_lines(comment_of[1])
    text[1, 2] = substr(text[1, 2], length(header ": ") + 1)
    text[1, 2] = toupper(substr(text[1, 2], 1, 1)) substr(text[1, 2], 2)
    put_text(1, n)
}

function put_blocks(heading, wanted, i, any) {
    for (i = 2; i <= blocks; i++) {
        if (code_of[i] == "" || is_function[i] != wanted)
            continue
        if (!any++)
            request(".SH " heading)
        if (wanted)
            request(".SS " escaped(names_of[i]))
        else
            put_space()
        request(".nf")
        if (wanted)
            put_bold(code_of[i])
        else
            put_lines(code_of[i])
        request(".fi")
        if (comment_of[i] != "")
            put_comment(comment_of[i])
    }
}

function put_see_also(n, i, words, list, seen, name) {
    n = split(everything, words, /[^A-Za-z0-9_\/.]+/)
    list = ""
    for (i = 1; i <= n; i++)
        if (words[i] ~ /^parscan\/[a-z_]+\.h/ && words[i] != header) {
            name = words[i]
            sub(/^parscan\//, "parscan_", name)
            sub(/\.h.*/, "", name)
            if (name != title && !(name in seen)) {
                seen[name] = 1
                list = list (list == "" ? "" : ",\n") ".BR " name " (3)"
            }
        }
    request(".SH SEE ALSO")
    if (list != "")
        page = page list ",\n"
    page = page ".BR " (title == "parscan" ? "parscan (1)" : "parscan (3)") "\n"
}

# ---- reading ----

function begin_block() {
    blocks++
    comment_of[blocks] = code_of[blocks] = names_of[blocks] = ""
    is_function[blocks] = 0
}

function note_function(name) {
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    function_name[++functions] = name
    names_of[blocks] = names_of[blocks] (names_of[blocks] == "" ? "" : ", ") name "()"
}

FNR == 1 {
    if (NR > 1)
        end_header()
    begin_header()
    everything = ""
}

{
    everything = everything "\n" $0
    directive = last_line ~ /^#(if|else)/
    last_line = $0
}

state == "between" && /^\/\* The manual leaves out/ {
    state = "left out"
}

state == "left out" {
    if (/^\/\* The manual goes on/)
        state = "between"
    next
}

# Overloads that C++ refuses.
state == "between" && /^extern "C[+][+]" [^{]/ {
    state = "refused"
}

state == "refused" {
    if (/;$/)
        state = "between"
    next
}

# A comment at the margin starts a block, unless it is about the code between two directives.
state == "between" && /^\/\*/ && (directive || /clang-format/) {
    state = "remark"
}

state == "remark" {
    if (/\*\//)
        state = "between"
    next
}

state == "between" && /^\/\*/ {
    begin_block()
    state = "comment"
}

state == "comment" {
    comment_of[blocks] = comment_of[blocks] (comment_of[blocks] == "" ? "" : "\n") $0
    if (/\*\//)
        state = "between"
    next
}

# What is not of the manual.
state == "between" && /^#(if|elif|else|endif|include|error|pragma)|^extern "C"|^[}]$|^#define PARSCAN_[A-Z_]*_H$/ {
    next
}

state == "between" && /^$/ {
    block_ended = 1
    next
}

# Declarations. One that stands alone, without a comment, is a block too.
state == "between" {
    if (blocks < 2 || (block_ended && code_of[blocks] != ""))
        begin_block()
    block_ended = 0
    state = "declaration"
    closing = /^typedef (struct|enum) [a-z_]+ [{]$/ ? "^[}].*;$" : /^#define/ ? "[^\\\\]$" : ";$"
    declaration = ""
    cut = 0
    code_begins = 1
}

# A macro with the name of a function is one: its body is not shown.
state == "declaration" && code_begins && /^#define parscan_/ {
    state = "signature"
    is_function[blocks] = 1
    sub(/^#define /, "")
    note_function($0)
    if (code_of[blocks] != "")
        code_of[blocks] = code_of[blocks] "\n"
}

state == "signature" {
    line = $0
    sub(/ *\\$/, "", line)
    if (index(line, ")")) {
        line = substr(line, 1, index(line, ")"))
        state = "body"
    }
    code_of[blocks] = code_of[blocks] (code_of[blocks] ~ /,$/ ? "\n" : "") line
    if (state != "body")
        next
}

state == "body" {
    if ($0 !~ /\\$/)
        state = "between"
    next
}

state == "declaration" {
    line = $0
    declaration = declaration " " line
    if (code_begins && line ~ /^PARSCAN_API /) {
        is_function[blocks] = 1
        sub(/^PARSCAN_API /, "", line)
        cut = length("PARSCAN_API ")
    } else if (!code_begins && substr(line, 1, cut) ~ /^ *$/)
        line = substr(line, cut + 1)
    code_begins = 0
    code_of[blocks] = code_of[blocks] (code_of[blocks] == "" ? "" : "\n") line
    if ($0 ~ closing) {
        state = "between"
        if (declaration ~ /^ PARSCAN_API /)
            note_function(declaration)
    }
}

END {
    if (!failed)
        end_header()
}
