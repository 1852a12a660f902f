# edit.sh - one edit of one text, and the tables of faults, for scripts that plant them (read by them, not run).

# record TABLE NAME: sets the variables that TABLE has lines for in the record called NAME; the others are empty.
record() {
    file= old= new= test= wants= says= at= cubin= run=
    while IFS= read -r line; do
        value=${line#*:}
        value=${value#"${value%%[! ]*}"}
        case $line in
        file:*) file=$value ;;
        old:*) old=$value ;;
        new:*) new=$value ;;
        test:*) test=$value ;;
        wants:*) wants=$value ;;
        says:*) says=$value ;;
        at:*) at=$value ;;
        cubin:*) cubin=$value ;;
        run:*) run=$value ;;
        esac
    done << END
$(awk -v name="$2" '/^fault:/ { here = ($2 == name) } here' "$1")
END
}

# edit FILE: FILE with $old replaced by $new, which must be there exactly once ("\n" in either is a line break).
edit() {
    OLD=$old NEW=$new awk '
        { text = text $0 "\n" }
        END {
            old = ENVIRON["OLD"]
            new = ENVIRON["NEW"]
            gsub(/\\n/, "\n", old)
            gsub(/\\n/, "\n", new)
            at = index(text, old)
            rest = substr(text, at + length(old))
            if (old == "" || !at || index(rest, old))
                exit 1
            printf "%s%s%s", substr(text, 1, at - 1), new, rest
        }' "$1"
}

# edit_line FILE: the number of the line in which $old begins; nothing if it is not there exactly once.
edit_line() {
    OLD=$old awk '
        { text = text $0 "\n" }
        END {
            old = ENVIRON["OLD"]
            gsub(/\\n/, "\n", old)
            at = index(text, old)
            if (!at || index(substr(text, at + length(old)), old))
                exit 1
            before = substr(text, 1, at - 1)
            print gsub(/\n/, "", before) + 1
        }' "$1"
}
