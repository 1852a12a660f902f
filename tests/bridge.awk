# bridge.awk - the operations of a PTX text: kernel, header:line, mnemonic; for a kernel fixed_* operands too.
#
# The text is read twice, for the file numbers stand at its end.  An operation is what stands in inline assembly; what
# else stores or synchronises is "of no operation".  Registers of the fixed kernels are followed as text: numbers,
# value@ADDRESS for ordinary loads, element@ADDRESS for those of operations, and sums of these.  A polling load gets
# the condition on which it is repeated; with all operands known no other branch, and no question which thread it is,
# may be there.

function value(name) {
    gsub(/[\[\]]/, "", name)
    return name in reg ? reg[name] : name
}

# A number as the unsigned word that it is.
function word(text) {
    return text ~ /^-[0-9]+$/ ? sprintf("%.0f", text + 4294967296) : text
}

function operand(text) {
    return text ~ /^\[/ ? "[" value(text) "]" : word(value(text))
}

# The condition of the branch back, so that it says when to go on polling.
function condition(comparison, negated) {
    if (negated)
        comparison = comparison == "eq" ? "ne" : comparison == "ge" ? "lt" : "not " comparison
    return comparison
}

function flush() {
    if (pending != "")
        print pending
    pending = ""
}

# A vector access is four scalar ones, of neighbouring addresses.
function vector(    name, line, base, i) {
    name = $1
    sub(/\.v4/, "", name)
    gsub(/[{}]/, "")
    base = value($(name ~ /^ld\./ ? 6 : 2))
    flush()
    if (name ~ /^ld\.shared/) { # what was staged there: part of the operation that adds to it
        for (i = 0; i < 4; i++)
            reg[$(2 + i)] = "staged@" sprintf("%.0f", base + 4 * i)
        return
    }
    for (i = 0; i < 4; i++) {
        line = kernel " " place " " name
        if (kernel ~ /^fixed_/) {
            line = line " [" sprintf("%.0f", base + 4 * i) "]"
            if (name ~ /^ld\./)
                reg[$(2 + i)] = "element@" sprintf("%.0f", base + 4 * i)
            else
                line = line " " operand($(3 + i))
        }
        print line
    }
}

function operation(    line, i) {
    if ($1 ~ /\.v4\./) {
        vector()
        return
    }
    line = kernel " " place " " $1
    if (kernel !~ /^fixed_/) {
        print line
        return
    }
    flush()
    for (i = $1 ~ /^ld\./ ? 3 : 2; i <= NF; i++)
        line = line " " operand($i)
    if ($1 ~ /^ld\./ && $1 !~ /f32$/) {
        reg[$2] = "word"
        pending = line
        return
    }
    if ($1 ~ /^ld\./)
        reg[$2] = "element@" value($3)
    print line
}

$1 == ".file" {
    name = $3
    gsub(/"/, "", name)
    sub(/.*\/protocol\//, "protocol/", name)
    sub(/.*\/tests\//, "tests/", name)
    file[$2] = name
}
NR == FNR { next }
/\.entry / {
    flush()
    kernel = $0
    sub(/.*\.entry /, "", kernel)
    sub(/\(.*/, "", kernel)
    split("", reg)
}
$1 == ".loc" { place = file[$2] ":" $3 }
/begin inline asm/ { inside = 1; next }
/end inline asm/ { inside = 0 }
{
    guard = $1 ~ /^@/ ? $1 : ""
    sub(/^[ \t]*@!?%p[0-9]+[ \t]+/, "")
    if (inside)
        sub(/\.pred p;/, ".pred p") # a statement of the predicate's own goes with the next
    sub(/;.*/, "")
    gsub(/,/, " ")
}
inside && $1 == "{" && $5 ~ /^setp\./ { # of the operation on the next line
    without = ($5 == "setp.ne.s32") == (value($7) == $8)
    next
}
inside && $1 == "@p" {
    sub(/^[ \t]*@p[ \t]+/, "")
    if (kernel ~ /^fixed_/ && without)
        next
}
inside && NF { operation(); next }
$1 ~ /^(st|red|atom|bar|barrier|fence|membar|mbarrier|cp|call)(\.|$)/ {
    flush()
    print kernel, place, $1, "of no operation"
}
kernel !~ /^fixed_/ { next }
$1 ~ /^mov\./ { reg[$2] = value($3) }
$1 ~ /^ld\./ { reg[$2] = "value@" value($3) }
$1 == "add.rn.f32" { reg[$2] = "(" value($3) " + " value($4) ")" }
$1 == "and.b32" { reg[$2] = "(" value($3) " & " word(value($4)) ")" }
$1 ~ /^setp\./ {
    split($1, part, ".")
    left = value($3)
    right = word(value($4))
    compared[$2] = part[2] (part[2] ~ /^[lg][te]$/ && part[3] ~ /^s/ ? ".signed" : "")
}
($1 == "bra" && pending == "") || ($1 ~ /^(ret|exit|trap|brx)/ && guard != "") || /%(tid|laneid|warpid|ctaid|clock)/ {
    flush()
    print kernel, place, $1, "decides something, of no operation"
}
$1 == "bra" && pending != "" {
    register = guard
    sub(/^@!?/, "", register)
    pending = pending " while " left " " condition(compared[register], guard ~ /!/) " " right
    flush()
}
END { flush() }
