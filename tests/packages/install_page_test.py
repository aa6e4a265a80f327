#!/usr/bin/env python3
"""Configure each block of CMake in docs/install.md as a project, offline, and build the page's program by its command lines.

usage: install_page_test.py --source DIR --build DIR --compiler COMPILER

The program's output must be the page's. Its commands of packages are tests of their own, see packages.py.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys


def run(*command, cwd, **environment):
    print("+", *command, flush=True)
    result = subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **environment}, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}\nfailed: {command}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    source, build = arguments.source, arguments.build
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)

    page = (source / "docs/install.md").read_text()
    blocks = {}
    for kind, text in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S):
        blocks.setdefault(kind, []).append(text)
    (program,) = blocks["cpp"]
    expected = next(text for text in blocks["text"] if text.startswith("$ PLACEMENT_SIMULATED_GPUS=1 ./program\n")).partition("\n")[2]

    def folder_of(name):
        folder = build / name
        folder.mkdir()
        (folder / "program.cpp").write_text(program)
        return folder

    prefix = build / "prefix"
    run("cmake", "-S", source, "-B", build / "plain", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={arguments.compiler}", cwd=build)
    run("cmake", "--install", build / "plain", "--prefix", prefix, cwd=build)

    # Each block of CMake is configured. The include path of the program must be that of this source or of its installation.
    for number, block in enumerate(blocks["cmake"]):
        project = folder_of(f"cmake_{number}")
        (project / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES CXX)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n{block}")
        (project / "third_party").mkdir()
        (project / "third_party/placement").symlink_to(source)
        run("cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
            f"-DFETCHCONTENT_SOURCE_DIR_PLACEMENT={source}", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=None", cwd=project)
        of_installation = "find_package(placement" in block
        include = prefix / "include" if of_installation else project / "third_party/placement/include"
        commands = (project / "build/compile_commands.json").read_text()
        if str(include) not in commands and (of_installation or str(source / "include") not in commands):
            sys.exit(f"the program of block {number} is not compiled with {include}:\n{block}\n{commands}")

    # The command lines of g++: with this test's compiler, without optimisation.
    lines = [line for block in blocks["sh"] for line in block.splitlines() if line.startswith("g++ ")]
    assert len(lines) == 5, lines
    project = folder_of("command_lines")
    (project / "other.cpp").write_text("#include <placement/placement.hpp>\n")
    for line in lines:
        line = line.replace("g++ ", f"{arguments.compiler} ", 1).replace("<clone>", str(source)).replace(" -O2", "")
        run("sh", "-ec", line, cwd=project, PKG_CONFIG_PATH=str(prefix / "share/pkgconfig"))
        if line.endswith("-o program"):
            printed = run("./program", cwd=project, PLACEMENT_SIMULATED_GPUS="1")
            if printed != expected:
                sys.exit(f"the program prints\n{printed}not\n{expected}")

    # Each script that the page names is there.
    for script in re.findall(r"(?:<clone>/|^)((?:tools|packaging|cmake)/[\w./]+)", page, re.M):
        if not (source / script).exists():
            sys.exit(f"docs/install.md names {script}, which does not exist")
    print(f"{len(blocks['cmake'])} projects and {len(lines)} command lines of docs/install.md")


if __name__ == "__main__":
    main()
