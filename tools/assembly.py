#!/usr/bin/env python3
"""Write docs/assembly.md: the assembly of three expressions, beside that of the same loops written by hand.

The functions are in benchmarks/instructions/pairs.cpp. `./dev bench` counts their instructions.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "benchmarks/instructions/pairs.cpp"
FLAGS = ["-std=c++20", "-O3", "-march=x86-64-v3", "-fno-asynchronous-unwind-tables", "-masm=intel", "-g0"]

LABEL = re.compile(r"^(\.?\w[\w.$]*):")
JUMP = re.compile(r"^\tj\w+\s+(\S+)")
CODE = re.compile(r"^\t[a-z]")


def functions(compiler):
    """The lines of each function by its name without arguments; large_placed is the function with the loop."""
    text = subprocess.run([compiler, *FLAGS, f"-I{ROOT / 'include'}", "-S", "-o", "-", str(SOURCE)],
                          check=True, capture_output=True, text=True).stdout
    text = subprocess.run(["c++filt"], input=text, check=True, capture_output=True, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        start = re.match(r"^(pairs::(\w+)\(|void placement::\S*compute_here<float, \S*extents<262144l>).*:(?:\s*#.*)?$", line)
        if start:
            name = None if "[clone" in line else start[2] or "large_placed"
            if name and not (name == "large_placed" and start[2] and name in found):
                found[name] = []
        elif line.startswith("\t.size"):
            name = None
        elif name and (LABEL.match(line) or CODE.match(line)):
            found[name].append(re.sub(r"\s*#.*", "", line))
    return found


def without_idle_labels(lines):
    """The same lines without labels that are no jump target; the other labels are numbered."""
    targets = [m[1] for line in lines if (m := JUMP.match(line))]
    numbers = {}
    for line in lines:
        if (label := LABEL.match(line)) and label[1] in targets:
            numbers[label[1]] = f".L{len(numbers) + 1}"
    kept = []
    for line in lines:
        label = LABEL.match(line)
        if label and label[1] not in numbers:
            continue
        for old, new in numbers.items():
            line = re.sub(re.escape(old) + r"(?!\w)", new, line)
        kept.append(line.replace("\t", "    ", 1).replace("\t", " ").rstrip())
    return kept


def innermost_loop(lines):
    """The first loop that contains a vector multiplication and no jump except its own."""
    for at, line in enumerate(lines):
        if not (label := LABEL.match(line)):
            continue
        for end in range(at + 1, len(lines)):
            jump = JUMP.match(lines[end])
            if jump and jump[1] == label[1]:
                body = lines[at:end + 1]
                if any(re.search(r"\bv(fmadd\w+|mul)ps", b) for b in body):
                    return body
                break
            if jump:
                break
    sys.exit("assembly: there is no vector loop to show")


def block(lines):
    return "```asm\n" + "\n".join(without_idle_labels(lines)) + "\n```\n"


def source_of(name):
    text = SOURCE.read_text()
    start = re.search(rf"^void {name}\(", text, re.MULTILINE).start()
    end = min(text.index("\n}\n", start) + 2 if "\n}\n" in text[start:] else len(text),
              text.index(" }\n", start) + 2 if " }\n" in text[start:] else len(text))
    return "```text\n" + text[start:end] + "\n```\n"


PARTS = [
    ("small", "A 2 x 3 matrix", "The whole function. The elements lie in the objects; nothing else is left.", None, 2),
    ("product", "A 4 x 4 product with its bias and relu", "The whole function: one kernel, no temporary tensor.", None, 1),
    ("large", "A quarter of a million elements", "The inner loop. Around it `large_placed` asks whether `o` shares its elements with\n"
     "another tensor, which it would then not write to.", innermost_loop, 2),
]  # the last: for how many of the compilers


def main():
    compilers = sys.argv[1:] or ["g++", "clang++-19"]
    out = ["# Assembly\n",
           "Three expressions whose devices and shapes are in their types, and what is left of them. Made by "
           "`tools/assembly.py`\nfrom [pairs.cpp](../benchmarks/instructions/pairs.cpp), with "
           f"`{' '.join(FLAGS[:3])}`. How many instructions they\ntake is counted by `./dev bench`, "
           "see [performance_tables.md](performance_tables.md).\n"]
    made = {}
    for compiler in compilers:
        version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
        made[compiler] = (version.splitlines()[0], functions(compiler))
    for name, title, says, part, shown in PARTS:
        out += [f"## {title}\n", source_of(f"{name}_placed"), says + "\n"]
        for version, found in list(made.values())[:shown]:
            for variant, words in (("placed", "placement"), ("by_hand", "by hand")):
                lines = found[f"{name}_{variant}"]
                out += [f"{words}, {version}:\n", block(part(lines) if part else lines)]
    target = ROOT / "docs/assembly.md"
    target.write_text("\n".join(out))
    print(f"{target}: {len(out)} parts")


if __name__ == "__main__":
    main()
