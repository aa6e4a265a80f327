import numpy as np


def moving_average(x, width):
    sums = np.cumsum(np.pad(x, (1, 0)))
    return (sums[width:] - sums[0:-width]) / width


x = np.array([3., -2, 5, 0, 7, 2, 9, 4, 11, 6, 13, 8])
print("series", x)
print("by 2  ", moving_average(x, 2))
print("by 4  ", moving_average(x, 4))
