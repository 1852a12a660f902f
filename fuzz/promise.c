/* promise.c - what a case promises against what came out; see trial.h. */
#include "fuzz/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *ordo_trial_outcome(const struct ordo_trial_result *r)
{
    if (r->finding.source != ORDO_SOURCE_NONE)
        return r->finding.signature;
    return r->is_virtual ? "planned" : ordo_verdict_name[r->verdict];
}

bool ordo_trial_breaks_promise(const struct ordo_case *c, const struct ordo_trial_result *r, char *out, size_t size)
{
    const struct {
        const char *name;
        uint64_t promised, found;
        bool planned; /* known of a virtual case too */
    } number[] = {
        {"updates", c->updates, r->updates, false},
        {"touched", c->touched, r->touched, false},
        {"waits", c->waits, r->waits, false},
        {"duplicates", c->duplicates, r->expected.duplicates, false},
        {"dead_queries", c->dead_queries, (uint64_t)r->expected.dead_queries, false},
        {"workspace", c->workspace, r->plan.workspace_bytes, true},
        {"mask_words", c->mask_words, r->plan.mask_words_per_plane, true},
        {"planes", c->planes, (uint64_t)r->plan.planes, true},
    };

    if (c->expect[0] && strcmp(c->expect, ordo_trial_outcome(r)) != 0) {
        (void)snprintf(out, size, "%s is expected, and %s came out", c->expect, ordo_trial_outcome(r));
        return true;
    }
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        if (number[i].promised != UINT64_MAX &&
            (number[i].promised != number[i].found || (r->is_virtual && !number[i].planned))) {
            (void)snprintf(out, size, "%s %" PRIu64 " is promised, and %" PRIu64 " came out", number[i].name,
                           number[i].promised, number[i].found);
            return true;
        }
    return false;
}
