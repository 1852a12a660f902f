/* t_cert.c - certificates of tensors: honest ones are valid, whatever is changed is refused for its reason. */
#include "tests/cert_forge.h"

static void honest_ones(void **state)
{
    static const int32_t cluster[] = {1, 4, 8, 16}, wave[] = {5, 8, 16, 32};

    (void)state;
    for (int i = 0; i < 32; i++) {
        int32_t c = cluster[i % 4];
        struct forged *f = forged(1 + i * 7, i % 3 ? 12 : 70, 80 + i, c, wave[i % 4], i % 2 ? 64 : 130);

        if (i % 5 == 0) {
            f->p.length = calloc((size_t)f->p.n_query, sizeof *f->p.length);
            assert_non_null(f->p.length);
            for (int32_t q = 0; q < f->p.n_query; q++)
                f->p.length[q] = q * 5 % 75 - 2;
            json_decref(f->header);
            make_header(f);
        }
        assert_verdict(f, ORDO_CERT_NONE);
        forged_free(f);
    }
}

static void counts_are_the_provers(void **state)
{
    struct forged *f = forged(100, 70, 90, 8, 24, 130);
    struct ordo_cert_verdict v;
    struct ordo_proof proof;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_prove(&f->plan, &f->p, &proof, &err), err);
    assert_ok(judge_forged(f, &v, &err), err);
    assert_int_equal(v.updates, proof.updates);
    assert_int_equal(v.rows, proof.rows);
    assert_int_equal(v.waits, proof.waits);
    ordo_proof_free(&proof);
    forged_free(f);
}

/* More KV rows than get a number of their own; and none. */
static void extents(void **state)
{
    struct forged *f = forged(40, 9, 1000, 4, 8, 64);

    (void)state;
    for (int32_t i = 0; i < f->p.n_query * f->p.topk; i++)
        f->p.idx[i] = f->p.idx[i] >= 0 && f->p.idx[i] < 1000 ? f->p.idx[i] * 2147483 : -1;
    f->p.n_kv = f->plan.request.n_kv = INT32_MAX;
    assert_ok(ordo_plan_make(&f->plan.request, &f->plan, NULL), (struct ordo_err){0});
    json_decref(f->header);
    make_header(f);
    assert_verdict(f, ORDO_CERT_NONE);
    forged_free(f);
    f = forged(6, 0, 8, 4, 4, 64);
    assert_verdict(f, ORDO_CERT_NONE);
    forged_free(f);
    f = forged(70000, 1, 300, 4, 4, 64); /* 17,500 waves of one plane; and 65,540, which the mask digest spells out */
    assert_verdict(f, ORDO_CERT_NONE);
    forged_free(f);
    f = forged(262160, 1, 300, 4, 4, 64);
    assert_verdict(f, ORDO_CERT_NONE);
    forged_free(f);
}

static void every_flipped_byte(void **state)
{
    struct forged *f = forged(8, 3, 8, 4, 8, 64);
    struct ordo_cert_verdict v;
    struct ordo_err err = {0};
    size_t n;
    uint8_t *bytes = sealed(f->header, NULL, 0, &n);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        enum ordo_status status;

        bytes[i] ^= (uint8_t)(1 << i % 8);
        write_bytes(bytes, n);
        status = judge(&f->p, &v, &err);
        if (status == ORDO_OK ? v.why != ORDO_CERT_END_DIGEST : status != ORDO_BAD_INPUT)
            fail_msg("byte %d of %d: %s", (int)i, (int)n, ordo_cert_reason[v.why].name);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t cut = 0; cut < n; cut++) {
        write_bytes(bytes, cut);
        assert_int_equal(judge(&f->p, &v, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.field, "end");
    }
    write_bytes(bytes, n);
    assert_ok(judge(&f->p, &v, &err), err);
    assert_int_equal(v.why, ORDO_CERT_NONE);
    free(bytes);
    forged_free(f);
}

/* One field of another value, sealed again. */
static void forged_fields(void **state)
{
    static const struct {
        const char *in, *key, *value; /* value: JSON */
        enum ordo_cert_refusal why;
    } field[] = {
        {NULL, "protocol_digest", "\"00\"", ORDO_CERT_PROTOCOL},
        {NULL, "plan_digest", "\"00\"", ORDO_CERT_PLAN_DIGEST},
        {NULL, "mask_digest", "\"00\"", ORDO_CERT_MASK},
        {NULL, "order_digest", "\"00\"", ORDO_CERT_ORDER},
        {NULL, "scheduler", "\"unfair\"", ORDO_CERT_SCHEDULER},
        {NULL, "schedule", "\"events\"", ORDO_CERT_PAYLOAD},
        {"claims", "ordering", "\"violated\"", ORDO_CERT_CLAIM},
        {"claims", "deadlock", "\"possible\"", ORDO_CERT_CLAIM},
        {"claims", "race", "\"found\"", ORDO_CERT_CLAIM},
        {"claims", "updates", "1", ORDO_CERT_CLAIM},
        {"claims", "rows", "-1", ORDO_CERT_CLAIM},
        {"claims", "waits", "0", ORDO_CERT_CLAIM},
        {"claims", "obe=1", "\"free\"", ORDO_CERT_CLAIM},
        {NULL, "assumptions", "[]", ORDO_CERT_CLAIM},
        {NULL, "payload", "77", ORDO_CERT_PAYLOAD},
        {"problem", "digest", "\"00\"", ORDO_CERT_TENSOR},
        {"problem", "q", "61", ORDO_CERT_TENSOR},
        {"problem", "kv", "41", ORDO_CERT_TENSOR},
        {"problem", "topk", "11", ORDO_CERT_TENSOR},
    };

    (void)state;
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        struct forged *f = forged(60, 12, 40, 8, 16, 64);
        json_t *o = field[i].in ? json_object_get(f->header, field[i].in) : f->header;

        assert_int_equal(json_object_set_new(o, field[i].key, json_loads(field[i].value, JSON_DECODE_ANY, NULL)), 0);
        assert_verdict(f, field[i].why);
        forged_free(f);
    }
}

static void unreadable_ones(void **state)
{
    static const struct {
        const char *key, *value, *field; /* value NULL: the key is dropped */
    } edit[] = {
        {"schema", "\"ordo.cert/2\"", "schema"}, {"schema", NULL, "schema"},         {"kind", "\"kv\"", "kind"},
        {"kind", NULL, "kind"},                  {"claims", NULL, "header"},         {"order_digest", "7", "header"},
        {"problem", "[]", "header"},             {"schedule", "\"any\"", "header"},  {"plan", NULL, "header"},
        {"scheduler", "null", "header"},         {"protocol_digest", NULL, "header"},
        {"assumptions", NULL, "header"},         {"payload", NULL, "header"},        {"facts", NULL, "header"},
        {"facts", "{\"a\":1}", "header"},        {"more", "1", "header"},
    };
    static const uint8_t noise[] = "no JSON\n";
    uint8_t bytes[100];
    struct ordo_cert_verdict v;
    struct ordo_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct forged *f = forged(20, 12, 40, 8, 16, 64);

        if (edit[i].value)
            (void)json_object_set_new(f->header, edit[i].key, json_loads(edit[i].value, JSON_DECODE_ANY, NULL));
        else
            (void)json_object_del(f->header, edit[i].key);
        assert_unreadable(f, edit[i].field);
        forged_free(f);
    }
    memcpy(bytes, noise, 8);
    ordo_seal_line(noise, 8, (char *)bytes + 8);
    write_bytes(bytes, 8 + ORDO_SEAL_BYTES);
    assert_int_equal(judge(NULL, &v, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "header");
    assert_int_equal(judge(NULL, &v, &err), ORDO_BAD_INPUT); /* no file */
}

static void another_tensor(void **state)
{
    struct forged *f = forged(60, 12, 40, 8, 16, 64), *g = forged(60, 12, 41, 8, 16, 64);
    struct ordo_digest d;

    (void)state;
    f->p.idx[1] = f->p.idx[1] == 3 ? -1 : -3;
    assert_verdict(f, ORDO_CERT_TENSOR);
    d = ordo_problem_digest(&f->p); /* and said to be about it */
    put_digest(json_object_get(f->header, "problem"), "digest", &d);
    assert_verdict(f, ORDO_CERT_MASK);
    forged_free(f);
    f = forged(60, 12, 41, 8, 16, 64); /* the order of another one of the same extents */
    f->p.idx[1] = -3;
    json_decref(f->header);
    make_header(f);
    (void)json_object_set(f->header, "order_digest", json_object_get(g->header, "order_digest"));
    assert_verdict(f, ORDO_CERT_ORDER);
    forged_free(f);
    forged_free(g);
}

static void duplicates(void **state)
{
    struct forged *f = forged(60, 12, 40, 8, 16, 64);

    (void)state;
    f->p.idx[12 * 20 + 3] = f->p.idx[12 * 20 + 2];
    json_decref(f->header);
    make_header(f);
    assert_verdict(f, ORDO_CERT_DUPLICATE);
    forged_free(f);
    f = forged(6, 12, 40, 1, 4, 64);
    f->p.idx[3] = f->p.idx[2];
    json_decref(f->header);
    make_header(f);
    assert_verdict(f, ORDO_CERT_DUPLICATE);
    forged_free(f);
}

static void another_plan(void **state)
{
    struct forged *f = forged(60, 12, 40, 8, 16, 64), *g = forged(60, 12, 40, 4, 16, 64);

    (void)state;
    set_plan(f->header, &g->plan); /* whole and consistent, but not the one that the digests are of */
    assert_verdict(f, ORDO_CERT_MASK);
    forged_free(f);
    forged_free(g);
}

/* The plan's text with one part replaced. */
static char *edited(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    char *out = malloc(strlen(text) + strlen(new) + 1);

    if (!at || !out)
        fail_msg("'%s' is not in the plan", old);
    (void)sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return out;
}

static void inconsistent_plans(void **state)
{
    static const struct {
        const char *old, *new;
    } edit[] = {
        {"\nwave 16\n", "\nwave 24\n"},
        {"\nwave 16\n", "\nwave 17\n"},
        {"\nwave 16\n", "\nwave 0\n"},
        {"\ncluster 8\n", "\ncluster 4\n"},
        {"\ncluster 8\n", "\ncluster 0\n"},
        {"\nplanes 2\n", "\nplanes 3\n"},
        {"\nhead_blocks 1\n", "\nhead_blocks 2\n"},
        {"\nwaves 4\n", "\nwaves 3\n"},
        {"\nq 60\n", "\nq 59\n"},
        {"\nkv 40\n", "\nkv 48\n"},
        {"\ndesign cluster-relay\n", "\ndesign private-shards\n"},
        {"\ndesign cluster-relay\n", "\ndesign other\n"},
        {"\nmask_words_per_plane 40\n", "\nmask_words_per_plane 39\n"},
        {"\nmask_rows 1\n", "\nmask_rows 2\n"},
        {"\nlaunch mask_build 1 ", "\nlaunch mask_build 2 "},
        {"\nlaunch backward 4 ", "\nlaunch backward 3 "},
        {"\nlaunch fold 1 reads planes", "\nlaunch fold 1 reads -"},
        {" clears planes,masks\n", " clears planes\n"},
        {"ordo-plan/1\n", "ordo-plan/2\n"},
        {"\nheads 64\n", "\nheads 4294967360\n"},
        {"\nheads 64\n", "\nheads 63\n"},
        {"\nkv 40\n", "\nkv 4294967336\n"},
        {"\nwave 16\n", "\nwave +16\n"},
        {"\nwave 16\n", "\nwave  16\n"},
        {"\ndv 512\n", "\ndv -1\n"},
        {"\ndv 512\n", "\ndv 99999\n"},
        {"\ntarget sm100\n", "\ntarget potato\n"},
        {"\nworkspace_bytes ", "\nworkspace_bytes 1"},
        {"\nlaunch dsink ", "\nlaunch clear 1 reads - writes - clears planes\nlaunch dsink "},
        {"\nlaunch preprocess ", "\nlaunch clear 1 reads - writes - clears masks\nlaunch preprocess "},
        {"\nlaunch preprocess ",
         "\nlaunch mask_build 1 reads topk_idxs,topk_length writes masks clears -\nlaunch preprocess "},
        {"\nlaunch convert ", "\nlaunch fold 1 reads planes writes planes clears -\nlaunch convert "},
        {"\ncontract fold groups-of-8-from-zero\n", "\ncontract fold arrival\n"},
        {"\ncontract add ieee\n", "\n"},
        {"32-strided-then-16-8-4-2-1\n", "32-strided-then-16-8-4-2-1\n\n"},
        {"\ncontract fold groups-of-8-from-zero\n", "\ncontract fold groups-of-8-from-zero\n\n"}, /* the end */
    };

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct forged *f = forged(60, 12, 40, 8, 16, 64);
        char *text = edited(json_string_value(json_object_get(f->header, "plan")), edit[i].old, edit[i].new);

        set_plan_text(f->header, text);
        free(text);
        assert_verdict(f, ORDO_CERT_PLAN);
        forged_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_ones),      cmocka_unit_test(counts_are_the_provers),
        cmocka_unit_test(extents),          cmocka_unit_test(every_flipped_byte),
        cmocka_unit_test(forged_fields),    cmocka_unit_test(unreadable_ones),
        cmocka_unit_test(another_tensor),   cmocka_unit_test(duplicates),
        cmocka_unit_test(another_plan),     cmocka_unit_test(inconsistent_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
