#!/usr/bin/env python3
"""The CPU table: placement beside its peers, row by row, compared with the goals.

usage: table.py [REGEX] [--quick] [--programs DIR] [--save FILE | --load FILE] [--write]

Runs the benchmarks `row/side/size` of the programs in DIR (build/bench/benchmarks), for rows that match REGEX and have the side
placement. All sides of a row and size run alternately, in random order, several times, within seconds of each other. The side
placement also runs compiled with -O2 -march=native. A figure is the median of its CPU times. Sizes that the table shows are
measured twice as often. Some rows are measured with one thread and with two, by wall time, where the fastest sample counts.
--quick omits both. Rows that miss a goal come first. A peer with errors above MOST_ULPS is not the best peer.

--write puts the table between the markers `<!-- cpu -->` and `<!-- /cpu -->` of docs/performance_tables.md, SOME of its rows into
docs/performance.md, and plots into docs/images.
"""

import argparse
import collections
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

import plot

ROOT = pathlib.Path(__file__).resolve().parents[2]
US, PLAIN, LIMIT, AT_O2 = "placement", "placement_plain", "limit", " -O2"
US_O2 = US + AT_O2
REPETITIONS = 4
MOST_ULPS = 4  # a peer with larger errors does other work
WARM_UP = 0.3  # seconds until a process reaches its full speed; loading libraries takes longer than that


@dataclasses.dataclass
class Goal:
    """The goal of rows: at least `least` times the speed of a side (`best`: of the fastest peer), or at most `ns`."""

    rows: str
    side: str = "best"
    least: float = 0
    beyond: float = 0  # the same beyond the caches; 0: `least` applies there, too
    ns: float = 0
    at_O2: bool = True
    levels: str = ""  # applies only to these cache levels
    sizes: str = ""  # applies only to these sizes
    ours: str = US  # the side that must meet the goal

    def asks(self, row, level, size, side):
        """Whether the goal applies to the given side at this row and size."""
        allowed = [(self.rows, row), (self.levels or ".*", level), (self.sizes or ".*", size)]
        return all(re.fullmatch(pattern, value) for pattern, value in allowed) and (self.at_O2 or side != US_O2)

    def of(self, level):
        return self.beyond if self.beyond and level == "DRAM" else self.least


# Functions of real numbers, rows of benchmarks/kernels/math.cpp.
FUNCTIONS = (
    "exp|exp2|expm1|log|log2|log10|log1p|tanh|sigmoid|erf|erfc|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|pow|cbrt|hypot|rsqrt"
)

GOALS = [
    Goal(r"(chain|axpy|triad|triad_borrowed)_f\d\d", least=0.9, levels="L1", sizes=r"\d{4,}"),
    Goal(r"(chain|axpy|triad)_f\d\d", least=0.97, beyond=1.5, levels="L[23]|DRAM"),
    Goal(r"triad_borrowed_f\d\d", least=0.97, levels="L[23]|DRAM"),
    Goal(r"(log_sqrt|black_scholes|exp_fmod)_f\d\d", least=1),
    Goal(r"uniform_f\d\d", "std", 1.5),
    Goal(r"(truncated_)?normal_f\d\d", "std", 2),
    Goal(rf"({FUNCTIONS})_f\d\d", least=1),
    Goal(r"gauss_tanh_f32", "eigen", 1),
    Goal(r"gauss_tanh_f32", "xtensor", 1.3),
    Goal(r"gauss_tanh_f64", "xtensor", 1.05),
    Goal(r"two_outputs_f\d\d", "eigen", 1.5),
    Goal(r"(sum|mean|max|min|variance|norm)_f\d\d", "eigen", 0.95),
    Goal(r"(any|all)_f\d\d", least=1),
    Goal(r"argmax_f\d\d", least=10, beyond=2.5),
    Goal(r"(log_)?softmax_\d+_f\d\d", "eigen", 1.2),
    Goal(r"layer_norm_\d+_f\d\d", "eigen", 1),
    Goal(r"(im2col|strided_add|gather_rows|transpose)_f\d\d", least=1),
    Goal(r"im2col_f\d\d", "placement_tensor_first", 1, at_O2=False),
    Goal(r"allocate_from_(heap|pool)", ns=15),
    Goal(r"static_2x3", "loop", 1 / 1.3, at_O2=False),
    Goal(r"static_\dx\d_five_ops", "loop", 1 / 2),
    Goal(r"placed_2x3_into_existing", ns=25),
    Goal(r"placed_2x3_into_new", ns=50),
    Goal(r"expression_64_deep", ns=10_000),
    Goal(r"scope_of_a_tag", ns=1),
    Goal(r"scope_of_a_device", ns=2),
    Goal(r"matmul(?:_transposed)?_f\d\d", "openblas", 0.6),
    Goal(r"matmul(?:_transposed)?_f\d\d", "blas", 0.97, ours="placement_by_blas", at_O2=False, sizes=r"\d{3,}"),
    Goal(r"matmul_bias_relu_f\d\d", PLAIN, 1 / 1.03, sizes=r"\d{3,}"),
    Goal(r"batched_f32", least=1.5, sizes="4"),
    Goal(r"batched_f32", least=3.5, sizes="8"),
    Goal(r"batched_f32", least=1.3, sizes="16"),
    Goal(r"training_\w+", "torch", 1),
    Goal(r"conv_\dx\d(?:_to_wide)?_f32", "onednn", 0.9, sizes=r"\d\d"),
    Goal(r"conv_\dx\d(?:_to_wide)?_f32", "onednn", 0.8, sizes="7"),
    Goal(r"conv_\w+_gradient_f32", "onednn", 0.8),
    Goal(r"conv_\w+_f32", "onednn", 0.9, ours="placement_by_onednn"),
]

# Rows that are also measured with two threads.
THREADED = r"(chain_f32|triad_f64|sum_f32|argmax_f32|softmax_1024_f32|gauss_tanh_f32|matmul_f32|training_\w+)"

# Plots: the name of each picture, and the rows that are its panels.
FIGURES = [
    ("fused_f32", r"(chain|axpy|triad)_f32"),
    ("fused_f64", r"(chain|axpy|triad)_f64"),
    ("folds_f32", r"(sum|max|argmax)_f32"),
    ("softmax_f32", r"softmax_1024_f32"),
    ("math", r"gauss_tanh_f\d\d"),
    ("products", r"matmul_f\d\d"),
]


# ---- measuring


def programs_in(folder):
    found = [p for p in sorted(folder.rglob("bench_*")) if p.is_file() and os.access(p, os.X_OK)]
    return [p for p in found if not p.name.startswith(("bench_gpu", "bench_tasks"))]  # bench_tasks is for mpirun


def run(program, *arguments, threads=1):
    names = ["BENCH_THREADS", "PLACEMENT_INTRA_OP_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"]
    environment = os.environ | {name: str(threads) for name in names}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{program.name} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def split(name):
    """`row/side` or `row/side/size` -> (row, side, size), without the suffixes of Google Benchmark."""
    parts = re.sub(r"/(real_time|process_time|repeats:\d+|iterations:\d+|min_time:[\d.]+)", "", name).split("/")
    size = parts.pop() if parts[-1].isdigit() else ""
    return "/".join(parts[:-1]), parts[-1].lower(), size


def title(row):
    return row.replace("/", "_")


def plan(programs, wanted):
    """(row, size) -> its programs."""
    groups = collections.defaultdict(list)
    for program in programs:
        names = [split(n) for n in run(program, "--benchmark_list_tests").split()]
        for row, side, size in names:
            if side == US and re.search(wanted, title(row)):
                groups[row, size].append(program)
    return groups


def samples_of(program, row, size, side="[^/]+", threads=1, least=0.01):
    """Side -> the JSON of its repetitions, each of at least `least` seconds."""
    text = run(
        program,
        f"--benchmark_filter=^{re.escape(row)}/{side}{'/' + size if size else ''}(/real_time|/process_time)?$",
        f"--benchmark_repetitions={REPETITIONS}",
        "--benchmark_enable_random_interleaving=true",
        f"--benchmark_min_time={least}",
        f"--benchmark_min_warmup_time={WARM_UP if program.name.endswith('_O2') else 0}",
        "--benchmark_format=json",
        threads=threads,
    )
    sides = collections.defaultdict(list)
    for entry in json.loads(text)["benchmarks"]:
        if entry["run_type"] == "iteration" and not entry.get("error_occurred"):
            found = split(entry["name"])[1]
            sides[found + AT_O2 * program.name.endswith("_O2")].append(entry)
    return sides


def seconds(entry, clock="cpu_time"):
    clock = "real_time" if entry["name"].endswith("/real_time") else clock
    return entry[clock] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[entry["time_unit"]]


def figure_of(entries):
    """The median of samples, with their spread and the other figures of the benchmark."""
    times = sorted(seconds(e) for e in entries)
    low, median, high = statistics.quantiles(times, n=4)
    found = {"ns": 1e9 * median, "wall_ns": 1e9 * min(seconds(e, "real_time") for e in entries)}
    found |= {"samples": len(times), "spread": (high - low) / median}
    work = {"bytes": entries[0].get("bytes_per_second"), "flops": entries[0].get("FLOP/s")}
    for key, rate in work.items():
        if rate:  # rates are by CPU time, and the amount of work is constant
            found[key] = rate * seconds(entries[0]) / median
    return found | {key: entries[0][key] for key in ("held", "ulps") if key in entries[0]}


class Measured:
    """row -> size -> side -> samples, from the requested number of rounds."""

    def __init__(self):
        self.samples = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(self, groups, label):
        for number, ((row, size), programs) in enumerate(groups.items(), 1):
            progress(f"{label}: {number} of {len(groups)}, {row} {size}")
            for program in programs:
                side = f"({US}|{PLAIN})" if program.name.endswith("_O2") else "[^/]+"
                for found, entries in samples_of(program, row, size, side).items():
                    self.samples[row, size][found] += entries
        progress("")

    def add_threads(self, groups, count=2):
        """The side placement alone with one thread and with several, alternately."""
        for number, ((row, size), programs) in enumerate(groups.items(), 1):
            progress(f"{count} threads: {number} of {len(groups)}, {row} {size}")
            of_threads = (program for program in programs if not program.name.endswith("_O2"))
            for program in of_threads:
                for threads in (1, count) * 2:
                    # long enough for the system to move the second thread to the other processor
                    for side, entries in samples_of(program, row, size, "(placement|torch)", threads, 0.05).items():
                        self.samples[row, size][f"{side}, {threads} thread{'s' * (threads > 1)}"] += entries
        progress("")

    def rows(self):
        rows = collections.defaultdict(dict)
        for (row, size), sides in self.samples.items():
            rows[title(row)][size] = {side: figure_of(entries) for side, entries in sides.items()}
        return rows


def progress(said):
    if sys.stderr.isatty():
        print(f"\r{said:70}\r", end="", file=sys.stderr, flush=True)


# ---- judging


def caches():
    """Bytes of the first core's data and unified caches by level."""
    found = {}
    for index in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        read = lambda name: (index / name).read_text().strip()
        if read("type") != "Instruction":
            found[f"L{read('level')}"] = int(read("size").rstrip("K")) * 1024
    return dict(sorted(found.items()))


def level_of(figure, sizes):
    """The cache level that the data of a row fits into, or DRAM. Empty for rows without this figure."""
    if "held" not in figure:
        return ""
    return next((level for level, size in sizes.items() if figure["held"] <= size), "DRAM")


def shown(row, sizes, by_size):
    """The sizes of a row that the table shows: per cache level the nearest to half of the cache, and the largest for DRAM."""
    of_level = {}
    for size, sides in by_size.items():
        level = level_of(sides[US], sizes)
        half = sizes.get(level, 0) / 2
        far = abs(math.log(sides[US]["held"] / half)) if half else -sides[US].get("held", 0)
        if level == "":
            of_level[size] = (0, size)
        elif level not in of_level or far < of_level[level][0]:
            of_level[level] = (far, size)
    return [(level if level in sizes or level == "DRAM" else "", size) for level, (_, size) in of_level.items()]


def is_accurate(figure):
    return figure.get("ulps", 0) <= MOST_ULPS  # not with NaN


def peers_of(sides):
    return {name: f for name, f in sides.items() if not name.startswith(US) and name != LIMIT and "thread" not in name}


def best_of(sides):
    """The name and the figure of the fastest accurate peer, or None."""
    accurate = [(name, f) for name, f in peers_of(sides).items() if is_accurate(f)]
    return min(accurate, key=lambda peer: peer[1]["ns"], default=None)


def verdicts(row, level, size, sides, side):
    """The goals of a row for the side placement at -O3 or at -O2: (text, met)."""
    for goal in (g for g in GOALS if g.asks(row, level, size, side)):
        ours = sides.get(side if goal.ours == US else goal.ours)
        if not ours:
            continue
        if goal.ns:
            yield f"{ours['ns']:.3g} ns ({goal.ns:g})", ours["ns"] <= goal.ns
            continue
        if goal.side == "best":
            other = (best_of(sides) or [None])[-1]
        else:
            other = sides.get(PLAIN + AT_O2 if goal.side == PLAIN and side == US_O2 else goal.side)
        if other:
            ratio, least = other["ns"] / ours["ns"], goal.of(level)
            who = f"{goal.ours} " * (goal.ours != US)
            yield f"{who}{ratio:.2f} of {goal.side} ({least:.3g})", ratio >= least


def amount(figure):
    for key, unit in (("bytes", "GB/s"), ("flops", "GFLOP/s")):
        if key in figure:
            value = figure[key] / 1e9
            return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
    ns = figure["ns"]
    return f"{ns:.3g} ns" if ns < 1e3 else f"{ns / 1e3:.3g} us" if ns < 1e6 else f"{ns / 1e6:.3g} ms"


def peers_cell(sides):
    """The best peer, and in brackets those with larger errors: `sleef 20 GB/s, 1.10 (eigen 28 GB/s, 5.5 ulps)`."""
    best = best_of(sides)
    said = [f"{best[0]} {amount(best[1])}, {best[1]['ns'] / sides[US]['ns']:.2f}"] if best else []
    others = [f"{name} {amount(f)}, {f['ulps']:.3g} ulps" for name, f in peers_of(sides).items() if not is_accurate(f)]
    return " ".join(said + ([f"({'; '.join(others)})"] if others else []))


def table(rows, sizes):
    """The lines, those that miss a goal first, and how many goals each side met."""
    head = [
        "| work | size | placement | limit | best peer | goals | | -O2 -march=native | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    missed, others = [], []
    met = collections.Counter()
    for row, by_size in rows.items():
        for level, size in shown(row, sizes, by_size):
            sides = by_size[size]
            ours, is_missed = sides[US], False
            limit = f"{amount(sides[LIMIT])}, {sides[LIMIT]['ns'] / ours['ns']:.2f}" if LIMIT in sides else ""
            cells = [row, f"{level} {size}".strip(), amount(ours), limit, peers_cell(sides)]
            for side in (US, US_O2):
                said = list(verdicts(row, level, size, sides, side))
                good = all(ok for _, ok in said)
                is_missed |= not good
                at_limit = LIMIT in sides and sides[LIMIT]["ns"] / sides[side]["ns"] >= 0.97
                word = "met" if good else "MISSED, at the limit" if at_limit else "MISSED"
                cells += ["; ".join(text for text, _ in said), word if said else ""]
                if said:
                    met[side, good] += 1
            (missed if is_missed else others).append("| " + " | ".join(cells) + " |")
    return head + missed + others, met


def threads_table(rows, sizes):
    """The speed-up by a second thread, in wall time. Placement must never be slower with it."""
    lines = ["| work | size | one thread | two | speed-up | torch: one | two |", "|---|---|---|---|---|---|---|"]
    for row, by_size in rows.items():
        for level, size in shown(row, sizes, by_size):
            found = [by_size[size].get(f"{side}, {n}") for side in (US, "torch") for n in ("1 thread", "2 threads")]
            if found[0] and found[1]:
                times = [amount({"ns": f["wall_ns"]}) if f else "" for f in found]
                ratio = found[0]["wall_ns"] / found[1]["wall_ns"]
                said = f"{ratio:.2f}{', SLOWER' * (ratio < 0.95)}"
                lines.append(f"| {row} | {level} {size} | {times[0]} | {times[1]} | {said} | {times[2]} | {times[3]} |")
    return lines if len(lines) > 2 else []


def summary(rows, met):
    spreads = [f["spread"] for by in rows.values() for sides in by.values() for f in sides.values() if "spread" in f]
    lines = []
    for side, label in ((US, "-O3"), (US_O2, "-O2 -march=native")):
        good, bad = met[side, True], met[side, False]
        if good + bad:
            lines.append(f"{label}: {good} of {good + bad} goals met.")
    if spreads:
        lines.append(
            f"The middle half of a figure's samples is {100 * statistics.median(spreads):.0f} % of it apart, "
            f"{100 * statistics.quantiles(spreads, n=20)[-1]:.0f} % in the noisiest twentieth."
        )
    return " ".join(lines)


# ---- writing


def machine(folder, load):
    read = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.strip()
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown processor")
    cache = (folder.parent / "CMakeCache.txt").read_text() if (folder.parent / "CMakeCache.txt").exists() else ""
    said = lambda name: next(iter(re.findall(rf"^{name}:\w+=(.*)$", cache, re.M)), "")
    compiler = read(said("CMAKE_CXX_COMPILER") or "g++", "--version").splitlines()[0]
    of_caches = ", ".join(f"{level} {size // 1024} KiB" for level, size in caches().items())
    wanted = [f"lib{name}-dev" for name in ("eigen3", "xtensor", "xsimd", "torch", "openblas", "blis", "dnnl", "sleef")]
    packages = read("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package} ${Version}\n", *wanted)
    variables = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(("OPENBLAS_", "BLIS_", "MKL_"))]
    versions = [line[3:].strip() for line in packages.splitlines() if line.startswith("ii")]
    return [
        f"{cpu}, {os.cpu_count()} cores; {of_caches}; load {load}",
        f"{compiler}, {said('CMAKE_CXX_FLAGS_RELEASE')}; Google Benchmark, CPU time, one thread",
        *(["peers: " + ", ".join(versions)] if versions else []),
        *(["environment: " + ", ".join(variables)] if variables else []),
    ]


def figures(rows, folder):
    """Draws the rows that were measured at several sizes. Returns the names of the pictures."""
    names = []
    for name, pattern in FIGURES:
        panels = []
        for row, by_size in rows.items():
            if not re.fullmatch(pattern, row) or len(by_size) < 3:
                continue
            lines, unit, held = collections.defaultdict(list), "", False
            for size, sides in by_size.items():
                for side, figure in ((name, f) for name, f in sides.items() if "thread" not in name):
                    key = "bytes" if "bytes" in figure else "flops"
                    unit, held = ("GB/s" if key == "bytes" else "GFLOP/s"), "held" in figure
                    lines[side].append((figure["held"] if held else float(size), figure.get(key, 0) / 1e9))
            panels.append(plot.Panel(row, unit, lines, caches() if held else {}))
        if panels:
            (folder / f"{name}.svg").write_text(plot.picture(panels, first=[US, US_O2, LIMIT]))
            names.append(name)
    return names


def put_between(marker, text, page="docs/performance_tables.md"):
    """Replaces what is between `<!-- marker -->` and `<!-- /marker -->` of a page."""
    page, begin, end = ROOT / page, f"<!-- {marker} -->", f"<!-- /{marker} -->"
    new, count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page.read_text(), flags=re.S)
    if count != 1:
        sys.exit(f"{page}: the markers {begin} and {end} are not there once")
    page.write_text(new)


def write(rows, load, lines, threads, said, folder):
    images = ROOT / "docs/images"
    pictures = [f"![{name}: speed over size](images/{name}.svg)" for name in figures(rows, images)]
    parts = [["```text", *machine(folder, load), "```"], [said], lines, threads, pictures]
    put_between("cpu", "\n\n".join("\n".join(part) for part in parts if part))
    put_between("some rows", "\n".join(some_rows(lines)), "docs/performance.md")


# The rows of docs/performance.md: one for each kind of work, at the size where it is usually done.
SOME = {
    ("matmul_f32", "1024"): "product of 1024 x 1024 matrices",
    ("conv_3x3_f32", "28"): "convolution of ResNet-50, 28 x 28 x 128, 3 x 3",
    ("exp_f32", "16384"): "`exp(x)` of 16,384 elements",
    ("chain_f32", "L2 32768"): "`(a + b) * c - a / b` of 32,768 elements",
    ("triad_f32", "DRAM 8388608"): "`a + b * s` of 8 million elements",
    ("sum_f32", "L3 4194304"): "sum of 4 million elements",
    ("max_f32", "L2 65536"): "maximum of 65,536 elements; a NaN is found",
    ("softmax_1024_f32", "L3 2048"): "softmax of 2048 rows of 1024",
    ("transpose_f32", "L3 1024"): "transpose of 1024 x 1024",
    ("training_perceptron", "640"): "training step of a perceptron, 640 digits",
}


def some_rows(lines):
    """These rows of the table, shorter."""
    yield "| work, in floats | placement | fastest other library | placement is times as fast |"
    yield "|---|---|---|---|"
    rows = {(cells[1], cells[2]): cells for cells in ([cell.strip() for cell in line.split("|")] for line in lines) if len(cells) > 9}
    for row, work in SOME.items():
        if row in rows:
            figure, best = rows[row][3], re.sub(r" ?\(.*\)", "", rows[row][5])
            other, ratio = best.rsplit(", ", 1) if best else ("", "")
            yield f"| {work} | {figure} | {other} | {ratio} |"


def measured(groups, quick):
    found = Measured()
    found.add(groups, "all sizes")
    if not quick:
        rows, sizes = found.rows(), caches()
        again = {(row, size) for row, by_size in rows.items() for _, size in shown(row, sizes, by_size)}
        some = {group: programs for group, programs in groups.items() if (title(group[0]), group[1]) in again}
        found.add(some, "again")
        found.add_threads({group: p for group, p in some.items() if re.fullmatch(THREADED, title(group[0]))})
    return found.rows()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rows", nargs="?", default="", metavar="REGEX")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/bench/benchmarks")
    arguments.add_argument("--save", type=pathlib.Path)
    arguments.add_argument("--load", type=pathlib.Path)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    if given.load:
        saved = json.loads(given.load.read_text())
        load, rows = saved["load"], {row: sizes for row, sizes in saved["rows"].items() if re.search(given.rows, row)}
    else:
        before = os.getloadavg()[0]
        rows = measured(plan(programs_in(given.programs), given.rows), given.quick)
        load = f"{before:.1f} at the start, {os.getloadavg()[0]:.1f} at the end"
    if not rows:
        sys.exit(f"no row is called like '{given.rows}'")
    if given.save:
        given.save.write_text(json.dumps({"load": load, "rows": rows}, indent=1))
    lines, met = table(rows, caches())
    threads, said = threads_table(rows, caches()), summary(rows, met)
    print("\n".join(lines), *(["\n".join(threads)] if threads else []), said, sep="\n\n")
    if given.write:
        write(rows, load, lines, threads, said, given.programs)


if __name__ == "__main__":
    main()
