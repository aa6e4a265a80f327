#!/usr/bin/env python3
"""Print a link that opens a program in Compiler Explorer (godbolt.org), with the single header of this version.

usage: tools/compiler_explorer.py examples/compile_time/plan.cpp

The site's page downloads the header from the branch single-header of the repository, where a release puts it. The link has the
whole program in it, compressed: nothing is sent anywhere before somebody opens the link. The size of the header goes to stderr.
"""
import argparse
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = "https://godbolt.org/clientstate/"
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<(placement/[^>]+)>|"([^"]+)")')
LONGEST = 8000  # characters of a link; some servers and mail programs cut longer ones


def recipe_value(name):
    command = [sys.executable, ROOT / "tools/recipes.py", "--print", name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def header_url(repository, version):
    """Where a page of another site may read the header: release files of GitHub do not allow it, raw files do."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?", repository)
    if not found:
        sys.exit(f"{repository} is not on GitHub, so the header's address is unknown. Pass it by --header-url.")
    return f"https://raw.githubusercontent.com/{found[1]}/single-header/v{version}/placement.hpp"


def single_header():
    """The text of the single header, and the names of the headers in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "placement.hpp"
        subprocess.run([sys.executable, ROOT / "tools/amalgamate.py", "-o", path], check=True, stdout=subprocess.DEVNULL)
        text = path.read_text()
    return text, set(re.findall(r"^// ---- (placement/\S+)$", text, re.M))


def with_single_header(program, url, contained):
    """The program with one include of the single header instead of all includes of ours."""
    lines, included, options = [], False, []
    for number, line in enumerate(program.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and match[2]:
            sys.exit(f'line {number} includes "{match[2]}". A link has one file: copy what the program needs into it.')
        if match and match[1] == "placement/gradient.hpp":
            options = ["-DPLACEMENT_GRADIENTS"]  # before the header, as gradient.hpp does it
        elif match and match[1] not in contained:
            sys.exit(f"line {number} includes <{match[1]}>, which is no part of the single header.")
        if not match:
            lines.append(line)
        elif not included:
            lines.append(f"#include <{url}>")
            included = True
    if not included:
        sys.exit("the program includes no header of placement")
    return "\n".join(lines) + "\n", options


def link_of(source, compiler, options):
    state = {"sessions": [{
        "id": 1, "language": "c++", "source": source,
        "compilers": [{"id": compiler, "options": options}],
        "executors": [{"compiler": {"id": compiler, "libs": [], "options": options}}],
    }]}
    packed = zlib.compress(json.dumps(state, separators=(",", ":")).encode("ascii"), 9)
    return SITE + base64.urlsafe_b64encode(packed).decode("ascii")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="one C++ file")
    parser.add_argument("--compiler", default="g142", help="the site's id of a compiler (default: g142, which is g++ 14.2)")
    parser.add_argument("--options", default="-std=c++20 -O1", help="of the compiler, as --options=-std=c++23 (default: %(default)s)")
    parser.add_argument("--header-url", help="the address of another single header")
    arguments = parser.parse_args()
    if not arguments.program.is_file():
        sys.exit(f"there is no file {arguments.program}")

    header, contained = single_header()
    url = arguments.header_url or header_url(recipe_value("repository"), recipe_value("version"))
    source, more_options = with_single_header(arguments.program.read_text(), url, contained)
    link = link_of(source, arguments.compiler, " ".join([arguments.options, *more_options]))
    print(f"single header: {len(header.encode()):,} bytes, {header.count(chr(10)):,} lines, from {url}", file=sys.stderr)
    if "/OWNER/" in url:
        print("the header is not there: PLACEMENT_REPOSITORY in CMakeLists.txt is not set. Set it, or use --header-url.", file=sys.stderr)
    if len(link) > LONGEST:
        sys.exit(f"the link has {len(link):,} characters, more than {LONGEST:,}. Make the program shorter.")
    print(link)


if __name__ == "__main__":
    main()
