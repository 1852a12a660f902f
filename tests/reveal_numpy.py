#!/usr/bin/env python3
"""`ordo reveal --exec` asks a backward pass that is none of ours: a few lines of NumPy in float32, query by query.

Such a loop adds to a KV row as one plane would under waves of one query, so that plan's tree is found; one that goes
through the queries downwards, or sums pairs of queries first, parts from it where that shows, and BF16 outputs will do."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("not run: there is no NumPy")
    sys.exit(77)

Q, KV, K, H, DQK, DV = 24, 40, 16, 3, 128, 112


def backward(path, out, order, dtype):
    f = np.load(path)
    q, kv, do, o = ((f[k].astype(np.uint32) << 16).view(np.float32) for k in ("q", "kv", "do", "o"))
    dq, dkv, dsink = np.zeros_like(q), np.zeros_like(kv), np.zeros(q.shape[1], np.float32)
    waits = None
    for i in range(len(q)) if order != "down" else reversed(range(len(q))):
        live = f["topk_idxs"][i] >= 0
        rows = f["topk_idxs"][i][live]
        k = kv[rows]
        z = np.logaddexp(f["lse"][i], f["sink"])[:, None]
        delta = (o[i] * do[i]).sum(1, dtype=np.float32)[:, None]
        p = np.exp(f["scale"] * (q[i] @ k.T) - z)
        ds = f["scale"] * p * (do[i] @ k[:, : do.shape[2]].T - delta)
        dq[i] = ds @ k
        part = np.zeros_like(dkv)
        part[rows] = ds.T @ q[i]
        part[rows, : do.shape[2]] += p.T @ do[i]
        dsink -= (np.exp(f["sink"] - z[:, 0]) * delta[:, 0]).astype(np.float32)
        if order == "pairs" and waits is None:
            waits = part
        else:
            dkv += part if waits is None else waits + part
            waits = None
    if dtype == "bf16":
        dkv = ((dkv.view(np.uint32) + 0x7FFF + (dkv.view(np.uint32) >> 16 & 1)) >> 16).astype(np.uint16)
    np.savez(out, dq=dq, dkv=dkv, dsink=dsink)


def reveal(index, order, dtype, *more):
    shape = ["--kv", str(KV), "--heads", str(H), "--dqk", str(DQK), "--dv", str(DV)]
    plan = ["--design", "private-shards", "--wave", "1"]
    box = "'%s' -B '%s' '%s' %s %s" % (sys.executable, os.path.abspath(__file__), "box", order, dtype)
    run = subprocess.run(["./ordo", "reveal", index, *shape, *plan, *more, "--exec", box, "--json"],
                         stdout=subprocess.PIPE, universal_newlines=True)
    return run.returncode, json.loads(run.stdout)


def main():
    rng = np.random.default_rng(5)
    idx = np.stack([rng.permutation(KV)[:K] for _ in range(Q)]).astype(np.int32)
    idx[:, 3] = np.where((idx == 7).any(1), idx[:, 3], 7)  # row 7 is everybody's
    rows = ["--sum", "dkv", "--row", "7", "--terms", "block"]
    with tempfile.TemporaryDirectory() as folder:
        index = os.path.join(folder, "index.npy")
        np.save(index, idx)
        code, said = reveal(index, "up", "bf16", *rows)
        assert code == 0 and said["verdict"] == "equal" and said["terms"] == Q, said
        code, said = reveal(index, "down", "fp32", *rows)
        assert code == 1 and said["verdict"] == "differs", said
        assert said["parts"]["where"] == "q0.h0" and said["parts"]["planned"] == {"terms": 2, "with": "q1.h0"}, said
        assert said["parts"]["revealed"] == {"terms": Q, "with": "(%d terms from q1.h0)" % (Q - 1)}, said
        code, said = reveal(index, "pairs", "fp32", *rows)
        assert code == 1 and said["parts"]["where"] == "q2.h0", said
        assert said["parts"]["revealed"] == {"terms": 2, "with": "q3.h0"}, said
    print("the loop's tree is found, and two that are not the plan's are told where they part")


if sys.argv[1:2] == ["box"]:
    backward(sys.argv[4], sys.argv[5], *sys.argv[2:4])
else:
    main()
