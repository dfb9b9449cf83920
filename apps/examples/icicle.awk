# awk -f icicle.awk: the output of example_tree as a picture (SVG). Each node is as wide as its sum, and
# stands below its parent.
NR == 1 { scale = 1000 / ($3 > 0 ? $3 : 1) }
{
    if ($1 > depth) depth = $1
    width = $3 * scale
    if (width < 0.5) next
    x = $4 * scale
    drawn = drawn sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"19\" fill=\"hsl(%d,55%%,75%%)\"/>\n",
                          x, 20 * $1, width - 0.4, (x + width / 2) * 0.36)
    name = $0
    sub(/^[0-9]+ [0-9]+ [0-9]+ [0-9]+ ?/, "", name)
    if (width > 7 * length(name) + 6 && name !~ /[<&]/)
        drawn = drawn sprintf("<text x=\"%.1f\" y=\"%d\">%s</text>\n", x + 3, 20 * $1 + 14, name)
}
END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 %d\"", 20 * (depth + 1)
    printf " font-family=\"sans-serif\" font-size=\"12\">\n%s</svg>\n", drawn
}
