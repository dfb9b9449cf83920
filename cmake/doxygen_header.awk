# A public header for Doxygen: the comments at the start of a line become documentation, set as they are written, since
# their columns are tables; comments behind fields belong to these.
FNR == 1 && /^\/\*$/ { print "/** @file\n\\verbatim"; inside = 1; next }
!inside && /^\/\*/ {
    whole = sub(/ *\*\/$/, "")
    sub(/^\/\* ?/, "")
    print "/** \\verbatim" ($0 == "" ? "" : "\n" $0)
    if (whole)
        print "\\endverbatim */"
    else
        inside = 1
    next
}
inside && /\*\/$/ {
    sub(/ *\*\/$/, "")
    sub(/^ \* ?/, "")
    print ($0 == "" ? "" : $0 "\n") "\\endverbatim */"
    inside = 0
    next
}
inside { sub(/^ \* ?/, ""); print; next }
{ sub(/; \/\* /, "; /**< "); sub(/, \/\* /, ", /**< "); print }
