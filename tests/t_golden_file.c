/* t_golden_file.c - golden files come back as they were written, and what does not fit is refused by its line. */
#include "base/probes.h"
#include "kernels/golden.h"
#include "kernels/product.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "ordo-golden 1\ndevice D\nsm 90\ndriver 1\ntoolkit 2\ncubin 3\n"
#define ADD "case a kind=add op=bulk family=raw seed=1 n=2\n"
#define EXP "case e kind=unary op=exp2.5 first=0x3f800000 step=1 n=3\n"
#define MMA "case m kind=mma arch=sm90 unit=wgmma family=tiny-c seed=0x10 rows=64 cols=8 groups=1 tiles=2 init=zero\n"

static enum ordo_status parse(struct ordo_golden *golden, const char *text, struct ordo_err *err)
{
    return ordo_golden_parse(golden, "text", text, strlen(text), err);
}

static void values_are_read(void **state)
{
    struct ordo_golden golden;
    struct ordo_err err = {.file = ""};

    (void)state;
    assert_ok(parse(&golden,
                    HEAD "# remark\n" ADD "words 2\n00000001 7fffffff\n" EXP "digest 0123456789abcdef 3\n" MMA
                         "digest ffffffffffffffff 1024\n",
                    &err),
              err);
    assert_int_equal(golden.n, 3);
    assert_string_equal(golden.device, "D");
    assert_int_equal(golden.sm, 90);
    assert_int_equal(golden.item[0].value[ORDO_KEY_OP], ORDO_OPS + ORDO_BULK);
    assert_int_equal(golden.item[0].word[1], 0x7fffffff);
    assert_int_equal(golden.item[0].digest, ordo_golden_digest(golden.item[0].word, 2));
    assert_int_equal(golden.item[1].value[ORDO_KEY_FIRST], 0x3f800000);
    assert_null(golden.item[1].word);
    assert_int_equal(golden.item[1].digest, UINT64_C(0x0123456789abcdef));
    assert_int_equal(golden.item[2].value[ORDO_KEY_SEED], 16);
    assert_int_equal(golden.item[2].value[ORDO_KEY_GROUP], 16);
    assert_int_equal(golden.item[2].value[ORDO_KEY_INIT], 1);
    ordo_golden_free(&golden);
}

static void what_is_printed_is_read_back(void **state)
{
    uint32_t word[9] = {0, 1, 2, 3, 0x80000000, 0xffffffff, 0x7fffffff, 7, 8};
    struct ordo_golden out = {"a card", "580.1", "13.0.88", "abc", 90, NULL, 0}, in;
    struct ordo_golden_case a = {"a.1", {0}, 9, word, 0}, b = {"b-2", {0}, 1024, NULL, 0xfeed};
    struct ordo_err err = {.file = ""};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    (void)state;
    assert_non_null(file);
    ordo_golden_defaults(a.value);
    a.value[ORDO_KEY_KIND] = ORDO_GOLDEN_UNARY;
    a.value[ORDO_KEY_OP] = ORDO_OP_LOG2;
    a.value[ORDO_KEY_FIRST] = 0xfffffff0;
    a.value[ORDO_KEY_N] = 9;
    ordo_golden_defaults(b.value);
    b.value[ORDO_KEY_UNIT] = ORDO_UNIT_WGMMA;
    b.value[ORDO_KEY_ROWS] = 64;
    b.value[ORDO_KEY_COLS] = 16;
    b.value[ORDO_KEY_GROUPS] = 36;
    b.value[ORDO_KEY_X_SWIZZLE_B] = 3;
    ordo_golden_print_head(file, &out);
    ordo_golden_print(file, &a);
    ordo_golden_print(file, &b);
    assert_int_equal(fclose(file), 0);
    assert_ok(parse(&in, text, &err), err);
    assert_string_equal(in.cubin, "abc");
    assert_int_equal(in.n, 2);
    assert_memory_equal(in.item[0].value, a.value, sizeof a.value);
    assert_memory_equal(in.item[0].word, word, sizeof word);
    assert_memory_equal(in.item[1].value, b.value, sizeof b.value);
    assert_int_equal(in.item[1].digest, 0xfeed);
    ordo_golden_free(&in);
    free(text);
}

static const struct {
    const char *text, *field, *reason;
} bad[] = {
    {"", "", "line 1: is not `ordo-golden 1`"},
    {HEAD, "", "line 7: the file has no case"},
    {"ordo-golden 1\ndevice D\nsm 90\ndriver 1\ntoolkit 2\n" ADD, "case",
     "line 6: comes before device, sm, driver, toolkit and cubin"},
    {HEAD "sm 90\n", "sm", "line 7: comes twice"},
    {HEAD "cubin 4\n", "cubin", "line 7: comes twice"},
    {"ordo-golden 1\nsm ninety\n", "sm", "line 2: has no such value"},
    {"ordo-golden 1\ndriver\n", "driver", "line 2: has no text that fits"},
    {HEAD "colour red\n", "colour", "line 7: is an unknown line"},
    {HEAD "case A.b kind=probe unit=wgmma\n", "case",
     "line 7: has no name of small letters, digits, dots and dashes"},
    {HEAD "case a kind\n", "kind", "line 7: is not key=value"},
    {HEAD "case a kind=sum\n", "kind", "line 7: has no such value"},
    {HEAD "case a kind=add colour=red\n", "colour", "line 7: is an unknown key"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=2 x-form=v4\n", "x-form", "line 7: is not a form of this op"},
    {HEAD "case a kind=unary op=log2 first=0 n=2 x-form=x2\n", "x-form", "line 7: is not a form of this op"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=2 x-from=atom\n", "x-from", "line 7: is an unknown key"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=2 n=2\n", "n", "line 7: comes twice"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=010\ndigest 0123456789abcdef 8\n", "a",
     "line 8: announces another number of words than its keys say"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=0x\n", "n", "line 7: has no such value"},
    {HEAD ADD "words 2\n00000001 00000002\n" ADD, "a", "line 10: comes twice"},
    {HEAD "case a kind=add op=bulk family=raw seed=-1 n=2\n", "seed", "line 7: has no such value"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=4294967297\n", "n", "line 7: has no such value"},
    {HEAD "case a kind=add op=bulk family=raw n=2\n", "seed", "line 7: is missing"},
    {HEAD "case a kind=add op=bulk family=raw seed=1 n=2 rows=3\n", "rows", "line 7: does not belong to this kind"},
    {HEAD "case a kind=add op=log2 family=raw seed=1 n=2\n", "op", "line 7: is not of this kind"},
    {HEAD "case a kind=unary op=bulk first=0 n=2\n", "op", "line 7: is not of this kind"},
    {HEAD "case a kind=mma arch=sm90 unit=wgmma family=raw seed=1 rows=8 cols=8 groups=1 init=c group=12\n", "group",
     "line 7: is neither 16 nor 8"},
    {HEAD "case a kind=mma arch=sm90 unit=wgmma family=raw seed=1 rows=4096 cols=4096 groups=1 init=c tiles=9\n", "",
     "line 7: the case has too many words"},
    {HEAD ADD EXP, "case", "line 8: is not the output of the case above"},
    {HEAD ADD "words 3\n", "a", "line 8: announces another number of words than its keys say"},
    {HEAD ADD "words 2 2\n", "a", "line 8: announces another number of words than its keys say"},
    {HEAD ADD "digest 0123456789abcde 2\n", "a", "line 8: has no digest of 16 hex digits"},
    {HEAD ADD "digest 0123456789abcdefg 2\n", "a", "line 8: has no digest of 16 hex digits"},
    {HEAD ADD "words 2\n00000001 0000002\n", "a",
     "line 9: is not a line of words of 8 hex digits, as many as announced"},
    {HEAD ADD "words 2\n00000001 00000002 00000003\n", "a",
     "line 9: is not a line of words of 8 hex digits, as many as announced"},
    {HEAD ADD "words 2\n00000001\n", "", "line 10: the file ends inside a case"},
    {HEAD ADD, "", "line 8: the file ends inside a case"},
};

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ordo_golden golden;
        struct ordo_err err = {.file = ""};

        assert_int_equal(parse(&golden, bad[i].text, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.file, "text");
        assert_string_equal(err.field, bad[i].field);
        assert_string_equal(err.reason, bad[i].reason);
        ordo_golden_free(&golden);
    }
}

static void a_zero_byte_is_refused(void **state)
{
    static const char text[] = HEAD ADD "words 2\n00000001 00000002\n\0case";
    struct ordo_golden golden;
    struct ordo_err err = {.file = ""};

    (void)state;
    assert_int_equal(ordo_golden_parse(&golden, "text", text, sizeof text, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.reason, "is not text");
    ordo_golden_free(&golden);
}

/* Blocks of 65,536 words: the digest of the whole is that of the blocks' digests, low word first. */
static void digests_are_of_blocks(void **state)
{
    size_t n = 65536 + 3;
    uint32_t *word = calloc(n, sizeof *word);
    uint64_t first = ordo_golden_digest(word, 65536), second, both, start = UINT64_C(1469598103934665603);
    const uint64_t prime = UINT64_C(1099511628211);

    (void)state;
    assert_non_null(word);
    word[n - 1] = 5;
    second = ((start * prime * prime) ^ 5) * prime;
    both = ((first ^ (second & 0xffffffff)) * prime ^ (second >> 32)) * prime;
    assert_int_equal(ordo_golden_digest(word, n), both);
    free(word);
}

static void unreadable_file(void **state)
{
    struct ordo_golden golden;
    struct ordo_err err = {.file = ""};

    (void)state;
    assert_int_equal(ordo_golden_read(&golden, "no/such/file", &err), ORDO_BAD_INPUT);
    assert_string_equal(err.file, "no/such/file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(digests_are_of_blocks),
        cmocka_unit_test(unreadable_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
