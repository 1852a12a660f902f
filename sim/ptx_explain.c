/* ptx_explain.c - an execution as text: what each thread did and read, then every edge that counts, by its name. */
#include "sim/ptx_impl.h"

#include <inttypes.h>
#include <string.h>

const char *const ordo_ptx_axiom_name[ORDO_PTX_AXIOMS] = {
    [ORDO_PTX_AXIOM_NONE] = "none",           [ORDO_PTX_AXIOM_COHERENCE] = "Coherence",
    [ORDO_PTX_AXIOM_FENCE_SC] = "Fence-SC",   [ORDO_PTX_AXIOM_ATOMICITY] = "Atomicity",
    [ORDO_PTX_AXIOM_THIN_AIR] = "No-Thin-Air", [ORDO_PTX_AXIOM_LOCATION] = "SC-per-Location",
    [ORDO_PTX_AXIOM_CAUSALITY] = "Causality",
};

int64_t ordo_ptx_event_value(const struct ordo_ptx_witness *w, int i)
{
    int64_t value = 0;

    ORDO_BUG_ON(!ordo_ptx_value(&w->s, w->s.event[i].node, &value));
    return value;
}

static const char *place(const struct ordo_ptx_program *p, const struct ordo_ptx_event *e)
{
    return p->loc[e->place].name;
}

static void say_event(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, int i, FILE *out)
{
    static const char *const word[] = {"reads", "writes", "fence", "proxy fence", "arrives", "waits"};
    const struct ordo_ptx_event *e = &w->s.event[i];

    fprintf(out, "  e%-3d %-40s %s", i, p->thread[e->thread].op[e->op].text, word[e->kind]);
    if (e->kind == ORDO_PTX_READ)
        fprintf(out, " %s = %" PRId64 " from e%d%s", place(p, e), ordo_ptx_event_value(w, i), w->s.from[i],
                w->s.event[w->s.from[i]].thread < 0 ? " (initial)" : "");
    if (e->kind == ORDO_PTX_WRITE)
        fprintf(out, " %s = %" PRId64, place(p, e), ordo_ptx_event_value(w, i));
    fputc('\n', out);
}

static void say_thread(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, int t, FILE *out)
{
    static const char *const end[] = {"goes on", "ends", "waits for ever at",
                                      "repeats its last loop iteration for ever"};
    const struct ordo_ptx_thread *th = &p->thread[t];
    const struct ordo_ptx_run *run = &w->s.run[t];

    fprintf(out, "P%d (cta %d, cluster %d, gpu %d)\n", t, (int)th->cta, (int)th->cluster, (int)th->gpu);
    for (int i = 0; i < w->s.n; i++)
        if (w->s.event[i].thread == t)
            say_event(p, w, i, out);
    fprintf(out, "  %s", end[run->end]);
    if (run->end == ORDO_PTX_BLOCKED)
        fprintf(out, " %s (line %d)", th->op[run->pc].text, (int)th->op[run->pc].line);
    for (int i = 0; i < th->n_reg; i++) {
        int64_t value;

        if (ordo_ptx_value(&w->s, run->reg[i], &value))
            fprintf(out, ", %s = %" PRId64, th->reg[i], value);
    }
    fputc('\n', out);
}

static void say_edges(const char *name, const struct ordo_rel *r, int n, FILE *out)
{
    for (int i = 0; i < n; i++)
        for (uint64_t set = r->row[i]; set;)
            fprintf(out, "  %-13s e%d -> e%d\n", name, i, ordo_take(&set));
}

/* Arrivals before waits of other threads: what barriers add to the order. */
static struct ordo_rel barrier_edges(const struct ordo_ptx_witness *w)
{
    struct ordo_rel r = w->meets;

    for (int i = 0; i < w->s.n; i++)
        if (w->s.event[i].kind == ORDO_PTX_ARRIVE)
            r.row[i] |= w->k.base.row[i] & ~w->s.base.row[i];
    return r;
}

/* Only the edges of a transitive relation that do not follow from two others. */
static struct ordo_rel reduce(const struct ordo_rel *r, int n)
{
    struct ordo_rel twice, out = *r;

    ordo_rel_compose(n, r, r, &twice);
    for (int i = 0; i < n; i++)
        out.row[i] &= ~twice.row[i];
    return out;
}

void ordo_ptx_edges(const struct ordo_ptx_witness *w,
                    void (*each)(void *to, const char *name, const struct ordo_rel *r), void *to)
{
    struct ordo_rel co = reduce(&w->d.co, w->s.n), bar = barrier_edges(w);

    each(to, "reads-from", &w->d.rf);
    each(to, "coherence", &co);
    each(to, "synchronises", &w->d.sync);
    each(to, "barrier", &bar);
    each(to, "fence-sc", &w->fences);
}

/* Where an execution and its edges are written. */
struct page {
    int n;
    FILE *out;
};

static void each_edge(void *to, const char *name, const struct ordo_rel *r)
{
    const struct page *page = to;

    say_edges(name, r, page->n, page->out);
}

void ordo_ptx_explain(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out)
{
    struct page page = {w->s.n, out};
    int a, b;

    if (w->without)
        fprintf(out, "forbidden: without the axiom %s this execution would be allowed\n",
                ordo_ptx_axiom_name[w->without]);
    for (int i = 0; i < w->s.n; i++)
        if (w->s.event[i].thread < 0)
            fprintf(out, "  e%-3d %s = %" PRId64 " initially\n", i, place(p, &w->s.event[i]),
                    ordo_ptx_event_value(w, i));
    for (int t = 0; t < p->n_thread; t++)
        say_thread(p, w, t, out);
    fprintf(out, "edges beside program order\n");
    ordo_ptx_edges(w, each_edge, &page);
    if (ordo_ptx_races(&w->k, &w->d, &a, &b))
        fprintf(out, "  %-13s e%d and e%d: neither precedes the other in causality\n", "data race", a, b);
}

void ordo_ptx_explain_circle(const struct ordo_ptx_program *p, const struct ordo_ptx_circle *c, FILE *out)
{
    for (int t = 0; t < p->n_thread; t++) {
        const struct ordo_ptx_thread *th = &p->thread[t];
        uint64_t set = c->repeats[t];

        fprintf(out, "P%d %s\n", t,
                c->no_end[t]      ? "has no path to its end"
                : c->round[t]     ? "goes round without an access whose value matters"
                : set             ? "repeats for ever, one access at a time with the others"
                : c->any_no_end   ? "is not followed"
                                  : "ends");
        while (set) {
            const struct ordo_ptx_op *op = &th->op[ordo_take(&set)];

            fprintf(out, "  %-44s line %d\n", op->text, (int)op->line);
        }
    }
}
