/* card.h - card 0 for the runner: its own context, memory, a stream, graphs, a clock, and a second stream that keeps
 * the card busy.  Everything runs on the first stream, in order; only ordo_card_wait waits for it. */
#ifndef ORDO_KERNELS_CARD_H
#define ORDO_KERNELS_CARD_H

#include "base/digest.h"
#include "kernels/ordo_kernels.h"

#include <stdbool.h>

struct ordo_card;
struct ordo_card_graph;

struct ordo_card_name {
    char device[96], driver[48], toolkit[48];
    struct ordo_digest cubin; /* BLAKE2b-256 of the cubins, one behind the other */
    int sm, processors;
};

/* ORDO_ENVIRONMENT where there is no driver, no card, one that the kernels are not for, or no device code in this
 * build.  cubins, if not NULL, is a folder: a NAME.cubin there takes the place of the one that is built in.
 * Released by ordo_card_close, which takes NULL; memory goes with it. */
enum ordo_status ordo_card_open(struct ordo_card **card, const char *cubins, struct ordo_err *err);
void ordo_card_close(struct ordo_card *card);

const struct ordo_card_name *ordo_card_name(const struct ordo_card *card);
struct ordo_kernels *ordo_card_kernels(struct ordo_card *card);
void *ordo_card_stream(struct ordo_card *card);

/* Device memory: freed one by one, or by ordo_card_close.  A zero count gets some. */
enum ordo_status ordo_card_alloc(struct ordo_card *card, uint64_t bytes, void **address, struct ordo_err *err);
enum ordo_status ordo_card_free(struct ordo_card *card, void *address, struct ordo_err *err);
/* Fills `bytes` bytes, a multiple of 4, with a word. */
enum ordo_status ordo_card_fill(struct ordo_card *card, void *to, uint32_t word, uint64_t bytes,
                                struct ordo_err *err);
/* Host memory must stay until the next wait, which copies out finish with. */
enum ordo_status ordo_card_write(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                 struct ordo_err *err);
enum ordo_status ordo_card_copy_out(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                    struct ordo_err *err);

/* Waits for all that was started.  *hung: it was not done within `seconds`; the card is lost to this process, which
 * must end without touching it again. */
enum ordo_status ordo_card_wait(struct ordo_card *card, double seconds, bool *hung, struct ordo_err *err);

/* Adds to *count, device memory, how many of n words differ; b NULL: from zero. */
enum ordo_status ordo_card_compare(struct ordo_card *card, const void *a, const void *b, uint64_t n, uint64_t *count,
                                   struct ordo_err *err);
/* The same words elsewhere: bytes is a multiple of 4. */
enum ordo_status ordo_card_keep(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                struct ordo_err *err);

/* Starts work on the second stream that keeps some of every SM and the memory busy, for about `microseconds`. */
enum ordo_status ordo_card_busy(struct ordo_card *card, uint32_t microseconds, struct ordo_err *err);

/* What is started on the stream between begin and end becomes a graph; nothing runs. */
enum ordo_status ordo_card_graph_begin(struct ordo_card *card, struct ordo_err *err);
enum ordo_status ordo_card_graph_end(struct ordo_card *card, struct ordo_card_graph **graph, struct ordo_err *err);
enum ordo_status ordo_card_graph_run(struct ordo_card *card, struct ordo_card_graph *graph, struct ordo_err *err);
void ordo_card_graph_free(struct ordo_card *card, struct ordo_card_graph *graph);

/* Two marks, 0 and 1, and the milliseconds between them, after a wait. */
enum ordo_status ordo_card_mark(struct ordo_card *card, int mark, struct ordo_err *err);
enum ordo_status ordo_card_time(struct ordo_card *card, float *milliseconds, struct ordo_err *err);

#endif
