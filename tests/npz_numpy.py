#!/usr/bin/env python3
"""NumPy reads our .npz files, stored and as zip64, and finds in them what was written: constants, and for
`ordo inputs` the numbers that this program makes itself from the seed."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("not run: there is no NumPy")
    sys.exit(77)

M = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
Q, KV, DOUT, SINK = range(4)


def mix(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & M
    return x ^ x >> 31


def words(seed, kind, tensor, row, head, n):
    state = mix((mix((mix(seed) + (1 + tensor + 4 * kind) * GOLDEN) & M) + (row << 32 | head)) & M)
    return [mix((state + (i + 1) * GOLDEN) & M) for i in range(n)]


def rough(word, tensor):
    low = {Q: 123, KV: 122, DOUT: 121}[tensor]
    sign, fraction = word & 0x8000, word & 0x7F
    if word >> 58 == 0:
        return sign
    if word >> 58 == 1:
        return sign | fraction | 1
    return sign | (low + ((word >> 16 & 0xFFFF) * 6 >> 16)) << 7 | fraction


def exact(word, tensor, column):
    whole = ((word & 0xFFFF) * 9 >> 16) - 4
    if tensor != DOUT and column % 2 != (tensor == KV):
        whole = 0
    value = np.float32(whole * (1 + (word >> 16 & 1)))
    return int(value.view(np.uint32)) >> 16


def line(seed, kind, tensor, row, head, n):
    made = words(seed, kind, tensor, row, head, n)
    return [rough(w, tensor) if kind else exact(w, tensor, i) for i, w in enumerate(made)]


def equal(got, want, dtype, what):
    want = np.array(want, dtype)
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got.dtype, got.shape, want.shape)
    assert got.tobytes() == want.tobytes(), what
    return got.size


def check_constants(folder):
    for zip64_from in ("4294967295", "0", "200", "500"):
        path = os.path.join(folder, "constants.npz")
        subprocess.run(["tests/t_npz_write", zip64_from, path], check=True)
        with np.load(path) as z:
            assert sorted(z.files) == ["none", "q", "scale", "sink", "topk_idxs"], z.files
            equal(z["q"], [[[0x3F80, 0xBF80, 1], [0x7F80, 0xFFFF, 0x8000]]], "<u2", "q")
            equal(z["sink"], [1.5, -(2.0**-149)], "<f4", "sink")
            equal(z["scale"], 2 * 2.0**-1074, "<f8", "scale")
            equal(z["topk_idxs"], [[0, -1], [2**31 - 1, -(2**31)]], "<i4", "topk_idxs")
            equal(z["none"], np.zeros((5, 0)), "<f4", "none")


def check_inputs(folder, kind, seed):
    index, path = os.path.join(folder, "index.npy"), os.path.join(folder, "inputs.npz")
    ids = np.arange(12, dtype=np.int64).reshape(3, 4) - 1
    np.save(index, ids)
    extents = ["--kv", "6", "--heads", "5", "--dqk", "48", "--dv", "32"]
    subprocess.run(["./ordo", "inputs", index, *extents, "--seed", str(seed), "--values", ["exact", "rough"][kind],
                    "-o", path], check=True, stdout=subprocess.DEVNULL)
    with np.load(path) as z:
        assert z.files == ["q", "kv", "do", "sink", "topk_idxs"], z.files
        n = equal(z["q"], [[line(seed, kind, Q, q, h, 48) for h in range(5)] for q in range(3)], "<u2", "q")
        n += equal(z["kv"], [line(seed, kind, KV, k, 0, 48) for k in range(6)], "<u2", "kv")
        n += equal(z["do"], [[line(seed, kind, DOUT, q, h, 32) for h in range(5)] for q in range(3)], "<u2", "do")
        sink = [((w >> 41) - 2**22) * 2.0**-20 if kind else 0.0 for w in words(seed, kind, SINK, 0, 0, 5)]
        n += equal(z["sink"], sink, "<f4", "sink")
        n += equal(z["topk_idxs"], ids, "<i4", "topk_idxs")
    return n


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_constants(folder)
        n = sum(check_inputs(folder, kind, seed) for kind in (0, 1) for seed in (0, 7, M))
    print("%d numbers of ordo inputs agree" % n)


if __name__ == "__main__":
    main()
