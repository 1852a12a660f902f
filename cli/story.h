/* story.h - the steps of a dense run in the order in which they were made, as text: for runs that hang. */
#ifndef ORDO_CLI_STORY_H
#define ORDO_CLI_STORY_H

#include "sim/dense_time.h"

/* Steps of one CTA that follow each other in one tile are one entry: "CTA 3: 5 6 7".  A fresh one is all zero. */
struct ordo_story {
    int64_t cta, steps; /* of the last entry; steps of all */
    int32_t kv;
    size_t n;
    bool full;          /* what came later found no room */
    char text[960];
};

/* A watch that writes into the story. */
struct ordo_dense_watch ordo_story_watch(struct ordo_story *story);

/* In lines behind `indent`, and how many steps there were. */
void ordo_story_print(const struct ordo_story *story, const char *indent);

#endif
