/* t_index.c - the index maps: lanes, ranks, planes, mask words and bits, plane elements. */
#include "protocol/index.h"
#include "tests/test.h"

#include <string.h>

static const int32_t cluster_of[] = {4, 8, 16};
enum { N_CLUSTER = 3 };

static void lanes_by_hand(void **state)
{
    (void)state;
    assert_int_equal(ordo_lane_wave(300, 128), 2);
    assert_int_equal(ordo_lane_of(300, 128), 44);
    assert_int_equal(ordo_lane_plane(44, 8), 5);
    assert_int_equal(ordo_lane_rank(44, 8), 4);
    assert_int_equal(ordo_lane_plane(44, 1), 44); /* private shards: every lane its plane */
    assert_int_equal(ordo_lane_rank(44, 1), 0);
    assert_int_equal(ordo_lane_query(2, 128, 5, 8, 4, 301), 300);
    assert_int_equal(ordo_lane_query(2, 128, 5, 8, 4, 300), -1);
    assert_int_equal(ordo_lane_query(0, 120, 14, 8, 7, 120), 119);
}

/* Each query is exactly one (wave, plane, rank), and a lane without a query says so. */
static void lanes_are_a_bijection(void **state)
{
    static const int32_t shape[][2] = {{32, 1}, {64, 1}, {128, 1}, {128, 4}, {128, 8}, {128, 16},
                                       {120, 4}, {120, 8}, {112, 16}, {8, 4}, {16, 16}};

    (void)state;
    for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++)
        for (int32_t n_query = 0; n_query < 400; n_query += 13) {
            int32_t width = shape[s][0], cluster = shape[s][1], n = 0;
            int seen[512] = {0};

            for (int32_t wave = 0; wave * width < n_query + width; wave++)
                for (int32_t plane = 0; plane < width / cluster; plane++)
                    for (int32_t rank = 0; rank < cluster; rank++) {
                        int64_t q = ordo_lane_query(wave, width, plane, cluster, rank, n_query);

                        if (q < 0) {
                            assert_true(wave * width + plane * cluster + rank >= n_query);
                            continue;
                        }
                        assert_true(q < n_query && !seen[q]++);
                        n++;
                        assert_int_equal(ordo_lane_wave((int32_t)q, width), wave);
                        assert_int_equal(ordo_lane_plane(ordo_lane_of((int32_t)q, width), cluster), plane);
                        assert_int_equal(ordo_lane_rank(ordo_lane_of((int32_t)q, width), cluster), rank);
                    }
            assert_int_equal(n, n_query);
        }
}

/* 2^31 - 1 queries: the last wave reaches past 32 bits. */
static void last_wave(void **state)
{
    (void)state;
    assert_int_equal(ordo_lane_query(16777215, 128, 15, 8, 6, INT32_MAX), INT32_MAX - 1);
    assert_int_equal(ordo_lane_query(16777215, 128, 15, 8, 7, INT32_MAX), -1);
    assert_int_equal(ordo_lane_query(17895697, 120, 0, 8, 6, INT32_MAX), INT32_MAX - 1);
    assert_int_equal(ordo_lane_query(17895697, 120, 14, 8, 7, INT32_MAX), -1);
}

static void packing_by_hand(void **state)
{
    (void)state;
    assert_int_equal(ordo_mask_rows_per_word(4), 8);
    assert_int_equal(ordo_mask_rows_per_word(8), 4);
    assert_int_equal(ordo_mask_rows_per_word(16), 2);
    assert_int_equal(ordo_mask_word(9, 4), 1);
    assert_int_equal(ordo_mask_shift(9, 4), 4);
    assert_int_equal(ordo_mask_own(9, 4, 2), 0x40);
    assert_int_equal(ordo_mask_lower(9, 4, 2), 0x30);
    assert_int_equal(ordo_mask_lower(9, 4, 0), 0);
    assert_int_equal(ordo_mask_word(7, 8), 1);
    assert_true(ordo_mask_own(7, 8, 7) == 0x80000000);
    assert_true(ordo_mask_lower(7, 8, 7) == 0x7f000000);
    assert_int_equal(ordo_mask_word(5, 16), 2);
    assert_true(ordo_mask_own(5, 16, 15) == 0x80000000);
    assert_true(ordo_mask_lower(5, 16, 15) == 0x7fff0000);
    assert_int_equal(ordo_mask_words(65544, 8), 16386);
    assert_int_equal(ordo_mask_words(1048576, 16), 524288);
    assert_int_equal(ordo_mask_words(INT64_C(1) << 31, 4), INT64_C(1) << 28);
    assert_int_equal(ordo_mask_word(INT32_MAX - 1, 16), (INT32_MAX - 1) / 2);
}

/* All bits of small masks: (row, rank) is bit row * C + rank of the words in a row; no two share one and none is left
 * over. */
static void packing_is_dense(void **state)
{
    (void)state;
    for (int c = 0; c < N_CLUSTER; c++)
        for (int32_t kv8 = 8; kv8 <= 64; kv8 += 8) {
            int32_t cluster = cluster_of[c];
            uint32_t word[32] = {0};

            assert_int_equal(ordo_mask_words(kv8, cluster) * 32, kv8 * cluster);
            for (int32_t row = 0; row < kv8; row++)
                for (int32_t rank = 0; rank < cluster; rank++) {
                    int64_t w = ordo_mask_word(row, cluster);
                    uint32_t own = ordo_mask_own(row, cluster, rank), lower = 0;

                    assert_int_equal(w, (row * cluster + rank) / 32);
                    assert_int_equal(own, UINT32_C(1) << (row * cluster + rank) % 32);
                    assert_int_equal(word[w] & own, 0);
                    word[w] |= own;
                    for (int32_t r = 0; r < rank; r++)
                        lower |= UINT32_C(1) << (row * cluster + r) % 32;
                    assert_int_equal(ordo_mask_lower(row, cluster, rank), lower);
                }
            for (int64_t w = 0; w < ordo_mask_words(kv8, cluster); w++)
                assert_int_equal(word[w], UINT32_MAX);
        }
}

/* Eight rows are whole words for every cluster size: sim/domain.h moves granules of eight. */
static void granules_are_whole_words(void **state)
{
    (void)state;
    for (int c = 0; c < N_CLUSTER; c++) {
        assert_int_equal(8 % ordo_mask_rows_per_word(cluster_of[c]), 0);
        for (int64_t row = 0; row < 64; row++) {
            assert_int_equal(ordo_mask_shift(row, cluster_of[c]), ordo_mask_shift(row % 8, cluster_of[c]));
            assert_int_equal(ordo_mask_word(row, cluster_of[c]),
                             row / 8 * ordo_mask_words(8, cluster_of[c]) + ordo_mask_word(row % 8, cluster_of[c]));
        }
    }
}

static void plane_elements(void **state)
{
    (void)state;
    assert_int_equal(ordo_plane_element(0, 10, 0, 576, 575), 575);
    assert_int_equal(ordo_plane_element(2, 10, 3, 576, 5), 23 * 576 + 5);
    /* 128 planes of 576 columns pass 2^31 elements at 29,128 rows, 512 columns at 32,768. */
    assert_int_equal(ordo_plane_element(127, 29128, 29127, 576, 575), INT64_C(2147549183));
    assert_int_equal(ordo_plane_element(127, 32768, 32767, 512, 511), (INT64_C(1) << 31) - 1);
    assert_int_equal(ordo_plane_element(127, 32769, 0, 512, 0), INT64_C(2130771456));
    assert_int_equal(ordo_plane_element(127, 1165085, 1165084, 576, 575), INT64_C(128) * 1165085 * 576 - 1);
    assert_int_equal(ordo_plane_element(0, 1, INT32_MAX, 1024, 1023), INT64_C(2147483647) * 1024 + 1023);
}

/* A row's columns in fragment order: each once, and four neighbours are what thread t has of an m64n16 fragment. */
static void plane_columns(void **state)
{
    static const int32_t of_thread[4] = {0, 1, 8, 9};

    (void)state;
    for (int32_t d8 = 8; d8 <= 1152; d8 += 8) {
        int seen[1152] = {0};

        for (int32_t d = 0; d < d8; d++) {
            int32_t at = ordo_plane_column(d, d8);

            assert_in_range(at, 0, d8 - 1);
            assert_int_equal(seen[at]++, 0);
            assert_int_equal(at / 16, d / 16);
        }
    }
    for (int32_t t = 0; t < 4; t++)
        for (int32_t i = 0; i < 4; i++)
            assert_int_equal(ordo_plane_column(16 + 2 * t + of_thread[i], 32), 16 + 4 * t + i);
    assert_int_equal(ordo_plane_column(18, 24), 18);
}

static void leaves(void **state)
{
    int seen[256] = {0};

    (void)state;
    for (uint32_t q = 0; q < 64; q++)
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t leaf = ordo_leaf(q, b, 4);

            assert_true(leaf < 256 && !seen[leaf]++);
        }
    assert_int_equal(ordo_leaf(300, 1, 2), 601);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(lanes_by_hand),    cmocka_unit_test(lanes_are_a_bijection),
        cmocka_unit_test(last_wave),        cmocka_unit_test(packing_by_hand),
        cmocka_unit_test(packing_is_dense), cmocka_unit_test(granules_are_whole_words),
        cmocka_unit_test(plane_elements),   cmocka_unit_test(plane_columns),
        cmocka_unit_test(leaves),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
