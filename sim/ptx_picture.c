/* ptx_picture.c - an execution as SVG: a column for each thread, time downwards in program order, edges by colour. */
#include "sim/ptx_impl.h"

#include <inttypes.h>

enum { COLUMN = 330, ROW = 46, LEFT = 20, TOP = 60, BOX = 290, HEIGHT = 26 };

/* Where each event stands. */
struct layout {
    FILE *out;
    int n, row[ORDO_PTX_EVENTS], column[ORDO_PTX_EVENTS];
    int edges;
};

static void text(FILE *out, const char *s)
{
    for (; *s; s++)
        switch (*s) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*s, out);
        }
}

static int x_of(const struct layout *l, int i)
{
    return LEFT + l->column[i] * COLUMN;
}

static int y_of(const struct layout *l, int i)
{
    return TOP + l->row[i] * ROW;
}

static const char *colour(const char *name)
{
    static const struct {
        char first;
        const char *colour;
    } of[] = {{'r', "#c0392b"}, {'c', "#8e6d1f"}, {'s', "#1f6f43"}, {'b', "#1f4f8f"}, {'f', "#6b2f8f"}};

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        if (of[i].first == name[0])
            return of[i].colour;
    return "#000";
}

static void edge(const struct layout *l, const char *name, int a, int b, int bend)
{
    int x1 = x_of(l, a) + BOX / 2, y1 = y_of(l, a) + HEIGHT, x2 = x_of(l, b) + BOX / 2, y2 = y_of(l, b);

    if (l->row[b] < l->row[a]) {
        y1 = y_of(l, a);
        y2 = y_of(l, b) + HEIGHT;
    }
    fprintf(l->out, "<path d=\"M%d %dQ%d %d %d %d\" stroke=\"%s\" marker-end=\"url(#tip)\">", x1, y1,
            (x1 + x2) / 2 + bend, (y1 + y2) / 2, x2, y2, colour(name));
    fprintf(l->out, "<title>%s e%d to e%d</title></path>\n", name, a, b);
}

static void each_edge(void *to, const char *name, const struct ordo_rel *r)
{
    struct layout *l = to;

    fprintf(l->out, "<g fill=\"none\" stroke-width=\"1.5\">\n");
    for (int i = 0; i < l->n; i++)
        for (uint64_t set = r->row[i]; set;)
            edge(l, name, i, ordo_take(&set), 12 * (l->edges++ % 5) - 24);
    fprintf(l->out, "</g>\n");
}

static void say(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, const struct layout *l, int i)
{
    const struct ordo_ptx_event *e = &w->s.event[i];
    bool memory = e->kind == ORDO_PTX_READ || e->kind == ORDO_PTX_WRITE;

    fprintf(l->out, "<text x=\"%d\" y=\"%d\">e%d ", x_of(l, i) + 8, y_of(l, i) + 17, i);
    text(l->out, e->thread < 0 ? "initial" : p->thread[e->thread].op[e->op].text);
    if (memory) {
        fprintf(l->out, "  %s ", e->kind == ORDO_PTX_READ ? "R" : "W");
        text(l->out, p->loc[e->place].name);
        fprintf(l->out, "=%" PRId64, ordo_ptx_event_value(w, i));
    }
    fprintf(l->out, "</text>\n");
}

static int lay_out(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, struct layout *l)
{
    int next[ORDO_PTX_THREADS + 1] = {0}, start = 0, most = 0;

    for (int i = 0; i < w->s.n; i++) {
        int t = w->s.event[i].thread;

        if (t < 0) {
            l->column[i] = start++ % p->n_thread;
            l->row[i] = (start - 1) / p->n_thread;
        }
    }
    for (int t = 0; t < p->n_thread; t++)
        next[t] = (start + p->n_thread - 1) / p->n_thread;
    for (int i = 0; i < w->s.n; i++) {
        int t = w->s.event[i].thread;

        if (t >= 0) {
            l->column[i] = t;
            l->row[i] = next[t]++;
        }
        most = l->row[i] > most ? l->row[i] : most;
    }
    return most + 1;
}

void ordo_ptx_picture(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out)
{
    struct layout l = {.out = out, .n = w->s.n};
    int rows = lay_out(p, w, &l);

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" "
            "font-size=\"12\">\n", LEFT + p->n_thread * COLUMN, TOP + rows * ROW + 20);
    fprintf(out, "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
            "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\"/></marker></defs>\n<g>\n");
    for (int t = 0; t < p->n_thread; t++)
        fprintf(out, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">P%d cta %d cluster %d gpu %d</text>\n",
                LEFT + t * COLUMN, t, (int)p->thread[t].cta, (int)p->thread[t].cluster, (int)p->thread[t].gpu);
    fprintf(out, "<text x=\"%d\" y=\"42\">", LEFT);
    if (w->without)
        fprintf(out, "forbidden by %s; ", ordo_ptx_axiom_name[w->without]);
    fprintf(out, "red reads-from, brown coherence, green synchronises, blue barrier, violet fence-sc</text>\n"
            "</g>\n<g fill=\"#fff\" stroke=\"#444\">\n");
    for (int i = 0; i < w->s.n; i++)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", x_of(&l, i), y_of(&l, i), BOX,
                HEIGHT);
    fprintf(out, "</g>\n<g>\n");
    for (int i = 0; i < w->s.n; i++)
        say(p, w, &l, i);
    fprintf(out, "</g>\n");
    ordo_ptx_edges(w, each_edge, &l);
    fprintf(out, "</svg>\n");
}
