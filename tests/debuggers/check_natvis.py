#!/usr/bin/env python3
"""usage: check_natvis.py ROOT

Check tools/debuggers/placement.natvis: it is XML, each type is in a header under the namespace of this version, and each member
that an expression names is declared in a header of those types.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(sys.argv[1])
HEADERS = {path: path.read_text() for path in sorted((ROOT / "include").rglob("*.hpp"))}
NAMESPACE = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
NO_MEMBERS = {"int", "sizeof", "nullptr", "s"}  # words of expressions, and natvis's format for a text


def headers_of(name):
    """The headers that define a class."""
    pattern = re.compile(rf"^(template <[^;{{]*?)?\s*(struct|class)( alignas\(\d+\))?( \[\[[^\]]*\]\])? {name}\b[^;]*?{{", re.M)
    return [path for path, text in HEADERS.items() if pattern.search(text)]


def expressions_of(type_):
    """The expressions of a type's view: in braces in a DisplayString, whole elsewhere."""
    for node in type_.iter():
        text = (node.text or "").strip()
        if node.tag == NAMESPACE + "DisplayString":
            yield from re.findall(r"\{([^}]*)\}", text)
        elif text:
            yield text
        if "Condition" in node.attrib:
            yield node.attrib["Condition"]


def members_in(expression):
    words = re.findall(r"\$?[A-Za-z_]\w*", expression)
    return {w for w in words if not w.startswith("$") and w not in NO_MEMBERS}


def declares(text, member):
    """Whether a header declares a data member of this name."""
    return re.search(rf"^\s+[^/;()=]*[\s*&>]{member}(\[[^;]*\])?(\{{.*\}}| = .*)?;", text, re.M) is not None


def main():
    version = re.search(r"inline namespace (\w+)", (ROOT / "include/placement/fwd.hpp").read_text())[1]
    types = list(ElementTree.parse(ROOT / "tools/debuggers/placement.natvis").getroot().iter(NAMESPACE + "Type"))
    wrong, texts = [], []
    for type_ in types:
        name = type_.attrib["Name"]
        match = re.fullmatch(rf"placement::{version}::(?:detail::)?(\w+)(<\*>)?", name)
        headers = headers_of(match[1]) if match else []
        if not headers:
            wrong.append(f"{name}: no header defines it in placement::{version}")
        texts += [HEADERS[path] for path in headers]
    texts.append((ROOT / "include/placement/memory/buffer.hpp").read_text())
    for type_ in types:
        for expression in expressions_of(type_):
            for member in sorted(members_in(expression)):
                if not any(declares(text, member) for text in texts):
                    wrong.append(f"{type_.attrib['Name']}: no member {member}, in '{expression}'")
    print("\n".join(wrong) or f"{len(types)} types, all members found")
    return 1 if wrong or not types else 0


sys.exit(main())
