#!/usr/bin/env python3
"""Compare convolutions, their gradients and pools with NumPy's sliding windows.

usage: arrays_images.py PROGRAM FOLDER     (PROGRAM: arrays_images.cpp)
"""
import pathlib
import subprocess
import sys

import numpy as np


class Options:
    def __init__(self, text):
        n = [int(word) for word in text.split()]
        self.strides, self.dilations, self.groups, self.window = n[0:2], n[2:4], n[4], n[5:7]
        self.same, self.padding = n[7] == 1, [(n[8], n[9]), (n[10], n[11])]

    def widths(self, shape, window):
        """The padding of rows and columns, by TensorFlow's rule for "SAME"."""
        if not self.same:
            return self.padding
        widths = []
        for extent, taps, stride, dilation in zip(shape[1:3], window, self.strides, self.dilations):
            reach = (taps - 1) * dilation + 1
            total = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
            widths.append((total // 2, total - total // 2))
        return widths

    def windows(self, x, window, around):
        """The windows of padded images: (N, rows, columns, channels, height, width)."""
        x = np.pad(x, [(0, 0), *self.widths(x.shape, window), (0, 0)], constant_values=around)
        reach = [(taps - 1) * dilation + 1 for taps, dilation in zip(window, self.dilations)]
        every = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(1, 2))
        return every[:, ::self.strides[0], ::self.strides[1], :, ::self.dilations[0], ::self.dilations[1]]


def conv2d(o, x, w):
    parts = []
    depth, filters = w.shape[2], w.shape[3] // o.groups
    for group in range(o.groups):
        windows = o.windows(x[..., group * depth:(group + 1) * depth], w.shape[:2], 0)
        parts.append(np.einsum("nijcyx,yxcf->nijf", windows, w[..., group * filters:(group + 1) * filters]))
    return np.concatenate(parts, axis=-1)


def gradient(f, x, g):
    """The gradient of sum(f(x) * g) for a linear f, element by element."""
    out = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        one = np.zeros_like(x)
        one[index] = 1
        out[index] = np.sum(f(one) * g)
    return out


def expected(function, o, operands):
    x = operands[0]
    if function == "conv2d":
        return conv2d(o, *operands)
    if function == "input_gradient":
        _, w, g = operands
        return gradient(lambda images: conv2d(o, images, w), x, g)
    if function == "filter_gradient":
        _, w, g = operands
        return gradient(lambda filters: conv2d(o, x, filters), w, g)
    if function == "max_pool2d":
        return o.windows(x, o.window, -np.inf).max(axis=(4, 5))
    counts = o.windows(np.ones_like(x), o.window, 0).sum(axis=(4, 5))
    return o.windows(x, o.window, 0).sum(axis=(4, 5)) / counts


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    subprocess.run([program, folder], check=True)
    cases = wrong = 0
    for line in (folder / "cases.txt").read_text().splitlines():
        function, options, operands, result = line.split("|")
        arrays = [np.load(folder / name) for name in operands.split()]
        if "gradient" in function and arrays[0].size > 5000:
            arrays[0], arrays[2] = arrays[0][:1], arrays[2][:1]  # one image; its gradient is by itself
            if function == "filter_gradient":
                continue  # it is a sum over all images
        ours = np.load(folder / result.strip())
        theirs = np.asarray(expected(function, Options(options), arrays))
        ours = ours[:theirs.shape[0]] if function == "input_gradient" else ours
        cases += 1
        if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not np.array_equal(ours, theirs):
            wrong += 1
            print(f"{function}({options}) of {[a.shape for a in arrays]}: {ours.dtype}{ours.shape}\n{ours}\nnot {theirs.dtype}{theirs.shape}\n{theirs}")
    print(f"NumPy {np.__version__}: {cases} results, {wrong} wrong")
    sys.exit(wrong != 0 or cases == 0)


if __name__ == "__main__":
    main()
