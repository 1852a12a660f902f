/* cmd_doctor.c - `ordo doctor`: what this machine can do.  Nothing is a failure but what keeps `ordo check` from
 * running. */
#include "base/digest.h"
#include "cli/doctor_gpu.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verb.h"
#include "oracle/truth_mpfr.h"
#include "store/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>

struct doctor {
    const struct ordo_args *args;
    json_t *checks; /* with --json */
    int failures;
};

/* One line; needed: without it the main job cannot run. */
static void say(struct doctor *d, bool fails, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(struct doctor *d, bool fails, const char *name, const char *format, ...)
{
    char text[512];
    va_list args;
    json_t *o;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->failures += fails;
    if (!d->args->json) {
        printf("%-14s%s%s\n", name, fails ? "FAILS: " : "", text);
        return;
    }
    o = ordo_need(json_object());
    ordo_json_text(o, "name", name);
    ordo_json_bool(o, "fails", fails);
    ordo_json_text(o, "text", text);
    ordo_need(json_array_append_new(d->checks, o) == 0 ? d->checks : NULL);
}

/* --- the program ------------------------------------------------------------------------------------------------ */

static void look_at_build(struct doctor *d)
{
    int major = 0, minor = 0;

    say(d, false, "ordo", "%s", PACKAGE_VERSION);
#ifdef __clang__
    say(d, false, "compiler", "clang %s, C%ld", __VERSION__, __STDC_VERSION__ / 100 % 100);
#else
    say(d, false, "compiler", "gcc %s, C%ld", __VERSION__, __STDC_VERSION__ / 100 % 100);
#endif
    (void)sscanf(ordo_store_library(), "%d.%d", &major, &minor);
    say(d, major < 3 || (major == 3 && minor < 37), "SQLite", "%s%s", ordo_store_library(),
        major == 3 && minor < 37 ? "; 3.37 or later is needed" : "");
    say(d, false, "MPFR", "%s", ordo_truth_library());
    say(d, false, "zlib", "%s", zlibVersion());
    say(d, false, "jansson", "%s", jansson_version_str());
    say(d, false, "libsodium", "%s", ordo_digest_library());
}

/* --- the processor ---------------------------------------------------------------------------------------------- */

static void look_at_processor(struct doctor *d)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    say(d, false, "cores", "%ld", cores);
    say(d, false, "memory", "%lld MiB", (long long)pages * size >> 20);
#if defined(__x86_64__) || defined(__i386__)
    say(d, false, "instructions", "AVX2 %s, FMA %s, AVX-512 F %s, BF16 %s",
        __builtin_cpu_supports("avx2") ? "yes" : "no", __builtin_cpu_supports("fma") ? "yes" : "no",
        __builtin_cpu_supports("avx512f") ? "yes" : "no", __builtin_cpu_supports("avx512bf16") ? "yes" : "no");
#else
    say(d, false, "instructions", "AVX2 no, AVX-512 no: another architecture");
#endif
}

/* The first line of a file without its end; "" if there is none. */
static const char *first_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "r");

    line[0] = '\0';
    if (f && fgets(line, size, f))
        line[strcspn(line, "\n")] = '\0';
    if (f)
        (void)fclose(f);
    return line;
}

/* Of "always [madvise] never" the word in brackets. */
static void look_at_huge_pages(struct doctor *d)
{
    char line[128], reserved[32];
    bool there = first_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    char *start = strchr(there ? line : "", '[');
    char *end = start ? strchr(start, ']') : NULL;

    if (end)
        *end = '\0';
    (void)first_line("/proc/sys/vm/nr_hugepages", reserved, sizeof reserved);
    say(d, false, "huge pages", "transparent: %s; reserved: %s", end ? start + 1 : "not known",
        *reserved ? reserved : "not known");
}

/* --- CUDA ------------------------------------------------------------------------------------------------------- */

/* The first executable of that name in PATH, or in the usual place; NULL without. */
static const char *find_nvcc(char *path, size_t size)
{
    const char *at = getenv("PATH");

    while (at && *at) {
        size_t n = strcspn(at, ":");

        if (snprintf(path, size, "%.*s/nvcc", (int)n, at) < (int)size && access(path, X_OK) == 0)
            return path;
        at += n + (at[n] == ':');
    }
    (void)snprintf(path, size, "/usr/local/cuda/bin/nvcc");
    return access(path, X_OK) == 0 ? path : NULL;
}

static void look_at_cuda(struct doctor *d)
{
    struct ordo_gpus gpus;
    char path[1024], name[16];
    const char *nvcc = find_nvcc(path, sizeof path);

    say(d, false, "nvcc", "%s",
        nvcc ? nvcc : "none in PATH or /usr/local/cuda/bin (only kernels and their tests want it)");
    ordo_gpus_ask(&gpus);
    say(d, false, "CUDA driver", "%s", gpus.driver);
    if (gpus.n == 0)
        say(d, false, "GPU", "none (checks, proofs and bits need none)");
    for (int i = 0; i < gpus.n; i++) {
        (void)snprintf(name, sizeof name, "GPU %d", i);
        say(d, false, name, "%s", gpus.gpu[i]);
    }
}

/* --- where things are kept -------------------------------------------------------------------------------------- */

/* The folder of path, to be freed. */
static char *folder_of(const char *path)
{
    char *folder = ordo_need(strdup(path)), *slash = strrchr(folder, '/');

    if (slash)
        slash[slash == folder] = '\0';
    else
        folder = (free(folder), ordo_need(strdup(".")));
    return folder;
}

static void look_at_space(struct doctor *d, const char *name, const char *folder)
{
    struct statvfs fs;

    if (statvfs(folder, &fs) != 0)
        say(d, false, name, "%s: %s", folder, strerror(errno));
    else
        say(d, false, name, "%llu MiB free in %s", (unsigned long long)fs.f_bavail * fs.f_frsize >> 20, folder);
}

/* An old file is upgraded by the next write; one that cannot be read or written stops the main job. */
static void look_at_database(struct doctor *d)
{
    const char *path = ordo_input_db(d->args) ? ordo_input_db(d->args) : "ordo.db", *tmp = getenv("TMPDIR");
    char *folder = folder_of(path);
    struct ordo_store *store = NULL;
    struct ordo_err err = {0};
    bool there = access(path, F_OK) == 0, writable = access(folder, W_OK | X_OK) == 0;

    if (there)
        writable = writable && access(path, W_OK) == 0;
    if (!writable)
        say(d, true, "database", "%s cannot be written: %s (`--db FILE` names another, --no-db none)", path,
            strerror(errno));
    else if (!there)
        say(d, false, "database", "%s will be made", path);
    else if (ordo_store_open(path, ORDO_STORE_READ, &store, &err) == ORDO_OK)
        say(d, false, "database", "%s is there and up to date", path);
    else
        say(d, strcmp(err.field, "user_version") != 0 || !strstr(err.reason, "upgrade"), "database", "%s: %s: %s",
            path, err.field, err.reason);
    ordo_store_close(store);
    look_at_space(d, "disk", folder);
    look_at_space(d, "scratch", tmp && *tmp ? tmp : "/tmp");
    free(folder);
}

static int run(struct ordo_args *args)
{
    struct doctor d = {.args = args, .checks = args->json ? ordo_need(json_array()) : NULL};
    json_t *o;

    look_at_build(&d);
    look_at_processor(&d);
    look_at_huge_pages(&d);
    look_at_cuda(&d);
    look_at_database(&d);
    if (args->json) {
        o = ordo_json_new("ordo.doctor/1");
        ordo_json_bool(o, "main_job_runs", d.failures == 0);
        ordo_json_set(o, "checks", d.checks);
        ordo_out_json(o);
    } else {
        puts(d.failures ? "`ordo check` cannot run as it stands" : "`ordo check` can run");
    }
    return d.failures ? ORDO_ENVIRONMENT : ORDO_OK;
}

static const struct ordo_option options[] = {
    {.name = "db", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "the database (else $ORDO_DB, else ordo.db)"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_doctor = {
    .name = "doctor",
    .summary = "say what this machine can do: build, libraries, processor, CUDA, database",
    .operands = "",
    .max_operands = 0,
    .option = options,
    .run = run,
};
