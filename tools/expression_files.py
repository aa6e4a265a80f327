#!/usr/bin/env python3
"""Count the files through which the statement of docs/life_of_an_expression.md passes, with the coverage counters of g++.

    tools/expression_files.py [EARLIER]

Prints for each folder of the library the files of which a line is executed between the begin and the end of the statement
`tensor f = relu(a * 2 + 1)` on the second of two simulated GPUs, with their executed lines. EARLIER: the number of evaluations
before the counted one; 0 by default, so that the count includes the first use of the device and its memory.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "include"
PROGRAM = """
#include <placement/placement.hpp>
#include <cstdlib>
extern "C" void __gcov_reset();
extern "C" void __gcov_dump();
namespace pl = placement;
int main(int count, char**) {
  pl::tensor a{1.f, 2.f, 3.f};
  pl::with_device scope("/GPU:1");
  for (int i = 1; i != count; ++i) pl::tensor f = pl::relu(a * 2.f + 1.f);
  __gcov_reset();
  pl::tensor f = pl::relu(a * 2.f + 1.f);
  __gcov_dump();
  std::_Exit(f.read()[0] == 3.f ? 0 : 1);
}
"""


def executed(earlier):
    """The executed lines of each file of the library."""
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        (folder / "statement.cpp").write_text(PROGRAM)
        subprocess.run(["g++", "-std=c++20", "-O0", "--coverage", f"-I{INCLUDE}", "-c", "statement.cpp"], cwd=folder, check=True)
        subprocess.run(["g++", "--coverage", "statement.o", "-o", "statement"], cwd=folder, check=True)
        subprocess.run([folder / "statement", *["again"] * earlier], cwd=folder, check=True,
                       env={**os.environ, "PLACEMENT_SIMULATED_GPUS": "2"})
        report = subprocess.run(["gcov", "--json-format", "--stdout", "statement.gcda"], cwd=folder, check=True,
                                capture_output=True, text=True).stdout
    lines = {}
    for text in report.splitlines():
        for file in json.loads(text)["files"]:
            path = pathlib.Path(file["file"])
            if path.is_relative_to(INCLUDE / "placement"):
                reached = {line["line_number"] for line in file["lines"] if line["count"]}
                lines.setdefault(path.relative_to(INCLUDE / "placement").as_posix(), set()).update(reached)
    return {name: len(reached) for name, reached in lines.items() if reached}


def main():
    lines = executed(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    folders = collections.defaultdict(list)
    for name in sorted(lines):
        folders[name.removeprefix("src/").split("/")[0]].append(f"{name} {lines[name]}")
    for folder, names in sorted(folders.items(), key=lambda entry: -len(entry[1])):
        print(f"{folder} {len(names)}: " + ", ".join(names))
    print(f"{len(lines)} files, {sum(n >= 10 for n in lines.values())} with ten executed lines or more")


if __name__ == "__main__":
    main()
