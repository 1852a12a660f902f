# window

0-3 9
. . 4-6 # dead first
