# A document for Doxygen, whose names of headings are those of all documents: `## Two GPUs` of performance.md is
# performance-two-gpus here, and links name it so. A link to what is no page of the site becomes its words.
function slug(text) {
    gsub(/`/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function stem(path) {
    sub(/.*\//, "", path)
    sub(/\.md$/, "", path)
    return path == "README" ? path "-" length(FILENAME) : path
}
function link(words, target,   place) {
    if (target ~ /^[a-z]+:/)
        return "[" words "](" target ")"
    place = index(target, "#")
    if (place == 1)
        return "[" words "](#" stem(FILENAME) "-" substr(target, 2) ")"
    if (place)
        return "[" words "](#" stem(substr(target, 1, place - 1)) "-" substr(target, place + 1) ")"
    return target ~ /\.md$/ ? "[" words "](" target ")" : words
}
function links(line,   out, both, middle) {
    out = ""
    while (match(line, /\[[^][]*\]\([^() ]*\)/)) {
        both = substr(line, RSTART, RLENGTH)
        middle = index(both, "](")
        if (substr(line, RSTART - 1, 1) == "!")
            out = out substr(line, 1, RSTART + RLENGTH - 1)
        else
            out = out substr(line, 1, RSTART - 1) link(substr(both, 2, middle - 2), substr(both, middle + 2, length(both) - middle - 2))
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}
/^ *```/ { fenced = !fenced }
fenced { print; next }
/^##+ / {
    id = stem(FILENAME) "-" slug(substr($0, index($0, " ") + 1))
    print $0 " {#" id (seen[id]++ ? "-" seen[id] - 1 : "") "}"
    next
}
{ print links($0) }
