#!/usr/bin/env python3
"""`ordo ref` and NumPy: a forward saved by NumPy gives the same backward, the digests are those of the arrays written,
and an .npz that does not fit is refused in one sentence that names file and array."""
import hashlib
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

Q, KV, H, DQK, DV, TOPK = 5, 12, 3, 24, 16, 7
SHAPE = ["--kv", str(KV), "--heads", str(H), "--dqk", str(DQK), "--dv", str(DV)]


def ordo(*args):
    run = subprocess.run(["./ordo", *args, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return run.returncode, json.loads(run.stdout), run.stderr.decode()


def clean(*args):
    code, out, said = ordo(*args)
    assert code == 0, (args, code, said)
    return out


def bf16(shape, rng):
    return (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def digest(array):
    wide = array.view(np.uint32) if array.dtype == np.float32 else array.astype(np.uint32)
    return hashlib.blake2b(wide.astype("<u4").tobytes(), digest_size=32).hexdigest()


def write(path, arrays, **other):
    np.savez(path, **{k: v for k, v in {**arrays, **other}.items() if v is not None})
    return path


def forward_and_backward(index, folder, arrays):
    saved, again = os.path.join(folder, "saved.npz"), os.path.join(folder, "again.npz")
    first = clean("ref", index, *SHAPE, "--inputs", write(os.path.join(folder, "in.npz"), arrays), "-o", saved,
                  "--planes")
    out = np.load(saved)
    for name in out.files:
        assert digest(out[name]) == first["digests"][name], name
    assert len(out.files) == len(first["digests"]) == 8
    for lse in (out["lse"], np.where(np.isinf(out["lse"]), np.float32(np.inf), out["lse"])):
        given = clean("ref", index, *SHAPE, "--inputs", write(again, arrays, o=out["o"], lse=lse), "--planes")
        assert given["digests"] == first["digests"]
    base_2 = clean("ref", index, *SHAPE, "--inputs",
                   write(again, arrays, o=out["o"], lse=out["lse"] * np.float32(1.442695)))
    assert base_2["digests"]["dq"] != first["digests"]["dq"]
    return out


def refusals(index, folder, arrays, out):
    bad = [
        ("q", {"q": arrays["q"].astype(np.float32)}), ("q", {"q": arrays["q"].view(np.float16)}),
        ("q", {"q": arrays["q"].view(np.int16)}), ("q", {"q": None}), ("kv", {"kv": arrays["kv"][:-1]}),
        ("kv", {"kv": np.vstack([arrays["kv"], arrays["kv"][:1]])}), ("kv", {"kv": arrays["kv"][:, :DV]}),
        ("kv", {"kv": arrays["kv"].T.copy()}), ("do", {"do": arrays["do"].swapaxes(0, 1).copy()}),
        ("do", {"do": arrays["do"][:, :, :-1]}), ("do", {"do": None}), ("sink", {"sink": np.zeros(H)}),
        ("sink", {"sink": np.zeros((H, 1), np.float32)}), ("o", {"lse": out["lse"]}), ("lse", {"o": out["o"]}),
        ("lse", {"o": out["o"], "lse": out["lse"].T.copy()}), ("o", {"o": arrays["q"], "lse": out["lse"]}),
        ("scale", {"scale": np.float32(0)}), ("scale", {"scale": np.float32(np.nan)}),
        ("scale", {"scale": np.float64(1)}), ("scale", {"scale": np.ones(1, np.float32)}),
        ("kv", {"kv": np.asfortranarray(arrays["kv"])}), ("q", {"q": arrays["q"].astype(">u2")}),
    ]
    path = os.path.join(folder, "bad.npz")
    for name, change in bad:
        write(path, arrays, **change)
        code, error, said = ordo("ref", index, *SHAPE, "--inputs", path)
        assert code == 3 and error["schema"] == "ordo.error/1", (name, change, code)
        assert error["file"] == path and error["field"].split(":")[0] == name and error["reason"], error
        assert said.count("\n") <= 1 and "internal" not in said, said
    return len(bad)


def main():
    rng = np.random.default_rng(1)
    arrays = {"q": bf16((Q, H, DQK), rng), "kv": bf16((KV, DQK), rng), "do": bf16((Q, H, DV), rng),
              "sink": np.array([0.5, -np.inf, np.inf], np.float32), "scale": np.float32(0.25)}
    with tempfile.TemporaryDirectory(prefix="ordo-ref-") as folder:
        index = os.path.join(folder, "topk.npy")
        ids = np.stack([rng.permutation(KV)[:TOPK] for _ in range(Q)]).astype(np.int32)
        ids[1] = -1
        ids[2, ::2] = KV
        np.save(index, ids)
        out = forward_and_backward(index, folder, arrays)
        assert not out["dq"][1].any() and np.isneginf(out["lse"][1]).all()
        n = refusals(index, folder, arrays, out)
    print(f"{n} files refused, each in one sentence")


main()
