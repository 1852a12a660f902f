/* fuzz_keep.c - a case as a file of its own, or in the corpus of a database; see fuzz_report.h. */
#include "cli/fuzz_report.h"
#include "cli/out.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum ordo_status ordo_case_save(const char *dir, const struct ordo_case *c, char *path, size_t size,
                                struct ordo_err *err)
{
    struct ordo_digest digest;
    char hex[ORDO_DIGEST_HEX];
    enum ordo_status status = ordo_case_digest(c, &digest, err);

    if (status != ORDO_OK)
        return status;
    if ((size_t)snprintf(path, size, "%s/%.16s.case", dir, ordo_digest_hex(&digest, hex)) >= size)
        return ordo_fail(err, ORDO_USAGE, NULL, "--save", "the name of the folder is too long");
    return ordo_case_write(path, c, err);
}

enum ordo_status ordo_case_keep_ready(const char *save, const char *db, struct ordo_err *err)
{
    struct ordo_store *store = NULL;
    enum ordo_status status;
    struct stat st;

    if (save && mkdir(save, 0777) != 0 && errno != EEXIST)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, save, "--save", "cannot be made");
    if (save && stat(save, &st) == 0 && !S_ISDIR(st.st_mode))
        return ordo_fail(err, ORDO_BAD_INPUT, save, "--save", "is not a folder");
    if (save && access(save, W_OK | X_OK) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, save, "--save", "cannot be written to");
    if (!db)
        return ORDO_OK;
    status = ordo_store_open(db, ORDO_STORE_WRITE, &store, err);
    ordo_store_close(store);
    return status;
}

/* Opened for each case: a campaign may last for hours, and others write too. */
enum ordo_status ordo_case_keep(const char *path, const struct ordo_case *c, const char *provenance,
                                struct ordo_err *err)
{
    struct ordo_digest digest;
    char *text = ordo_need(ordo_case_print(c, false)), hex[ORDO_DIGEST_HEX], name[ORDO_DIGEST_HEX + 8];
    struct ordo_store_case kept = {.name = name, .provenance = provenance, .added_us = ordo_store_now_us(),
                                   .body = text, .size = strlen(text), .digest = &digest};
    struct ordo_store *store = NULL;
    enum ordo_store_added added;
    enum ordo_status status = ordo_case_digest(c, &digest, err);

    if (status == ORDO_OK)
        status = ordo_store_open(path, ORDO_STORE_WRITE, &store, err);
    if (status == ORDO_OK) {
        (void)snprintf(name, sizeof name, "%.16s.case", ordo_digest_hex(&digest, hex));
        status = ordo_store_add_case(store, &kept, hex, &added, err);
    }
    ordo_store_close(store);
    free(text);
    return status;
}
