/* ptx_qualifier.c - the words between the dots of an instruction.  One without a meaning here is refused. */
#include "sim/ptx_token.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum { SEM, SCOPE, ALU, SIZE, PROXY, SPACE, NOTHING } what;
    int value;
} words[] = {
    {"weak", SEM, ORDO_PTX_WEAK}, {"relaxed", SEM, ORDO_PTX_RELAXED}, {"acquire", SEM, ORDO_PTX_ACQUIRE},
    {"release", SEM, ORDO_PTX_RELEASE}, {"acq_rel", SEM, ORDO_PTX_ACQ_REL}, {"sc", SEM, ORDO_PTX_SC},
    {"gpu", SCOPE, ORDO_PTX_GPU}, {"gl", SCOPE, ORDO_PTX_GPU}, {"sys", SCOPE, ORDO_PTX_SYS},
    {"add", ALU, ORDO_PTX_ADD}, {"plus", ALU, ORDO_PTX_ADD}, {"sub", ALU, ORDO_PTX_SUB},
    {"minus", ALU, ORDO_PTX_SUB}, {"mul", ALU, ORDO_PTX_MUL}, {"and", ALU, ORDO_PTX_AND},
    {"or", ALU, ORDO_PTX_OR}, {"xor", ALU, ORDO_PTX_XOR}, {"min", ALU, ORDO_PTX_MIN},
    {"max", ALU, ORDO_PTX_MAX}, {"inc", ALU, ORDO_PTX_INC}, {"dec", ALU, ORDO_PTX_DEC},
    {"exch", ALU, ORDO_PTX_MOV}, {"cas", ALU, ORDO_PTX_CAS}, {"popc", ALU, ORDO_PTX_POPC},
    {"u8", SIZE, 1}, {"s8", SIZE, 1}, {"b8", SIZE, 1}, {"u16", SIZE, 2}, {"s16", SIZE, 2}, {"b16", SIZE, 2},
    {"u32", SIZE, 4}, {"s32", SIZE, 4}, {"b32", SIZE, 4}, {"u64", SIZE, 8}, {"s64", SIZE, 8}, {"b64", SIZE, 8},
    {"alias", PROXY, ORDO_PTX_ALIAS}, {"constant", PROXY, ORDO_PTX_CONSTANT},
    {"surface", PROXY, ORDO_PTX_SURFACE}, {"texture", PROXY, ORDO_PTX_TEXTURE},
    {"global", SPACE, ORDO_PTX_GLOBAL}, {"shared", SPACE, ORDO_PTX_SHARED_CTA},
    {"shared::cta", SPACE, ORDO_PTX_SHARED_CTA}, {"shared::cluster", SPACE, ORDO_PTX_SHARED_CLUSTER},
    {"aligned", NOTHING, 0},
};

/* The words that need the field of their own; false for none of them. */
static bool flag(struct ordo_ptx_qualifiers *q, const char *word, unsigned *has)
{
    struct {
        const char *word;
        bool *field;
        unsigned has;
    } flags[] = {{"volatile", &q->is_volatile, ORDO_PTX_HAS_VOLATILE}, {"mmio", &q->is_mmio, ORDO_PTX_HAS_VOLATILE},
                 {"proxy", &q->proxy, ORDO_PTX_HAS_PROXY}, {"read", &q->read, ORDO_PTX_HAS_READ},
                 {"arrive", &q->arrive, ORDO_PTX_HAS_MEETING}, {"wait", &q->wait, ORDO_PTX_HAS_MEETING},
                 {"sync", &q->sync, ORDO_PTX_HAS_MEETING},
                 {"red", &q->red, ORDO_PTX_HAS_MEETING}, {"pred", &q->predicate, ORDO_PTX_HAS_SIZE},
                 {"bulk", &q->bulk, ORDO_PTX_HAS_BULK},
                 {"reduce", &q->reduce, ORDO_PTX_HAS_COPY}, {"async", &q->async, ORDO_PTX_HAS_ASYNC},
                 {"commit_group", &q->commit, ORDO_PTX_HAS_COPY}, {"wait_group", &q->group, ORDO_PTX_HAS_COPY}};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(word, flags[i].word) == 0) {
            *flags[i].field = true;
            *has = flags[i].has;
            return true;
        }
    return false;
}

static bool known(struct ordo_ptx_qualifiers *q, const char *word, unsigned *has)
{
    static const unsigned kinds[] = {ORDO_PTX_HAS_SEM, ORDO_PTX_HAS_SCOPE, ORDO_PTX_HAS_ALU, ORDO_PTX_HAS_SIZE,
                                     ORDO_PTX_HAS_PROXY_KIND, ORDO_PTX_HAS_SPACE, 0};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) != 0)
            continue;
        *has = kinds[words[i].what];
        switch (words[i].what) {
        case SEM:
            q->sem = words[i].value;
            break;
        case SCOPE:
            q->scope = words[i].value;
            break;
        case ALU:
            q->alu = words[i].value;
            break;
        case SIZE:
            q->size = words[i].value;
            break;
        case PROXY:
            q->fence_proxy = words[i].value;
            break;
        case SPACE:
            q->space = (enum ordo_ptx_space)words[i].value;
            break;
        case NOTHING:
            break;
        }
        return true;
    }
    return false;
}

enum ordo_status ordo_ptx_qualify(struct ordo_ptx_parser *in, const char *dots, struct ordo_ptx_qualifiers *q)
{
    char word[ORDO_PTX_NAME];

    *q = (struct ordo_ptx_qualifiers){.sem = -1, .scope = -1, .alu = -1, .fence_proxy = -1};
    while (*dots == '.') {
        size_t n = strcspn(dots + 1, ".");
        unsigned has = 0;

        (void)snprintf(word, sizeof word, "%.*s", (int)n, dots + 1);
        dots += 1 + n;
        if (strcmp(word, "cta") == 0 || strcmp(word, "cluster") == 0) {
            q->cta |= word[1] == 't';
            q->cluster |= word[1] == 'l';
            q->scope = word[1] == 't' ? ORDO_PTX_CTA : ORDO_PTX_CLUSTER;
            has = ORDO_PTX_HAS_SCOPE;
        } else if (!known(q, word, &has) && !flag(q, word, &has)) {
            return ordo_ptx_refuse(in, in->token.line, "'.%s' of %s is not modelled", word, in->token.text);
        }
        if (q->seen & has)
            return ordo_ptx_refuse(in, in->token.line, "'.%s' of %s is the second of its kind", word, in->token.text);
        q->seen |= has;
    }
    return ORDO_OK;
}
