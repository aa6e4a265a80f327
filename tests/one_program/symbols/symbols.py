#!/usr/bin/env python3
"""usage: symbols.py NM OBJECT...

Checks the symbols of the library in the objects of one program, built by two compilers. A header-only library defines no
strong symbols, symbols that two objects share are weak in both, and shared data has one size.
"""

import collections
import subprocess
import sys

LIBRARY = "placement"  # a part of every mangled name of the library
OF_A_FILE = set("btdr")  # local symbols: each file may have its own


def symbols(nm, file):
    """The kind and size of each library symbol that the object defines."""
    out = subprocess.run([nm, "-S", "--defined-only", file], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        fields = line.split()
        if len(fields) == 4 and LIBRARY in fields[3]:
            yield fields[3], fields[2], int(fields[1], 16)


def main():
    nm, *files = sys.argv[1:]
    found = collections.defaultdict(list)
    for file in files:
        for name, kind, size in symbols(nm, file):
            if kind not in OF_A_FILE:
                found[name].append((kind, size, file))
    wrong = []
    shared = 0
    for name, places in found.items():
        kinds = {kind for kind, _, _ in places}
        of_library = name.startswith(("_ZN9placement", "_ZNK9placement", "_ZGVN9placement", "_ZTIN9placement"))
        if of_library and kinds & set("TDBR"):
            wrong.append(f"defined for good in {places[0][2]}: {name}")
        if len(places) > 1:
            shared += 1
            if len(kinds) > 1:
                wrong.append(f"of different kinds {sorted(kinds)}: {name}")
            if kinds & set("Vu") and len({size for _, size, _ in places}) > 1:
                wrong.append(f"of different sizes {sorted({size for _, size, _ in places})}: {name}")
    for line in wrong:
        print(line)
    print(f"{len(files)} objects, {len(found)} symbols of the library, {shared} of them in several objects, {len(wrong)} wrong")
    if shared < 100:
        sys.exit("too few symbols are shared: are these objects of one program?")
    sys.exit(bool(wrong))


main()
