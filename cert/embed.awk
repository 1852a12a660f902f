# embed.awk - the headers of protocol/ as a C array of lines, so that a build knows its own protocol source.
BEGIN { print "#include \"cert/cert.h\"\n\nconst char *const ordo_cert_protocol_text[] = {" }
FNR == 1 {
    name = FILENAME
    sub(/.*protocol\//, "protocol/", name)
    print "    \"== " name "\\n\","
}
{
    gsub(/[\\"?]/, "\\\\&") # a backslash in front; a question mark could begin a trigraph
    print "    \"" $0 "\\n\","
}
END { print "    0,\n};" }
