/* ptx_picture.c - an execution as SVG: a column for each thread, time downwards in program order, edges by colour. */
#include "sim/ptx_impl.h"

#include <inttypes.h>

enum { GAP = 40, ROW = 46, LEFT = 20, TOP = 60, HEIGHT = 26, CHARACTER = 8 };

static const char legend[] = "red reads-from, brown coherence, green synchronises, blue barrier, violet fence-sc";

enum { LABEL = 160 };

/* Where each event stands. */
struct layout {
    FILE *out;
    int n, row[ORDO_PTX_EVENTS], column[ORDO_PTX_EVENTS];
    int edges, box; /* box: width of an event */
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
    return LEFT + l->column[i] * (l->box + GAP);
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
    int x1 = x_of(l, a) + l->box / 2, y1 = y_of(l, a) + HEIGHT, x2 = x_of(l, b) + l->box / 2, y2 = y_of(l, b);

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

/* What stands in the box of event i; its length. */
static int label(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, int i, char out[LABEL])
{
    const struct ordo_ptx_event *e = &w->s.event[i];
    bool memory = e->kind == ORDO_PTX_READ || e->kind == ORDO_PTX_WRITE;
    const char *op = e->thread < 0 ? "initial" : p->thread[e->thread].op[e->op].text;

    if (memory)
        return snprintf(out, LABEL, "e%d %s  %s %s=%" PRId64, i, op, e->kind == ORDO_PTX_READ ? "R" : "W",
                        p->loc[e->place].name, ordo_ptx_event_value(w, i));
    return snprintf(out, LABEL, "e%d %s", i, op);
}

static int heading(const struct ordo_ptx_program *p, int t, char out[LABEL])
{
    return snprintf(out, LABEL, "P%d cta %d cluster %d gpu %d", t, (int)p->thread[t].cta, (int)p->thread[t].cluster,
                    (int)p->thread[t].gpu);
}

/* Boxes are as wide as the longest text. */
static int widest(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w)
{
    char out[LABEL];
    int most = 0;

    for (int i = 0; i < w->s.n; i++) {
        int n = label(p, w, i, out);

        most = n > most ? n : most;
    }
    for (int t = 0; t < p->n_thread; t++) {
        int n = heading(p, t, out);

        most = n > most ? n : most;
    }
    return 16 + most * CHARACTER;
}

static void say(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, const struct layout *l, int i)
{
    char out[LABEL];

    (void)label(p, w, i, out);
    fprintf(l->out, "<text x=\"%d\" y=\"%d\">", x_of(l, i) + 8, y_of(l, i) + 17);
    text(l->out, out);
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
    struct layout l = {.out = out, .n = w->s.n, .box = widest(p, w)};
    int rows = lay_out(p, w, &l), width = LEFT + p->n_thread * (l.box + GAP);
    int shortest = 2 * LEFT + ((int)sizeof legend + 40) * CHARACTER; /* with the words before it */
    char head[LABEL];

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" "
            "font-size=\"12\">\n", width < shortest ? shortest : width, TOP + rows * ROW + 20);
    fprintf(out, "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
            "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\"/></marker></defs>\n<g>\n");
    for (int t = 0; t < p->n_thread; t++) {
        (void)heading(p, t, head);
        fprintf(out, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n", LEFT + t * (l.box + GAP), head);
    }
    fprintf(out, "<text x=\"%d\" y=\"42\">", LEFT);
    if (w->without)
        fprintf(out, "forbidden by %s; ", ordo_ptx_axiom_name[w->without]);
    fprintf(out, "%s</text>\n</g>\n<g fill=\"#fff\" stroke=\"#444\">\n", legend);
    for (int i = 0; i < w->s.n; i++)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n", x_of(&l, i), y_of(&l, i), l.box,
                HEIGHT);
    fprintf(out, "</g>\n<g>\n");
    for (int i = 0; i < w->s.n; i++)
        say(p, w, &l, i);
    fprintf(out, "</g>\n");
    ordo_ptx_edges(w, each_edge, &l);
    fprintf(out, "</svg>\n");
}
