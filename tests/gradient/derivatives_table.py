"""usage: derivatives_table.py ROOT

Each op has a derivative, or a row with the reason in docs/gradients_table.md. Reads the headers of
ROOT/include/placement/ops, fft and lapack. Ends with 1 if an op has neither, or if the table names an op that has
a derivative by now. The same if the table does not name a function of placement/nets.hpp.
"""

import pathlib
import re
import sys

STRUCT = re.compile(r"^(?:template <.*>\s*(?:requires.*\s)?)?struct (\w+_op)\b([^;{]*)\{", re.M)
FUNCTION = re.compile(r"^(?:template <.*> )?auto (\w+)\(", re.M)
DETAIL = re.compile(r"^namespace detail \{.*?^\}  // namespace detail$", re.M | re.S)
ROW = re.compile(r"^\| (.+?) \| .+ \|$", re.M)


def ops(text):
    """The ops of a header: their names, and the text of each with that of a base class."""
    found = list(STRUCT.finditer(text))
    for m, end in zip(found, [n.start() for n in found[1:]] + [len(text)]):
        base = re.search(r": detail::(\w+)", m.group(2))
        inherited = base and re.search(rf"struct {base.group(1)}\b.*?^\}};", text, re.M | re.S)
        yield m.group(1), text[m.start() : end] + (inherited.group(0) if inherited else "")


def has_derivative(body):
    """A pullback, or a view that only moves elements."""
    if "using pullback_reads =" in body:
        return True
    return "using pattern = view_op;" in body and not re.search(r"\b(reshapes|broadcasts) =", body)


def functions_of_nets(root):
    """The functions of nets.hpp that give expressions, without those that are gradients."""
    for header in re.findall(r"#include <placement/(ops/.+)>", (root / "include/placement/nets.hpp").read_text()):
        text = (root / "include/placement" / header).read_text()
        yield from (f for f in FUNCTION.findall(DETAIL.sub("", text)) if not f.endswith("_gradient"))


def functions_of_table(text):
    """The functions in the first column of the first table, and below it: `pow(a, b)`, `exp`, but not `a + b`."""
    first, composed = text[: text.index("These ops have none.")].split("Ops composed of these", 1)
    for cell in [*ROW.findall(first), composed]:
        for code in re.findall(r"`(.+?)`", cell):
            name = re.fullmatch(r"(\w+)(\(.*\))?", code)
            if name and len(name[1]) > 1 and name[1] != "op":
                yield name[1]


def main(root):
    folders = [root / "include/placement" / name for name in ("ops", "fft", "lapack")]
    headers = [header for folder in folders for header in sorted(folder.glob("*.hpp"))]
    table = (root / "docs/gradients_table.md").read_text()
    rows = {op for cell in ROW.findall(table) for op in re.findall(r"`(\w+_op)`", cell)}
    faults, found = [], set()
    for header in headers:
        for op, body in ops(header.read_text()):
            found.add(op)
            if op not in rows and not has_derivative(body):
                faults.append(f"{header.name}: {op} has no pullback, and no row in the table")
            if op in rows and has_derivative(body):
                faults.append(f"{header.name}: {op} has a derivative; remove its row")
    faults += [f"docs/gradients_table.md: there is no {op}" for op in sorted(rows - found)]
    functions = set(functions_of_nets(root))
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`(.+?)`", table))))
    faults += [f"docs/gradients_table.md: there is no row of {f}" for f in sorted(functions - named)]
    if len(functions) < 15:
        faults.append(f"only {len(functions)} functions of nets.hpp were found")
    if len(found) < 100:
        faults.append(f"only {len(found)} ops were found")
    print("\n".join(faults) or f"{len(found)} ops, {len(rows)} of them without a derivative")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
