/* story.c - see story.h. */
#include "cli/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add(struct ordo_story *s, const char *what)
{
    size_t length = strlen(what);

    s->full = s->full || s->n + length >= sizeof s->text;
    if (s->full)
        return;
    memcpy(s->text + s->n, what, length + 1);
    s->n += length;
}

static void step(void *ctx, const struct ordo_dense_event *e)
{
    struct ordo_story *s = ctx;
    char what[64];

    if (s->steps == 0 || e->cta != s->cta || e->tile.kv != s->kv)
        (void)snprintf(what, sizeof what, "%sCTA %" PRId64 ": %" PRId32, s->steps ? "; " : "", e->cta, e->query);
    else
        (void)snprintf(what, sizeof what, " %" PRId32, e->query);
    add(s, what);
    s->cta = e->cta;
    s->kv = e->tile.kv;
    s->steps++;
}

struct ordo_dense_watch ordo_story_watch(struct ordo_story *s)
{
    return (struct ordo_dense_watch){step, s};
}

void ordo_story_print(const struct ordo_story *s, const char *indent)
{
    enum { WIDTH = 96 };
    size_t at = 0;

    printf("%ssteps, a query tile each: ", indent);
    for (size_t room = WIDTH - 24; s->n - at > room; room = WIDTH) {
        size_t end = at + room;

        while (end > at && s->text[end] != ' ')
            end--;
        printf("%.*s\n%s", (int)(end - at), s->text + at, indent);
        at = end + 1;
    }
    printf("%s%s\n", s->text + at, s->full ? " ..." : "");
}
