import numpy as np

world = np.zeros((8, 8), "i4")
world[0:3, 0:3] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
for step in range(8):
    row = np.roll(world, 1, 1) + world + np.roll(world, -1, 1)
    block = np.roll(row, 1, 0) + row + np.roll(row, -1, 0)
    world = np.where((block == 3) | ((block == 4) & (world == 1)), 1, 0)
print(world)
