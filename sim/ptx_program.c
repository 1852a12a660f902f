/* ptx_program.c - the small facts about programs: who includes whom, and what instructions compute. */
#include "sim/ptx_program.h"

bool ordo_ptx_includes(const struct ordo_ptx_program *p, enum ordo_ptx_scope scope, int thread, int other)
{
    const struct ordo_ptx_thread *a = &p->thread[thread], *b = &p->thread[other];

    if (scope == ORDO_PTX_SYS)
        return true;
    if (a->gpu != b->gpu)
        return false;
    if (scope == ORDO_PTX_GPU)
        return true;
    if (a->cluster != b->cluster)
        return false;
    return scope == ORDO_PTX_CLUSTER || a->cta == b->cta;
}

uint16_t ordo_ptx_served(const struct ordo_ptx_program *p, enum ordo_ptx_space space)
{
    uint16_t set = 0;

    if (space == ORDO_PTX_ANYWHERE)
        return UINT16_MAX;
    for (int i = 0; i < p->n_loc; i++)
        if (p->loc[i].shared == (space != ORDO_PTX_GLOBAL))
            set |= (uint16_t)(1u << p->loc[i].place);
    return set;
}

/* In unsigned arithmetic, where overflow has a meaning. */
int64_t ordo_ptx_compute(enum ordo_ptx_alu alu, int64_t a, int64_t b, int64_t c)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (alu) {
    case ORDO_PTX_MOV:
        return b;
    case ORDO_PTX_ADD:
        return (int64_t)(x + y);
    case ORDO_PTX_SUB:
        return (int64_t)(x - y);
    case ORDO_PTX_MUL:
        return (int64_t)(x * y);
    case ORDO_PTX_DIV: /* towards 0 */
        return y == UINT64_MAX ? (int64_t)(0 - x) : a / b;
    case ORDO_PTX_REM:
        return y == UINT64_MAX ? 0 : a % b;
    case ORDO_PTX_AND:
        return (int64_t)(x & y);
    case ORDO_PTX_OR:
        return (int64_t)(x | y);
    case ORDO_PTX_XOR:
        return (int64_t)(x ^ y);
    case ORDO_PTX_SHL:
        return y > 63 ? 0 : (int64_t)(x << y);
    case ORDO_PTX_SHR:
        return y > 63 ? 0 : (int64_t)(x >> y);
    case ORDO_PTX_MIN:
        return a < b ? a : b;
    case ORDO_PTX_MAX:
        return a > b ? a : b;
    case ORDO_PTX_INC:
        return x >= y ? 0 : (int64_t)(x + 1);
    case ORDO_PTX_DEC:
        return x == 0 || x > y ? b : (int64_t)(x - 1);
    case ORDO_PTX_POPC:
        return b != 0;
    case ORDO_PTX_CAS:
        return a == b ? c : a;
    }
    return 0;
}
