/* ptx_value.c - values as expressions over reads: known once the reads below them have their writes. */
#include "sim/ptx_impl.h"

static int add(struct ordo_ptx_state *s, struct ordo_ptx_node node)
{
    if (s->n_node == ORDO_PTX_NODES)
        return -1;
    s->node[s->n_node] = node;
    return s->n_node++;
}

int ordo_ptx_node_number(struct ordo_ptx_state *s, int64_t number)
{
    return add(s, (struct ordo_ptx_node){.kind = ORDO_PTX_NUMBER, .number = number});
}

int ordo_ptx_node_read(struct ordo_ptx_state *s, int event)
{
    return add(s, (struct ordo_ptx_node){.kind = ORDO_PTX_LOADED, .event = (int16_t)event, .reads = ordo_bit(event)});
}

/* A node below 0 says that there was no room; so does the result. */
int ordo_ptx_node_compute(struct ordo_ptx_state *s, enum ordo_ptx_alu alu, int a, int b, int c)
{
    struct ordo_ptx_node node = {.kind = ORDO_PTX_COMPUTED, .alu = alu, .x = {(int16_t)a, (int16_t)b, (int16_t)c}};

    if (a < 0 || b < 0 || c < 0)
        return -1;
    node.reads = s->node[a].reads | s->node[b].reads | s->node[c].reads;
    return add(s, node);
}

/* Ends because what reads and needs each other was refused before (ordo_ptx_thin_air). */
bool ordo_ptx_value(const struct ordo_ptx_state *s, int node, int64_t *out)
{
    const struct ordo_ptx_node *v = &s->node[node];
    int64_t x[3];

    switch (v->kind) {
    case ORDO_PTX_NUMBER:
        *out = v->number;
        return true;
    case ORDO_PTX_LOADED:
        return s->from[v->event] >= 0 && ordo_ptx_value(s, s->event[s->from[v->event]].node, out);
    case ORDO_PTX_COMPUTED:
        for (int i = 0; i < 3; i++)
            if (!ordo_ptx_value(s, v->x[i], &x[i]))
                return false;
        *out = ordo_ptx_compute(v->alu, x[0], x[1], x[2]);
        return true;
    }
    return false;
}
