/* parallel.h - a loop over work that does not depend on each other, on several threads.
 *
 * Which thread takes which item, and when, is not fixed: an item may touch only what is its own, or its thread's. */
#ifndef ORDO_BASE_PARALLEL_H
#define ORDO_BASE_PARALLEL_H

#include "base/status.h"

#include <stdint.h>

enum { ORDO_MAX_THREADS = 256 };

/* Processors that this process may use, at least 1 and at most ORDO_MAX_THREADS. */
int ordo_processors(void);

/* Calls fn(ctx, thread, i) for every i of [0, n), thread in [0, n_thread); n_thread of 1 .. ORDO_MAX_THREADS.  Items
 * begin in ascending order.  fn returns a status; after one that is not ORDO_OK no item is begun, and the lowest
 * failing item's status and err are what the caller gets.  Where the system gives fewer threads, fewer work. */
enum ordo_status ordo_parallel(int n_thread, int64_t n,
                               enum ordo_status (*fn)(void *ctx, int thread, int64_t i, struct ordo_err *err),
                               void *ctx, struct ordo_err *err);

#endif
