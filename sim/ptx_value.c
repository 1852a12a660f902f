/* ptx_value.c - values as expressions over reads: known once the reads below them have their writes. */
#include "sim/ptx_impl.h"

#include <string.h>

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

/* Values of computed nodes that one look-up has met: an expression may use its parts many times. */
struct seen {
    enum { UNSEEN, KNOWN, UNKNOWN } state[ORDO_PTX_NODES];
    int64_t value[ORDO_PTX_NODES];
};

static bool look_up(const struct ordo_ptx_state *s, int node, struct seen *seen, int64_t *out);

static bool compute(const struct ordo_ptx_state *s, int node, struct seen *seen, int64_t *out)
{
    const struct ordo_ptx_node *v = &s->node[node];
    int64_t x[3];

    if (seen->state[node] == UNSEEN) {
        seen->state[node] = UNKNOWN;
        for (int i = 0; i < 3; i++)
            if (!look_up(s, v->x[i], seen, &x[i]))
                return false;
        seen->value[node] = ordo_ptx_compute(v->alu, x[0], x[1], x[2]);
        seen->state[node] = KNOWN;
    }
    if (seen->state[node] == KNOWN)
        *out = seen->value[node];
    return seen->state[node] == KNOWN;
}

/* Follows reads to the values of their writes, up to a number, a computed node, or -1: not decided yet. */
static int follow(const struct ordo_ptx_state *s, int node)
{
    for (int steps = 0; node >= 0 && s->node[node].kind == ORDO_PTX_LOADED; steps++) {
        int from = s->from[s->node[node].event];

        ORDO_BUG_ON(steps > ORDO_PTX_EVENTS);
        node = from < 0 ? -1 : s->event[from].node;
    }
    return node;
}

static bool look_up(const struct ordo_ptx_state *s, int node, struct seen *seen, int64_t *out)
{
    node = follow(s, node);
    if (node < 0)
        return false;
    if (s->node[node].kind == ORDO_PTX_COMPUTED)
        return compute(s, node, seen, out);
    *out = s->node[node].number;
    return true;
}

/* Ends because what reads and needs each other was refused before (ordo_ptx_thin_air). */
bool ordo_ptx_value(const struct ordo_ptx_state *s, int node, int64_t *out)
{
    struct seen seen;

    node = follow(s, node);
    if (node < 0)
        return false;
    if (s->node[node].kind == ORDO_PTX_COMPUTED) {
        memset(seen.state, 0, sizeof seen.state);
        return compute(s, node, &seen, out);
    }
    *out = s->node[node].number;
    return true;
}
