#!/usr/bin/env python3
"""cross_ptx.py - random small programs, decided by `ordo litmus` and by an independent enumerator of the same axioms.

    cross_ptx.py [ORDO [COUNT [SEED]]]

The enumerator is the module ptx_litmus, from the folder named by $ORDO_PTX_LITMUS; without it the test is skipped
(exit 77).  For each program the two must agree on how many executions there are, whether one races, and whether a
random outcome is reachable.  Where litmus/README.md settles a difference, programs that show it are not generated:
bulk reductions stand in programs of one CTA only, and their groups are waited for without .read.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

FOLDER = os.environ.get('ORDO_PTX_LITMUS', '')
if not os.path.exists(os.path.join(FOLDER, 'ptx_litmus.py')):
    print('no ptx_litmus.py in $ORDO_PTX_LITMUS: skipped')
    sys.exit(77)
sys.path.insert(0, FOLDER)
import ptx_litmus  # noqa: E402

SCOPES = ['cta', 'cluster', 'gpu', 'sys']
OPS = ['add', 'and', 'or', 'exch']


def bulk_instruction(rng, locs, bulk):
    """As one_instruction; bulk counts the reductions of this thread.  Each is a group of its own."""
    kind = rng.choice(['red', 'red', 'wait', 'fence']) if bulk else rng.choice(['red', 'red', 'fence'])
    if kind == 'fence':
        return ('pfence', 'async'), 'fence.proxy.async'
    if kind == 'wait':
        return ('waitgroup', ''), 'cp.async.bulk.wait_group 0'
    bulk.append(1)
    loc, op, value = rng.choice(locs), rng.choice(OPS[:3]), rng.randint(1, 3)
    return (('asyncred', 'relaxed', 'gpu', loc, None, op, value),
            'cp.reduce.async.bulk.%s %s, %d' % (op, loc, value))


def one_instruction(rng, locs, regs, bars):
    """(tuple of ptx_litmus, our text)"""
    kind = rng.choices(['ld', 'st', 'atom', 'red', 'fence', 'bar', 'cas'], [10, 10, 4, 3, 4, 2, 1])[0]
    scope, loc = rng.choice(SCOPES), rng.choice(locs)
    value, shown = rng.randint(1, 3), None
    if regs and rng.random() < 0.3:
        shown = rng.choice(regs)
        value = ('r', shown)
    text_value = shown or str(value)
    if kind == 'ld':
        sem, reg = rng.choice(['weak', 'relaxed', 'acquire']), 'r%d' % len(regs)
        regs.append(reg)
        return ('ld', sem, scope, loc, reg), 'ld.%s %s, %s' % (sem if sem == 'weak' else sem + '.' + scope, reg, loc)
    if kind == 'st':
        sem = rng.choice(['weak', 'relaxed', 'release'])
        return ('st', sem, scope, loc, value), 'st.%s %s, %s' % (sem if sem == 'weak' else sem + '.' + scope, loc,
                                                                text_value)
    if kind == 'red':
        sem, op = rng.choice(['relaxed', 'release']), rng.choice(OPS[:3])
        return ('red', sem, scope, loc, None, op, value), 'red.%s.%s.%s %s, %s' % (sem, scope, op, loc, text_value)
    if kind in ('atom', 'cas'):
        sem, reg = rng.choice(['relaxed', 'acquire', 'release', 'acq_rel']), 'r%d' % len(regs)
        regs.append(reg)
        if kind == 'cas':
            old = rng.randint(0, 2)
            return (('atom', sem, scope, loc, reg, 'cas', old, value),
                    'atom.%s.%s.cas %s, %s, %d, %s' % (sem, scope, reg, loc, old, text_value))
        op = rng.choice(OPS)
        return ('atom', sem, scope, loc, reg, op, value), 'atom.%s.%s.%s %s, %s, %s' % (sem, scope, op, reg, loc,
                                                                                       text_value)
    if kind == 'fence':
        sem = rng.choice(['acq_rel', 'sc', 'sc'])
        return ('fence', sem, scope), 'fence.%s.%s' % (sem, scope)
    bars.append(1)
    return ('bar', '1'), 'bar.cta.sync 1'


def barriers_even(positions, bars):
    """All threads of a CTA that use the barrier use it equally often: else someone waits for ever."""
    by_cta = {}
    for position, n in zip(positions, bars):
        by_cta.setdefault(position, set()).add(n)
    return all(len(ns - {0}) <= 1 for ns in by_cta.values())


def program(rng):
    n = rng.choice([2, 2, 2, 3, 3, 4])
    locs = ['x', 'y', 'z'][:rng.choice([1, 2, 2, 3])]
    most = {2: 4, 3: 3, 4: 2}[n]
    with_bulk = rng.random() < 0.2
    while True:
        positions = [(rng.choice([0, 0, 0, 1]), rng.choice([0, 0, 1]), rng.choice([0, 0, 1])) for _ in range(n)]
        if with_bulk:
            positions = [(0, 0, 0)] * n
        code, text, regs, bars = [], [], [], []
        for _ in range(n):
            mine, count, lines, bulk = [], [], [], []
            for _ in range(rng.randint(1, most)):
                if with_bulk and rng.random() < 0.5:
                    lines.append(bulk_instruction(rng, locs, bulk))
                else:
                    lines.append(one_instruction(rng, locs, mine, count))
            code.append([a for a, _ in lines])
            text.append([b for _, b in lines])
            regs.append(mine)
            bars.append(len(count))
        if barriers_even(positions, bars):
            return positions, locs, code, text, regs


def condition(rng, locs, regs):
    """A conjunction of values, as a function for ptx_litmus and as text."""
    atoms = []
    for t, mine in enumerate(regs):
        for r in mine:
            if rng.random() < 0.6:
                atoms.append((t, r, rng.randint(0, 2)))
    for loc in locs:
        if rng.random() < 0.3:
            atoms.append((None, loc, rng.randint(0, 3)))
    if not atoms:
        atoms.append((None, locs[0], rng.randint(0, 3)))
    text = ' /\\ '.join(('P%d:%s == %d' % (t, a, v)) if t is not None else '%s == %d' % (a, v) for t, a, v in atoms)

    def holds(r, m):
        return all((r.get((t, a), 0) if t is not None else m.get(a, 0)) == v for t, a, v in atoms)
    return holds, text


def committed(lines):
    """Every bulk reduction is followed by its commit."""
    return [line for t in lines for line in ([t, 'cp.async.bulk.commit_group'] if t.startswith('cp.reduce') else [t])]


def litmus_text(name, positions, locs, text, shown):
    text = [committed(t) for t in text]
    rows = max(len(t) for t in text)
    out = ['PTX ' + name, '{', ' '.join('%s=0;' % x for x in locs), '}']
    out.append(' | '.join('P%d@cta %d,cluster %d,gpu %d' % (i, c, k, g) for i, (g, k, c) in enumerate(positions)) + ' ;')
    for i in range(rows):
        out.append(' | '.join(t[i] if i < len(t) else '' for t in text) + ' ;')
    return '\n'.join(out + ['exists (' + shown + ')', ''])


def make(rng, i):
    positions, locs, code, text, regs = program(rng)
    holds, shown = condition(rng, locs, regs)
    p = ptx_litmus.Prog({x: 0 for x in locs})
    for (gpu, cluster, cta), instructions in zip(positions, code):
        p.thread(instructions, cta=cta, cluster=cluster, gpu=gpu)
    return p, holds, litmus_text('random-%d' % i, positions, locs, text, shown)


def too_many(p):
    """The enumerator tries every choice of writes: leave out what would take it minutes."""
    reads = {}
    writes = {}
    for code in p.code:
        for ins in code:
            if ins[0] in ('ld', 'atom', 'red', 'asyncred'):
                reads[ins[3]] = reads.get(ins[3], 0) + 1
            if ins[0] in ('st', 'atom', 'red', 'asyncred'):
                writes[ins[3]] = writes.get(ins[3], 1) + 1
    total = 1
    for loc, n in reads.items():
        total *= writes.get(loc, 1) ** n
    for n in writes.values():
        for k in range(2, n):
            total *= k
    return total > 5000


def main():
    ordo = sys.argv[1] if len(sys.argv) > 1 else './ordo'
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng, differ, done = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < count:
            batch = []
            while len(batch) < 200 and done + len(batch) < count:
                p, holds, text = make(rng, done + len(batch))
                if too_many(p):
                    continue
                path = os.path.join(folder, '%d.litmus' % len(batch))
                with open(path, 'w') as f:
                    f.write(text)
                batch.append((p, holds, text, path))
            got = subprocess.run([ordo, 'litmus', '--json'] + [b[3] for b in batch], capture_output=True, text=True)
            lines = [json.loads(line) for line in got.stdout.splitlines()]
            assert len(lines) == len(batch), got.stderr
            for (p, holds, text, _), ours in zip(batch, lines):
                theirs = ptx_litmus.check(p, holds)
                mine = (ours['holds'], ours['executions'], ours['race'])
                if mine != theirs:
                    differ += 1
                    if differ <= 5:
                        print('ordo %s, ptx_litmus %s (holds, executions, race):\n%s' % (mine, theirs, text))
            done += len(batch)
    print('seed %d: %d programs, %d differences' % (seed, done, differ))
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
