#!/usr/bin/env python3
"""Test packaging/release.sh and push_single_header.sh on a repository of this source, with an address and a date of its own.

usage: release_test.py --source DIR --build DIR --compiler COMPILER
"""
import argparse
import pathlib
import shutil
import subprocess
import tarfile

FILES = ["CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "LICENSE", "docs/install.md", "dev", ".ci", ".github", ".devcontainer", "cmake",
         "include", "packaging", "tools"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--compiler")
    arguments = parser.parse_args()
    if missing := [name for name in ("git", "cpack", "dpkg-deb") if not shutil.which(name)]:
        print(f"skipped: no {', '.join(missing)}")
        return
    shutil.rmtree(arguments.build, ignore_errors=True)
    root = arguments.build / "repository"
    for name in FILES:
        copy = shutil.copytree if (arguments.source / name).is_dir() else shutil.copy
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        copy(arguments.source / name, root / name)

    def run(*command, fails_with=None):
        result = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if fails_with is None:
            assert result.returncode == 0, (command, result.stdout)
        else:
            assert result.returncode and fails_with in result.stdout, (command, result.stdout)
        return result.stdout

    def replace(name, old, new):
        text = (root / name).read_text()
        assert old in text, (name, old)
        (root / name).write_text(text.replace(old, new, 1))

    def commit():
        run("git", "add", ".")
        run("git", "commit", "--quiet", "-m", "Change")

    (root / ".gitignore").write_text("/build/\n__pycache__/\n")
    run("git", "init", "--quiet")
    for key, value in (("user.name", "test"), ("user.email", "test@test.invalid")):
        run("git", "config", key, value)
    commit()
    version, address = (run("tools/recipes.py", "--print", what).strip() for what in ("version", "repository"))
    (heading,) = [line for line in (root / "CHANGELOG.md").read_text().splitlines() if line.startswith(f"## {version} - ")]

    # Nothing is made while something is wrong.
    replace("CMakeLists.txt", address, "https://github.com/OWNER/placement")
    run("tools/recipes.py", "--update")
    run("packaging/release.sh", fails_with="PLACEMENT_REPOSITORY in CMakeLists.txt is https://github.com/OWNER/placement")
    replace("CMakeLists.txt", "https://github.com/OWNER/placement", "https://github.com/test/arrays")
    run("packaging/release.sh", fails_with="the project has https://github.com/test/arrays")
    run("tools/recipes.py", "--update")
    run("packaging/release.sh", "v99.0.0", fails_with=f"the tag is v99.0.0, but include/placement/version.hpp has {version}")
    replace("CHANGELOG.md", heading, f"## {version} - unreleased")
    run("packaging/release.sh", fails_with=f"CHANGELOG.md has no heading '## {version} - <year>-<month>-<day>'")
    run("packaging/push_single_header.sh", "v1", str(root), fails_with="Run packaging/release.sh first")
    assert not (root / "build").exists()

    # The files of a release, with their checksums.
    replace("CHANGELOG.md", f"## {version} - unreleased", f"## {version} - 2000-01-01")
    commit()
    run("packaging/release.sh", f"v{version}")
    files = root / "build/release/files"
    names = {path.name for path in files.iterdir()}
    assert names == {f"placement-{version}.tar.gz", f"libplacement-dev_{version}_all.deb", "placement.hpp", "SHA512SUMS"}, names
    run("sh", "-c", "cd build/release/files && sha512sum --quiet --check SHA512SUMS")
    with tarfile.open(files / f"placement-{version}.tar.gz") as archive:
        members = archive.getnames()
    assert f"placement-{version}/include/placement/placement.hpp" in members
    assert all(member.split("/")[0] == f"placement-{version}" for member in members)
    notes = (root / "build/release/NOTES.md").read_text()
    assert notes.strip() and "\n## " not in notes and notes in (root / "CHANGELOG.md").read_text()

    # The branch of single headers keeps those of other versions, and the repository stays as it was.
    remote = arguments.build / "remote.git"
    run("git", "init", "--quiet", "--bare", str(remote))
    before = run("git", "branch", "--all"), run("git", "status", "--short"), run("git", "worktree", "list")
    for tag in ("v0.0.1", "v0.0.1", f"v{version}"):
        run("packaging/push_single_header.sh", tag, str(remote))
    listed = run("git", f"--git-dir={remote}", "ls-tree", "-r", "--name-only", "single-header").split()
    assert listed == sorted(["v0.0.1/placement.hpp", f"v{version}/placement.hpp"]), listed
    assert run("git", f"--git-dir={remote}", "rev-list", "--count", "single-header").strip() == "2"
    assert before == (run("git", "branch", "--all"), run("git", "status", "--short"), run("git", "worktree", "list"))
    print(f"a release of {version}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
