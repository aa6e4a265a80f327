#!/usr/bin/env python3
"""Check that the loops of block kernels are vector code: no call and no arithmetic on single elements.

usage: read_loops.py COMPILER INCLUDE_DIRECTORY [--levels] [FLAG...]      -DPLACEMENT_ALL_KERNELS: the long list

Compiles kernels.cpp beside this file at -O2 and reads the assembly of each function run_block. --levels: levels.cpp,
and the loops over formulas for each level of x86-64.
"""
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++20", "-O2", "-g0", "-fno-asynchronous-unwind-tables", "-S", "-o", "-"]

JUMP = re.compile(r"^j(\w+)\s+(\S+)$")
SCALAR = [re.compile(p) for p in (
    # floating point of one lane
    r"v?(add|sub|mul|div|sqrt|max|min|rcp|rsqrt|round|rndscale|u?comi|cmp\w*|fn?m(add|sub)\w*|range|getexp|scalef)s[sdh]$",
    r"v?cvtt?(s[sd]2u?si|u?si2s[sd]|ss2sd|sd2ss)",
    r"f(ld|st|add|mul|div|sub|prem|rnd|com|chs|abs)",  # x87
    # integers in general registers; additions, comparisons and moves are those of addresses
    r"(imul|mul|idiv|div|not|adc|sbb|set\w+|bt|bs[fr])[bwlq]?$",
    # elements that are moved one by one
    r"v?pextr[bwdq]$", r"v?pinsr[bwdq]$", r"v?(insert|extract)ps$",
)]
# The same, but around the loop over packs: of the number of turns, and of the elements after the last pack.
BITS = re.compile(r"(sar|shr|shl|sal|or|xor|neg|cmov\w+?)[bwlq]?$")
# The mask of a pack in a general register, for a branch: clang inverts its bits before the comparison.
MASK = re.compile(r"^v?p?movmsk(ps|pd|b) .*, (%\w+)$")
# What is allowed: (kernels, code, reason).
ALLOWED = [(re.compile(kernel), re.compile(code), reason) for kernel, code, reason in (
    (r"(floor_)?(divide|modulo)_op, memory_slot<long", r"div|neg|or|shr|vp(ins|ext)r|no vector", "processors divide no vectors of 64-bit integers"),
    (r"(sin|cos)_op, memory_slot<double", r"call.*replace_each", "cold: angles of 2^26 and more"),
    (r"(uniform|normal|uniform_int)_op<", r"sar|shr|xor|neg|sbb", "the number of the block of a pack's first element, and the keys of the rounds"),
    (r"random_loop<", r"call.*memcpy|set(g|ge|ns|nl)", "the elements at the ends, around the loop over whole registers"),
    (r"remainder_work<", r"call.*memcpy|^or[ql]? |imul|pextr", "the test for far quotients, and the last elements, around the loop over whole registers"),
    (r"isclose_op, memory_slot<((un)?signed|short|int)", r"^or[bl]", "masks of whole registers, more of them than AVX-512 has registers for"),
    (r"^(?!.*exp_op).*(add|subtract|multiply|square|negative)_op", r"(add|sub|mul)s[sd]|mul|neg", "the last elements, after the packs"),
    (r"_formula, .*double", r"call.*replace_each", "cold: numbers that a double's formula computes apart"),
    (r"formula_for_avx\w+<log\w*_formula, double", r"^orq", "clang reduces the two signs of the test for such numbers apart"),
    (r"run_formula.*double", r"(not|or|sar|shr|set|sbb|neg|xor|cmov)", "the test for such numbers: SSE2 compares no integers of 64 bits"),
    (r"run_formula<(left|right)_shift", r"no vector", "processors without AVX2 shift all lanes alike"),
    (r"multiply_op, .*cpu_kernels_for<16,", r"(add|sub|mul)s[sd]", "the last elements, after the packs of a stage"),
)]
# Runs once before the last pack, around the loop over packs.
OUTSIDE = re.compile(r"9copy_rest")
# The loop of a function for the processor, once per stage of 256 elements. The loop over stages has other code around the
# loops over packs, which are its innermost ones.
STAGE = re.compile(r"^(?:call|jmp).*(11run_formula|12run_by_width|(1[0-9]|20)(activation|element|cast|close|divide|random|random_integer)_loops|"
                   r"(exp2?|log|log2|log10|a?tanh|tan|sigmoid|sin|a?sinh|cos|a?cosh|erfc?|pow|"
                   r"shift|cbrt|atan2?|hypot|logaddexp|remainder|step)_loop)")


def functions(text, pattern):
    """The lines of each function by its symbol: (is it cold code, line)."""
    found, name, cold = {}, None, False
    for line in text.splitlines():
        if start := re.match(rf"^(_Z\w*{pattern}\w*?(?:\.(?:isra|constprop|part)\.\d+)*)(\.cold)?:", line):
            name, cold = start[1], start[2] is not None
            found.setdefault(name, [])
        elif re.match(r"^[_a-zA-Z][\w.]*:", line):
            name = None
        elif line.startswith("\t.section") or line.startswith("\t.text"):
            cold = ".text.unlikely" in line
        elif name and (m := re.match(r"^(\.\w+):", line)):
            found[name].append((cold, m[1] + ":"))
        elif name and (m := re.match(r"^\t([a-z][^#]*)", line)):
            found[name].append((cold, re.sub(r"\s+", " ", m[1].strip())))
    return found


def blocks_of(lines):
    """Basic blocks: [(is cold, instructions, numbers of the successors)]."""
    blocks, at, fresh = [], {}, True
    for cold, line in lines:
        if line.endswith(":"):
            fresh = True
            at[line[:-1]] = len(blocks)
            blocks.append([cold, [], []])
            fresh = False
            continue
        if fresh or not blocks:
            blocks.append([cold, [], []])
        blocks[-1][1].append(line)
        fresh = bool(re.match(r"^(j\w+|ret\w*|ud2)\b", line))
    for n, (_, code, after) in enumerate(blocks):
        last = code[-1] if code else ""
        jump = JUMP.match(last)
        if jump:
            target = re.sub(r"^\*", "", jump[2])
            if target in at:
                after.append(at[target])
        if not re.match(r"^(jmp|ret\w*|ud2)\b", last) and n + 1 < len(blocks):
            after.append(n + 1)
    return blocks


def loops_of(blocks):
    """The natural loops: the sets of their blocks' numbers."""
    count = len(blocks)
    before = [[] for _ in range(count)]
    for n, (_, _, after) in enumerate(blocks):
        for to in after:
            before[to].append(n)
    reached, stack = {0}, [0]
    while stack:
        for to in blocks[stack.pop()][2]:
            if to not in reached:
                reached.add(to)
                stack.append(to)
    dominators = {n: set(reached) for n in reached}
    dominators[0] = {0}
    changed = True
    while changed:
        changed = False
        for n in sorted(reached - {0}):
            from_ = [dominators[p] for p in before[n] if p in reached]
            new = set.intersection(*from_) | {n} if from_ else {n}
            if new != dominators[n]:
                dominators[n], changed = new, True
    loops = {}
    for n in reached:
        for head in blocks[n][2]:
            if head in dominators[n]:
                body, stack = {head, n}, [n]
                while stack:
                    b = stack.pop()
                    if b == head:
                        continue
                    for p in before[b]:
                        if p in reached and p not in body:
                            body.add(p)
                            stack.append(p)
                loops.setdefault(head, set()).update(body)
    return list(loops.values())


def is_vector(line):
    return bool(re.search(r"%[xyz]mm", line)) and not is_scalar(line)


def is_scalar(line):
    return any(p.match(line.split(" ")[0]) for p in SCALAR)


def is_scalar_bits(line):
    name, _, operands = line.partition(" ")
    is_zero = name.startswith("xor") and len(set(operands.split(", "))) == 1
    return bool(BITS.match(name)) and "mm" not in operands and not is_zero


def faults(lines):
    """What the loops of a function have besides vector code. Cold code is left out."""
    blocks = blocks_of(lines)
    loops = loops_of(blocks)
    inside = set().union(*loops) if loops else set()
    around = {n for n in inside  # blocks of a loop around others, and of no other
              if sum(n in loop for loop in loops) == 1 and any(n in a and b < a for a in loops for b in loops)}
    calls_stage = any(STAGE.match(line) for _, line in lines)
    if calls_stage:
        inside = {n for loop in loops if not any(other < loop for other in loops) for n in loop}
    wrong, vectors = [], 0
    for n in sorted(inside):
        cold, code, _ = blocks[n]
        for before, line in zip(["", *code], code) if not cold else ():
            vectors += is_vector(line)
            if (mask := MASK.match(before)) and re.match(rf"^(xor|not)l .*{mask[2]}$", line):
                continue
            if (is_scalar(line) or line.startswith("call") and not OUTSIDE.search(line) and not STAGE.match(line)
                    or n not in around and is_scalar_bits(line)):
                wrong.append(line)
    return wrong if vectors or calls_stage else ["no vector loop"]


def short(name):
    name = re.sub(r"placement::v0_1::(detail::)?|vector_loops::", "", name)
    name = re.sub(r"^void run_block<(.*)>\(void const\*.*$", r"\1", name)
    name = re.sub(r"bound_expr<false, ", "(", name)
    return name


def main():
    compiler, include, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    of_levels = "--levels" in flags
    source = FOLDER / ("levels.cpp" if of_levels else "kernels.cpp")
    flags = [f for f in flags if f != "--levels"]
    text = subprocess.run([compiler, *FLAGS, *flags, f"-I{include}", str(source)], check=True, capture_output=True,
                          text=True).stdout
    loops = r"(?:formula_for_avx|run_formula|run_for_\w*(?:11random_loop|14remainder_work|1[45](?:quotient|remainder)_lanes))"
    found = functions(text, loops if of_levels else "run_block")
    names = subprocess.run(["c++filt"], input="\n".join(found), check=True, capture_output=True, text=True).stdout
    bad = 0
    for name, lines in zip(map(short, names.splitlines()), found.values()):
        wrong = [w for w in faults(lines)
                 if not any(kernel.search(name) and code.search(w) for kernel, code, _ in ALLOWED)]
        if wrong:
            bad += 1
            kinds = sorted(set(w if w.startswith("call") else w.split()[0] for w in wrong))
            print(f"{name}: {len(wrong)}: {', '.join(kinds)[:200]}")
    print(f"{len(found)} kernels, {bad} of them with calls or code for single elements in a loop")
    sys.exit(1 if bad or len(found) < 80 else 0)


if __name__ == "__main__":
    main()
