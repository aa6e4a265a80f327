#!/usr/bin/env python3
"""Says which lines of the headers the tests reach: `./dev coverage` builds and runs them, then calls this.

    tools/coverage.py [ROOM...]

Reads the counters that the tests of the preset `coverage` left in build/coverage/profiles and prints a table with one
line a room, then each `throw`, and each line of a [[noreturn]] function, that no test reached. With ROOMs: every line of
those rooms that no test reached. A line of a template counts when one of its instantiations reached it. What a process
reached that ends by a signal or _exit is not counted. Fails if a throw was not reached, or under 95 % of the lines.
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
    """What the tests run: our programs and shared libraries, by their ELF header and not by their name."""
    for path in sorted((BUILD / "tests").rglob("test_*")):
        if path.is_file() and path.suffix in ("", ".so"):
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def counts():
    """{header: {line: how often it was reached}}"""
    profiles = sorted((BUILD / "profiles").glob("*.profraw"))
    if not profiles:
        sys.exit("coverage: no counters in build/coverage/profiles. Run ./dev coverage.")
    (BUILD / "profiles.txt").write_text("\n".join(map(str, profiles)))
    merged = BUILD / "tests.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-f", BUILD / "profiles.txt", "-o", merged], check=True)
    found = {}
    for program in programs():
        # One at a time: of several programs, llvm-cov believes the first, also where that one never calls a function.
        command = ["llvm-cov-19", "export", "-format=lcov", f"-instr-profile={merged}", program, HEADERS]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            kind, _, value = line.partition(":")
            if kind == "SF":
                lines = found.setdefault(pathlib.Path(value), {})
            elif kind == "DA":
                number, count = map(int, value.split(","))
                lines[number] = max(count, lines.get(number, 0))
    return found


def must_be_reached(text):
    """The numbers of the lines with a throw, or in the body of a [[noreturn]] function, comments apart."""
    code = re.sub(r'//.*|"(\\.|[^"\\\n])*"', lambda found: " " * len(found[0]), text)
    found = {code.count("\n", 0, hit.start()) + 1 for hit in re.finditer(r"\bthrow\b", code)}
    for hit in re.finditer(r"\[\[noreturn", code):
        brace = re.compile(r"[{;]").search(code, hit.end())
        if brace[0] == "{":
            end = next(end for end in range(brace.start(), len(code)) if balanced(code[brace.start() : end + 1]))
            found |= set(range(code.count("\n", 0, brace.start()) + 1, code.count("\n", 0, end) + 1))
    return found


def balanced(code):
    return code.count("{") == code.count("}")


def missed(lines):
    return {number for number, count in lines.items() if count == 0}


def show(header, numbers):
    source = header.read_text().splitlines()
    for number in sorted(numbers):
        print(f"{header.relative_to(ROOT)}:{number}: {source[number - 1].strip()}")


def main(rooms):
    reached = counts()
    headers = sorted(HEADERS.rglob("*.hpp"))
    print(f"{'room':12}{'lines':>8}{'reached':>9}{'':>9}")
    totals = {}
    for header in headers:
        lines = reached.get(header, {})
        room = header.relative_to(HEADERS).parts[0] if header.parent != HEADERS else "(top)"
        for name in (room, "total"):
            total = totals.setdefault(name, [0, 0])
            total[0] += len(lines)
            total[1] += len(lines) - len(missed(lines))
    for name in [*(name for name in totals if name != "total"), "total"]:
        lines, hit = totals[name]
        if lines:
            print(f"{name:12}{lines:8}{hit:9}{100 * hit / lines:8.1f}%")

    # A line that is in no program, such as that of a template nobody instantiates, is not reached either.
    throws = {}
    for header in headers:
        lines = reached.get(header, {})
        code = must_be_reached(header.read_text())
        throws[header] = {n for n in code if lines.get(n, 0) == 0}
    print("\nthrows and lines of [[noreturn]] functions that no test reached:", sum(map(len, throws.values())))
    for header, numbers in throws.items():
        show(header, numbers)
    for room in rooms:
        print(f"\n{room}: lines that no test reached")
        for header in headers:
            if header.relative_to(HEADERS).parts[0] == room:
                show(header, missed(reached.get(header, {})))
    lines, hit = totals["total"]
    return any(throws.values()) or hit * 100 < LEAST * lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
