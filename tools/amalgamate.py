#!/usr/bin/env python3
"""Write the library as one header, build/placement.hpp, for projects that copy one file.

With --cuda the header includes the CUDA headers, which the host compiler skips. Without it a CUDA compiler stops with an
error message. The host part is smaller, and sufficient for an online C++ compiler.
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
NO_CUDA_HALF = '#  error "placement: this single header has no CUDA half. Make one with tools/amalgamate.py --cuda."'
# The last conditions of the umbrella header: no header after them needs the headers in them.
LAST_CONDITIONS = ("#if !defined(PLACEMENT_COMPILED)", "#if defined(PLACEMENT_GRADIENTS)",
                   "#if defined(PLACEMENT_EMIT_DEFINITIONS)")
ONCE = re.compile(r"\s*#\s*pragma\s+once\b")


def is_cuda(header):
    return header.endswith(".cuh") or header.startswith("placement/src/cuda/")


def shared_by(header, seen):
    """The host headers that a CUDA header needs, directly or through its includes, in order."""
    found = []
    for ours in OURS.findall((INCLUDE / header).read_text()):
        if ours not in seen:
            seen.add(ours)
            found += shared_by(ours, seen) if is_cuda(ours) else [ours]
    return found


def expand(header, seen, lines, cuda):
    """Append the header to `lines`: each library header at its first include, each unconditional standard header once."""
    if header in seen:
        return
    seen.add(header)
    lines.append(f"// ---- {header}")
    conditions = []  # the start line of each open condition
    for line in (INCLUDE / header).read_text().splitlines():
        if conditional := CONDITIONAL.match(line):
            if conditional[1] == "endif":
                conditions.pop()
            else:
                conditions.append(len(lines))
        ours = OURS.match(line)
        standard = STANDARD.match(line)
        if ours and is_cuda(ours[1]):
            if not cuda:
                if NO_CUDA_HALF not in lines:
                    lines += ["#if PLACEMENT_CUDA_TU", NO_CUDA_HALF, "#endif"]
                continue
            # Both compilers need the host headers that it includes, so these go before the condition.
            before = []
            for shared in shared_by(ours[1], set()):
                expand(shared, seen, before, cuda)
            if conditions:
                lines[conditions[0]:conditions[0]] = before
                conditions = [at + len(before) for at in conditions]
            else:
                lines.extend(before)
            expand(ours[1], seen, lines, cuda)
        elif ours:
            may_be_left_out = conditions and lines[conditions[-1]].split('  //')[0] in LAST_CONDITIONS
            if conditions and not may_be_left_out and ours[1] not in seen:
                sys.exit(f"{header}: {ours[1]} is included under a condition, so it cannot be written out at its first use")
            expand(ours[1], seen, lines, cuda)
        elif standard and not conditions and not is_cuda(header):
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
    parser.add_argument("--cuda", action="store_true", help="with the CUDA half")
    arguments = parser.parse_args()
    lines = []
    expand("placement/placement.hpp", set(), lines, arguments.cuda)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(
        f"// placement {version()} in one header, made by tools/amalgamate.py.\n"
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        "#pragma once\n" + "\n".join(lines) + "\n")
    print(f"{arguments.output}: {len(lines)} lines")


if __name__ == "__main__":
    main()
