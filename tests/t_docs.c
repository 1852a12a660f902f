/* t_docs.c - the option tables, --help, the manual page and the completion say the same: every option and every word
 * of every verb is in each of them, and none has another.
 *
 * main.c is read in for its table of verbs. */
int ordo_main(int argc, char **argv);
#define main ordo_main
#include "cli/main.c"
#undef main

#include "tests/test.h"

#include <stdlib.h>

/* What print prints, to be freed. */
static char *made(void (*print)(FILE *out))
{
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM);
    FILE *out = tmpfile();

    assert_non_null(text);
    assert_non_null(out);
    print(out);
    rewind(out);
    text[fread(text, 1, ROOM - 1, out)] = '\0';
    assert_int_equal(fclose(out), 0);
    return text;
}

static void print_man(FILE *out)
{
    ordo_docs_man(verbs, out);
}

static void print_bash(FILE *out)
{
    ordo_docs_bash(verbs, out);
}

static const struct ordo_verb *printed;

static void print_help(FILE *out)
{
    ordo_help_verb(printed, out);
}

static int times(const char *text, const char *part)
{
    int n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

#define assert_once(text, part, verb)                                                              \
    do {                                                                                           \
        if (times(text, part) != 1)                                                                \
            fail_msg("%s: '%s' stands %d times in: %s", verb, part, times(text, part), text);      \
    } while (0)

static int n_options(const struct ordo_verb *v)
{
    int n = 0;

    while (v->option[n].name)
        n++;
    return n;
}

/* As mdoc writes a text of ours. */
static void escape(const char *text, char *out)
{
    for (; *text; text++)
        out += sprintf(out, *text == '-' ? "\\-" : "%c", *text);
    *out = '\0';
}

/* --- --help ----------------------------------------------------------------------------------------------------- */

static void in_help(void **state)
{
    char part[128];

    (void)state;
    for (int i = 0; verbs[i]; i++) {
        char *text, *options;

        printed = verbs[i];
        text = made(print_help);
        options = strstr(text, "\noptions:\n");
        assert_non_null(options);
        for (const struct ordo_option *o = verbs[i]->option; o->name; o++) {
            (void)snprintf(part, sizeof part, "  --%s%s", o->name, " ");
            if (o->letter)
                (void)snprintf(part, sizeof part, "  -%c, --%s ", o->letter, o->name);
            assert_once(options, part, verbs[i]->name);
            assert_non_null(strstr(options, o->help));
        }
        /* One line each begins so, and --help. */
        assert_int_equal(times(options, "\n      --") + times(options, "\n  -"), n_options(verbs[i]) + 1);
        for (const struct ordo_word *w = verbs[i]->word; w && w->name; w++) {
            (void)snprintf(part, sizeof part, "\n  %s%s%s", w->name, *w->operands ? " " : "", w->operands);
            assert_non_null(strstr(text, part));
            assert_non_null(strstr(text, w->help));
        }
        free(text);
    }
}

/* --- the manual page -------------------------------------------------------------------------------------------- */

static void in_man(void **state)
{
    char *text = made(print_man), part[256], name[128], *section, *end;
    int n = 0;

    (void)state;
    for (int i = 0; verbs[i]; i++) {
        (void)snprintf(part, sizeof part, "\n.Ss %s\n", verbs[i]->name);
        assert_once(text, part, "man");
        section = strdup(strstr(text, part) + 1);
        assert_non_null(section);
        end = strstr(section, verbs[i + 1] ? "\n.Ss " : "\n.Sh ");
        assert_non_null(end);
        *end = '\0';
        for (const struct ordo_option *o = verbs[i]->option; o->name; o++) {
            escape(o->name, name);
            (void)snprintf(part, sizeof part, "Fl Fl %s%s", name, o->kind == ORDO_OPT_FLAG ? "\n" : " Ar ");
            assert_once(section, part, verbs[i]->name);
        }
        assert_int_equal(times(section, "Fl Fl "), n_options(verbs[i]) + 1);
        for (const struct ordo_word *w = verbs[i]->word; w && w->name; w++, n++) {
            (void)snprintf(part, sizeof part, "\n.It Cm %s%s", w->name, *w->operands ? " Ar " : "\n");
            assert_once(section, part, verbs[i]->name);
        }
        free(section);
    }
    assert_int_equal(times(text, "\n.It Cm "), n);
    for (const struct ordo_exit_code *e = ordo_exit_codes; e->text; e++) {
        (void)snprintf(part, sizeof part, "\n.It %d\n", e->code);
        assert_once(text, part, "exit codes");
    }
    free(text);
}

/* --- the completion --------------------------------------------------------------------------------------------- */

/* The text between the quotes of KEY='...' in the verb's line, with a blank at both ends; to be freed. */
static char *words_of(const char *text, const struct ordo_verb *v, const char *key)
{
    char start[64], *line, *end, *words;

    (void)snprintf(start, sizeof start, "\n    %s) first='", v->name);
    line = strdup(strstr(text, start) ? strstr(text, start) + 1 : "");
    assert_non_null(line);
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(start, sizeof start, "%s='", key);
    assert_non_null(strstr(line, start));
    words = malloc(strlen(line) + 3);
    assert_non_null(words);
    (void)sprintf(words, " %s", strstr(line, start) + strlen(start));
    end = strchr(words, '\'');
    assert_non_null(end);
    (void)strcpy(end, " ");
    free(line);
    return words;
}

static void in_completion(void **state)
{
    char *text = made(print_bash), part[128], *words, *known;

    (void)state;
    for (int i = 0; verbs[i]; i++) {
        (void)snprintf(part, sizeof part, "\n    %s) first='", verbs[i]->name);
        assert_once(text, part, "completion");
        words = words_of(text, verbs[i], "options");
        for (const struct ordo_option *o = verbs[i]->option; o->name; o++) {
            (void)snprintf(part, sizeof part, " --%s ", o->name);
            assert_once(words, part, verbs[i]->name);
            (void)snprintf(part, sizeof part, "    %s:--%s", verbs[i]->name, o->name);
            assert_int_equal(strstr(text, part) != NULL, o->kind != ORDO_OPT_FLAG);
        }
        assert_int_equal(times(words, " --"), n_options(verbs[i]) + 1);
        known = words_of(text, verbs[i], "first");
        for (const struct ordo_word *w = verbs[i]->word; w && w->name; w++) {
            (void)snprintf(part, sizeof part, " %.*s ", (int)strcspn(w->name, " "), w->name);
            assert_once(known, part, verbs[i]->name);
        }
        for (size_t j = 0; verbs[i]->first && verbs[i]->first(j); j++) {
            (void)snprintf(part, sizeof part, " %s ", verbs[i]->first(j));
            assert_once(known, part, verbs[i]->name);
        }
        free(known);
        free(words);
    }
    free(text);
}

static void all_verbs_listed(void **state)
{
    char *bash = made(print_bash), part[64];

    (void)state;
    for (int i = 0; verbs[i]; i++) {
        (void)snprintf(part, sizeof part, " %s", verbs[i]->name);
        assert_true(times(bash, part) >= 2); /* at the first place, and behind help */
    }
    free(bash);
}

/* Nothing of ours is taken for a command of mdoc. */
static void man_is_mdoc(void **state)
{
    static const char *const known = " Dd Dt Os Sh Nm Nd Ar Op Fl Pp Ss Dl It Bl El Cm Bd Ed Ev \\\" ";
    char *text = made(print_man), word[8];

    (void)state;
    for (char *line = strstr(text, "\n."); line; line = strstr(line + 1, "\n.")) {
        (void)snprintf(word, sizeof word, " %.2s ", line + 2);
        if (!strstr(known, word))
            fail_msg("not known to mdoc: %.60s", line + 1);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_help),          cmocka_unit_test(in_man),     cmocka_unit_test(in_completion),
        cmocka_unit_test(all_verbs_listed), cmocka_unit_test(man_is_mdoc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
