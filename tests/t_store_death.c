/* t_store_death.c - no death, full disk or second writer costs a run that was reported as stored. */
#include "tests/store_helper.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Stores runs for ever and writes each id to fd once it is stored. */
static void write_for_ever(int fd)
{
    struct ordo_store *store;
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;

    if (ordo_store_open(db, ORDO_STORE_WRITE, &store, &err) != ORDO_OK)
        _exit(1);
    for (fill(&s, 1);; s.problem.digest.byte[0]++)
        if (ordo_store_add_run(store, &s.run, &id, &err) != ORDO_OK || write(fd, &id, sizeof id) != sizeof id)
            _exit(1);
}

/* Kills a writer some microseconds after its n-th report; returns the last id it reported, 0 for none.  Time alone
 * would kill it before the first one on a busy machine. */
static int64_t killed_writer(int n, useconds_t after)
{
    int64_t id, last = 0;
    int fd[2], how;
    pid_t child;

    assert_int_equal(pipe(fd), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_for_ever(fd[1]);
    assert_int_equal(close(fd[1]), 0);
    for (; n > 0 && read(fd[0], &id, sizeof id) == sizeof id; n--) {
        assert_true(id > last);
        last = id;
    }
    (void)usleep(after);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how)); /* it did not end by itself, on an error */
    while (read(fd[0], &id, sizeof id) == sizeof id) {
        assert_true(id > last);
        last = id;
    }
    (void)close(fd[0]);
    return last;
}

static void killed(void **state)
{
    int64_t last = 0, stored = 0, reported;
    int round;

    (void)state;
    for (round = 0; round < 50; round++) {
        reported = killed_writer(round % 7 + (round > 3), (useconds_t)(round * 797 % 10000));
        if (access(db, F_OK) != 0 || reported == 0)
            continue;
        last = reported;
        assert_sound();
        stored = count("SELECT count(*) FROM run");
        /* Ids go one by one, so this is "all up to the last one"; one more may be stored unreported. */
        assert_true(stored >= last);
        assert_int_equal(count("SELECT max(id) FROM run"), stored);
        assert_int_equal(count("SELECT count(*) FROM row_bits"), 3 * stored);
        assert_int_equal(count("SELECT count(*) FROM result"), 2 * stored);
        assert_int_equal(count("SELECT count(*) FROM run WHERE content IS NOT NULL"), stored);
    }
    assert_true(last > 100);
}

/* In a child whose files may not grow: how the run after many ends. */
static enum ordo_status fill_disk(rlim_t size)
{
    struct rlimit limit = {size, size};
    struct ordo_store *store;
    struct ordo_err err = {0};
    enum ordo_status status;
    struct sample s;
    int64_t id;
    int i;

    (void)signal(SIGXFSZ, SIG_IGN);
    fill(&s, 1);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return ORDO_INTERNAL;
    status = ordo_store_open(db, ORDO_STORE_WRITE, &store, &err);
    for (i = 0; status == ORDO_OK && i < 5000; i++) {
        s.problem.digest.byte[i % 32]++;
        status = ordo_store_add_run(store, &s.run, &id, &err);
    }
    ordo_store_close(store);
    return *err.reason ? status : ORDO_INTERNAL;
}

static void disk_full(void **state)
{
    static const rlim_t size[] = {1000, 60000, 100001, 200000, 300000};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    int64_t before = add(store, 200), now;
    pid_t child;
    size_t i;
    int how;

    (void)state;
    ordo_store_close(store);
    for (i = 0; i < sizeof size / sizeof size[0]; i++) {
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)fill_disk(size[i]));
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), ORDO_ENVIRONMENT);
        assert_sound();
        now = count("SELECT count(*) FROM run");
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 1);
    assert_int_equal(count("SELECT id FROM run ORDER BY id LIMIT 1"), 1);
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 3); /* with room again, all goes on */
    ordo_store_close(store);
}

/* Not even room for the tables: the next one to come makes them. */
static void disk_full_at_once(void **state)
{
    struct ordo_store *store;
    pid_t child;
    rlim_t size;
    int how;

    (void)state;
    for (size = 0; size < 90000; size += 4099) {
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)fill_disk(size));
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, ORDO_ENVIRONMENT << 8);
    }
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 3);
    ordo_store_close(store);
    assert_sound();
}

/* Two processes make the file and write at once: no run is lost or refused. */
static void two_writers(void **state)
{
    enum { EACH = 100 };
    pid_t child[2];
    struct ordo_store *store;
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;
    int i, j, how;

    (void)state;
    for (i = 0; i < 2; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i])
            continue;
        fill(&s, (uint8_t)i);
        if (ordo_store_open(db, ORDO_STORE_WRITE, &store, &err) != ORDO_OK)
            _exit(1);
        for (j = 0; j < EACH; j++)
            if (ordo_store_add_run(store, &s.run, &id, &err) != ORDO_OK)
                _exit(2);
        ordo_store_close(store);
        _exit(0);
    }
    for (i = 0; i < 2; i++) {
        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
        assert_int_equal(how, 0);
    }
    assert_sound();
    assert_int_equal(count("SELECT count(*) FROM run"), 2 * EACH);
    assert_int_equal(count("SELECT count(*) FROM problem"), 2);
    assert_int_equal(count("SELECT count(*) FROM row_bits"), 6 * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(killed, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(disk_full, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(disk_full_at_once, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(two_writers, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
