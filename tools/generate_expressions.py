#!/usr/bin/env python3
"""Write C++ tests of distinct expression types, each with a description of its meaning.

usage: generate_expressions.py --count 300 --seed 1 --per-file 25 --out DIR

Each expression is a random tree over the library's ops, 1 to 8 levels deep, with static, dynamic and mixed extents,
views, broadcasts, reductions, products, device scopes and on(). The test contains the same tree as text, which
tests/support/interpreter.hpp computes element by element without the library. tests/generated/draw.hpp makes the random
choices at run time (extents, elements, devices, aliases). The two share only the symbols below.

Extents are symbols, numbered in order of creation. A symbol encodes how its value is chosen:
    n        any extent            N        1 or more                k5       5
    m3       symbol 3, or 1        *1,2     product                  /3       a divisor of 3, and q3,4 the quotient
    <3       0 to symbol 3         -3,4     the difference           +3       symbol 3 plus 0 to 2
    s3       an extent with a random range of symbol 3 positions; its number also identifies the range
    S5,4,-1,3  5, and the range of 3 positions that starts at 4 with step -1

The same arguments give the same files. Standard library only.
"""

import argparse
import pathlib
import random
import sys

# ---- symbols


class Symbols:
    """The extents of one expression. A symbol with a value is fixed, which makes it static in C++."""

    def __init__(self, rng, fixed_share):
        self.rng, self.fixed_share = rng, fixed_share
        self.kinds, self.values = [], []

    def add(self, kind, value=None):
        self.kinds.append(kind)
        self.values.append(value)
        return len(self.kinds) - 1

    def constant(self, n):
        for i, (kind, value) in enumerate(zip(self.kinds, self.values)):
            if kind == f"k{n}":
                return i
        return self.add(f"k{n}", n)

    def free(self, some=False):
        """An independent extent; `some`: not 0."""
        if self.rng.random() < self.fixed_share:
            return self.constant(self.rng.choice([1, 2, 2, 3, 3, 4, 5, 7] if some else [0, 1, 2, 2, 3, 3, 4, 5, 7]))
        return self.add("N" if some else "n")

    def derived(self, letter, *of):
        """A symbol that depends on others. It is fixed if they are."""
        known = [self.values[i] for i in of]
        if None in known:
            return self.add(letter + ",".join(map(str, of)))
        rng, v = self.rng, known[0]
        if letter == "m":
            return self.constant(rng.choice([1, v]))
        if letter == "*":
            return self.constant(known[0] * known[1])
        if letter == "/":
            return self.constant(rng.choice([d for d in range(1, v + 1) if v % d == 0]) if v else rng.randint(1, 3))
        if letter == "q":
            return self.constant(v // known[1])
        if letter == "<":
            return self.constant(rng.randint(0, v))
        if letter == "-":
            return self.constant(v - known[1])
        if letter == "+":
            return self.constant(v + rng.randint(0, 2))
        assert letter == "s", letter
        step = rng.choice([1, 1, 2, 3, -1, -1, -2])
        if v == 0:
            n = rng.randint(0, 3)
            return self.add(f"S{n},{0 if step > 0 else n - 1},{step},0", n)
        before, after = rng.randint(0, 2), rng.randint(0, 2)
        n = 1 + (v - 1) * abs(step) + before + after
        return self.add(f"S{n},{before if step > 0 else n - 1 - before},{step},{v}", n)


# ---- element types

CPP = {
    "b": "bool", "c": "signed char", "h": "unsigned char", "i": "int", "u": "unsigned", "l": "std::int64_t",
    "f": "float", "d": "double",
}  # fmt: skip
FLOATING = "fd"
COMPUTED = "chiulfd"  # all but bool


def literal(t, rng):
    if t in FLOATING:
        value = rng.choice([-2, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 3])
        return (f"{value}.f" if isinstance(value, int) else f"{value}f") if t == "f" else f"{float(value)}", value
    value = rng.choice([0, 1, 2, 3, 5] if t in "hu" else [-3, -1, 0, 1, 2, 5])
    return str(value), value


# ---- one expression


class Node:
    """The C++ text, the postfix words of its description, and the op names that the log prints."""

    def __init__(self, cpp, words, names, type_, dims):
        self.cpp, self.words, self.names, self.type, self.dims = cpp, words, names, type_, dims


class Expression:
    max_ops = 14
    max_leaves = 7
    types = "bchiulfd"
    fixed_shares = [0, 0, 0, 0.5, 1]  # share of static extents

    def __init__(self, rng, depth):
        self.rng = rng
        self.symbols = Symbols(rng, rng.choice(self.fixed_shares))
        self.leaves = []  # (type, dims, static extents)
        self.scopes, self.pins = 1, 0  # scope 0 is around the whole expression
        self.tags = {}  # scopes and pins whose device is in the type, by letter and number
        self.ops = 0
        rank = rng.choice([0, 1, 1, 2, 2, 2, 2, 3, 3, 4])
        type_ = self.type_among("fffffffddiiiclhub")
        dims = [self.symbols.constant(1) if rng.random() < 0.08 else self.symbols.free() for _ in range(rank)]
        self.root = self.tree(type_, dims, depth, 0, -1)

    def type_among(self, types, besides=""):
        return self.rng.choice([t for t in types if t in self.types and t != besides])

    # ---- nodes

    def node(self, op, name, type_, dims, operands, cpp, arguments="", gpu=True, scope=0, pin=-1):
        """An op on operands. `cpp` contains its C++ text."""
        self.ops += 1
        word = "|".join([op, type_, ",".join(map(str, dims)), str(arguments), str(scope), str(pin), "g" if gpu else "h"])
        words = [w for o in operands for w in o.words] + [word]
        names = [n for o in operands for n in o.names] + ([name] if name else [])
        return Node(cpp, words, names, type_, dims)

    def leaf(self, type_, dims, scope, pin):
        rng = self.rng
        same = [i for i, (t, d, _) in enumerate(self.leaves) if t == type_ and d == dims]
        if same and (rng.random() < 0.45 or len(self.leaves) >= self.max_leaves):
            i = rng.choice(same)
        else:
            says = rng.random() < 0.7
            static = [v if says and v is not None and rng.random() < 0.9 else -1
                      for v in (self.symbols.values[d] for d in dims)]  # fmt: skip
            self.leaves.append((type_, dims, static))
            i = len(self.leaves) - 1
        cpp = rng.choice([f"x{i}"] * 10 + [f"view(x{i})"] * 2 + [f"decltype(x{i})(x{i})"])
        word = "|".join(["leaf", type_, ",".join(map(str, dims)), str(i), str(scope), str(pin), "g"])
        return Node(cpp, [word], [], type_, dims)

    def number(self, type_, scope, pin):
        text, value = literal(type_, self.rng)
        return Node(text, [f"number|{type_}||{value}|{scope}|{pin}|g"], [], type_, [])

    def tree(self, type_, dims, depth, scope, pin):
        """A tree of this type and shape, at most `depth` levels deep."""
        rng = self.rng
        if depth <= 0 or self.ops >= self.max_ops:
            if len(dims) == 1 and self.symbols.values[dims[0]] in (1, 2, 3, 4) and rng.random() < 0.3:
                return self.values(type_, dims, scope, pin)
            return self.leaf(type_, dims, scope, pin)
        if rng.random() < 0.10:
            return self.scoped(type_, dims, depth, scope, pin)
        makers = self.makers(type_, dims)
        total = sum(weight for weight, _ in makers)
        at = rng.random() * total
        for weight, make in makers:
            at -= weight
            if at <= 0:
                break
        return make(type_, dims, depth - 1, scope, pin)

    def makers(self, type_, dims):
        """The ops that can produce a value of this type and shape, with their weights."""
        rank = len(dims)
        one = self.symbols.values
        all_ = [(2, self.on), (1, self.careful)]
        if type_ in COMPUTED:
            all_ += [(9, self.binary), (4, self.unary), (2, self.with_number), (1, self.ternary), (1.5, self.host_twice)]
            all_ += [(1.5, self.cast)]
        else:
            all_ += [(5, self.comparison), (3, self.logical), (1, self.cast)]
        if rank >= 1:
            all_ += [(3, self.slice), (1, self.reverse), (1, self.reshape), (0.7, self.broadcast_to), (0.7, self.concat)]
            all_ += [(0.7, self.sort), (0.7, self.host_flip)]
            if rank < 5:  # the highest rank of an operand
                all_ += [(1, self.squeeze), (0.7, self.diagonal)]
            if any(one[d] == 1 for d in dims):
                all_ += [(2, self.expand_dims)]
        if rank == 1 and type_ in COMPUTED:
            all_ += [(0.7, self.iota)]
        if rank >= 1:
            all_ += [(0.5, self.fill)]
        if rank >= 2:
            all_ += [(2, self.transpose), (1, self.permute)]
            if type_ in COMPUTED:
                all_ += [(4, self.matmul)]
        if rank >= 1 and type_ in FLOATING:
            all_ += [(1, self.softmax)]
        if rank >= 1 and type_ in "lfd":
            all_ += [(0.7, self.cumsum)]
        if rank == 0:
            all_ += [(8, self.fold)]
        elif rank <= 3:
            all_ += [(3, self.fold)]
        return all_

    # ---- scopes

    def scoped(self, type_, dims, depth, scope, pin):
        k = self.scopes
        self.scopes += 1
        inner = self.tree(type_, dims, depth, k, pin)
        if inner.words[-1].startswith("leaf"):
            return inner
        opens = f"d.scope({k})"
        if self.rng.random() < 0.25:
            opens = "with_device(" + self.tag(f"s{k}") + ")"
        return Node(f"[&] {{ auto const s{k} = {opens}; return {inner.cpp}; }}()", inner.words, inner.names, type_, dims)

    def on(self, type_, dims, depth, scope, pin):
        k = self.pins
        self.pins += 1
        x = self.tree(type_, dims, depth, scope, k)
        to = self.tag(f"p{k}") if self.rng.random() < 0.3 else f"d.device_for({k})"
        return self.node("on", None, type_, dims, [x], f"on({to}, {x.cpp})", k, True, scope, pin)

    def tag(self, whose):
        """A device in the type, also entered into the table of fixed devices."""
        cpp, name = self.rng.choice([("pl::gpu<0>", "/gpu:0"), ("pl::gpu<1>", "/gpu:1"), ("pl::cpu<0>", "/cpu:0")])
        self.tags[whose] = name
        return cpp

    # ---- element by element

    def split_depth(self, depth):
        """Depths of two operands. One of them has the full remaining depth."""
        other = self.rng.randint(0, max(depth, 0))
        other = min(other, self.rng.randint(0, max(depth, 0)))
        return (depth, other) if self.rng.random() < 0.5 else (other, depth)

    def two_shapes(self, dims):
        """Shapes of two operands that broadcast to dims. At least one of them has each extent."""
        rng = self.rng
        if rng.random() < 0.45:
            return dims, dims
        shapes = [[], []]
        for d in dims:
            full = rng.randrange(2)
            r = rng.random()
            other = d if r < 0.4 else self.symbols.constant(1) if r < 0.7 else self.symbols.derived("m", d)
            shapes[full].append(d)
            shapes[1 - full].append(other)
        which = rng.randrange(2)  # one of them may have a lower rank
        lower = shapes[which]
        for i in range(rng.choice([0, 0, 1, len(dims)])):
            if i < len(dims) and shapes[1 - which][i] == dims[i]:
                lower = shapes[which][i + 1 :]
            else:
                break
        shapes[which] = lower
        return shapes[0], shapes[1]

    BINARY = {
        "add": ("+", "Add"), "subtract": ("-", "Sub"), "multiply": ("*", "Mul"), "maximum": (None, "Maximum"),
        "minimum": (None, "Minimum"), "divide": ("/", "Div"),
    }  # fmt: skip

    def binary(self, type_, dims, depth, scope, pin):
        op = self.rng.choice(["add"] * 4 + ["multiply"] * 3 + ["subtract"] * 3 + ["maximum", "minimum", "divide"])
        return self.two(op, *self.BINARY[op], type_, type_, dims, depth, scope, pin)

    def two(self, op, symbol, name, type_, of, dims, depth, scope, pin):
        left, right = self.two_shapes(dims)
        m, n = self.split_depth(depth)
        a = self.tree(of, left, m, scope, pin)
        b = self.tree(of, right, n, scope, pin)
        cpp = f"({a.cpp} {symbol} {b.cpp})" if symbol and self.rng.random() < 0.8 else f"{self.function(op)}({a.cpp}, {b.cpp})"
        return self.node(op, name, type_, dims, [a, b], cpp, "", True, scope, pin)

    @staticmethod
    def function(op):
        return {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}.get(op, "pl::" + op)

    def with_number(self, type_, dims, depth, scope, pin):
        op = self.rng.choice(["add", "multiply", "subtract", "maximum"])
        symbol, name = self.BINARY[op]
        x, n = self.tree(type_, dims, depth, scope, pin), self.number(type_, scope, pin)
        pair = [x, n] if self.rng.random() < 0.6 else [n, x]
        cpp = f"({pair[0].cpp} {symbol} {pair[1].cpp})" if symbol else f"{self.function(op)}({pair[0].cpp}, {pair[1].cpp})"
        return self.node(op, name, type_, dims, pair, cpp, "", True, scope, pin)

    UNARY = {
        "relu": "Relu", "negative": "Neg", "abs": "Abs", "square": "Square", "tanh": "Tanh", "sigmoid": "Sigmoid",
        "exp": "Exp", "sqrt": "Sqrt", "floor": "Floor",
    }  # fmt: skip

    def unary(self, type_, dims, depth, scope, pin):
        ops = ["relu", "negative", "abs", "square"]
        if type_ in FLOATING:
            ops += ["tanh", "sigmoid", "exp", "sqrt", "floor"]
        op = self.rng.choice(ops)
        x = self.tree(type_, dims, depth, scope, pin)
        cpp = f"(-{x.cpp})" if op == "negative" else f"pl::{op}({x.cpp})"
        return self.node(op, self.UNARY[op], type_, dims, [x], cpp, "", True, scope, pin)

    def host_twice(self, type_, dims, depth, scope, pin):
        x = self.tree(type_, dims, depth, scope, pin)
        return self.node("host_twice", "HostTwice", type_, dims, [x], f"host_twice({x.cpp})", "", False, scope, pin)

    def careful(self, type_, dims, depth, scope, pin):
        x = self.tree(type_, dims, depth, scope, pin)
        return self.node("careful", "Careful", type_, dims, [x], f"careful({x.cpp})", "", True, scope, pin)

    def ternary(self, type_, dims, depth, scope, pin):
        op = self.rng.choice(["where", "where", "add3", "clamp"])
        first, second = self.two_shapes(dims)
        m, n = self.split_depth(depth)
        if op == "where":
            c = self.tree("b", dims, n, scope, pin)
            a, b = self.tree(type_, first, m, scope, pin), self.tree(type_, second, n, scope, pin)
            return self.node(op, "SelectV2", type_, dims, [c, a, b], f"where({c.cpp}, {a.cpp}, {b.cpp})", "", True, scope, pin)
        if op == "add3":
            all_ = [self.tree(type_, dims, k, scope, pin) for k in (m, n, 0)]
            return self.node(op, "AddN", type_, dims, all_, f"add_n({', '.join(x.cpp for x in all_)})", "", True, scope, pin)
        x, low, high = self.tree(type_, dims, m, scope, pin), self.tree(type_, first, 0, scope, pin), self.number(type_, scope, pin)
        return self.node(op, "ClipByValue", type_, dims, [x, low, high], f"clamp({x.cpp}, {low.cpp}, {high.cpp})", "", True, scope, pin)

    def cast(self, type_, dims, depth, scope, pin):
        of = self.type_among("bchiulfd", type_)
        x = self.tree(of, dims, depth, scope, pin)
        return self.node("cast", "Cast", type_, dims, [x], f"cast<{CPP[type_]}>({x.cpp})", "", True, scope, pin)

    COMPARISONS = {
        "equal": ("==", "Equal"), "not_equal": ("!=", "NotEqual"), "less": ("<", "Less"), "less_equal": ("<=", "LessEqual"),
        "greater": (">", "Greater"), "greater_equal": (">=", "GreaterEqual"),
    }  # fmt: skip

    def comparison(self, type_, dims, depth, scope, pin):
        op = self.rng.choice(list(self.COMPARISONS))
        return self.two(op, *self.COMPARISONS[op], "b", self.type_among("ffdiclu"), dims, depth, scope, pin)

    def logical(self, type_, dims, depth, scope, pin):
        op = self.rng.choice(["and", "or", "xor", "not"])
        if op == "not":
            x = self.tree("b", dims, depth, scope, pin)
            return self.node(op, "LogicalNot", "b", dims, [x], f"(!{x.cpp})", "", True, scope, pin)
        symbol = {"and": "&&", "or": "||", "xor": None}[op]
        name = {"and": "LogicalAnd", "or": "LogicalOr", "xor": "LogicalXor"}[op]
        return self.two(op, symbol, name, "b", "b", dims, depth, scope, pin)

    # ---- views

    def axis_text(self, axis, rank, static_only=False):
        r = self.rng.random()
        named = axis if self.rng.random() < 0.7 else axis - rank
        return f"pl::axis<{named}>" if r < 0.6 or static_only else str(named)

    def view(self, op, name, type_, dims, x, cpp, arguments, scope, pin):
        return self.node(op, name, type_, dims, [x], cpp, arguments, True, scope, pin)

    def slice(self, type_, dims, depth, scope, pin):
        given = self.rng.randint(1, len(dims))
        parents = list(dims)
        ranges, order = [], []
        for d in range(len(dims)):
            if d >= given or self.rng.random() < 0.25:
                ranges.append("pl::range{}")
                order.append("-1")
            else:
                parents[d] = self.symbols.derived("s", dims[d])
                ranges.append(f"d.range_for({parents[d]})")
                order.append(str(parents[d]))
        x = self.tree(type_, parents, depth, scope, pin)
        cpp = f"slice({x.cpp}, {', '.join(ranges[:given])})"
        return self.view("slice", "StridedSlice", type_, dims, x, cpp, ",".join(order), scope, pin)

    def reverse(self, type_, dims, depth, scope, pin):
        axis = self.rng.randrange(len(dims))
        x = self.tree(type_, dims, depth, scope, pin)
        return self.view("reverse", "ReverseV2", type_, dims, x, f"reverse({x.cpp}, {self.axis_text(axis, len(dims))})", axis, scope, pin)

    def permuted(self, order, name_cpp, type_, dims, depth, scope, pin):
        parents = [0] * len(dims)
        for to, of in enumerate(order):
            parents[of] = dims[to]
        x = self.tree(type_, parents, depth, scope, pin)
        return self.view("permute", "Transpose", type_, dims, x, name_cpp(x.cpp), ",".join(map(str, order)), scope, pin)

    def transpose(self, type_, dims, depth, scope, pin):
        order = list(range(len(dims)))
        order[-1], order[-2] = order[-2], order[-1]
        return self.permuted(order, lambda x: f"transpose({x})", type_, dims, depth, scope, pin)

    def permute(self, type_, dims, depth, scope, pin):
        order = list(range(len(dims)))
        self.rng.shuffle(order)
        named = ", ".join(str(o if self.rng.random() < 0.8 else o - len(dims)) for o in order)
        if self.rng.random() < 0.6:
            return self.permuted(order, lambda x: f"permute<{named}>({x})", type_, dims, depth, scope, pin)
        return self.permuted(order, lambda x: f"permute({x}, {named})", type_, dims, depth, scope, pin)

    def diagonal(self, type_, dims, depth, scope, pin):
        longer = self.symbols.derived("+", dims[-1])
        pair = [dims[-1], longer] if self.rng.random() < 0.5 else [longer, dims[-1]]
        x = self.tree(type_, dims[:-1] + pair, depth, scope, pin)
        return self.view("diagonal", "MatrixDiagPart", type_, dims, x, f"diagonal({x.cpp})", "", scope, pin)

    def squeeze(self, type_, dims, depth, scope, pin):
        axis = self.rng.randint(0, len(dims))
        x = self.tree(type_, dims[:axis] + [self.symbols.constant(1)] + dims[axis:], depth, scope, pin)
        cpp = f"squeeze({x.cpp}, {self.axis_text(axis, len(dims) + 1)})"
        return self.view("squeeze", "Squeeze", type_, dims, x, cpp, axis, scope, pin)

    def expand_dims(self, type_, dims, depth, scope, pin):
        axis = self.rng.choice([i for i, d in enumerate(dims) if self.symbols.values[d] == 1])
        x = self.tree(type_, dims[:axis] + dims[axis + 1 :], depth, scope, pin)
        cpp = f"expand_dims({x.cpp}, {self.axis_text(axis, len(dims))})"
        return self.view("expand_dims", "ExpandDims", type_, dims, x, cpp, axis, scope, pin)

    def shape_text(self, dims):
        """The shape as an argument: static if all extents are fixed, otherwise dynamic."""
        values = [self.symbols.values[d] for d in dims]
        if None not in values and self.rng.random() < 0.6:
            return f"pl::extents<{', '.join(map(str, values))}>{{}}"
        return f"d.shape({', '.join(map(str, dims))})"

    def broadcast_to(self, type_, dims, depth, scope, pin):
        parents = [d if self.rng.random() < 0.4 else self.symbols.derived("m", d) for d in dims]
        parents = parents[self.rng.choice([0, 0, 1, len(dims)]) :]
        x = self.tree(type_, parents, depth, scope, pin)
        return self.view("broadcast_to", "BroadcastTo", type_, dims, x, f"broadcast_to({x.cpp}, {self.shape_text(dims)})", "", scope, pin)

    def reshape(self, type_, dims, depth, scope, pin):
        rng = self.rng
        parents = list(dims)
        for _ in range(rng.randint(1, 3)):
            how = rng.randrange(4)
            if how == 0 and len(parents) >= 2:  # merges two dimensions
                i = rng.randrange(len(parents) - 1)
                parents[i : i + 2] = [self.symbols.derived("*", parents[i], parents[i + 1])]
            elif how == 1 and len(parents) < 4:
                parents.insert(rng.randint(0, len(parents)), self.symbols.constant(1))
            elif how == 2 and len(parents) < 4:  # splits one dimension
                i = rng.randrange(len(parents))
                part = self.symbols.derived("/", parents[i])
                parents[i : i + 1] = [part, self.symbols.derived("q", parents[i], part)]
            else:
                rng.shuffle(parents)
        x = self.tree(type_, parents, depth, scope, pin)
        return self.view("reshape", "Reshape", type_, dims, x, f"reshape({x.cpp}, {self.shape_text(dims)})", "", scope, pin)

    # ---- values that depend on the index of the element

    def iota(self, type_, dims, depth, scope, pin):
        step = self.rng.choice([1, 2] if type_ in "hu" else [1, 2, -1])
        cpp = f"iota(d.extent({dims[0]}), static_cast<{CPP[type_]}>(1), static_cast<{CPP[type_]}>({step}))"
        return self.node("iota", "Range", type_, dims, [], cpp, f"1,{step}", True, scope, pin)

    def fill(self, type_, dims, depth, scope, pin):
        text, value = ("true", 1) if type_ == "b" else literal(type_, self.rng)
        cpp = f"constant(static_cast<{CPP[type_]}>({text}), {self.shape_text(dims)})"
        return self.node("fill", "Fill", type_, dims, [], cpp, value, True, scope, pin)

    def values(self, type_, dims, scope, pin):
        """A constant of numbers written in the program."""
        drawn = [("true", 1) if type_ == "b" else literal(type_, self.rng) for _ in range(self.symbols.values[dims[0]])]
        cpp = f"constant({{{', '.join(f'static_cast<{CPP[type_]}>({text})' for text, _ in drawn)}}})"
        return self.node("values", "Const", type_, dims, [], cpp, ",".join(str(v) for _, v in drawn), True, scope, pin)

    # ---- ops with kernels of their own

    def matmul(self, type_, dims, depth, scope, pin):
        batch, (m, n) = dims[:-2], dims[-2:]
        k = self.symbols.free()
        left, right = self.two_shapes(batch)
        p, q = self.split_depth(depth)
        a = self.factor(type_, left, [m, k], p, scope, pin)
        b = self.factor(type_, right, [k, n], q, scope, pin)
        return self.node("matmul", "MatMul", type_, dims, [a, b], f"matmul({a.cpp}, {b.cpp})", "", type_ in FLOATING, scope, pin)

    def factor(self, type_, batch, matrix, depth, scope, pin):
        if self.rng.random() < 0.3 and depth > 0:
            return self.transpose(type_, batch + matrix, depth - 1, scope, pin)
        return self.tree(type_, batch + matrix, depth, scope, pin)

    def softmax(self, type_, dims, depth, scope, pin):
        x = self.tree(type_, dims, depth, scope, pin)
        return self.node("softmax", "Softmax", type_, dims, [x], f"softmax({x.cpp})", "", True, scope, pin)

    def cumsum(self, type_, dims, depth, scope, pin):
        of = type_ if type_ in FLOATING else self.type_among("bchiul")
        axis = self.rng.randrange(len(dims))
        x = self.tree(of, dims, depth, scope, pin)
        cpp = f"cumsum({x.cpp}, {self.axis_text(axis, len(dims))})"
        return self.node("cumsum", "Cumsum", type_, dims, [x], cpp, axis, True, scope, pin)

    def sort(self, type_, dims, depth, scope, pin):
        axis, order = self.rng.randrange(len(dims)), self.rng.choice(["up", "down"])
        x = self.tree(type_, dims, depth, scope, pin)
        cpp = f"sort({x.cpp}, {self.axis_text(axis, len(dims))}, {'ascending' if order == 'up' else 'descending'})"
        return self.node("sort", "Sort", type_, dims, [x], cpp, f"{axis},{order}", type_ != "b", scope, pin)

    def concat(self, type_, dims, depth, scope, pin):
        axis = self.rng.randrange(len(dims))
        first = self.symbols.derived("<", dims[axis])
        rest = self.symbols.derived("-", dims[axis], first)
        m, n = self.split_depth(depth)
        a = self.tree(type_, dims[:axis] + [first] + dims[axis + 1 :], m, scope, pin)
        b = self.tree(type_, dims[:axis] + [rest] + dims[axis + 1 :], n, scope, pin)
        cpp = f"concat({self.axis_text(axis, len(dims))}, {a.cpp}, {b.cpp})"
        return self.node("concat", "ConcatV2", type_, dims, [a, b], cpp, axis, True, scope, pin)

    def host_flip(self, type_, dims, depth, scope, pin):
        x = self.tree(type_, dims, depth, scope, pin)
        return self.node("host_flip", "HostFlip", type_, dims, [x], f"host_flip({x.cpp})", "", False, scope, pin)

    FOLDS = {
        "sum": "Sum", "mean": "Mean", "prod": "Prod", "max": "Max", "min": "Min", "argmax": "ArgMax", "any": "Any",
        "all": "All", "count_nonzero": "CountNonzero", "host_total": "HostTotal",
    }  # fmt: skip

    def fold(self, type_, dims, depth, scope, pin):
        rng = self.rng
        ops = ["max", "min"]
        if type_ in "fdl":
            ops += ["sum"] * 4 + ["prod", "host_total"]
        if type_ in FLOATING:
            ops += ["mean"]
        if type_ == "l":
            ops += ["argmax", "count_nonzero"]
        if type_ == "b":
            ops = ["any", "all"] * 2 + ops
        op = rng.choice(ops)
        of = type_
        if op in ("sum", "prod", "host_total") and type_ == "l":
            of = self.type_among("bchiul")
        if op in ("argmax", "count_nonzero"):
            of = self.type_among("bchiulfd")
        if op == "mean" and type_ == "d":
            of = self.type_among("dil")
        some = op in ("max", "min", "argmax")
        if not dims:
            parents = [self.symbols.free(some) for _ in range(rng.randint(0, 3))]
            x = self.tree(of, parents, depth, scope, pin)
            return self.node(op, self.FOLDS[op], type_, dims, [x], f"{self.function_of(op)}({x.cpp})", "*", op != "host_total", scope, pin)
        ones = [i for i, d in enumerate(dims) if self.symbols.values[d] == 1]
        if ones and op != "host_total" and rng.random() < 0.5:
            return self.fold_kept(op, of, rng.choice(ones), type_, dims, depth, scope, pin)
        axis = rng.randint(0, len(dims))
        x = self.tree(of, dims[:axis] + [self.symbols.free(some)] + dims[axis:], depth, scope, pin)
        cpp = f"{self.function_of(op)}({x.cpp}, {self.axis_text(axis, len(dims) + 1)})"
        return self.node(op, self.FOLDS[op], type_, dims, [x], cpp, axis, op != "host_total", scope, pin)

    def fold_kept(self, op, of, axis, type_, dims, depth, scope, pin):
        """A reduction that keeps its dimension as 1. The description is a plain reduction with a dimension of 1 added."""
        some = op in ("max", "min", "argmax")
        x = self.tree(of, dims[:axis] + [self.symbols.free(some)] + dims[axis + 1 :], depth, scope, pin)
        reduced = self.node(op, self.FOLDS[op], type_, dims[:axis] + dims[axis + 1 :], [x], "", axis, True, scope, pin)
        cpp = f"{self.function_of(op)}({x.cpp}, pl::keep_dim({self.axis_text(axis, len(dims))}))"
        self.ops -= 1
        return self.node("expand_dims", None, type_, dims, [reduced], cpp, axis, True, scope, pin)

    @staticmethod
    def function_of(op):
        return op if op == "host_total" else "pl::" + op

    # ---- output

    def extents(self, i):
        _, dims, static = self.leaves[i]
        if all(s == -1 for s in static) and static:
            return f"pl::dextents<{len(dims)}>"
        return "pl::extents<" + ", ".join("pl::dyn" if s == -1 else str(s) for s in static) + ">"

    def signature(self):
        """The C++ text with the leaves' types in place of their names, which identifies the type."""
        text = self.root.cpp
        for i in reversed(range(len(self.leaves))):
            text = text.replace(f"x{i}", f"<{self.leaves[i][0]} {self.extents(i)}>")
        return text

    def targets(self):
        """Leaves that the result can be assigned to: of its type, with compatible extents."""
        root = self.root
        return [i for i, (t, dims, static) in enumerate(self.leaves)
                if t == root.type and len(dims) == len(root.dims) and all(s == -1 or d == r for s, d, r in zip(static, dims, root.dims))]  # fmt: skip

    def cpp(self, number):
        """The function that the test calls once per draw, and its entry in the table."""
        t, rank = CPP[self.root.type], len(self.root.dims)
        dynamic = f"pl::extents<{', '.join(['pl::dyn'] * rank)}>"
        lines = [f"void expression_{number}(draw& d) {{"]
        for i, (leaf_type, _, _) in enumerate(self.leaves):
            lines.append(f"  auto x{i} = d.leaf<{CPP[leaf_type]}, {self.extents(i)}>({i});")
        lines += [f"  auto const make = [&] {{ return {self.root.cpp}; }};", f"  auto fresh = d.target<{t}, {dynamic}>();"]
        others, same = [], ["&fresh"]
        for place, i in enumerate(self.targets(), 1):
            if all(s == -1 for s in self.leaves[i][2]):
                same.append(f"&x{i}")
            else:
                same.append("nullptr")
                others.append((place, i))
        for place, i in others:
            lines.append(f"  if (d.to() == {place}) d.assign(x{i}, make);")
        choose = f"{{{', '.join(same)}}}"
        lines.append(f"  pl::tensor<{t}, {dynamic}>* const to[] = {choose};")
        lines.append(f"  {'if (to[d.to()] != nullptr) ' if others else ''}d.assign(*to[d.to()], make);")
        for i in range(len(self.leaves)):
            lines.append(f"  d.leave({i}, x{i});")
        lines.append("}")
        table = [
            str(number),
            quoted(self.root.cpp),
            quoted(" ".join(self.symbols.kinds)),
            quoted(" ".join(self.root.words)),
            quoted(" ".join(sorted(self.root.names))),
            quoted(" ".join(map(str, self.targets()))),
            quoted(" ".join(f"{whose}={name}" for whose, name in self.tags.items())),
            str(self.scopes),
            str(self.pins),
            f"&expression_{number}",
        ]
        return "\n".join(lines), "    {" + ",\n     ".join(table) + "},"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- files


def expressions(count, seed):
    """Distinct expressions, the first ones small."""
    rng = random.Random(seed)
    seen, all_ = set(), []
    for attempt in range(100 * count):
        if len(all_) == count:
            return all_
        depth = 1 + min(7, len(all_) * 9 // count) if attempt % 2 else rng.randint(2, 8)
        e = Expression(rng, depth)
        if e.root.words[-1].startswith("leaf") or e.signature() in seen:
            continue
        seen.add(e.signature())
        all_.append(e)
    sys.exit(f"generate_expressions: only {len(all_)} distinct expressions found, {count} wanted")


HEAD = """// Written by tools/generate_expressions.py: do not change it here.
#include <generated/draw.hpp>

namespace {{

using namespace generated;
using namespace placement;

{functions}

expression const table[] = {{
{entries}
}};

}}  // namespace

TEST_CASE("expressions {first} to {last} match the interpreter") {{ check(table); }}
"""


def write_programs(description, stem, count, per_file, head, expressions):
    """The command line of a test generator. Writes the files `stem`_0.cpp, `stem`_1.cpp, ... from the template `head`."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--count", type=int, default=count)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--per-file", type=int, default=per_file)
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    written = [e.cpp(i) for i, e in enumerate(expressions(given.count, given.seed))]
    for file, first in enumerate(range(0, given.count, given.per_file)):
        part = written[first : first + given.per_file]
        text = head.format(
            functions="\n\n".join(function for function, _ in part),
            entries="\n".join(entry for _, entry in part),
            first=first,
            last=first + len(part) - 1,
        )
        (given.out / f"{stem}_{file}.cpp").write_text(text)


if __name__ == "__main__":
    write_programs(__doc__.splitlines()[0], "expressions", 300, 25, HEAD, expressions)
