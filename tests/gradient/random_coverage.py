"""usage: random_coverage.py ROOT PROGRAM...

Runs the tests [random] of test programs with 0, 1 and 2 simulated GPUs. Each op with a derivative must be in the expressions
whose derivatives they compared, and each function that docs/gradients_table.md gives a derivative for must be called in
random_*.cpp. The gradients of each number of GPUs must have the same bits. Ops of LAPACK count where one of the programs is
test_lapack.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from derivatives_table import functions_of_table, has_derivative, ops

# Ops that the type of no expression names, and how a test calls them: one runs at once, the others are chosen by an assignment.
UNNAMED = {"add_n_list_op": "pl::add_n(std::vector", "batch_norm_selected_op": "pl::max_pool2d(pl::relu(norm(",
           "batch_norm_pool_op": "pl::max_pool2d(pl::relu(norm("}


def differentiable(root, folders):
    """The ops that have a derivative, with their headers."""
    for folder in folders:
        for header in sorted((root / "include/placement" / folder).glob("*.hpp")):
            for op, body in ops(header.read_text()):
                if has_derivative(body):
                    yield op, header.name


def records(program, gpus, folder):
    """The hash of all gradients of each TEST_CASE, and the ops that they were of."""
    listed = subprocess.run([program, "[random]", "--list-tests", "--verbosity", "quiet"], capture_output=True, text=True)
    hashes, found = {}, set()
    for name in filter(None, listed.stdout.splitlines()):
        name, file = name.strip(), folder / "record"
        file.unlink(missing_ok=True)
        environment = {**os.environ, "PLACEMENT_SIMULATED_GPUS": str(gpus), "PLACEMENT_DERIVATIVE_RECORDS": str(file),
                       "PLACEMENT_LOG": "off"}
        done = subprocess.run([program, name.replace(",", "\\,")], env=environment, capture_output=True, text=True)
        if done.returncode or not file.exists():
            sys.exit(f"with {gpus} GPUs: {name}\n{done.stdout}{done.stderr}")
        hashes[name], *rest = file.read_text().split()
        found |= {word for word in rest if word.endswith("_op")}
    return hashes, found


def main(root, programs):
    with_lapack = any("lapack" in pathlib.Path(p).name for p in programs)
    folders = ["ops", "fft"] + ["lapack"] * with_lapack
    faults, covered, cases = [], set(), 0
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            of_none, found = records(program, 0, pathlib.Path(folder))
            covered |= found
            cases += len(of_none)
            for gpus in 1, 2:
                others, _ = records(program, gpus, pathlib.Path(folder))
                faults += [f"with {gpus} GPUs other bits than with none: {name}" for name in of_none if others[name] != of_none[name]]
    wanted = dict(differentiable(root, folders))
    tests = "".join(p.read_text() for p in sorted((root / "tests").glob("*/random_*.cpp")))
    covered |= {op for op, call in UNNAMED.items() if call in tests}
    faults += [f"{header}: no random derivatives of {op}" for op, header in wanted.items() if op not in covered]
    functions = set(functions_of_table((root / "docs/gradients_table.md").read_text()))
    faults += [f"docs/gradients_table.md: no random derivatives of {f}" for f in sorted(functions)
               if not re.search(rf"\b{f}(<[^;]*?>)?\(", tests)]
    if cases < 30 or len(functions) < 60:
        faults.append(f"only {cases} cases and {len(functions)} functions were found")
    print("\n".join(faults) or f"{len(wanted)} ops and {len(functions)} functions in {cases} cases, the same bits with 0, 1 and 2 GPUs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
