#!/usr/bin/env python3
"""Training steps of PyTorch or TensorFlow on request, as one side of table.py.

usage: peers.py torch|torch_channels_last|torch_compiled|tensorflow

Reads "ROW SECONDS" or "memory ROW" from each line of standard input, and answers as steps.cpp does.
"""
import json
import os
import sys
import time

THREADS = int(os.environ.get("BENCH_THREADS", "1"))
IMAGES, SAMPLES, STATEMENTS = 1000, 100, 1000


# ---- PyTorch: eager, eager in the layout channels_last, and compiled in that layout


def of_torch(mode):
    import torch
    from torch import nn

    torch.set_num_threads(THREADS)
    layout = torch.contiguous_format if mode == "torch" else torch.channels_last

    def norm(module):
        module.weight.requires_grad_(False)  # only an offset is trained
        return module

    def net_a():
        return nn.Sequential(
            nn.Conv2d(1, 12, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(600, 100), nn.Dropout(0.75), nn.Linear(100, 10))  # fmt: skip

    def net_b():
        return nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2, bias=False), norm(nn.BatchNorm2d(6, 1e-3)), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 12, 5, padding=2, bias=False), norm(nn.BatchNorm2d(12, 1e-3)), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(588, 100, bias=False), norm(nn.BatchNorm1d(100, 1e-3)), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(100, 10))  # fmt: skip

    def step_of(net, x, optimizer_of):
        if x.ndim == 4:
            net, x = net.to(memory_format=layout), x.to(memory_format=layout)
        optimizer = optimizer_of([p for p in net.parameters() if p.requires_grad])
        labels = torch.arange(len(x)) % 10
        loss_of = lambda x, labels: nn.functional.cross_entropy(net(x), labels)
        if mode == "torch_compiled":
            loss_of = torch.compile(loss_of)

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(x, labels)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    adam = lambda p: torch.optim.Adam(p, 0.001)
    perceptron = lambda: nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    rows = {
        "net_a": lambda: timed(step_of(net_a(), torch.rand(IMAGES, 1, 28, 28), adam)),
        "net_b": lambda: timed(step_of(net_b(), torch.rand(IMAGES, 1, 28, 28), adam)),
    }
    if mode == "torch_channels_last":
        return rows
    sgd = lambda p: torch.optim.SGD(p, 0.01)
    rows["perceptron_by_tape"] = lambda: timed(step_of(perceptron(), torch.rand(SAMPLES, 784), sgd))
    if mode == "torch":

        def statements(part):
            def run():
                x = torch.ones(1, requires_grad=part != "plain")
                begin, y = time.perf_counter(), x
                for _ in range(STATEMENTS):
                    y = y * 1.001
                recorded = time.perf_counter()
                if part == "backward":
                    y.sum().backward()
                    return (time.perf_counter() - recorded) / STATEMENTS
                return (recorded - begin) / STATEMENTS

            return lambda: run

        rows["statement"] = statements("plain")
        rows |= {f"statement_{part}": statements(part) for part in ("recorded", "backward")}
    return rows


# ---- TensorFlow: a graph of one step


def of_tensorflow():
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(THREADS)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    number = lambda *shape: tf.Variable(tf.random.truncated_normal(shape, stddev=0.05))
    zeros = lambda *shape: tf.Variable(tf.zeros(shape))

    def net_a():
        w = [number(5, 5, 1, 12), zeros(12), number(3, 3, 12, 24), zeros(24), number(600, 100), zeros(100), number(100, 10), zeros(10)]

        def logits(x):
            for k, b in (w[:2], w[2:4]):
                x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, k, 1, "VALID"), b)), 2, 2, "VALID")
            x = tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, 600]), w[4]), w[5])
            return tf.nn.bias_add(tf.matmul(tf.nn.dropout(x, 0.75), w[6]), w[7])

        return logits, w, []

    def net_b():
        w = [number(5, 5, 1, 6), zeros(6), number(5, 5, 6, 12), zeros(12), number(588, 100), zeros(100), number(100, 10), zeros(10)]
        moving = [(zeros(n), tf.Variable(tf.ones(n))) for n in (6, 12, 100)]

        def norm(x, offset, moving):
            y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, tf.ones_like(offset), offset, epsilon=1e-3, is_training=True)
            for kept, new in zip(moving, (mean, variance)):
                kept.assign(0.9 * kept + 0.1 * new)
            return tf.nn.relu(y)

        def logits(x):
            for k, b, m in ((w[0], w[1], moving[0]), (w[2], w[3], moving[1])):
                x = tf.nn.max_pool2d(norm(tf.nn.conv2d(x, k, 1, "SAME"), b, m), 2, 2, "VALID")
            x = tf.matmul(tf.reshape(x, [-1, 588]), w[4])
            x = norm(x[:, None, None], w[5], moving[2])[:, 0, 0]
            return tf.nn.bias_add(tf.matmul(tf.nn.dropout(x, 0.5), w[6]), w[7])

        return logits, w, moving

    def perceptron():
        w = [number(784, 128), zeros(128), number(128, 10), zeros(10)]
        return lambda x: tf.nn.bias_add(tf.matmul(tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w[0]), w[1])), w[2]), w[3]), w, []

    def step_of(net, x, adam):
        logits, variables, kept = net()
        slots = [(tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for v in variables]
        labels, powers = tf.range(x.shape[0]) % 10, [tf.Variable(0.9), tf.Variable(0.999)]

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(x)))
            for v, (m, s), g in zip(variables, slots, tape.gradient(loss, variables)):
                if adam:
                    tf.raw_ops.ResourceApplyAdam(
                        var=v.handle, m=m.handle, v=s.handle, beta1_power=powers[0], beta2_power=powers[1], lr=0.001,
                        beta1=0.9, beta2=0.999, epsilon=1e-8, grad=g)  # fmt: skip
                else:
                    v.assign_sub(0.01 * g)
            powers[0].assign(0.9 * powers[0])
            powers[1].assign(0.999 * powers[1])
            return loss

        return lambda keep=(slots, kept, powers): step().numpy()

    return {
        "net_a": lambda: timed(step_of(net_a, tf.random.uniform([IMAGES, 28, 28, 1]), True)),
        "net_b": lambda: timed(step_of(net_b, tf.random.uniform([IMAGES, 28, 28, 1]), True)),
        "perceptron_by_tape": lambda: timed(step_of(perceptron, tf.random.uniform([SAMPLES, 784]), False)),
    }


# ---- requests


def timed(step):
    def run():
        begin = time.perf_counter()
        step()
        return time.perf_counter() - begin

    return run


def memory(name):
    """A line of /proc/self/status, in bytes."""
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))


def main():
    rows = of_tensorflow() if sys.argv[1] == "tensorflow" else of_torch(sys.argv[1])
    steps = {}
    for line in sys.stdin:
        words = line.split()
        row = words[1] if words[0] == "memory" else words[0]
        if row not in rows:
            answer = []
        elif words[0] == "memory":
            before, run = memory("VmRSS"), rows[row]()
            for _ in range(3):
                run()
            answer = [memory("VmHWM") - before]
        else:
            if row not in steps:
                steps[row] = rows[row]()
                for _ in range(2):
                    steps[row]()
            answer, spent = [], 0
            while spent < float(words[1]) or len(answer) < 3:
                answer.append(1e9 * steps[row]())
                spent += answer[-1] / 1e9 * (STATEMENTS if row.startswith("statement") else 1)
        print(json.dumps(answer), flush=True)


main()
