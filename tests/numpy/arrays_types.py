#!/usr/bin/env python3
"""Compare ops on integers of each type and on complex numbers with NumPy's.

usage: arrays_types.py PROGRAM FOLDER     (PROGRAM: arrays_types.cpp)
"""
import pathlib
import sys

import numpy as np
from devices import DEVICES, run_on

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
UNARY = ("invert", "sort")
RIGHT = ("conj", "abs", "angle", "exp", "sqrt", "log", "reciprocal", "real", "imag")
LEFT = ("sum", "mean", "cumsum")
SPECIAL = [0, np.inf, -np.inf, np.nan, 1, -1, -0.0]


def operands(random, code):
    if code == "b1":
        return random.random(100) < .5, random.random(100) < .5
    limits = np.iinfo(code)
    numbers = random.integers(limits.min, limits.max, 3000, dtype=code, endpoint=True)
    # half of the right side are numbers of bits inside and outside of the width
    bits = random.integers(max(limits.min, -9), 75, 1500, dtype=code)
    return numbers, np.concatenate([bits, random.integers(limits.min, limits.max, 1500, dtype=code, endpoint=True)])


def complex_operands(random, code):
    part = "f4" if code == "c8" else "f8"
    left, right = np.empty(2000, code), np.empty(2000, code)
    for numbers in left, right:
        numbers.real, numbers.imag = (random.standard_normal((2, 2000)) * 4).astype(part)
    pairs = np.array([complex(re, im) for re in SPECIAL for im in SPECIAL], code)
    for i, number in enumerate(pairs):  # complex(re, im) loses no sign, re + im * 1j does
        right[i] = number
    return left, right


def theirs_of(function, left, right):
    if function in RIGHT:
        return getattr(np, function)(right)
    if function in LEFT:
        return getattr(np, function)(left.astype("c16")).astype(left.dtype)  # ours are carried in double
    if function == "isclose":
        return np.isclose(left, right, rtol=0.5, atol=1)
    if function == "prod":
        return np.prod(left / abs(left))
    if function == "matmul":
        return left.reshape(50, -1) @ left.reshape(50, -1).T
    return getattr(np, function)(left, right)


def close(ours, theirs):
    """Both parts within some rounding of the whole number, and alike where they are not finite."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return np.zeros(1, bool)
    if ours.dtype == bool:
        return ours == theirs
    size = np.where(np.isfinite(theirs), np.abs(theirs), 0)
    most = 200 * np.finfo(ours.dtype).eps * (1 + size)
    alike = np.ones(ours.shape, bool)
    for a, b in (ours.real, theirs.real), (ours.imag, theirs.imag):
        finite = np.isfinite(b)
        alike &= np.where(finite, np.abs(a - np.where(finite, b, 0)) <= most, (a == b) | (np.isnan(a) & np.isnan(b)))
    return alike


def check(folder, pairs, device):
    """The number of results, and of wrong ones, which it prints."""
    cases = wrong = 0
    for path in sorted(folder.glob("*.*.npy")):
        function, code, _ = path.name.split(".")
        left, right = pairs[code]
        if code[0] == "c":
            with np.errstate(all="ignore"):
                ours, theirs = np.load(path), np.asarray(theirs_of(function, left, right))
                alike = close(ours, theirs)
            cases += 1
            if not alike.all():
                wrong += 1
                print(f"{device} {function} of {code}: {ours[~alike][:5]}, not {theirs[~alike][:5]} of {right[~alike][:5] if theirs.shape == right.shape else ''}")
            continue
        with np.errstate(over="ignore"):
            theirs = getattr(np, function)(left) if function in UNARY else getattr(np, function)(left, right)
        ours = np.load(path)
        cases += 1
        if ours.dtype != theirs.dtype or not np.array_equal(ours, theirs):
            wrong += 1
            print(f"{device} {function} of {code}: {ours.dtype} {ours[ours != theirs][:5]}, not {theirs.dtype} {theirs[ours != theirs][:5]}")
    return cases, wrong


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    random = np.random.default_rng(1)
    pairs = {code: operands(random, code) for code in ["b1", *INTEGERS]}
    pairs |= {code: complex_operands(random, code) for code in ("c8", "c16")}
    for code, (left, right) in pairs.items():
        np.save(folder / f"left_{code}.npy", left)
        np.save(folder / f"right_{code}.npy", right)
    cases = wrong = 0
    for gpus, device in DEVICES:
        run_on(gpus, device, program, folder)
        some, bad = check(folder, pairs, device)
        cases, wrong = cases + some, wrong + bad
    print(f"NumPy {np.__version__}: {cases} results, {wrong} wrong")
    sys.exit(wrong != 0 or cases == 0)


if __name__ == "__main__":
    main()
