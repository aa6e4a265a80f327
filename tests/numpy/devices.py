"""Runs a program of these tests on no, one, two and four simulated GPUs."""
import os
import subprocess

# (the number of simulated GPUs, the device of the program's scope)
DEVICES = [(0, "/cpu:0"), (1, "/gpu:0"), (2, "/gpu:1"), (4, "/gpu:3")]


def run_on(gpus, device, program, folder):
    """The program's results for `folder`, computed in a scope of `device`. Fallbacks are logged, and not shown here."""
    environment = os.environ | {"PLACEMENT_SIMULATED_GPUS": str(gpus), "PLACEMENT_LOG": "off"}
    done = subprocess.run([program, folder, device], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{program} ended with {done.returncode} on {device}:\n{done.stdout}{done.stderr[-2000:]}")
