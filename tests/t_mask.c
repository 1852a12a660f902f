/* t_mask.c - the mask build against one flag for each (row, rank), and the hand-over that the masks are for.
 *
 * The build is recorded on a tape, and the tape is replayed onto words. */
#include "protocol/mask.h"
#include "tests/naive.h"

enum { MAX_KV = 96, MAX_WORDS = MAX_KV / 2, MAX_COLUMNS = 16 };

/* Plays the tape onto the words; returns how many bits were not set before. */
static int32_t replay(const struct ordo_tape *tape, uint32_t *word)
{
    int32_t n_new = 0;

    assert_in_range(tape->n, 0, tape->size);
    for (uint32_t i = 0; i < tape->n; i++) {
        const struct ordo_record *r = &tape->record[i];

        assert_int_equal(r->op, ORDO_OP_RED_OR);
        assert_int_equal(r->width, ORDO_WIDTH_b32);
        assert_true(r->sem >= ORDO_SEM_relaxed && r->scope >= ORDO_SCOPE_gpu); /* CTAs share words */
        assert_int_equal(r->space, ORDO_SPACE_MASK);
        n_new += __builtin_popcount(r->value & ~word[r->index]);
        word[r->index] |= r->value;
    }
    return n_new;
}

/* One query's build, its columns dealt to n_thread threads, played last thread first. */
static int32_t build(uint32_t *word, const int32_t *idx, int32_t topk, int32_t length, int32_t n_kv, int32_t cluster,
                     int32_t rank, int32_t n_thread)
{
    int32_t n_new = 0;

    for (int32_t thread = n_thread; thread-- > 0;) {
        struct ordo_record record[MAX_COLUMNS];
        struct ordo_tape tape = {record, 0, MAX_COLUMNS};

        ordo_mask_build(&tape, (struct ordo_mem){ORDO_SPACE_MASK}, idx, topk, length, n_kv, cluster, rank, thread,
                        n_thread);
        n_new += replay(&tape, word);
    }
    return n_new;
}

/* Every bit of the words is the flag of (row, rank) = (bit / C, bit % C). */
static void assert_bits(const uint32_t *word, int32_t kv8, int32_t cluster, uint8_t flag[MAX_KV][16])
{
    for (int32_t bit = 0; bit < kv8 * cluster; bit++)
        assert_int_equal(word[bit / 32] >> bit % 32 & 1, flag[bit / cluster][bit % cluster]);
}

static void build_cluster(const struct ordo_problem *p, int32_t cluster, int32_t first_query)
{
    uint32_t word[MAX_WORDS + 1] = {0};
    uint8_t flag[MAX_KV][16] = {{0}};
    int32_t kv8 = (p->n_kv + 7) / 8 * 8;

    word[kv8 * cluster / 32] = 0xa5a5a5a5; /* a guard */
    for (int32_t rank = 0; rank < cluster && first_query + rank < p->n_query; rank++) {
        int32_t q = first_query + rank, want = 0;
        int32_t got = build(word, ordo_problem_row(p, q), p->topk, ordo_problem_length(p, q), p->n_kv, cluster, rank,
                            1 + q % 3);

        for (int32_t j = 0; j < p->topk; j++)
            if (naive_live(p, q, j)) {
                uint8_t *f = &flag[p->idx[q * p->topk + j]][rank];

                want += !*f;
                *f = 1;
            }
        assert_int_equal(got, want);
    }
    assert_bits(word, kv8, cluster, flag);
    assert_true(word[kv8 * cluster / 32] == 0xa5a5a5a5);
}

static void equals_naive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int32_t n_kv = 9 + (int32_t)(seed * 7 % (MAX_KV - 16)), length[48];
        struct ordo_problem p = random_problem(seed, 48, 9, n_kv, seed % 3 ? 0 : 5);

        for (int32_t q = 0; q < 48; q++)
            length[q] = (int32_t)((seed + (uint64_t)q * 5) % 14) - 2;
        p.length = seed % 2 ? length : NULL;
        for (int32_t cluster = 4; cluster <= 16; cluster *= 2)
            for (int32_t first = 0; first < 48; first += cluster)
                build_cluster(&p, cluster, first);
        free(p.idx);
    }
}

/* Dead slots of every kind set nothing; a repeated id is one bit and counted once. */
static void dead_and_repeated(void **state)
{
    const int32_t idx[] = {3, -1, INT32_MIN, 12, 13, INT32_MAX, 3, 0, 11, 5};
    uint32_t word[2] = {0};

    (void)state;
    assert_int_equal(build(word, idx, 10, 9, 12, 4, 1, 1), 3);
    assert_int_equal(word[0], 1u << 13 | 1u << 1);
    assert_int_equal(word[1], 1u << 13);
    assert_int_equal(build(word, idx, 10, 9, 12, 4, 1, 1), 0);
    assert_int_equal(build(word, idx, 10, 0, 12, 4, 2, 1), 0);
    assert_int_equal(build(word, idx, 10, -7, 12, 4, 2, 1), 0);
    assert_int_equal(build(word, idx, 10, INT32_MAX, 12, 4, 2, 1), 4);
}

/* Rank by rank the lower bits of a row are clear exactly when all lower writers have cleared their own. */
static void hand_over(void **state)
{
    (void)state;
    for (int32_t cluster = 4; cluster <= 16; cluster *= 2)
        for (uint32_t writers = 1; writers < 1u << cluster; writers += cluster == 16 ? 257 : 1) {
            uint32_t word[8] = {0};

            for (int32_t row = 4; row < 8; row++) /* neighbours in the same word stay set all the time */
                for (int32_t rank = 0; rank < cluster; rank++)
                    if (row != 6 || writers >> rank & 1)
                        (void)build(word, &row, 1, 1, 8, cluster, rank, 1);
            for (int32_t rank = 0; rank < cluster; rank++) {
                uint32_t *w = &word[ordo_mask_word(6, cluster)], own = ordo_mask_own(6, cluster, rank), before = *w;

                assert_int_equal(*w & ordo_mask_lower(6, cluster, rank), 0);
                for (int32_t higher = rank + 1; higher < cluster; higher++)
                    assert_int_equal((*w & ordo_mask_lower(6, cluster, higher)) != 0,
                                     (writers >> rank & ((1u << (higher - rank)) - 1)) != 0);
                assert_int_equal((*w & own) != 0, writers >> rank & 1);
                *w &= ~own;
                assert_int_equal(*w, before & ~own);
            }
        }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equals_naive),
        cmocka_unit_test(dead_and_repeated),
        cmocka_unit_test(hand_over),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
