import numpy as np

random = np.random.default_rng(1)
n = 2000
mix = np.array([[3, 0, 0], [0.8, 1, 0], [0, 0, 0.2]])
x = random.standard_normal((n, 3)) @ mix + 5

x -= np.mean(x, 0)
covariance = x.T @ x / (n - 1)
total = np.sum(np.diagonal(covariance))
for component in range(2):
    v = np.ones(3)
    for step in range(50):
        v = covariance @ v
        v /= np.linalg.norm(v)
    variance = np.sum(v * (covariance @ v))
    covariance -= variance * np.outer(v, v)
    print("direction", np.array2string(np.abs(v), precision=1), "has", round(100 * variance / total), "% of the variance")
