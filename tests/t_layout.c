/* t_layout.c - the places of wgmma operands: each element its own, in whole 16-byte chunks, a slice where it starts.
 *
 * That the card reads them there is `capture --layouts`; this needs no card. */
#include "kernels/layout.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

/* Runs check on every layout: both majors, all swizzles, the rows and steps that capture uses. */
static void on_each(void (*check)(const struct ordo_layout *layout))
{
    static const uint32_t rows[] = {8, 16, 24, 32, 40, 64, 96, 128, 144, 240, 248, 256};

    for (uint32_t major = 0; major < 2; major++)
        for (uint32_t width = 1; width <= 8; width *= 2)
            for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                for (uint32_t steps = 1; steps <= 6; steps++) {
                    struct ordo_layout layout = {major, width, rows[i], 16 * steps};

                    check(&layout);
                }
}

static void check_places(const struct ordo_layout *layout)
{
    uint32_t bytes = ordo_layout_bytes(layout);
    uint8_t *taken = calloc(bytes, 1);

    assert_non_null(taken);
    assert_int_equal(bytes % ORDO_LAYOUT_ALIGN, 0);
    for (uint32_t row = 0; row < layout->rows; row++)
        for (uint32_t k = 0; k < layout->k; k++) {
            uint32_t at = ordo_layout_place(layout, row, k), along = layout->mn_major ? row : k;
            uint32_t first = layout->mn_major ? ordo_layout_place(layout, row & ~7u, k)
                                              : ordo_layout_place(layout, row, k & ~7u);

            assert_true(at + 2 <= bytes && at % 2 == 0);
            assert_int_equal(taken[at], 0);
            taken[at] = 1;
            assert_int_equal(first % 16, 0);
            assert_int_equal(at, first + 2 * (along & 7));
        }
    free(taken);
}

static void places_are_distinct(void **state)
{
    (void)state;
    on_each(check_places);
}

/* Row 0 of a slice is line 0 of its atom, which the swizzle leaves alone. */
static void check_slices(const struct ordo_layout *layout)
{
    for (uint32_t k = 0; k < layout->k; k += 16) {
        uint64_t d = ordo_layout_descriptor(layout, 4096 + ordo_layout_slice(layout, k));

        assert_int_equal(ordo_layout_slice(layout, k), ordo_layout_place(layout, 0, k));
        assert_int_equal((d & 0x3fff) << 4, 4096 + ordo_layout_slice(layout, k));
    }
}

static void slices_start_at_their_first_element(void **state)
{
    (void)state;
    on_each(check_slices);
}

/* The strides of a descriptor are the distances of elements: 8 rows or k apart, or a line of chunks. */
static void check_strides(const struct ordo_layout *layout)
{
    uint64_t d = ordo_layout_descriptor(layout, 0);
    uint32_t leading = (uint32_t)(d >> 16 & 0x3fff) << 4, stride = (uint32_t)(d >> 32 & 0x3fff) << 4;
    uint32_t atom_rows = layout->mn_major ? 8 * layout->width : 8;
    int one_along_rows = layout->mn_major && layout->width > 1;

    if (layout->rows > atom_rows)
        assert_int_equal(one_along_rows ? leading : stride, ordo_layout_place(layout, atom_rows, 0));
    if (layout->mn_major || layout->width == 1)
        assert_int_equal(one_along_rows ? stride : leading, ordo_layout_place(layout, 0, 8));
    assert_int_equal(d >> 62, layout->width == 1 ? 0 : layout->width == 2 ? 3 : layout->width == 4 ? 2 : 1);
}

static void strides_are_distances(void **state)
{
    (void)state;
    on_each(check_strides);
}

/* PTX ISA, "Swizzling modes": the chunk's number is xored with the line's, whole, halved or quartered. */
static void swizzles_are_the_isas(void **state)
{
    (void)state;
    for (uint32_t line = 0; line < 8; line++)
        for (uint32_t chunk = 0; chunk < 8; chunk++) {
            struct ordo_layout k128 = {0, 8, 8, 64}, mn64 = {1, 4, 64, 16}, k32 = {0, 2, 8, 64}, none = {0, 1, 8, 64};

            assert_int_equal(ordo_layout_place(&k128, line, 8 * chunk), 128 * line + 16 * (chunk ^ line));
            assert_int_equal(ordo_layout_place(&none, line, 8 * chunk), 128 * chunk + 16 * line);
            assert_int_equal(ordo_layout_place(&k32, line, 8 * (chunk % 2)), 32 * line + 16 * (chunk % 2 ^ line / 4));
            assert_int_equal(ordo_layout_place(&mn64, 8 * (chunk % 4), line),
                             64 * line + 16 * (chunk % 4 ^ line / 2));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_distinct),
        cmocka_unit_test(slices_start_at_their_first_element),
        cmocka_unit_test(strides_are_distances),
        cmocka_unit_test(swizzles_are_the_isas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
