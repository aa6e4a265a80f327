"""The side NumPy of table.py: each op as a program with NumPy writes it."""
import math

import numpy as np


class Operands:
    """Arrays of `size` elements: those of sides.hpp, and others of the same elements."""

    def __init__(self, size):
        random = np.random.default_rng(1)
        self.size = size
        self.x, self.y = random.standard_normal((2, size)).astype("f4")
        self.positive = random.uniform(0.5, 2, size).astype("f4")
        self.wide = random.standard_normal(size)
        self.whole = random.integers(-1000, 1000, size, dtype="i4")
        self.index = random.integers(0, size, size)
        self.small = random.integers(0, 100, size)
        self.mask = random.random(size) < 0.5
        self.lows, self.counts, self.mask_rows = self.small[: size // 100].copy(), self.small % 3, self.mask[: size // 100].copy()
        self.sorted = np.sort(self.x)
        self.m, self.n, self.batch = self.x.reshape(-1, 100), self.y.reshape(-1, 100), self.x.reshape(-1, 10, 10)
        side = math.isqrt(size)
        self.square = self.x[: side * side].reshape(side, side).copy()
        self.complex = self.x + 1j * self.y
        self.generator = random


def change(x, f):
    y = x.copy()
    f(y)
    return y


def set_at(y, at, values):
    y[at] = values


def softmax(m):
    e = np.exp(m - m.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(m):
    d = m - m.max(-1, keepdims=True)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


def logsumexp(x, axis=None):
    top = x.max(axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis)) + top.squeeze(axis)


def topk(x, k):
    return np.sort(np.partition(x, x.size - k)[x.size - k:])[::-1]


def argtopk(x, k):
    found = np.argpartition(x, x.size - k)[x.size - k:]
    return found[np.argsort(x[found])[::-1]]


ELEMENTWISE = {
    "abs": lambda a: np.abs(a.x), "negative": lambda a: -a.x, "add": lambda a: a.x + a.y, "add_double": lambda a: a.wide + a.wide,
    "add_int32": lambda a: a.whole + a.whole, "subtract": lambda a: a.x - a.y, "multiply": lambda a: a.x * a.y,
    "divide": lambda a: a.x / a.positive, "modulo": lambda a: a.x % a.positive, "add_n": lambda a: a.x + a.y + a.positive,
    "maximum": lambda a: np.maximum(a.x, a.y), "minimum": lambda a: np.minimum(a.x, a.y), "clamp": lambda a: np.clip(a.x, -1, 1),
    "relu": lambda a: np.maximum(a.x, 0), "sign": lambda a: np.sign(a.x), "square": lambda a: np.square(a.x),
    "reciprocal": lambda a: np.reciprocal(a.x), "floor": lambda a: np.floor(a.x), "ceil": lambda a: np.ceil(a.x),
    "round": lambda a: np.rint(a.x), "where": lambda a: np.where(a.mask, a.x, a.y), "broadcast_add": lambda a: a.m + a.n[0],
    "cast_to_double": lambda a: a.x.astype("f8"), "cast_to_int32": lambda a: a.x.astype("i4"),
    "sqrt": lambda a: np.sqrt(a.positive), "rsqrt": lambda a: 1 / np.sqrt(a.positive), "exp": lambda a: np.exp(a.x),
    "exp_double": lambda a: np.exp(a.wide), "expm1": lambda a: np.expm1(a.x), "log": lambda a: np.log(a.positive),
    "log_double": lambda a: np.log(np.abs(a.wide)), "log1p": lambda a: np.log1p(a.positive), "sin": lambda a: np.sin(a.x),
    "cos": lambda a: np.cos(a.x), "tanh": lambda a: np.tanh(a.x), "pow": lambda a: np.power(a.positive, a.x),
    "sigmoid": lambda a: 1 / (1 + np.exp(-a.x)), "softmax": lambda a: softmax(a.m), "log_softmax": lambda a: log_softmax(a.m),
    "next_after": lambda a: np.nextafter(a.x, a.y), "less": lambda a: a.x < a.y, "equal": lambda a: a.x == a.y,
    "logical_and": lambda a: np.logical_and(a.mask, a.mask), "logical_not": lambda a: np.logical_not(a.mask),
    "is_nan": lambda a: np.isnan(a.x), "is_finite": lambda a: np.isfinite(a.x), "isclose": lambda a: np.isclose(a.x, a.y),
    "bitwise_and": lambda a: a.whole & a.whole, "bitwise_or": lambda a: a.whole | a.whole, "bitwise_xor": lambda a: a.whole ^ a.whole,
    "invert": lambda a: ~a.whole, "left_shift": lambda a: a.whole << 3, "right_shift": lambda a: a.whole >> 3,
    "zeros": lambda a: np.full(a.size, 0, "f4"), "full": lambda a: np.full(a.size, 5, "f4"), "arange": lambda a: np.arange(a.size),
    "linspace": lambda a: np.linspace(0, 1, a.size, dtype="f4"), "eye": lambda a: np.eye(len(a.square), dtype="f4"),
    "meshgrid": lambda a: np.meshgrid(a.square[0], a.square[0])[0], "one_hot": lambda a: np.eye(100, dtype="f4")[a.lows],
    "uniform": lambda a: a.generator.random(a.size, "f4"), "normal": lambda a: a.generator.standard_normal(a.size, "f4"),
    "complex_add": lambda a: a.complex + a.complex, "complex_multiply": lambda a: a.complex * a.complex,
    "complex_divide": lambda a: a.complex / a.complex, "complex_abs": lambda a: np.abs(a.complex),
    "complex_exp": lambda a: np.exp(a.complex), "conj": lambda a: np.conj(a.complex), "real": lambda a: a.complex.real.copy(),
    "angle": lambda a: np.angle(a.complex), "complex_sum": lambda a: np.sum(a.complex)}

REDUCTIONS = {
    "sum": lambda a: np.sum(a.x), "sum_axis_0": lambda a: np.sum(a.m, 0), "sum_axis_1": lambda a: np.sum(a.m, 1),
    "sum_axes_0_2": lambda a: np.sum(a.batch, (0, 2)), "sum_int32": lambda a: np.sum(a.whole), "sum_double": lambda a: np.sum(a.wide),
    "mean": lambda a: np.mean(a.x), "mean_axis_0": lambda a: np.mean(a.m, 0), "prod": lambda a: np.prod(a.positive),
    "variance": lambda a: np.var(a.x), "std_dev_axis_1": lambda a: np.std(a.m, 1), "max": lambda a: np.max(a.x),
    "max_axis_0": lambda a: np.max(a.m, 0), "max_axis_1": lambda a: np.max(a.m, 1), "min": lambda a: np.min(a.x),
    "argmax": lambda a: np.argmax(a.x), "argmin_axis_1": lambda a: np.argmin(a.m, 1), "all": lambda a: np.all(a.x < 100),
    "any": lambda a: np.any(a.x > 100), "count_nonzero": lambda a: np.count_nonzero(a.x), "nansum": lambda a: np.nansum(a.x),
    "nanprod": lambda a: np.nanprod(a.positive), "nanmean": lambda a: np.nanmean(a.x), "nanmax": lambda a: np.nanmax(a.x),
    "nanmin": lambda a: np.nanmin(a.x), "nanvar": lambda a: np.nanvar(a.x), "nanstd": lambda a: np.nanstd(a.x),
    "norm": lambda a: np.linalg.norm(a.x), "norm_1": lambda a: np.linalg.norm(a.x, 1), "norm_inf": lambda a: np.linalg.norm(a.x, np.inf),
    "norm_axis_1": lambda a: np.linalg.norm(a.m, axis=1), "logsumexp": lambda a: logsumexp(a.x),
    "logsumexp_axis_1": lambda a: logsumexp(a.m, 1), "median": lambda a: np.median(a.x), "median_axis_1": lambda a: np.median(a.m, 1),
    "quantile": lambda a: np.quantile(a.x, 0.9), "cumsum": lambda a: np.cumsum(a.x), "cumsum_axis_0": lambda a: np.cumsum(a.m, 0),
    "cumprod": lambda a: np.cumprod(a.positive), "cummax": lambda a: np.maximum.accumulate(a.x),
    "cummin": lambda a: np.minimum.accumulate(a.x), "diff": lambda a: np.diff(a.x), "allclose": lambda a: np.allclose(a.x, a.x),
    "array_equal": lambda a: np.array_equal(a.x, a.x), "matmul": lambda a: a.square @ a.square, "matmul_vector": lambda a: a.m @ a.n[0],
    "matmul_batch": lambda a: a.batch @ a.batch, "dot": lambda a: np.dot(a.x, a.y), "inner": lambda a: np.inner(a.square, a.square),
    "outer": lambda a: np.outer(a.square[0], a.square[1]), "tensordot": lambda a: np.tensordot(a.batch, a.batch[0]),
    "einsum_ij_ij_i": lambda a: np.einsum("ij,ij->i", a.m, a.n), "einsum_bij_bjk_bik": lambda a: np.einsum("bij,bjk->bik", a.batch, a.batch),
    "einsum_ij_ji": lambda a: np.einsum("ij->ji", a.m).copy()}

INDICES = {
    "sort": lambda a: np.sort(a.x), "sort_double": lambda a: np.sort(a.wide), "sort_int32": lambda a: np.sort(a.whole),
    "sort_axis_1": lambda a: np.sort(a.m, 1), "sort_axis_0": lambda a: np.sort(a.m, 0),
    "argsort": lambda a: np.argsort(a.x),
    "topk_10": lambda a: topk(a.x, 10), "topk_half": lambda a: topk(a.x, a.size // 2), "argtopk_10": lambda a: argtopk(a.x, 10),
    "unique": lambda a: np.unique(a.x), "unique_int64_of_100": lambda a: np.unique(a.small),
    "unique_counts": lambda a: np.unique(a.x, return_counts=True), "unique_all": lambda a: np.unique_all(a.x),
    "searchsorted": lambda a: np.searchsorted(a.sorted, a.y), "bincount": lambda a: np.bincount(a.small),
    "histogram": lambda a: np.histogram(a.x, 50), "flatnonzero": lambda a: np.flatnonzero(a.mask),
    "nonzero": lambda a: np.nonzero(a.mask.reshape(-1, 100)), "extract": lambda a: a.x[a.mask],
    "compress": lambda a: np.compress(a.mask_rows, a.m, 0), "assign_where": lambda a: change(a.x, lambda y: set_at(y, a.mask, 0)),
    "take": lambda a: np.take(a.x, a.index), "take_axis_0": lambda a: np.take(a.m, a.lows, 0), "take_axis_1": lambda a: np.take(a.m, a.lows, 1),
    "gather": lambda a: a.m[a.lows], "take_along_axis": lambda a: np.take_along_axis(a.m, a.small.reshape(-1, 100), 1),
    "scatter": lambda a: change(a.x, lambda y: set_at(y, a.index, a.y)), "index_add": lambda a: change(a.x, lambda y: np.add.at(y, a.index, a.y)),
    "put": lambda a: change(a.x, lambda y: np.put(y, a.index, a.y)), "pad": lambda a: np.pad(a.m, 1), "pad_edge": lambda a: np.pad(a.m, 1, "edge"),
    "pad_reflect": lambda a: np.pad(a.m, 1, "reflect"), "tile": lambda a: np.tile(a.square, (2, 3)), "repeat": lambda a: np.repeat(a.x, 3),
    "repeat_axis_0": lambda a: np.repeat(a.m, 3, 0), "repeat_each": lambda a: np.repeat(a.x, a.counts), "roll": lambda a: np.roll(a.x, 7),
    "roll_axis_1": lambda a: np.roll(a.m, 7, 1), "flip": lambda a: np.flip(a.x).copy(), "transpose": lambda a: np.ascontiguousarray(a.square.T),
    "moveaxis": lambda a: np.ascontiguousarray(np.moveaxis(a.batch, 0, -1)), "slice_every_second": lambda a: a.x[::2].copy(),
    "slice_columns": lambda a: a.m[:, 10:60].copy(), "broadcast_to": lambda a: np.broadcast_to(a.m[0], a.m.shape).copy(),
    "hstack": lambda a: np.hstack([a.m, a.n]), "vstack": lambda a: np.vstack([a.m, a.n]), "concat": lambda a: np.concatenate([a.x, a.y]),
    "stack": lambda a: np.stack([a.x, a.y], 1), "diag": lambda a: np.diag(a.square[0]), "diagonal": lambda a: np.diagonal(a.square).copy(),
    "tril": lambda a: np.tril(a.square), "triu": lambda a: np.triu(a.square)}

NUMPY = ELEMENTWISE | REDUCTIONS | INDICES
