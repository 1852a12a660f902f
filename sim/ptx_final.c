/* ptx_final.c - see ptx_final.h. */
#include "sim/ptx_final.h"

bool ordo_ptx_compare(enum ordo_ptx_compare how, int64_t a, int64_t b)
{
    switch (how) {
    case ORDO_PTX_EQ:
        return a == b;
    case ORDO_PTX_NE:
        return a != b;
    case ORDO_PTX_LT:
        return a < b;
    case ORDO_PTX_LE:
        return a <= b;
    case ORDO_PTX_GT:
        return a > b;
    case ORDO_PTX_GE:
        return a >= b;
    }
    return false;
}

bool ordo_ptx_final_eval(const struct ordo_ptx_final *f, const int64_t (*reg)[16], const int64_t *loc)
{
    int64_t v[ORDO_PTX_TERMS];

    for (int i = 0; i < f->n; i++) {
        const struct ordo_ptx_term *t = &f->term[i];

        switch (t->kind) {
        case ORDO_PTX_TERM_NUMBER:
            v[i] = t->number;
            break;
        case ORDO_PTX_TERM_REG:
            v[i] = reg[t->thread][t->reg];
            break;
        case ORDO_PTX_TERM_LOC:
            v[i] = loc[t->loc];
            break;
        case ORDO_PTX_TERM_COMPARE:
            v[i] = ordo_ptx_compare(t->compare, v[t->left], v[t->right]);
            break;
        case ORDO_PTX_TERM_AND:
            v[i] = v[t->left] && v[t->right];
            break;
        case ORDO_PTX_TERM_OR:
            v[i] = v[t->left] || v[t->right];
            break;
        case ORDO_PTX_TERM_NOT:
            v[i] = !v[t->left];
            break;
        }
    }
    return f->n == 0 || v[f->n - 1];
}

/* A term's value, where it is known. */
struct maybe {
    bool known;
    int64_t v;
};

/* One of two false ones, or two true ones, are enough for "and"; for "or" the other way round. */
static struct maybe join(bool all, struct maybe a, struct maybe b)
{
    struct maybe out = {a.known && b.known, all ? a.v && b.v : a.v || b.v};

    if ((a.known && (a.v != 0) != all) || (b.known && (b.v != 0) != all))
        out = (struct maybe){true, !all};
    return out;
}

bool ordo_ptx_final_may(const struct ordo_ptx_final *f, bool wanted,
                        bool (*known)(const void *from, const struct ordo_ptx_term *t, int64_t *out),
                        const void *from)
{
    struct maybe v[ORDO_PTX_TERMS] = {{false, 0}};

    for (int i = 0; i < f->n; i++) {
        const struct ordo_ptx_term *t = &f->term[i];

        switch (t->kind) {
        case ORDO_PTX_TERM_NUMBER:
            v[i] = (struct maybe){true, t->number};
            break;
        case ORDO_PTX_TERM_REG:
        case ORDO_PTX_TERM_LOC:
            v[i].known = known(from, t, &v[i].v);
            break;
        case ORDO_PTX_TERM_COMPARE:
            v[i].known = v[t->left].known && v[t->right].known;
            v[i].v = ordo_ptx_compare(t->compare, v[t->left].v, v[t->right].v);
            break;
        case ORDO_PTX_TERM_AND:
        case ORDO_PTX_TERM_OR:
            v[i] = join(t->kind == ORDO_PTX_TERM_AND, v[t->left], v[t->right]);
            break;
        case ORDO_PTX_TERM_NOT:
            v[i] = (struct maybe){v[t->left].known, !v[t->left].v};
            break;
        }
    }
    return f->n == 0 ? wanted : !v[f->n - 1].known || (v[f->n - 1].v != 0) == wanted;
}
