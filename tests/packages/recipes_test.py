#!/usr/bin/env python3
"""Test tools/recipes.py: it finds each recipe of another version or address and each that does not parse, and --update mends them.

usage: recipes_test.py --source DIR --build DIR --compiler COMPILER
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

READ = ["CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "docs/install.md", "include/placement/version.hpp", "dev", ".ci", ".github",
        ".devcontainer", "packaging", "tools"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--compiler")
    arguments = parser.parse_args()
    root = arguments.build

    def fresh():
        shutil.rmtree(root, ignore_errors=True)
        for name in READ:
            copy = shutil.copytree if (arguments.source / name).is_dir() else shutil.copy
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            copy(arguments.source / name, root / name)

    def recipes(*options):
        command = [sys.executable, arguments.source / "tools/recipes.py", "--root", root, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def replace(name, old, new):
        text = (root / name).read_text()
        assert old in text, (name, old)
        (root / name).write_text(text.replace(old, new))

    fresh()
    clean = recipes()
    assert clean.returncode == 0, clean.stdout
    version, repository = (recipes("--print", what).stdout.strip() for what in ("version", "repository"))
    places = int(re.search(r" in (\d+) places", clean.stdout)[1])

    # Another version and another address: a finding for each place. --update mends all of them.
    (root / "include/placement/version.hpp").write_text("".join(
        f"#define PLACEMENT_VERSION_{part} {number}\n" for part, number in (("MAJOR", 12), ("MINOR", 34), ("PATCH", 56))))
    replace("CMakeLists.txt", f"set(PLACEMENT_REPOSITORY {repository})", "set(PLACEMENT_REPOSITORY https://code.test/arrays)")
    found = recipes()
    lines = found.stdout.splitlines()
    assert found.returncode == 1 and len(lines) >= places, found.stdout
    assert sum(f": {version}, but the project has 12.34.56." in line for line in lines) == 11, found.stdout
    assert sum(", but the project has 12.34." in line for line in lines) == 13, found.stdout
    assert sum(f": {repository}, but the project has https://code.test/arrays." in line for line in lines) >= 8, found.stdout
    assert recipes("--update").returncode == 0
    mended = recipes()
    assert mended.returncode == 0 and "version 12.34.56 and https://code.test/arrays" in mended.stdout, mended.stdout
    assert not [name for name in ("CITATION.cff", "docs/install.md", "packaging/meson/placement.wrap") if version in
                re.sub(r"cff-version.*", "", (root / name).read_text())]

    # One fault each.
    faults = [
        ("packaging/vcpkg/placement/vcpkg.json", '"dependencies": [', '"dependencies": [,', "vcpkg.json: "),
        ("packaging/vcpkg/placement/vcpkg.json", '  "version": ', '  "version-string": ', "vcpkg.json: nothing matches"),
        ("packaging/conan/conanfile.py", "def layout(self):", "def layout(self)", "conanfile.py:"),
        ("packaging/release.sh", "die() {", "die() { (", "release.sh: "),
        (".devcontainer/devcontainer.json", "}", "", "devcontainer.json: "),
    ]
    if "YAML is not parsed" not in clean.stdout:
        faults += [
            ("CITATION.cff", "authors:", "writers:", "CITATION.cff: lacks authors"),
            ("CITATION.cff", "title: placement", "title: [placement", "CITATION.cff: "),
            (".github/workflows/ci.yml", "runs-on:", "runs:", "ci.yml: run lacks runs-on"),
            (".github/workflows/ci.yml", "run: .ci/run", "run: .ci/walk", "run runs .ci/walk, which is no executable file"),
            (".github/ISSUE_TEMPLATE/bug.yml", "id: info", "id: version", "bug.yml: a field has no id, or the id of another"),
            (".github/ISSUE_TEMPLATE/question.yml", "type: input", "type: line", "question.yml: the field read has no label"),
        ]
    for name, old, new, message in faults:
        fresh()
        replace(name, old, new)
        found = recipes()
        assert found.returncode == 1 and message in found.stdout, (name, old, found.stdout)

    fresh()
    (root / "packaging/meson/placement.wrap").unlink()
    assert "placement.wrap: there is no such file" in recipes().stdout
    print(f"{places} places of versions and addresses, and {len(faults)} faults")


if __name__ == "__main__":
    main()
