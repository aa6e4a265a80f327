#!/usr/bin/env python3
"""Compare ops of nets with NumPy's formulas, over random shapes, in float32 and float64, on a CPU and on simulated GPUs.

usage: nets.py PROGRAM FOLDER     (PROGRAM: nets.cpp)
"""
import math
import pathlib
import random
import sys

import numpy as np
from devices import DEVICES, run_on

SEED = 1
CASES = 20  # of each op
number = random.Random(SEED)
erf = np.vectorize(math.erf)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def one_hot(labels, n):
    return np.eye(n)[labels]


def huber(d, delta):
    return np.where(np.abs(d) <= delta, d * d / 2, delta * (np.abs(d) - delta / 2)).mean()


def batch_norm(c, epsilon):
    x = c["x"]
    return (x - x.mean(0)) / np.sqrt(x.var(0) + epsilon) * c["scale"] + c["offset"]


def batch_norm_gradient(c, epsilon):
    x, g = c["x"], c["y"]
    root = np.sqrt(x.var(0) + epsilon)
    h = (x - x.mean(0)) / root
    return c["scale"] / root * (g - g.mean(0) - h * (g * h).mean(0))


def embedding_gradient(c, rows):
    y = np.zeros((int(rows), c["x"].shape[1]))
    np.add.at(y, c["labels"], c["x"])
    return y


# An op: (its operands besides x, arguments of a shape, NumPy's formula of the operands and the arguments).
real = lambda s: [number.uniform(0.1, 2)]
none = lambda s: []
OPS = {
    "leaky_relu": ("", real, lambda c, a: np.where(c["x"] < 0, a * c["x"], c["x"])),
    "elu": ("", real, lambda c, a: np.where(c["x"] < 0, a * np.expm1(c["x"]), c["x"])),
    "silu": ("", none, lambda c: c["x"] / (1 + np.exp(-c["x"]))),
    "softplus": ("", none, lambda c: np.log1p(np.exp(-np.abs(c["x"]))) + np.maximum(c["x"], 0)),
    "gelu": ("", none, lambda c: c["x"] * (1 + erf(c["x"] / math.sqrt(2))) / 2),
    "gelu_tanh": ("", none, lambda c: c["x"] * (1 + np.tanh(math.sqrt(2 / math.pi) * (c["x"] + 0.044715 * c["x"] ** 3))) / 2),
    "mse": ("y", none, lambda c: ((c["x"] - c["y"]) ** 2).mean()),
    "l2_loss": ("", none, lambda c: (c["x"] ** 2).sum() / 2),
    "huber": ("y", real, lambda c, delta: huber(c["x"] - c["y"], delta)),
    "cross_entropy": ("y", none, lambda c: -(c["y"] * np.log(softmax(c["x"]))).sum(-1)),
    "sparse_cross_entropy": ("labels", none, lambda c: -np.log(softmax(c["x"]))[np.arange(len(c["x"])), c["labels"]]),
    "cross_entropy_gradient": ("y g", none, lambda c: (softmax(c["x"]) - c["y"]) * c["g"][:, None]),
    "sparse_cross_entropy_gradient": ("labels g", none, lambda c: (softmax(c["x"]) - one_hot(c["labels"], c["x"].shape[1])) * c["g"][:, None]),
    "batch_norm": ("scale offset", real, batch_norm),
    "batch_norm_gradient": ("y scale", real, batch_norm_gradient),
    "embedding_gradient": ("labels", lambda s: [s[1] + number.randrange(3)], embedding_gradient),
}


def cases():
    """(op, type, operands by name, arguments) of each case."""
    numbers = np.random.default_rng(SEED)
    for op, (names, arguments, _) in OPS.items():
        for _ in range(CASES):
            m, n = number.randint(2, 40), number.choice([1, 3, 10, 32, 33, 70])
            dtype = number.choice(["float32", "float64"])
            make = {"x": lambda: numbers.normal(0, 2, (m, n)), "g": lambda: numbers.normal(0, 1, m),
                    "y": lambda: softmax(numbers.normal(0, 2, (m, n))),
                    "scale": lambda: numbers.uniform(0.5, 2, n), "offset": lambda: numbers.normal(0, 1, n)}
            operands = {name: make[name]().astype(dtype) for name in ["x", *names.split()] if name != "labels"}
            if "labels" in names:
                operands["labels"] = numbers.integers(0, n, m)
            yield op, dtype, operands, arguments((m, n))


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = []
    with open(folder / "cases.txt", "w") as listed:
        for i, (op, dtype, operands, arguments) in enumerate(cases()):
            for name, x in operands.items():
                np.save(folder / f"{i}_{name}.npy", x)
            listed.write(f"{i} {op} {dtype} {' '.join(repr(a) for a in arguments)}\n")
            wide = {name: x if name == "labels" else x.astype("float64") for name, x in operands.items()}
            expected.append((op, dtype, OPS[op][2](wide, *arguments)))
    for gpus, device in DEVICES:
        run_on(gpus, device, program, folder)
        for i, (op, dtype, y) in enumerate(expected):
            ours = np.load(folder / f"{i}_out.npy")
            tolerance = 2e-5 if dtype == "float32" else 1e-12
            assert ours.dtype == dtype and ours.shape == np.shape(y), f"{device} {op} {i}: {ours.dtype} {ours.shape}"
            assert np.allclose(ours, y, rtol=tolerance, atol=tolerance), f"{device} {op} {i} {dtype} is\n{ours}, not\n{y}"
    print(f"NumPy {np.__version__}: {len(DEVICES) * len(expected)} results of {len(OPS)} ops, 0 wrong")


if __name__ == "__main__":
    main()
