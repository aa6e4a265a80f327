import math

import numpy as np

random = np.random.default_rng(1)
length, heads, depth = 5, 2, 4
width = heads * depth
x = random.standard_normal((length, width))


def projected():  # (heads, length, depth)
    w = random.standard_normal((width, width)) / width
    y = x @ w
    return np.swapaxes(y.reshape(length, heads, depth), 0, 1)


q, k, v = projected(), projected(), projected()

scores = q @ np.swapaxes(k, 1, 2) / math.sqrt(depth)
seen = np.tril(np.ones((length, length), bool))
e = np.exp(np.where(seen, scores, -np.inf))
weights = e / e.sum(-1, keepdims=True)
y = np.swapaxes(weights @ v, 0, 1).reshape(x.shape)

print("weights of the first head")
print(np.array2string(weights[0], precision=2))
print("sums of each row")
print(np.round(np.sum(weights, -1)))
print("result", y.shape)
