#!/usr/bin/env python3
"""docs/messages.md: every message that the library can throw, with its remedy, from the sources.

usage: tools/messages.py [--update]     (without it: ends with 1 if the page is not up to date)

A message is the text of a `throw` in include/placement; `…` stands for what the program inserts. A message of several sentences has
its remedy in its last ones. One of a single sentence needs a line in tools/remedies.txt, and so does one whose text is not in its
`throw`. A throw without any remedy is an error, and so is a line of remedies.txt that fits no throw.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include/placement"
PAGE = ROOT / "docs/messages.md"
REMEDIES = ROOT / "tools/remedies.txt"

# The part of the page for each folder.
PARTS = {
    "Devices and configuration": ("device", "src/device"),
    "Scopes, placement and the log": ("place", "src/place", "plan", "exec", "src/exec"),
    "Memory": ("memory", "src/memory", "runtime", "cpu", "src/cpu", "."),
    "Shapes, tensors and expressions": ("shape", "src/shape", "expr", "src/expr", "kernels", "math"),
    "Ops": ("ops", "src/ops"),
    "Gradients and training": ("gradient", "src/gradient", "nn", "src/nn"),
    "Several devices": ("parallel", "src/parallel"),
    "Several processes": ("tasks", "src/tasks"),
    "Linear algebra and Fourier transforms": ("lapack", "fft"),
    "Files and other libraries": ("interop", "src/interop"),
    "CUDA": ("cuda", "src/cuda", "gpu"),
}
STRING = r'"(?:\\.|[^"\\\n])*"'
HEAD = """# Messages and their remedies

Every message that the library can throw, from its sources. `…` stands for names, numbers and shapes of the program. A message may
end with its op and source line: `In MatMul at train.cpp:12`. [Errors](guide.md#errors) has the types. After an exception everything is
as before.

To find a message, search for the words between its numbers. The last part has messages of the compiler about rejected programs.

"""


def without_comments(text):
    """The code, with comments replaced by spaces."""
    return re.sub(rf"({STRING})|'(?:\\.|[^'\\\n])'|//[^\n]*",
                  lambda m: m[1] if m[1] else (" " if m[0].startswith("//") else "'" + "x" * (len(m[0]) - 2) + "'"), text)


def end_of(text, i, open_count=1):
    """The position behind the bracket that closes the one before i."""
    for token in re.compile(rf"{STRING}|[(){{}}\[\]]").finditer(text, i):
        open_count += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(token[0], 0)
        if not open_count:
            return token.end()
    raise ValueError("an open bracket")


def template_of(code):
    """The text of an expression of strings, with `…` for the rest. Of two alternatives it has the longer one."""
    while match := re.search(r"\+?\s*\b(?:\w+::)*location_text\(", code):
        code = code[:match.start()] + code[end_of(code, match.end()):]
    result, first = "", None
    for piece in re.split(rf"({STRING})", code):
        if piece.startswith('"'):
            text = piece[1:-1].replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
            if first is None:
                result += text
            else:
                first.append(text)
        elif piece.rstrip().endswith("?"):
            before = re.sub(r"\+?\s*\(?[^+]*\?\s*$", "", piece)
            result += "…" if before.strip(" +\n)") else ""
            first = []
        elif first is not None:
            if not re.match(r"\s*:\s*$", piece) or len(first) == 2:
                inserts = re.search(r"[A-Za-z]", piece) is not None
                if ":" in piece or ")" in piece:
                    result += max(first, key=len, default="")
                    first = None if ")" in piece or not first else first
                if inserts:
                    result += "…"
        elif piece.strip(" +\n"):
            result += "…"
    if first:
        result += max(first, key=len)
    return re.sub(r"…+", "…", re.sub(r"…\s…", "…", result)).strip()


def variable_text(text, start, name):
    """The template of a local variable that a throw at `start` names: its first value, and what is appended."""
    begin = max(text.rfind("\n}\n", 0, start), 0)
    body = text[begin:start]
    parts = []
    for match in re.finditer(rf"\b{name}\s*(\+=|=|\{{|\()", body):
        end = body.find(";", match.end())
        while end > 0 and body.count('"', match.end(), end) % 2:
            end = body.find(";", end + 1)
        value = body[match.end():end]
        parts.append(template_of(value.rstrip()[:-1] if match[1] in "({" else value))
    return "".join(parts)


# Types of the library's own, and the type by which a program catches them.
DERIVED = {"unconnected_tensor": "invalid_argument", "faulty_elements": "numerics_error"}


def throws():
    """(file, type, template, code) of each throw."""
    for path in sorted(HEADERS.rglob("*")):
        if path.suffix not in (".hpp", ".ipp", ".cuh"):
            continue
        text = without_comments(path.read_text())
        for match in re.finditer(r"\bthrow ([\w:]+)\s*([({])", text):
            kind = match[1].split("::")[-1]
            kind = DERIVED.get(kind, kind)
            code = " ".join(text[match.end():end_of(text, match.end()) - 1].split())
            begins = [m.start() for m in re.finditer('"placement: ', code)]
            if len(begins) > 1:  # one of several whole messages
                for begin, end in zip(begins, [*begins[1:], len(code)]):
                    yield path.relative_to(HEADERS), kind, template_of(code[begin:end].rstrip(" :)")), code
                continue
            template = template_of(code)
            if name := re.match(r"(\w+)\b(?!\()", code):
                if found := variable_text(text, match.start(), name[1]):
                    template = found + template.removeprefix("…")
            yield path.relative_to(HEADERS), kind, template, code


def rejections():
    """The sentences of the static assertions for users, which begin with `placement: `."""
    for path in sorted(HEADERS.rglob("*")):
        if path.suffix not in (".hpp", ".ipp", ".cuh"):
            continue
        text = without_comments(path.read_text())
        for match in re.finditer(r"\bstatic_assert\s*\(", text):
            code = text[match.end():end_of(text, match.end()) - 1]
            if found := re.search(rf"((?:{STRING}\s*)+)$", code):
                if (template := template_of(" ".join(found[1].split()))).startswith("placement: "):
                    yield template.removeprefix("placement: ")


def remedies():
    """{start of a message, or `file: code`: (message, remedy)}."""
    result = {}
    for number, line in enumerate(REMEDIES.read_text().split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        key, arrow, rest = line.partition(" => ")
        if not arrow:
            sys.exit(f"tools/remedies.txt:{number}: a line is `message => remedy`, or `file: code => message => remedy`")
        message, _, remedy = rest.rpartition(" => ")
        result[key] = (message, remedy)
    return result


def split(template):
    """A message, and the remedy in it, if it has one."""
    sentences = re.split(r"(?<=[.)'\]…])(?<!\be\.g)\. (?=[A-Z<n…])|(?<=[a-z0-9\"`*>B])[.?] (?=[A-Z<n])", template, maxsplit=1)
    if len(sentences) == 2 and re.search(r"[a-z]{2}", sentences[1]):
        return sentences[0], sentences[1]
    return template.rstrip("."), ""


def part_of(file):
    folder = str(file.parent)
    return next((part for part, folders in PARTS.items() if folder in folders), None)


def sentence(text):
    begin = text[:1] if text.startswith("names()") else text[:1].upper()
    return begin + text[1:] + ("" if text[-1] in ".?:" else ".")


def markdown(text):
    pieces = re.split(r"(/\S*job:\S*\w|\bjobs?\b)", text)
    pieces[::2] = [p.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for p in pieces[::2]]
    pieces[1::2] = [f"`{p}`" for p in pieces[1::2]]
    return "".join(pieces)


def page():
    """The text of the page, and what is wrong."""
    known, used, rows, wrong = remedies(), set(), {part: {} for part in PARTS}, []
    for file, kind, template, code in throws():
        key = f"{file}: {code}"
        entry = known.get(key)
        if entry is None:
            key = next((k for k in sorted(known, key=len, reverse=True) if template.startswith(k)), None)
            entry = known.get(key)
        message, remedy = split(template)
        if entry is not None:
            used.add(key)
            message, remedy = entry[0] or message, entry[1]
        if not re.search(r"[A-Za-z]{3}", message) or not remedy:
            wrong.append(f"include/placement/{file}: this throw has no remedy. Write a line in tools/remedies.txt: "
                         f"{template if re.search('[A-Za-z]{3}', template) else f'{file}: {code} => MESSAGE'} => REMEDY")
            continue
        part = part_of(file)
        if part is None:
            wrong.append(f"tools/messages.py: {file.parent} has no part of the page")
            continue
        message = message.removeprefix("placement: ").strip().rstrip(".:").replace("`", "'")
        rows[part].setdefault((message, re.sub(r"\.…$", ".", remedy.strip())), kind)
    wrong += [f"tools/remedies.txt: no throw fits the line: {key}" for key in known if key not in used]
    text = HEAD
    for part, messages in rows.items():
        if messages:
            text += f"## {part}\n\n"
            for (message, remedy), kind in sorted(messages.items(), key=lambda row: (row[0][0].lstrip("…" + " ").lower(), row[0][1])):
                # An indented line of its own is a paragraph of the list.
                text += f"- `{message}` (`{kind}`)\n\n  {markdown(sentence(remedy))}\n\n"
    text += "## The compiler\n\nA sentence alone is the rule that the program breaks.\n\n"
    for message, remedy in sorted(set(map(split, rejections())), key=lambda row: (row[0].lower(), row[1])):
        text += f"- `{message.rstrip('.').replace('`', chr(39))}`\n\n" + (f"  {markdown(sentence(remedy))}\n\n" if remedy else "")
    return text.rstrip("\n") + "\n", wrong


def main():
    update = sys.argv[1:] == ["--update"]
    if sys.argv[1:] and not update:
        sys.exit(__doc__)
    text, wrong = page()
    if update:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        wrong.append("docs/messages.md: not up to date. Write: tools/messages.py --update")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
