/* fuzz_report.h - cases, findings and campaigns as the verbs fuzz, shrink and replay print them. */
#ifndef ORDO_CLI_FUZZ_REPORT_H
#define ORDO_CLI_FUZZ_REPORT_H

#include "fuzz/campaign.h"

#include <jansson.h>

/* Writes DIR/<first 16 hex digits of the digest>.case; path is filled. */
enum ordo_status ordo_case_save(const char *dir, const struct ordo_case *c, char *path, size_t size,
                                struct ordo_err *err);

/* Makes the folder and the database (either may be NULL) that findings shall go to, so that a campaign fails
 * first. */
enum ordo_status ordo_case_keep_ready(const char *save, const char *db, struct ordo_err *err);
/* Adds the case to the corpus of the database at path, which is made if it is not there. */
enum ordo_status ordo_case_keep(const char *path, const struct ordo_case *c, const char *provenance,
                                struct ordo_err *err);

/* One finding with its replay line: the file at path, or the seed where path is NULL. */
void ordo_report_finding(const struct ordo_campaign_finding *f, uint64_t seed, const char *path);

void ordo_report_campaign(const struct ordo_campaign *c);
void ordo_report_campaign_json(const struct ordo_campaign *c);

/* "2 queries x 1 columns over 3 KV rows, cluster-relay C=4 wave 4, 64 heads" */
void ordo_report_case(const struct ordo_case *c, char *out, size_t size);

#endif
