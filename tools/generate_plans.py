#!/usr/bin/env python3
"""Write C++ tests of distinct expression types that compare plans with evaluation.

usage: generate_plans.py --count 210 --seed 1 --per-file 30 --out DIR

The expressions are like those of generate_expressions.py, but smaller and with more features that affect placement: large
and small tensors with their device in the type; scopes that are called with a subexpression, with and without policies; on()
with devices in the type and random ones; ops without a GPU kernel. tests/generated/planned.hpp runs them.

The same arguments give the same files. Standard library only.
"""

import random
import sys

from generate_expressions import CPP, Expression, Node, quoted, write_programs

# The devices that the leaves of one expression may have in their types.
OPEN, CPU0, GPU0, GPU1 = "pl::any_device", "pl::dev<pl::kind::cpu, 0>", "pl::dev<pl::kind::gpu, 0>", "pl::dev<pl::kind::gpu, 1>"
STYLES = [[OPEN]] * 3 + [[CPU0], [GPU0], [GPU1], [GPU1], [CPU0, GPU1], [GPU0, GPU1], [OPEN, GPU1], [OPEN, CPU0, GPU0, GPU1]]

TAGS = ["pl::gpu<0>", "pl::gpu<1>", "pl::gpu<1>", "pl::cpu<0>", "pl::gpu<7>"]
POLICIES = ["", "", ", pl::soft", ", pl::at_most<pl::copies, 100>{}"]
REFUSING = [", pl::strict", ", pl::no_fallback"]  # only around ops with a GPU kernel


class Planned(Expression):
    max_ops = 5
    max_leaves = 5
    types = "bilf"  # a small number, because each costs compile time for its kernels
    fixed_shares = [0, 0.5, 1, 1]

    def __init__(self, rng, depth):
        self.devices = rng.choice(STYLES)
        self.drawn_devices = rng.random() < 0.25  # devices that are not in the type
        self.repeats = False  # some leaf is read twice
        super().__init__(rng, depth)

    def tree(self, type_, dims, depth, scope, pin):
        if 0 < depth and self.ops < self.max_ops and self.rng.random() < 0.12:
            return self.on(type_, dims, depth - 1, scope, pin)
        return super().tree(type_, dims, depth, scope, pin)

    def leaf(self, type_, dims, scope, pin):
        rng = self.rng
        same = [i for i, leaf in enumerate(self.leaves) if leaf[:2] == (type_, dims)]
        if same and rng.random() < 0.15:
            i = rng.choice(same)
            self.repeats = True
        else:
            says = rng.random() < 0.8
            static = [v if says and v is not None else -1 for v in (self.symbols.values[d] for d in dims)]
            self.leaves.append((type_, dims, static, rng.choice(self.devices)))
            i = len(self.leaves) - 1
        forms = [f"x{i}"] * 8 + [f"decltype(x{i})(x{i})"] + ([f"view(x{i})"] * 2 if self.leaves[i][3] == OPEN else [])
        word = "|".join(["leaf", type_, ",".join(map(str, dims)), str(i), str(scope), str(pin), "g"])
        return Node(rng.choice(forms), [word], [], type_, dims)

    def scoped(self, type_, dims, depth, scope, pin):
        if self.drawn_devices and self.rng.random() < 0.6:
            return super().scoped(type_, dims, depth, scope, pin)
        x = self.tree(type_, dims, depth, scope, pin)
        declared = all(word.endswith("|g") for word in x.words)
        policy = self.rng.choice(POLICIES + (REFUSING if declared else []))
        s = f"s{self.scopes}"
        self.scopes += 1
        made = f"pl::with_device const {s}({self.rng.choice(TAGS)}{policy})"
        return self.pinned(f"[&] {{ {made}; return {s}({x.cpp}); }}()", x, scope, pin)

    def on(self, type_, dims, depth, scope, pin):
        x = self.tree(type_, dims, depth, scope, pin)
        to = self.rng.choice(TAGS)
        if self.drawn_devices and self.rng.random() < 0.6:
            to = f"d.device_for({self.pins})"
            self.pins += 1
        return self.pinned(f"on({to}, {x.cpp})", x, scope, pin)

    def pinned(self, cpp, x, scope, pin):
        return self.node("on", None, x.type, x.dims, [x], cpp, "", True, scope, pin)

    def extents(self, i):
        _, dims, static, _ = self.leaves[i]
        if all(s == -1 for s in static) and static:
            return f"pl::dextents<{len(dims)}>"
        return "pl::extents<" + ", ".join("pl::dyn" if s == -1 else str(s) for s in static) + ">"

    def signature(self):
        text = self.root.cpp
        for i in reversed(range(len(self.leaves))):
            text = text.replace(f"x{i}", f"<{self.leaves[i][0]} {self.extents(i)} {self.leaves[i][3]}>")
        return text

    def types_tell(self):
        """Whether the type contains all device requests inside the expression."""
        return "d.scope(" not in self.root.cpp and "d.device_for(" not in self.root.cpp and "auto const s" not in self.root.cpp

    def cpp(self, number):
        lines = [f"void expression_{number}(planned& d) {{"]
        for i, (type_, _, _, device) in enumerate(self.leaves):
            lines.append(f"  auto x{i} = d.leaf<{CPP[type_]}, {self.extents(i)}, {device}>({i});")
        lines += [f"  d.check<{number}>([&] {{ return {self.root.cpp}; }});", "}"]
        table = [
            str(number),
            quoted(self.root.cpp),
            quoted(" ".join(self.symbols.kinds)),
            quoted(" ".join(",".join(map(str, dims)) or "-" for _, dims, _, _ in self.leaves)),
            quoted(" ".join(device for _, _, _, device in self.leaves)),
            str(self.types_tell()).lower(),
            str(self.repeats).lower(),
            str(self.scopes),
            str(self.pins),
            f"&expression_{number}",
        ]
        return "\n".join(lines), "    {" + ",\n     ".join(table) + "},"


def expressions(count, seed):
    """Distinct expressions. The types of twenty in twenty-one contain all device requests."""
    rng = random.Random(seed)
    seen, all_, untold = set(), [], 0
    for attempt in range(100 * count):
        if len(all_) == count:
            return all_
        e = Planned(rng, 1 + min(3, len(all_) * 5 // count) if attempt % 2 else rng.randint(2, 4))
        if e.root.words[-1].startswith("leaf") or e.signature() in seen:
            continue
        if not e.types_tell():
            if untold == count // 21:
                continue
            untold += 1
        seen.add(e.signature())
        all_.append(e)
    sys.exit(f"generate_plans: only {len(all_)} distinct expressions found, {count} wanted")


HEAD = """// Written by tools/generate_plans.py: do not change it here.
#include <generated/planned.hpp>

namespace {{

using namespace generated;
using namespace placement;

{functions}

planned_expression const table[] = {{
{entries}
}};

}}  // namespace

TEST_CASE("plans {first} to {last} match evaluation") {{ check(table); }}
"""


if __name__ == "__main__":
    write_programs(__doc__.splitlines()[0], "plans", 210, 30, HEAD, expressions)
