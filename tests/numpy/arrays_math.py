#!/usr/bin/env python3
"""Compare element-wise ops with NumPy's, of slices with any strides, of numbers, NaN, infinities, denormal numbers and nothing.

usage: arrays_math.py PROGRAM FOLDER     (PROGRAM: arrays_math.cpp)

Integers, comparisons and arithmetic are equal. Functions are within the ulps of docs/math.md of NumPy's result in a wider type.
"""
import math
import pathlib
import sys
import warnings

import numpy as np
from devices import DEVICES, run_on

SHAPE = (37, 70)
SLICES = {"all": np.s_[:, :], "strided": np.s_[::-1, 1:-2:3], "row": np.s_[4:5, :], "none": np.s_[3:3, :]}
WIDER = {"f2": "f4", "f4": "f8", "f8": "g"}

# The allowed error in ulps of f4 and f8 (docs/math.md). Results of f2 are those of f4, rounded.
ULPS = {"exp": (2, 1.5), "expm1": (2, 1.5), "log": (1, 1), "log1p": (2, 1.5), "tanh": (2, 1.5), "sigmoid": (2, 1.5), "erf": (1.5, 2.5),
        "rsqrt": (1.5, 1.5),
        "exp2": (2, 1.5), "log2": (2, 1.5), "log10": (2, 1.5), "cbrt": (2, 1.5), "erfc": (2, 2.5), "tan": (2, 1.5),
        "asin": (2, 1.5), "acos": (2, 1.5), "atan": (2, 1.5), "sinh": (2, 1.5), "cosh": (2, 1.5), "asinh": (2, 1.5),
        "acosh": (2, 1.5), "atanh": (2, 1.5), "logaddexp": (2, 1.5), "atan2": (2, 1.5), "hypot": (2, 1.5),
        "sin": (2, 1), "cos": (2, 1), "power": (1, 1.5), "softmax": (16, 16), "log_softmax": (16, 16)}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True, initial=-9))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    d = x - x.max(-1, keepdims=True, initial=-9)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


def quotient(x, y):
    """C's quotient of integers: toward zero."""
    return (x - np.fmod(x, y)) // y if x.dtype.kind in "iu" else x / y


def in_float(x):
    """Numbers of 16 bits are compared as floats."""
    return x.astype("f4") if x.dtype == "f2" else x


erf = np.vectorize(lambda x: math.erf(x), otypes=["f8"])
erfc = np.vectorize(lambda x: math.erfc(x), otypes=["f8"])
OURS = {
    "divide": quotient, "where": lambda x, y: np.where(x < y, x, y), "add_n": lambda x: x + x + x, "relu": lambda x: np.where(x <= 0, x.dtype.type(0), x),
    "clip": lambda x: np.clip(x, 1, 3), "to_double": lambda x: x.astype("f8"), "to_bool": lambda x: x.astype(bool),
    "isclose": lambda x, y: np.isclose(in_float(x), in_float(y), rtol=0.5, atol=1), "rsqrt": lambda x: 1 / np.sqrt(x),
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "atan2": np.arctan2, "erfc": lambda x: erfc(x.astype("f8")),
    "erf": lambda x: erf(x.astype("f8")), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softmax": lambda x: softmax(np.clip(x, -9, 9)), "log_softmax": lambda x: log_softmax(np.clip(x, -9, 9))}


def call(op, *operands):
    return OURS.get(op, getattr(np, op, None))(*operands)


def numbers(random, code):
    """A matrix of each kind of number that the type has."""
    if code == "b1":
        return random.random(SHAPE) < 0.5
    if code[0] in "iu":
        limits = np.iinfo(code)
        x = random.integers(limits.min, limits.max, SHAPE, dtype=code, endpoint=True)
        x[:, ::2] = random.integers(0, 10, x[:, ::2].shape)
        return x
    limits = np.finfo(code)
    x = (random.standard_normal(SHAPE) * np.exp(random.normal(0, 3, SHAPE))).astype(code)
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, limits.max, limits.tiny, limits.smallest_subnormal, 0.5, 2.5]
    x.reshape(-1)[random.permutation(x.size)[:600]] = random.choice(np.array(special, code), 600)
    return x


def operands(random, code):
    x, y = numbers(random, code), numbers(random, code)
    if code[0] in "iu":
        y = random.integers(2, 100, SHAPE, dtype=code)  # what divides
    return x, y


def wrong_ones(op, code, ours, operands):
    """A mask of the results that differ by more than is allowed."""
    kind = 1 if code == "f8" else 0
    if op not in ULPS:
        theirs = np.asarray(call(op, *operands))
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
            return np.ones(1, bool), theirs
        return ~((ours == theirs) | ((ours != ours) & (theirs != theirs))), theirs
    exact = np.asarray(call(op, *(x.astype(WIDER[code]) for x in operands)))
    theirs = exact.astype(code)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return np.ones(1, bool), theirs
    equal = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    ulps = 1 if code == "f2" and ULPS[op][0] < 16 else ULPS[op][kind]
    # log_softmax: the difference of numbers up to 9. logaddexp: near 0 its two terms cancel.
    least = {"log_softmax": 9, "logaddexp": 0.5}.get(op, np.finfo(code).smallest_subnormal)
    unit = np.spacing(np.maximum(np.abs(theirs), np.asarray(least, code))).astype(WIDER[code])
    near = np.isfinite(ours) & np.isfinite(theirs) & (np.abs(ours.astype(WIDER[code]) - exact) <= ulps * unit)
    return ~(equal | near), theirs


def check(folder, pairs, device):
    compared, wrong = 0, 0
    for path in sorted(folder.glob("*.*.*.npy")):
        op, code, name, _ = path.name.split(".")
        x, y = pairs[code]
        part = [x, y[2:3]] if name == "broadcast" else [x[SLICES[name]], y[SLICES[name]]]
        inputs = part if op in BINARY else part[:1]
        ours = np.load(path)
        bad, theirs = wrong_ones(op, code, ours, inputs)
        compared += 1
        if bad.any():
            wrong += 1
            what = [np.broadcast_to(x, ours.shape)[bad][:4] for x in inputs] if bad.shape == ours.shape else ""
            print(f"{device} {op} of {code}, {name}: {ours[bad][:4] if what else ours.dtype}, not {theirs[bad][:4] if what else theirs.dtype} of {what}")
    return compared, wrong


BINARY = {"add", "subtract", "multiply", "divide", "fmod", "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "equal",
          "not_equal", "where", "power", "atan2", "hypot", "isclose", "nextafter", "logical_and", "logical_or", "logical_xor",
          "logaddexp", "copysign", "heaviside", "floor_divide", "remainder"}


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    random = np.random.default_rng(5)
    pairs = {code: operands(random, code) for code in ["f2", "f4", "f8", "i1", "u1", "i4", "i8", "u8", "b1"]}
    for code, (left, right) in pairs.items():
        np.save(folder / f"left_{code}.npy", left)
        np.save(folder / f"right_{code}.npy", right)
    compared = wrong = 0
    for gpus, device in DEVICES:
        run_on(gpus, device, program, folder)
        some, bad = check(folder, pairs, device)
        compared, wrong = compared + some, wrong + bad
    print(f"NumPy {np.__version__}: {compared} arrays, {wrong} wrong")
    sys.exit(wrong != 0 or compared < 1000)


if __name__ == "__main__":
    main()
