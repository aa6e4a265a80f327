import numpy as np

random = np.random.default_rng(1)
homes = np.array([[0, 0], [4, 0], [0, 3]], "f4")
x = homes[np.arange(300) % 3] + random.standard_normal((300, 2), "f4") / 2

centres = x[0:3]
for step in range(10):
    offset = x[:, None] - centres  # (300, 3, 2)
    nearest = np.argmin(np.sum(offset ** 2, -1), -1)
    member = np.eye(3, dtype="f4")[nearest]
    centres = member.T @ x / np.sum(member, 0)[:, None]
print("centres")
print(np.array2string(centres, precision=1))
print("points of each", np.bincount(nearest))
