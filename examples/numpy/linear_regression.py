import numpy as np

random = np.random.default_rng(1)
n = 1000
truth = np.array([2, -3, 0.5])
x = random.standard_normal((n, 3))
y = x @ truth + 1 + 0.1 * random.standard_normal(n)

w = np.zeros(3)
b = np.zeros(())
for step in range(100):
    error = x @ w + b - y
    w -= 0.2 * x.T @ error / n
    b -= 0.2 * np.mean(error)
print("weights", np.array2string(w, precision=1), end=", ")
print("bias", np.array2string(np.round(b)))
