#!/usr/bin/env python3
"""Build the site in build/site/html from README.md, docs/, the examples and the comments of the headers.

usage: tools/site/build.py [--fast]     (--fast: without the pages of the API)

Needs Sphinx with MyST and the theme Furo, and Doxygen: `./dev setup docs` installs them, and `./dev docs` calls this.
PLACEMENT_REPOSITORY is the address of the repository, for a link to it; without it the site has none. A link to a
source file leads to a page with its text, so the site is complete without a network. Each page of docs/ is in the
navigation below. Warnings are errors: a link to a page or heading that is not there, a page outside the navigation.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import api
import links

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tools/site"
OUT = ROOT / "build/site"

# Pages by their names on the site, in their order. A name that ends in ? may be missing.
NAVIGATION = {
    "Start": ["install", "tour", "guide", "examples", "cookbook"],
    "Use": ["devices_and_scopes", "memory", "expressions", "shapes_and_types", "ops", "linear_algebra", "other_libraries", "math", "files", "tracing", "debugging", "messages"],
    "Train": ["gradients", "gradients_table", "nn", "parallel", "tasks"],
    "Compare": ["from_tensorflow_and_pytorch", "from_numpy", "from_eigen"],
    "Speed": ["performance", "performance_tables", "speed_of_ops", "compile_time", "cpu", "assembly"],
    "GPUs": ["cuda", "gpu", "gpu_kernels"],
    "Reference": ["api/index", "one_program", "versioning", "glossary", "changelog"],
    "Design": ["life_of_an_expression", "adding_an_op", "contributing", "decisions/README"],
}
# Pages from outside of docs/.
ELSEWHERE = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
             "examples/README.md": "examples.md"}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cuh": "cuda", ".cu": "cuda", ".ipp": "cpp", ".py": "python", ".md": "markdown"}
CODE = re.compile(r"(^```.*?^```[ ]*$|`[^`\n]*`)", re.S | re.M)
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def site_name(path):
    """The page of a file of the repository, or None."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if path.startswith("docs/"):  # pages and pictures
        return path.removeprefix("docs/")
    return None


class Pages:
    """The pages in build/site/pages, and the source files that they link to."""

    def __init__(self, folder):
        self.folder, self.sources, self.wrong = folder, set(), []
        shutil.rmtree(folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def target(self, page, source, link):
        """A link of the file `source`, as a link of the page `page`."""
        if re.match(r"[a-z]+:|#", link):
            return link
        path, _, anchor = link.partition("#")
        file = (source.parent / path).resolve()
        if not file.exists() or not file.is_relative_to(ROOT):
            self.wrong.append(f"{source.relative_to(ROOT)}: there is no {link}")
            return link
        name = str(file.relative_to(ROOT))
        if file.is_dir():
            name = str((file / "README.md").relative_to(ROOT)) if (file / "README.md").exists() else "examples/README.md"
        to = site_name(name)
        if to is None:
            self.sources.add(name)
            to = f"source/{name}.md"
        return os.path.relpath(to, pathlib.Path(page).parent) + ("#" + anchor if anchor else "")

    def copy(self, source):
        page = site_name(str(source.relative_to(ROOT)))
        text = source.read_text()
        pieces = CODE.split(text)
        pieces[::2] = [LINK.sub(lambda m: m[1] + self.target(page, source, m[2]) + m[3], p) for p in pieces[::2]]
        # Pygments calls the syntax of Intel nasm.
        self.write(page, "".join(pieces).replace("```asm\n", "```nasm\n") + extra_of(page))

    def write_sources(self):
        # A page in source/ has no other links, and stands in no list but that of the sources.
        names = sorted(self.sources)
        for name in names:
            language = LANGUAGES.get(pathlib.Path(name).suffix, "text")
            fence = "``````"
            self.write(f"source/{name}.md", f"# {name}\n\n{fence}{{code-block}} {language}\n{(ROOT / name).read_text()}\n{fence}\n")
        self.write("source/index.md", "# Sources\n\nThe files that pages of this site link to.\n\n```{toctree}\n" +
                   "\n".join(f"{name}.md" for name in names) + "\n```\n")


def extra_of(page):
    """What a page has on the site only: the navigation."""
    if page == "index.md":
        lists = [f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(present(names)) + "\n```"
                 for title, names in NAVIGATION.items()]
        return "\n" + "\n\n".join(lists) + "\n"
    if page == "decisions/README.md":
        names = sorted(p.stem for p in (ROOT / "docs/decisions").glob("[0-9]*.md"))
        return "\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n"
    return ""


def present(names):
    for name in names:
        optional, name = name.endswith("?"), name.rstrip("?")
        if not optional or (ROOT / f"docs/{name}.md").exists():
            yield name
    if "changelog" in names:
        yield "source/index"


def doxygen():
    """The folder with Doxygen's XML."""
    folder = OUT / "doxygen"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = (HERE / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
    subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, text=True, check=True, stderr=subprocess.DEVNULL)
    return folder / "xml"


def main():
    fast = sys.argv[1:] == ["--fast"]
    if sys.argv[1:] and not fast:
        sys.exit(__doc__)
    pages = Pages(OUT / "pages")
    for path in [*(ROOT / name for name in ELSEWHERE), *sorted((ROOT / "docs").rglob("*.md"))]:
        pages.copy(path)
    shutil.copytree(ROOT / "docs/images", pages.folder / "images")
    if fast:
        pages.write("api/index.md", "# API\n")
    else:
        for name, text in api.pages(doxygen(), ROOT / "include").items():
            pages.write(name, text)
    pages.write_sources()
    if pages.wrong:
        sys.exit("\n".join(pages.wrong))

    shutil.rmtree(OUT / "html", ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q", "-j", "auto", "-c", str(HERE),
               "-d", str(OUT / "cache"), str(pages.folder), str(OUT / "html")]
    if status := subprocess.run(command, check=False).returncode:
        return status
    (OUT / "html/.nojekyll").touch()  # GitHub's pages leave out folders such as _static otherwise
    return links.main(OUT / "html", OUT / "outside_links.txt")


if __name__ == "__main__":
    sys.exit(main())
