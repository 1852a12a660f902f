/* status.h - how things go wrong, and how that is said.
 *
 * Four outcomes, never mixed.  A bug of ours aborts (ORDO_BUG_ON, on in every build).  Bad input or a missing
 * environment is an ordo_status with one sentence in the caller's ordo_err.  A finding (mismatch, deadlock, wrong
 * order) is data: a verdict that a function returns with status ORDO_OK.  "Not run" is a verdict too.
 *
 * The values are the program's exit codes, so that no table has to translate them. */
#ifndef ORDO_BASE_STATUS_H
#define ORDO_BASE_STATUS_H

enum ordo_status {
    ORDO_OK = 0,
    ORDO_FINDING = 1,      /* only as an exit code: a verdict that is not clean */
    ORDO_USAGE = 2,        /* the command line is off */
    ORDO_BAD_INPUT = 3,    /* a file or an extent that cannot be used */
    ORDO_ENVIRONMENT = 4,  /* no memory, no space, no device */
    ORDO_INTERNAL = 5,     /* a bug of ours that was noticed without aborting */
    ORDO_BUDGET = 6,       /* time or cases ended without a verdict */
    ORDO_INTERRUPTED = 130
};

/* What, where, why.  Plain storage owned by the caller; a fresh one is all zero. */
struct ordo_err {
    char file[256];   /* the file or stream, "" if none */
    char field[96];   /* header field, option or quantity, "" if none */
    char reason[416]; /* one sentence without a full stop at its end */
};

/* Fills err (may be NULL) and returns status, so that callers write `return ordo_fail(...)`.
 * file and field may be NULL.  Text too long for a field is cut. */
enum ordo_status ordo_fail(struct ordo_err *err, enum ordo_status status, const char *file, const char *field,
                           const char *reason, ...) __attribute__((format(printf, 5, 6), cold));

/* As ordo_fail, with ": strerror(errno_value)" appended to the reason. */
enum ordo_status ordo_fail_errno(struct ordo_err *err, enum ordo_status status, int errno_value, const char *file,
                                 const char *field, const char *reason, ...)
    __attribute__((format(printf, 6, 7), cold));

/* A bug of ours.  Never for bad input. */
void ordo_bug(const char *file, int line, const char *what) __attribute__((noreturn, cold));
#define ORDO_BUG_ON(cond) ((cond) ? ordo_bug(__FILE__, __LINE__, #cond) : (void)0)

#endif
