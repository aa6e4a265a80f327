import numpy as np

random = np.random.default_rng(1)
x = 1 + 2 * random.standard_normal(100_000)
counts, edges = np.histogram(x, 8, (-7, 9))
print("edges  ", edges)
print("counts ", counts)
print("below  ", 100 * np.cumsum(counts) // np.sum(counts), "%")
