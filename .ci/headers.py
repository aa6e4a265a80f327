#!/usr/bin/env python3
"""Check that each header compiles as the only include of a file, without a warning.

usage: .ci/headers.py [INCLUDE_DIR]    (include, unless another folder is given)

clang reads all headers once, each as a part of one module. A part sees only what it includes, and not what was read before it. That
takes a twentieth of the time of a compiler process for each header. What clang finds counts if the header also fails alone, by
clang++ or by g++. Every 32nd header is compiled alone by g++ in each case. The preset dev, in nightly runs, does that for all of them.

A file with all of them, which contains the definitions, is compiled by both compilers: two entities of one name in a
definition are an error there, although no header of the module includes both.

The headers of the standard library and of POSIX are one module, so a missing include of those is found by nightly runs only.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "headers"
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow".split()
COMPILE = ["-std=c++20", "-O0", *WARNINGS]
GXX = ["g++", *COMPILE, "-Wuseless-cast", "--param=ggc-min-heapsize=1000000", "-Winvalid-pch"]
CLANG = ["clang++-19", *COMPILE]
STEP = 32
# The file of a finding, and those that include it. Two entities of one name are an error in a module, although no file includes both.
BLAMED = re.compile(r"^(?:In file included from )?(?P<file>/[^\s:]+):\d+:", re.M)


def headers(include):
    """The headers that need neither a toolkit nor another library, relative to `include`."""
    text = (ROOT / "CMakeLists.txt").read_text()
    components = re.search(r"set\(component_headers\s(.*?)\)", text, re.S)[1].split()
    needs_library = re.compile(r"placement/(src/cuda|lapack|fft)[./]")
    found = sorted(str(path.relative_to(include)) for path in include.glob("placement/**/*.[hi]pp"))
    return [name for name in found if f"include/{name}" not in components and not needs_library.match(name)]


def other_headers(include, names):
    """The headers of the standard library and the system that these include."""
    found = set()
    for name in names:
        found |= set(re.findall(r"^ *# *include <((?!placement/)[^>]+)>", (include / name).read_text(), re.M))
    return sorted(found)


def path_in(folders, name):
    return next((folder / name for folder in folders if (folder / name).exists()), None)


def folders_of_clang():
    """The folders that clang++ searches, in their order."""
    log = subprocess.run(["clang++-19", "-E", "-v", "-x", "c++", os.devnull], check=True, capture_output=True, text=True).stderr
    return [pathlib.Path(line.strip()) for line in log.split("search starts here:")[-1].split("End of")[0].splitlines() if line.strip()]


def read_as_module(include, names, others):
    """What clang reports on the headers as parts of one module."""
    system = [path for path in (path_in(folders_of_clang(), name) for name in others) if path]
    lines = ["module system_headers [system] {", *(f'  header "{path}"' for path in system), "  export *", "}", "module placement {"]
    lines += [f'  module part_{index} {{ header "{include / name}" export * }}' for index, name in enumerate(names)]
    map_of_modules = FOLDER / "module.modulemap"
    map_of_modules.write_text("\n".join([*lines, "}", ""]))
    # Without a new folder, clang would use the system's headers of an earlier run, which is not much faster.
    shutil.rmtree(FOLDER / "modules", ignore_errors=True)
    done = subprocess.run(
        [*CLANG, f"-I{include}", "-ferror-limit=0", "-fmodules", "-fno-implicit-module-maps", f"-fmodule-map-file={map_of_modules}",
         f"-fmodules-cache-path={FOLDER / 'modules'}", "-Xclang", "-fmodules-local-submodule-visibility", "-fmodule-name=placement",
         "-x", "c++", "-Xclang", "-emit-module", "-c", str(map_of_modules), "-o", str(FOLDER / "placement.pcm")],
        capture_output=True, text=True, cwd=FOLDER)
    return done.returncode, done.stderr


def precompile(others):
    """One file with the system's headers for g++, which halves its time. Returns its path."""
    header = FOLDER / "system.hpp"
    text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in others)
    parsed = FOLDER / "system.hpp.gch"
    if not parsed.exists() or header.read_text() != text:
        header.write_text(text)
        subprocess.run([*GXX, "-x", "c++-header", str(header), "-o", str(parsed)], check=True)
    return header


def alone(compiler, include, name):
    """What the compiler reports on a file that includes only this header."""
    file = FOLDER / f"{name.replace('/', '_')}_{compiler[0]}.cpp"
    file.write_text(f"#include <{name}>\n")
    done = subprocess.run([*compiler, "-Werror", f"-I{include}", "-fsyntax-only", str(file)], capture_output=True, text=True)
    file.unlink()
    return f"{compiler[0]}: a file that includes only {name}\n{done.stderr}" if done.returncode else ""


def together(compiler, include, names):
    """What the compiler reports on one file of headers alone that includes all of them."""
    file = FOLDER / f"together_{compiler[0]}.cpp"
    all_names = ["placement/gradient.hpp", *(name for name in names if name.endswith(".hpp"))]
    file.write_text("".join(f"#include <{name}>\n" for name in all_names))
    done = subprocess.run([*compiler, "-Werror", f"-I{include}", "-fsyntax-only", str(file)], capture_output=True, text=True)
    return f"{compiler[0]}: a file that includes all headers\n{done.stderr}" if done.returncode else ""


def main(include):
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = headers(include)
    others = other_headers(include, names)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        module = pool.submit(read_as_module, include, names, others)
        by_gxx = [*GXX, "-include", str(precompile(others))]
        all_in_one = [pool.submit(together, compiler, include, names) for compiler in (GXX, CLANG)]
        tasks = [pool.submit(alone, by_gxx, include, name) for name in names[::STEP]]
        status, report = module.result()
        suspects = {match["file"] for match in BLAMED.finditer(report)}
        again = [name for name in names if str(include / name) in suspects]
        if status and not again:  # no header is to blame, so the module is no check
            print(report)
            return 1
        tasks += [pool.submit(alone, CLANG, include, name) for name in again]
        tasks += [pool.submit(alone, by_gxx, include, name) for name in again if name not in names[::STEP]]
        found = [text for text in (task.result() for task in [*all_in_one, *tasks]) if text]
    print(f"{len(names)} headers in one module, {len(tasks)} compilations of one header")
    print("".join(found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else ROOT / "include").resolve()))
