import numpy as np

height, width = 25, 57
re, im = np.meshgrid(np.linspace(-2.075, 0.725, width), np.linspace(-1.2, 1.2, height))
x, y = np.zeros((2, height, width))
steps = np.zeros((height, width), int)
for step in range(30):
    inside = x * x + y * y <= 4
    x, y = (np.where(inside, x * x - y * y + re, x),
            np.where(inside, 2 * x * y + im, y))
    steps = np.where(inside, steps + 1, steps)
for row in steps:
    print("".join("#" if n == 30 else "+" if n > 6 else "." if n > 3 else " " for n in row))
