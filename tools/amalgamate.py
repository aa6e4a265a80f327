#!/usr/bin/env python3
"""Write the library as one header: build/placement.hpp, for those who copy a file into their project.

It is the host half. The umbrella's door to the CUDA headers stays closed in it, because those are .cuh files that want
placement::cuda or the installed tree.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
OURS = re.compile(r'\s*#\s*include\s*[<"](placement/[^>"]+)[>"]')
STANDARD = re.compile(r"\s*#\s*include\s*<([^>]+)>")
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|endif)\b")
ONCE = re.compile(r"\s*#\s*pragma\s+once\b")


def expand(header, seen, lines):
    """Append the header to `lines`, each of ours at its first include, each unconditional standard header once."""
    if header in seen:
        return
    seen.add(header)
    lines.append(f"// ---- {header}")
    depth = 0
    for line in (INCLUDE / header).read_text().splitlines():
        if conditional := CONDITIONAL.match(line):
            depth += -1 if conditional[1] == "endif" else 1
        ours = OURS.match(line)
        standard = STANDARD.match(line)
        if ours and ours[1].endswith(".cuh"):
            lines.append('#error "placement: the single header has no CUDA half. Use the include directory."')
        elif ours:
            if depth:
                sys.exit(f"{header}: {ours[1]} is included under a condition, so it cannot be written out at its first use")
            expand(ours[1], seen, lines)
        elif standard and not depth:
            if standard[1] not in seen:
                seen.add(standard[1])
                lines.append(line)
        elif not ONCE.match(line):
            lines.append(line)


def version():
    text = (INCLUDE / "placement/version.hpp").read_text()
    return ".".join(re.findall(r"#define PLACEMENT_VERSION_\w+ (\d+)", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build" / "placement.hpp")
    arguments = parser.parse_args()
    lines = []
    expand("placement/placement.hpp", set(), lines)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(
        f"// placement {version()} in one header, made by tools/amalgamate.py.\n"
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        "#pragma once\n" + "\n".join(lines) + "\n")
    print(f"{arguments.output}: {len(lines)} lines")


if __name__ == "__main__":
    main()
