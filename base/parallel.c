/* parallel.c - see parallel.h. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* What all threads of a loop share. */
struct loop {
    enum ordo_status (*fn)(void *ctx, int thread, int64_t i, struct ordo_err *err);
    void *ctx;
    int64_t n, next, failed; /* failed: the lowest item that did, n if none */
    enum ordo_status status;
    struct ordo_err err;
    pthread_mutex_t lock;
};

struct hand {
    struct loop *loop;
    int thread;
    pthread_t id;
    bool started;
};

int ordo_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return n < 1 ? 1 : n < ORDO_MAX_THREADS ? n : ORDO_MAX_THREADS;
}

/* The next item, or n. */
static int64_t take(struct loop *loop)
{
    int64_t i;

    (void)pthread_mutex_lock(&loop->lock);
    i = loop->failed < loop->n || loop->next >= loop->n ? loop->n : loop->next++;
    (void)pthread_mutex_unlock(&loop->lock);
    return i;
}

static void fail(struct loop *loop, int64_t i, enum ordo_status status, const struct ordo_err *err)
{
    (void)pthread_mutex_lock(&loop->lock);
    if (i < loop->failed) {
        loop->failed = i;
        loop->status = status;
        loop->err = *err;
    }
    (void)pthread_mutex_unlock(&loop->lock);
}

static void *work(void *arg)
{
    const struct hand *hand = arg;
    struct loop *loop = hand->loop;

    for (int64_t i = take(loop); i < loop->n; i = take(loop)) {
        struct ordo_err err = {0};
        enum ordo_status status = loop->fn(loop->ctx, hand->thread, i, &err);

        if (status != ORDO_OK)
            fail(loop, i, status, &err);
    }
    return NULL;
}

enum ordo_status ordo_parallel(int n_thread, int64_t n,
                               enum ordo_status (*fn)(void *ctx, int thread, int64_t i, struct ordo_err *err),
                               void *ctx, struct ordo_err *err)
{
    struct loop loop = {.fn = fn, .ctx = ctx, .n = n, .failed = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct hand hand[ORDO_MAX_THREADS];

    ORDO_BUG_ON(n_thread < 1 || n_thread > ORDO_MAX_THREADS);
    for (int t = 0; t < n_thread; t++)
        hand[t] = (struct hand){.loop = &loop, .thread = t};
    for (int t = 1; t < n_thread && t < n; t++)
        hand[t].started = pthread_create(&hand[t].id, NULL, work, &hand[t]) == 0;
    (void)work(&hand[0]);
    for (int t = 1; t < n_thread; t++)
        if (hand[t].started)
            (void)pthread_join(hand[t].id, NULL);
    (void)pthread_mutex_destroy(&loop.lock);
    if (loop.status != ORDO_OK && err)
        *err = loop.err;
    return loop.status;
}
