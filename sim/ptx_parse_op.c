/* ptx_parse_op.c - one PTX instruction: a table of mnemonics, and for each kind its order, scope and operands. */
#include "sim/ptx_token.h"

#include <stdio.h>
#include <string.h>

/* The order and scope of a memory operation; `allowed` is a set of bits 1 << sem. */
static enum ordo_status order(struct ordo_ptx_parser *in,
                              const struct ordo_ptx_qualifiers *q, unsigned allowed, int sem,
                              int scope, struct ordo_ptx_op *op)
{
    bool bare = q->sem < 0 && q->scope < 0;

    if (q->is_volatile && !bare)
        return ordo_ptx_refuse(in, op->line, "%s: volatile takes neither order nor scope", op->text);
    if (q->is_mmio && !bare && (q->sem != ORDO_PTX_RELAXED || q->scope != ORDO_PTX_SYS))
        return ordo_ptx_refuse(in, op->line, "%s: mmio goes with .relaxed and .sys only", op->text);
    if (q->is_volatile || q->is_mmio) {
        op->sem = ORDO_PTX_RELAXED;
        op->scope = ORDO_PTX_SYS;
        return ORDO_OK;
    }
    sem = q->sem >= 0 ? q->sem : sem;
    scope = q->scope >= 0 ? q->scope : scope;
    if (!((allowed >> sem) & 1))
        return ordo_ptx_refuse(in, op->line, "%s: this order is not one that the instruction has", op->text);
    if (sem == ORDO_PTX_WEAK && q->scope >= 0)
        return ordo_ptx_refuse(in, op->line, "%s: a weak operation has no scope", op->text);
    if (sem != ORDO_PTX_WEAK && scope < 0)
        return ordo_ptx_refuse(in, op->line, "%s: a strong operation needs its scope", op->text);
    op->sem = (enum ordo_ptx_sem)sem;
    op->scope = sem == ORDO_PTX_WEAK ? ORDO_PTX_CTA : (enum ordo_ptx_scope)scope;
    return ORDO_OK;
}

#define ORDERS_LD (1u << ORDO_PTX_WEAK | 1u << ORDO_PTX_RELAXED | 1u << ORDO_PTX_ACQUIRE)
#define ORDERS_ST (1u << ORDO_PTX_WEAK | 1u << ORDO_PTX_RELAXED | 1u << ORDO_PTX_RELEASE)
#define ORDERS_RMW (1u << ORDO_PTX_RELAXED | 1u << ORDO_PTX_ACQUIRE | 1u << ORDO_PTX_RELEASE | 1u << ORDO_PTX_ACQ_REL)
#define ORDERS_RED (ORDERS_RMW & ~(1u << ORDO_PTX_ACQUIRE))
#define ORDERS_FENCE (1u << ORDO_PTX_ACQUIRE | 1u << ORDO_PTX_RELEASE | 1u << ORDO_PTX_ACQ_REL | 1u << ORDO_PTX_SC)

/* "ld r0, 1" of the published tests is a move, whatever its order; so is "ld r0, r1", but not "ld.weak r0, r1". */
static bool is_move(const struct ordo_ptx_parser *in, const struct ordo_ptx_qualifiers *q)
{
    const char *word = in->token.text;

    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return true;
    return q->sem < 0 && ordo_ptx_find_location(in->p, word) < 0 &&
           (word[0] == '%' || (word[0] == 'r' && word[1] && strspn(word + 1, "0123456789") == strlen(word + 1)));
}

static enum ordo_status load(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                             const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    enum ordo_status status = order(in, q, ORDERS_LD, ORDO_PTX_WEAK, -1, op);

    if (status == ORDO_OK)
        status = ordo_ptx_take_destination(in, t, op);
    status = ordo_ptx_take_comma(in, status);
    if (status != ORDO_OK)
        return status;
    if (op->proxy == ORDO_PTX_GENERIC && !ordo_ptx_is(in, "[") && is_move(in, q)) {
        op->kind = ORDO_PTX_ALU;
        op->alu = ORDO_PTX_MOV;
        return ordo_ptx_take_operand(in, t, &op->x[1]);
    }
    return ordo_ptx_take_location(in, t, op);
}

static enum ordo_status store(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                              const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    enum ordo_status status = order(in, q, ORDERS_ST, ORDO_PTX_WEAK, -1, op);

    if (status == ORDO_OK)
        status = ordo_ptx_take_location(in, t, op);
    return ordo_ptx_also(in, t, op, 1, status);
}

static enum ordo_status rmw(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                            const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    bool atom = op->kind == ORDO_PTX_ATOM;
    enum ordo_status status = order(in, q, atom ? ORDERS_RMW : ORDERS_RED, ORDO_PTX_RELAXED, ORDO_PTX_GPU, op);

    if (status == ORDO_OK && (q->alu < 0 || q->alu == ORDO_PTX_POPC ||
                              (!atom && (q->alu == ORDO_PTX_CAS || q->alu == ORDO_PTX_MOV))))
        return ordo_ptx_refuse(in, op->line, "%s: the operation is missing or is not one of this instruction",
                               op->text);
    op->alu = (enum ordo_ptx_alu)q->alu;
    if (status == ORDO_OK && atom) {
        status = ordo_ptx_take_destination(in, t, op);
        status = ordo_ptx_take_comma(in, status);
    }
    if (status == ORDO_OK)
        status = ordo_ptx_take_location(in, t, op);
    status = ordo_ptx_also(in, t, op, 1, status);
    return op->alu == ORDO_PTX_CAS ? ordo_ptx_also(in, t, op, 2, status) : status;
}

static enum ordo_status fence(struct ordo_ptx_parser *in, const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    if (q->space && !q->async)
        return ordo_ptx_refuse(in, op->line, "%s: only fence.proxy.async is limited to a state space", op->text);
    if (!q->proxy && (q->fence_proxy >= 0 || q->async))
        return ordo_ptx_refuse(in, op->line, "%s: a fence of a proxy is spelled fence.proxy", op->text);
    if (!q->proxy)
        return order(in, q, ORDERS_FENCE, ORDO_PTX_ACQ_REL, -1, op);
    op->kind = ORDO_PTX_PROXY_FENCE;
    if (q->sem >= 0 || q->scope >= 0 || q->async == (q->fence_proxy >= 0))
        return ordo_ptx_refuse(in, op->line, "%s: this proxy fence is not modelled", op->text);
    op->proxy = q->async ? ORDO_PTX_ASYNC : (enum ordo_ptx_proxy)q->fence_proxy;
    return ORDO_OK;
}

static enum ordo_status bulk(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                             const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    enum ordo_status status;

    if (!q->async || !q->bulk || q->reduce + q->commit + q->group != 1 || (q->read && !q->group))
        return ordo_ptx_refuse(in, op->line, "%s: this asynchronous copy is not modelled", op->text);
    if (q->commit) {
        op->kind = ORDO_PTX_BULK_COMMIT;
        return ORDO_OK;
    }
    if (q->group) {
        op->kind = ORDO_PTX_BULK_WAIT;
        op->read_only = q->read;
        status = ordo_ptx_take_operand(in, t, &op->x[0]);
        if (status == ORDO_OK && (op->x[0].reg >= 0 || op->x[0].number < 0))
            return ordo_ptx_refuse(in, op->line, "%s: the number of groups must be a plain number", op->text);
        return status;
    }
    if (q->sem >= 0 || q->scope >= 0 || q->is_volatile)
        return ordo_ptx_refuse(in, op->line, "%s: a bulk reduction is relaxed at gpu scope", op->text);
    op->proxy = ORDO_PTX_ASYNC;
    return rmw(in, t, q, op);
}

static enum ordo_status compute(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op)
{
    enum ordo_status status = ordo_ptx_take_destination(in, t, op);

    if (op->alu != ORDO_PTX_MOV)
        status = ordo_ptx_also(in, t, op, 0, status);
    status = ordo_ptx_also(in, t, op, 1, status);
    if (status == ORDO_OK && (op->alu == ORDO_PTX_DIV || op->alu == ORDO_PTX_REM) &&
        (op->x[1].reg >= 0 || op->x[1].number == 0))
        return ordo_ptx_refuse(in, op->line, "%s: only by a plain number other than 0, by which there is a result",
                               op->text);
    return status;
}

static enum ordo_status jump(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op,
                             char *label)
{
    enum ordo_status status = ORDO_OK;

    if (op->kind == ORDO_PTX_BRANCH) {
        status = ordo_ptx_take_operand(in, t, &op->x[0]);
        status = ordo_ptx_also(in, t, op, 1, status);
        status = ordo_ptx_take_comma(in, status);
    }
    if (status != ORDO_OK)
        return status;
    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a label should stand", in->token.text);
    (void)snprintf(label, ORDO_PTX_NAME, "%s", in->token.text);
    return ordo_ptx_next(in);
}

static const struct {
    const char *word;
    enum ordo_ptx_kind kind;
    int detail; /* proxy, operation or comparison */
} mnemonic[] = {
    {"ld", ORDO_PTX_LD, ORDO_PTX_GENERIC}, {"suld", ORDO_PTX_LD, ORDO_PTX_SURFACE},
    {"tld", ORDO_PTX_LD, ORDO_PTX_TEXTURE}, {"cold", ORDO_PTX_LD, ORDO_PTX_CONSTANT},
    {"st", ORDO_PTX_ST, ORDO_PTX_GENERIC}, {"sust", ORDO_PTX_ST, ORDO_PTX_SURFACE},
    {"atom", ORDO_PTX_ATOM, ORDO_PTX_GENERIC}, {"suatom", ORDO_PTX_ATOM, ORDO_PTX_SURFACE},
    {"red", ORDO_PTX_RED, ORDO_PTX_GENERIC}, {"sured", ORDO_PTX_RED, ORDO_PTX_SURFACE},
    {"fence", ORDO_PTX_FENCE, 0}, {"membar", ORDO_PTX_FENCE, 1}, {"bar", ORDO_PTX_BAR_SYNC, 0},
    {"barrier", ORDO_PTX_BAR_SYNC, 0}, {"cp", ORDO_PTX_BULK_RED, 0}, {"mov", ORDO_PTX_ALU, ORDO_PTX_MOV},
    {"add", ORDO_PTX_ALU, ORDO_PTX_ADD}, {"sub", ORDO_PTX_ALU, ORDO_PTX_SUB},
    {"mul", ORDO_PTX_ALU, ORDO_PTX_MUL}, {"div", ORDO_PTX_ALU, ORDO_PTX_DIV},
    {"rem", ORDO_PTX_ALU, ORDO_PTX_REM}, {"and", ORDO_PTX_ALU, ORDO_PTX_AND},
    {"or", ORDO_PTX_ALU, ORDO_PTX_OR}, {"xor", ORDO_PTX_ALU, ORDO_PTX_XOR},
    {"shl", ORDO_PTX_ALU, ORDO_PTX_SHL}, {"shr", ORDO_PTX_ALU, ORDO_PTX_SHR},
    {"beq", ORDO_PTX_BRANCH, ORDO_PTX_EQ}, {"bne", ORDO_PTX_BRANCH, ORDO_PTX_NE},
    {"blt", ORDO_PTX_BRANCH, ORDO_PTX_LT}, {"ble", ORDO_PTX_BRANCH, ORDO_PTX_LE},
    {"bgt", ORDO_PTX_BRANCH, ORDO_PTX_GT}, {"bge", ORDO_PTX_BRANCH, ORDO_PTX_GE},
    {"goto", ORDO_PTX_GOTO, 0}, {"bra", ORDO_PTX_GOTO, 0},
};

/* The kinds of word that an instruction may have. */
static const unsigned words_of[] = {
    [ORDO_PTX_LD] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_SIZE | ORDO_PTX_HAS_VOLATILE |
                    ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_ST] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_SIZE | ORDO_PTX_HAS_VOLATILE |
                    ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_ATOM] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_SIZE | ORDO_PTX_HAS_ALU |
                      ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_RED] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_SIZE | ORDO_PTX_HAS_ALU |
                      ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_FENCE] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_PROXY | ORDO_PTX_HAS_PROXY_KIND |
                       ORDO_PTX_HAS_ASYNC | ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_BAR_SYNC] = ORDO_PTX_HAS_SEM | ORDO_PTX_HAS_SCOPE | ORDO_PTX_HAS_MEETING | ORDO_PTX_HAS_ALU |
                          ORDO_PTX_HAS_SIZE,
    [ORDO_PTX_BULK_RED] = ORDO_PTX_HAS_BULK | ORDO_PTX_HAS_ASYNC | ORDO_PTX_HAS_COPY | ORDO_PTX_HAS_READ |
                          ORDO_PTX_HAS_ALU | ORDO_PTX_HAS_SIZE | ORDO_PTX_HAS_SPACE,
    [ORDO_PTX_ALU] = ORDO_PTX_HAS_SIZE,
    [ORDO_PTX_BRANCH] = ORDO_PTX_HAS_SIZE,
    [ORDO_PTX_GOTO] = 0,
};

static enum ordo_status operands(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                 const struct ordo_ptx_qualifiers *q, int detail, struct ordo_ptx_op *op, char *label)
{
    switch (op->kind) {
    case ORDO_PTX_LD:
        op->proxy = (enum ordo_ptx_proxy)detail;
        return load(in, t, q, op);
    case ORDO_PTX_ST:
        op->proxy = (enum ordo_ptx_proxy)detail;
        return store(in, t, q, op);
    case ORDO_PTX_ATOM:
    case ORDO_PTX_RED:
        op->proxy = (enum ordo_ptx_proxy)detail;
        return rmw(in, t, q, op);
    case ORDO_PTX_FENCE:
        if (detail) {
            struct ordo_ptx_qualifiers sc = {.sem = ORDO_PTX_SC, .scope = q->scope, .alu = -1, .fence_proxy = -1};

            return q->sem >= 0 || q->proxy || q->scope == ORDO_PTX_CLUSTER
                       ? ordo_ptx_refuse(in, op->line, "%s is not modelled", op->text)
                       : fence(in, &sc, op);
        }
        return fence(in, q, op);
    case ORDO_PTX_BAR_SYNC:
        return ordo_ptx_parse_barrier(in, t, q, op);
    case ORDO_PTX_BULK_RED:
        return bulk(in, t, q, op);
    case ORDO_PTX_ALU:
        op->alu = (enum ordo_ptx_alu)detail;
        return compute(in, t, op);
    case ORDO_PTX_BRANCH:
        op->compare = (enum ordo_ptx_compare)detail;
        return jump(in, t, op, label);
    default:
        return jump(in, t, op, label);
    }
}

enum ordo_status ordo_ptx_parse_op(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op,
                                   char *label)
{
    const char *word = in->token.text;
    size_t n = strcspn(word, "."), i = 0;
    struct ordo_ptx_qualifiers q;
    enum ordo_status status;

    *op = (struct ordo_ptx_op){.loc = -1, .dst = -1, .line = in->token.line};
    for (int j = 0; j < ORDO_PTX_OPERANDS; j++)
        op->x[j].reg = -1;
    memcpy(op->text, word, sizeof op->text);
    while (i < sizeof mnemonic / sizeof mnemonic[0] &&
           (strlen(mnemonic[i].word) != n || memcmp(mnemonic[i].word, word, n) != 0))
        i++;
    if (i == sizeof mnemonic / sizeof mnemonic[0])
        return ordo_ptx_refuse(in, op->line, "the instruction '%s' is not modelled", word);
    op->kind = mnemonic[i].kind;
    status = ordo_ptx_qualify(in, word + n, &q);
    op->size = (int16_t)q.size;
    op->space = q.space;
    if (status == ORDO_OK && q.predicate && op->kind != ORDO_PTX_BAR_SYNC)
        return ordo_ptx_refuse(in, op->line, "%s: only a barrier reduces predicates", op->text);
    if (status == ORDO_OK && (q.seen & ~words_of[op->kind]))
        return ordo_ptx_refuse(in, op->line, "%s has a word that this instruction does not have", op->text);
    if (status == ORDO_OK)
        status = ordo_ptx_next(in);
    return status == ORDO_OK ? operands(in, t, &q, mnemonic[i].detail, op, label) : status;
}
