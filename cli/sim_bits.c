/* sim_bits.c - `ordo sim --dense --bits A,B`: which gradients two schedules give other bits, and a smallest input.
 *
 * First by orders alone, at the shape that is asked for: dQ of a query tile has other bits where its KV tiles add in
 * another order, dK and dV of a KV tile where its query tiles come in another order; the first two addends of a dQ
 * are the same either way round.  Then by the twin, which has full and causal masks: tiles of 16 by 16, 16 features,
 * one tile more until a bit differs. */
#include "cli/dense.h"
#include "cli/dense_twin.h"
#include "cli/out.h"
#include "cli/sim.h"

#include "base/size.h"
#include "ref/fp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16, MOST_TILES = 12, SEEDS = 4, GRADIENTS = 3 };
static const char *const gradient[GRADIENTS] = {"dq", "dk", "dv"};

/* The first difference of one gradient, and how many tiles have one. */
struct moved {
    int64_t tiles, of;
    int32_t head, tile; /* the first, -1: none */
};

struct smallest {
    bool found;
    int32_t tiles, heads;
    uint64_t seed;
    int32_t row, head, column;
    uint32_t bits[2];
};

struct bits {
    char name[2][64];
    struct moved dq, dkv;
    bool searched;
    struct smallest smallest[GRADIENTS];
};

/* --- by orders -------------------------------------------------------------------------------------------------- */

/* From +0.0, so the first addend is not rounded. */
static bool same_sum(const int32_t *a, const int32_t *b, int32_t n)
{
    int32_t from = n > 1 && a[0] == b[1] && a[1] == b[0] ? 2 : 0;

    return memcmp(a + from, b + from, (size_t)(n - from) * sizeof *a) == 0;
}

static void count(struct moved *m, bool same, int32_t head, int32_t tile)
{
    m->of++;
    if (!same && m->tiles++ == 0) {
        m->head = head;
        m->tile = tile;
    }
}

static void steps_of(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t n, int32_t *list)
{
    for (int32_t s = 0; s < n; s++)
        list[s] = d->schedule->query(d, head, kv, s);
}

static void compare_head(const struct ordo_dense d[2], int32_t head, int32_t *list[2], struct bits *b)
{
    const struct ordo_dense_mask *mask = d[0].launch.mask;

    for (int32_t q = 0; q < mask->n_q; q++) {
        int32_t n = ordo_dense_order(&d[0], head, q, list[0]), m = ordo_dense_order(&d[1], head, q, list[1]);

        if (n > 0)
            count(&b->dq, n == m && same_sum(list[0], list[1], n), head, q);
    }
    for (int32_t kv = 0; kv < mask->n_kv; kv++) {
        int32_t n = ordo_dense_steps(mask, kv);

        steps_of(&d[0], head, kv, n, list[0]);
        steps_of(&d[1], head, kv, n, list[1]);
        if (n > 0) /* a chain: its first product is rounded before the second, so two are not alike */
            count(&b->dkv, memcmp(list[0], list[1], (size_t)n * sizeof *list[0]) == 0, head, kv);
    }
}

static enum ordo_status compare_orders(const struct ordo_args *args, struct bits *b, struct ordo_err *err)
{
    struct ordo_dense_mask mask = {.n_q = 0};
    struct ordo_dense d[2] = {{.schedule = NULL}, {.schedule = NULL}};
    int32_t *list[2] = {NULL, NULL};
    enum ordo_status status = ordo_dense_input_mask(args, &mask, err);
    struct ordo_dense_launch launch = ordo_dense_input_launch(args, &mask);
    uint64_t most = (uint64_t)(mask.n_q > mask.n_kv ? mask.n_q : mask.n_kv);

    for (int i = 0; i < 2 && status == ORDO_OK; i++) {
        list[i] = ordo_alloc(most, sizeof *list[i]);
        status = list[i] ? ordo_dense_make(ordo_dense_find(b->name[i]), &launch, true, &d[i], err)
                         : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for an order");
    }
    for (int32_t head = 0; head < launch.heads && status == ORDO_OK; head++)
        compare_head(d, head, list, b);
    for (int i = 0; i < 2; i++) {
        ordo_dense_free(&d[i]);
        free(list[i]);
    }
    ordo_dense_mask_free(&mask);
    return status;
}

/* --- by bits ---------------------------------------------------------------------------------------------------- */

static const float *fp32_of(const struct ordo_dense_case *c, int g)
{
    const float *all[GRADIENTS] = {c->out.dq_fp32, c->out.dk_fp32, c->out.dv_fp32};

    return all[g];
}

/* Takes note of the first difference of each gradient that has none yet. */
static void note(const struct ordo_dense_case c[2], struct bits *b)
{
    const struct ordo_dense_problem *p = &c[0].problem;
    int64_t n = (int64_t)p->q_len * p->q_heads * p->d; /* as many KV rows and heads */

    for (int g = 0; g < GRADIENTS; g++)
        for (int64_t i = 0; i < n && !b->smallest[g].found; i++) {
            uint32_t x = ordo_fp32_bits(fp32_of(&c[0], g)[i]), y = ordo_fp32_bits(fp32_of(&c[1], g)[i]);

            if (x != y)
                b->smallest[g] = (struct smallest){
                    true, p->q_len / TILE, p->q_heads, c[0].values.seed, (int32_t)(i / p->d / p->q_heads),
                    (int32_t)(i / p->d % p->q_heads), (int32_t)(i % p->d), {x, y}};
        }
}

/* One input under both schedules; one that a schedule does not take is passed over. */
static enum ordo_status try_one(const struct ordo_args *args, int32_t tiles, int32_t heads, uint64_t seed,
                                struct bits *b, struct ordo_err *err)
{
    struct ordo_dense_case c[2] = {{.scale = 2}, {.scale = 2}}; /* weights of many sizes, else sums are exact */
    int32_t sms = ordo_opt_int(args, ordo_opt_given(args, "for-sms") ? "for-sms" : "sms");
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < 2 && status == ORDO_OK; i++) {
        c[i].problem = (struct ordo_dense_problem){1, tiles * TILE, tiles * TILE, heads, heads, TILE, TILE, TILE,
                                                   ordo_opt_choice(args, "mask") == ORDO_DENSE_MASK_CAUSAL};
        c[i].values = (struct ordo_values){.seed = seed, .kind = ORDO_ROUGH};
        status = ordo_dense_case_order(&c[i], b->name[i], sms, 0, err);
        if (status == ORDO_OK)
            status = ordo_dense_case_seed(&c[i], err);
        if (status == ORDO_OK)
            status = ordo_dense_case_run(&c[i], 1, true, err);
    }
    if (status == ORDO_OK)
        note(c, b);
    ordo_dense_case_free(&c[0]);
    ordo_dense_case_free(&c[1]);
    return status == ORDO_BAD_INPUT ? ORDO_OK : status;
}

static bool wanted(const struct bits *b)
{
    return !b->smallest[0].found || !b->smallest[1].found || !b->smallest[2].found;
}

static enum ordo_status search(const struct ordo_args *args, struct bits *b, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int32_t tiles = 1; tiles <= MOST_TILES && wanted(b); tiles++)
        for (int32_t heads = 1; heads <= 2 && wanted(b); heads++)
            for (uint64_t seed = 0; seed < SEEDS && wanted(b) && status == ORDO_OK; seed++)
                status = try_one(args, tiles, heads, seed, b, err);
    return status;
}

/* --- the page --------------------------------------------------------------------------------------------------- */

static void say_moved(const char *what, const char *tile, const struct moved *m)
{
    if (m->tiles)
        printf("%-8s other bits: %" PRId64 " of %" PRId64 " %s tiles add in another order, first %" PRId32
               " of head %" PRId32 "\n",
               what, m->tiles, m->of, tile, m->tile, m->head);
    else
        printf("%-8s same bits: all %" PRId64 " %s tiles add alike\n", what, m->of, tile);
}

static void say_smallest(const char *what, const struct smallest *s)
{
    if (s->found)
        printf("%-8s %" PRId32 " tiles of 16, %" PRId32 " head%s, seed %" PRIu64 ": row %" PRId32 ", head %" PRId32
               ", column %" PRId32 " is 0x%08" PRIx32 " and 0x%08" PRIx32 "\n",
               what, s->tiles, s->heads, s->heads > 1 ? "s" : "", s->seed, s->row, s->head, s->column, s->bits[0],
               s->bits[1]);
    else
        printf("%-8s no input of up to %d tiles and 2 heads parts them\n", what, MOST_TILES);
}

static void say(const struct bits *b)
{
    printf("bits     %s against %s\n", b->name[0], b->name[1]);
    say_moved("dq", "query", &b->dq);
    say_moved("dk, dv", "KV", &b->dkv);
    if (!b->searched)
        return;
    printf("smallest input on which fp32 gradients part\n");
    for (int g = 0; g < GRADIENTS; g++)
        say_smallest(gradient[g], &b->smallest[g]);
}

static void say_json(const struct bits *b)
{
    json_t *o = ordo_json_new("ordo.sim/1");
    const struct moved *moved[GRADIENTS] = {&b->dq, &b->dkv, &b->dkv};

    ordo_json_text(o, "a", b->name[0]);
    ordo_json_text(o, "b", b->name[1]);
    for (int g = 0; g < GRADIENTS; g++) {
        json_t *x = ordo_need(json_object());
        const struct smallest *s = &b->smallest[g];

        ordo_json_bool(x, "differs", moved[g]->tiles > 0);
        ordo_json_int(x, "tiles_moved", moved[g]->tiles);
        ordo_json_int(x, "tiles", moved[g]->of);
        if (s->found) {
            ordo_json_int(x, "smallest_tiles", s->tiles);
            ordo_json_int(x, "smallest_heads", s->heads);
            ordo_json_u64(x, "seed", s->seed);
            ordo_json_int(x, "row", s->row);
            ordo_json_int(x, "head", s->head);
            ordo_json_int(x, "column", s->column);
            ordo_json_bits(x, "bits_a", s->bits[0]);
            ordo_json_bits(x, "bits_b", s->bits[1]);
        }
        ordo_json_set(o, gradient[g], x);
    }
    ordo_out_json(o);
}

static enum ordo_status names_of(const char *text, struct bits *b, struct ordo_err *err)
{
    const char *comma = strchr(text, ',');
    size_t n = comma ? (size_t)(comma - text) : 0;

    if (!comma || n >= sizeof b->name[0] || strlen(comma + 1) >= sizeof b->name[1])
        return ordo_fail(err, ORDO_USAGE, NULL, "--bits", "must be two schedules, as in ascending,shift, not '%s'",
                         text);
    memcpy(b->name[0], text, n);
    memcpy(b->name[1], comma + 1, strlen(comma + 1));
    for (int i = 0; i < 2; i++)
        if (!ordo_dense_find(b->name[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, "--bits", "there is no schedule '%s' (ordo help sim names them)",
                             b->name[i]);
    return ORDO_OK;
}

int ordo_sim_bits(const struct ordo_args *args)
{
    struct bits b = {.dq.tile = -1, .dkv.tile = -1};
    struct ordo_err err = {0};
    enum ordo_status status = names_of(ordo_opt_string(args, "bits"), &b, &err);

    b.searched = !ordo_opt_string(args, "mask-file") && ordo_opt_choice(args, "mask") <= ORDO_DENSE_MASK_CAUSAL;
    if (status == ORDO_OK)
        status = compare_orders(args, &b, &err);
    if (status == ORDO_OK && b.searched)
        status = search(args, &b, &err);
    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    if (args->json)
        say_json(&b);
    else
        say(&b);
    return ORDO_OK;
}
