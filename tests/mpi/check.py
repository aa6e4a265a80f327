#!/usr/bin/env python3
"""Run the programs of tests/mpi under mpirun, and compare them with simulated tasks, or with what they must report.

usage: check.py oracle MPIEXEC PROGRAM [tasks ...]
       check.py faults MPIEXEC PROGRAM [tasks ...]
       check.py mutants MPIEXEC PROGRAM [tasks ...]
       check.py kills MPIEXEC PROGRAM [tasks ...]
       check.py example MPIEXEC PROGRAM
       check.py saves MPIEXEC PROGRAM
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

NIGHTLY = "PLACEMENT_NIGHTLY" in os.environ
# Seconds from a fault to the end of the program, besides the start of the processes: 3 on free cores.
WITHIN = 3.0 if NIGHTLY else 15.0
LONGEST = 60  # seconds of a run; more is a hang
# Variables of Open MPI and of MPICH for messages over TCP alone, by loopback.
BY_TCP = {"OMPI_MCA_btl": "self,tcp", "MPIR_CVAR_NOLOCAL": "1", "FI_PROVIDER": "tcp", "UCX_TLS": "self,tcp", "UCX_NET_DEVICES": "lo"}


def environment(**more):
    """The variables of a run. Loopback and shared memory only."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PLACEMENT_") and k != "TF_CONFIG"}
    kept.update(PLACEMENT_LOG="off", PLACEMENT_SIMULATED_GPUS="2", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader,tcp",
                OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_oob_tcp_if_include="lo", OMPI_MCA_mpi_yield_when_idle="1",
                MPICH_INTERFACE_HOSTNAME="localhost", HYDRA_IFACE="lo")
    kept.update(more)
    return kept


def run(command, **more):
    """(status, output, errors, seconds) of a command; status None for a hang, whose processes are ended."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env=environment(**more), start_new_session=True)
    try:
        output, errors = process.communicate(timeout=LONGEST)
        return process.returncode, output, errors, time.monotonic() - start
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return None, output, errors, time.monotonic() - start


def launched(mpiexec, tasks, *command):
    return [mpiexec, "-n", str(tasks), *command]


def left_over(program):
    """Processes of the program that still run a second after its launcher ended."""
    for _ in range(20):
        if not running(program):
            return []
        time.sleep(0.05)
    return running(program)


def running(program):
    """The processes of a program."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.readlink(f"/proc/{entry}/exe") == os.path.realpath(program):
                    found.append(entry)
            except OSError:
                pass
    return found


def oracle(mpiexec, program, tasks):
    """Values and messages of random programs are those of simulated tasks, bit for bit. Two tasks also connect by TCP."""
    wrong = 0
    for n in tasks or ((1, 2, 3, 4, 7) if NIGHTLY else (1, 2, 3)):
        for arguments in (["0", "12"], ["40", "4", "1000"]):  # the second: messages of at most 1,000 bytes
            status, expected, errors, _ = run([program, *arguments], PLACEMENT_SIMULATED_TASKS=str(n))
            assert status == 0 and expected.count("seed") >= 4, f"simulated, {n} tasks: {status} {errors}"
            assert len(arguments) == 3 or "300 expressions on tasks: 300 as here" in expected, f"simulated, {n} tasks: {expected}"
            for way in ({}, BY_TCP) if n == 2 else ({},):
                status, found, errors, _ = run(launched(mpiexec, n, program, *arguments), **way)
                if status == 0 and found == expected:
                    continue
                wrong += 1
                first = next((pair for pair in zip(expected.splitlines(), found.splitlines()) if pair[0] != pair[1]), "")
                print(f"{n} tasks, {arguments}, {way}: status {status}, first difference {first}\n{errors[-2000:]}")
    print(f"{wrong} wrong")
    return wrong


# fault: what the errors must have, each as a pattern. LINE: a statement with its line.
LINE = r"[\w ]+ \[[^\]]*\]\) (?:at|after) faults\.cpp:\d+"
BOTH = [rf"{LINE}", r"on /job:worker/task:[02-9]", r"on /job:worker/task:1"]
FAULTS = {
    "skip": BOTH, "repeat": BOTH, "reorder": BOTH, "reshape": BOTH, "redirect": BOTH, "read": BOTH, "collective": BOTH,
    "return": [r"end of program \[\]", LINE],
    "throw": [r"/job:worker/task:1 failed after statement", r"this task throws", LINE],
    "uncaught": [r"/job:worker/task:1 failed after statement", r"this task throws", LINE],
    "value": [r"an element that is the same on every task is another one", LINE],
    "kill": [r"/job:worker/task:1 (has died|was stopped|failed)|task 0 was stopped in statement|signal 9|BAD TERMINATION|Killed"],
    "stop": [r"waited for /job:worker/task:1 .*PLACEMENT_TASKS_LIMIT|waited for every task .*PLACEMENT_TASKS_LIMIT|waited in MPI for longer than .*PLACEMENT_TASKS_LIMIT"],
}


def faults(mpiexec, program, tasks):
    """Each fault ends with a status that is not 0, names its cause, and leaves no process behind."""
    wrong = total = 0
    slowest = 0.0
    _, _, _, start = run(launched(mpiexec, 2, program, "none", "0"))
    for n in tasks or ((2, 3, 4) if NIGHTLY else (2,)):
        status, output, errors, _ = run(launched(mpiexec, n, program, "none", "0"))
        assert status == 0 and "done" in output, f"a right program on {n} tasks: {status} {errors}"
        for fault, patterns in FAULTS.items():
            for at in (1, 7, 12) if NIGHTLY else (1 + 6 * (n % 2),):
                more = {"PLACEMENT_TASKS_CHECK": "values"} if fault == "value" else {}
                if fault == "stop":
                    more["PLACEMENT_TASKS_LIMIT"] = "1.5"
                limit = WITHIN + start + (1.5 if fault == "stop" else 0)
                # Again, where other work held the cores: then MPI stops the other tasks before they report.
                for _ in range(2):
                    status, output, errors, seconds = run(launched(mpiexec, n, program, fault, str(at)), **more)
                    missing = [p for p in patterns if not re.search(p, errors + output)]
                    if not missing and seconds <= limit:
                        break
                total += 1
                slowest = max(slowest, seconds - start)
                left = left_over(program)
                if status in (0, None) or missing or left or seconds > limit:
                    wrong += 1
                    print(f"{n} tasks, {fault} at {at}: status {status}, {seconds:.1f} s, left over {left}, "
                          f"missing {missing}\n{errors[-1500:]}")
    wrong += different_devices(mpiexec, program)
    print(f"{wrong} wrong of {total} faults; the slowest took {slowest:.1f} s besides the start")
    return wrong


def different_devices(mpiexec, program):
    """Tasks with other numbers of devices, or with other variables, are an error at the start, which says what each has."""
    wrong = 0
    for name, second, text in (
            ("PLACEMENT_SIMULATED_GPUS", "3", r"it has 1 CPU and 3 simulated GPUs instead of 1 CPU and 1 simulated GPU\."),
            ("PLACEMENT_TASKS_PATIENCE", "3", r"it has other PLACEMENT_\* variables\.")):
        status, _, errors, seconds = run([mpiexec, "-n", "1", "env", f"{name}=1", program, "none", "0", ":",
                                          "-n", "1", "env", f"{name}={second}", program, "none", "0"])
        text = "/job:worker/task:1 differs from /job:worker/task:0: " + text
        if status in (0, None) or not re.search(text, errors) or seconds > 2 * WITHIN:
            wrong += 1
            print(f"{name} of 1 and of {second}: status {status}, {seconds:.1f} s\n{errors[-1500:]}")
    return wrong


# Two statements with their lines, of two tasks.
PAIR = re.compile(rf"{LINE} on /job:worker/task:(\d+), but \d+ \({LINE} on /job:worker/task:(\d+)")
# What the task that differs does.
MUTATIONS = ("skip", "repeat", "reorder", "reshape", "redirect", "read", "collective", "return")


def mutant_of(seed, tasks):
    """(number of tasks, arguments, the task that differs) of a program with random statements, one of which differs on a task."""
    generator = random.Random(seed)
    n = generator.choice(tasks or [2, 3, 4])
    different = generator.randrange(n)
    mutation, at = generator.choice(MUTATIONS), generator.randrange(24)
    return n, [mutation, str(at), "24", str(seed), str(different)], different


def fault_of_mutant(ended, different, limit):
    """What is wrong with how a mutant ended; an empty text if nothing is."""
    status, output, errors, seconds = ended
    if status in (0, None) or "done" in output:
        return f"status {status}"
    if seconds > limit:
        return f"{seconds:.1f} s"
    pairs = PAIR.findall(errors)
    named = any(str(different) in pair and pair[0] != pair[1] for pair in pairs)
    return "" if named else "no two statements with lines of the task that differs and of another"


def mutants(mpiexec, program, tasks):
    """Programs of random statements, one of which differs on one task: each error names both lines in time. 1,000 at night."""
    count, workers = (1000, 4) if NIGHTLY else (16, 2)
    _, _, _, start = run(launched(mpiexec, 2, program, "none", "0"))
    limit = WITHIN + start

    with tempfile.TemporaryDirectory() as folder:
        def one(worker, seed):
            """What is wrong with a mutant. Each worker has a program of its own, whose processes can be told apart."""
            n, arguments, different = mutant_of(seed, tasks)
            copy = os.path.join(folder, str(worker), os.path.basename(program))
            for _ in range(3):  # again: other mutants may have held the cores
                ended = run(launched(mpiexec, n, copy, *arguments))
                left = left_over(copy)
                wrong = f"left over {left}" if left else fault_of_mutant(ended, different, limit)
                if not wrong.endswith(" s"):
                    break
            for process in left:
                os.kill(int(process), signal.SIGKILL)
            return f"{n} tasks, {arguments}: {wrong}\n{ended[2][-1500:]}" if wrong else "", ended[3] - start

        def some(worker):
            os.mkdir(os.path.join(folder, str(worker)))
            shutil.copy(program, os.path.join(folder, str(worker)))
            return [one(worker, seed) for seed in range(1 + worker, 1 + count, workers)]

        with ThreadPoolExecutor(workers) as pool:
            results = [result for part in pool.map(some, range(workers)) for result in part]
    wrong = [text for text, _ in results if text]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong of {len(results)} mutants; the slowest took {max(s for _, s in results):.1f} s besides the start")
    return len(wrong)


def kills(mpiexec, program, tasks):
    """A task that is killed, or stopped for ever, at a random time: no hang, no result, no process left."""
    wrong = 0
    generator = random.Random(1)
    count = 200 if NIGHTLY else 6
    for i in range(count):
        n = (tasks or [2, 3, 4])[i % len(tasks or [2, 3, 4])]
        sign = signal.SIGSTOP if i % 4 == 3 else signal.SIGKILL
        process = subprocess.Popen(launched(mpiexec, n, program, "none", "0", "100000000"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                                   env=environment(PLACEMENT_TASKS_LIMIT="1.5"))
        assert process.stdout.readline() == "all tasks run\n"  # before that, a task is MPI's to start
        time.sleep(generator.uniform(0, 1))
        victims = running(program)
        assert len(victims) == n, f"{len(victims)} of {n} processes run"
        victim = generator.choice(victims)
        os.kill(int(victim), sign)
        at = time.monotonic()
        limit = WITHIN + (1.5 if sign == signal.SIGSTOP else 0)
        try:
            output, errors = process.communicate(timeout=LONGEST)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            status = None
        seconds, left = time.monotonic() - at, left_over(program)
        if status in (0, None) or "done" in output or left or seconds > limit:
            wrong += 1
            print(f"{i}: {n} tasks, {sign.name}: status {status} after {seconds:.1f} s, left over {left}\n{output}\n"
                  f"{errors[-1500:]}")
        for one in left:
            os.kill(int(one), signal.SIGKILL)
    print(f"{wrong} wrong of {count} kills")
    return wrong


def example(mpiexec, program, _):
    """The output of a program with some towers on each task is that of simulated tasks. Different numbers of them are an error."""
    for n, *arguments in ((4, "1"), (2, "2"), (3, "2", "tasks")):
        status, expected, errors, _ = run([program, *arguments], PLACEMENT_SIMULATED_TASKS=str(n))
        assert status == 0 and expected, f"simulated: {status} {errors}"
        status, found, errors, _ = run(launched(mpiexec, n, program, *arguments))
        if status != 0 or found != expected:
            print(f"{n} tasks: status {status}\nexpected:\n{expected}\nfound:\n{found}\n{errors[-2000:]}")
            return 1
    status, _, errors, _ = run(launched(mpiexec, 2, program, "different"))
    if status in (0, None) or not re.search(r"AllGather \[1, 600\].*but.*AllGather \[2, 600\]", errors):
        print(f"different numbers of towers: status {status}\n{errors[-2000:]}")
        return 1
    return 0


def saves(mpiexec, original, _):
    """A checkpoint that tasks save for ever can be restored by one process whenever a task is killed."""
    wrong = restored = 0
    generator = random.Random(1)
    for i in range(50 if NIGHTLY else 5):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "state.npz")
            program = shutil.copy(original, folder)  # other tests run the original, too
            process = subprocess.Popen(launched(mpiexec, 2, program, "save", file), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, start_new_session=True, env=environment())
            assert process.stdout.readline() == "all tasks run\n"
            while not os.path.exists(file) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(generator.uniform(0, 0.5))
            os.kill(int(generator.choice(running(program))), signal.SIGKILL)
            try:
                process.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            left = left_over(program)
            status, output, errors, _ = run([program, "load", file])
            restored += status == 0
            if process.returncode in (0, None) or status != 0 or left:
                wrong += 1
                print(f"{i}: status {process.returncode}, left over {left}; restored: {status} {output} {errors[-1500:]}")
    print(f"{wrong} wrong of {restored + wrong} saves")
    return wrong


def main():
    random.seed(1)
    kind, mpiexec, program, *rest = sys.argv[1:]
    if kind in ("example", "saves"):
        return {"example": example, "saves": saves}[kind](mpiexec, program, rest)
    return {"oracle": oracle, "faults": faults, "mutants": mutants, "kills": kills}[kind](mpiexec, program, [int(n) for n in rest])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
