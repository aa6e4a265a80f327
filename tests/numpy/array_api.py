"""usage: array_api.py ROOT

Each element-wise function of the Python array API standard, version 2023.12, has a counterpart: a function in the table "Every op"
of ROOT/docs/ops.md, or the reason why there is none. The same for what NumPy, TensorFlow and PyTorch share beside the standard.
Ends with 1 otherwise, or if a name here has a counterpart of its own by now. Needs none of the libraries.
"""

import pathlib
import re
import sys

# The standard's list, and our name where it differs. Source: data-apis.org/array-api/2023.12, element-wise functions.
STANDARD = {
    **{name: name for name in """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_or bitwise_xor ceil conj copysign
       cos cosh divide exp expm1 floor floor_divide hypot imag log log1p log2 log10 logaddexp logical_and logical_not logical_or
       logical_xor maximum minimum multiply negative pow real round sign signbit sin sinh square sqrt subtract tan tanh
       trunc""".split()},
    "bitwise_invert": "bitwise_not", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "clip": "clamp",
    "isfinite": "is_finite", "isinf": "is_inf", "isnan": "is_nan", "remainder": "floor_modulo", "equal": "==", "not_equal": "!=",
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "positive": "identity",
}
# Functions that NumPy, tf.math or tf.nn, and torch have beside the standard, by NumPy's name or else PyTorch's.
BESIDE = {
    **{name: name for name in """cbrt erf erfc exp2 heaviside nan_to_num reciprocal rsqrt sigmoid softplus relu leaky_relu elu gelu silu
       where isclose""".split()},
    "nextafter": "next_after", "angle": "angle", "fmod": "modulo",
}
LEFT_OUT = {
    "deg2rad": "x * (pi / 180): one op", "rad2deg": "x * (180 / pi): one op", "log_sigmoid": "-softplus(-x): fused into one loop",
    "relu6": "clamp(x, 0, 6)", "ldexp": "x * exp2(n), which is exact", "frexp": "two results; only NumPy and PyTorch have it",
    "xlogy": "where(x == 0, 0, x * log(y))", "sinc": "only NumPy and PyTorch have it", "gcd": "only NumPy and PyTorch have it",
    "lcm": "only NumPy and PyTorch have it", "logaddexp2": "only NumPy and PyTorch have it", "modf": "x - trunc(x) and trunc(x)",
    "lgamma": "not written", "digamma": "not written", "erfinv": "not written", "i0": "not written",
}
NUMBER_IN_STANDARD = 65


def names_of(page):
    """The names in the first column of the table of every op."""
    table = page[page.index("<!-- doc_tables: ops -->") :]
    for row in re.findall(r"^\| (`.+?) \| `\w+\.hpp`", table, re.M):
        yield from (name.replace("\\|", "|") for name in re.findall(r"`(.+?)`", row))


def main(root):
    ours = set(names_of((root / "docs/ops.md").read_text()))
    faults = [f"{theirs}: docs/ops.md has no {name}" for theirs, name in {**STANDARD, **BESIDE}.items() if name not in ours]
    faults += [f"{name} is left out here, but docs/ops.md has it" for name in LEFT_OUT if name in ours]
    if len(STANDARD) != NUMBER_IN_STANDARD or len(ours) < 200:
        faults.append(f"{len(STANDARD)} names of the standard and {len(ours)} of docs/ops.md")
    print("\n".join(faults) or f"{len(STANDARD)} functions of the standard and {len(BESIDE)} others have a counterpart")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
