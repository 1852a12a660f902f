/* nokernels.c - in place of kernels.c and card.c where the device code could not be built: every call says so. */
#include "kernels/card.h"

static enum ordo_status none(struct ordo_err *err)
{
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL,
                     "this ordo was built without device code: there was no nvcc for sm_90a");
}

enum ordo_status ordo_kernels_open(struct ordo_kernels **kernels, struct ordo_err *err)
{
    *kernels = NULL;
    return none(err);
}

void ordo_kernels_close(struct ordo_kernels *kernels)
{
    (void)kernels;
}

enum ordo_status ordo_kernels_execute(struct ordo_kernels *kernels, const struct ordo_plan *plan,
                                      const struct ordo_kernels_tensors *tensors, enum ordo_pass pass, void *stream,
                                      struct ordo_err *err)
{
    (void)kernels, (void)plan, (void)tensors, (void)pass, (void)stream;
    return none(err);
}

enum ordo_status ordo_card_open(struct ordo_card **card, const char *cubins, struct ordo_err *err)
{
    (void)cubins;
    *card = NULL;
    return none(err);
}

/* --- never reached: there is no card to call them with ---------------------------------------------------------- */

void ordo_card_close(struct ordo_card *card)
{
    (void)card;
}

const struct ordo_card_name *ordo_card_name(const struct ordo_card *card)
{
    (void)card;
    return NULL;
}

struct ordo_kernels *ordo_card_kernels(struct ordo_card *card)
{
    (void)card;
    return NULL;
}

void *ordo_card_stream(struct ordo_card *card)
{
    (void)card;
    return NULL;
}

enum ordo_status ordo_card_alloc(struct ordo_card *card, uint64_t bytes, void **address, struct ordo_err *err)
{
    (void)card, (void)bytes, (void)address;
    return none(err);
}

enum ordo_status ordo_card_free(struct ordo_card *card, void *address, struct ordo_err *err)
{
    (void)card, (void)address;
    return none(err);
}

enum ordo_status ordo_card_fill(struct ordo_card *card, void *to, uint32_t word, uint64_t bytes, struct ordo_err *err)
{
    (void)card, (void)to, (void)word, (void)bytes;
    return none(err);
}

enum ordo_status ordo_card_write(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                 struct ordo_err *err)
{
    (void)card, (void)to, (void)from, (void)bytes;
    return none(err);
}

enum ordo_status ordo_card_copy_out(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                    struct ordo_err *err)
{
    (void)card, (void)to, (void)from, (void)bytes;
    return none(err);
}

enum ordo_status ordo_card_wait(struct ordo_card *card, double seconds, bool *hung, struct ordo_err *err)
{
    (void)card, (void)seconds, (void)hung;
    return none(err);
}

enum ordo_status ordo_card_compare(struct ordo_card *card, const void *a, const void *b, uint64_t n,
                                   uint64_t *count, struct ordo_err *err)
{
    (void)card, (void)a, (void)b, (void)n, (void)count;
    return none(err);
}

enum ordo_status ordo_card_keep(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                struct ordo_err *err)
{
    (void)card, (void)to, (void)from, (void)bytes;
    return none(err);
}

enum ordo_status ordo_card_busy(struct ordo_card *card, uint32_t microseconds, struct ordo_err *err)
{
    (void)card, (void)microseconds;
    return none(err);
}

enum ordo_status ordo_card_graph_begin(struct ordo_card *card, struct ordo_err *err)
{
    (void)card;
    return none(err);
}

enum ordo_status ordo_card_graph_end(struct ordo_card *card, struct ordo_card_graph **graph, struct ordo_err *err)
{
    (void)card, (void)graph;
    return none(err);
}

enum ordo_status ordo_card_graph_run(struct ordo_card *card, struct ordo_card_graph *graph, struct ordo_err *err)
{
    (void)card, (void)graph;
    return none(err);
}

void ordo_card_graph_free(struct ordo_card *card, struct ordo_card_graph *graph)
{
    (void)card, (void)graph;
}

enum ordo_status ordo_card_mark(struct ordo_card *card, int mark, struct ordo_err *err)
{
    (void)card, (void)mark;
    return none(err);
}

enum ordo_status ordo_card_time(struct ordo_card *card, float *milliseconds, struct ordo_err *err)
{
    (void)card, (void)milliseconds;
    return none(err);
}
