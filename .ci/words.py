#!/usr/bin/env python3
"""Check the words of comments and docs: the field's terms, in sentences of at most 25 words.

usage: .ci/words.py [FILE...]     (all files that git knows, unless some are given)

Code, strings and what stands in `backticks` or in a block of code is not looked at. docs/glossary.md has the terms.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_WORDS = 25  # of a sentence

# A pattern of words, and the term to use. Matched whole, in any case.
INSTEAD = {
    r"wish(es|ed)?": "device_spec, requested device",
    r"settle[sd]?|verdicts?": "resolve, kernel placement",
    r"turned(?! (on|off)\b)": "transposed; becomes",
    r"told|tells?(?! apart)|telling": "states, reports, notifies, given",
    r"books?|ledgers?": "allocator state, allocation tracker",
    r"lent|lends?": "external buffer, borrowed",
    r"on paper|paper": "abstract expression",
    r"arrivals?": "operand copies",
    r"(short|long) way": "fast path, slow path",
    r"few": "small, fewer than N",
    r"folds?|folded|folding": "reduce, reduction",
    r"reindex(es|ed)?|renumber(s|ed|ing)?": "view op, reshape",
    r"(gives?|given|gave|giving) (it |them )?back": "deallocate, release, return",
    r"lets? go": "release",
    r"rooms?(?! for)": "layer; space",
    r"roof|doors?": "umbrella header; entry point",
    r"refus(e|es|ed|al|als|ing)": "reject, throw an error",
    r"expiring": "rvalue",
    r"what \w+( \w+){0,6} of which": "a plain relative clause",
    r"whoever|whatever (it|they|that)": "a plain subject",
}
WORD = re.compile("|".join(rf"(?P<w{i}>\b(?:{p})\b)" for i, p in enumerate(INSTEAD)), re.I)

CXX = {".hpp", ".cuh", ".cpp", ".cu", ".ipp"}
HASH = {".py", ".cmake", ".awk", ".sh", ".txt", ""}
SKIP = ("tests/mutations.txt", ".clang-tidy", "LICENSE", "docs/glossary.md", ".ci/words.py", "tests/fail/", "cmake/kernels/")


def cxx_comments(text):
    """The comments of C++ code: (line, text of the comment without its marks)."""
    pattern = re.compile(
        r'R"(?P<d>[^()\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)
    for match in pattern.finditer(text):
        piece = match[0]
        if piece.startswith("//"):
            # A comment behind a member starts a paragraph.
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"^///<", "- ", piece).lstrip("/")
        elif piece.startswith("/*"):
            first = text.count("\n", 0, match.start()) + 1
            for i, line in enumerate(piece[2:-2].split("\n")):
                yield first + i, line.strip(" *")


def hash_comments(text):
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"\s*#(?!!)\s?(.*)$", line)
        if match:
            yield number, match[1]


def prose(text):
    """The lines of a Markdown page that are prose; headings and rows of tables end a paragraph."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def paragraphs(lines):
    """Neighbouring lines as one text with the line each character is from."""
    block, last = [], None
    for number, text in lines:
        starts = re.match(r"\s*([-*+] |\d+\. |#|\||>|usage|//? env|\\|@|-{3,})", text) is not None
        if block and (number != last + 1 or not text.strip() or starts):
            yield block
            block = []
        if text.strip():
            block.append((number, text.strip()))
        last = number
    if block:
        yield block


def plain(text):
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+|<[\w/.]+>", "link", text)
    return re.sub(r'"[^"]*"', "quote", text)


def check(name, lines):
    for block in paragraphs(lines):
        first = block[0][0]
        joined = plain("\n".join(text for _, text in block))
        for match in WORD.finditer(joined.replace("\n", " ")):
            index = int(next(k for k, v in match.groupdict().items() if v)[1:])
            yield (first + joined.count("\n", 0, match.start()),
                   f'"{match[0]}": say {list(INSTEAD.values())[index]}')
        if block[0][1].startswith("|"):
            continue
        for sentence in re.finditer(r".+?(?:[.!?:]\**(?=\s|$)|$)", joined.replace("\n", " ")):
            count = len(re.findall(r"[^\s]*\w[^\s]*", sentence[0]))
            if count > MAX_WORDS:
                yield (first + joined.count("\n", 0, sentence.start()),
                       f"a sentence of {count} words: {sentence[0].strip()[:60]}...")


def texts_of(path):
    text = path.read_text(errors="replace")
    if path.suffix in CXX:
        return cxx_comments(text)
    if path.suffix == ".md":
        return prose(text)
    if path.suffix in HASH:
        return hash_comments(text)
    return ()


def main():
    names = sys.argv[1:] or subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                                           capture_output=True, text=True).stdout.split("\n")
    found = 0
    for name in names:
        path = ROOT / name
        if not path.is_file() or name.startswith(SKIP):
            continue
        for number, text in check(name, list(texts_of(path))):
            print(f"{name}:{number}: {text}")
            found += 1
    if found:
        print(f"{found} findings; docs/glossary.md has the terms")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
