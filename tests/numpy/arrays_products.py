#!/usr/bin/env python3
"""Compare products and comparisons of arrays with NumPy's.

usage: arrays_products.py PROGRAM FOLDER     (PROGRAM: arrays_products.cpp)
"""
import ast
import pathlib
import sys

import numpy as np
from devices import DEVICES, run_on


def expected(function, argument, operands):
    if function == "einsum":
        return np.einsum(argument, *operands)
    if function == "tensordot":
        return np.tensordot(*operands, axes=ast.literal_eval(argument))
    if function == "isclose":
        rtol, atol, equal_nan = ast.literal_eval(argument)
        return np.isclose(*operands, rtol=rtol, atol=atol, equal_nan=equal_nan)
    return getattr(np, function)(*operands)


def check(folder, device):
    """The number of results, and of wrong ones, which it prints."""
    cases = wrong = 0
    for line in (folder / "cases.txt").read_text().splitlines():
        function, argument, operands, result = line.split("|")
        arrays = [np.load(folder / name) for name in operands.split()]
        ours, theirs = np.load(folder / result.strip()), np.asarray(expected(function, argument, arrays))
        cases += 1
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not np.array_equal(ours, theirs):
            wrong += 1
            print(f"{device} {function}({argument}) of {[a.shape for a in arrays]}: {ours.dtype}{ours.shape}\n{ours}\nnot {theirs.dtype}{theirs.shape}\n{theirs}")
    return cases, wrong


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = wrong = 0
    for gpus, device in DEVICES:
        run_on(gpus, device, program, folder)
        some, bad = check(folder, device)
        cases, wrong = cases + some, wrong + bad
    print(f"NumPy {np.__version__}: {cases} results, {wrong} wrong")
    sys.exit(wrong != 0 or cases == 0)


if __name__ == "__main__":
    main()
