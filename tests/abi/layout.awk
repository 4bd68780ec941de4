# Debug information, as readelf prints it, to a line for each member of a public struct and each enumerator, with its type in front and a tab,
# to be sorted by: compilers write them in an order of their own.
function value(line)
{
    sub(/^[^:]*: */, "", line)
    if (line ~ /^\(indirect/)
        sub(/^\([^)]*\): */, "", line)
    sub(/[ \t]+$/, "", line)
    return line
}

# Some write what is large in hexadecimal.
function number(text,    i, sum)
{
    sub(/ .*/, "", text)
    if (text !~ /^0x/)
        return text
    for (i = 3; i <= length(text); i++)
        sum = 16 * sum + index("0123456789abcdef", substr(text, i, 1)) - 1
    return sprintf("%.0f", sum)
}

function reference(line)
{
    line = value(line)
    gsub(/[<>]|0x/, "", line)
    return line
}

/^ <[0-9a-f]+><[0-9a-f]+>: Abbrev Number: [1-9]/ {
    split($1, part, /[<>]+/)
    level = part[2]
    at = part[3]
    tag[at] = $NF
    gsub(/[()]|DW_TAG_/, "", tag[at])
    above[level] = at
    if (level)
        children[above[level - 1]] = children[above[level - 1]] " " at
    all[++n] = at
    next
}
/DW_AT_name / { name[at] = value($0) }
/DW_AT_type / { type[at] = reference($0) }
/DW_AT_byte_size / { size[at] = value($0) }
/DW_AT_data_member_location/ { place[at] = value($0) }
/DW_AT_upper_bound/ { count[at] = value($0) + 1 }
/DW_AT_count/ { count[at] = value($0) }
/DW_AT_const_value/ { constant[at] = number(value($0)) }

function bounds(t,    list, i, k, text)
{
    k = split(children[t], list, " ")
    for (i = 1; i <= k; i++)
        text = text "[" (list[i] in count ? count[list[i]] : "") "]"
    return text
}

function words(t)
{
    if (t == "")
        return "void"
    if (tag[t] == "pointer_type")
        return tag[type[t]] == "subroutine_type" ? words(type[type[t]]) " (*)()" : words(type[t]) " *"
    if (tag[t] == "const_type")
        return words(type[t]) " const"
    if (tag[t] == "volatile_type")
        return words(type[t]) " volatile"
    if (tag[t] == "array_type")
        return words(type[t]) bounds(t)
    if (tag[t] == "subroutine_type")
        return "function"
    return (tag[t] == "structure_type" ? "struct " : tag[t] == "union_type" ? "union " : tag[t] == "enumeration_type" ? "enum " : "") name[t]
}

function members(of, t, prefix, from,    list, i, k, m)
{
    k = split(children[t], list, " ")
    for (i = 1; i <= k; i++) {
        m = list[i]
        if (tag[m] != "member")
            continue
        printf "%s\t%s%s at %d: %s\n", of, prefix, name[m], from + place[m], words(type[m])
        if (name[type[m]] == "" && (tag[type[m]] == "union_type" || tag[type[m]] == "structure_type"))
            members(of, type[m], prefix name[m] ".", from + place[m])
    }
}

END {
    for (j = 1; j <= n; j++) {
        t = all[j]
        if (tag[t] == "structure_type" && name[t] ~ /^gpudl_/ && t in size) {
            printf "%s\tstruct %s: %d bytes\n", name[t], name[t], size[t]
            members(name[t], t, "    ", 0)
        }
        if (tag[t] == "enumeration_type" && name[t] ~ /^gpudl_/) {
            printf "%s\tenum %s: %d bytes\n", name[t], name[t], size[t]
            k = split(children[t], list, " ")
            for (i = 1; i <= k; i++)
                printf "%s\t    %s = %s\n", name[t], name[list[i]], constant[list[i]]
        }
    }
}
