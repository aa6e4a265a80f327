#!/usr/bin/env python3
"""The compile cost of expression templates: placement beside Eigen, xtensor and Thrust, in the same run.

    benchmarks/compile_time/build_cost.py [--runs N] [--compilers g++,clang++-19,nvcc] [--libraries placement,eigen,...]

Compiles each program of each library's folder here (the same expressions, written for that library) with each compiler,
one after another and N times (default 5). Prints for each the medians of wall and CPU time (-O2), the peak memory, the
instructions in the object and its longest symbol. Then prints the nesting depth of templates and the number of preprocessed
lines, and last a short table of ratios. Libraries and compilers that are not installed are left out, and named. Needs only
Python.

    umbrella  the #include alone       deep   64 nested ops
    first     out = a + b * c          wide   the sum of 64 arrays
    ten       ten expressions

"compiled" is placement with PLACEMENT_COMPILED defined: the library's own code is compiled in another file.
"""

import argparse
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = ["umbrella", "first", "ten", "deep", "wide"]
CUDA_PROGRAMS = ["empty", "umbrella", "first", "ten"]
CUDA_LIBRARIES = ["placement", "compiled", "thrust"]  # the arrays of the other libraries do not compute on a GPU
FOLDER = {"compiled": "placement"}  # libraries whose folder has another name
DEFAULT_DEPTH = {"g++": 900, "clang": 1024}  # -ftemplate-depth=


def found(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def nvcc():
    """The CUDA compiler. Toolkits are often installed without changing PATH."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for candidate in (os.environ.get("CUDACXX"), shutil.which("nvcc"), f"{home}/bin/nvcc"):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def flags_of(library):
    """The flags of a host compiler for this library's programs. None if the library is not installed."""
    if library == "placement":
        return [f"-I{ROOT / 'include'}"]
    if library == "compiled":
        return [f"-I{ROOT / 'include'}", "-DCOMPILED"]
    if library == "thrust":
        toolkit = nvcc() and pathlib.Path(nvcc()).resolve().parent.parent
        for inside in ("include/cccl", "include"):  # CUDA 13 moved it
            if toolkit and (toolkit / inside / "thrust").is_dir():
                cpp = "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"
                return [cpp, "-isystem", str(toolkit / inside), "-isystem", str(toolkit / "include")]
        return None
    name = {"eigen": "eigen3", "xtensor": "xtensor"}[library]
    if shutil.which("pkg-config") is None or found(["pkg-config", "--exists", name]) is None:
        return None
    return found(["pkg-config", "--cflags", name]).split()


HOW_TO_GET = {
    "eigen": "./dev setup bench (libeigen3-dev)",
    "xtensor": "./dev setup bench (libxtensor-dev)",
    "thrust": "it comes with NVIDIA's CUDA toolkit",
    "clang++-19": "./dev setup ci",
    "nvcc": "it comes with NVIDIA's CUDA toolkit",
}


class Case:
    """One program of one library, with one compiler."""

    def __init__(self, compiler, library, program, scratch):
        self.compiler, self.library, self.program = compiler, library, program
        self.object = scratch / f"{compiler}.{library}.{program}.o"
        self.wall, self.cpu, self.kib = [], [], []
        source = scratch / "empty.cpp" if program == "empty" else HERE / FOLDER.get(library, library) / f"{program}.cpp"
        if compiler == "nvcc":
            own = ["--extended-lambda"] if library == "thrust" else flags_of(library)
            own = [] if program == "empty" else own
            self.command = [nvcc(), "-std=c++20", "-O2", "-x", "cu", *own]
        else:
            self.command = [compiler, "-std=c++20", "-O2", *flags_of(library)]
        self.command.append(str(source))

    def run(self):
        """Compiles once and records the cost, including that of child processes."""
        begin = time.perf_counter()
        process = subprocess.Popen([*self.command, "-c", "-o", self.object], stderr=subprocess.PIPE, text=True)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"build_cost: this does not compile: {' '.join(self.command)}\n{said[:2000]}")
        self.wall.append(time.perf_counter() - begin)
        self.cpu.append(used.ru_utime + used.ru_stime)
        self.kib.append(used.ru_maxrss)

    def seconds(self):
        return statistics.median(self.cpu)

    def text_bytes(self):
        return int(subprocess.check_output(["size", self.object], text=True).splitlines()[-1].split()[0])

    def longest_symbol(self):
        """(the mangled name, the demangled name)"""
        names = [found(["nm", *how, "--format=posix", self.object]) or "" for how in ([], ["-C"])]
        # In this format each line is NAME TYPE VALUE SIZE, and a demangled name contains spaces.
        raw = [line.split(" ")[0] for line in names[0].splitlines()]
        readable = [" ".join(line.split(" ")[:-3]) for line in names[1].splitlines()]
        return max(map(len, raw), default=0), max(map(len, readable), default=0)

    def lines(self):
        return len(found([*self.command, "-E", "-P"]).splitlines())

    def depth(self):
        """The least -ftemplate-depth= that compiles, by bisection. None if it is above the default."""

        def compiles(depth):
            limited = [*self.command, "-O0", f"-ftemplate-depth={depth}", "-S", "-o", os.devnull]
            return subprocess.run(limited, capture_output=True).returncode == 0

        low, high = 0, DEFAULT_DEPTH["clang" if "clang" in self.compiler else "g++"]
        if not compiles(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if compiles(middle) else (middle, high)
        return high


def version_of(compiler):
    lines = subprocess.check_output([nvcc() if compiler == "nvcc" else compiler, "--version"], text=True).splitlines()
    return next(line for line in lines if "release" in line) if compiler == "nvcc" else lines[0]


def machine():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def choose(asked, here, what):
    """Those of `asked` that are in `here`. Prints which are missing, and how to install them."""
    for name in asked:
        if name not in here:
            print(f"without {what} {name}: not found here; {HOW_TO_GET.get(name, 'install it')}")
    return [name for name in asked if name in here]


def measured(cases, runs):
    for turn in range(runs):
        for case in cases:
            if sys.stderr.isatty():
                print(f"\r\033[Krun {turn + 1} of {runs}: {case.compiler} {case.library} {case.program}\r", end="",
                      file=sys.stderr, flush=True)
            case.run()


def print_details(cases):
    print(f"\n{'compiler':<12}{'library':<11}{'program':<10}{'wall s':>8}{'CPU s':>8}{'MiB':>6}{'text KB':>9}"
          f"{'longest symbol':>16}{'readable':>10}")
    for case in cases:
        raw, readable = case.longest_symbol()
        print(f"{case.compiler:<12}{case.library:<11}{case.program:<10}{statistics.median(case.wall):>8.2f}"
              f"{case.seconds():>8.2f}{statistics.median(case.kib) / 1024:>6.0f}{case.text_bytes() / 1000:>9.1f}"
              f"{raw:>16}{readable:>10}")


def print_limits(cases):
    cases = [case for case in cases if case.compiler != "nvcc"]
    if cases:
        print("\nlines after -E -P, and the least -ftemplate-depth= that compiles")
    for case in cases:
        if case.program == "umbrella":
            print(f"{case.compiler:<12}{case.library:<11}{case.program:<10}{case.lines():>8} lines")
        elif case.program in ("deep", "wide") and case.library == "placement":
            print(f"{case.compiler:<12}{case.library:<11}{case.program:<10}{case.depth() or 'above the default':>8} deep")


def print_ratios(cases, libraries):
    """CPU seconds of placement, and their ratio to each peer's, for each way to use placement."""
    for ours in ("placement", "compiled"):
        if ours in libraries:
            print_ratios_of(ours, cases, [name for name in libraries if name not in ("placement", "compiled")])


def print_ratios_of(name, cases, peers):
    seconds = {(case.compiler, case.library, case.program): case.seconds() for case in cases}
    print(f"\n{name + ', CPU s':<28}{'':>8}" + "".join(f"{'/ ' + peer:>11}" for peer in peers))
    for compiler in dict.fromkeys(case.compiler for case in cases):
        rows = {program: seconds.get((compiler, name, program)) for program in PROGRAMS}
        for program, ours in rows.items():
            if ours is None:
                continue
            theirs = [seconds.get((compiler, peer, program)) for peer in peers]
            ratios = "".join(f"{ours / s:>11.2f}" if s else f"{'-':>11}" for s in theirs)
            print(f"{compiler:<12}{program:<16}{ours:>8.2f}{ratios}")

        def added(label, more, less, count=1):
            cost = {library: (seconds[compiler, library, more] - seconds[compiler, library, less]) / count
                    for library in (name, *peers)
                    if (compiler, library, more) in seconds and (compiler, library, less) in seconds}
            if name in cost:
                theirs = [cost.get(peer) for peer in peers]
                ratios = "".join(f"{cost[name] / s:>11.2f}" if s and s > 0 else f"{'-':>11}" for s in theirs)
                print(f"{compiler:<12}{label:<16}{cost[name]:>8.2f}{ratios}")

        added("over empty", "umbrella", "empty")
        added("first, added", "first", "umbrella")
        added("each further", "ten", "first", 9)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--compilers", default="g++,clang++-19,nvcc")
    options.add_argument("--libraries", default="placement,compiled,eigen,xtensor,thrust")
    asked = options.parse_args()

    wanted = asked.libraries.split(",")
    libraries = choose(wanted, [name for name in wanted if flags_of(name) is not None], "library")
    wanted = asked.compilers.split(",")
    compilers = choose(wanted, [name for name in wanted if (nvcc() if name == "nvcc" else shutil.which(name))], "compiler")
    print(machine(), *map(version_of, compilers), sep="\n")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "empty.cpp").write_text("")
        cases = []
        for compiler in compilers:
            for program in CUDA_PROGRAMS if compiler == "nvcc" else PROGRAMS:
                for library in libraries:
                    if compiler != "nvcc" or library in CUDA_LIBRARIES:
                        cases.append(Case(compiler, library, program, scratch))
        measured(cases, asked.runs)
        print_details(cases)
        print_limits(cases)
        print_ratios(cases, libraries)


if __name__ == "__main__":
    main()
