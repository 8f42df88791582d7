"""DPSDA-C and DPSDA-PS in NumPy, in the paper's order: all nodes are rows of matrices, everything in place."""

import threads  # noqa: F401  (before numpy)
import numpy as np

import networks
from common import Nodes

# Rows that are noised at a time: fresh memory for a whole matrix costs more than the noise of a small one.
CHUNK = 1 << 15


class Mixing(Nodes):
    def __init__(self, n, d, rule, graph, bounds, loss="squared", scale=0.0, step=1.0, noise="all", error=0.0,
                 seed=1, draws="laplace"):
        super().__init__(n, d, bounds, loss, scale, step, error, seed)
        self.noise, self.draws = noise, draws
        matrix = networks.dense if n <= 32 else networks.sparse
        self.mixers = [matrix(rule, n, *pair) for pair in networks.links(graph, n)]
        self.dense, self.pushes = n <= 32, rule == "push-sum"
        self.z, self.h, self.w = np.zeros((n, d)), np.empty((n, d)), np.ones(n)

    def round(self, features, labels):
        blocks, t = self.blocks, self.t
        g = self.gradient(features, labels)
        mixer = self.mixers[t % len(self.mixers)]
        h = self.z
        if self.scale > 0.0:
            h = self.h
            self.publish()  # (4) (11)
        if self.dense and h is not self.z:
            np.matmul(mixer, h, out=self.z)  # (12) (20)
        else:
            self.z = mixer @ h
        g *= self.n
        self.z[blocks.owner, blocks.place] += g
        alpha = -self.step / np.sqrt(t + 1)
        if self.pushes:
            self.w = mixer @ self.w  # (21)
            np.multiply(self.z, (alpha / self.w)[:, None], out=self.y)
        else:
            np.multiply(self.z, alpha, out=self.y)
        self.set.project(self.y)  # (13) (22)
        self.t += 1

    def publish(self):
        """h = z + noise on every coordinate, or on own blocks."""
        z, h, rng = self.z, self.h, self.rng
        if self.noise == "own":
            np.copyto(h, z)
            h[self.blocks.owner, self.blocks.place] += rng.laplace(0.0, self.scale, self.d)
            return
        rows = max(1, CHUNK // self.d)
        for top in range(0, self.n, rows):
            part = slice(top, min(top + rows, self.n))
            if self.draws == "laplace":
                np.add(z[part], rng.laplace(0.0, self.scale, (part.stop - top, self.d)), out=h[part])
            else:  # the difference of two exponential draws has the Laplace law
                noise = rng.standard_exponential((part.stop - top, self.d))
                noise -= rng.standard_exponential((part.stop - top, self.d))
                noise *= self.scale
                np.add(z[part], noise, out=h[part])
