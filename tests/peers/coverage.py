"""usage: coverage.py ROOT

Each function that docs/gradients_table.md gives a derivative for has a case in ROOT/tests/peers, and each case is compared
with PyTorch or TensorFlow: its operators in op_table.py are not both None. Ends with 1 otherwise. Needs neither library.
"""

import ast
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gradient"))
from derivatives_table import functions_of_table  # noqa: E402


def compared(table):
    """The names of the cases in op_table.py that have a peer."""
    for call in ast.walk(ast.parse(table)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in ("op", "unary", "reduction"):
            continue
        name, peers = call.args[0], call.args[2:4]
        if isinstance(name, ast.Constant):
            none = [isinstance(p, ast.Constant) and p.value is None for p in peers]
            if call.func.id != "op" or not all(none):
                yield name.value


def main(root):
    folder = root / "tests/peers"
    sources = "".join(p.read_text() for p in sorted(folder.glob("*.cpp")))
    cases = set(re.findall(r'^    \{"(\w+)",', sources, re.M))
    functions = set(functions_of_table((root / "docs/gradients_table.md").read_text()))
    faults = [f"docs/gradients_table.md: no case of {f}" for f in sorted(functions) if not re.search(rf"\b{f}(<[^;]*?>)?\(", sources)]
    with_peer = set(compared((folder / "op_table.py").read_text()))
    faults += [f"{c} is compared with no library" for c in sorted(cases - with_peer)]
    if len(cases) < 100 or len(functions) < 60:
        faults.append(f"only {len(cases)} cases and {len(functions)} functions were found")
    print("\n".join(faults) or f"{len(functions)} functions in {len(cases)} cases")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
