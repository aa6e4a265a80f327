import numpy as np

random = np.random.default_rng(1)
points, classes = 600, 3
centres = np.array([[2, 0], [-1, 2], [-1, -2]], "f4")
y = np.arange(points) % classes
x = centres[y] + np.float32(0.7) * random.standard_normal((points, 2), "f4")

target = np.eye(classes, dtype="f4")[y]
w = np.zeros((2, classes), "f4")
b = np.zeros(classes, "f4")
for step in range(101):
    logits = x @ w + b
    e = np.exp(logits - logits.max(1, keepdims=True))
    softmax = e / e.sum(1, keepdims=True)
    if step % 25 == 0:
        loss = -np.sum(target * np.log(softmax)) / points
        right = 100 * np.mean(np.argmax(logits, 1) == y)
        print(f"step {step:3}: loss {loss:.2f}, right {right:.2f} %")
    error = (softmax - target) / points
    w -= x.T @ error
    b -= np.sum(error, 0)
