#!/usr/bin/env python3
"""The thirteen array programs of examples/ beside the same with NumPy (examples/numpy): do these run, and are ours nearly as short?

usage: programs.py [--table]

Statements are counted: no blank lines, comments, lone braces, includes, imports, namespaces nor `main`. Ours may have half as many
again as NumPy's. --table prints the counts, as in examples/README.md.
"""
import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NAMES = ["attention", "black_scholes", "blur", "heat", "histogram", "k_means", "life", "linear_regression", "mandelbrot",
         "moving_average", "pca", "pi", "softmax_regression"]
SAYS_NOTHING = re.compile(r"\s*(//.*|#.*|/\*.*|\}.*|namespace .*|int main\(\) \{|import .*|)$")
MOST = 1.5


def statements(path):
    """The number of statements. A line that is wrapped is one with the next."""
    lines = [line for line in path.read_text().splitlines() if not SAYS_NOTHING.match(line)]
    if path.suffix == ".py":
        return sum(not line.rstrip().endswith(",") for line in lines)
    return sum(bool(re.search(r"[;{})]\s*(//.*)?$", line)) for line in lines)


def main():
    rows = [(name, statements(EXAMPLES / f"{name}.cpp"), statements(EXAMPLES / f"numpy/{name}.py")) for name in NAMES]
    if "--table" in sys.argv:
        print("| program | statements here | with NumPy |\n|---|---|---|")
        print("\n".join(f"| [{n}]({n}.cpp) | {ours} | [{theirs}](numpy/{n}.py) |" for n, ours, theirs in rows))
    for name, ours, theirs in rows:
        subprocess.run([sys.executable, EXAMPLES / f"numpy/{name}.py"], check=True, stdout=subprocess.DEVNULL)
        if ours > MOST * theirs:
            sys.exit(f"{name} has {ours} statements, and {theirs} with NumPy")
        written = (EXAMPLES / f"{name}.cpp").read_text()
        if "squeeze(" in written or "cast<" in written:
            sys.exit(f"{name} has a cast or a squeeze that a program with NumPy has not")
    print(f"{len(rows)} programs, {sum(r[1] for r in rows)} statements, and {sum(r[2] for r in rows)} with NumPy")


if __name__ == "__main__":
    main()
