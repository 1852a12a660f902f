/* golden_print.c - writing golden files. */
#include "kernels/golden.h"
#include "kernels/golden_impl.h"

#include <inttypes.h>

void ordo_golden_print_head(FILE *to, const struct ordo_golden *golden)
{
    fprintf(to, "ordo-golden 1\ndevice %s\nsm %" PRIu64 "\ndriver %s\ntoolkit %s\ncubin %s\n", golden->device,
            golden->sm, golden->driver, golden->toolkit, golden->cubin);
}

static void print_key(FILE *to, const struct ordo_golden_case *item, enum ordo_golden_key key)
{
    const struct ordo_golden_field *field = &ordo_golden_field[key];
    uint64_t value = item->value[key];

    if (field->names != NULL)
        fprintf(to, " %s=%s", field->name, ordo_golden_value_name(key, value));
    else if (key == ORDO_KEY_FIRST)
        fprintf(to, " %s=0x%08" PRIx64, field->name, value);
    else
        fprintf(to, " %s=%" PRIu64, field->name, value);
}

void ordo_golden_print(FILE *to, const struct ordo_golden_case *item)
{
    fprintf(to, "case %s", item->name);
    for (int key = 0; key < ORDO_KEYS; key++) {
        const struct ordo_golden_field *field = &ordo_golden_field[key];
        bool remark = field->name[0] == 'x' || key == ORDO_KEY_GROUP; /* said only where it says something */
        bool belongs = field->kinds >> item->value[ORDO_KEY_KIND] & 1;

        if (belongs && !(remark && item->value[key] == field->otherwise))
            print_key(to, item, (enum ordo_golden_key)key);
    }
    if (item->word == NULL) {
        fprintf(to, "\ndigest %016" PRIx64 " %" PRIu64 "\n", item->digest, item->n_word);
        return;
    }
    fprintf(to, "\nwords %" PRIu64 "\n", item->n_word);
    for (uint64_t i = 0; i < item->n_word; i++)
        fprintf(to, "%08" PRIx32 "%c", item->word[i], i % 8 == 7 || i + 1 == item->n_word ? '\n' : ' ');
}
