/* t_cert_skeleton.c - the verifier's own reading of the role headers: any changed record is refused.
 *
 * Compiled with the verifier's source, so that each record can be changed as it is made. */
#include "tests/cert_forge.h"
#include "tests/test.h"

#include "protocol/tape.h"

static void change(struct ordo_tape *tape);
#define ordo_tape_append(tape, ...) (ordo_tape_append(tape, __VA_ARGS__), change(tape))
#include "cert/skeleton.c"

enum field { NOTHING, SEM, SCOPE, WIDTH, INDEX, VALUE, DATA, SOURCE, OP, DROP };

static struct {
    enum ordo_op op;
    enum field field;
    int value;
} edit;

static void change(struct ordo_tape *t)
{
    struct ordo_record *r = &t->record[t->n - 1];

    if (edit.field == NOTHING || r->op != edit.op)
        return;
    r->sem = edit.field == SEM ? (enum ordo_sem)edit.value : r->sem;
    r->scope = edit.field == SCOPE ? (enum ordo_scope)edit.value : r->scope;
    r->width = edit.field == WIDTH ? (enum ordo_width)edit.value : r->width;
    r->index += edit.field == INDEX ? edit.value : 0;
    r->value ^= edit.field == VALUE ? (uint32_t)edit.value : 0;
    r->data = edit.field == DATA ? (enum ordo_data)edit.value : r->data;
    r->source += edit.field == SOURCE ? (uint32_t)edit.value : 0;
    r->op = edit.field == OP ? (enum ordo_op)edit.value : r->op;
    t->n -= edit.field == DROP;
}

static enum ordo_cert_refusal with(int32_t cluster, enum ordo_op op, enum field field, int value)
{
    struct ordo_cert_verdict v = {0};

    edit.op = op, edit.field = field, edit.value = value;
    (void)ordo_cert_skeleton(cluster, &v);
    edit.field = NOTHING;
    return v.why;
}

static void shipped_headers(void **state)
{
    static const int32_t cluster[] = {1, 4, 8, 16};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ordo_cert_verdict v = {0};

        if (!ordo_cert_skeleton(cluster[i], &v))
            fail_msg("%s: %s", ordo_cert_reason[v.why].name, v.what);
        assert_int_equal(v.states, cluster[i] > 1 ? 68 : 0);
    }
}

static void changed_records(void **state)
{
    static const struct {
        enum ordo_op op;
        enum field field;
        int value;
        enum ordo_cert_refusal why;
    } e[] = {
        {ORDO_OP_AWAIT_CLEAR, SEM, ORDO_SEM_relaxed, ORDO_CERT_OPERATION},
        {ORDO_OP_AWAIT_CLEAR, SEM, ORDO_SEM_weak, ORDO_CERT_OPERATION},
        {ORDO_OP_AWAIT_CLEAR, SCOPE, ORDO_SCOPE_cta, ORDO_CERT_OPERATION},
        {ORDO_OP_AWAIT_CLEAR, SCOPE, ORDO_SCOPE_cluster, ORDO_CERT_NONE},
        {ORDO_OP_AWAIT_CLEAR, SCOPE, ORDO_SCOPE_sys, ORDO_CERT_NONE},
        {ORDO_OP_AWAIT_CLEAR, WIDTH, ORDO_WIDTH_u8, ORDO_CERT_OPERATION},
        {ORDO_OP_AWAIT_CLEAR, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_AWAIT_CLEAR, VALUE, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_AWAIT_CLEAR, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_AND, SEM, ORDO_SEM_relaxed, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_AND, SCOPE, ORDO_SCOPE_cta, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_AND, SCOPE, ORDO_SCOPE_cluster, ORDO_CERT_NONE},
        {ORDO_OP_RED_AND, WIDTH, ORDO_WIDTH_u8, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_AND, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_RED_AND, VALUE, 2, ORDO_CERT_OPERAND},
        {ORDO_OP_RED_AND, OP, ORDO_OP_STORE, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_AND, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_OR, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_RED_OR, VALUE, 4, ORDO_CERT_OPERAND},
        {ORDO_OP_RED_OR, SCOPE, ORDO_SCOPE_cta, ORDO_CERT_OPERATION},
        {ORDO_OP_RED_OR, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_BAR_SYNC, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_BAR_SYNC, VALUE, 32, ORDO_CERT_OPERAND},
        {ORDO_OP_BAR_SYNC, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_LOAD, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_STORE, INDEX, -1, ORDO_CERT_OPERAND},
        {ORDO_OP_STORE, WIDTH, ORDO_WIDTH_u32, ORDO_CERT_OPERATION},
        {ORDO_OP_STORE, DATA, ORDO_DATA_OPAQUE, ORDO_CERT_OPERAND},
        {ORDO_OP_STORE, SOURCE, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_STORE, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_PROXY_FENCE, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_SHARED_FENCE, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_BULK_ADD, INDEX, 1, ORDO_CERT_OPERAND},
        {ORDO_OP_BULK_ADD, VALUE, 8, ORDO_CERT_OPERAND},
        {ORDO_OP_BULK_ADD, SOURCE, 4, ORDO_CERT_OPERAND},
        {ORDO_OP_BULK_COMMIT, DROP, 0, ORDO_CERT_OPERATION},
        {ORDO_OP_BULK_WAIT, OP, ORDO_OP_BULK_WAIT_READ, ORDO_CERT_OPERATION},
        {ORDO_OP_BULK_WAIT, VALUE, 1, ORDO_CERT_OPERAND},
    };

    (void)state;
    for (size_t i = 0; i < sizeof e / sizeof *e; i++)
        for (int32_t c = 4; c <= 16; c *= 2) {
            enum ordo_cert_refusal why = with(c, e[i].op, e[i].field, e[i].value);

            if (why != e[i].why)
                fail_msg("record %d, C=%d: %s", (int)i, (int)c, ordo_cert_reason[why].name);
        }
}

/* --- the invariant alone ---------------------------------------------------------------------------------------- */

/* Two ranks whose tapes are taken as they come, changed by `edit` in one of them. */
static enum ordo_cert_refusal explored(bool bulk, int changed, enum ordo_op op, enum field field, int value)
{
    struct ordo_record pool[4][ROOM];
    struct ordo_tape t[4];
    struct ordo_cert_verdict v = {0};
    struct pair m = {.tape = {&t[0], &t[1], &t[2], &t[3]}, .v = &v};
    const int64_t row[] = {2};

    edit.op = op, edit.value = value;
    for (int i = 0; i < 4; i++) {
        t[i] = (struct ordo_tape){pool[i], 0, ROOM};
        edit.field = i == changed ? field : NOTHING;
        if (i % 2 == 0)
            ordo_relay_slot(&t[i], mask, 8, i / 2, 2, hand);
        else if (bulk)
            ordo_relay_bulk(&t[i], plane, row, 1, 0, 1, hand);
        else
            ordo_relay_reduce(&t[i], plane, row, 1, (struct ordo_unread){0}, 1, 0, 1, hand);
    }
    edit.field = NOTHING;
    (void)explore(&m, (uint32_t[4]){0}, 0);
    return v.why;
}

static void invariant(void **state)
{
    (void)state;
    for (int bulk = 0; bulk < 2; bulk++) {
        assert_int_equal(explored(bulk, -1, 0, NOTHING, 0), ORDO_CERT_NONE);
        assert_int_equal(explored(bulk, 0, ORDO_OP_RED_AND, SEM, ORDO_SEM_relaxed), ORDO_CERT_RACE);
        assert_int_equal(explored(bulk, 2, ORDO_OP_AWAIT_CLEAR, SEM, ORDO_SEM_relaxed), ORDO_CERT_RACE);
        assert_int_equal(explored(bulk, 2, ORDO_OP_AWAIT_CLEAR, DROP, 0), ORDO_CERT_RACE);
        assert_int_equal(explored(bulk, 0, ORDO_OP_BAR_SYNC, DROP, 0), ORDO_CERT_RACE);
        assert_int_equal(explored(bulk, 3, ORDO_OP_BAR_SYNC, DROP, 0), ORDO_CERT_RACE);
        assert_int_equal(explored(bulk, 2, ORDO_OP_BAR_SYNC, OP, ORDO_OP_WARP_SYNC), ORDO_CERT_STUCK);
    }
    assert_int_equal(explored(true, 1, ORDO_OP_BULK_WAIT, OP, ORDO_OP_BULK_WAIT_READ), ORDO_CERT_RACE);
}

/* --- a certificate of the protocol ------------------------------------------------------------------------------ */

static struct forged *of_the_protocol(void)
{
    struct forged *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->header = common_header("protocol", "cluster=C",
                              json_pack("{s:s, s:s, s:s}", "ordering", "total", "deadlock", "free", "race", "none"));
    (void)json_object_set_new(f->header, "invariant", json_string(ORDO_CERT_INVARIANT));
    return f;
}

static void certificates_of_the_protocol(void **state)
{
    struct forged *f = of_the_protocol();

    (void)state;
    assert_verdict(f, ORDO_CERT_NONE);
    f->n_payload = 1;
    assert_verdict(f, ORDO_CERT_PAYLOAD);
    f->n_payload = 0;
    (void)json_object_set_new(f->header, "scheduler", json_string("unfair"));
    assert_verdict(f, ORDO_CERT_SCHEDULER);
    (void)json_object_set_new(f->header, "invariant", json_string("relay-row/0"));
    assert_verdict(f, ORDO_CERT_CLAIM);
    (void)json_object_del(f->header, "invariant");
    assert_unreadable(f, "header");
    (void)json_object_set_new(f->header, "protocol_digest", json_string("00"));
    assert_verdict(f, ORDO_CERT_PROTOCOL);
    forged_free(f);
    f = of_the_protocol();
    edit.op = ORDO_OP_RED_AND, edit.field = SEM, edit.value = ORDO_SEM_relaxed;
    assert_verdict(f, ORDO_CERT_OPERATION);
    edit.field = NOTHING;
    forged_free(f);
}

/* The digest is that of the files as they stand, each behind its name. */
static void protocol_digest(void **state)
{
    static const char *const name[] = {"fragment.h", "index.h", "launch.h", "live.h", "mask.h",
                                       "op.h", "relay.h", "tape.h", "ticket.h"};
    const char *srcdir = getenv("srcdir");
    struct ordo_digest own = ordo_digest_texts(ordo_cert_protocol_text), d;
    struct ordo_hasher h;
    char path[512], line[4096];

    (void)state;
    ordo_hasher_init(&h);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        FILE *f;

        (void)snprintf(path, sizeof path, "%s/protocol/%s", srcdir ? srcdir : ".", name[i]);
        (void)snprintf(line, sizeof line, "== protocol/%s\n", name[i]);
        f = fopen(path, "r");
        assert_non_null(f);
        do
            ordo_hasher_text(&h, line);
        while (fgets(line, sizeof line, f));
        (void)fclose(f);
    }
    d = ordo_hasher_done(&h);
    assert_memory_equal(&d, &own, sizeof d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_headers),
        cmocka_unit_test(changed_records),
        cmocka_unit_test(invariant),
        cmocka_unit_test(certificates_of_the_protocol),
        cmocka_unit_test(protocol_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
