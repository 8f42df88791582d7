"""What all learners share: nodes, blocks, gradients of own blocks, sets."""

import threads  # noqa: F401  (before numpy)
import numpy as np


def ends(d, n):
    """Blocks whose sizes differ by at most one, larger ones first."""
    sizes = np.full(n, d // n)
    sizes[: d % n] += 1
    return np.concatenate([[0], np.cumsum(sizes)])


class Blocks:
    def __init__(self, d, n):
        self.ends = ends(d, n)
        self.sizes = np.diff(self.ends)
        self.owner = np.repeat(np.arange(n), self.sizes)
        self.place = np.arange(d)

    def gradient(self, slopes, features, out):
        """Block i of the gradient at node i's own estimate: slopes is nodes x samples."""
        if len(self.sizes) * len(self.owner) <= 8192:  # small: one product, of which most is not needed
            np.copyto(out, (slopes @ features)[self.owner, self.place])
        elif self.sizes[0] >= 16:  # a few wide blocks: one matrix-vector product each
            for i in range(len(self.sizes)):
                own = slice(self.ends[i], self.ends[i + 1])
                np.dot(slopes[i], features[:, own], out=out[own])
        elif self.sizes[0] == 1 and len(features) == 1:
            np.multiply(slopes[:, 0], features[0], out=out)
        else:
            np.einsum("mk,mk->k", slopes.T[:, self.owner], features, out=out)
        return out


class Nodes:
    """What both learners have: a point per node, and the gradient that the nodes learn from."""

    def __init__(self, n, d, bounds, loss, scale, step, error, seed):
        self.n, self.d, self.set, self.slopes = n, d, bounds, LOSSES[loss]
        self.scale, self.step, self.error = scale, step, error
        self.blocks = Blocks(d, n)
        self.rng = np.random.default_rng(seed)
        self.y, self.g, self.t = np.zeros((n, d)), np.empty(d), 0
        self.set.project(self.y)

    def decision(self):
        return self.y[self.blocks.owner, self.blocks.place]

    def gradient(self, features, labels):
        """Each node's block of the gradient at its own point, with the error on it (14)."""
        g = self.blocks.gradient(self.slopes(self.y @ features.T, labels), features, self.g)
        if self.error > 0.0:
            g += self.rng.normal(0.0, self.error, self.d)
        return g


def squared(predictions, labels):
    """Slopes of the mean squared error."""
    predictions -= labels
    predictions *= 2.0 / len(labels)
    return predictions


def logistic(predictions, labels):
    """Slopes of the mean logistic loss."""
    predictions *= labels
    np.exp(predictions, out=predictions)
    predictions += 1.0
    np.divide(-labels / len(labels), predictions, out=predictions)
    return predictions


LOSSES = {"squared": squared, "logistic": logistic}


def values(loss, predictions, labels):
    if loss == "squared":
        return np.mean((predictions - labels) ** 2)
    return np.mean(np.logaddexp(0.0, -labels * predictions))


class Box:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def project(self, rows):
        np.clip(rows, self.low, self.high, out=rows)

    def holds(self, x):
        return np.all(x >= self.low - 1e-12) and np.all(x <= self.high + 1e-12)


class Ball:
    def __init__(self, radius):
        self.radius = radius

    def project(self, rows):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        rows *= (self.radius / np.maximum(lengths, self.radius))[:, None]

    def holds(self, x):
        return np.linalg.norm(x) <= self.radius * (1 + 1e-12)
