/* prove_optimal.c - `ordo prove --dense --optimal`: which schedules of a few tiles are without a stall, which are
 * shortest, and which of them need nobody to be resident at once. */
#include "cli/dense.h"
#include "cli/out.h"
#include "cli/prove_dense.h"
#include "sim/dense_optimal.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_SHOWN = 8, MOST_TILES = 5, BUDGET = 3000000 };

/* The schedule of the table that should be among the stall-free ones of a kind. */
static const struct ordo_dense_schedule *const known[ORDO_N_OPTIMAL_KINDS] = {
    [ORDO_OPTIMAL_FULL] = &ordo_dense_shift,
    [ORDO_OPTIMAL_FOLDED] = &ordo_dense_symmetric,
    [ORDO_OPTIMAL_PAIRED] = &ordo_dense_alternating,
};

static enum ordo_status wanted_of(enum ordo_optimal_kind kind, const struct ordo_optimal_case *c,
                                  struct ordo_optimal_found *wanted, struct ordo_err *err)
{
    struct ordo_dense_mask_spec spec = {
        .kind = kind == ORDO_OPTIMAL_FULL ? ORDO_DENSE_MASK_FULL : ORDO_DENSE_MASK_CAUSAL, .n_q = c->n, .n_kv = c->n};
    struct ordo_dense_mask mask;
    struct ordo_dense_launch launch = {.mask = &mask, .heads = c->heads, .sms = c->n_chain};
    struct ordo_dense d = {.schedule = NULL};
    enum ordo_status status = ordo_dense_mask_make(&spec, &mask, err);

    if (status == ORDO_OK)
        status = ordo_dense_make(known[kind], &launch, true, &d, err);
    if (status == ORDO_OK)
        *wanted = ordo_optimal_found_of(&d, c->n_chain);
    ordo_dense_free(&d);
    ordo_dense_mask_free(&mask);
    return status;
}

/* "A0 A1 | B1": head and row, slot after slot, a bar between KV tiles. */
static void chain_text(const struct ordo_optimal_found *f, int32_t chain, int32_t slots, char *out, size_t size)
{
    size_t n = 0;

    for (int32_t k = 0; k < slots && n + 8 < size; k++) {
        bool same_tile = k > 0 && f->at[chain][k] / 8 == f->at[chain][k - 1] / 8;

        n += (size_t)snprintf(out + n, size - n, "%s%c%d", same_tile ? " " : k ? " | " : "",
                              'A' + f->at[chain][k] / 64, f->at[chain][k] % 8);
    }
}

static void print(enum ordo_optimal_kind kind, const struct ordo_optimal_case *c, const struct ordo_optimal_slots *s,
                  const struct ordo_optimal_found *found, const struct ordo_optimal_all *a)
{
    char text[128];

    printf("%-8s %s: %" PRId32 " tiles a side, %" PRId32 " CTAs\n", ordo_optimal_name[kind], ordo_optimal_text[kind],
           c->n, c->n_chain);
    printf("         %" PRIu64 " schedules without a stall, %s %s; %" PRIu64 " with acyclic waits between CTAs\n",
           s->all, known[kind]->name, s->wanted ? "among them" : "not among them", s->acyclic);
    for (int i = 0; i < s->n_found; i++)
        for (int32_t j = 0; j < c->n_chain; j++) {
            chain_text(&found[i], j, s->slots, text, sizeof text);
            printf("         %s %s\n", j ? " " : "*", text);
        }
    if (a->schedules)
        printf("         all %" PRIu64 " timed, c 3, r 1: the least is %" PRId64 ", of %" PRIu64 " of them, %" PRIu64
               " without a stall; with acyclic waits %" PRId64 "\n",
               a->schedules, a->least, a->reach, a->stall_free, a->least_acyclic);
}

static void print_json(enum ordo_optimal_kind kind, const struct ordo_optimal_case *c,
                       const struct ordo_optimal_slots *s, const struct ordo_optimal_found *found,
                       const struct ordo_optimal_all *a)
{
    json_t *o = ordo_json_new("ordo.prove/1"), *list = ordo_need(json_array());
    char text[128];

    ordo_json_text(o, "subject", "optimal");
    ordo_json_text(o, "kind", ordo_optimal_name[kind]);
    ordo_json_int(o, "tiles", c->n);
    ordo_json_u64(o, "stall_free", s->all);
    ordo_json_u64(o, "stall_free_acyclic", s->acyclic);
    ordo_json_bool(o, "known_among_them", s->wanted > 0);
    for (int i = 0; i < s->n_found; i++)
        for (int32_t j = 0; j < c->n_chain; j++) {
            chain_text(&found[i], j, s->slots, text, sizeof text);
            ordo_need(json_array_append_new(list, ordo_need(json_string(text))) ? NULL : list);
        }
    ordo_json_set(o, "acyclic_chains", list);
    if (a->schedules) {
        ordo_json_u64(o, "timed", a->schedules);
        ordo_json_int(o, "least", a->least);
        ordo_json_int(o, "least_acyclic", a->least_acyclic);
    }
    ordo_out_json(o);
}

int ordo_prove_optimal(const struct ordo_args *args)
{
    int32_t n = ordo_opt_int(args, "kv-tiles");
    struct ordo_err err = {0};
    enum ordo_status status = ORDO_OK;
    bool all_known = true;

    if (n < 2 || n > MOST_TILES)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--kv-tiles", "--optimal searches 2 to %d tiles, not %" PRId32,
                           MOST_TILES, n);
    for (int kind = 0; kind < ORDO_N_OPTIMAL_KINDS && status == ORDO_OK; kind++) {
        struct ordo_optimal_case c;
        struct ordo_optimal_found wanted, found[MOST_SHOWN];
        struct ordo_optimal_slots slots;
        struct ordo_optimal_all all;

        if (kind == ORDO_OPTIMAL_FOLDED && n % 2)
            continue;
        c = ordo_optimal_case_of((enum ordo_optimal_kind)kind, n);
        status = wanted_of((enum ordo_optimal_kind)kind, &c, &wanted, &err);
        if (status != ORDO_OK)
            break;
        slots = ordo_optimal_by_slots(&c, &wanted, found, MOST_SHOWN);
        all = ordo_optimal_by_exhaustion(&c, 3, 1, BUDGET);
        all_known = all_known && slots.wanted;
        (args->json ? print_json : print)((enum ordo_optimal_kind)kind, &c, &slots, found, &all);
    }
    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    return all_known ? ORDO_OK : ORDO_FINDING;
}
