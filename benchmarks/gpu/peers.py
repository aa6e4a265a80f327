#!/usr/bin/env python3
"""The rows of the GPU table that a Python library computes, as the same lines of JSON.

usage: peers.py torch|triton|cupy|jax: ends with 4 and the reason if the library is not installed or finds no GPU. Measures
device time by events around one round, with four sets of buffers and medians of 50 rounds, like measure.hpp.
"""

import json
import statistics
import sys

SETS, ROUNDS, WARM_UP = 4, 50, 5
LARGE, MIDDLE = 1 << 28, 1 << 26
CHAIN = "chain of 8 ops f32 2^26"


def note(row, side, seconds, bytes_=0.0, flops=0.0):
    print(json.dumps({"row": row, "side": side, "seconds": seconds, "bytes": bytes_, "flops": flops}), flush=True)


def measure_torch(torch, run):
    """The median seconds of run(round) on torch's stream."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for r in range(WARM_UP + ROUNDS):
        begin.record()
        run(r % SETS)
        end.record()
        end.synchronize()
        times.append(1e-3 * begin.elapsed_time(end))
    return statistics.median(times[WARM_UP:])


def chain(x, y, z):
    return (((x + y) * z - x * 0.25) * y + z) * (x - y)


def peer_torch():
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch sees no GPU")
    random = lambda *shape, dtype=torch.float32: [torch.rand(*shape, device="cuda", dtype=dtype) for _ in range(SETS)]
    row = lambda name, side, run, bytes_=0.0, flops=0.0: note(name, side, measure_torch(torch, run), bytes_, flops)

    for type_, dtype in (("f32", torch.float32), ("f64", torch.float64)):
        x, y, out = random(LARGE, dtype=dtype), random(LARGE, dtype=dtype), random(LARGE, dtype=dtype)
        size = x[0].element_size() * LARGE
        row(f"negate {type_} 2^28", "torch", lambda r: torch.neg(x[r], out=out[r]), 2 * size)
        row(f"add {type_} 2^28", "torch", lambda r: torch.add(x[r], y[r], out=out[r]), 3 * size)
        row(f"triad {type_} 2^28", "torch", lambda r: torch.add(x[r], y[r], alpha=3, out=out[r]), 3 * size)
        if type_ == "f32":
            row("sum f32 2^28", "torch", lambda r: torch.sum(x[r]), size)
        del x, y, out

    x, y, z = random(MIDDLE), random(MIDDLE), random(MIDDLE)
    row(CHAIN, "torch, eager", lambda r: chain(x[r], y[r], z[r]), 16 * MIDDLE)
    compiled = torch.compile(chain)
    row(CHAIN, "torch.compile", lambda r: compiled(x[r], y[r], z[r]), 16 * MIDDLE)
    for columns in (256, 1024, 4096, 8192, 32768):
        x = random(MIDDLE // columns, columns)
        row(f"softmax f32, rows of {columns}", "torch", lambda r: torch.softmax(x[r], 1), 8 * MIDDLE)
    x, bias = random(16384, 8192), random(8192)
    layer = torch.compile(lambda a, b: torch.relu(a + b))
    row("bias + relu f32 16384 x 8192", "torch.compile", lambda r: layer(x[r], bias[r]), 8 * 16384 * 8192)
    strided = torch.compile(lambda a: a[::2] * 2)
    row("strided rows f32 8192 x 8192", "torch.compile", lambda r: strided(x[r]), 8 * 8192 * 8192)
    turned = torch.compile(lambda a, b: a.T + b)
    half = [a[:8192] for a in x]
    row("transposed operand f32 8192 x 8192", "torch.compile", lambda r: turned(half[r], half[(r + 1) % SETS]), 12 * 8192 * 8192)  # fmt: skip
    del x, half
    for type_, tf32 in (("f32", False), ("tf32", True)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        for n in (1024, 2048, 4096, 8192):
            a, b = random(n, n), random(n, n)
            row(f"matmul {type_} {n}", "torch", lambda r: torch.matmul(a[r], b[r]), 0, 2.0 * n**3)


def peer_triton():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def triad(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + 3 * tl.load(y + i, mask=i < n), mask=i < n)

    @triton.jit
    def softmax(x, out, columns, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        first = tl.program_id(0) * columns
        v = tl.load(x + first + i, mask=i < columns, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + first + i, e / tl.sum(e, axis=0), mask=i < columns)

    random = lambda *shape: [torch.rand(*shape, device="cuda") for _ in range(SETS)]
    x, y, out = random(LARGE), random(LARGE), random(LARGE)
    run = lambda r: triad[(LARGE // 1024,)](x[r], y[r], out[r], LARGE, BLOCK=1024)
    note("triad f32 2^28", "triton", measure_torch(torch, run), 12 * LARGE)
    del x, y, out
    for columns in (256, 1024, 4096, 8192, 32768):
        x, out = random(MIDDLE // columns, columns), random(MIDDLE // columns, columns)
        warps = 4 if columns <= 2048 else 16
        run = lambda r: softmax[(MIDDLE // columns,)](x[r], out[r], columns, BLOCK=columns, num_warps=warps)
        note(f"softmax f32, rows of {columns}", "triton", measure_torch(torch, run), 8 * MIDDLE)


def peer_cupy():
    import cupy

    fused = cupy.fuse()(chain)
    x, y, z = ([cupy.random.rand(MIDDLE, dtype=cupy.float32) for _ in range(SETS)] for _ in range(3))
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    times = []
    for r in range(WARM_UP + ROUNDS):
        begin.record()
        fused(x[r % SETS], y[r % SETS], z[r % SETS])
        end.record()
        end.synchronize()
        times.append(1e-3 * cupy.cuda.get_elapsed_time(begin, end))
    note(CHAIN, "cupy.fuse", statistics.median(times[WARM_UP:]), 16 * MIDDLE)


def peer_jax():
    import os
    import time

    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    if jax.default_backend() != "gpu":
        raise RuntimeError("jax sees no GPU")
    fused = jax.jit(chain)
    keys = jax.random.split(jax.random.PRNGKey(1), 3 * SETS)
    x, y, z = ([jax.random.uniform(keys[SETS * k + s], (MIDDLE,)) for s in range(SETS)] for k in range(3))
    fused(x[0], y[0], z[0]).block_until_ready()
    times = []
    for _ in range(ROUNDS):  # measured with the host's clock, for ten calls: jax has no events
        start = time.perf_counter()
        for r in range(10):
            last = fused(x[r % SETS], y[r % SETS], z[r % SETS])
        last.block_until_ready()
        times.append((time.perf_counter() - start) / 10)
    note(CHAIN, "jax.jit", statistics.median(times), 16 * MIDDLE)


PEERS = {"torch": peer_torch, "triton": peer_triton, "cupy": peer_cupy, "jax": peer_jax}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PEERS:
        sys.exit(f"usage: peers.py {'|'.join(PEERS)}")
    try:
        PEERS[sys.argv[1]]()
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(4)
    except RuntimeError as error:  # installed, but does not work here
        print(str(error).splitlines()[0] if str(error) else "RuntimeError", file=sys.stderr)
        sys.exit(4)


main()
