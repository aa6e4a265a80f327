#!/usr/bin/env python3
"""Report the lines of the headers that the tests reach. `./dev coverage` builds and runs the tests, then calls this script.

    tools/coverage.py [LAYER...]

Reads the counters that the tests of the preset `coverage` wrote to build/coverage/profiles. Prints a table with one line per
folder, then each unreached `throw` and each unreached line of a [[noreturn]] function. With LAYERs, which are folders of the
library, prints every unreached line of those. A line of a template counts if one of its instantiations reached it. Lines of a
process that ends by a signal or _exit are not counted. Fails if a throw or more than 5 % of the lines were not reached.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/coverage"
HEADERS = ROOT / "include/placement"
LEAST = 95.0


def programs():
    """The test programs and shared libraries, recognised by their ELF header and not by their name."""
    for path in sorted((BUILD / "tests").rglob("test_*")):
        if path.is_file() and path.suffix in ("", ".so"):
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def counts():
    """{header: {line: number of times that it was reached}}"""
    profiles = sorted((BUILD / "profiles").glob("*.profraw"))
    if not profiles:
        sys.exit("coverage: no counters in build/coverage/profiles. Run ./dev coverage.")
    (BUILD / "profiles.txt").write_text("\n".join(map(str, profiles)))
    merged = BUILD / "tests.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-f", BUILD / "profiles.txt", "-o", merged], check=True)
    found = {}
    for program in programs():
        # One at a time: llvm-cov uses only the first of several programs, even if that program never calls a function.
        command = ["llvm-cov-19", "export", "-format=lcov", f"-instr-profile={merged}", program, HEADERS]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            kind, _, value = line.partition(":")
            if kind == "SF":
                lines = found.setdefault(pathlib.Path(value), {})
            elif kind == "DA":
                number, count = map(int, value.split(","))
                lines[number] = max(count, lines.get(number, 0))
    return found


def without_text(source):
    """The code with its comments and quoted texts replaced by spaces."""
    def blank(found):
        return f'"{" " * (len(found[0]) - 2)}"' if found[0][0] == '"' else " " * len(found[0])
    return re.sub(r'//.*|"(\\.|[^"\\\n])*"', blank, source)


def must_be_reached(code):
    """The numbers of the lines with a throw, or in the body of a [[noreturn]] function."""
    found = {code.count("\n", 0, hit.start()) + 1 for hit in re.finditer(r"\bthrow\b", code)}
    for hit in re.finditer(r"\[\[noreturn", code):
        brace = re.compile(r"[{;]").search(code, hit.end())
        if brace[0] == "{":
            end = next(end for end in range(brace.start(), len(code)) if balanced(code[brace.start() : end + 1]))
            found |= set(range(code.count("\n", 0, brace.start()) + 1, code.count("\n", 0, end) + 1))
    return found


def balanced(code):
    return code.count("{") == code.count("}")


def show(header, numbers):
    source = header.read_text().splitlines()
    for number in sorted(numbers):
        print(f"{header.relative_to(ROOT)}:{number}: {source[number - 1].strip()}")


def main(layers):
    reached = counts()
    totals, missed, throws = {}, {}, {}
    for header in sorted([*HEADERS.rglob("*.hpp"), *HEADERS.rglob("*.ipp")]):
        code = without_text(header.read_text())
        filled = {number for number, line in enumerate(code.splitlines(), 1) if line.strip()}
        lines = {number: count for number, count in reached.get(header, {}).items() if number in filled}
        missed[header] = {number for number, count in lines.items() if count == 0}
        # A throw in no program, as in a template that is never instantiated, is not reached either.
        throws[header] = {number for number in must_be_reached(code) & filled if lines.get(number, 0) == 0}
        for name in (layer_of(header), "total"):
            total = totals.setdefault(name, [0, 0])
            total[0] += len(lines)
            total[1] += len(lines) - len(missed[header])

    print(f"{'layer':12}{'lines':>8}{'reached':>9}")
    for name in [*(name for name in totals if name != "total"), "total"]:
        lines, hit = totals[name]
        if lines:
            print(f"{name:12}{lines:8}{hit:9}{100 * hit / lines:8.1f} %")
    print("\nthrows and lines of [[noreturn]] functions that no test reached:", sum(map(len, throws.values())))
    for header, numbers in throws.items():
        show(header, numbers)
    for layer in layers:
        print(f"\n{layer}: lines that no test reached")
        for header, numbers in missed.items():
            if layer_of(header) == layer:
                show(header, numbers)
    lines, hit = totals["total"]
    return any(throws.values()) or 100 * hit < LEAST * lines


def layer_of(header):
    return "(top)" if header.parent == HEADERS else header.relative_to(HEADERS).parts[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
