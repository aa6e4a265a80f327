"""The ops of run_cases.cpp: how operands are drawn, and each op in PyTorch and TensorFlow.

An op gets `c` and its operands. c.a are its arguments, c["name"] its further arrays.
"""
import dataclasses
import typing

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = F = None
try:
    import tensorflow as tf
except ImportError:
    tf = None


class Case:
    """One case: operands, arguments and further arrays, in an element type."""

    @dataclasses.dataclass
    class Given:
        a: list
        extra: dict

        def __getitem__(self, name):
            return self.extra[name]

    def __init__(self, id, op, operands, arguments=(), extra=None, element="float32"):
        self.id, self.op, self.element = id, op, element
        self.arguments = [float(np.asarray(a).astype(element)) for a in arguments]
        self.operands = [np.asarray(a, dtype=element) for a in operands]
        self.extra = {k: a.astype(element) if a.dtype.kind == "f" else a for k, a in (extra or {}).items()}


@dataclasses.dataclass
class Op:
    """draw(rng) gives operands, arguments, arrays. bound: in units in the last place of the largest number of a result."""

    draw: typing.Callable
    torch: typing.Callable | None
    tensorflow: typing.Callable | None
    bound: float = 100
    expect: typing.Callable | None = None  # from our results, for random ones

    def of(self, peer):
        return getattr(self, peer.name)


# ---- operands


def extent(rng, most=12):
    return int(rng.integers(1, most + 1))


def real(rng, shape, low=-2.0, high=2.0):
    return rng.uniform(low, high, shape)


def tied(rng, shape):
    """Many equal numbers, and many zeros."""
    return rng.integers(-2, 3, shape) / 2.0


def matrix(low=-2.0, high=2.0, arguments=lambda rng: [], rank=2, most=12):
    def draw(rng):
        shape = [extent(rng, most) for _ in range(rank)]
        if rng.random() < 0.03:
            shape[0] = 0
        return [real(rng, shape, low, high)], arguments(rng)

    return draw


def with_ties(rank=2, most=9, arguments=lambda rng: []):
    def draw(rng):
        shape = [extent(rng, most) for _ in range(rank)]
        return [tied(rng, shape) if rng.random() < 0.5 else real(rng, shape)], arguments(rng)

    return draw


def broadcast(low=-2.0, high=2.0, count=2, ties=False, extra=None):
    """Matrices, of which each may have extents of 1."""

    def draw(rng):
        shape = [extent(rng), extent(rng)]
        cut = lambda: [1 if rng.random() < 0.25 else n for n in shape]
        make = tied if ties and rng.random() < 0.5 else lambda r, s: real(r, s, low, high)
        shapes = [cut() for _ in range(count)]
        shapes[int(rng.integers(count))] = shape
        return [make(rng, s) for s in shapes], [], extra(rng, shape) if extra else {}

    return draw


def of_shapes(shapes, arguments=lambda rng: [], low=-2.0, high=2.0):
    """Operands of shapes of letters, such as "mk kn": a letter is an extent."""

    def draw(rng):
        extents = {letter: extent(rng, 7) for letter in sorted(set(shapes) - {" ", "-"})}
        return [real(rng, [extents[l] for l in s.strip("-")], low, high) for s in shapes.split()], arguments(rng)

    return draw


any_axis = lambda rank: lambda rng: [rng.integers(-rank, rank)]
positive = lambda rng: [rng.uniform(0.1, 2)]
i = lambda x: int(x)

OPS = {}


def op(name, draw, torch_, tensorflow, bound=100, expect=None):
    OPS[name] = Op(draw, torch_, tensorflow, bound, expect)


def unary(name, low=-2.0, high=2.0, torch_=None, tensorflow=None, arguments=lambda rng: [], bound=100, ties=False):
    """An op of one operand; without functions, those of its name."""
    draw = with_ties(arguments=arguments) if ties else matrix(low, high, arguments)
    op(
        name,
        draw,
        torch_ or (lambda c, x: getattr(torch, name)(x)),
        tensorflow or (lambda c, x: getattr(tf.math, name)(x)),
        bound,
    )


# ---- elementary.cpp

unary("exp")
unary("expm1")
unary("log", 0.3, 4)
unary("log1p", -0.7, 4)
unary("sin", -8, 8)
unary("cos", -8, 8)
unary("tanh", -5, 5)
unary("sigmoid", -8, 8)
unary("erf", -4, 4)
unary("exp2", tensorflow=lambda c, x: tf.exp(x * np.log(2)))
unary("log2", 0.3, 4, tensorflow=lambda c, x: tf.math.log(x) / np.log(2))
unary("log10", 0.3, 4, tensorflow=lambda c, x: tf.math.log(x) / np.log(10))
unary("cbrt", 0.3, 4, lambda c, x: x ** (1 / 3), lambda c, x: x ** (1 / 3))
unary("erfc")
unary("tan", -1.3, 1.3)
unary("asin", -0.95, 0.95)
unary("acos", -0.95, 0.95)
unary("atan", -8, 8)
unary("asinh", -8, 8)
unary("acosh", 1.1, 8)
unary("atanh", -0.95, 0.95)
unary("sinh", -4, 4)
unary("cosh", -4, 4)
unary("square")
unary("sqrt", 0.2, 4)
unary("rsqrt", 0.2, 4)
unary("reciprocal", 0.3, 4)
unary("relu", torch_=lambda c, x: F.relu(x), tensorflow=lambda c, x: tf.nn.relu(x), ties=True)
unary("abs", ties=True)
unary("nan_to_num", torch_=lambda c, x: torch.nan_to_num(x * x), tensorflow=lambda c, x: x * x)
unary("negative")
unary("identity", torch_=lambda c, x: 2 * x, tensorflow=lambda c, x: 2 * tf.identity(x))
unary("cast", torch_=lambda c, x: torch.exp(x), tensorflow=lambda c, x: tf.exp(x))
# At a bound PyTorch's gradient is 0 for numbers and a half for tensors, TensorFlow's is 1, as ours.
unary("clamp", torch_=lambda c, x: torch.where((x < c.a[0]) | (x > c.a[1]), torch.clamp(x, *c.a).detach(), x),
      tensorflow=lambda c, x: tf.clip_by_value(x, *c.a), ties=True,
      arguments=lambda rng: [rng.choice([-1, -0.5, -0.3]), rng.choice([0.5, 0.7])])
unary("stop_gradient", torch_=lambda c, x: x * torch.exp(x).detach(), tensorflow=lambda c, x: x * tf.stop_gradient(tf.exp(x)))
# TensorFlow's own leaky_relu and gelu have constants of float, also for double.
unary("leaky_relu", torch_=lambda c, x: F.leaky_relu(x, c.a[0]), arguments=positive,
      tensorflow=lambda c, x: tf.where(x < 0, c.a[0] * x, x))
unary("elu", torch_=lambda c, x: F.elu(x, c.a[0]), arguments=positive,
      tensorflow=lambda c, x: tf.where(x > 0, x, c.a[0] * tf.math.expm1(x)))
unary("silu", -8, 8, lambda c, x: F.silu(x), lambda c, x: tf.nn.silu(x))
unary("softplus", -30, 30, lambda c, x: F.softplus(x, threshold=800), lambda c, x: tf.math.softplus(x))
unary("gelu", -5, 5, lambda c, x: F.gelu(x), lambda c, x: x * (1 + tf.math.erf(x / np.sqrt(2))) / 2)
unary("gelu_tanh", -5, 5, lambda c, x: F.gelu(x, approximate="tanh"),
      lambda c, x: x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2)


def kept_by_dropout(c, results):
    """The mask is random: what is not 0 must be x / (1 - rate), and the gradient has the same mask."""
    scale = (results[f"{c.id}/y"] != 0) / (1 - c.arguments[0])
    g = c.gradient
    return c.operands[0] * scale, [g * scale]


op("dropout", lambda rng: ([real(rng, (9, extent(rng)), 0.5, 2)], [rng.choice([0.25, 0.5, 0.75])]),
   lambda c, x: x * 1, lambda c, x: x * 1, expect=kept_by_dropout)

# ---- arithmetic.cpp

op("add", broadcast(), lambda c, a, b: a + b, lambda c, a, b: a + b)
op("subtract", broadcast(), lambda c, a, b: a - b, lambda c, a, b: a - b)
op("multiply", broadcast(), lambda c, a, b: a * b, lambda c, a, b: a * b)
op("divide", broadcast(0.3, 3), lambda c, a, b: a / b, lambda c, a, b: a / b)


def not_near_a_multiple(rng):
    """Quotients away from integers, where the remainder jumps."""
    shape = [extent(rng), extent(rng)]
    b = real(rng, shape, 0.5, 2) * rng.choice([-1, 1], shape)
    return ([b * (rng.integers(-4, 5, shape) + real(rng, shape, 0.1, 0.9)), b],)


op("modulo", not_near_a_multiple, lambda c, a, b: torch.fmod(a, b),
   lambda c, a, b: a - b * tf.stop_gradient(tf.sign(a / b) * tf.floor(tf.abs(a / b))))
op("pow", broadcast(0.3, 3), lambda c, a, b: a**b, lambda c, a, b: a**b, 300)
apart_from_zero = broadcast(0.2, 2)


def signed(rng):
    """Of any sign, and not near 0."""
    operands, *rest = apart_from_zero(rng)
    return [x * rng.choice([-1, 1], x.shape) for x in operands], *rest


op("atan2", signed, lambda c, y, x: torch.atan2(y, x), lambda c, y, x: tf.atan2(y, x))
op("floor_modulo", not_near_a_multiple, lambda c, a, b: torch.remainder(a, b), lambda c, a, b: tf.math.floormod(a, b))
op("copysign", signed, lambda c, x, y: torch.copysign(x, y), lambda c, x, y: x * tf.sign(x) * tf.sign(y))
op("logaddexp", signed, lambda c, x, y: torch.logaddexp(x, y), lambda c, x, y: x + tf.math.softplus(y - x))
op("hypot", signed, lambda c, x, y: torch.hypot(x, y), lambda c, x, y: tf.sqrt(x * x + y * y))
# PyTorch gives each of two equal operands half of the gradient, TensorFlow all to the first, as we do.
op("maximum", broadcast(), lambda c, a, b: torch.maximum(a, b), lambda c, a, b: tf.maximum(a, b))
op("minimum", broadcast(), lambda c, a, b: torch.minimum(a, b), lambda c, a, b: tf.minimum(a, b))
op("multiply_ranks", of_shapes("lmn n"), lambda c, a, b: a * b, lambda c, a, b: a * b)
op("divide_by_scalar", of_shapes("mn -", low=0.5), lambda c, a, b: a / b, lambda c, a, b: a / b)
op("numbers", matrix(0.5, 3), lambda c, a: 2 / a - a * 3 + a**2.5, lambda c, a: 2 / a - a * 3 + a**2.5)
op("where", broadcast(extra=lambda rng, s: {"condition": rng.random(s) < 0.5}),
   lambda c, a, b: torch.where(c["condition"], a, b), lambda c, a, b: tf.where(c["condition"], a, b))


def between_tensors(rng):
    shape = [extent(rng), extent(rng)]
    low = real(rng, [1, shape[1]], -1, 0)
    return [real(rng, shape), low, low + real(rng, [1, shape[1]], 0.3, 1)], []


op("clamp_by_tensors", between_tensors, lambda c, x, low, high: torch.minimum(torch.maximum(x, low), high),
   lambda c, x, low, high: tf.minimum(tf.maximum(x, low), high))
op("add_n", of_shapes("mn mn mn"), lambda c, a, b, d: a + b * d + d + a, lambda c, a, b, d: tf.add_n([a, b * d, d, a]))

# ---- reductions.cpp


def reduction(name, torch_, tensorflow, draw=None, bound=100):
    op(name, draw or with_ties(3, 7, any_axis(3)), lambda c, x: torch_(x, i(c.a[0])), lambda c, x: tensorflow(x, i(c.a[0])), bound)


reals = matrix(0.3, 2, any_axis(3), rank=3, most=7)
several = lambda rng: ([real(rng, [2 + extent(rng, 6) for _ in range(3)])], any_axis(3)(rng))
reduction("sum", lambda x, a: torch.sum(x, a), lambda x, a: tf.reduce_sum(x, a))
reduction("mean", lambda x, a: torch.mean(x, a), lambda x, a: tf.reduce_mean(x, a))
reduction("max", lambda x, a: torch.amax(x, a), lambda x, a: tf.reduce_max(x, a))
reduction("min", lambda x, a: torch.amin(x, a), lambda x, a: tf.reduce_min(x, a))
reduction("prod", lambda x, a: torch.prod(x, a), lambda x, a: tf.reduce_prod(x, a))
reduction("variance", lambda x, a: torch.var(x, a, correction=0), lambda x, a: tf.math.reduce_variance(x, a), several)
reduction("std_dev", lambda x, a: torch.std(x, a, correction=0), lambda x, a: tf.math.reduce_std(x, a), several)


def with_nan(rng):
    """A quarter of the elements, or all of them along some fibers, are NaN."""
    shape = [extent(rng, 7) for _ in range(3)]
    x = real(rng, shape, 0.5, 2)
    x[rng.random(shape) < 0.25] = np.nan
    x[0, 0] = np.nan
    return [x], any_axis(3)(rng)


reduction("nansum", lambda x, a: torch.nansum(x, a), lambda x, a: tf.reduce_sum(tf.where(tf.math.is_nan(x), 0.0, x), a), with_nan)
reduction("nanprod", lambda x, a: torch.where(x.isnan(), 1.0, x).prod(a),
          lambda x, a: tf.reduce_prod(tf.where(tf.math.is_nan(x), 1.0, x), a), with_nan)
reduction("norm", lambda x, a: torch.linalg.vector_norm(x, dim=a), lambda x, a: tf.norm(x, axis=a), several)
reduction("logsumexp", lambda x, a: torch.logsumexp(x, a), lambda x, a: tf.reduce_logsumexp(x, a), several)
reduction("cumsum", lambda x, a: torch.cumsum(x, a), lambda x, a: tf.cumsum(x, a))
op("softmax", several, lambda c, x: torch.softmax(x, -1), lambda c, x: tf.nn.softmax(x))
op("log_softmax", several, lambda c, x: torch.log_softmax(x, -1), lambda c, x: tf.nn.log_softmax(x))
op("sum_of_all", with_ties(3), lambda c, x: (x * x).sum(), lambda c, x: tf.reduce_sum(x * x))
op("mean_of_axes", with_ties(3), lambda c, x: x.mean((0, 2)), lambda c, x: tf.reduce_mean(x, (0, 2)))
op("max_kept", with_ties(3), lambda c, x: x - x.amax(1, keepdim=True), lambda c, x: x - tf.reduce_max(x, 1, keepdims=True))

# ---- shaping.cpp


def joined(extra):
    def draw(rng):
        shape = [extent(rng), extent(rng)]
        return [real(rng, shape), real(rng, shape)], extra(rng)

    return draw


op("concat", joined(any_axis(2)), lambda c, a, b: torch.cat([a * b, b, a], i(c.a[0])),
   lambda c, a, b: tf.concat([a * b, b, a], i(c.a[0])))
op("stack", joined(any_axis(3)), lambda c, a, b: torch.stack([a, b, a], i(c.a[0])),
   lambda c, a, b: tf.stack([a, b, a], i(c.a[0])))
op("split", lambda rng: ([real(rng, [2 * extent(rng), extent(rng)])],),
   lambda c, x: (lambda a, b: a * b * b)(*torch.chunk(x, 2)), lambda c, x: (lambda a, b: a * b * b)(*tf.split(x, 2)))
op("pad", matrix(arguments=lambda rng: [*rng.integers(0, 4, 3), 1.5]),
   lambda c, x: F.pad(x, (i(c.a[2]), 0, i(c.a[0]), i(c.a[1])), value=c.a[3]),
   lambda c, x: tf.pad(x, [[i(c.a[0]), i(c.a[1])], [i(c.a[2]), 0]], constant_values=c.a[3]))
op("roll", matrix(arguments=lambda rng: [rng.integers(-15, 15), rng.integers(-2, 2)]),
   lambda c, x: torch.roll(x, i(c.a[0]), i(c.a[1])), lambda c, x: tf.roll(x, i(c.a[0]), i(c.a[1])))
op("tile", matrix(arguments=lambda rng: rng.integers(1, 4, 2)), lambda c, x: x.tile((i(c.a[0]), i(c.a[1]))),
   lambda c, x: tf.tile(x, [i(c.a[0]), i(c.a[1])]))
op("repeat", matrix(arguments=lambda rng: [rng.integers(1, 4), rng.integers(-2, 2)]),
   lambda c, x: torch.repeat_interleave(x, i(c.a[0]), i(c.a[1])), lambda c, x: tf.repeat(x, i(c.a[0]), i(c.a[1])))
op("slice", lambda rng: ([real(rng, [3 + extent(rng), extent(rng)])], rng.integers(1, 4, 2)),
   lambda c, x: x[i(c.a[0]) :: i(c.a[1])].flip(1), lambda c, x: x[i(c.a[0]) :: i(c.a[1]), ::-1])
op("row", lambda rng: ([real(rng, [3 + extent(rng), extent(rng)])], [rng.integers(-3, 3)]),
   lambda c, x: x[i(c.a[0])], lambda c, x: x[i(c.a[0])])
op("permute", matrix(rank=3), lambda c, x: x.permute(2, 0, 1), lambda c, x: tf.transpose(x, (2, 0, 1)))
op("moveaxis", matrix(rank=3), lambda c, x: x.moveaxis(0, 2), lambda c, x: tf.transpose(x, (1, 2, 0)))
op("diagonal", matrix(), lambda c, x: x.diagonal(), lambda c, x: tf.linalg.diag_part(x))
inside = lambda rng: ([real(rng, [3 + extent(rng), 3 + extent(rng)])], [rng.integers(-3, 4)])
op("diag_of_matrix", inside, lambda c, x: torch.diag(x, i(c.a[0])), lambda c, x: tf.linalg.diag_part(x, k=i(c.a[0])))
op("diag_of_vector", lambda rng: ([real(rng, [extent(rng)])], [rng.integers(-3, 4)]),
   lambda c, x: torch.diag(x, i(c.a[0])), lambda c, x: tf.linalg.diag(x, k=i(c.a[0])))
op("flip", matrix(), lambda c, x: x.flip(0, 1), lambda c, x: tf.reverse(x, [0, 1]))
op("reverse", matrix(), lambda c, x: x.flip(1), lambda c, x: tf.reverse(x, [1]))
op("diff", inside, lambda c, x: x.diff(dim=0), lambda c, x: x[1:] - x[:-1])
op("diff_twice", inside, lambda c, x: x.diff(n=2), lambda c, x: x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2])
op("reshape", matrix(), lambda c, x: x.exp().reshape(-1), lambda c, x: tf.reshape(tf.exp(x), [-1]))
op("transpose", matrix(), lambda c, x: (x * x).T, lambda c, x: tf.transpose(x * x))
op("squeeze", lambda rng: ([real(rng, [extent(rng), 1, extent(rng)])],), lambda c, x: x.squeeze(1), lambda c, x: tf.squeeze(x, 1))
op("expand_dims", matrix(), lambda c, x: x.unsqueeze(1), lambda c, x: tf.expand_dims(x, 1))
op("broadcast_to", lambda rng: ([real(rng, [extent(rng)])], [extent(rng)]),
   lambda c, x: x.expand(i(c.a[0]), -1), lambda c, x: tf.broadcast_to(x, [i(c.a[0]), x.shape[0]]))
op("tril", inside, lambda c, x: x.tril(i(c.a[0])), lambda c, x: x * np.tri(*x.shape, i(c.a[0])))
op("triu", inside, lambda c, x: x.triu(i(c.a[0])), lambda c, x: x * (1 - np.tri(*x.shape, i(c.a[0]) - 1)))


def with_indices(shape_of, limit_of, low=0):
    """A matrix, and indices below limit_of its shape."""

    def draw(rng):
        shape = (extent(rng), extent(rng))
        limit = limit_of(shape)
        return [real(rng, shape)], [], {"indices": rng.integers(-limit if low else 0, limit, shape_of(rng))}

    return draw


vector_of = lambda rng: extent(rng)
matrix_of = lambda rng: (extent(rng, 5), extent(rng, 5))
op("gather", with_indices(vector_of, lambda s: s[1]), lambda c, x: x[:, c["indices"]],
   lambda c, x: tf.gather(x, c["indices"], axis=1))
op("take", with_indices(matrix_of, lambda s: s[0], -1), lambda c, x: x[c["indices"]],
   lambda c, x: tf.gather(x, c["indices"] % x.shape[0], axis=0))
op("take_flat", with_indices(vector_of, lambda s: s[0] * s[1], -1), lambda c, x: x.reshape(-1)[c["indices"]],
   lambda c, x: tf.gather(tf.reshape(x, [-1]), c["indices"] % (x.shape[0] * x.shape[1])))


def along_an_axis(rng):
    shape, a = [extent(rng), extent(rng)], int(rng.integers(2))
    of = [extent(rng) if d == a else shape[d] for d in range(2)]
    return [real(rng, shape)], [a], {"indices": rng.integers(0, shape[a], of)}


op("take_along_axis", along_an_axis, lambda c, x: torch.take_along_dim(x, c["indices"], i(c.a[0])),
   lambda c, x: tf.experimental.numpy.take_along_axis(x, c["indices"], i(c.a[0])))
op("embedding_lookup", with_indices(matrix_of, lambda s: s[0]), lambda c, x: F.embedding(c["indices"], x),
   lambda c, x: tf.nn.embedding_lookup(x, c["indices"]))

# ---- products.cpp


def batches(rng):
    l, m, k, n = (extent(rng, 6) for _ in range(4))
    return ([real(rng, [rng.choice([1, l]), m, k]), real(rng, [l, k, n])],)


op("matmul", of_shapes("mk kn"), lambda c, a, b: a @ b, lambda c, a, b: a @ b)
op("matmul_transposed", of_shapes("km nk"), lambda c, a, b: a.T @ b.T, lambda c, a, b: tf.matmul(a, b, True, True))
op("matmul_vector", of_shapes("mk k"), lambda c, a, b: a @ b, lambda c, a, b: tf.linalg.matvec(a, b))
op("matmul_batches", batches, lambda c, a, b: a @ b, lambda c, a, b: a @ b)
op("dense", of_shapes("mk kn n"), lambda c, x, w, b: torch.tanh(x @ w + b), lambda c, x, w, b: tf.tanh(x @ w + b))
op("dot", of_shapes("k k"), lambda c, a, b: a @ b, lambda c, a, b: tf.tensordot(a, b, 1))
op("dot_of_ranks", of_shapes("mk qkn"), lambda c, a, b: torch.einsum("mk,qkn->mqn", a, b),
   lambda c, a, b: tf.einsum("mk,qkn->mqn", a, b))
op("inner", of_shapes("mk nk"), lambda c, a, b: torch.inner(a, b), lambda c, a, b: a @ tf.transpose(b))
op("outer", of_shapes("m n"), lambda c, a, b: torch.outer(a, b), lambda c, a, b: tf.tensordot(a, b, 0))
op("tensordot", of_shapes("mk mk"), lambda c, a, b: torch.tensordot(a, b), lambda c, a, b: tf.tensordot(a, b, 2))
op("einsum", of_shapes("ij kj"), lambda c, a, b: torch.einsum("ij,kj->ki", a, b),
   lambda c, a, b: tf.einsum("ij,kj->ki", a, b))
op("einsum_batches", of_shapes("bij bjk"), lambda c, a, b: torch.einsum("bij,bjk->bik", a, b),
   lambda c, a, b: tf.einsum("bij,bjk->bik", a, b))

# ---- images.cpp


def convolution(bias=False, transposed=False):
    def draw(rng):
        height, width, groups = extent(rng, 4), extent(rng, 4), int(rng.choice([1, 1, 2, 3]))
        strides, dilations = rng.integers(1, 4, 2), rng.integers(1, 3, 2)
        c, f = groups * extent(rng, 4), groups * extent(rng, 9)
        reach = [(height - 1) * dilations[0] + 1, (width - 1) * dilations[1] + 1]
        same = rng.random() < 0.4 and not transposed
        paddings = [0] * 4
        if not same and rng.random() < 0.5:
            paddings = [int(rng.integers(0, r)) for r in (reach[0], reach[0], reach[1], reach[1])]
        if transposed:
            paddings = [0] * 4
        x = [extent(rng, 4), reach[0] + extent(rng, 9), reach[1] + extent(rng, 9), f if transposed else c]
        w = [height, width, c // groups, f]
        operands = [real(rng, x), real(rng, w)] + ([real(rng, [f])] if bias else [])
        return operands, [*strides, *dilations, groups, same, *paddings]

    return draw


def same_padding(extent_, taps, stride, dilation):
    whole = max((-(-extent_ // stride) - 1) * stride + (taps - 1) * dilation + 1 - extent_, 0)
    return [whole // 2, whole - whole // 2]


def paddings_of(c, x, w):
    a = [i(v) for v in c.a]
    if a[5]:
        return [same_padding(x.shape[1 + d], w.shape[d], a[d], a[2 + d]) for d in range(2)]
    return [a[6:8], a[8:10]]


def torch_conv2d(c, x, w):
    a, (rows, columns) = [i(v) for v in c.a], paddings_of(c, x, w)
    x = F.pad(x.permute(0, 3, 1, 2), (*columns, *rows))
    return F.conv2d(x, w.permute(3, 2, 0, 1).contiguous(), stride=a[:2], dilation=a[2:4], groups=a[4]).permute(0, 2, 3, 1)


def tf_dilated(w, dilations):
    """The filter with zeros between its elements: TensorFlow's CPU kernels have no gradient of dilations."""
    h, v, c, f = w.shape
    apart = tf.pad(w[:, None, :, None], [[0, 0], [0, dilations[0] - 1], [0, 0], [0, dilations[1] - 1], [0, 0], [0, 0]])
    whole = tf.reshape(apart, [h * dilations[0], v * dilations[1], c, f])
    return whole[: (h - 1) * dilations[0] + 1, : (v - 1) * dilations[1] + 1]


def tf_conv2d(c, x, w):
    a = [i(v) for v in c.a]
    groups, (rows, columns) = a[4], paddings_of(c, x, w)
    x = tf.pad(x, [[0, 0], rows, columns, [0, 0]])
    one = lambda x, w: tf.nn.conv2d(x, tf_dilated(w, a[2:4]), a[:2], "VALID")
    return tf.concat([one(p, q) for p, q in zip(tf.split(x, groups, 3), tf.split(w, groups, 3))], 3)


def torch_transposed(c, x, w):
    a = [i(v) for v in c.a]
    extra = [max(0, a[d] - ((w.shape[d] - 1) * a[2 + d] + 1)) for d in range(2)]  # a stride beyond the window
    y = F.conv_transpose2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1).contiguous(), stride=a[:2], dilation=a[2:4], groups=a[4])
    return F.pad(y, (0, extra[1], 0, extra[0])).permute(0, 2, 3, 1)


op("conv2d", convolution(), torch_conv2d, tf_conv2d, 300)
op("conv2d_fused", convolution(bias=True), lambda c, x, w, b: F.relu(torch_conv2d(c, x, w) + b),
   lambda c, x, w, b: tf.nn.relu(tf_conv2d(c, x, w) + b), 300)


def images_to_pool(rng):
    height, width, c, f = extent(rng, 3), extent(rng, 3), extent(rng, 3), extent(rng, 5)
    x = [extent(rng, 3), height + 1 + extent(rng, 8), width + 1 + extent(rng, 8), c]
    return ([real(rng, x), real(rng, [height, width, c, f]), real(rng, [f])],)


def torch_relu_max_pool2d(y):
    return F.max_pool2d(F.relu(y).permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)


def torch_plain_conv2d(x, w, padding=0):
    return F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1).contiguous(), padding=padding).permute(0, 2, 3, 1)


op("conv2d_relu_max_pool2d", images_to_pool, lambda c, x, w, b: torch_relu_max_pool2d(torch_plain_conv2d(x, w) + b),
   lambda c, x, w, b: tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "VALID") + b), 2, 2, "VALID"), 300)
op("conv2d_transpose", convolution(transposed=True), torch_transposed, None, 300)


def pool(mean):
    def draw(rng):
        height, width = extent(rng, 4), extent(rng, 4)
        shape = [extent(rng, 3), height + extent(rng, 9), width + extent(rng, 9), extent(rng, 9)]
        x = tied(rng, shape) if not mean and rng.random() < 0.5 else real(rng, shape)
        return [x], [height, width, *rng.integers(1, 4, 2), rng.random() < 0.4]

    return draw


def torch_pool(c, x, mean):
    a = [i(v) for v in c.a]
    pads = [same_padding(x.shape[1 + d], a[d], a[2 + d], 1) if a[4] else [0, 0] for d in range(2)]
    padded = lambda y, value: F.pad(y.permute(0, 3, 1, 2), (*pads[1], *pads[0]), value=value)
    if not mean:
        return F.max_pool2d(padded(x, -np.inf), a[:2], a[2:4]).permute(0, 2, 3, 1)
    sums = lambda y: F.avg_pool2d(padded(y, 0.0), a[:2], a[2:4])
    return (sums(x) / sums(torch.ones_like(x))).permute(0, 2, 3, 1)  # padding is not part of the mean


def tf_pool(c, x, pool_):
    a = [i(v) for v in c.a]
    return pool_(x, a[:2], a[2:4], "SAME" if a[4] else "VALID")


op("max_pool2d", pool(False), lambda c, x: torch_pool(c, x, False), lambda c, x: tf_pool(c, x, tf.nn.max_pool2d))
op("avg_pool2d", pool(True), lambda c, x: torch_pool(c, x, True), lambda c, x: tf_pool(c, x, tf.nn.avg_pool2d))
op("global_max_pool2d", with_ties(4, 6), lambda c, x: x.amax((1, 2)), lambda c, x: tf.reduce_max(x, (1, 2)))
op("global_avg_pool2d", with_ties(4, 6), lambda c, x: x.mean((1, 2)), lambda c, x: tf.reduce_mean(x, (1, 2)))


def normalised(rank, moments=False):
    def draw(rng):
        n = extent(rng, 9)
        shape = [3 + extent(rng, 6), *[extent(rng, 6) for _ in range(rank - 2)], n]
        extra = {"mean": real(rng, n), "variance": real(rng, n, 0.5, 2)} if moments else {}
        return [real(rng, shape), real(rng, n, 0.5, 2), real(rng, n)], [rng.choice([1e-3, 1e-2, 0.1])], extra

    return draw


def torch_batch_norm(c, x, s, o):
    axes = tuple(range(x.ndim - 1))
    return (x - x.mean(axes)) * s / torch.sqrt(x.var(axes, correction=0) + c.a[0]) + o


def tf_batch_norm(c, x, s, o):
    mean, variance = tf.nn.moments(x, list(range(len(x.shape) - 1)))
    return tf.nn.batch_normalization(x, mean, variance, o, s, c.a[0])


op("batch_norm", normalised(4), torch_batch_norm, tf_batch_norm, 300)
op("batch_norm_of_rows", normalised(2), torch_batch_norm, tf_batch_norm, 300)
op("batch_norm_inference", normalised(4, moments=True),
   lambda c, x, s, o: (x - c["mean"]) * s / torch.sqrt(c["variance"] + c.a[0]) + o,
   lambda c, x, s, o: tf.nn.batch_normalization(x, c["mean"], c["variance"], o, s, c.a[0]))
op("batch_norm_training", normalised(4), torch_batch_norm, tf_batch_norm, 300)


def channels_to_pool(rng):
    n = extent(rng, 9)
    return [real(rng, [2 + extent(rng, 4), 1 + extent(rng, 6), 1 + extent(rng, 6), n]), real(rng, n)], [rng.choice([1e-3, 1e-2, 0.1])]


op("batch_norm_training_pooled", channels_to_pool, lambda c, x, o: torch_relu_max_pool2d(torch_batch_norm(c, x, 1.0, o)),
   lambda c, x, o: tf.nn.max_pool2d(tf.nn.relu(tf_batch_norm(c, x, None, o)), 2, 2, "VALID"), 300)
op("layer_norm", normalised(3), lambda c, x, s, o: F.layer_norm(x, (x.shape[-1],), s, o, c.a[0]),
   lambda c, x, s, o: (lambda m, v: tf.nn.batch_normalization(x, m, v, o, s, c.a[0]))(*tf.nn.moments(x, [-1], keepdims=True)), 300)
op("mse", of_shapes("mn mn"), lambda c, a, b: F.mse_loss(a, b), lambda c, a, b: tf.reduce_mean(tf.math.squared_difference(a, b)))
op("huber", of_shapes("mn mn", positive), lambda c, a, b: F.huber_loss(a, b, delta=c.a[0]),
   lambda c, a, b: tf.reduce_mean(tf.keras.losses.huber(b[..., None], a[..., None], c.a[0])))
op("l2_loss", of_shapes("mn"), lambda c, a: (a * a).sum() / 2, lambda c, a: tf.nn.l2_loss(a))


def logits(labels):
    def draw(rng):
        m, n = extent(rng), extent(rng)
        p = np.exp(real(rng, (m, n)))
        extra = {"classes": rng.integers(0, n, m)} if labels else {"probabilities": p / p.sum(1, keepdims=True)}
        return [real(rng, (m, n), -5, 5)], [], extra

    return draw


op("softmax_cross_entropy", logits(False), lambda c, x: -(c["probabilities"] * torch.log_softmax(x, 1)).sum(1),
   lambda c, x: tf.nn.softmax_cross_entropy_with_logits(c["probabilities"], x))
op("softmax_cross_entropy_of_classes", logits(True), lambda c, x: F.cross_entropy(x, c["classes"], reduction="none"),
   lambda c, x: tf.nn.sparse_softmax_cross_entropy_with_logits(c["classes"], x))

# ---- models.cpp


def model(shapes_of):
    """Operands of the shapes that shapes_of gives, of numbers that keep the results moderate."""

    def draw(rng):
        return ([real(rng, s, -1, 1) for s in shapes_of(rng)],)

    return draw


def residual_shapes(rng):
    c = extent(rng, 5)
    return [(2, 3 + extent(rng, 4), 3 + extent(rng, 4), c), (3, 3, c, c), (c,), (c,), (3, 3, c, c), (c,), (c,)]


def torch_residual(c, x, w1, s1, o1, w2, s2, o2):
    def convolved(x, w, s, o):
        y = F.conv2d(x, w.permute(3, 2, 0, 1).contiguous(), padding="same")
        return F.batch_norm(y, None, None, s, o, training=True, eps=1e-3)

    x = x.permute(0, 3, 1, 2)
    return F.relu(x + convolved(F.relu(convolved(x, w1, s1, o1)), w2, s2, o2)).permute(0, 2, 3, 1)


def lstm_shapes(rng):
    n, time, features, width = (extent(rng, 6) for _ in range(4))
    return [(n, time, features), (features, 4 * width), (width, 4 * width), (4 * width,)]


def torch_lstm(c, x, w, u, b):
    cell = torch.nn.LSTMCell(w.shape[0], u.shape[0], dtype=x.dtype)
    values = {"weight_ih": w.T, "weight_hh": u.T, "bias_ih": b, "bias_hh": torch.zeros_like(b)}
    state = (torch.zeros(x.shape[0], u.shape[0], dtype=x.dtype),) * 2
    for t in range(x.shape[1]):
        state = torch.func.functional_call(cell, values, (x[:, t], state))
    return state[0]


def mixer_shapes(rng):
    n, patches, channels, hidden = (1 + extent(rng, 5) for _ in range(4))
    mixing = lambda width: [(width, hidden), (hidden, width)]
    return [(n, patches, channels), *mixing(patches), *mixing(channels), (channels,), (channels,)]


def torch_mixer(c, x, t1, t2, c1, c2, s, o):
    norm = lambda x: F.layer_norm(x, (x.shape[-1],), s, o, 1e-3)
    y = x + (F.gelu(norm(x).mT @ t1) @ t2).mT
    return y + F.gelu(norm(y) @ c1) @ c2


def attention_shapes(rng):
    width = 2 * extent(rng, 4)
    return [(extent(rng, 4), extent(rng, 6), width)] + [(width, width)] * 4


def torch_attention(c, x, wq, wk, wv, wo):
    heads = lambda w: (x @ w).unflatten(2, (2, -1)).transpose(1, 2)
    y = F.scaled_dot_product_attention(heads(wq), heads(wk), heads(wv), is_causal=True)
    return y.transpose(1, 2).flatten(2) @ wo


def unet_shapes(rng):
    c, n, m, joined, out = (extent(rng, 4) for _ in range(5))
    rows, columns = 2 * extent(rng, 4), 2 * extent(rng, 4)
    return [(extent(rng, 2), rows, columns, c), (3, 3, c, n), (3, 3, n, m), (2, 2, n, m), (3, 3, 2 * n, joined), (1, 1, joined, out)]


def torch_unet(c, x, down, middle, up, joined, last):
    kernel = lambda w: w.permute(3, 2, 0, 1).contiguous()
    same = lambda x, w: F.relu(F.conv2d(x, kernel(w), padding="same"))
    skip = same(x.permute(0, 3, 1, 2), down)
    wide = F.conv_transpose2d(same(F.max_pool2d(skip, 2), middle), kernel(up), stride=2)
    return F.conv2d(same(torch.cat([skip, wide], 1), joined), kernel(last)).permute(0, 2, 3, 1)


def autoencoder_operands(rng):
    n, features, hidden, width = (extent(rng, 6) for _ in range(4))
    weights = [(features, hidden), (hidden, width), (hidden, width), (width, features)]
    return [real(rng, (n, features), 0, 1)] + [real(rng, w, -1, 1) for w in weights], [], {"noise": rng.normal(size=(n, width))}


def torch_autoencoder(c, x, encoder, of_mean, of_log_variance, decoder):
    h = torch.tanh(x @ encoder)
    posterior = torch.distributions.Normal(h @ of_mean, torch.exp(h @ of_log_variance / 2))
    z = posterior.loc + posterior.scale * c["noise"]
    cross_entropy = F.binary_cross_entropy_with_logits(z @ decoder, x, reduction="none").sum(1)
    prior = torch.distributions.Normal(torch.zeros_like(z), torch.ones_like(z))
    return cross_entropy + torch.distributions.kl_divergence(posterior, prior).sum(1)


# Roundings add up over the layers, and batch normalisation of nearly equal numbers enlarges them.
op("residual_block", model(residual_shapes), torch_residual, None, 3000)
op("lstm", model(lstm_shapes), torch_lstm, None, 300)
op("mixer", model(mixer_shapes), torch_mixer, None, 3000)
op("attention", model(attention_shapes), torch_attention, None, 300)
op("unet", model(unet_shapes), torch_unet, None, 3000)
op("autoencoder", autoencoder_operands, torch_autoencoder, None, 300)

# ---- linear_algebra.cpp, which is built where LAPACK is


def regular(rng, *shape):
    """Matrices whose diagonal is larger than the rest of each row."""
    return real(rng, shape, -1, 1) + 2 * shape[-1] * np.eye(shape[-1])


def equations(rng):
    n, k = extent(rng, 6), extent(rng, 4)
    return ([regular(rng, n, n), real(rng, (n, k))],)


def equations_of_a_vector(rng):
    n = extent(rng, 6)
    return ([regular(rng, n, n), real(rng, n)],)


def batches_of_equations(rng):
    l, n, k = extent(rng, 4), extent(rng, 5), extent(rng, 3)
    return ([regular(rng, rng.choice([1, l]), n, n), real(rng, (l, n, k))],)


def squares(rng):
    return ([regular(rng, extent(rng, 3), *[extent(rng, 5)] * 2)],)


def positive_definite(rng):
    l, n = extent(rng, 3), extent(rng, 5)
    return [real(rng, (l, n, n), -1, 1)], [], {"shift": n * np.eye(n)}


op("solve", equations, lambda c, a, b: torch.linalg.solve(a, b), lambda c, a, b: tf.linalg.solve(a, b), 300)
op("solve_vector", equations_of_a_vector, lambda c, a, b: torch.linalg.solve(a, b),
   lambda c, a, b: tf.linalg.solve(a, b[:, None])[:, 0], 300)
op("solve_batches", batches_of_equations, lambda c, a, b: torch.linalg.solve(a, b),
   lambda c, a, b: tf.linalg.solve(tf.broadcast_to(a, [b.shape[0], *a.shape[1:]]), b), 300)
op("inverse", squares, lambda c, x: torch.linalg.inv(x), lambda c, x: tf.linalg.inv(x), 300)
op("det", squares, lambda c, x: torch.linalg.det(x), lambda c, x: tf.linalg.det(x), 300)
op("cholesky", positive_definite, lambda c, x: torch.linalg.cholesky(x @ x.mT + c["shift"]),
   lambda c, x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + c["shift"]), 300)
LINEAR_ALGEBRA = {"solve", "solve_vector", "solve_batches", "inverse", "det", "cholesky"}
