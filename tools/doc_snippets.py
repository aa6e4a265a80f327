#!/usr/bin/env python3
"""Compile every block of C++ in README.md and docs/, so that the documents show valid code.

A block fenced as ```cpp is compiled; ```text and all other blocks are not. The blocks of a file become one source file:

  - a block of statements is the body of a function, after the umbrella header, `namespace pl = placement` and its literals;
  - a block of declarations (its first line of code starts a template, class, namespace or the like) is at namespace scope;
  - a block whose first line is `// continue` continues the previous block and can use its names;
  - a block with `int main` is a program of its own.

Errors give the line in the document.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRELUDE = """#include <placement/placement.hpp>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <vector>
namespace pl = placement;
using namespace pl::literals;
"""
# Headers of the library whose documents are compiled only where another library is installed.
NEEDED_HEADERS = {"placement/lapack.hpp": "lapacke.h", "placement/fft.hpp": "fftw3.h"}
DECLARATION = re.compile(r"(template|struct|class|enum|namespace|concept|inline)\b")
INCLUDE = re.compile(r"\s*#\s*include\b")
# Programs with these lines include the umbrella header after others, which must come first, or macros.
BEFORE_UMBRELLA = re.compile(r"^\s*#\s*(define\s+PLACEMENT_|include\s+<placement/(gradient|nn|parallel|tasks|compiled|src)\b)", re.M)
UMBRELLA = re.compile(r"^\s*#\s*include\s+<placement/placement\.hpp>", re.M)


def blocks_of(path):
    """Yield (line number, lines) of each ```cpp block."""
    inside, start, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if fence := re.match(r"\s*(```+)\s*(\S*)", line):
            if inside is None:
                inside, start, lines = fence[2], number + 1, []
            else:
                if inside == "cpp":
                    yield start, lines
                inside = None
        elif inside == "cpp":
            lines.append(line)
    if inside is not None:
        sys.exit(f"{path}: the block before line {start} is not closed")


def is_declaration(lines):
    code = (line for line in lines if line.strip() and not line.lstrip().startswith(("//", "#", "using ", "namespace pl")))
    return bool(DECLARATION.match(next(code, "")))


def programs_of(path):
    """The translation units of one document: its programs, and one that contains all other blocks."""
    name = path.relative_to(ROOT)
    programs, includes, body = [], [], []
    in_function, count = False, 0

    def close(*ends):
        nonlocal in_function
        if in_function:
            body.append("}")
            in_function = False
        body.extend(ends)

    for start, lines in blocks_of(path):
        mark = f'#line {start} "{name}"'
        if any(re.match(r"\s*int main\b", line) for line in lines):
            programs.append("\n".join([mark, *lines, ""]))
            continue
        continues = bool(lines) and lines[0].strip().startswith("// continue")
        if not continues:
            close(*(["}"] if count else []), f"namespace block_{start} {{")
            count += 1
        elif not count:
            sys.exit(f"{name}:{start}: continues, but there is no block before it")
        includes += [line for line in lines if INCLUDE.match(line)]
        lines = ["" if INCLUDE.match(line) else line for line in lines]
        if is_declaration(lines):
            close()
        elif not in_function:
            body.append(f"[[maybe_unused]] void run_{start}() {{")
            in_function = True
        body += [mark, *lines]
    if count:
        close("}")
        programs.append("\n".join([*dict.fromkeys(includes), PRELUDE, *body, ""]))
    return programs


def command_of(compiler):
    """The macro: without the library's own definitions, which each program would instantiate."""
    return [compiler, "-std=c++20", "-DPLACEMENT_COMPILED", f"-I{ROOT / 'include'}"]


def parsed_umbrella(compiler, folder):
    """Options that include the umbrella header, which is parsed once for all programs."""
    umbrella = pathlib.Path(folder) / "umbrella.hpp"
    umbrella.write_text("#include <placement/placement.hpp>\n")
    suffix = ".pch" if "clang" in pathlib.Path(compiler).name else ".gch"
    subprocess.run([*command_of(compiler), "-x", "c++-header", umbrella, "-o", f"{umbrella}{suffix}"], check=True)
    return ["-include", str(umbrella)]


def compiles(program, compiler, umbrella, folder):
    handle, path = tempfile.mkstemp(suffix=".cpp", dir=folder)
    with os.fdopen(handle, "w") as file:
        file.write(program)
    options = umbrella if UMBRELLA.search(program) and not BEFORE_UMBRELLA.search(program) else []
    command = [*command_of(compiler), *options, "-fsyntax-only", path]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def missing_headers(document, compiler):
    """The headers of other libraries that a document's code needs and this machine lacks."""
    needed = [other for ours, other in NEEDED_HEADERS.items() if f"<{ours}>" in document.read_text()]
    has = lambda header: not subprocess.run([compiler, "-E", "-x", "c++", "-"], input=f"#include <{header}>\n", text=True,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    return [header for header in needed if not has(header)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("documents", nargs="*", type=pathlib.Path, help="README.md and docs/**/*.md by default")
    arguments = parser.parse_args()
    documents = [path.resolve() for path in arguments.documents] or [
        path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]

    for path in list(documents):
        missing = missing_headers(path, arguments.compiler)
        if not missing:
            continue
        print(f"{path.relative_to(ROOT)}: not compiled, as this machine has no {' and '.join(missing)}: ./dev setup components")
        documents.remove(path)

    programs = [program for path in documents for program in programs_of(path)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        umbrella = parsed_umbrella(arguments.compiler, folder)
        results = list(pool.map(lambda program: compiles(program, arguments.compiler, umbrella, folder), programs))
    failures = [result.stdout for result in results if result.returncode]
    print("\n".join(failures), end="")
    print(f"{len(documents)} documents, {len(programs)} programs, {len(failures)} do not compile")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
