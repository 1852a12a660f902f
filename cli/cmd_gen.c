/* cmd_gen.c - `ordo gen`: a seeded index tensor as .npy. */
#include "cli/group.h"
#include "cli/near.h"
#include "cli/out.h"
#include "cli/verb.h"
#include "corpus/gen.h"
#include "corpus/reader.h"

#include <inttypes.h>
#include <string.h>

static enum ordo_status find_preset(const char *name, const struct ordo_preset **preset, struct ordo_err *err)
{
    const struct ordo_preset *p;
    const char *best = NULL;
    size_t i;

    *preset = ordo_preset_find(name);
    if (*preset)
        return ORDO_OK;
    for (i = 0; (p = ordo_preset_at(i)) != NULL; i++)
        ordo_near(name, p->name, &best);
    return ordo_fail(err, ORDO_USAGE, NULL, "PATTERN", "there is no pattern '%s'; %s%s%s", name,
                     best ? "did you mean " : "`ordo gen --help` lists them", best ? best : "", best ? "?" : "");
}

/* An option that the pattern does not read would be a mistake that nobody notices. */
static enum ordo_status check_options(const struct ordo_args *args, const struct ordo_preset *preset,
                                      struct ordo_err *err)
{
#define ORDO_X(field, name_, ...)                                                                                    \
    if (ordo_opt_given(args, name_) && strcmp(preset->option, name_) != 0)                                           \
        return ordo_fail(err, ORDO_USAGE, NULL, "--" name_, "the pattern %s does not read it", preset->name);
    ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
    return ORDO_OK;
}

static void say(const struct ordo_args *args, const struct ordo_preset *preset, const struct ordo_problem *p)
{
    const char *file = ordo_opt_string(args, "output");
    struct ordo_digest digest = ordo_problem_digest(p);
    uint64_t seed = ordo_opt_u64(args, "seed");
    char hex[ORDO_DIGEST_HEX];
    json_t *object;

    if (!args->json) {
        printf("%s: %s, %" PRId32 " queries x %" PRId32 " of %" PRId32 " KV rows, seed %" PRIu64 ", problem %s\n",
               file, preset->name, p->n_query, p->topk, p->n_kv, seed, ordo_digest_hex(&digest, hex));
        return;
    }
    object = ordo_json_new("ordo.gen/1");
    ordo_json_text(object, "file", file);
    ordo_json_text(object, "pattern", preset->name);
    ordo_json_int(object, "n_query", p->n_query);
    ordo_json_int(object, "topk", p->topk);
    ordo_json_int(object, "n_kv", p->n_kv);
    ordo_json_u64(object, "seed", seed);
    ordo_json_digest(object, "problem", &digest);
    ordo_out_json(object);
}

static int run(struct ordo_args *args)
{
    struct ordo_gen_params params = {
        .n_query = ordo_opt_int(args, "q"),
        .n_kv = ordo_opt_int(args, "kv"),
        .topk = ordo_opt_int(args, "topk"),
        .seed = ordo_opt_u64(args, "seed"),
#define ORDO_X(field, option, ...) .field = ordo_opt_int(args, option),
        ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
    };
    const struct ordo_preset *preset;
    struct ordo_problem p = {0};
    struct ordo_err err = {0};
    enum ordo_status status = find_preset(args->operand[0], &preset, &err);

    if (status == ORDO_OK)
        status = check_options(args, preset, &err);
    if (status == ORDO_OK)
        status = ordo_gen(preset, &params, &p, &err);
    if (status == ORDO_OK)
        status = ordo_write_npy(ordo_opt_string(args, "output"), &p, &err);
    if (status == ORDO_OK)
        say(args, preset, &p);
    ordo_problem_free(&p);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}

static const char *pattern_name(size_t i)
{
    const struct ordo_preset *p = ordo_preset_at(i);

    return p ? p->name : NULL;
}

static void patterns(FILE *out)
{
    const struct ordo_preset *p;
    size_t i;

    fputs("\npatterns:\n", out);
    for (i = 0; (p = ordo_preset_at(i)) != NULL; i++)
        fprintf(out, "  %-12s%s%s%s%s\n", p->name, p->what, p->option[0] ? " (--" : "", p->option,
                p->option[0] ? ")" : "");
}

#define EXTENT(option, text)                                                                                         \
    {.name = option, .kind = ORDO_OPT_INT, .required = true, .metavar = "N", .min = 1, .max = INT32_MAX, .help = text}

static const struct ordo_option options[] = {
    EXTENT("q", "queries"),
    EXTENT("kv", "KV rows"),
    EXTENT("topk", "slots per query"),
#define ORDO_TEXT_(x) #x
#define ORDO_TEXT(x) ORDO_TEXT_(x)
#define ORDO_X(field, option, low, high, preset_, metavar_, help_)                                                   \
    {.name = option, .kind = ORDO_OPT_INT, .metavar = metavar_, .min = low, .max = high,                             \
     .preset = ORDO_TEXT(preset_), .help = help_},
    ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
    ORDO_OPTION_SEED,
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .required = true, .metavar = "FILE",
     .help = "the .npy to write"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_gen = {
    .name = "gen",
    .summary = "write a seeded index tensor as .npy",
    .operands = "PATTERN",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .first = pattern_name,
    .more = patterns,
    .run = run,
};
