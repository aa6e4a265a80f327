#!/usr/bin/env python3
"""One name, one body: what would break a program that two compilers build.

    one_body.py COMPILER SOURCE [FLAG...]

Compiles SOURCE twice with the same C++ compiler, as if it could launch two different kernel sets. A function that both
objects may share (a weak symbol) must be the same code in both, else the linker's order would choose what the program
does. Constants that a function refers to are compared by their content. With --expect-difference first, passes when
there is such a function: that the check can fail is checked too.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SETS = ("kernel_set<cpu_kernels>", "kernel_set<cpu_kernels, gpu_kernels<1>>")


def assembly(compiler, source, kernels, flags, folder):
    out = pathlib.Path(folder) / "out.s"
    command = [compiler, "-std=c++20", "-O0", "-g0", "-fno-asynchronous-unwind-tables", "-S", "-o", out,
               f"-DPLACEMENT_KERNELS_HERE={kernels}", *flags, source]
    subprocess.run(command, check=True)
    return out.read_text()


def constants(text):
    """Local labels of data and what stands there."""
    found = {}
    for match in re.finditer(r"^(\.LC\d+):\n((?:\t\..*\n)+)", text, re.M):
        found[match[1]] = match[2]
    return found


def bodies(text):
    """Weak functions by name; labels inside are renumbered by their order, constants replaced by their content."""
    data = constants(text)
    weak = set(re.findall(r"^\t\.weak\t(\S+)$", text, re.M))
    found = {}
    for match in re.finditer(r"^\t\.type\t(\S+), @function\n\1:\n(.*?)^\t\.size\t\1,", text, re.M | re.S):
        if match[1] not in weak:
            continue
        numbers = {}

        def canonical(label):
            name = label[0]
            return data[name] if name in data else ".L%d" % numbers.setdefault(name, len(numbers))

        found[match[1]] = re.sub(r"\.L[A-Z]*\d+", canonical, match[2])
    return found


def readable(name):
    text = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    return text if len(text) < 200 else text[:197] + "..."


def main():
    arguments = sys.argv[1:]
    expected = "--expect-difference" in arguments
    if expected:
        arguments.remove("--expect-difference")
    compiler, source, *flags = arguments
    with tempfile.TemporaryDirectory() as folder:
        one, two = (bodies(assembly(compiler, source, kernels, flags, folder)) for kernels in SETS)
    shared = sorted(one.keys() & two.keys())
    different = [name for name in shared if one[name] != two[name]]
    for name in different:
        print("two bodies:", readable(name))
    print(f"{len(shared)} functions are shared, {len(different)} of them have two bodies")
    if len(shared) < 10:
        sys.exit("too few functions: is this a C++ source that uses the library?")
    sys.exit(bool(different) != expected)


main()
