# awk -v most=N -f groups.awk FILE...: prints "GROUP FILE" for each file. The files of a group can be compiled as one: no
# name that one of them defines for itself (static, struct, enum, #define) occurs in another.
function finish(  g, n, free) {
    if (file == "") return
    for (g = 1; g <= groups; g++) {
        free = size[g] < most
        for (n in names) if ((g, n) in used) free = 0
        for (n in words) if ((g, n) in taken) free = 0
        if (free) break
    }
    if (g > groups) groups = g
    size[g]++
    for (n in names) taken[g, n] = 1
    for (n in words) used[g, n] = 1
    print g, file
    split("", names); split("", words)
    depth = comment = 0
    head = enum = ""
}
# The last identifier of a text.
function last(text) { sub(/[^A-Za-z0-9_]+$/, "", text); sub(/.*[^A-Za-z0-9_]/, "", text); return text }
# The first one.
function first(text) { sub(/^[^A-Za-z0-9_]+/, "", text); sub(/[^A-Za-z0-9_].*/, "", text); return text }
# A keyword is what is left of an enum or struct without a name.
function add(name) { if (name !~ /^([0-9].*|enum|struct|union)?$/) names[name] = 1 }

FNR == 1 { finish(); file = FILENAME }
{
    line = $0
    gsub(/'([^'\\]|\\.)'/, "0", line)
    gsub(/"([^"\\]|\\.)*"/, "0", line)
    if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
    while (match(line, /\/\*/)) { # one comment after the other, the last perhaps open
        rest = substr(line, RSTART + 2)
        line = substr(line, 1, RSTART - 1)
        if (!sub(/^([^*]|\*+[^*\/])*\*+\//, "", rest)) { comment = 1; break }
        line = line " " rest
    }
    sub(/\/\/.*/, "", line)
    if (line ~ /^#include/) next
    count = split(line, found, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; i++) words[found[i]] = 1
    if (line ~ /^# *define /) { sub(/^# *define +/, "", line); add(first(line)); next }
    if (line ~ /^#/) next
    if (depth == 0 && line ~ /^(static|struct|union|typedef|enum)/) head = " "
    if (head != "") head = head line " "
    opened = gsub(/\{/, "{", line)
    depth += opened - gsub(/\}/, "}", line)
    # A declaration is whole at its ";" or "{", an enum at its "}".
    if (head != "" && (head ~ /^ *(static +const +)?enum/ ? head ~ /[};]/ : head ~ /[;{=]/)) {
        gsub(/__attribute__ *\(\([^)]*\)+/, "", head)
        if (head ~ /^ *enum[^;]*\{/) {
            add(last(substr(head, 1, index(head, "{") - 1)))
            count = split(substr(head, index(head, "{") + 1), found, ",")
            for (i = 1; i <= count; i++) add(first(found[i]))
        } else if (head ~ /^ *typedef/) add(last(substr(head, 1, index(head, ";") - 1)))
        else if (head !~ /^ *(struct|union)[^;({=]*;/) {
            sub(/[({=;\[].*/, "", head)
            add(last(head))
        }
        head = ""
    }
}
END { finish() }
