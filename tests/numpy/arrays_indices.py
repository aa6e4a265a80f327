#!/usr/bin/env python3
"""Compare reductions and index ops with NumPy's, of random arrays with NaN, infinities and no elements.

usage: arrays_indices.py PROGRAM FOLDER     (PROGRAM: arrays_indices.cpp)
"""
import pathlib
import sys
import warnings

import numpy as np
from devices import DEVICES, run_on

INDICES = np.array([0, -1, 1, 0, -2], dtype="i8")


def arrays():
    """(name, array): of rank 1 to 3, doubles and ints; some have NaN, infinities, or no elements."""
    random = np.random.default_rng(42)
    shapes = [(2,), (0,), (7,), (300,), (1, 5), (3, 0), (4, 3), (40, 70), (2, 3, 4), (3, 0, 2), (5, 1, 9), (6, 17, 5)]
    for number, shape in enumerate(shapes):
        x = random.normal(size=shape)
        yield f"normal{number}", x
        whole = random.integers(-4, 5, size=shape).astype("i4")
        yield f"int{number}", whole
        yield f"natural{number}", abs(whole)
        holes = np.where(random.random(shape) < 0.3, np.nan, np.round(x, 1))
        yield f"nan{number}", holes
        yield f"infinite{number}", np.where(random.random(shape) < 0.2, np.inf, x)


def logsumexp(x, axis):
    largest = np.max(x, axis=axis, keepdims=True)
    over = np.where(np.isfinite(largest), largest, 0)
    return np.log(np.sum(np.exp(x - over), axis=axis)) + np.squeeze(over, axis=axis)


def fails_on_empty(f):
    """f, with an error for no elements where NumPy warns and gives NaN."""
    def strict(x, axis):
        over = range(x.ndim) if axis is None else np.atleast_1d(axis)
        if any(x.shape[a] == 0 for a in over):
            raise ValueError("no elements")
        if x.size == 0:  # NumPy's median fails for some empty results
            return np.sum(x, axis=axis)
        return f(x, axis=axis)
    return strict


REDUCTIONS = {
    "sum": np.sum, "max": np.max, "nanmin": np.nanmin, "median": fails_on_empty(np.median), "count_nonzero": np.count_nonzero,
    "std": np.std, "nansum": np.nansum, "nanmean": np.nanmean, "nanmax": np.nanmax,
    "nanvar": np.nanvar, "nanstd": np.nanstd,
    "norm1": lambda x, axis: np.linalg.vector_norm(x, ord=1, axis=axis),
    "norm2": lambda x, axis: np.linalg.vector_norm(x, axis=axis), "logsumexp": fails_on_empty(logsumexp),
    "quantile": fails_on_empty(lambda x, axis: np.quantile(x, 0.3, axis=axis)),
    "min": np.min, "mean": np.mean, "var": np.var, "prod": np.prod, "nanprod": np.nanprod,
    "all": lambda x, axis: np.all(x != 0, axis), "any": lambda x, axis: np.any(x > 2, axis),
    "norm_inf": fails_on_empty(lambda x, axis: np.linalg.vector_norm(x, ord=np.inf, axis=axis)),
    "kept": lambda x, axis: np.sum(x, axis=axis, keepdims=axis is not None)}


def at(x, axis, change):
    y = np.moveaxis(x.copy(), axis, 0)
    change(y, np.moveaxis(np.take(x, INDICES, axis), axis, 0))
    return np.moveaxis(y, 0, axis)


def write_last(y, values):
    for i, index in enumerate(INDICES):
        y[index] = values[i] + 1


def descending(x, axis):
    """NaN last, as in ascending order."""
    if x.dtype != float:
        return np.flip(np.sort(x, axis), axis)
    return np.where(np.isnan(y := -np.sort(-x, axis)), np.nan, y)


def topk(x, axis):
    if x.shape[axis] < 2:
        raise ValueError("too short")
    numbers = np.sort(np.where(np.isnan(x), -np.inf, x), axis=axis) if x.dtype == float else np.sort(x, axis=axis)
    counted = np.flip(numbers, axis)
    chosen = np.take(counted, [0, 1], axis)
    if x.dtype != float:
        return chosen
    present = np.sum(~np.isnan(x), axis=axis, keepdims=True)
    place = np.expand_dims(np.arange(2), [d for d in range(x.ndim) if d != axis % x.ndim])
    return np.where(place < present, chosen, np.nan)


ALONG = {
    "argmax": np.argmax, "argmin": np.argmin, "cumsum": np.cumsum, "sort": np.sort, "descending": descending,
    "argsort": lambda x, a: np.argsort(x, a, stable=True), "top": topk, "concat": lambda x, a: np.concatenate([x, x + 1], a),
    "stack": lambda x, a: np.stack([x, x + 1], a), "expand": np.expand_dims,
    "compress": lambda x, a: np.compress(np.arange(x.shape[a]) % 3 != 1, x, a),
    "cumprod": lambda x, a: np.cumprod(x, a, dtype="i8" if x.dtype == "i4" else None),
    "cummax": np.maximum.accumulate, "cummin": np.minimum.accumulate,
    "diff": lambda x, a: np.diff(x, axis=a), "take": lambda x, a: np.take(x, INDICES, a), "sorted": np.sort, "topk": topk,
    "repeat": lambda x, a: np.repeat(x, np.arange(x.shape[a]) % 3, a),
    "index_add": lambda x, a: at(x, a, lambda y, v: np.add.at(y, INDICES, v)),
    "scatter": lambda x, a: at(x, a, write_last)}


def counts(x):
    values, found = np.unique(x, return_counts=True)
    return found


def unique_all(x):
    """The arrays of np.unique_all; NumPy's own takes each NaN as an element."""
    return np.unique(x, return_index=True, return_inverse=True, return_counts=True)


def whole(x):
    """Toward zero; NaN is 0 and infinity the limit, as casts of ours."""
    return np.nan_to_num(np.trunc(x), nan=0, posinf=2 ** 31 - 1, neginf=-2 ** 31).astype("i4")


def put(x):
    y = x.copy()
    np.put(y, INDICES, INDICES)
    return y


WHOLE = {
    "argmax": np.argmax, "argmin": np.argmin, "gather": lambda x: x[np.maximum(INDICES, 0)], "take": lambda x: np.take(x, INDICES),
    "one_hot": lambda x: (whole(x)[..., None] == np.arange(3)).astype("f4"), "masked": lambda x: np.where(x < 0, x.dtype.type(7), x),
    "full": lambda x: np.full_like(x, 4), "permute": np.transpose, "nonzero": lambda x: np.nonzero(x)[-1], "flatten": np.ravel,
    "reverse": lambda x: np.flip(x, -1), "put": put,
    "unique": np.unique, "counts": counts, "values": lambda x: unique_all(x)[0], "first": lambda x: unique_all(x)[1],
    "inverse": lambda x: unique_all(x)[2].reshape(x.shape), "times": lambda x: unique_all(x)[3],
    "roll": lambda x: np.roll(x, (1, -2), (0, -1)), "flatnonzero": np.flatnonzero, "extract": lambda x: x[x > 0],
    "histogram": lambda x: np.histogram(x, 7)[0], "edges": lambda x: np.histogram(x, 7)[1],
    "histogram_in": lambda x: np.histogram(x, 5, (-1, 2.5))[0],
    "left": lambda x: np.searchsorted(np.sort(x.ravel()), x),
    "right": lambda x: np.searchsorted(np.sort(x.ravel()), x - 1, "right"),
    "bincount": lambda x: np.bincount(x.ravel(), minlength=3)}


def cases(x):
    """(ending of the name, function of no argument)."""
    rank = x.ndim
    sets = [("all", None)] + [(str(a), a) for a in range(rank)]
    sets += [(f"{a}{b}", (a, b)) for a in range(rank) for b in range(rank) if a != b]
    sets += [("012", (0, 1, 2))] if rank == 3 else []
    for op, f in REDUCTIONS.items():
        for ending, axes in sets:
            name = op if op == "quantile" and axes is None else f"{op}.{ending}"
            yield name, lambda f=f, axes=axes: f(x, axis=axes)
    for op, f in ALONG.items():
        for a in range(rank):
            yield f"{op}.{a}", lambda f=f, a=a: f(x, a)
    for op, f in WHOLE.items():
        yield op, lambda f=f: f(x)


def check(folder):
    """The number of results that were compared, and messages of those that differ."""
    compared, wrong = 0, []
    for name, x in arrays():
        for ending, f in cases(x):
            ours, refused = folder / f"{name}.{ending}.npy", folder / f"{name}.{ending}.error"
            if not ours.exists() and not refused.exists():
                continue  # this op is computed for doubles only, or this rank in nightly runs only
            compared += 1
            try:
                with np.errstate(all="ignore"):
                    expected = np.asarray(f())
            except (ValueError, IndexError) as error:
                if not refused.exists():
                    wrong.append(f"{name}.{ending}: NumPy says {error}")
                continue
            if refused.exists():
                wrong.append(f"{name}.{ending}: an error, and NumPy has a result")
                continue
            result = np.load(ours)
            if ending.startswith("quantile") and "infinite" in name:  # NumPy's interpolation makes NaN of infinities
                result, expected = result[~np.isnan(expected)], expected[~np.isnan(expected)]
            if result.shape != expected.shape or not np.allclose(result, expected, rtol=1e-12, atol=1e-13, equal_nan=True):
                wrong.append(f"{name}.{ending}: {result.tolist()} is not {expected.tolist()}")
    return compared, wrong


def main():
    warnings.simplefilter("ignore")
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    np.save(folder / "indices.npy", INDICES)
    with open(folder / "arrays.txt", "w") as listed:
        for name, x in arrays():
            np.save(folder / f"{name}.npy", x)
            listed.write(f"{name} {'double' if x.dtype == 'f8' else 'int'} {x.ndim}\n")
    total, failed = 0, 0
    for gpus, device in DEVICES:
        for old in [*folder.glob("*.*.npy"), *folder.glob("*.error")]:
            old.unlink()
        run_on(gpus, device, program, folder)
        compared, wrong = check(folder)
        for message in wrong:
            print(device, message[:400], file=sys.stderr)
        total, failed = total + compared, failed + len(wrong)
    print(f"NumPy {np.__version__}: {total} results compared, {failed} wrong")
    sys.exit(1 if failed or total < 4000 else 0)


if __name__ == "__main__":
    main()
