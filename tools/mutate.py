#!/usr/bin/env python3
"""Break the library on purpose, one behaviour at a time, and check that a test fails.

    tools/mutate.py [WORD...]
    tools/mutate.py --fit       only check that every entry fits the code

Applies each entry of tests/mutations.txt (those whose text has all the words) to a copy of the headers under build/mutants.
Builds and runs the entry's test, each TEST_CASE in a process of its own. Prints a table. Fails if a test passes, or if an
entry does not fit the code. PLACEMENT_CXX names the compiler. Tests below tests/cuda run on the fake driver, and those below
tests/gpu on the emulated GPU. They are left out where CUDA_HOME, or else /usr/local/cuda, is no CUDA toolkit.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
CXX = os.environ.get("PLACEMENT_CXX", "g++")
TOOLKIT = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
NVCC = TOOLKIT / "bin/nvcc"
TOOLKIT_FLAGS = ["-isystem", TOOLKIT / "include", "-isystem", TOOLKIT / "include/cccl"]
FAKE = WORK / "fake"


def entries():
    found = []
    for line in (ROOT / "tests/mutations.txt").read_text().splitlines():
        if line.startswith("== "):
            found.append({"what": line[3:]})
        elif line and not line.startswith("#"):
            key, _, value = line.partition(" ")
            found[-1][key] = value.strip()
    return found


def broken(text, old, new):
    """The text with `old` replaced by `new`, ignoring white space. None unless `old` occurs exactly once."""
    pattern = r"\s*".join(re.escape(word) for word in old.split())
    hits = list(re.finditer(pattern, text))
    if len(hits) != 1:
        return None
    return text[: hits[0].start()] + new + text[hits[0].end():]


def cases(program):
    names = subprocess.run([program, "--list-tests", "--verbosity", "quiet"], capture_output=True, text=True, check=True)
    return [name for name in names.stdout.splitlines() if name]


def first_red(program, gpus):
    """The first TEST_CASE that fails, for the first number of GPUs with a failure."""
    for count in gpus:
        for name in cases(program):
            pattern = re.sub(r"([\[\],\\*])", r"\\\1", name)
            environment = {**os.environ, "PLACEMENT_SIMULATED_GPUS": count, "EMULATED_GPU_CHECKS": "initialized"}
            try:
                done = subprocess.run([program, pattern], env=environment, capture_output=True, timeout=120)
            except subprocess.TimeoutExpired:
                return name
            if done.returncode not in (0, 4):  # 4: skipped
                return name
    return None


def runs_on_fake_driver(entry):
    return entry["red"].startswith(("cuda/", "gpu/"))


def runs_on_emulated_gpu(entry):
    return entry["red"].startswith("gpu/")


def build_fake_driver():
    FAKE.mkdir(parents=True, exist_ok=True)
    cuda = ROOT / "tests/cuda"
    for sources, library in (([cuda / "fake/libcuda.cpp", cuda / "fake/launches.cpp", *sorted((cuda / "emulator").glob("*.cpp"))],
                              "libcuda.so.1"), ([cuda / "fake/libcublaslt.cpp"], "libfake_cublaslt.so")):
        subprocess.run([CXX, "-std=c++20", "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{ROOT / 'include'}",
                        f"-I{cuda / 'emulator'}", *TOOLKIT_FLAGS, *sources, "-o", FAKE / library, "-ldl"], check=True)
    subprocess.run([CXX, "-std=c++20", "-O1", "-w", "-c", "-fPIC", "-fvisibility=hidden", *TOOLKIT_FLAGS, cuda / "runtime/cudart.cpp",
                    "-o", FAKE / "cudart.o"], check=True)


DRIVER_FLAGS = ["-ldl", "-lrt", f"-Wl,--disable-new-dtags,-rpath,{FAKE}"]


def fake_driver_flags():
    return [*TOOLKIT_FLAGS, f"-L{FAKE}", "-lfake_cublaslt", f"-L{TOOLKIT / 'lib64'}", "-lcudart_static", *DRIVER_FLAGS]


def commands_for_emulated_gpu(folder, source, program):
    yield [NVCC, "-std=c++20", "-O1", "-gencode", "arch=compute_80,code=compute_80", "--no-compress", "-w", f"-I{folder / 'include'}",
           f"-I{ROOT / 'tests'}", "-c", source, "-o", folder / "test.o"]
    yield [CXX, folder / "test.o", FAKE / "cudart.o", "-o", program, "-lCatch2Main", "-lCatch2", "-lpthread", *DRIVER_FLAGS]


def result(number, entry):
    folder = WORK / str(number)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "include", folder / "include")
    header = folder / "include/placement" / entry["in"]
    text = broken(header.read_text(), entry["-"], entry["+"])
    if text is None:
        return False, "the entry does not fit " + entry["in"]
    header.write_text(text)

    test, *gpus = entry["red"].split()
    program = folder / "test"
    source = ROOT / "tests" / test
    defined = re.findall(r"^#define (PLACEMENT_\w+)$", source.read_text(), re.M)  # before the first include
    on_fake = runs_on_fake_driver(entry)
    # These tests include the umbrella header where they want it; gradient.hpp comes before it.
    own_headers = on_fake or re.search(r"^#include <placement/(gradient|nn)\.hpp>$", source.read_text(), re.M)
    if runs_on_emulated_gpu(entry):
        commands = commands_for_emulated_gpu(folder, source, program)
    else:
        commands = [[CXX, "-std=c++20", "-O0", "-w", "-DPLACEMENT_EVERY_COMBINATION", f"-I{folder / 'include'}", f"-I{ROOT / 'tests'}",
                     *(f"-D{name}=" for name in defined), *([] if own_headers else ["-include", "placement/placement.hpp"]), source,
                     "-o", program, "-lCatch2Main", "-lCatch2", "-lpthread", *(fake_driver_flags() if on_fake else [])]]
    for command in commands:
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode != 0:
            break
    if built.returncode != 0:
        error = re.search(r"error: (.*)", built.stderr)
        return False, "does not compile: " + (error[1] if error else "")[:90]
    red = first_red(program, gpus)
    shutil.rmtree(folder)
    return red is not None, red or "STAYS GREEN: " + test


def fit():
    """Whether each entry occurs in the code exactly once."""
    bad = []
    for entry in entries():
        text = (ROOT / "include/placement" / entry["in"]).read_text()
        if broken(text, entry["-"], entry["+"]) is None:
            bad.append(f"tests/mutations.txt: '{entry['what']}' does not fit {entry['in']}")
        if not (ROOT / "tests" / entry["red"].split()[0]).exists():
            bad.append(f"tests/mutations.txt: '{entry['what']}' names {entry['red']}, which is not there")
    print("\n".join(bad), end="\n" if bad else "")
    sys.exit(bool(bad))


def main():
    if sys.argv[1:] == ["--fit"]:
        fit()
    wanted = [e for e in entries() if all(word in " ".join(e.values()) for word in sys.argv[1:])]
    WORK.mkdir(parents=True, exist_ok=True)
    if any(map(runs_on_emulated_gpu, wanted)) and not NVCC.exists():
        print(f"no {NVCC}: mutants for tests/gpu are left out")
        wanted = [e for e in wanted if not runs_on_emulated_gpu(e)]
    if any(map(runs_on_fake_driver, wanted)):
        if (TOOLKIT / "include/cuda.h").exists():
            build_fake_driver()
        else:
            print(f"no CUDA toolkit in {TOOLKIT}: mutants for tests/cuda are left out")
            wanted = [e for e in wanted if not runs_on_fake_driver(e)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("PLACEMENT_JOBS", "2"))) as pool:
        for entry, (red, text) in zip(wanted, pool.map(result, range(len(wanted)), wanted)):
            failed += not red
            print(f"{'red  ' if red else 'GREEN'}  {entry['what']}\n       {text}", flush=True)
    print(f"{len(wanted) - failed} of {len(wanted)} mutants turn a test red")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
