#!/usr/bin/env python3
"""Test tools/compiler_explorer.py: its links hold the program, and this compiles as the site compiles it.

usage: compiler_explorer_test.py --source DIR --build DIR --compiler COMPILER
"""
import argparse
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zlib


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.build, ignore_errors=True)
    arguments.build.mkdir(parents=True)

    def link_of(program, *options):
        command = [sys.executable, arguments.source / "tools/compiler_explorer.py", program, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def written(name, text):
        path = arguments.build / name
        path.write_text(text)
        return path

    def state_of(result):
        assert result.returncode == 0, result.stderr
        prefix, packed = result.stdout.strip().rsplit("/", 1)
        assert prefix == "https://godbolt.org/clientstate", prefix
        (session,) = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed)))["sessions"]
        return session

    # A link has the program, and the header's size is reported.
    program = arguments.source / "examples/compile_time/plan.cpp"
    result = link_of(program)
    session = state_of(result)
    found = re.search(r"^#include <(https://\S+/single-header/v[\d.]+/placement\.hpp)>$", session["source"], re.M)
    assert found, session["source"][:400]
    assert session["source"].replace(found[0], "#include <placement/placement.hpp>") == program.read_text()
    size = re.search(r"^single header: ([\d,]+) bytes, [\d,]+ lines, from (\S+)$", result.stderr, re.M)
    assert size and size[2] == found[1], result.stderr

    # The site saves the header beside the program, and replaces the address by the file's name. With gradients, one more option.
    header = arguments.build / "placement.hpp"
    subprocess.run([sys.executable, arguments.source / "tools/amalgamate.py", "-o", header], check=True)
    assert size[1] == f"{header.stat().st_size:,}", (size[1], header.stat().st_size)
    recorded = (arguments.source / "tests/consumers/recorded.cpp").read_text()
    recorded = "#include <placement/gradient.hpp>\n#include <placement/shape/extents.hpp>\n" + recorded
    for name, session in (("plan", session), ("recorded", state_of(link_of(written("recorded.cpp", recorded))))):
        (compiler,) = session["compilers"]
        assert session["language"] == "c++" and session["executors"][0]["compiler"]["options"] == compiler["options"]
        assert ("-DPLACEMENT_GRADIENTS" in compiler["options"]) == (name == "recorded"), compiler
        assert session["source"].count("single-header") == 1, session["source"]
        source = re.sub(r"<https://\S+>", '"placement.hpp"', session["source"])
        command = [arguments.compiler, *compiler["options"].split(), "-fsyntax-only", written(f"{name}_here.cpp", source)]
        subprocess.run(command, check=True)

    assert state_of(link_of(program, "--compiler", "clang1910", "--options=-std=c++23"))["compilers"] == [
        {"id": "clang1910", "options": "-std=c++23"}]
    assert "<https://here.test/p.hpp>" in state_of(link_of(program, "--header-url", "https://here.test/p.hpp"))["source"]

    # A program that a link cannot hold is an error that names the line or the length.
    for text, message in (
            ("#include <vector>\nint main() {}\n", "includes no header of placement"),
            ("\n#include <placement/nn.hpp>\n", "line 2 includes <placement/nn.hpp>, which is no part of the single header"),
            ('#include <placement/placement.hpp>\n#include "mine.hpp"\n', 'line 2 includes "mine.hpp"'),
            ("#include <placement/placement.hpp>\n// " + "".join(chr(33 + i * i * 7919 % 9311 % 89) for i in range(40000)),
             "characters, more than 8,000")):
        result = link_of(written("rejected.cpp", text))
        assert result.returncode and message in result.stderr and not result.stdout, (message, result)
    result = link_of(arguments.build / "nowhere.cpp")
    assert result.returncode and "there is no file" in result.stderr, result
    print("the links hold the programs, and these compile")


if __name__ == "__main__":
    main()
