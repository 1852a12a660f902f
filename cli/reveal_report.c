/* reveal_report.c - what `ordo reveal` says: the sum, the probes, both trees' digests, and where they part. */
#include "cli/out.h"
#include "cli/report.h"
#include "cli/reveal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 6 }; /* nodes of a sum that are named */

static const char *const verdict_name[] = {"equal", "differs", "term lost", "terms lost", "no tree"};

/* Index into verdict_name. */
static int verdict_of(const struct ordo_reveal_work *w)
{
    switch (w->reveal.verdict) {
    case ORDO_REVEAL_TREE:
        return w->parting.equal ? 0 : 1;
    case ORDO_REVEAL_TERM:
        return 2;
    case ORDO_REVEAL_UNITS:
        return 3;
    default:
        return 4;
    }
}

/* --- where they part -------------------------------------------------------------------------------------------- */

/* A term by its name, a sum by its size and its lowest term. */
static void print_node(const struct ordo_reveal_work *w, int tree, uint32_t node, FILE *out)
{
    const struct ordo_sumtree_view *v = &w->view[tree];
    char name[ORDO_TERM_NAME];

    ordo_sum_name(&w->sum, v->first[node], name);
    if (v->size[node] == 1)
        fputs(name, out);
    else
        fprintf(out, "(%" PRIu32 " terms from %s)", v->size[node], name);
}

/* What a sum takes up beside the node that both trees have. */
static void print_others(const struct ordo_reveal_work *w, int tree, FILE *out)
{
    const struct ordo_sumtree *t = w->view[tree].tree;
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_node; i++) {
        if (t->parent[i] != w->parting.sum[tree] || i == w->parting.common[tree])
            continue;
        if (n < SHOWN) {
            fputs(n ? " + " : "", out);
            print_node(w, tree, i, out);
        }
        n++;
    }
    if (n > SHOWN)
        fprintf(out, " and %" PRIu32 " more", n - SHOWN);
}

static char *text_of(const struct ordo_reveal_work *w, int tree, bool common)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = ordo_need(open_memstream(&text, &n));

    if (common)
        print_node(w, tree, w->parting.common[tree], out);
    else
        print_others(w, tree, out);
    (void)fclose(out);
    return ordo_need(text);
}

static void say_parting(const struct ordo_reveal_work *w)
{
    static const char *const tree_name[2] = {"planned", "revealed"};
    char *common = text_of(w, 0, true);

    printf("parts    where %s goes next\n", common);
    for (int i = 0; i < 2; i++) {
        char *others = text_of(w, i, false);

        printf("         %-8s into a sum of %" PRIu32 " terms, with %s\n", tree_name[i],
               w->view[i].size[w->parting.sum[i]], others);
        free(others);
    }
    free(common);
}

static void say_contradiction(const struct ordo_reveal_work *w)
{
    const struct ordo_reveal *r = &w->reveal;
    char a[ORDO_TERM_NAME], b[ORDO_TERM_NAME];

    ordo_sum_name(&w->sum, r->term[0], a);
    ordo_sum_name(&w->sum, r->term[1], b);
    if (r->verdict == ORDO_REVEAL_TERM)
        printf("parts    a unit on %s alone comes back as %g\n", a, (double)r->got);
    else if (r->verdict == ORDO_REVEAL_UNITS)
        printf("parts    %g units on the terms from %s to %s come back as %g\n", (double)r->want, a, b,
               (double)r->got);
    else if (r->want < 0)
        printf("parts    with masks on %s and %s comes back %g, which is no count\n", a, b, (double)r->got);
    else
        printf("parts    with masks on %s and %s the count is %g, but %g by what the others say: no one tree\n", a, b,
               (double)r->got, (double)r->want);
}

/* --- all -------------------------------------------------------------------------------------------------------- */

static void say_sum(const struct ordo_reveal_work *w)
{
    const struct ordo_sum_request *q = &w->sum.request;

    printf("sum      %s", ordo_sum_kind_name[q->kind]);
    if (q->kind == ORDO_SUM_DKV || q->kind == ORDO_SUM_DKV_TAIL)
        printf(" of row %" PRId32 ": %" PRIu32 " CTAs", w->sum.row.row, w->sum.row.n_add);
    else if (q->kind == ORDO_SUM_DQ)
        printf(" of query %" PRId32 ", head %" PRId32, q->query, q->head);
    else if (q->kind != ORDO_SUM_DSINK)
        printf(" of query %" PRId32, q->query);
    if (q->head == ORDO_ALL_HEADS)
        printf(", all heads taken to add alike");
    else if (q->kind >= ORDO_SUM_DSINK)
        printf(", head %" PRId32, q->head);
    printf(", %" PRIu32 " terms\n", w->sum.n_term);
}

static void say(const struct ordo_reveal_work *w)
{
    const struct ordo_reveal *r = &w->reveal;
    const char *command = ordo_opt_string(w->args, "exec");
    char hex[ORDO_DIGEST_HEX];

    ordo_report_plan(&w->plan);
    say_sum(w);
    printf("box      %s\n", command ? command : "the attention twin");
    printf("probes   %" PRIu64 " pairs (%" PRIu64 " of them drawn, to check) in %" PRIu64 " vectors, %" PRIu64
           " runs, %.2f s\n", r->pairs, r->checks, r->vectors, r->runs, w->seconds);
    printf("planned  %s\n", ordo_digest_hex(&w->digest[0], hex));
    if (r->verdict == ORDO_REVEAL_TREE)
        printf("revealed %s\n", ordo_digest_hex(&w->digest[1], hex));
    if (r->verdict != ORDO_REVEAL_TREE)
        say_contradiction(w);
    else if (!w->parting.equal)
        say_parting(w);
    printf("verdict  %s\n", verdict_name[verdict_of(w)]);
}

static json_t *side_json(const struct ordo_reveal_work *w, int tree)
{
    json_t *o = ordo_need(json_object());
    char *others = text_of(w, tree, false);

    ordo_json_int(o, "terms", w->view[tree].size[w->parting.sum[tree]]);
    ordo_json_text(o, "with", others);
    free(others);
    return o;
}

static void parting_json(const struct ordo_reveal_work *w, json_t *to)
{
    const struct ordo_reveal *r = &w->reveal;
    json_t *o = ordo_need(json_object());
    char name[ORDO_TERM_NAME];

    if (r->verdict != ORDO_REVEAL_TREE) {
        ordo_json_text(o, "term", ordo_sum_name(&w->sum, r->term[0], name));
        ordo_json_text(o, "other", ordo_sum_name(&w->sum, r->term[1], name));
        ordo_json_real(o, "got", (double)r->got);
        ordo_json_real(o, "want", (double)r->want);
    } else {
        char *common = text_of(w, 0, true);

        ordo_json_text(o, "where", common);
        ordo_json_set(o, "planned", side_json(w, 0));
        ordo_json_set(o, "revealed", side_json(w, 1));
        free(common);
    }
    ordo_json_set(to, "parts", o);
}

static void say_json(const struct ordo_reveal_work *w)
{
    const struct ordo_reveal *r = &w->reveal;
    const struct ordo_sum_request *q = &w->sum.request;
    json_t *o = ordo_json_new("ordo.reveal/1");

    ordo_json_text(o, "file", w->args->operand[0]);
    ordo_json_digest(o, "plan_digest", &w->plan.digest);
    ordo_json_text(o, "sum", ordo_sum_kind_name[q->kind]);
    ordo_json_int(o, "row", w->sum.row.add ? w->sum.row.row : -1);
    ordo_json_int(o, "query", q->query);
    ordo_json_int(o, "head", q->head);
    ordo_json_text(o, "exec", ordo_opt_string(w->args, "exec"));
    ordo_json_int(o, "terms", w->sum.n_term);
    ordo_json_u64(o, "pairs", r->pairs);
    ordo_json_u64(o, "checks", r->checks);
    ordo_json_u64(o, "vectors", r->vectors);
    ordo_json_u64(o, "runs", r->runs);
    ordo_json_real(o, "seconds", w->seconds);
    ordo_json_digest(o, "planned", &w->digest[0]);
    if (r->verdict == ORDO_REVEAL_TREE)
        ordo_json_digest(o, "revealed", &w->digest[1]);
    if (verdict_of(w))
        parting_json(w, o);
    ordo_json_text(o, "verdict", verdict_name[verdict_of(w)]);
    ordo_out_json(o);
}

int ordo_reveal_say(const struct ordo_reveal_work *w)
{
    (w->args->json ? say_json : say)(w);
    return verdict_of(w) ? ORDO_FINDING : ORDO_OK;
}
