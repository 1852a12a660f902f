/* cert_write.c - see cert_write.h.  Written from the prover's own data: its additions give mask and order. */
#include "cli/cert_write.h"

#include "base/replace.h"
#include "base/seal.h"
#include "cert/cert.h"
#include "cli/out.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/e4.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 1 << 24 };

/* --- the file --------------------------------------------------------------------------------------------------- */

static int fill(int fd, void *ctx)
{
    const struct ordo_cert_bytes *file = ctx;

    return ordo_write_all(fd, file->at, file->n);
}

/* Takes the header over. */
static enum ordo_status write_sealed(const char *path, json_t *header, const struct ordo_cert_bytes *payload,
                                     struct ordo_err *err)
{
    char *text = ordo_need(json_dumps(header, JSON_COMPACT));
    size_t n = strlen(text);
    struct ordo_cert_bytes file = {ordo_need(malloc(n + 2 + payload->n + ORDO_SEAL_BYTES)), n, 0};
    enum ordo_status status;

    memcpy(file.at, text, n);
    file.at[file.n++] = '\n';
    if (payload->n)
        memcpy(file.at + file.n, payload->at, payload->n);
    file.n += payload->n;
    ordo_seal_line(file.at, file.n, (char *)file.at + file.n);
    file.n += ORDO_SEAL_BYTES;
    status = ordo_replace_file(path, "--cert", fill, &file, err);
    free(file.at);
    free(text);
    json_decref(header);
    return status;
}

static json_t *header_of(const char *kind, const char *scheduler)
{
    struct ordo_digest protocol = ordo_digest_texts(ordo_cert_protocol_text);
    json_t *o = ordo_json_new(ORDO_CERT_SCHEMA), *list = ordo_need(json_array());

    ordo_json_text(o, "kind", kind);
    ordo_json_digest(o, "protocol_digest", &protocol);
    ordo_json_text(o, "scheduler", scheduler);
    (void)json_array_append_new(list, ordo_need(json_string(ORDO_CERT_MEMORY)));
    (void)json_array_append_new(list, ordo_need(json_string(ORDO_CERT_AXIOMS)));
    ordo_json_set(o, "assumptions", list);
    return o;
}

static json_t *claims_of(void)
{
    json_t *o = ordo_need(json_object());

    ordo_json_text(o, "ordering", "total");
    ordo_json_text(o, "deadlock", "free");
    ordo_json_text(o, "race", "none");
    return o;
}

/* --- a tensor --------------------------------------------------------------------------------------------------- */

/* Over little-endian uint32: C; for each live row: 0xFFFFFFFE, row; for each plane and wave that set a bit, with
 * g = plane * waves + wave: g << 16 | bits, or g and bits if there are more than 65,535 of these. */
static struct ordo_digest mask_digest(const struct ordo_plan *plan, const struct ordo_rows *rows)
{
    bool wide = (int64_t)plan->planes * plan->waves > 0xFFFF;
    struct ordo_hasher h;
    uint32_t group;

    ordo_hasher_init(&h);
    ordo_hasher_u32(&h, (uint32_t)plan->cluster);
    for (uint32_t i = 0; i < ordo_rows_count(rows); i++) {
        struct ordo_row row = ordo_rows_get(rows, i);
        uint32_t bits = 0;

        ordo_hasher_u32(&h, 0xFFFFFFFE);
        ordo_hasher_u32(&h, (uint32_t)row.row);
        for (uint32_t j = 0; j < row.n_add; j++) {
            int32_t query = (int32_t)(row.add[j].leaf / (uint32_t)plan->head_blocks);
            int32_t wave = ordo_lane_wave(query, plan->wave);
            bool last = j + 1 == row.n_add || row.add[j + 1].plane != row.add[j].plane;

            bits |= 1u << ordo_lane_rank(ordo_lane_of(query, plan->wave), plan->cluster);
            last = last || (int32_t)(row.add[j + 1].leaf / (uint32_t)plan->head_blocks) / plan->wave != wave;
            if (!last)
                continue;
            group = row.add[j].plane * (uint32_t)plan->waves + (uint32_t)wave;
            if (wide)
                ordo_hasher_u32(&h, group);
            ordo_hasher_u32(&h, wide ? bits : group << 16 | bits);
            bits = 0;
        }
    }
    return ordo_hasher_done(&h);
}

static void set_problem(json_t *o, const struct ordo_problem *p)
{
    json_t *problem = ordo_need(json_object());
    struct ordo_digest d = ordo_problem_digest(p);

    ordo_json_int(problem, "q", p->n_query);
    ordo_json_int(problem, "kv", p->n_kv);
    ordo_json_int(problem, "topk", p->topk);
    ordo_json_digest(problem, "digest", &d);
    ordo_json_set(o, "problem", problem);
}

static void set_plan(json_t *o, const struct ordo_plan *plan)
{
    char *text = NULL;
    size_t n;
    FILE *out = ordo_need(open_memstream(&text, &n));

    ordo_plan_print(plan, out);
    ordo_need(fclose(out) == 0 ? text : NULL);
    ordo_json_text(o, "plan", text);
    ordo_json_digest(o, "plan_digest", &plan->digest);
    free(text);
}

static json_t *fact(const char *engine, const char *claim, const char *counted, uint64_t count)
{
    json_t *o = ordo_need(json_object());

    ordo_json_text(o, "engine", engine);
    ordo_json_text(o, "claim", claim);
    ordo_json_text(o, "verdict", "holds");
    ordo_json_u64(o, counted, count);
    return o;
}

static json_t *facts_of(const struct ordo_plan *plan, const struct ordo_proof *proof)
{
    bool relay = plan->design->sync == ORDO_SYNC_RELAY;
    json_t *list = ordo_need(json_array());
    struct ordo_e4_protocol e4;
    char name[96];

    (void)json_array_append_new(list, fact("E1", "one run of the tensor", "updates", proof->updates));
    ordo_e4_protocol(relay ? plan->cluster : 1, &e4);
    for (int i = 0; i < e4.n_claim; i++) {
        (void)snprintf(name, sizeof name, "C=%d, %s", (int)e4.claim[i].cluster, e4.claim[i].name);
        (void)json_array_append_new(list, fact("E4", name, "ordered_pairs", e4.claim[i].finding.pairs));
    }
    return list;
}

/* Events only where the schedule asks for them. */
static enum ordo_status make_payload(const char *schedule, const struct ordo_plan *plan, const struct ordo_problem *p,
                                     uint64_t updates, struct ordo_cert_bytes *bytes, bool *events,
                                     struct ordo_err *err)
{
    char *end = NULL;
    uint64_t seed = 0;

    *events = false;
    if (!schedule || strcmp(schedule, "rank-major") == 0)
        return ORDO_OK;
    errno = 0;
    if (strncmp(schedule, "seed=", 5) == 0 && schedule[5] >= '0' && schedule[5] <= '9')
        seed = strtoull(schedule + 5, &end, 10);
    if (!end || *end || errno)
        return ordo_fail(err, ORDO_USAGE, NULL, "--schedule", "'%s' is neither rank-major nor seed=N", schedule);
    if (updates > MOST_EVENTS)
        return ordo_fail(err, ORDO_USAGE, NULL, "--schedule", "an event list is for at most %d updates", MOST_EVENTS);
    *events = true;
    return ordo_cert_events(plan, p, seed, bytes, err);
}

enum ordo_status ordo_cert_write_tensor(const char *path, const char *schedule, const struct ordo_problem *p,
                                        const struct ordo_plan *plan, const struct ordo_proof *proof,
                                        struct ordo_err *err)
{
    bool relay = plan->design->sync == ORDO_SYNC_RELAY, events;
    struct ordo_cert_bytes bytes = {0};
    enum ordo_status status = make_payload(schedule, plan, p, proof->updates, &bytes, &events, err);
    json_t *o, *claims;

    ORDO_BUG_ON(proof->verdict != ORDO_PROVED);
    if (status == ORDO_OK) {
        o = header_of("tensor", proof->assumption);
        claims = claims_of();
        ordo_json_u64(claims, "updates", proof->updates);
        ordo_json_u64(claims, "rows", proof->rows);
        ordo_json_u64(claims, "waits", proof->waits);
        ordo_json_set(o, "claims", claims);
        set_problem(o, p);
        set_plan(o, plan);
        if (relay) {
            struct ordo_digest mask = mask_digest(plan, proof->order);

            ordo_json_digest(o, "mask_digest", &mask);
        }
        ordo_json_digest(o, "order_digest", &proof->order_digest);
        ordo_json_set(o, "facts", facts_of(plan, proof));
        ordo_json_text(o, "schedule", events ? "events" : "rank-major");
        ordo_json_u64(o, "payload", bytes.n);
        status = write_sealed(path, o, &bytes, err);
    }
    free(bytes.at);
    return status;
}

/* --- the protocol ----------------------------------------------------------------------------------------------- */

enum ordo_status ordo_cert_write_protocol(const char *path, const json_t *facts, struct ordo_err *err)
{
    const struct ordo_cert_bytes none = {0};
    json_t *o = header_of("protocol", "cluster=C"), *list, *claim;
    size_t i;

    ordo_json_set(o, "claims", claims_of());
    ordo_json_text(o, "invariant", ORDO_CERT_INVARIANT);
    list = ordo_need(json_deep_copy(facts));
    json_array_foreach(list, i, claim)
        (void)json_object_del(claim, "seconds"); /* one proof, the same bytes */
    ordo_json_set(o, "facts", list);
    return write_sealed(path, o, &none, err);
}
