/* e4_launch.c - E4: the roles that start and fold the planes of a plan, at its own extents.
 *
 * They depend on no index, so a plane's first and last row and a few between stand for all: only the row changes,
 * and the last has the largest element.  Some number of threads shares a row; the fold is one thread's for each
 * column. */
#include "sim/e4_impl.h"

#include "base/size.h"
#include "protocol/launch.h"
#include "sim/fold.h"

#include <stdlib.h>

enum { THREADS = 96, SPARE = 16, ROWS = 4 }; /* any number of threads */

static const struct ordo_mem plane = {ORDO_SPACE_PLANE};

static bool breaks(struct ordo_e4_finding *f, enum ordo_e4_rule rule, int32_t thread, const struct ordo_tape *tape,
                   uint32_t i)
{
    f->rule = rule;
    f->thread = thread;
    if (tape->n == 0)
        return false;
    i = i < tape->n ? i : tape->n - 1;
    i = i < tape->size ? i : tape->size - 1;
    f->record = (int32_t)i;
    f->file = tape->record[i].file;
    f->line = tape->record[i].line;
    return false;
}

/* Rows of n: the first and some within, last the last. */
static int64_t row_number(int i, int64_t n)
{
    return i + 1 < ROWS ? n * i / (ROWS - 1) : n - 1;
}

/* A plain fp32 access of the plane. */
static bool plain(const struct ordo_record *r, enum ordo_op op)
{
    return r->op == op && ordo_e4_spelt(r) && r->space == ORDO_SPACE_PLANE && r->width == ORDO_WIDTH_f32;
}

/* --- one row's start -------------------------------------------------------------------------------------------- */

struct start {
    const struct ordo_e4_planes *planes;
    bool first; /* by a first writer, not by clear */
    uint8_t *seen;
    struct ordo_tape tape;
};

static bool check_store(const struct start *s, int64_t row, int32_t thread, uint32_t i, struct ordo_e4_finding *f)
{
    const struct ordo_record *r = &s->tape.record[i];
    int64_t column = r->index - row * s->planes->d8;

    if (!plain(r, ORDO_OP_STORE))
        return breaks(f, s->first ? ORDO_E4_FIRST_VALUE : ORDO_E4_STRANGE_OP, thread, &s->tape, i);
    if (column < 0 || column >= s->planes->d8)
        return breaks(f, ORDO_E4_WORD_RANGE, thread, &s->tape, i);
    if (s->first && (r->data != ORDO_DATA_OPAQUE || r->source != (uint32_t)column))
        return breaks(f, ORDO_E4_FIRST_VALUE, thread, &s->tape, i);
    if (!s->first && (r->data != ORDO_DATA_CONSTANT || r->value != 0))
        return breaks(f, ORDO_E4_CLEAR_VALUE, thread, &s->tape, i);
    if (s->seen[column])
        return breaks(f, ORDO_E4_STARTED_TWICE, thread, &s->tape, i);
    s->seen[column] = 1;
    f->pairs++;
    return true;
}

static bool check_row(struct start *s, int64_t row, struct ordo_e4_finding *f)
{
    for (int32_t column = 0; column < s->planes->d8; column++)
        s->seen[column] = 0;
    for (int32_t thread = 0; thread < THREADS; thread++) {
        s->tape.n = 0;
        if (s->first)
            ordo_launch_first(&s->tape, plane, row, (struct ordo_unread){0}, s->planes->d8, thread, THREADS);
        else
            ordo_launch_clear(&s->tape, plane, row, s->planes->d8, thread, THREADS);
        f->records += s->tape.n;
        if (s->tape.n > s->tape.size)
            return breaks(f, ORDO_E4_CUT, thread, &s->tape, 0);
        for (uint32_t i = 0; i < s->tape.n; i++)
            if (!check_store(s, row, thread, i, f))
                return false;
    }
    for (int32_t column = 0; column < s->planes->d8; column++)
        if (!s->seen[column])
            return breaks(f, ORDO_E4_NOT_STARTED, THREADS - 1, &s->tape, UINT32_MAX);
    return true;
}

static void check_start(const struct ordo_e4_planes *planes, bool first, struct ordo_e4_finding *f)
{
    uint32_t size = (uint32_t)planes->d8;
    struct start s = {planes, first, ordo_alloc(size, 1), {ordo_alloc(size, sizeof *s.tape.record), 0, size}};

    /* A clear runs over all planes as one; a first writer has the rows of its own. */
    if (!s.seen || !s.tape.record)
        f->rule = ORDO_E4_NO_MEMORY;
    else
        for (int i = 0; i < ROWS && f->rule == ORDO_E4_NONE; i++)
            (void)check_row(&s, row_number(i, (first ? 1 : planes->n_plane) * planes->rows), f);
    free(s.seen);
    free(s.tape.record);
}

/* --- one element's fold ----------------------------------------------------------------------------------------- */

struct fold {
    const struct ordo_e4_planes *planes;
    int64_t row;
    int32_t column;
    struct ordo_tape tape;
    uint32_t at; /* the next record */
};

static int64_t element(const struct fold *f, uint32_t at_plane)
{
    return ordo_plane_element((int32_t)at_plane, f->planes->rows, f->row, f->planes->d8, f->column);
}

/* The next record loads that plane as term number n of a sum. */
static bool check_term(struct fold *f, uint32_t at_plane, uint32_t n, struct ordo_e4_finding *finding)
{
    const struct ordo_record *r = &f->tape.record[f->at];

    if (f->at >= f->tape.n)
        return breaks(finding, ORDO_E4_FOLD_SHORT, f->column, &f->tape, f->at);
    if (!plain(r, ORDO_OP_LOAD) || r->index != element(f, at_plane) || r->data != ORDO_DATA_SUM || r->source != n)
        return breaks(finding, ORDO_E4_FOLD_TERM, f->column, &f->tape, f->at);
    f->at++;
    finding->pairs++;
    return true;
}

/* The next record stores the sum of n terms, from +0.0, to that plane. */
static bool check_sum(struct fold *f, uint32_t at_plane, uint32_t n, struct ordo_e4_finding *finding)
{
    const struct ordo_record *r = &f->tape.record[f->at];

    if (f->at >= f->tape.n)
        return breaks(finding, ORDO_E4_FOLD_SHORT, f->column, &f->tape, f->at);
    if (!plain(r, ORDO_OP_STORE) || r->index != element(f, at_plane) || r->data != ORDO_DATA_SUM || r->source != n ||
        r->value != 0)
        return breaks(finding, ORDO_E4_FOLD_SUM, f->column, &f->tape, f->at);
    f->at++;
    return true;
}

/* The tree of sim/fold.h: groups ascending, then their sums ascending.  A group's sum is where its first plane was.
 * */
static bool check_tree(struct fold *f, struct ordo_e4_finding *finding)
{
    uint32_t n_plane = (uint32_t)f->planes->n_plane, n_group = ordo_fold_groups(n_plane), first = 0;

    for (uint32_t group = 0; group < n_group; group++) {
        uint32_t end = ordo_fold_group_end(group, n_plane);

        for (uint32_t p = first; p < end; p++)
            if (!check_term(f, p, p - first + 1, finding))
                return false;
        if (!check_sum(f, first, end - first, finding))
            return false;
        first = end;
    }
    for (uint32_t group = 0; group < n_group; group++)
        if (!check_term(f, group ? ordo_fold_group_end(group - 1, n_plane) : 0, group + 1, finding))
            return false;
    if (!check_sum(f, 0, n_group, finding))
        return false;
    return f->at == f->tape.n || breaks(finding, ORDO_E4_FOLD_TERM, f->column, &f->tape, f->at);
}

static bool fold_element(struct fold *f, int64_t row, int32_t column, struct ordo_e4_finding *finding)
{
    f->row = row;
    f->column = column;
    f->tape.n = f->at = 0;
    ordo_launch_fold(&f->tape, plane, row, f->planes->rows, f->planes->n_plane, f->planes->d8, column);
    finding->records += f->tape.n;
    return f->tape.n > f->tape.size ? breaks(finding, ORDO_E4_CUT, column, &f->tape, 0) : check_tree(f, finding);
}

/* Columns a step apart, the last among them. */
static void fold_row(struct fold *f, int64_t row, int32_t step, struct ordo_e4_finding *finding)
{
    for (int32_t column = f->planes->d8 - 1; column >= 0 && finding->rule == ORDO_E4_NONE; column -= step)
        (void)fold_element(f, row, column, finding);
}

static void check_fold(const struct ordo_e4_planes *planes, struct ordo_e4_finding *finding)
{
    uint32_t size = (uint32_t)planes->n_plane * 4 + SPARE; /* each plane loaded twice and stored to once, and more */
    struct fold f = {planes, 0, 0, {ordo_alloc(size, sizeof *f.tape.record), 0, size}, 0};

    if (!f.tape.record)
        finding->rule = ORDO_E4_NO_MEMORY;
    else
        for (int i = 0; i < ROWS && finding->rule == ORDO_E4_NONE; i++)
            fold_row(&f, row_number(i, planes->rows), i + 1 == ROWS ? 1 : planes->d8 / 3 + 1, finding);
    free(f.tape.record);
}

/* --- the claims ------------------------------------------------------------------------------------------------- */

static struct ordo_e4_finding *begin(struct ordo_e4_protocol *p, const char *name)
{
    struct ordo_e4_claim *c = &p->claim[p->n_claim++];

    *c = (struct ordo_e4_claim){.name = name, .n_thread = THREADS};
    c->finding = (struct ordo_e4_finding){.rule = ORDO_E4_NONE, .thread = -1, .rank = -1, .record = -1};
    return &c->finding;
}

static void end(struct ordo_e4_protocol *p)
{
    struct ordo_e4_claim *c = &p->claim[p->n_claim - 1];

    c->verdict = ordo_e4_rule_info[c->finding.rule].verdict;
    if (p->verdict == ORDO_E4_HOLDS)
        p->verdict = c->verdict;
}

void ordo_e4_launch(const struct ordo_e4_planes *planes, struct ordo_e4_protocol *protocol)
{
    check_start(planes, false, begin(protocol, "planes cleared"));
    end(protocol);
    check_start(planes, true, begin(protocol, "planes stored by first writers"));
    end(protocol);
    check_fold(planes, begin(protocol, "planes folded"));
    end(protocol);
}
