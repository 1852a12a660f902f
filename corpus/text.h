/* text.h - index tensors by hand: one query a line, ids separated by blanks or commas.
 *
 * "." or -1 is a dead slot, 4-7 stands for 4 5 6 7, # starts a comment, lines without a slot are skipped.  All lines
 * must have the same number of columns. */
#ifndef ORDO_CORPUS_TEXT_H
#define ORDO_CORPUS_TEXT_H

#include "corpus/problem.h"
#include "corpus/site.h"

/* Parses n bytes; sets n_query, topk and idx of *p, or leaves idx NULL. */
enum ordo_status ordo_text_parse(const struct ordo_site *at, const uint8_t *text, size_t n, struct ordo_problem *p);

#endif
