import numpy as np

random = np.random.default_rng(1)
n = 1_000_000
x, y = random.random((2, n), "f4")
pi = 4 * np.mean(x * x + y * y < 1)
print("pi is about", round(pi, 2))
