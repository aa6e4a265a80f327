#!/usr/bin/env python3
"""Check that no inline function has two definitions, which would break a program that two compilers build.

    one_body.py COMPILER SOURCE [FLAG...]

Compiles SOURCE with the same C++ compiler for different kernel sets: as if it could launch other kernels, and without the op
log. A function that two objects can share (a weak symbol) must have the same code in both. Otherwise the link order would
determine the behaviour of the program. Constants that a function refers to are compared by their content. With
--expect-difference as the first argument, passes if there is such a function, which tests that the check can fail.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SET = "kernel_set<cpu_kernels>"
OTHERS = ("kernel_set<cpu_kernels, gpu_kernels<1>>", "kernel_set<without_op_log<cpu_kernels>>")


def assembly(compiler, source, kernels, flags, folder):
    out = pathlib.Path(folder) / "out.s"
    command = [compiler, "-std=c++20", "-O0", "-g0", "-fno-asynchronous-unwind-tables", "-fno-verbose-asm",
               "-S", "-o", out,
               f"-DPLACEMENT_KERNELS_HERE={kernels}", *flags, source]
    subprocess.run(command, check=True)
    return out.read_text()


LABEL = re.compile(r"\.L[\w.$]+")
DATA = (".string", ".ascii", ".asciz", ".byte", ".value", ".short", ".long", ".quad", ".zero")


def parsed(text):
    """The weak functions with their lines, and the local data labels with their contents."""
    weak, functions, data = set(), {}, {}
    function = label = None
    for line in text.splitlines():
        word, _, rest = line.strip().partition("\t")
        name = rest.split(",")[0].strip()
        if word == ".weak":
            weak.add(name)
        elif word == ".type" and rest.endswith("function"):
            function, functions[name] = name, []
        elif word == ".size" and name == function:
            function = None
        elif line.startswith(f".set {function},"):  # an alias of a function of this file has no body of its own
            del functions[function]
            function = None
        elif function:
            functions[function].append(line)
        if line.startswith(".L") and line.endswith(":"):
            label = line[:-1]
        elif label and word in DATA:
            data.setdefault(label, []).append(line.strip())
        elif word not in (".align", ".p2align"):
            label = None
    return {name: lines for name, lines in functions.items() if name in weak}, data


def bodies(text):
    """Weak functions by name. Labels inside are numbered in order, and constants replaced by their content."""
    functions, data = parsed(text)
    found = {}
    for name, lines in functions.items():
        numbers = {}

        def canonical(match):
            label = match[0]
            # A jump table is data, and its lines name labels inside the function.
            if label in data and label not in numbers:
                numbers[label] = len(numbers)
                return str([LABEL.sub(canonical, line) for line in data[label]])
            return ".L%d" % numbers.setdefault(label, len(numbers))

        found[name] = LABEL.sub(canonical, "\n".join(lines))
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
    found = False
    with tempfile.TemporaryDirectory() as folder:
        one = bodies(assembly(compiler, source, SET, flags, folder))
        for other in OTHERS:
            two = bodies(assembly(compiler, source, other, flags, folder))
            shared = sorted(one.keys() & two.keys())
            different = [name for name in shared if one[name] != two[name]]
            for name in different:
                print("two bodies:", readable(name))
            print(f"{len(shared)} functions are shared with {other}, {len(different)} of them have two bodies")
            if len(shared) < 10:
                sys.exit("too few functions: is this a C++ source that uses the library?")
            found = found or bool(different)
            if expected and found:
                break
    sys.exit(found != expected)


main()
