#!/usr/bin/env python3
"""Each op beside NumPy, Eigen and xtensor: CPU time of one thread, in turns within one process.

usage: table.py [REGEX] [--sizes N,N] [--rounds N] [--library FILE] [--write]

FILE (build/bench/benchmarks/numpy/libbench_numpy.so) has the sides placement, eigen and xtensor. The sides of an op take turns.
A figure is the median of the rounds, in microseconds. A ratio is how many times as fast placement is as the fastest of the others.
--write puts a table between the markers of docs/speed_of_ops.md that have the library's name. Run it with a Python that has NumPy.
"""
import argparse
import collections
import ctypes
import os
import pathlib
import re
import statistics
import subprocess
import time

for name in "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PLACEMENT_INTRA_OP_THREADS":
    os.environ[name] = "1"  # before NumPy is loaded

import numpy as np
from numpy_ops import NUMPY, Operands

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOAL = 0.8
LEAST = 2e-3  # seconds of a sample
# Sides whose results differ by more than 4 ulps (docs/math.md has the errors). They are measured, and the ratio leaves them out.
INEXACT = {"erf": {"eigen"}, "tanh": {"eigen"}, "sigmoid": {"eigen"}, "pow": {"xtensor"}}


class Arrays(ctypes.Structure):
    """The struct `arrays` of sides.hpp."""

    _fields_ = [("size", ctypes.c_int64)] + [
        (name, ctypes.c_void_p) for name in ("x", "y", "positive", "wide", "whole", "index", "small", "mask")]


class Library:
    """The sides that are compiled: side -> op -> its number."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(str(path))
        self.calls.bench_side.restype = self.calls.bench_name.restype = ctypes.c_char_p
        self.calls.bench_run.restype = ctypes.c_double
        self.numbers = collections.defaultdict(dict)
        for i in range(self.calls.bench_count()):
            self.numbers[self.calls.bench_name(i).decode()][self.calls.bench_side(i).decode()] = i

    def measure(self, number, arrays, times):
        self.calls.bench_prepare(number, ctypes.byref(arrays))
        self.calls.bench_run(1)
        return self.calls.bench_run(times) / times


def measure_numpy(call, operands, times):
    call(operands)
    begin = time.thread_time()
    for _ in range(times):
        call(operands)
    return (time.thread_time() - begin) / times


def times_of(measure):
    """How many calls take LEAST seconds."""
    times = 1
    while True:
        seconds = measure(times)
        if seconds * times >= LEAST or times >= 100_000:
            return times
        times = max(times * 2, int(1.2 * LEAST / max(seconds, 1e-9)))


def sides_of(op, library, operands, rounds):
    """side -> the median of seconds of one call."""
    arrays = Arrays(operands.size, *(getattr(operands, name).ctypes.data for name, _ in Arrays._fields_[1:]))
    calls = {side: lambda times, i=i: library.measure(i, arrays, times) for side, i in library.numbers[op].items()}
    if op in NUMPY:
        calls["numpy"] = lambda times: measure_numpy(NUMPY[op], operands, times)
    times = {side: times_of(call) for side, call in calls.items()}
    samples = collections.defaultdict(list)
    for _ in range(rounds):
        for side, call in calls.items():
            samples[side].append(call(times[side]))
    return {side: statistics.median(found) for side, found in samples.items()}


def text_of(seconds):
    return f"{1e6 * seconds:.3g}" if seconds < 0.01 else f"{1e6 * seconds:.0f}"


def ratio_of(op, sides):
    """How many times as fast placement is as the fastest of the others that are exact to 4 ulps."""
    others = [seconds for side, seconds in sides.items() if side not in {"placement"} | INEXACT.get(op, set())]
    return min(others) / sides["placement"]


def cells(op, sides):
    """placement, the others and the ratio, as cells of a row."""
    ratio = ratio_of(op, sides)
    texts = {side: f"({text_of(t)})" if side in INEXACT.get(op, ()) else text_of(t) for side, t in sides.items()}
    others = [texts.get(side, "") for side in ("numpy", "eigen", "xtensor")]
    return [text_of(sides["placement"]), *others, f"{ratio:.2f}" if ratio >= GOAL else f"**{ratio:.2f}**"]


def table(measured):
    """A row for each op, with the cells of each size. measured: size -> op -> sides."""
    heads = [f"{size:,}: placement | NumPy | Eigen | xtensor | ratio" for size in measured]
    lines = ["| op | " + " | ".join(heads) + " |", "|---" * (1 + 5 * len(measured)) + "|"]
    for op in next(iter(measured.values())):
        lines.append("| " + " | ".join([op, *(cell for rows in measured.values() for cell in cells(op, rows[op]))]) + " |")
    return "\n".join(lines)


def machine(load):
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return f"{cpu}, {os.cpu_count()} cores; load {load:.1f} to {os.getloadavg()[0]:.1f}; {compiler}; NumPy {np.__version__}"


def put_between(marker, text):
    """Replaces what is between the markers of docs/speed_of_ops.md."""
    page, begin, end = ROOT / "docs/speed_of_ops.md", f"<!-- {marker} -->", f"<!-- /{marker} -->"
    head, rest = page.read_text().split(begin)
    page.write_text(head + begin + "\n" + text + "\n" + end + rest.split(end)[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("ops", nargs="?", default="", metavar="REGEX")
    arguments.add_argument("--sizes", default="10000,1000000")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--library", type=pathlib.Path, default=ROOT / "build/bench/benchmarks/numpy/libbench_numpy.so")
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    load, library = os.getloadavg()[0], Library(given.library)
    measured = collections.defaultdict(dict)
    for size in map(int, given.sizes.split(",")):
        operands = Operands(size)
        for op in library.numbers:
            if re.search(given.ops, op) and (op in NUMPY or len(library.numbers[op]) > 1):
                sides = measured[size][op] = sides_of(op, library, operands, given.rounds)
                print(f"{op}, {size:,}: " + ", ".join(f"{side} {text_of(t)}" for side, t in sides.items()) + f"; {ratio_of(op, sides):.2f}", flush=True)
    ratios = [ratio_of(op, sides) for rows in measured.values() for op, sides in rows.items()]
    met = sum(ratio >= GOAL for ratio in ratios)
    said = f"{met} of {len(ratios)} ratios are at least {GOAL}."
    print(machine(load), said, sep="\n")
    if given.write:
        put_between(given.library.stem, "\n\n".join([machine(load) + ". " + said, table(measured)]))


if __name__ == "__main__":
    main()
