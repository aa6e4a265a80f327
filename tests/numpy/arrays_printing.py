#!/usr/bin/env python3
"""Compare the texts of random arrays with NumPy's, byte for byte.

usage: arrays_printing.py PROGRAM FOLDER     (PROGRAM: arrays_printing.cpp)
"""
import pathlib
import subprocess
import sys

import numpy as np

SHAPES = [(), (), (1,), (5,), (40,), (0,), (3, 4), (2, 0), (1, 30), (2, 3, 4), (3, 1, 2, 2), (1001,), (1000,), (7, 200), (2, 8, 9, 10)]
NOT_FINITE = [np.nan, np.inf, -np.inf]


def floats(random, shape, code):
    """Numbers of a random range, some of them round, zero or not finite."""
    low, high = sorted(random.integers(-12, 12, 2)) if random.random() < .5 else (-1, 2)
    with np.errstate(over="ignore"):
        numbers = (random.standard_normal(shape) * 10.0 ** random.uniform(low, high + 1, shape))
        style = random.integers(6)
        if style == 0:
            numbers = np.round(numbers)
        if style == 1:
            numbers = np.round(numbers, int(random.integers(0, 6)))
        if style == 2:
            numbers = np.abs(numbers)
        if style == 3:
            numbers = random.integers(-50, 50, shape) / 4
        if style == 4 and random.random() < .5:
            numbers = numbers * 10.0 ** random.uniform(-300, 290)
        numbers = np.asarray(numbers, dtype=np.float64)
        if random.random() < .3:
            numbers = np.where(random.random(shape) < .2, random.choice(NOT_FINITE), numbers)
        if random.random() < .3:
            numbers = np.where(random.random(shape) < .3, random.choice([0.0, -0.0]), numbers)
        if random.random() < .05:
            numbers = np.full(shape, random.choice(NOT_FINITE))
        return np.asarray(numbers).astype(code)


def integers(random, shape, code):
    limits = np.iinfo(code)
    if random.random() < .5:
        return random.integers(max(limits.min, -9), 10, shape, dtype=code)
    return random.integers(limits.min, limits.max, shape, dtype=code, endpoint=True)


def array(random):
    shape = SHAPES[random.integers(len(SHAPES))]
    code = random.choice(["b1", "i1", "i2", "u8", "i4", "i8", "u1", "f2", "f4", "f4", "f4", "f8", "f8", "f8", "c8", "c16"])
    if code == "b1":
        return code, np.asarray(random.random(shape) < .5)
    if code[0] == "c":
        part = "f4" if code == "c8" else "f8"
        numbers = np.empty(shape, code)
        numbers.real, numbers.imag = floats(random, shape, part), floats(random, shape, part)
        return code, numbers
    return code, np.asarray(floats(random, shape, code) if code[0] == "f" else integers(random, shape, code))


def options(random):
    if random.random() < .6:
        return {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False}
    return {"precision": int(random.integers(0, 18)), "threshold": int(random.choice([0, 10, 1000])), "edgeitems": int(random.integers(1, 5)),
            "linewidth": int(random.integers(10, 120)), "suppress": bool(random.integers(2))}


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    random = np.random.default_rng(1)
    texts = []
    with open(folder / "cases.txt", "w") as cases:
        for number in range(1500):
            code, numbers = array(random)
            chosen = options(random)
            np.save(folder / f"{number}.npy", numbers)
            with np.printoptions(**chosen):
                texts.append(str(numbers))
            cases.write(" ".join(str(int(v)) if not isinstance(v, str) else v for v in (number, code, numbers.ndim, *chosen.values())) + "\n")
    subprocess.run([program, folder], check=True)
    wrong = 0
    for number, text in enumerate(texts):
        ours = (folder / f"{number}.txt").read_text()
        if ours != text:
            wrong += 1
            if wrong < 6:
                print(f"{number}: {(folder / 'cases.txt').read_text().splitlines()[number]}\n{ours}\nnot\n{text}")
    print(f"NumPy {np.__version__}: {len(texts)} texts, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
