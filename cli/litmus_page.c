/* litmus_page.c - see litmus_page.h. */
#include "cli/litmus_page.h"

#include "cli/out.h"

#include <errno.h>
#include <stdlib.h>

void ordo_litmus_look(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict endless;

    if (!liveness && v->tally.executions == 0 && v->tally.blocked > 0 && ordo_ptx_decide(p, true, &endless)) {
        v->tally.witness = endless.tally.witness;
        v->circle = endless.circle;
    } else if (!liveness) {
        ordo_ptx_why_not(p, v);
    }
}

static void explain(const struct ordo_ptx_program *p, const struct ordo_ptx_verdict *v, FILE *out)
{
    if (v->tally.witness)
        ordo_ptx_explain(p, v->tally.witness, out);
    else if (v->circle.found)
        ordo_ptx_explain_circle(p, &v->circle, out);
    else
        fprintf(out, "no execution to show: none decides, and dropping one axiom lets none through\n");
}

static void say_history(json_t *o, const struct ordo_ptx_program *p, const struct ordo_ptx_verdict *v)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = ordo_need(open_memstream(&text, &size));

    explain(p, v, f);
    if (fclose(f) == 0)
        ordo_json_text(o, "history", text);
    free(text);
}

void ordo_litmus_json(const char *file, bool liveness, bool explains, const struct ordo_ptx_program *p,
                      const struct ordo_ptx_verdict *v)
{
    json_t *o = ordo_json_new("ordo.litmus/1");

    ordo_json_text(o, "file", file);
    ordo_json_text(o, "model", ORDO_PTX_MODEL);
    ordo_json_text(o, "property", liveness ? "liveness" : "condition");
    ordo_json_set(o, "holds", v->decided ? json_boolean(v->holds) : json_null());
    if (v->refused[0])
        ordo_json_text(o, "refused", v->refused);
    if (v->race_known)
        ordo_json_bool(o, "race", v->tally.race);
    else
        ordo_json_set(o, "race", json_null());
    ordo_json_u64(o, "executions", v->tally.executions);
    if (liveness)
        ordo_json_u64(o, "stuck", v->tally.stuck);
    else
        ordo_json_u64(o, "blocked", v->tally.blocked);
    ordo_json_bool(o, "complete", v->decided && !v->tally.cut && !v->tally.exhausted);
    if (p->note[0])
        ordo_json_text(o, "note", p->note);
    if (explains && v->decided)
        say_history(o, p, v);
    ordo_out_json(o);
}

static void say_verdict(const char *file, bool liveness, const struct ordo_ptx_verdict *v)
{
    bool all = !v->tally.cut && !v->tally.exhausted;

    if (!v->decided)
        printf("%s: refused: %s\n", file, v->refused);
    else if (liveness && v->tally.stuck == 0 && !all)
        printf("%s: %s (by the values that repeat, not by all executions)\n", file,
               v->holds ? "every fair execution ends" : "a fair execution never ends");
    else if (liveness)
        printf("%s: %s (executions that end %llu, that never end %llu%s)\n", file,
               v->holds ? "every fair execution ends" : "a fair execution never ends",
               (unsigned long long)v->tally.executions, (unsigned long long)v->tally.stuck,
               all ? "" : ", and more");
    else if (!all)
        printf("%s: the condition %s (not all executions were met, but %llu%s)\n", file,
               v->holds ? "holds" : "does not hold", (unsigned long long)v->tally.executions,
               v->tally.race ? ", data race" : "");
    else
        printf("%s: the condition %s (executions %llu, satisfying %llu, blocked %llu%s)\n", file,
               v->holds ? "holds" : "does not hold", (unsigned long long)v->tally.executions,
               (unsigned long long)v->tally.satisfied, (unsigned long long)v->tally.blocked,
               v->tally.race ? ", data race" : "");
}

void ordo_litmus_text(const char *file, bool liveness, bool explains, const struct ordo_ptx_program *p,
                      const struct ordo_ptx_verdict *v)
{
    say_verdict(file, liveness, v);
    if (p->note[0])
        printf("%s: note: %s\n", file, p->note);
    if (explains && v->decided)
        explain(p, v, stdout);
}

enum ordo_status ordo_litmus_draw(const char *path, const char *file, const struct ordo_ptx_program *p,
                                  const struct ordo_ptx_verdict *v, struct ordo_err *err)
{
    FILE *f;

    if (!v->tally.witness && !v->circle.found) {
        fprintf(stderr, "%s: nothing is drawn: %s\n", file,
                v->decided ? "there is no execution to show" : v->refused);
        return ORDO_OK;
    }
    f = fopen(path, "w");
    if (!f)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "--svg", "cannot be written");
    if (v->tally.witness)
        ordo_ptx_picture(p, v->tally.witness, f);
    else
        ordo_ptx_picture_circle(p, &v->circle, f);
    if (fclose(f) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "--svg", "cannot be written");
    return ORDO_OK;
}
