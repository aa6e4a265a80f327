#!/usr/bin/env python3
"""The rows of the GPU table that a Python library computes, as the same lines of JSON.

usage: peers.py torch|torch_ops|triton|cupy|jax: ends with 4 and the reason if the library is not installed or finds no GPU. Measures
device time by events around one round, with four sets of buffers and medians of 50 rounds, like measure.hpp.
"""

import json
import statistics
import sys
import time

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


def peer_torch_ops():
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch sees no GPU")
    random = lambda *shape: [torch.rand(*shape, device="cuda") for _ in range(SETS)]
    row = lambda name, side, run, bytes_=0.0, flops=0.0: note(name, side, measure_torch(torch, run), bytes_, flops)
    torch_array_ops(torch, random, row)
    torch_nets(torch, random, row)


def torch_array_ops(torch, random, row):
    """Reductions along an axis, scans, sorts, gathers of the sizes of array_ops.cu."""
    x, side = random(8192, 8192), 8192
    size = 4 * MIDDLE
    columns, rows, total, whole = random(side), random(side), random(1), random(8192, 8192)
    largest = [torch.empty(side, dtype=torch.int64, device="cuda") for _ in range(SETS)]
    scale, offset = random(side), random(side)
    row("sum along axis 0, f32 8192 x 8192", "torch", lambda r: torch.sum(x[r], 0, out=columns[r]), size)
    row("sum along axis 1, f32 8192 x 8192", "torch", lambda r: torch.sum(x[r], 1, out=rows[r]), size)
    row("argmax along axis 1, f32 8192 x 8192", "torch", lambda r: torch.argmax(x[r], 1, out=largest[r]), size)
    row("variance f32 2^26", "torch", lambda r: torch.var(x[r].view(-1), correction=0), size)
    norm = torch.nn.functional.layer_norm
    row("layer norm f32 8192 x 8192", "torch", lambda r: norm(x[r], (side,), scale[r], offset[r]), 2 * size)
    flat, out = [a.view(-1) for a in x], [a.view(-1) for a in whole]
    row("cumsum f32 2^26", "torch", lambda r: torch.cumsum(flat[r], 0, out=out[r]), 2 * size)
    row("sort f32 2^26", "torch", lambda r: torch.sort(flat[r]), 2 * size)
    row("argsort f32 2^26", "torch", lambda r: torch.argsort(flat[r], stable=True), 3 * size)
    del x, whole, flat, out
    table, taken = random(50000, 1024), random(65536, 1024)
    which = torch.randint(0, 50000, (65536,), device="cuda")
    row("gather 65536 rows of 1024, f32", "torch", lambda r: torch.index_select(table[r], 0, which, out=taken[r]), 8 * 65536 * 1024)  # fmt: skip


def torch_nets(torch, random, row):
    """Convolutions by cuDNN in float32, in the layout NHWC; training steps of the nets of examples/mnist_conv."""
    from torch import nn

    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    last = dict(memory_format=torch.channels_last)
    for side, channels in ((56, 64), (28, 128), (14, 256), (7, 512)):
        name = f" f32 {side}x{side}x{channels}"
        x = [a.contiguous(**last) for a in random(128, channels, side, side)]
        y = [a.contiguous(**last) for a in random(128, channels, side, side)]
        w = [a.contiguous(**last) for a in random(channels, channels, 3, 3)]
        flops = 18.0 * 128 * side * side * channels**2
        backward = lambda r, mask: torch.ops.aten.convolution_backward(
            y[r], x[r], w[r], [0], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask)  # fmt: skip
        row("conv2d" + name, "torch, cuDNN", lambda r: nn.functional.conv2d(x[r], w[r], padding=1), 0, flops)
        row("conv2d input gradient" + name, "torch, cuDNN", lambda r: backward(r, [True, False, False]), 0, flops)
        row("conv2d filter gradient" + name, "torch, cuDNN", lambda r: backward(r, [False, True, False]), 0, flops)

    norm = lambda module: (module.weight.requires_grad_(False), module)[1]
    nets = {
        "A": nn.Sequential(
            nn.Conv2d(1, 12, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(600, 100), nn.Dropout(0.75), nn.Linear(100, 10)),
        "B": nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2, bias=False), norm(nn.BatchNorm2d(6, 1e-3)), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 12, 5, padding=2, bias=False), norm(nn.BatchNorm2d(12, 1e-3)), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(588, 100, bias=False), norm(nn.BatchNorm1d(100, 1e-3)), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(100, 10)),
    }  # fmt: skip
    for name, net in nets.items():
        net = net.cuda().to(**last)
        x = torch.rand(1000, 1, 28, 28, device="cuda").contiguous(**last)
        labels = torch.arange(1000, device="cuda") % 10
        adam = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], 0.001, fused=True)

        def step():
            adam.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(net(x), labels).backward()
            adam.step()

        times = []
        for _ in range(WARM_UP + ROUNDS):  # the host's clock, for four steps, as nets.cu
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(4):
                step()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - begin) / 4)
        note(f"step of net {name}, 1000 images", "torch, eager", statistics.median(times[WARM_UP:]))


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


PEERS = {"torch": peer_torch, "torch_ops": peer_torch_ops, "triton": peer_triton, "cupy": peer_cupy, "jax": peer_jax}


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
