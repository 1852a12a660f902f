#!/usr/bin/env python3
"""The right answers of corpus/index, by a program that shares nothing with ordo.

Reads each index tensor itself, counts by brute force where expected.json is silent, and compares every number that
`ordo inspect --json` prints with expected.json and every order digest that `ordo prove --json` prints with its own;
writes the run of small tensors itself, and wants every edit of it noticed.  Standard library only.
"""
import ast
import hashlib
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

INDEX = os.path.join(os.environ.get("srcdir", "."), "corpus", "index")
ORDO = os.environ.get("ORDO", "./ordo")
CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}

# Arguments of `ordo prove`, wave (None: by the number of queries), cluster, head blocks.
PLANS = [
    (["--design", "private-shards"], None, 1, 1),
    (["--design", "private-shards", "--heads", "96"], None, 1, 2),
    (["--cluster", "4"], 128, 4, 1),
    (["--cluster", "8", "--heads", "128"], 128, 8, 2),
    (["--cluster", "16"], 128, 16, 1),
    (["--cluster", "16", "--target", "sm90"], 112, 16, 1),
    (["--cluster", "8", "--target", "sm90"], 120, 8, 1),
    (["--cluster", "4", "--wave", "44"], 44, 4, 1),
]

# Small instances whose run is looked at line by line; both need two tiles or several waves.
RUNS = {
    "wide_topk.npy": [(["--cluster", "4", "--wave", "4", "--heads", "65"], 4, 4, 2)],
    "holes.npy": [(["--cluster", "8", "--wave", "24"], 24, 8, 1)],
    "window_i64.npy": [(["--cluster", "16"], 128, 16, 1)],
    "fortran.npy": [(["--design", "private-shards"], 32, 1, 1)],
}


def rows_of(data, shape, fortran=False):
    """The innermost rows of a flat array, leading dimensions flattened."""
    strides, step = [0] * len(shape), 1
    for axis in range(len(shape)) if fortran else reversed(range(len(shape))):
        strides[axis], step = step, step * shape[axis]
    last, n = strides[-1], shape[-1]
    starts = (sum(i * s for i, s in zip(at, strides)) for at in itertools.product(*map(range, shape[:-1])))
    return [list(data[start : start + last * n : last]) for start in starts]


def read_npy(blob):
    assert blob[:6] == b"\x93NUMPY"
    wide = blob[6] > 1
    size = struct.unpack_from("<I" if wide else "<H", blob, 8)[0]
    start = (12 if wide else 10) + size
    head = ast.literal_eval(blob[start - size : start].decode("utf-8"))
    order, code = head["descr"].replace("|", "<")[0], CODES[head["descr"][1:]]
    n = (len(blob) - start) // struct.calcsize(code)
    data = struct.unpack_from("%s%d%s" % (order, n, code), blob, start)
    return rows_of(data, head["shape"], head["fortran_order"])


def read_safetensors(blob):
    size = struct.unpack_from("<Q", blob)[0]
    out = {}
    for name, t in json.loads(blob[8 : 8 + size]).items():
        if name != "__metadata__":
            code = {"I32": "i", "I64": "q"}[t["dtype"]]
            begin, end = t["data_offsets"]
            n = (end - begin) // struct.calcsize(code)
            out[name] = rows_of(struct.unpack_from("<%d%s" % (n, code), blob, 8 + size + begin), t["shape"])
    return out


def whole(path):
    with open(path, "rb") as f:
        return f.read()


def load(name):
    """Rows of ids and the clamped length of each; the file with the lengths of a lone tensor, if there is one."""
    path, beside = os.path.join(INDEX, name), os.path.join(INDEX, name[:-4] + ".length.npy")
    arrays = {}
    if name.endswith(".npz"):
        with zipfile.ZipFile(path) as z:
            arrays = {n[:-4]: read_npy(z.read(n)) for n in z.namelist()}
    elif name.endswith(".safetensors"):
        arrays = read_safetensors(whole(path))
    else:
        arrays["topk_idxs"] = read_npy(whole(path))
        if os.path.exists(beside):
            arrays["topk_length"] = read_npy(whole(beside))
    ids = arrays["topk_idxs"]
    lengths = [n for part in arrays.get("topk_length", [[len(r) for r in ids]]) for n in part]
    assert len(lengths) == len(ids)
    lengths = [min(max(n, 0), len(r)) for n, r in zip(lengths, ids)]
    return ids, lengths, ["--length", beside] if os.path.exists(beside) else []


def live_slots(ids, lengths, kv):
    return [[(j, k) for j, k in enumerate(row[:n]) if 0 <= k < kv] for row, n in zip(ids, lengths)]


def duplicate_places(live):
    places = []
    for q, slots in enumerate(live):
        first = {}
        for j, k in slots:
            if first.setdefault(k, j) != j:
                places.append({"query": q, "row": k, "first_column": first[k], "column": j})
    return places


def order_of(live, wave, cluster, blocks):
    """order_digest, accumulators and waits, as the issue defines them."""
    rows = {}
    for q, slots in enumerate(live):
        lane = q % wave
        for _, k in slots:
            for b in range(blocks):
                add = (q // wave, b, lane % cluster, q * blocks + b)
                rows.setdefault(k, {}).setdefault(lane // cluster, []).append(add)
    words, accumulators, waits = [wave // cluster, 8], 0, 0
    for k in sorted(rows):
        words += [0xFFFFFFFE, k]
        for plane in sorted(rows[k]):
            adds = sorted(rows[k][plane])
            accumulators += 1
            waits += len(adds) - len({(w, b) for w, b, _, _ in adds})
            words += [0xFFFFFFFF, plane] + [leaf for _, _, _, leaf in adds]
    digest = hashlib.blake2b(struct.pack("<%dI" % len(words), *words), digest_size=32).hexdigest()
    return digest, accumulators, waits


def run_of(live, wave, cluster, blocks):
    """The lines of --emit-run."""
    lines = []
    for plane in range(wave // cluster):
        for w, b in itertools.product(range((len(live) + wave - 1) // wave), range(blocks)):
            queries = [w * wave + plane * cluster + r for r in range(cluster)]
            workers = [(r, live[q]) for r, q in enumerate(queries) if q < len(live)]

            def add(op, rank, slots):
                lines.extend("%d %d %d %d %s %d\n" % (w, b, plane, rank, op, k) for _, k in slots)

            for rank, slots in workers if cluster > 1 else []:
                add("set", rank, slots)
            for rank, slots in workers:
                for tile in sorted({j // 64 for j, _ in slots}):
                    here = [s for s in slots if s[0] // 64 == tile]
                    for op in ("wait", "add", "clear") if cluster > 1 else ("add",):
                        add(op, rank, here)
    return lines


def ordo(*args):
    done = subprocess.run([ORDO, *args, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit("%s: exit %d: %s" % (" ".join(args), done.returncode, done.stderr.decode()))
    return json.loads(done.stdout), done.returncode


class Tally:
    good = bad = 0

    def equal(self, got, want, *what):
        if got == want:
            self.good += 1
        else:
            self.bad += 1
            print("%s: got %r, want %r" % (" ".join(map(str, what)), got, want))


def check_inspect(tally, name, want, live, length):
    got, code = ordo("inspect", os.path.join(INDEX, name), "--kv", str(want["kv"]), *length)
    tally.equal(code, 0, name, "inspect exit")
    for key, value in want.items():
        if key != "note":
            tally.equal(got.get(key), value, name, "inspect", key)
    tally.equal(got["duplicate_places"], duplicate_places(live), name, "inspect duplicate_places")


def check_prove(tally, name, want, live, length, plan):
    args, wave, cluster, blocks = plan
    wave = wave or (32 if want["q"] <= 128 else 64 if want["q"] <= 256 else 128)
    what = name + " prove " + " ".join(args)
    got, code = ordo("prove", os.path.join(INDEX, name), "--kv", str(want["kv"]), *length, *args)
    tally.equal(got["updates"], (want["live"] - want["duplicates"]) * blocks, what, "updates")
    tally.equal(got["rows"], want["rows_touched"], what, "rows")
    if want["duplicates"]:
        tally.equal((got["verdict"], code, got["order_digest"]), ("refused", 1, None), what)
        tally.equal(got["duplicate_places"], duplicate_places(live), what, "duplicate_places")
        return
    digest, accumulators, waits = order_of(live, wave, cluster, blocks)
    claims = [got[k] for k in ("verdict", "ordering", "deadlock", "race")]
    tally.equal((claims, code), (["proved", "total", "free", "none"], 0), what)
    tally.equal(got["order_digest"], digest, what, "order_digest")
    tally.equal((got["accumulators"], got["waits"]), (accumulators, waits), what, "accumulators, waits")
    tally.equal(got["assumption"], "cluster=%d" % cluster if waits else "unfair", what, "assumption")
    if cluster > 1 and wave == 128 and blocks == 1:
        tally.equal(waits, want["clusters"][str(cluster)]["waits"], what, "waits of expected.json")


def edits(lines, at):
    """The line dropped, doubled, swapped with the next, given to another rank; and where that first shows."""
    line, after = lines[at], lines[at + 1]
    word = line.split(" ")
    word[3] = str(1 - min(int(word[3]), 1))
    yield "dropped", lines[:at] + lines[at + 1 :], at + 1
    yield "doubled", lines[: at + 1] + lines[at:], at + 2
    yield "swapped", lines[:at] + [after, line] + lines[at + 2 :], at + 1
    yield "given away", lines[:at] + [" ".join(word)] + lines[at + 1 :], at + 1


def check_run(tally, name, want, live, length, plan, folder):
    args, wave, cluster, blocks = plan
    run, what = os.path.join(folder, "run"), name + " run " + " ".join(args)
    command = ["prove", os.path.join(INDEX, name), "--kv", str(want["kv"]), *length, *args]
    proof, _ = ordo(*command, "--emit-run", run)
    with open(run, encoding="ascii") as f:
        lines = f.readlines()
    tally.equal(lines, run_of(live, wave, cluster, blocks), what, "lines")
    got, code = ordo(*command, "--run", run)
    tally.equal((got["verdict"], code, got["order_digest"]), ("proved", 0, proof["order_digest"]), what, "unedited")
    for at in range(0, len(lines) - 1, len(lines) // 8):
        for edit, edited, line in edits(lines, at):
            with open(run, "w", encoding="ascii") as f:
                f.writelines(edited)
            got, code = ordo(*command, "--run", run)
            names = [got["violation"][k] for k in ("rule", "plane", "rank", "row")] if "violation" in got else []
            tally.equal((got["verdict"], code, len(names)), ("violated", 1, 4), what, "line", at + 1, edit)
            tally.equal(got.get("difference", {}).get("line"), line, what, "line", at + 1, edit)


def main():
    with open(os.path.join(INDEX, "expected.json"), encoding="utf-8") as f:
        expected = json.load(f)
    tally = Tally()
    shipped = {n for n in os.listdir(INDEX) if n.endswith((".npy", ".npz", ".safetensors")) and ".length." not in n}
    tally.equal(sorted(expected), sorted(shipped), "files of", INDEX)
    for name, want in expected.items():
        ids, lengths, length = load(name)
        live = live_slots(ids, lengths, want["kv"])
        check_inspect(tally, name, want, live, length)
        for plan in PLANS:
            check_prove(tally, name, want, live, length, plan)
        for plan in RUNS.get(name, []):
            with tempfile.TemporaryDirectory() as folder:
                check_run(tally, name, want, live, length, plan, folder)
    print("%d files: %d numbers agree, %d do not" % (len(expected), tally.good, tally.bad))
    return 1 if tally.bad or not tally.good else 0


if __name__ == "__main__":
    sys.exit(main())
