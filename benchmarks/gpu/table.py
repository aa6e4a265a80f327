#!/usr/bin/env python3
"""The GPU table: rows of bench_gpu* and peers.py, compared with the goals.

usage: table.py ROWS.jsonl [--machine FILE] [--write docs/performance_tables.md]

--write puts the table between the markers `<!-- gpu -->` and `<!-- /gpu -->`, with the machine and the command.
"""

import argparse
import collections
import json
import pathlib
import re

# Rows by the start of their names: the side that the goal compares with, and the least ratio, or for times the largest.
# limit: the measured device copy, by bytes; best: the fastest other side; NAME: that side
GOALS = [
    (r"negate|add|triad", [("limit", 0.97), ("best", 0.99)]),
    (r"chain", [("limit", 0.97), ("torch, eager", 4.0)]),
    (r"bias \+ relu", [("limit", 0.95)]),
    (r"strided|transposed", [("limit", 0.80)]),
    (r"sum f32", [("cub", 0.97)]),
    (r"sum along|argmax|variance|layer norm|gather", [("best", 1.0)]),
    (r"cumsum|sort", [("cub", 0.97)]),
    (r"conv2d|step of net", [("best", 1.0)]),
    (r"softmax", [("limit", 0.95), ("best", 0.97)]),
    (r"matmul (f32|tf32|bf16) \d+$", [("cublasLt", 0.99)]),
    (r"relu\(x w \+ b\)", [("plain product", 0.98), ("cublasLt", 0.99)]),
    (r"100 small ops", [("raw CUDA", 0.95)]),
    (r"alloc \+ free", [("cudaMallocAsync", 5.0)]),
]
US = "placement"


def read(path):
    rows = collections.defaultdict(dict)
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("{"):
            r = json.loads(line)
            rows[r["row"]][r["side"]] = r
    return rows


def amount(r):
    if r["bytes"]:
        return f"{r['bytes'] / r['seconds'] / 1e9:.0f} GB/s"
    if r["flops"]:
        return f"{r['flops'] / r['seconds'] / 1e12:.1f} TFLOP/s"
    return f"{r['seconds'] * 1e6:.2f} us"


def judged(row, sides, copy_rate):
    """The goals of a row, each as `ratio of what (goal), met or not`."""
    found, ours = [], sides[US]["seconds"]
    others = {name: r["seconds"] for name, r in sides.items() if name != US and name != "plain product"}
    for pattern, goals in GOALS:
        if not re.match(pattern, row):
            continue
        for what, least in goals:
            if what == "limit" and copy_rate and sides[US]["bytes"]:
                ratio = sides[US]["bytes"] / ours / copy_rate
            elif what == "best" and others:
                ratio = min(others.values()) / ours
            elif what in sides:
                ratio = sides[what]["seconds"] / ours
            else:
                continue
            found.append(f"{ratio:.2f} of {what} (goal {least}){'' if ratio >= least else ', MISSED'}")
    if row.startswith("launch") and "raw CUDA" in sides:
        over = 1e6 * (ours - sides["raw CUDA"]["seconds"])
        found.append(f"{over:.2f} us over raw (goal 0.2){'' if over <= 0.2 else ', MISSED'}")
    return found


def table(rows):
    copy = rows.get("device copy 2^28", {}).get("cudaMemcpyAsync")
    copy_rate = copy["bytes"] / copy["seconds"] if copy else None
    lines = ["| work | placement | others | against the goals |", "|---|---|---|---|"]
    for row, sides in rows.items():
        if row.startswith("towers"):
            continue
        ours = amount(sides[US]) if US in sides else ""
        others = ", ".join(f"{name} {amount(r)}" for name, r in sides.items() if name != US)
        verdict = "; ".join(judged(row, sides, copy_rate)) if US in sides else ""
        lines.append(f"| {row} | {ours} | {others} | {verdict} |")
    towers = rows.get("towers, batch 16384 in all", {})
    one = towers.get("1 device")
    for name, r in towers.items():
        ratio = r["seconds"] / one["seconds"] if one else 0
        verdict = "" if r is one or not one else f"{ratio:.2f} of one device (goal 1.1){'' if ratio <= 1.1 else ', MISSED'}"
        lines.append(f"| towers, {name} | {amount(r)} |  | {verdict} |")
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rows")
    arguments.add_argument("--machine", type=pathlib.Path)
    arguments.add_argument("--write", type=pathlib.Path)
    given = arguments.parse_args()
    rows = read(given.rows)
    if not rows:
        print("no rows were measured")
        return
    lines = table(rows)
    print("\n".join(lines))
    if given.write:
        # without the bus and the identifier of the GPU, which only that machine has
        machine = re.sub(r"(GiB)(, \S+)+$", r"\1", given.machine.read_text().strip(), flags=re.M) if given.machine else ""
        text = given.write.read_text()
        new = "\n".join(["<!-- gpu -->", "```text", machine, "```", "", *lines, "", "`./dev gpu`", "<!-- /gpu -->"])
        changed, count = re.subn(r"<!-- gpu -->.*?<!-- /gpu -->", lambda _: new, text, flags=re.S)
        if count != 1:
            raise SystemExit(f"{given.write}: the markers <!-- gpu --> and <!-- /gpu --> are not there once")
        given.write.write_text(changed)


main()
