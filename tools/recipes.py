#!/usr/bin/env python3
"""Compare the version and the repository's address in all recipes, and parse the recipes and what GitHub reads.

The version is defined in include/placement/version.hpp, and the address in CMakeLists.txt (PLACEMENT_REPOSITORY). --update writes
both into the recipes and docs. YAML is parsed where Python has PyYAML; without it a line says that this was skipped.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

# (file, pattern): each match's only group must be the version.
VERSIONS = [
    ("CITATION.cff", r"^version: (.*)$"),
    ("CHANGELOG.md", r"\A(?:(?!^## )[^\n]*\n)*## (\S+) - "),
    ("packaging/conan/conanfile.py", r'^    version = "(.*)"$'),
    ("packaging/meson/packagefiles/placement/meson.build", r"^project\('placement', 'cpp', version: '(.*?)'"),
    ("packaging/meson/placement.wrap", r"^revision = v(.*)$"),
    ("packaging/spack/spack_repo/placement/packages/placement/package.py", r'^    version\("([0-9.]+)"'),
    ("packaging/spack/spack_repo/placement/packages/placement/package.py", r'^    version\("[0-9.]+", tag="v(.*)"\)$'),
    ("packaging/vcpkg/placement/vcpkg.json", r'^  "version": "(.*)",$'),
    ("docs/install.md", r"^  GIT_TAG v(\S+)\)$"),
    ("docs/install.md", r"^placement (\S+) on /GPU:0"),
    ("docs/install.md", r"`placement/(\d+\.\d+\.\d+)`"),
]
# The same for major and minor, which find_package compares.
MINOR_VERSIONS = [
    ("docs/install.md", r"^find_package\(placement (\S+) "),
]
# The same for the address. Text after it belongs to no group.
REPOSITORIES = [
    (".github/ISSUE_TEMPLATE/config.yml", r"^    url: (\S+)/security/advisories/new$"),
    ("CITATION.cff", r"^repository-code: (.*)$"),
    ("CITATION.cff", r"^license-url: (\S+)/blob/main/LICENSE$"),
    ("packaging/conan/conanfile.py", r'^    url = "(.*)"$'),
    ("packaging/meson/placement.wrap", r"^url = (.*)$"),
    ("packaging/spack/spack_repo/placement/packages/placement/package.py", r'^    (?:homepage|git) = "(.*)"$'),
    ("packaging/vcpkg/placement/vcpkg.json", r'^  "homepage": "(.*)",$'),
    ("docs/install.md", r"^  GIT_REPOSITORY (\S+)$"),
]
SHELL = ["packaging/release.sh", "packaging/push_single_header.sh"]
JSON = [".devcontainer/devcontainer.json", "packaging/vcpkg/placement/vcpkg.json"]
# What the readers of each file need.
REQUIRED = {
    ".github/workflows/*.yml": ["name", "on", "permissions", "jobs"],
    ".github/ISSUE_TEMPLATE/[!c]*.yml": ["name", "description", "body"],
    ".github/ISSUE_TEMPLATE/config.yml": ["blank_issues_enabled", "contact_links"],
    "CITATION.cff": ["cff-version", "message", "title", "authors", "version"],
    "packaging/spack/spack_repo/placement/repo.yaml": ["repo"],
}


def version_of(root):
    parts = re.findall(r"#define PLACEMENT_VERSION_\w+ (\d+)", (root / "include/placement/version.hpp").read_text())
    if len(parts) != 3:
        sys.exit("include/placement/version.hpp does not define the three parts of a version")
    return ".".join(parts)


def repository_of(root):
    found = re.search(r"^set\(PLACEMENT_REPOSITORY (https://\S+)\)$", (root / "CMakeLists.txt").read_text(), re.M)
    if not found:
        sys.exit("CMakeLists.txt has no line set(PLACEMENT_REPOSITORY https://...)")
    return found[1]


def check_field(root, name, pattern, expected, update):
    """Compares each match of the pattern, or replaces it."""
    path = root / name
    if not path.is_file():
        yield f"{name}: there is no such file"
        return
    text = path.read_text()
    matches = list(re.finditer(pattern, text, re.M))
    if not matches:
        yield f"{name}: nothing matches {pattern}"
    for match in reversed(matches):
        if match[1] == expected:
            continue
        if update:
            text = text[:match.start(1)] + expected + text[match.end(1):]
            path.write_text(text)
            print(f"{name}: {match[1]} -> {expected}")
        else:
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"{name}:{line}: {match[1]}, but the project has {expected}. Run tools/recipes.py --update"


def check_yaml(root):
    for pattern, keys in REQUIRED.items():
        paths = sorted(root.glob(pattern))
        if not paths:
            yield f"{pattern}: there is no such file"
        for path in paths:
            name = path.relative_to(root)
            try:
                content = yaml.safe_load(path.read_text())
            except yaml.YAMLError as error:
                yield f"{name}: {' '.join(str(error).split())}"
                continue
            if not isinstance(content, dict):
                yield f"{name}: is no mapping"
                continue
            # YAML 1.1 reads the key `on` as true.
            missing = [key for key in keys if key not in content and not (key == "on" and True in content)]
            if missing:
                yield f"{name}: lacks {', '.join(missing)}"
            elif "jobs" in keys:
                yield from check_workflow(root, name, content)
            elif "body" in keys:
                yield from check_form(name, content["body"])


def check_workflow(root, name, content):
    """Each job runs on something, and each script of ours that it runs is in the repository and executable."""
    for title, job in content["jobs"].items():
        if "runs-on" not in job or not job.get("steps"):
            yield f"{name}: {title} lacks runs-on or steps"
        for step in job.get("steps", []):
            if ("run" in step) == ("uses" in step):
                yield f"{name}: a step of {title} has not one of run and uses"
            for script in re.findall(r"(?:^|\s)(?:\./)?((?:\.ci|packaging|tools)/[\w./]+|dev(?= setup| info))", step.get("run", "")):
                path = root / script
                if "build/" not in script and not (path.is_file() and path.stat().st_mode & 0o111):
                    yield f"{name}: {title} runs {script}, which is no executable file"


def check_form(name, body):
    ids = [field.get("id") for field in body]
    if None in ids or len(set(ids)) != len(ids):
        yield f"{name}: a field has no id, or the id of another"
    for field in body:
        if field.get("type") not in ("textarea", "input", "dropdown", "checkboxes") or "label" not in field.get("attributes", {}):
            yield f"{name}: the field {field.get('id')} has no label, or an unknown type"


def check_syntax(root):
    for name in JSON:
        try:
            json.loads((root / name).read_text())
        except (OSError, ValueError) as error:
            yield f"{name}: {error}"
    for path in sorted((root / "packaging").rglob("*.py")):
        try:
            compile(path.read_text(), str(path.relative_to(root)), "exec")
        except SyntaxError as error:
            yield f"{path.relative_to(root)}:{error.lineno}: {error.msg}"
    for name in SHELL:
        result = subprocess.run(["bash", "-n", root / name], capture_output=True, text=True, check=False)
        if result.returncode:
            yield f"{name}: {result.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write version and address into the recipes")
    parser.add_argument("--print", choices=["version", "repository"], dest="printed", help="print one of them and end")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent, help="of the project")
    arguments = parser.parse_args()
    root = arguments.root
    version, repository = version_of(root), repository_of(root)
    if arguments.printed:
        print(version if arguments.printed == "version" else repository)
        return 0

    found = []
    all_fields = ((VERSIONS, version), (MINOR_VERSIONS, version.rpartition(".")[0]), (REPOSITORIES, repository))
    for fields, expected in all_fields:
        for name, pattern in fields:
            found += check_field(root, name, pattern, expected, arguments.update)
    found += check_syntax(root)
    if yaml:
        found += check_yaml(root)
    else:
        print("YAML is not parsed: this Python has no PyYAML")
    print("\n".join(found) if found else
          f"version {version} and {repository} in {sum(len(fields) for fields, _ in all_fields)} places of recipes and docs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
