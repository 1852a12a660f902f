#!/usr/bin/env python3
"""Gradients made by NumPy in fp64, right and with one convention wrong at a time, each through `ordo diff`: the right
ones are clean, each wrong one is a finding that names its convention.  Then the NumPy lines that the manual shows."""
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("not run: there is no NumPy")
    sys.exit(77)

Q, KV, H, T, D, DV = 7, 40, 5, 20, 48, 32
SHAPE = ["--kv", str(KV), "--heads", str(H), "--dqk", str(D), "--dv", str(DV)]
SCALE = np.float32(0.3)
SOURCE = os.environ.get("srcdir", ".")


def to_bf16(x):
    """fp64 to BF16's bits, to nearest even, once."""
    mantissa, exponent = np.frexp(x)
    last = np.maximum(exponent - 8, -133)
    rounded = np.ldexp(np.rint(np.ldexp(x, -last)), last)
    return (rounded.astype("<f4").view("<u4") >> 16).astype("<u2")


def of_bf16(bits):
    return (bits.astype("<u4") << 16).view("<f4").astype(np.float64)


def slots(ids, length, wrong):
    end = T if wrong == "length-ignored" else min(max(length, 0), T)
    taken = []
    for k in ids[:end]:
        if not 0 <= k < KV:
            if wrong != "dead-to-row-0":
                continue
            k = 0
        if wrong != "duplicate-once" or k not in taken:
            taken.append(int(k))
    return taken


def gradients(case, wrong=None):
    """dq, dkv, dsink of one case; wrong names what is done wrong, -backward in the backward only."""
    q, kv, do = (of_bf16(case[key]) for key in ("q", "kv", "do"))
    sink = case["sink"].astype(np.float64)
    dq, dkv, dsink = np.zeros((Q, H, D)), np.zeros((KV, D)), np.zeros(H)
    everywhere = wrong and wrong.replace("-backward", "")
    seen = do.reshape(H, Q, DV).transpose(1, 0, 2) if wrong == "do-heads-transposed" else do
    scale = float(SCALE)
    for i in range(Q):
        length = case["topk_length"][i]
        forward = slots(case["topk_idxs"][i], length, None if wrong and "-backward" in wrong else wrong)
        backward = slots(case["topk_idxs"][i], length, everywhere)
        if not forward:
            continue
        for h in range(H):
            s = scale * kv[forward] @ q[i, h]
            lse = s.max() + np.log(np.exp(s - s.max()).sum())
            o = np.exp(s - np.logaddexp(lse, sink[h])) @ kv[forward, :DV]
            delta = o @ seen[i, h]
            total = np.logaddexp({"lse-base-2": lse * np.log(2), "lse-natural": lse / np.log(2),
                                  "sink-in-lse": np.logaddexp(lse, sink[h])}.get(wrong, lse), sink[h])
            if wrong == "sink-missing":
                total = lse
            s = (scale if wrong == "logit-scale-twice" else 1) * scale * kv[backward] @ q[i, h]
            p = np.exp(s - total)
            ds = p * (kv[backward, :DV] @ seen[i, h] - delta)
            ds *= {"scale-twice": scale**2, "scale-missing": 1}.get(wrong, scale)
            dq[i, h] = ds @ kv[backward]
            for j, k in enumerate(backward):
                if wrong != "k-role-missing":
                    dkv[k] += ds[j] * q[i, h]
                if wrong != "v-role-missing":
                    dkv[k, :DV] += p[j] * seen[i, h]
            dsink[h] -= np.exp(sink[h] - total) * delta
    if wrong == "dq-heads-transposed":
        dq = dq.transpose(1, 0, 2).reshape(Q, H, D)
    return {"dq": dq, "dkv": dkv, "dsink": dsink}


def forward(case):
    """o in BF16 and lse in fp32, as a forward saves them."""
    q, kv, sink = of_bf16(case["q"]), of_bf16(case["kv"]), case["sink"].astype(np.float64)
    o, lse = np.zeros((Q, H, DV)), np.zeros((Q, H))
    for i in range(Q):
        ids = slots(case["topk_idxs"][i], case["topk_length"][i], None)
        s = float(SCALE) * q[i] @ kv[ids].T
        lse[i] = s.max(1) + np.log(np.exp(s - s.max(1)[:, None]).sum(1))
        o[i] = np.exp(s - np.logaddexp(lse[i], sink)[:, None]) @ kv[ids, :DV]
    return {"o": to_bf16(o), "lse": lse.astype("<f4")}


def make_case(seed, duplicates):
    rng = np.random.default_rng(seed)
    ids = np.full((Q, T), -1, np.int32)
    for i in range(Q):
        ids[i] = rng.permutation(KV)[:T]
        ids[i, rng.permutation(T)[:5]] = [-1, KV, -7, 2**31 - 1, -1]
        if duplicates:
            ids[i, 3:6] = ids[i, 0] = 5
    return {"q": to_bf16(rng.normal(size=(Q, H, D))), "kv": to_bf16(rng.normal(size=(KV, D))),
            "do": to_bf16(rng.normal(size=(Q, H, DV))), "sink": rng.normal(size=H).astype("<f4"),
            "scale": np.array(SCALE, "<f4"), "topk_idxs": ids,
            "topk_length": rng.integers(T // 2, T, Q).astype("<i4")}


def diff(folder, case, actual, more=()):
    inputs, outputs = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(inputs, **case)
    np.savez(outputs, **actual)
    said = subprocess.run(["./ordo", "diff", inputs, *SHAPE, "--inputs", inputs, "--actual", outputs, "--json",
                           *more], stdout=subprocess.PIPE)
    return said.returncode, json.loads(said.stdout)


FORMATS = {
    "bf16": lambda x: to_bf16(x),
    "bf16 as float32": lambda x: of_bf16(to_bf16(x)).astype("<f4"),
    "float32": lambda x: x.astype("<f4"),
    "float16": lambda x: x.astype("<f2"),
}


def check_right(folder):
    for seed in range(4):
        for name, to in FORMATS.items():
            case = make_case(seed, seed == 3)
            code, said = diff(folder, case, {key: to(x) for key, x in gradients(case).items()})
            assert code == 0 and said["verdict"] == "clean" and not said["conventions"], (seed, name, said)
    code, said = diff(folder, case, {"dkv": gradients(case)["dkv"].astype("<f4")})  # P and dS never rounded
    assert code == 0 and said["triage"] == "rounding", said["triage"]
    wide = {"dkv": gradients(case)["dkv"].astype("<f4")}
    code, said = diff(folder, case, wide, ["--claim", "contract"])  # who knows what its forward gave
    assert code == 6 and said["verdict"] == "undecided" and said["forward"] == "twin", said
    for as_float in (False, True):
        saved = forward(case)
        saved["o"] = of_bf16(saved["o"]).astype("<f4") if as_float else saved["o"]
        code, said = diff(folder, case, {**wide, **saved}, ["--claim", "contract"])
        assert code == 1 and said["triage"] == "numeric" and said["forward"] == "shown", said
    code, said = diff(folder, case, {"dq": gradients(case)["dq"].astype("<f4")}, ["--claim", "bits"])
    assert code == 6 and said["verdict"] == "undecided", said  # the twin has dq in BF16
    inputs = os.path.join(folder, "in.npz")
    np.savez(os.path.join(folder, "wide.npz"), dq=gradients(case)["dq"])  # float64
    refused = subprocess.run(["./ordo", "diff", inputs, *SHAPE, "--inputs", inputs, "--actual",
                              os.path.join(folder, "wide.npz")], stderr=subprocess.PIPE)
    assert refused.returncode == 3 and b"'<u2' or '<f2' or '<f4' is wanted" in refused.stderr, refused.stderr
    for key in ("dq", "dkv", "dsink"):
        code, said = diff(folder, case, {key: gradients(case)[key].astype("<f4")})
        assert code == 0 and list(said["real"]) == [key], said


WRONG = ["lse-base-2", "lse-natural", "sink-in-lse", "sink-missing", "scale-twice", "scale-missing",
         "logit-scale-twice", "do-heads-transposed", "dq-heads-transposed", "k-role-missing", "v-role-missing",
         "duplicate-once", "length-ignored", "length-ignored-backward", "dead-to-row-0", "dead-to-row-0-backward"]


def check_wrong(folder):
    for wrong in WRONG:
        for seed in range(3):
            case = make_case(seed + 10, wrong == "duplicate-once")
            wrongly = gradients(case, wrong)
            code, said = diff(folder, case, {"dq": to_bf16(wrongly["dq"]), "dkv": to_bf16(wrongly["dkv"]),
                                             "dsink": wrongly["dsink"].astype("<f4")})
            assert code == 1 and said["triage"] == "numeric", (wrong, seed, code, said["triage"])
            assert said["conventions"] == [wrong], (wrong, seed, said["conventions"])
    return len(WRONG)


def check_unexplained(folder):
    case = make_case(1, False)
    right = gradients(case)
    right["dkv"][case["topk_idxs"][0, 2] % KV, 3] += 1
    code, said = diff(folder, case, {key: x.astype("<f4") for key, x in right.items()})
    assert code == 1 and said["triage"] == "numeric" and said["conventions"] == [], said
    wide = gradients(case)["dkv"].astype("<f4")
    cut = (wide.view("<u4") >> 16).astype("<u2")  # not rounded
    code, said = diff(folder, case, {"dkv_fp32": wide, "dkv": cut})
    assert code == 1 and said["triage"] == "rounding" and said["convert"]["dkv"]["differ"] > 0, said["convert"]
    code, said = diff(folder, case, {"dkv": wide})
    assert said["real"]["dkv"]["compared"] >= 1000 and code == 0, said
    wide[case["topk_idxs"][0, 2] % KV, 3] += 9  # in so many numbers a single one must not pass for a convention
    code, said = diff(folder, case, {"dkv": wide})
    assert code == 1 and said["real"]["dkv"]["outside"] == 1 and said["conventions"] == [], said
    right["dq"][1, 2, 3] = np.nan
    code, said = diff(folder, case, {"dq": to_bf16(right["dq"])})
    assert code == 1 and said["real"]["dq"]["other_class"] == 1, said["real"]["dq"]
    assert said["real"]["dq"]["first"]["where"] == "query 1 head 2 column 3", said["real"]["dq"]


def check_overflowing(folder):
    """Logits so large that a wrong scale overflows: it explains no finite number, and what is wrong keeps its name."""
    global SCALE
    kept, SCALE = SCALE, np.float32(5)
    case = make_case(31, False)
    one = gradients(case)
    one["dkv"][case["topk_idxs"][0, 6] % KV, 5] += 500
    for wrongly, name in ((one, []), (gradients(case, "v-role-missing"), ["v-role-missing"]),
                          (gradients(case, "dq-heads-transposed"), ["dq-heads-transposed"])):
        code, said = diff(folder, case, {key: to_bf16(x) for key, x in wrongly.items() if key != "dsink"})
        assert code == 1 and said["conventions"] == name, (name, said["conventions"])
    SCALE = kept


def check_hidden(folder):
    """Wrong numbers beside right ones, in the same file or in the second run's."""
    case = make_case(2, False)
    right = {key: x.astype("<f4") for key, x in gradients(case).items()}
    narrow, again = to_bf16(right["dkv"].astype(np.float64)), os.path.join(folder, "again.npz")
    for wide in (right["dkv"], of_bf16(narrow).astype("<f4")):  # the second looks like BF16, and is fp32 by its name
        code, said = diff(folder, case, {"dkv_fp32": wide, "dkv": narrow})
        assert code == 0 and said["convert"]["dkv"]["differ"] == 0, said
        for other in (narrow ^ 0x4000, right["dkv"].astype("<f2") + np.float16(4), right["dkv"] + np.float32(4)):
            code, said = diff(folder, case, {"dkv_fp32": wide, "dkv": other})
            assert code == 1 and said["convert"]["dkv"]["differ"] == KV * D, said
    code, said = diff(folder, case, {"dkv_fp32": right["dkv"], "dkv": right["dkv"].astype("<f2")})
    assert code == 0 and said["convert"]["dkv"]["differ"] == 0, said
    np.savez(again, dsink=np.zeros(H, "<f4"))  # nothing but BF16 numbers, where the first run has others
    code, said = diff(folder, case, {"dsink": right["dsink"]}, ["--again", again])
    assert code == 1 and said["triage"] == "race" and said["repeat"]["dsink"]["differ"] == H, said
    np.savez(again, dkv_fp32=right["dkv"], dkv=narrow ^ 1)
    code, said = diff(folder, case, {"dkv_fp32": right["dkv"], "dkv": narrow}, ["--again", again])
    assert code == 1 and said["triage"] == "race" and said["repeat"]["dkv"]["differ"] == KV * D, said


def check_manual(folder):
    """The ```python blocks of the manual's page that import numpy, run where the page's commands put their files."""
    text = open(os.path.join(SOURCE, "manual", "diff.md")).read()
    blocks = [b for b in re.findall(r"```python\n(.*?)```", text, re.S) if "torch" not in b]
    assert len(blocks) == 2 and all(b.count("\n") <= 12 for b in blocks), blocks
    commands = [c for c in re.findall(r"^    \./(ordo .*)$", text, re.M)]
    before = [c for c in commands if " diff " not in " " + c]
    after = [c for c in commands if c.startswith("ordo diff")]
    assert before and len(after) == 2
    here = os.getcwd()
    for command in before:
        subprocess.run([os.path.join(here, "ordo"), *command.split()[1:]], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    for block, command in zip(blocks, after):
        exec(compile("import os; os.chdir(%r)\n" % folder + block, "manual/diff.md", "exec"), {})
        os.chdir(here)
        said = subprocess.run([os.path.join(here, "ordo"), *command.split()[1:]], cwd=folder, stdout=subprocess.PIPE)
        assert said.returncode == 0 and b"verdict  clean" in said.stdout, said.stdout.decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_right(folder)
        n = check_wrong(folder)
        check_unexplained(folder)
        check_hidden(folder)
        check_overflowing(folder)
        check_manual(folder)
    print("%d wrong conventions are named" % n)


if __name__ == "__main__":
    main()
