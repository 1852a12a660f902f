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
