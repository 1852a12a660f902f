/* e2_picture.c - a schedule as SVG: a column for each thread that moves, time downwards; red what goes wrong. */
#include "sim/e2_step.h"
#include "sim/e2_trail.h"

#include <string.h>

enum { COLUMN = 400, ROW = 34, LEFT = 20, TOP = 60, BOX = 380, HEIGHT = 26 };

static void text(FILE *out, const char *s)
{
    for (; *s; s++)
        if (*s == '<')
            fputs("&lt;", out);
        else if (*s == '>')
            fputs("&gt;", out);
        else if (*s == '&')
            fputs("&amp;", out);
        else
            fputc(*s, out);
}

/* Columns: threads that move in the trail, then those that do not but are blocked at its end. */
static int32_t columns(const struct ordo_e2 *e2, const struct ordo_e2_trail *t, int32_t column[ORDO_E2_MAX_THREADS])
{
    int32_t n = 0;

    memset(column, 0xFF, ORDO_E2_MAX_THREADS * sizeof *column);
    for (int32_t i = 0; i < e2->p->n_thread; i++)
        for (uint32_t j = 0; j < t->n; j++)
            if (t->event[j].thread == i && column[i] < 0)
                column[i] = n++;
    return n;
}

static void box(FILE *out, int x, int y, const char *colour, const char *what, const char *where)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#fff\" stroke=\"%s\"/>\n", x, y,
            BOX, HEIGHT, colour);
    fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">", x + 8, y + 17, colour);
    text(out, what);
    fprintf(out, "<title>");
    text(out, where);
    fprintf(out, "</title></text>\n");
}

static void draw_event(const struct ordo_e2 *e2, const struct ordo_e2_trail *t, uint32_t i, const int32_t *column,
                       FILE *out)
{
    const struct ordo_e2_event *e = &t->event[i];
    bool harm = i + 1 == t->n && (t->bad == ORDO_E2_RACE || t->bad == ORDO_E2_ORDER);
    char what[128], where[64];

    if (e->thread < 0) {
        char who[64];

        ordo_e2_who(e2, e, who, sizeof who);
        fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#666\">%s</text>\n", LEFT, TOP + (int)i * ROW + 17, who);
        return;
    }
    ordo_e2_spell(&e2->p->thread[e->thread].op[e->op], what, sizeof what);
    ordo_e2_source(&e2->p->thread[e->thread].op[e->op].record, where, sizeof where);
    box(out, LEFT + column[e->thread] * COLUMN, TOP + (int)i * ROW, harm ? "#c0392b" : "#444", what, where);
}

/* The missing edge. */
static void draw_edge(const struct ordo_e2_trail *t, const int32_t *column, FILE *out)
{
    int x1 = LEFT + column[t->event[t->from].thread] * COLUMN + BOX / 2, y1 = TOP + (int)t->from * ROW + HEIGHT;
    int x2 = LEFT + column[t->event[t->to].thread] * COLUMN + BOX / 2, y2 = TOP + (int)t->to * ROW;

    fprintf(out,
            "<path d=\"M%d %dQ%d %d %d %d\" fill=\"none\" stroke=\"#c0392b\" stroke-width=\"1.5\" "
            "stroke-dasharray=\"5 4\" marker-end=\"url(#tip)\"><title>missing</title></path>\n",
            x1, y1, (x1 + x2) / 2 + (x1 == x2 ? 60 : 0), (y1 + y2) / 2, x2, y2);
}

void ordo_e2_picture(const struct ordo_e2 *e2, const struct ordo_e2_trail *t, FILE *out)
{
    int32_t column[ORDO_E2_MAX_THREADS], n = columns(e2, t, column);
    int width = LEFT * 2 + (n > 3 ? n : 3) * COLUMN, rows = TOP + (int)t->n * ROW;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"monospace\" "
            "font-size=\"11\">\n",
            width, rows + 30 + 18 * (int)t->n_reason);
    fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    fprintf(out, "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
                 "orient=\"auto\"><path d=\"M0 0L7 3L0 6z\" fill=\"#c0392b\"/></marker></defs>\n");
    for (int32_t i = 0; i < e2->p->n_thread; i++)
        if (column[i] >= 0)
            fprintf(out, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">CTA %d %s, rank %d, cluster %d</text>\n",
                    LEFT + column[i] * COLUMN, (int)e2->p->thread[i].cta, e2->p->thread[i].role,
                    (int)e2->p->thread[i].rank, (int)e2->p->thread[i].cluster);
    for (int32_t c = 0; c < n; c++)
        fprintf(out, "<path d=\"M%d %dV%d\" stroke=\"#ddd\"/>\n", LEFT + c * COLUMN + BOX / 2, TOP - 25, rows);
    for (uint32_t i = 0; i < t->n; i++)
        draw_event(e2, t, i, column, out);
    if (t->from >= 0)
        draw_edge(t, column, out);
    for (int32_t i = 0; i < t->n_reason; i++) {
        fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#c0392b\">", LEFT, rows + 24 + 18 * (int)i);
        text(out, t->reason[i]);
        fprintf(out, "</text>\n");
    }
    fprintf(out, "</svg>\n");
}
