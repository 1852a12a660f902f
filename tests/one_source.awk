# one_source.awk - which lines of the sources could give the protocol a second meaning; see one_source.sh.
#
# Read in this order: protocol/op.h and the role headers for their names, then `pass=2`, then all files.  Prints
# FILE:LINE: the line (why) for each, and fails if there is one.

function wrong(why) {
    if (told != FILENAME start)
        print FILENAME ":" start ": " $0 "  (" why ")"
    told = FILENAME start
    bad = 1
}

# The line without comments and the contents of literals.  Here and below, comment: whether one is open.
function strip(rest,    out, at, c) {
    out = ""
    while (rest != "") {
        if (comment) {
            at = index(rest, "*/")
            if (!at)
                return out
            rest = substr(rest, at + 2)
            comment = 0
            continue
        }
        if (!match(rest, /["'\/]/))
            return out rest
        out = out substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART)
        c = substr(rest, 1, 1)
        if (substr(rest, 1, 2) == "//")
            return out
        if (substr(rest, 1, 2) == "/*") {
            comment = 1
            out = out " "
            rest = substr(rest, 3)
        } else if ((c == "'" && match(rest, /^'([^'\\]|\\.)*'/)) || (c == "\"" && match(rest, /^"([^"\\]|\\.)*"/))) {
            out = out c c
            rest = substr(rest, RLENGTH + 1)
        } else {
            out = out c
            rest = substr(rest, 2)
        }
    }
    return out
}

function is_role(name) {
    return name ~ /^protocol\/[a-z]+\.h$/ && name !~ /\/(op|tape)\.h$/
}

function guard_of(name) {
    sub(/^protocol\//, "", name)
    sub(/\.h$/, "", name)
    return "ORDO_PROTOCOL_" toupper(name) "_H"
}

# --- a role header: what it may be made of, and nothing else ------------------------------------------------------

# The code of a line, or "" with a report.  A comment ends its line.  A macro with parameters is code like other code,
# of lines that each go on in the next, behind a space: no word and no mark is made of two lines.
function code_of(line,    at, code) {
    goes_on = (in_macro || (!comment && line ~ /^#define ORDO_[A-Z_]+\(/)) && line ~ / \\$/
    if (goes_on)
        sub(/ +\\$/, "", line)
    if (line ~ /[^ -~]/ || line ~ /\\/ || line ~ /\?\?/) {
        wrong("a character that a compiler may read in its own way")
        return ""
    }
    code = ""
    if (!comment) {
        at = index(line, "/*")
        if (!at)
            return line
        code = substr(line, 1, at - 1)
        line = substr(line, at + 2)
        comment = 1
    }
    at = index(line, "*/")
    if (at) {
        comment = 0
        if (substr(line, at + 2) !~ /^ *$/)
            wrong("code behind a comment")
    } else if (code !~ /^ *$/)
        wrong("a comment of several lines behind code")
    return code
}

function directive(code,    name, n, part, i) {
    name = code
    sub(/^#[a-z]+ /, "", name)
    if (++n_code == 1 && code == "#ifndef " guard_of(FILENAME))
        return
    if (n_code == 2 && code == "#define " guard_of(FILENAME))
        return
    if (n_code > 2 && code == "#endif" && !ended) {
        ended = FNR
        return
    }
    if (code ~ /^#include "protocol\/[a-z]+\.h"$/ && code !~ /\/tape\.h"$/)
        return
    if (code ~ /^#define ORDO_[A-Z_]+ [0-9]+$/ && name !~ /^ORDO_PROTOCOL_/) {
        sub(/ .*/, "", name)
        if (constants[name] == 1 && !(name in defined_by_op))
            return
    }
    if (code ~ /^#define ORDO_[A-Z_]+\([a-z_, ]+(, \.\.\.)?\)$/ && goes_on) {
        n = split(name, part, /[(), .]+/)
        split("", declared) # it has the names of no function, but its own
        for (i = 2; i <= n; i++)
            if (part[i] != "" && !is_new(part[i]))
                wrong("the parameter " part[i] ", which has a meaning already")
            else if (part[i] != "")
                declared[part[i]] = 1
        in_macro = 1
        if (macros[part[1]] == 1 && !(part[1] in defined_by_op) && !(part[1] in constants))
            return
    }
    wrong("a directive other than guard, role header and number")
}

function is_keyword(t) {
    return t ~ /^(if|for|return|const|struct)$/ || (in_macro && t ~ /^(do|while|__VA_ARGS__)$/)
}

function is_type(t) {
    return t ~ /^(void|int|int32_t|int64_t|uint32_t|ORDO_WORDS|ORDO_FLOATS|ORDO_PLACE|ORDO_STAGE|ORDO_VALUES)$/
}

# Whether a name may be declared.
function is_new(t) {
    return t ~ /^[a-z][a-z0-9_]*$/ && t !~ /_$/ && t !~ /^ordo_/ && !is_keyword(t) && !is_type(t) && !(t in tokens)
}

# What an identifier is: "" if it may not be here.
function identify(t, after) {
    if (is_keyword(t))
        return "keyword"
    if (is_type(t))
        return "type"
    if (last == "struct")
        return t ~ /^ordo_[a-z_]+$/ ? "type" : ""
    if (t in operations)
        return "operation"
    if (t in tokens || t in constants || t == "INT64_C" || t == "UINT32_C")
        return "word"
    if (t in functions)
        return functions[t] == 1 ? "function" : ""
    if (t in macros)
        return macros[t] == 1 ? "function" : ""
    if (kind == "type" || (last == "*" && kind_before == "type") || (last == "," && in_struct) ||
        (last == "(" && before == "ORDO_SUM_BEGIN")) {
        if (!is_new(t) || after ~ /^ *\(/)
            return ""
        declared[t] = 1
        return "name"
    }
    if (last == ".")
        return t in fields ? "name" : ""
    return t in declared ? "name" : ""
}

function punctuation(t) {
    if (t == "(")
        depth++
    if (t == ")" && depth-- == at_operation)
        at_operation = 0
    if (t == "(" && kind == "operation" && !at_operation)
        at_operation = depth
    if (t == "{" && before == "struct")
        in_struct = 1
    if (t == "}")
        in_struct = 0
    if (t ~ /^(=|\+=|\+\+|--)$/) {
        if (at_operation)
            wrong("an operand with an effect, which the two compilers may evaluate a different number of times")
        else if (kind != "name" || before ~ /^[*.]$/)
            wrong("writes elsewhere than to a variable of its own")
    }
}

function role_line(code,    t, what) {
    gsub(/^ +| +$/, "", code)
    if (code == "")
        return
    if (ended)
        wrong("code outside the guard")
    if (code ~ /^#/ && !in_macro) {
        directive(code)
        return
    }
    if (n_code++ < 2)
        wrong("code outside the guard")
    if (code ~ /["'#]|\/\/|<:|:>|<%|%>|%:|->/) {
        wrong("a literal, a comment to the end of the line, or a digraph")
        return
    }
    while (code != "") {
        if (match(code, /^[A-Za-z_][A-Za-z0-9_]*/)) {
            t = substr(code, 1, RLENGTH)
            what = identify(t, substr(code, RLENGTH + 1))
            if (what == "")
                wrong("the name " t ", which is no operation, and not declared here")
        } else if (match(code, /^[0-9][0-9A-Za-z_.]*/)) {
            t = substr(code, 1, RLENGTH)
            what = "number"
            if (t !~ /^([0-9]+|[0-9]+\.[0-9]+f)$/)
                wrong("the number " t)
        } else if (match(code, /^(<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\+=)/) ||
                   match(code, /^[](){}[;,.?:=<>+*\/%&|^~!-]/)) {
            t = substr(code, 1, RLENGTH)
            what = "mark"
            punctuation(t)
        } else {
            wrong("the character " substr(code, 1, 1))
            return
        }
        code = substr(code, RLENGTH + 1)
        gsub(/^ +/, "", code)
        before = last
        last = t
        kind_before = kind
        kind = what
    }
}

# --- op.h: the device's meaning ------------------------------------------------------------------------------------

# No statement but inline assembly and its polling loop, and that neither dropped, moved nor merged.
function op_line(text, line,    n, part, i) {
    if (line ~ /^ *# *(if|else|elif|endif)/) {
        conditionals = conditionals line "\n"
        if (index(expected_conditionals, conditionals) != 1)
            wrong("a conditional more, or another")
    }
    if (line ~ /^#ifdef __CUDACC__$/)
        device = 1
    if (line ~ /^#else$/)
        device = 0
    if (!device) {
        if (text ~ /(^|[^A-Za-z0-9_])(asm|__asm|__asm__)([^A-Za-z0-9_]|$)/)
            wrong("inline assembly, in what is not the device's")
        return
    }
    if (line ~ /^#define/) {
        sub(/^#define ORDO_[A-Z0-9_]+/, "", text)
        split("", parameter)
        if (match(text, /^\([^)]*\)/)) {
            n = split(substr(text, 2, RLENGTH - 2), part, /[, ]+/)
            for (i = 1; i <= n; i++)
                parameter[part[i]] = 1
            text = substr(text, RLENGTH + 1)
        }
    } else if (line ~ /^ *#/)
        return
    if (line == "#define ORDO_UNROLLED _Pragma(\"unroll\")") # which code it makes, not what it does
        return
    n = gsub(/asm/, "asm", text)
    if (n != gsub(/asm volatile\(/, "&", text) || n != gsub(/: ?"memory"\)/, "&", line))
        wrong("inline assembly that is not volatile, or does not say that it touches memory")
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        if (!(substr(text, RSTART, RLENGTH) in parameter) && substr(text, RSTART, RLENGTH) !~ device_words)
            wrong("the name " substr(text, RSTART, RLENGTH) ", which no operation needs")
        text = substr(text, RSTART + RLENGTH)
    }
}

BEGIN {
    pass = 1
    device_words = "^(static|const|float|uint32_t|int64_t|__host__|__device__|__forceinline__|asm|volatile|do|while" \
        "|v_|w_|p_|__fadd_rn|ORDO_AWAIT_|ORDO_RED_|ORDO_TAKE_|ORDO_PUT_|and|or|add)$"
    expected_conditionals = "#ifndef ORDO_PROTOCOL_OP_H\n#ifdef __CUDACC__\n#else\n#ifdef __cplusplus\n#else\n" \
        "#endif\n#endif\n#endif\n"
}

# --- names ---------------------------------------------------------------------------------------------------------

pass == 1 && FILENAME == "protocol/op.h" {
    side = $0 ~ /^#ifdef __CUDACC__/ ? 1 : side == 1 && $0 ~ /^#else/ ? 2 : side
    if (match($0, /^#define ORDO_(SEMS|SCOPES|WIDTHS)\(X\)/)) {
        n = split(substr($0, RLENGTH + 1), part, /[ X()]+/)
        for (i = 1; i <= n; i++)
            if (part[i] != "")
                tokens[part[i]] = 1
    }
    if (match($0, /^# *define ORDO_[A-Z0-9_]+/)) {
        name = $2
        sub(/\(.*/, "", name)
        defined_by_op[name] = 1
        if (side == 1)
            on_device[name] = 1
        if (side == 2 && name in on_device && name !~ /_$/)
            operations[name] = 1
    }
}
pass == 1 && is_role(FILENAME) {
    if ($1 == "#define" && $2 ~ /^ORDO_[A-Z_]+$/ && NF > 2)
        constants[$2]++
    if ($1 == "#define" && match($2, /^ORDO_[A-Z_]+\(/))
        macros[substr($2, 1, RLENGTH - 1)]++
    if (match($0, /^ORDO_(MAP|ROLE) (struct )?[a-z0-9_]+ ordo_[a-z0-9_]+\(/)) {
        name = $2 == "struct" ? $4 : $3
        functions[substr(name, 1, index(name, "(") - 1)]++
    }
    if (/^};/)
        in_struct = 0
    if (in_struct) {
        n = split($0, part, /[ ,;]+/)
        for (i = 3; i <= n; i++)
            if (part[i] ~ /^[a-z][a-z0-9_]*$/)
                fields[part[i]] = 1
    }
    if (/^struct ordo_[a-z_]+ \{$/)
        in_struct = 1
}
pass == 1 { next }

# --- files ---------------------------------------------------------------------------------------------------------

FNR == 1 {
    start = 1
    comment = n_code = ended = depth = at_operation = in_struct = device = in_macro = goes_on = 0
    last = before = kind = kind_before = joined = conditionals = ""
    split("", declared)
    if (FILENAME ~ /^protocol\// && FILENAME !~ /^protocol\/[a-z]+\.h$/)
        wrong("protocol/ has headers only")
}
joined == "" { start = FNR }
is_role(FILENAME) {
    role_line(code_of($0))
    if (in_macro && !goes_on) {
        in_macro = 0
        split("", declared)
    }
    next
}
# What a line continues is read with it.
/\\$/ {
    joined = joined substr($0, 1, length($0) - 1)
    next
}
{
    line = joined $0
    joined = ""
    text = strip(line)
    gsub(/[ \t]+/, " ", text)
}
FILENAME == "protocol/op.h" {
    op_line(text, line)
    next
}
FILENAME !~ /^kernels\// && text ~ /(^|[^A-Za-z0-9_])(asm|__asm|__asm__)([^A-Za-z0-9_]|$)/ {
    wrong("inline assembly is for protocol/op.h")
}
# A test may take in a source, and a kernel a device header: both are among the files looked at.
text ~ /^ ?(#|%:) ?include/ && line !~ /^ *# *include ("[a-z_0-9\/]+\.h"|<[a-z_0-9\/]+(\.h)?>)( |$)/ &&
    !(FILENAME ~ /^tests\// && line ~ /^#include "[a-z]+\/[a-z_0-9]+\.c"$/) &&
    !(FILENAME ~ /^kernels\// && line ~ /^#include "kernels\/[a-z_0-9]+\.cuh"$/) {
    wrong("includes something other than a header")
}
text ~ /^ ?(#|%:) ?(undef|define) / {
    name = text
    sub(/^ ?(#|%:) ?[a-z]+ /, "", name)
    sub(/[^A-Za-z0-9_].*/, "", name)
    if ((name in defined_by_op || name in tokens) && name != "ORDO_X" &&
        !(name == "ORDO_EMIT" && FILENAME ~ /^sim\//))
        wrong("gives a word of op.h another meaning")
    if (name in macros || name in constants || name in functions)
        wrong("gives a word of a role header another meaning")
}
FILENAME ~ /^protocol\// && text ~ /^ ?(#|%:) ?(if|else|elif|pragma|undef|line)/ &&
    text !~ /^ ?# ?ifndef ORDO_PROTOCOL_TAPE_H ?$/ {
    wrong("a conditional, which is for op.h")
}
FILENAME ~ /^protocol\// && text ~ /(^|[^A-Za-z0-9_])(__[A-Za-z]|volatile|_Pragma|atomic[A-Z])/ {
    wrong("a name of the compiler, which is for op.h")
}
END { exit bad }
