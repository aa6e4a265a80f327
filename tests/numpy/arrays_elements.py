#!/usr/bin/env python3
"""Compare elements, makers and shaping with NumPy, over random shapes and types, on a CPU and on simulated GPUs.

usage: arrays_elements.py PROGRAM FOLDER     (PROGRAM: arrays_elements.cpp)
"""
import pathlib
import random
import sys

import numpy as np
from devices import DEVICES, run_on

SEED = 1
CASES = 40  # of each op


def pad(mode):
    def call(x, *w):
        widths = [(w[2 * d], w[2 * d + 1]) for d in range(x.ndim)]
        return np.pad(x, widths, mode, constant_values=1) if mode == "constant" else np.pad(x, widths, mode)
    return call


def assign(x, to, source):
    y = x.copy()
    y[to] = x[source] + x[source]
    if y.ndim == 2:
        y[to, -1] = 1
    return y


def grid(order, which):
    return lambda x: np.meshgrid(x, np.flip(x), x, indexing=order)[which]


# An op: (lowest and highest rank, arguments of a shape, NumPy's call). Rank 0: a maker, without an operand.
number = random.Random(SEED)
axis = lambda s: number.randrange(-len(s), len(s))
index = lambda n: number.randrange(-n, n)
widths = lambda s: [number.randrange(0, 9) for _ in range(2 * len(s))]


def divisor(s):
    a = axis(s)
    n = number.choice([k for k in range(1, s[a] + 1) if s[a] % k == 0])
    return [n, a, number.randrange(n)]


OPS = {
    "arange": (0, 0, lambda s: [number.randrange(-50, 50), number.randrange(-50, 50), number.choice([-7, -2, -1, 1, 3])],
               lambda a, b, c: np.arange(a, b, c)),
    "arange_float": (0, 0, lambda s: [number.randrange(-50, 50) / 8, number.randrange(-50, 50) / 8, number.choice([-0.75, 0.125, 1.5])],
                     lambda a, b, c: np.arange(a, b, c)),
    "linspace": (0, 0, lambda s: [number.uniform(-5, 5), number.uniform(-5, 5), number.randrange(0, 40), number.randrange(2)],
                 lambda a, b, n, closed: np.linspace(a, b, n, endpoint=bool(closed))),
    "eye": (0, 0, lambda s: [number.randrange(0, 9), number.randrange(0, 9), number.randrange(-10, 10)],
            lambda n, m, k: np.eye(n, m, k, dtype=np.float32)),
    "flip_all": (1, 3, lambda s: [], np.flip),
    "flip": (1, 3, lambda s: [axis(s)], np.flip),
    "moveaxis": (1, 3, lambda s: [axis(s), axis(s)], np.moveaxis),
    "swapaxes": (1, 3, lambda s: [axis(s), axis(s)], np.swapaxes),
    "hstack": (1, 3, lambda s: [], lambda x: np.hstack([x, x])),
    "vstack": (1, 3, lambda s: [], lambda x: np.vstack([x, x])),
    "split": (1, 3, divisor, lambda x, n, a, i: np.split(x, n, a)[i]),
    "reshape": (1, 3, lambda s: number.choice([[-1, s[0]], [s[-1], -1], [int(np.prod(s)), -1]]), lambda x, m, n: x.reshape(m, n)),
    "pad": (1, 3, widths, pad("constant")),
    "pad_edge": (1, 3, widths, pad("edge")),
    "pad_reflect": (1, 3, widths, pad("reflect")),
    "tile": (1, 3, lambda s: [number.randrange(0, 5), number.randrange(0, 5)], lambda x, m, n: np.tile(x, (m, n))),
    "repeat": (1, 3, lambda s: [number.randrange(0, 5), axis(s)], np.repeat),
    "repeat_all": (1, 3, lambda s: [number.randrange(0, 5)], np.repeat),
    "roll": (1, 3, lambda s: [number.randrange(-20, 20), axis(s)], np.roll),
    "roll_all": (1, 3, lambda s: [number.randrange(-20, 20)], np.roll),
    "diag": (1, 2, lambda s: [number.randrange(-10, 10)], np.diag),
    "meshgrid": (1, 1, lambda s: [], grid("xy", 0)),
    "meshgrid_ij": (1, 1, lambda s: [], grid("ij", 1)),
    "tril": (2, 3, lambda s: [number.randrange(-10, 10)], np.tril),
    "triu": (2, 3, lambda s: [number.randrange(-10, 10)], np.triu),
    "row": (2, 3, lambda s: [index(s[0])], lambda x, i: x[i]),
    "newaxis": (1, 3, lambda s: [index(s[0])], lambda x, i: x[i, ..., None]),
    "last": (1, 3, lambda s: [index(s[-1])], lambda x, i: x[..., None, i]),
    "ranges": (1, 3, lambda s: [number.randrange(-12, 12), number.randrange(-12, 12), number.choice([-3, -1, 1, 2])],
               lambda x, a, b, c: x[a:b:c, ..., None]),
    "rows": (2, 3, lambda s: [], lambda x: x),
    "assign": (2, 3, lambda s: [index(s[0]), index(s[0])], assign),
}


def cases():
    """(op, type, operand or None, arguments) of each case."""
    random_numbers = np.random.default_rng(SEED)
    for op, (low, high, arguments, _) in OPS.items():
        for _ in range(CASES):
            rank = number.randint(low, high)
            shape = [number.randint(1, 9) for _ in range(rank)]
            dtype = number.choice(["int32", "float64"] + ([] if op == "assign" else ["bool"]))
            x = random_numbers.integers(-100 if dtype != "bool" else 0, 100 if dtype != "bool" else 2, shape).astype(dtype)
            yield op, dtype, x if rank else None, arguments(shape)


def same(ours, expected, op):
    if ours.shape != expected.shape or ours.dtype != expected.dtype:
        return False
    if op == "linspace":  # a multiplication and an addition may be one instruction
        return np.allclose(ours, expected, rtol=1e-14, atol=1e-14)
    return (ours == expected).all()


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = []
    with open(folder / "cases.txt", "w") as listed:
        for i, (op, dtype, x, arguments) in enumerate(cases()):
            if x is not None:
                np.save(folder / f"{i}.npy", x)
            text = " ".join(repr(a) for a in arguments)
            listed.write(f"{i} {op} {dtype} {x.ndim if x is not None else 0} {text}\n")
            call = OPS[op][3]
            expected.append((op, x, arguments, call(*arguments) if x is None else call(x, *arguments)))
    for gpus, device in DEVICES:
        run_on(gpus, device, program, folder)
        for i, (op, x, arguments, y) in enumerate(expected):
            ours = np.load(folder / f"{i}_out.npy")
            assert same(ours, y, op), f"{device} {op} {arguments} of\n{x}\nis\n{ours}, not\n{y}"
    print(f"NumPy {np.__version__}: {len(DEVICES) * len(expected)} arrays of {len(OPS)} ops, 0 wrong")


if __name__ == "__main__":
    main()
