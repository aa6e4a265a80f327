#!/usr/bin/env python3
"""Training steps: placement beside PyTorch and TensorFlow, in one run.

usage: table.py PROGRAM [--pytorch PYTHON] [--tensorflow PYTHON] [--threads 1,2] [--quick] [--write]

PROGRAM is steps.cpp. Each side is a process that lives through the run. In each round all sides do the steps of a row one after
another, in random order; a figure is the median of all steps. --write puts the tables between the markers `<!-- training -->` and
`<!-- /training -->` of docs/performance_tables.md.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/peers"))
import table as cpu_table  # noqa: E402

US = "placement"
ROWS = ["net_a", "net_b", "net_a_by_ops", "net_b_by_ops", "perceptron_by_tape", "perceptron_by_hand", "chain", "chain_gradient", "chain_by_tape", "statement", "statement_recorded", "statement_backward"]
MEMORY = ["net_a", "net_b"]
GOALS = {"net_a": 2.5, "net_b": 4.0, "net_a_by_ops": 1.5, "net_b_by_ops": 1.5}  # times as fast as the best peer
TAPE_GOAL = 1.02  # of the same step by hand
CHAIN_GOAL = 3  # a gradient beside its forward pass
COMPILE_GOAL = 1.3  # of the perceptron by tape beside by hand


class Side:
    def __init__(self, name, command, threads):
        self.name, self.command = name, command
        names = ["BENCH_THREADS", "PLACEMENT_INTRA_OP_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
        self.environment = os.environ | {n: str(threads) for n in names} | {"TF_CPP_MIN_LOG_LEVEL": "3", "PLACEMENT_LOG": "off"}
        self.process = self.start()

    def start(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(self.command, text=True, env=self.environment, **pipes)

    @staticmethod
    def ask(process, request):
        process.stdin.write(request + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            sys.exit(f"{' '.join(map(str, process.args))} ended at the request '{request}'")
        return json.loads(answer)

    def steps(self, row, seconds):
        return self.ask(self.process, f"{row} {seconds}")

    def memory(self, row):
        """Of a process of its own: pools keep memory."""
        process = self.start()
        try:
            return self.ask(process, f"memory {row}")
        finally:
            process.stdin.close()
            process.wait()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def commands(given):
    peers = pathlib.Path(__file__).with_name("peers.py")
    found = {US: [given.program]}
    if given.pytorch.exists():
        found |= {n: [given.pytorch, peers, n] for n in ("torch", "torch_channels_last", "torch_compiled")}
    if given.tensorflow.exists():
        found["tensorflow"] = [given.tensorflow, peers, "tensorflow"]
    for name, python in (("pytorch", given.pytorch), ("tensorflow", given.tensorflow)):
        if not python.exists():
            print(f"skipped {name}: {python} is not there. Run ./dev setup peers")
    return found


def peer_versions(given):
    """A line of the peers' versions, if there are any."""
    found = []
    for python, package in ((given.pytorch, "torch"), (given.tensorflow, "tensorflow-cpu")):
        code = f"from importlib.metadata import version; print(version('{package}'))"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True) if python.exists() else None
        if done and done.returncode == 0:
            found.append(f"{package} {done.stdout.strip()}")
    return ["peers: " + ", ".join(found)] if found else []


def measured(given, threads):
    """row -> side -> nanoseconds of steps; and row -> side -> bytes."""
    sides = [Side(name, command, threads) for name, command in commands(given).items()]
    times = {row: {} for row in ROWS}
    seconds, rounds = (0.2, 2) if given.quick else (1.0, 7)
    for _ in range(rounds):
        for row in ROWS:
            random.shuffle(sides)
            for side in sides:
                asked = row if side.name == US else row.removesuffix("_by_ops")
                if found := side.steps(asked, seconds):
                    times[row].setdefault(side.name, []).extend(found)
    memory = {row: {s.name: found[0] for s in sides if (found := s.memory(row))} for row in MEMORY}
    for side in sides:
        side.stop()
    return {row: {s: statistics.median(t) for s, t in of.items()} for row, of in times.items()}, memory


def amount(ns):
    return cpu_table.amount({"ns": ns})


def judged(ratio, goal):
    return f"{ratio:.2f} ({goal:g}), {'met' if ratio >= goal else 'MISSED'}"


def steps_table(times, threads):
    peers = sorted({side for of in times.values() for side in of if side != US})
    lines = [f"| {threads} thread{'s' * (threads > 1)} | {US} | {' | '.join(peers)} | best peer over ours (goal) |"]
    lines.append("|---" * (len(peers) + 3) + "|")
    for row, of in times.items():
        best = min((t for side, t in of.items() if side != US), default=None)
        ratio = "" if best is None else judged(best / of[US], GOALS[row]) if row in GOALS else f"{best / of[US]:.2f}"
        lines.append("| " + " | ".join([row, amount(of[US]), *(amount(of[p]) if p in of else "" for p in peers), ratio]) + " |")
    tape = times["perceptron_by_tape"][US] / times["perceptron_by_hand"][US]
    chain = {row: times[row][US] / times["chain"][US] for row in ("chain_gradient", "chain_by_tape")}
    recording = times["statement_recorded"][US] - times["statement"][US]
    return lines, (
        f"The perceptron by tape takes {tape:.3f} times as long as by hand ({TAPE_GOAL:g}). "
        f"The gradient of an element-wise chain takes {chain['chain_gradient']:.2f} times as long as the chain ({CHAIN_GOAL}); the chain, its sum and "
        f"the gradient by tape {chain['chain_by_tape']:.2f} times. "
        f"Recording one statement costs {amount(recording)}, and its backward pass {amount(times['statement_backward'][US])}."
    )


def memory_table(memory):
    sides = sorted({side for of in memory.values() for side in of}, key=lambda s: (s != US, s))
    lines = ["| peak memory of steps, MiB | " + " | ".join(sides) + " |", "|---" * (len(sides) + 1) + "|"]
    for row, of in memory.items():
        lines.append("| " + " | ".join([row, *(f"{of[s] / 2**20:.0f}" if s in of else "" for s in sides)]) + " |")
    return lines


def seconds_to_compile(text):
    """CPU seconds of g++ at -O2 for a file whose library code is compiled elsewhere, as CMake does it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.cpp")
        source.write_text(text)
        includes = [f"-I{ROOT / p}" for p in ("include", "examples/mnist_conv", "benchmarks/training")]
        before = os.times()
        subprocess.run(["g++", "-std=c++20", "-O2", "-DPLACEMENT_COMPILED", *includes, "-c", source, "-o", pathlib.Path(folder, "source.o")], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system


def compile_table():
    """What a step costs to compile; and the ratio of the perceptron by tape to that by hand."""
    lines = ["| g++ -O2, as through CMake | CPU seconds |", "|---|---|"]
    for net in ("net_a", "net_b"):
        spent = seconds_to_compile(
            '#include "nets.hpp"\n'
            "using namespace mnist;\n"
            "using images = pl::tensor<float, pl::extents<pl::dyn, 28, 28, 1>>;\n"
            "float train(images const& x, pl::tensor<int, pl::dextents<1>> const& labels) {\n"
            f"  auto net = {net}();\n"
            "  nn::adam adam(0.001);\n"
            "  return pl::item(adam.minimize([&] { return loss_of(net, x, labels); }, net));\n"
            "}\n"
        )
        lines.append(f"| {net} | {spent:.1f} |")
    spent = {}
    for way in ("by_tape", "by_hand"):
        text = f'#include "{way}.hpp"\nfloat step(training::perceptron& p) {{ return training::step_{way}(p); }}\n'
        spent[way] = statistics.median(seconds_to_compile(text) for _ in range(3))
        lines.append(f"| perceptron {way} | {spent[way]:.1f} |")
    ratio = spent["by_tape"] / spent["by_hand"]
    return lines, [f"The perceptron by tape takes {ratio:.2f} times as long to compile as by hand ({COMPILE_GOAL})."]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--pytorch", type=pathlib.Path, default=ROOT / "build/pytorch/bin/python")
    arguments.add_argument("--tensorflow", type=pathlib.Path, default=ROOT / "build/tensorflow/bin/python")
    arguments.add_argument("--threads", default="1,2")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    load, began = os.getloadavg()[0], time.strftime("%Y-%m-%d")
    parts, memory = [], {}
    for threads in map(int, given.threads.split(",")):
        times, found = measured(given, threads)
        lines, sentence = steps_table(times, threads)
        parts += [lines, [sentence]]
        memory = memory or found
    parts += [memory_table(memory), *([] if given.quick else compile_table())]
    load = f"{load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end"
    processor, compiler = cpu_table.machine(given.program.parents[1], load)[:2]
    compiler = compiler.replace("Google Benchmark, CPU time, one thread", f"wall time, medians, {began}")
    machine = ["```text", processor, compiler, *peer_versions(given), "```"]
    text = "\n\n".join("\n".join(part) for part in [machine, *parts])
    print(text)
    if given.write:
        cpu_table.put_between("training", text)


if __name__ == "__main__":
    main()
