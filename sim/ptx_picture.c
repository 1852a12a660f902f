/* ptx_picture.c - an execution as SVG: a column for each thread, time downwards in program order, edges by colour. */
#include "sim/ptx_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 40, ROW = 46, LEFT = 44, TOP = 60, HEIGHT = 26, CHARACTER = 8 };

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

/* The way of an edge around all boxes: within a column straight down or up one row, else by the gap on the left; to
 * the next column straight; further, along the gap above the row of b.  shift tells edges apart. */
static void way(const struct layout *l, int a, int b, int shift)
{
    bool right = l->column[a] < l->column[b], down = l->row[a] < l->row[b];
    int x1 = x_of(l, a) + (right ? l->box : 0), x2 = x_of(l, b) + (right ? 0 : l->box);
    int y1 = y_of(l, a) + HEIGHT / 2 + shift, y2 = y_of(l, b) + HEIGHT / 2 + shift, out = right ? GAP / 2 : -GAP / 2;
    int columns = abs(l->column[a] - l->column[b]), rows = abs(l->row[a] - l->row[b]);

    if (columns == 0 && rows == 1) {
        x1 = x_of(l, a) + l->box / 2 + 4 * shift;
        fprintf(l->out, "M%d %dL%d %d", x1, y_of(l, a) + (down ? HEIGHT : 0), x1, y_of(l, b) + (down ? 0 : HEIGHT));
    } else if (columns == 0) {
        fprintf(l->out, "M%d %dC%d %d %d %d %d %d", x1, y1, x1 - GAP + 3 * shift, y1, x1 - GAP + 3 * shift, y2,
                x1, y2);
    } else if (columns == 1) {
        fprintf(l->out, "M%d %dL%d %d", x1, y1, x2, y2);
    } else {
        fprintf(l->out, "M%d %dL%d %dH%dL%d %d", x1, y1, x1 + out + shift, y_of(l, b) - (ROW - HEIGHT) / 2 + shift,
                x2 - out, x2, y2);
    }
}

static void edge(const struct layout *l, const char *name, int a, int b, int shift)
{
    fprintf(l->out, "<path d=\"");
    way(l, a, b, shift);
    fprintf(l->out, "\" stroke=\"%s\" marker-end=\"url(#tip)\"><title>%s e%d to e%d</title></path>\n", colour(name),
            name, a, b);
}

static void each_edge(void *to, const char *name, const struct ordo_rel *r)
{
    struct layout *l = to;

    fprintf(l->out, "<g fill=\"none\" stroke-width=\"1.5\">\n");
    for (int i = 0; i < l->n; i++)
        for (uint64_t set = r->row[i]; set;)
            edge(l, name, i, ordo_take(&set), 2 * (l->edges++ % 5) - 4);
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

enum frame { ONCE, FOR_EVER, WAITS };

/* A box and its text, above all edges. */
static void box(const struct layout *l, int x, int y, const char *label, enum frame frame)
{
    static const char *const style[] = {"", " stroke=\"#c0392b\" stroke-width=\"3\"",
                                        " stroke=\"#c0392b\" stroke-dasharray=\"4 3\""};

    fprintf(l->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"%s/>\n", x, y, l->box, HEIGHT,
            style[frame]);
    fprintf(l->out, "<text x=\"%d\" y=\"%d\" fill=\"#000\" stroke=\"none\">", x + 8, y + 17);
    text(l->out, label);
    fprintf(l->out, "</text>\n");
}

/* Whether event i is of the iteration that its thread repeats, or the arrival from which it never comes back. */
static enum frame frame_of(const struct ordo_ptx_witness *w, int i)
{
    const struct ordo_ptx_event *e = &w->s.event[i];
    const struct ordo_ptx_run *run = e->thread < 0 ? NULL : &w->s.run[e->thread];

    if (!run || run->end < ORDO_PTX_BLOCKED)
        return ONCE;
    if (run->end == ORDO_PTX_SPINS)
        return (run->spin >> i) & 1 ? FOR_EVER : ONCE;
    return e->kind == ORDO_PTX_ARRIVE && e->op == run->pc ? WAITS : ONCE;
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

/* The head of a picture of so many rows, with a line of words; the last group of it is open for boxes. */
static void begin(const struct ordo_ptx_program *p, const struct layout *l, int rows, const char *before,
                  const char *words)
{
    int width = LEFT + p->n_thread * (l->box + GAP);
    int least = 2 * LEFT + (int)(strlen(before) + strlen(words)) * CHARACTER;
    char head[LABEL];

    fprintf(l->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"monospace\" font-size=\"12\">\n", width < least ? least : width, TOP + rows * ROW + 20);
    fprintf(l->out, "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
            "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\"/></marker></defs>\n<g>\n");
    for (int t = 0; t < p->n_thread; t++) {
        (void)heading(p, t, head);
        fprintf(l->out, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n", LEFT + t * (l->box + GAP), head);
    }
    fprintf(l->out, "<text x=\"%d\" y=\"42\">%s%s</text>\n</g>\n", LEFT, before, words);
}

static const char boxes[] = "<g fill=\"#fff\" stroke=\"#444\">\n";
static const char repeats[] = "; thick: repeats for ever, dashed: waits for ever";

void ordo_ptx_picture(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out)
{
    struct layout l = {.out = out, .n = w->s.n, .box = widest(p, w)};
    int rows = lay_out(p, w, &l);
    char before[LABEL] = "", words[sizeof legend + sizeof repeats], what[LABEL];
    bool ends = true;

    for (int t = 0; t < p->n_thread; t++)
        ends &= w->s.run[t].end < ORDO_PTX_BLOCKED;
    if (w->without)
        (void)snprintf(before, sizeof before, "forbidden by %s; ", ordo_ptx_axiom_name[w->without]);
    (void)snprintf(words, sizeof words, "%s%s", legend, ends ? "" : repeats);
    begin(p, &l, rows, before, words);
    ordo_ptx_edges(w, each_edge, &l);
    fputs(boxes, out);
    for (int i = 0; i < w->s.n; i++) {
        (void)label(p, w, i, what);
        box(&l, x_of(&l, i), y_of(&l, i), what, frame_of(w, i));
    }
    fprintf(out, "</g>\n</svg>\n");
}

/* No single execution: each thread's instructions, those that it repeats marked. */
void ordo_ptx_picture_circle(const struct ordo_ptx_program *p, const struct ordo_ptx_circle *c, FILE *out)
{
    struct layout l = {.out = out};
    int rows = 0, most = 0;
    char head[LABEL];

    for (int t = 0; t < p->n_thread; t++) {
        int n = heading(p, t, head);

        most = n > most ? n : most;
        rows = p->thread[t].n_op > rows ? p->thread[t].n_op : rows;
    }
    l.box = 16 + (most > ORDO_PTX_NAME ? most : ORDO_PTX_NAME) * CHARACTER;
    begin(p, &l, rows, "", "a fair execution never ends; thick: what the threads repeat, in turns");
    fputs(boxes, out);
    for (int t = 0; t < p->n_thread; t++)
        for (int i = 0; i < p->thread[t].n_op; i++)
            box(&l, LEFT + t * (l.box + GAP), TOP + i * ROW, p->thread[t].op[i].text,
                c->no_end[t] || c->round[t] || (c->repeats[t] >> i) & 1 ? FOR_EVER : ONCE);
    fprintf(out, "</g>\n</svg>\n");
}
