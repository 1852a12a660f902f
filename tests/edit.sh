# edit.sh - one edit of one text, for scripts that plant faults (read by them, not run).

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
