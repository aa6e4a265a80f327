#!/usr/bin/env python3
"""The tables of docs/ops.md and examples/README.md, and the recipes of docs/cookbook.md, which are made from the sources.

usage: tools/doc_tables.py [--update]     (without it: ends with 1 if a table is not up to date)

A table stands between two lines `<!-- doc_tables: NAME -->` and `<!-- end -->`; the text around it is written by hand.

  ops        one row for each documented op of include/placement/ops/, lapack/ and fft/. The columns are the lines `Shape:`, `Type:` and
             `Kernels:` of its comment, and TensorFlow's name for its `name` in place/tensorflow_names.hpp. A public op
             without these lines is an error. A function without an op of its own may lack `Kernels:`, because it computes
             at once. A header without a public function is a part of others and has no row.
  examples   one row for each program: the first sentence of its file.
  cookbook   each program of examples/cookbook/ with its output on two simulated GPUs, in the order of RECIPES.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPS = ROOT / "include/placement/ops"
# Public functions of headers in ops/ that are no ops.
NO_OPS = {"set_seed", "current_random_state", "set_random_state",
          "update", "as_unsigned", "to_string", "operator<<"}
# The recipes by topic. A program has at most MAX_LINES lines.
RECIPES = {
    "Where code runs": ["which_device", "run_on_a_gpu", "two_devices", "all_gpus", "rule", "choose_gpus", "split_a_gpu"],
    "What if a GPU is missing": ["missing_gpu", "fail_without_gpu"],
    "See what happens": ["log_ops", "explain", "count_ops"],
    "Memory and copies": ["no_copies", "memory_limit", "out_of_memory", "own_memory"],
    "Arrays": ["standardise", "compute_once", "two_results", "static_shapes", "numpy_file", "accuracy", "random"],
    "Training": ["gradient", "train_and_restore"],
}
MAX_LINES = 40
FIELD = re.compile(r"(?:(?<=\n)|(?<=  )|^)((?:[A-Z]\w*)(?:, [A-Z]\w*)*): ")


def first_sentence(text):
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0].rstrip(".")


def comment_at(lines, i):
    """The text of the `///` block that begins at line i, and the line after it."""
    text = []
    while i < len(lines) and lines[i].startswith("///"):
        text.append(lines[i][3:].strip())
        i += 1
    return "\n".join(text), i


def fields_of(comment):
    """{'Shape': ..., 'Type': ...} of a comment."""
    starts = list(FIELD.finditer(comment))
    fields = {}
    for start, end in zip(starts, [m.start() for m in starts[1:]] + [len(comment)]):
        text = " ".join(comment[start.end():end].split()).rstrip(".")
        for name in start[1].split(", "):
            fields.setdefault(name, text)
    return fields


def without_template(declaration):
    """The declaration without the `template <...>` in front."""
    while match := re.match(r"\s*template\s*<", declaration):
        depth, end = 1, match.end()
        while depth:
            depth += {"<": 1, ">": -1}.get(declaration[end], 0) if declaration[end - 1] != "-" else 0
            end += 1
        declaration = declaration[end:]
    return re.sub(r"^\s*requires\s*(\((?:[^()]|\([^()]*\))*\)|[^(]*?>)", "", declaration)


def function_of(declaration):
    """The name of the function that a declaration declares; None for a type or a deduction guide."""
    text = without_template(re.sub(r"\[\[.*?\]\]", "", declaration))
    if re.match(r"\s*(struct|class|enum|concept|using|namespace|static_assert|#|})", text):
        return None
    for match in re.finditer(r"(operator\s*[^\s\w(]+|\b[a-z]\w*)\s*\(", text.split(" = ")[0]):
        if match[1] not in ("requires", "decltype", "noexcept"):
            return match[1]
    return None


class Section:
    """A comment at the start of a line, and what is declared up to the next one."""

    def __init__(self, comment):
        self.fields = fields_of(comment)
        self.functions = {}  # name: its declarations
        self.ops = []  # their names in the placement log
        self.types = []


def sections_of(path):
    """The sections of a header; names of ops also in namespace detail."""
    lines = path.read_text().split("\n")
    sections, i, detail, declaration = [Section("")], 0, False, ""
    while i < len(lines):
        line = lines[i]
        if re.search(r"namespace detail \{$", line):
            detail = True
        elif re.match(r"\}+  // namespace .*detail$", line):
            detail = False
        elif line.startswith("///"):
            comment, i = comment_at(lines, i)
            if not detail:
                sections.append(Section(comment))
            continue
        section = sections[-1]
        if name := re.search(r'string_view name = "(\w+)"', line):
            section.ops.append(name[1])
        if type_name := re.match(r"(?:template <.*> )?struct (\w+_op)\b", line):
            section.types.append(type_name[1])
        if not detail and line and not line.startswith(("//", "#", "}")) and (declaration or not line[0].isspace()):
            declaration += line + " "
            if re.search(r"[{;}]$", line):
                function = function_of(declaration)
                if function and function not in NO_OPS:
                    section.functions[function] = section.functions.get(function, "") + declaration
                declaration = ""
        i += 1
    return sections


def tensorflow_names():
    text = (ROOT / "include/placement/place/tensorflow_names.hpp").read_text()
    return {ours: theirs for ours, theirs in re.findall(r'\{"(\w+)", "(\w*)"', text)}


def ops_of(path):
    """The sections that document an op, each with all of its functions. A section without `Shape:` and the like adds a form of
    an op, or the functions of a type."""
    ops = []
    for section in sections_of(path):
        if ops and not {"Shape", "Type", "Kernels"} & set(section.fields):
            for name, declarations in section.functions.items():
                of_type = [op for op in ops if any(re.search(rf"\b{t}\b", declarations) for t in op.types)]
                of_name = [op for op in ops if name in op.functions]
                (of_type or of_name or ops[-1:])[0].functions.setdefault(name, "")
            ops[-1].ops += section.ops
        elif known := [op for op in ops if section.functions and section.functions.keys() <= op.functions.keys()]:
            known[0].ops += section.ops
        else:
            ops.append(section)
    for op in ops:
        for name, declarations in list(op.functions.items()):
            owner = [o for o in ops if any(re.search(rf"\b{t}\b", declarations) for t in o.types)]
            if owner and op not in owner:
                owner[0].functions[name] = op.functions.pop(name)
    return ops


def rows_of(path, names):
    """The rows of one header, and what is wrong with it."""
    ops, wrong, table = ops_of(path), [], {}
    shown = [op for op in ops if op.functions]
    theirs = {id(op): [] for op in shown}
    for op in ops:  # a name in namespace detail belongs to the function of that name
        for name in op.ops:
            same = [o for o in shown if name.lower() in (f.replace("_", "") for f in o.functions)]
            for owner in (same or [o for o in shown if o is op] or shown)[:1]:
                theirs[id(owner)].append(name)
    for op in shown:
        required = ["Shape", "Type"] + ["Kernels"] * bool(op.types)  # a function alone may compute at once
        missing = [f + ":" for f in required if f not in op.fields]
        if missing:
            wrong.append(f"{path.relative_to(ROOT)}: the comment of {[*op.functions][0]} has no line {' and '.join(missing)}")
            continue
        kernels = op.fields.get("Kernels", "computed at once, on the host")
        kernels = re.sub(r" ?\(patterns? (\w+)\)", r": \1", kernels)
        key = tuple(first_sentence(text) for text in (op.fields["Shape"], op.fields["Type"], kernels))
        functions, tensorflow = table.setdefault(key, ([], []))
        functions.extend(f"`{f.removeprefix('operator')}`" for f in op.functions)
        tensorflow.extend(f"`{names[name]}`" for name in theirs[id(op)] if names.get(name))
    distinct = lambda texts: ", ".join(dict.fromkeys(texts))
    return [[distinct(f), path, *key, distinct(t)] for key, (f, t) in table.items()], wrong


def table_of(head, rows):
    cells = lambda row: "| " + " | ".join(c.replace("|", "\\|") for c in row) + " |"
    return "\n".join([cells(head), "|" + "---|" * len(head), *map(cells, rows)])


def ops_table():
    names, rows, wrong = tensorflow_names(), [], []
    umbrella = (ROOT / "include/placement/placement.hpp").read_text()
    folders = [OPS, OPS.parent / "fft", OPS.parent / "lapack"]
    for path in (path for folder in folders for path in sorted(folder.glob("*.hpp"))):
        more, bad = rows_of(path, names)
        rows += more
        wrong += bad
    for row in rows:
        folder = row[1].parent.name
        name = f"placement/{folder}/{row[1].name}"
        row[1] = f"`{row[1].name if folder == 'ops' else folder + '.hpp'}`" + ("" if f"<{name}>" in umbrella else " +")
    return table_of(["op", "header", "shape", "types", "kernels", "TensorFlow"], rows), wrong


def examples_table():
    rows, wrong = [], []
    folder = ROOT / "examples"
    for path in sorted([*folder.glob("*.cpp"), *folder.glob("compile_time/*.cpp"), *folder.glob("*/*.cpp")],
                       key=lambda p: (len(p.relative_to(folder).parts), p)):
        name = path.relative_to(folder)
        if len(name.parts) > 1 and name.parts[0] not in ("compile_time", path.stem):
            continue
        comment = comment_at(path.read_text().split("\n"), 0)[0].split("\n\n")[0].replace("\n", " ")
        if not comment:
            wrong.append(f"examples/{name}: the file does not begin with a comment `///`")
        row = [f"[{name.with_suffix('')}]({name})", first_sentence(comment)]
        if row not in rows:
            rows.append(row)
    return table_of(["program", "content"], rows), wrong


def cookbook():
    folder, wrong, text = ROOT / "examples/cookbook", [], ""
    listed = [name for names in RECIPES.values() for name in names]
    present = sorted(p.stem for p in folder.glob("*.cpp"))
    wrong += [f"examples/cookbook/{name}.cpp: not in RECIPES of tools/doc_tables.py" for name in present if name not in listed]
    for topic, names in RECIPES.items():
        text += f"\n## {topic}\n"
        for name in names:
            path, output = folder / f"{name}.cpp", folder / f"{name}.2.expected"
            if not path.exists() or not output.exists():
                wrong.append(f"examples/cookbook/{name}: there is no {name}.cpp or {name}.2.expected")
                continue
            lines = path.read_text().rstrip("\n").split("\n")
            if len(lines) > MAX_LINES:
                wrong.append(f"examples/cookbook/{name}.cpp: {len(lines)} lines; a recipe has at most {MAX_LINES}")
            comment, end = comment_at(lines, 0)
            code = "\n".join(lines[end:]).strip("\n")
            title = name.replace("_", " ").capitalize().replace(" gpu", " GPU").replace("numpy", "NumPy").replace("Numpy", "NumPy")
            # The tests compile the programs, so the fence is not that of blocks that are compiled from the page.
            text += (f"\n### {title}\n\n{comment}\n\n```c++\n{code}\n```\n\nOutput of "
                     f"[{name}.cpp](../examples/cookbook/{name}.cpp):\n\n```text\n{output.read_text().rstrip()}\n```\n")
    return text.strip("\n"), wrong


def main():
    update = sys.argv[1:] == ["--update"]
    if sys.argv[1:] and not update:
        sys.exit(__doc__)
    found = []
    for name, page, make in (("ops", "docs/ops.md", ops_table), ("examples", "examples/README.md", examples_table),
                             ("cookbook", "docs/cookbook.md", cookbook)):
        table, wrong = make()
        found += wrong
        path = ROOT / page
        text = path.read_text()
        pattern = re.compile(rf"(<!-- doc_tables: {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(text):
            found.append(f"{page}: there is no line <!-- doc_tables: {name} --> before <!-- end -->")
            continue
        new = pattern.sub(lambda m: f"{m[1]}\n{table}\n\n{m[2]}", text)
        if new != text and update:
            path.write_text(new)
        elif new != text:
            found.append(f"{page}: the table is not up to date. Write: tools/doc_tables.py --update")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
