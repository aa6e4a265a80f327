#!/usr/bin/env python3
"""Compare linear algebra and transforms with NumPy's.

usage: linear_algebra.py PROGRAM FOLDER     (PROGRAM: linear_algebra.cpp)

Signs of singular vectors and eigenvectors are free, so these are compared by their products.
"""
import ast
import pathlib
import subprocess
import sys

import numpy as np


def product_of(u, s, vh):
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :].astype(u.dtype)) @ vh[..., :k, :]


def pair(function, argument, operands, ours):
    """Our result and NumPy's, in a form that is unique."""
    if function == "svd" and "product" in argument:
        x, s, vh = operands
        full = argument.startswith("(True")
        shapes = [part.shape for part in np.linalg.svd(x, full_matrices=full)]
        assert [ours.shape, s.shape, vh.shape] == shapes, (ours.shape, s.shape, vh.shape, shapes)
        return product_of(ours, s, vh), x
    if function == "svd":
        return ours, np.linalg.svd(operands[0])[1]
    if function == "eigh" and argument == "vectors":
        x, w = operands
        lower = np.tril(x, -1)
        whole = lower + np.swapaxes(lower.conj(), -1, -2) + np.real(x) * np.eye(x.shape[-1], dtype=w.dtype)
        return (whole @ ours).astype(x.dtype), (ours * w[..., None, :]).astype(x.dtype)
    if function == "eigh":
        return ours, np.linalg.eigh(operands[0])[0]
    if function == "qr":
        mode, part = ast.literal_eval(argument)
        return ours, np.linalg.qr(operands[0], mode=mode)[part]
    if function.startswith("lstsq"):
        rcond = float(function.split()[-1]) if " " in function else None
        return ours, np.linalg.lstsq(*operands, rcond=rcond)[int(argument)]
    if function in ("fft", "ifft", "rfft", "irfft"):
        n, axis, norm = ast.literal_eval(argument)
        return ours, getattr(np.fft, function)(operands[0], n=n, axis=axis, norm=norm)
    if function in ("fft2", "ifft2"):
        return ours, getattr(np.fft, function)(operands[0])
    return ours, getattr(np.linalg, function)(*operands)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if int(np.__version__.split(".")[0]) < 2:
        print(f"skipped: NumPy {np.__version__} has other rules for float and for solve. Needs 2.0")
        return
    subprocess.run([program, folder], check=True)
    cases = wrong = 0
    for line in (folder / "cases.txt").read_text().splitlines():
        function, argument, operands, result = line.split("|")
        arrays = [np.load(folder / name) for name in operands.split()]
        ours, theirs = map(np.asarray, pair(function, argument, arrays, np.load(folder / result.strip())))
        within = 2000 * np.finfo(ours.dtype).eps
        cases += 1
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not np.allclose(ours, theirs, within, within):
            wrong += 1
            print(f"{function}({argument}) of {[a.shape for a in arrays]}: {ours.dtype}{ours.shape}\n{ours}\nnot {theirs.dtype}{theirs.shape}\n{theirs}")
    print(f"NumPy {np.__version__}: {cases} results, {wrong} wrong")
    sys.exit(wrong != 0 or cases == 0)


if __name__ == "__main__":
    main()
