/* zip.c - see zip.h.  Offsets of fields: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7 to 4.3.16. */
#include "corpus/zip.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END_SIZE 22       /* end of central directory record, without its comment */
#define LOCATOR_SIZE 20   /* zip64 end of central directory locator */
#define END64_SIZE 56     /* zip64 end of central directory record, fixed part */
#define CENTRAL_SIZE 46   /* central file header, fixed part */
#define MAX_COMMENT 65535

static enum ordo_status bad(const struct ordo_site *at, const char *field, const char *why)
{
    return ordo_site_fail(at, ORDO_BAD_INPUT, field, "%s", why);
}

/* --- the end of the file ---------------------------------------------------------------------------------------- */

/* Sets *end to the offset of the end record: the last one whose comment reaches exactly to the end of the file. */
static enum ordo_status find_end(const struct ordo_site *at, const struct ordo_bytes *b, uint8_t record[END_SIZE],
                                 uint64_t *end)
{
    size_t n = b->size < END_SIZE + MAX_COMMENT ? (size_t)b->size : END_SIZE + MAX_COMMENT;
    enum ordo_status status;
    uint8_t *tail = ordo_alloc(n, 1);
    bool found = false;

    if (!tail)
        return ordo_site_no_memory(at, n, "bytes");
    status = ordo_bytes_read(at, b, b->size - n, tail, n);
    for (size_t i = n < END_SIZE ? 0 : n - END_SIZE + 1; !status && !found && i-- > 0;)
        if (ordo_zip_signed(tail + i, 5, 6) && ordo_le16(tail + i + 20) == n - END_SIZE - i) {
            memcpy(record, tail + i, END_SIZE);
            *end = b->size - n + i;
            found = true;
        }
    free(tail);
    if (status || found)
        return status;
    return bad(at, "end record", "this is no complete zip: the end record is missing; is the file cut off?");
}

/* Where the directory lies and what it holds, from the 32-bit record. */
static enum ordo_status read_end(const struct ordo_site *at, const uint8_t *r, struct ordo_zip *zip)
{
    if (ordo_le16(r + 4) || ordo_le16(r + 6) || ordo_le16(r + 8) != ordo_le16(r + 10))
        return bad(at, "end record", "the archive is spread over several disks");
    zip->n_entry = ordo_le16(r + 10);
    zip->size = ordo_le32(r + 12);
    zip->offset = ordo_le32(r + 16);
    return ORDO_OK;
}

/* The same from the zip64 record, if there is one; moves *end to it. */
static enum ordo_status read_end64(const struct ordo_site *at, const struct ordo_bytes *b, uint64_t *end,
                                   struct ordo_zip *zip, bool *found)
{
    uint8_t locator[LOCATOR_SIZE], r[END64_SIZE];
    enum ordo_status status;
    uint64_t where;

    *found = false;
    if (*end < LOCATOR_SIZE)
        return ORDO_OK;
    status = ordo_bytes_read(at, b, *end - LOCATOR_SIZE, locator, LOCATOR_SIZE);
    if (status || !ordo_zip_signed(locator, 6, 7))
        return status;
    where = ordo_le64(locator + 8);
    if (*end - LOCATOR_SIZE < END64_SIZE || where > *end - LOCATOR_SIZE - END64_SIZE)
        return bad(at, "zip64 end record", "its locator points outside the file");
    status = ordo_bytes_read(at, b, where, r, END64_SIZE);
    if (status)
        return status;
    if (!ordo_zip_signed(r, 6, 6))
        return bad(at, "zip64 end record", "its locator points elsewhere");
    if (ordo_le32(r + 16) || ordo_le32(r + 20) || ordo_le64(r + 24) != ordo_le64(r + 32))
        return bad(at, "zip64 end record", "the archive is spread over several disks");
    zip->n_entry = ordo_le64(r + 32);
    zip->size = ordo_le64(r + 40);
    zip->offset = ordo_le64(r + 48);
    *end = where;
    *found = true;
    return ORDO_OK;
}

/* --- the directory ---------------------------------------------------------------------------------------------- */

/* Replaces the 32-bit fields that are all ones by those of the zip64 extra; false if it lacks them. */
static bool widen(const uint8_t *extra, size_t n_extra, struct ordo_zip_entry *e)
{
    uint64_t *field[] = {&e->size, &e->packed, &e->local};

    while (n_extra >= 4) {
        size_t n = ordo_le16(extra + 2), at = 0;
        bool wide = ordo_le16(extra) == 1;

        extra += 4;
        n_extra -= 4;
        if (n > n_extra)
            return false;
        for (int i = 0; wide && i < 3; i++) {
            if (*field[i] != UINT32_MAX)
                continue;
            if (n - at < 8)
                return false;
            *field[i] = ordo_le64(extra + at);
            at += 8;
        }
        if (wide)
            return true;
        extra += n;
        n_extra -= n;
    }
    return e->size != UINT32_MAX && e->packed != UINT32_MAX && e->local != UINT32_MAX;
}

/* One entry at *p, which moves on. */
static enum ordo_status read_entry(const struct ordo_site *at, const uint8_t **p, const uint8_t *end,
                                   struct ordo_zip_entry *e)
{
    const uint8_t *h = *p;
    size_t n_extra, n_comment;

    if (end - h < CENTRAL_SIZE || !ordo_zip_signed(h, 1, 2))
        return bad(at, "central directory", "an entry is cut off or lacks its signature");
    *e = (struct ordo_zip_entry){.name = (const char *)h + CENTRAL_SIZE,
                                 .n_name = ordo_le16(h + 28),
                                 .packed = ordo_le32(h + 20),
                                 .size = ordo_le32(h + 24),
                                 .local = ordo_le32(h + 42),
                                 .crc = ordo_le32(h + 16),
                                 .flags = ordo_le16(h + 8),
                                 .method = ordo_le16(h + 10)};
    n_extra = ordo_le16(h + 30);
    n_comment = ordo_le16(h + 32);
    if ((size_t)(end - h) < CENTRAL_SIZE + e->n_name + n_extra + n_comment)
        return bad(at, "central directory", "an entry is cut off");
    if (!widen(h + CENTRAL_SIZE + e->n_name, n_extra, e))
        return bad(at, "central directory", "an entry lacks the zip64 sizes that it refers to");
    *p = h + CENTRAL_SIZE + e->n_name + n_extra + n_comment;
    return ORDO_OK;
}

static bool climbs(const struct ordo_zip_entry *e)
{
    size_t start = 0;

    for (size_t i = 0; i <= e->n_name; i++)
        if (i == e->n_name || e->name[i] == '/' || e->name[i] == '\\') {
            if (i - start == 2 && memcmp(e->name + start, "..", 2) == 0)
                return true;
            start = i + 1;
        }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct ordo_zip_entry *x = *(const struct ordo_zip_entry *const *)a;
    const struct ordo_zip_entry *y = *(const struct ordo_zip_entry *const *)b;
    int order = memcmp(x->name, y->name, x->n_name < y->n_name ? x->n_name : y->n_name);

    return order ? order : (x->n_name > y->n_name) - (x->n_name < y->n_name);
}

static enum ordo_status check_names(const struct ordo_site *at, const struct ordo_zip *zip)
{
    const struct ordo_zip_entry **sorted = ordo_alloc(zip->n_entry, sizeof *sorted), *wrong = NULL;
    const char *why = "stands twice in the archive";
    char shown[80];

    if (!sorted)
        return ordo_site_no_memory(at, zip->n_entry, "names");
    for (uint64_t i = 0; i < zip->n_entry; i++)
        sorted[i] = &zip->entry[i];
    qsort(sorted, zip->n_entry, sizeof *sorted, by_name);
    for (uint64_t i = 0; !wrong && i + 1 < zip->n_entry; i++)
        if (by_name(&sorted[i], &sorted[i + 1]) == 0)
            wrong = sorted[i];
    free(sorted);
    for (uint64_t i = 0; !wrong && i < zip->n_entry; i++)
        if (climbs(&zip->entry[i])) {
            wrong = &zip->entry[i];
            why = "has a .. in its name";
        }
    if (!wrong)
        return ORDO_OK;
    return bad(at, ordo_printable(shown, sizeof shown, wrong->name, wrong->n_name), why);
}

static enum ordo_status read_directory(const struct ordo_site *at, struct ordo_zip *zip)
{
    enum ordo_status status = ORDO_OK;
    const uint8_t *p, *end;

    if (zip->n_entry > zip->size / CENTRAL_SIZE)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "central directory",
                              "%" PRIu64 " bytes are too few for %" PRIu64 " entries", zip->size, zip->n_entry);
    zip->directory = ordo_alloc(zip->size, 1);
    zip->entry = ordo_alloc(zip->n_entry, sizeof *zip->entry);
    if (!zip->directory || !zip->entry)
        return ordo_site_no_memory(at, zip->size, "bytes of directory");
    status = ordo_bytes_read(at, zip->from, zip->offset, zip->directory, zip->size);
    p = zip->directory;
    end = p + zip->size;
    for (uint64_t i = 0; !status && i < zip->n_entry; i++)
        status = read_entry(at, &p, end, &zip->entry[i]);
    if (!status && p != end)
        return bad(at, "central directory", "has something after its last entry");
    return status ? status : check_names(at, zip);
}

enum ordo_status ordo_zip_open(const struct ordo_site *at, const struct ordo_bytes *b, struct ordo_zip *zip)
{
    uint8_t record[END_SIZE] = {0};
    enum ordo_status status;
    uint64_t end = 0, size_end;
    bool wide = false;

    *zip = (struct ordo_zip){.from = b};
    status = find_end(at, b, record, &end);
    if (!status)
        status = read_end64(at, b, &end, zip, &wide);
    if (!status && !wide)
        status = read_end(at, record, zip);
    if (status)
        return status;
    if (!ordo_add(zip->offset, zip->size, &size_end) || size_end != end)
        return bad(at, "central directory", "does not end where the end record starts");
    status = read_directory(at, zip);
    if (status)
        ordo_zip_close(zip);
    return status;
}

void ordo_zip_close(struct ordo_zip *zip)
{
    free(zip->directory);
    free(zip->entry);
    *zip = (struct ordo_zip){0};
}
