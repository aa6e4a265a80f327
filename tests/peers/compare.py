#!/usr/bin/env python3
"""Compare values and gradients of ops with those of PyTorch or TensorFlow, over random shapes, on a CPU and a GPU.

usage: compare.py torch|tensorflow FOLDER ELEMENT=PROGRAM... [--cases N] [--seed N] [--only REGEX]

PROGRAM is run_cases.cpp, ELEMENT its element type. The library computes in float64, from the same operands. `./dev test peers`
builds the programs, and runs this script with each library that `./dev setup peers` installed.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

import numpy as np

from op_table import LINEAR_ALGEBRA, OPS, Case


def drawn(names, count, seed, element):
    """Cases of the ops, with the gradients of their results still missing."""
    for name in names:
        rng = np.random.default_rng([seed, *name.encode()])
        for number in range(count):
            yield Case(f"{name}_{number}", name, *OPS[name].draw(rng), element=element)


class Torch:
    def __init__(self):
        import torch

        self.library, self.version, self.name = torch, torch.__version__, "torch"

    def value_and_gradients(self, c, f, rng):
        torch = self.library
        x = [torch.tensor(a.astype("float64"), requires_grad=True) for a in c.operands]
        extra = {k: torch.tensor(a.astype("float64") if a.dtype.kind == "f" else a) for k, a in c.extra.items()}
        y = f(Case.Given(c.arguments, extra), *x)
        g = rng.normal(size=tuple(y.shape)).astype(c.element)
        found = torch.autograd.grad(y, x, torch.tensor(g.astype("float64")), allow_unused=True)
        return y.detach().numpy(), [np.zeros(a.shape) if d is None else d.numpy() for a, d in zip(c.operands, found)], g


class TensorFlow:
    def __init__(self):
        import tensorflow

        self.library, self.version, self.name = tensorflow, tensorflow.__version__, "tensorflow"

    def value_and_gradients(self, c, f, rng):
        tf = self.library
        x = [tf.constant(a.astype("float64")) for a in c.operands]
        extra = {k: tf.constant(a.astype("float64") if a.dtype.kind == "f" else a) for k, a in c.extra.items()}
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(Case.Given(c.arguments, extra), *x)
        g = rng.normal(size=tuple(y.shape)).astype(c.element)
        found = tape.gradient(y, x, tf.constant(g.astype("float64")), unconnected_gradients="zero")
        return y.numpy(), [tf.convert_to_tensor(d).numpy() for d in found], g


def compared(name, ours, expected, bound):
    """What is wrong with an array, or nothing. The bound is relative to the array's largest number."""
    if ours.shape != expected.shape:
        return f"{name} has shape {ours.shape}, not {expected.shape}"
    if not expected.size:
        return None
    off = np.abs(ours.astype("float64") - expected)
    limit = bound * max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0))
    wrong = ~((off <= limit) | (np.isnan(ours) & np.isnan(expected)) | (ours == expected))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"{name}{list(at)} is {ours[at]!r}, not {expected[at]!r}: off by {off[at]:.2g}, {limit:.2g} is allowed"
    return None


def write_cases(folder, cases, expected):
    arrays = {}
    with open(folder / "cases.txt", "w") as listed:
        for c, (_, _, g) in zip(cases, expected):
            arrays |= {f"{c.id}/x{i}": a for i, a in enumerate(c.operands)}
            arrays |= {f"{c.id}/{k}": a for k, a in c.extra.items()} | {f"{c.id}/g": g}
            listed.write(f"{c.id} {c.op} {' '.join(repr(float(a)) for a in c.arguments)}\n")
    np.savez(folder / "cases.npz", **arrays)


def run_element(peer, program, folder, element, given, names):
    """Runs the program on both devices. Returns the number of compared arrays, and the faults."""
    rng = np.random.default_rng(given.seed)
    cases = list(drawn(names, given.cases, given.seed, element))
    expected = [peer.value_and_gradients(c, OPS[c.op].of(peer), rng) for c in cases]
    for c, (_, _, c.gradient) in zip(cases, expected):
        pass
    write_cases(folder, cases, expected)
    compared_arrays, faults = 0, []
    for device in "/cpu:0", "/gpu:0":
        subprocess.run([program, folder, device], check=True)
        with np.load(folder / "results.npz") as results:
            for c, (y, gradients, _) in zip(cases, expected):
                bound = OPS[c.op].bound * np.finfo(element).eps
                of = OPS[c.op].expect(c, results) if OPS[c.op].expect else (y, gradients)
                for name, wanted in [("y", of[0]), *((f"d{i}", d) for i, d in enumerate(of[1]))]:
                    ours = results[f"{c.id}/{name}"]
                    compared_arrays += 1
                    fault = None if ours.dtype == element else f"{name} is of {ours.dtype}"
                    fault = fault or compared(name, ours, np.asarray(wanted), bound)
                    if fault:
                        shapes = " ".join(str(list(a.shape)) for a in c.operands)
                        faults.append(f"{device} {element} {c.id} of {shapes}, arguments {c.arguments}: {fault}")
    return compared_arrays, faults


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("library", choices=["torch", "tensorflow"])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("programs", nargs="+", metavar="ELEMENT=PROGRAM")
    arguments.add_argument("--cases", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    peer = {"torch": Torch, "tensorflow": TensorFlow}[given.library]()
    given.folder.mkdir(parents=True, exist_ok=True)
    total, faults, elements = 0, [], []
    for element, program in (p.split("=", 1) for p in given.programs):
        known = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        other = set(known) ^ set(OPS)
        if other and other != LINEAR_ALGEBRA:
            sys.exit(f"{program} and op_table.py differ in {sorted(other)}")
        names = [n for n in OPS if n in known and OPS[n].of(peer) and re.search(given.only, n)]
        count, found = run_element(peer, program, given.folder, element, given, names)
        total, faults, elements = total + count, faults + found, elements + [element]
    for fault in faults[:40]:
        print(fault)
    by_op = collections.Counter(re.search(r"\w+ (\w+)_\d+ of", f).group(1) for f in faults)
    of_ops = ": " + ", ".join(f"{op} {n}" for op, n in by_op.most_common()) if by_op else ""
    if other:
        print(f"  skipped linear algebra: the programs have no LAPACK, so no {', '.join(sorted(other))}")
    without = [n for n in OPS if not OPS[n].of(peer)]
    print(f"{peer.name} {peer.version}: {total} arrays of {len(names)} ops in {' and '.join(elements)}, {len(faults)} wrong{of_ops}")
    if without:
        print(f"  skipped {peer.name} has no {', '.join(without)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
