# Of man_pages.awk: roff, and the text of a comment. A page is gathered in `page`.
#
# Of a comment's text, lines at its margin are a paragraph. Lines further right are a list, if each of
# them has a term, two spaces or more, and a text, which goes on below itself (and may have lists of its
# own); else they are printed as they stand.

# ---- roff ----

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# A line of text. A paragraph is filled, so its lines are cut at 80 characters.
function put(line) {
    sub(/[ \t]+$/, "", line)
    page = page (line ~ /^[.]/ ? "\\&" : "") escaped(line) "\n"
}

function put_filled(words) {
    while (length(words) > 64 && match(substr(words, 1, 64), / [^ ]*$/)) {
        put(substr(words, 1, RSTART - 1))
        words = substr(words, RSTART + 1)
    }
    put(words)
}

function request(line) {
    page = page line "\n"
}

# Before a paragraph or an example.
function put_space() {
    if (page !~ /\n\.(SH|SS|TP|PP|RS)[^\n]*\n$/ && !after_term)
        request(".PP")
    after_term = 0
}

function put_lines(words, i, n, lines) {
    n = split(words, lines, "\n")
    for (i = 1; i <= n; i++)
        put(lines[i])
}

# ---- the text of a comment ----

function indent_of(line) {
    match(line, /^ */)
    return RLENGTH
}

# Column at which the text of a list's item starts, 0 if there is none.
function text_column(line, from, rest) {
    from = indent_of(line)
    rest = substr(line, from + 1)
    if (!match(rest, /   *[^ ]/))
        return 0
    return from + RSTART + RLENGTH - 2
}

# Lines [first, last] of text[depth, ...], which start right of the margin: a list?
function is_list(depth, first, last, i, from, line) {
    from = indent_of(text[depth, first])
    for (i = first; i <= last; i++) {
        line = text[depth, i]
        if (line == "" || indent_of(line) > from)
            continue
        if (indent_of(line) < from)
            return 0
        if (!text_column(line) || substr(line, 1, text_column(line)) ~ / = / ||
            line ~ /[;}{]  +[^ ]/ || substr(line, text_column(line)) ~ /[^ .:]   +[^ ]/)
            return 0
    }
    return 1
}

# What starts left of the column of an item's text, by more than a slip, is a list or an example below it.
function put_list(depth, first, last, i, from, column, dedent, n) {
    from = indent_of(text[depth, first])
    for (i = first; i <= last; i++) {
        column = text_column(text[depth, i])
        put_term(substr(text[depth, i], from + 1, column - from))
        n = 1
        text[depth + 1, 1] = substr(text[depth, i], column + 1)
        dedent = column
        while (i < last && (text[depth, i + 1] == "" || indent_of(text[depth, i + 1]) > from)) {
            i++
            n++
            if (text[depth, i] != "" && dedent == column && indent_of(text[depth, i]) < column - 2)
                dedent = indent_of(text[depth, i]) - 2
            text[depth + 1, n] = substr(text[depth, i], dedent + 1)
            if (dedent == column && indent_of(text[depth, i]) < column)
                text[depth + 1, n] = substr(text[depth, i], indent_of(text[depth, i]) + 1)
        }
        after_term = 1
        put_text(depth + 1, n)
        after_term = 0
    }
}

function put_term(term) {
    sub(/ +$/, "", term)
    request(".TP")
    request(".B " escaped(term))
}

# A list inside an item, or an example, is set right of it.
function put_indented(depth, first, last, i, from, block) {
    while (text[depth, last] == "")
        last--
    if (is_list(depth, first, last)) {
        if (depth > 1)
            request(".RS")
        put_list(depth, first, last)
        if (depth > 1)
            request(".RE")
        return
    }
    from = 1000
    for (i = first; i <= last; i++)
        if (text[depth, i] != "" && indent_of(text[depth, i]) < from)
            from = indent_of(text[depth, i])
    for (i = first; i <= last; i++)
        block = block (i > first ? "\n" : "") substr(text[depth, i], from + 1)
    if (!after_term)
        put_space()
    after_term = 0
    request(".RS 4")
    request(".nf")
    put_lines(block)
    request(".fi")
    request(".RE")
}

# Items at the margin: "Memory       A CPU context takes ...", whose text goes on below itself, and "- ...".
function is_item(depth, i, n) {
    return text[depth, i] ~ /^-  / || text[depth, i] ~ /^[A-Z][A-Za-z ]*[A-Za-z]  +[A-Z(]/ && i < n && indent_of(text[depth, i + 1]) > 8
}

function put_text(depth, n, i, first, paragraph) {
    for (i = 1; i <= n; i++) {
        if (text[depth, i] == "")
            continue
        first = i
        if (indent_of(text[depth, i]) > 0 || is_item(depth, i, n)) {
            while (i < n && (text[depth, i + 1] == "" || indent_of(text[depth, i + 1]) > 0 ||
                             is_item(depth, i + 1, n)))
                i++
            put_indented(depth, first, i)
            continue
        }
        paragraph = text[depth, i]
        while (i < n && text[depth, i + 1] != "" && indent_of(text[depth, i + 1]) == 0 &&
               text[depth, i + 1] !~ /^(-  |(Errors|Cost|Memory|Scratch|Source): )/) {
            i++
            paragraph = paragraph " " text[depth, i]
        }
        put_space()
        put_filled(paragraph)
    }
}

# A comment without its marks, as the lines text[1, 1..n]; returns n.
function comment_lines(comment, n, i, lines) {
    sub(/^\/\*/, "  ", comment)
    sub(/ *\*\/ *$/, "", comment)
    n = split(comment, lines, "\n")
    for (i = 1; i <= n; i++) {
        text[1, i] = substr(lines[i], 4)
        sub(/ +$/, "", text[1, i])
        sub(/^- /, "-  ", text[1, i])
    }
    return n
}

function put_comment(comment) {
    put_text(1, comment_lines(comment))
}
