/* replay_main.c - runs a harness over every file of the folders given as arguments, so that what fuzzing once found
 * stays found with any compiler.  Without arguments: the harness's own seeds in the source tree. */
#include "tests/fuzz/harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;

    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size >= 0)
        data = malloc((size_t)size + !size);
    if (data) {
        rewind(f);
        if (fread(data, 1, (size_t)size, f) == (size_t)size)
            (void)LLVMFuzzerTestOneInput(data, (size_t)size);
        else
            size = -1;
    }
    free(data);
    if (f)
        (void)fclose(f);
    if (size < 0)
        fprintf(stderr, "%s: cannot be read\n", path);
    return size < 0;
}

/* Adds to *n the files seen; returns how many could not be read. */
static int replay_folder(const char *folder, int *n)
{
    struct dirent **entry;
    int n_entry = scandir(folder, &entry, NULL, alphasort), n_bad = n_entry < 0;

    if (n_entry < 0)
        fprintf(stderr, "%s: cannot be opened\n", folder);
    for (int i = 0; i < n_entry; i++) {
        char path[1024];

        if (entry[i]->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
            n_bad += replay_file(path);
            ++*n;
        }
        free(entry[i]);
    }
    if (n_entry >= 0)
        free(entry);
    return n_bad;
}

int main(int argc, char **argv)
{
    const char *srcdir = getenv("srcdir");
    char own[512];
    int n = 0, n_bad = 0;

    (void)snprintf(own, sizeof own, "%s/tests/fuzz/seeds/%s", srcdir ? srcdir : ".", ORDO_SEEDS);
    if (argc < 2)
        n_bad = replay_folder(own, &n);
    for (int i = 1; i < argc; i++)
        n_bad += replay_folder(argv[i], &n);
    printf("%d inputs replayed\n", n);
    return n_bad || !n;
}
