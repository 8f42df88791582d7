"""DPSDA-R in NumPy: each node's copy of every block, and its version, as rows of matrices."""

import threads  # noqa: F401  (before numpy)
import numpy as np

import networks
from common import Nodes


class Relay(Nodes):
    def __init__(self, n, d, graph, bounds, loss="squared", scale=0.0, step=1.0, error=0.0, seed=1):
        super().__init__(n, d, bounds, loss, scale, step, error, seed)
        # At most one message per node and round lets a round be one copy under a mask.
        self.links = networks.links(graph, n)
        self.single = all(len(np.unique(receivers)) == len(receivers) == n for _, receivers in self.links)
        self.sums, self.old = np.zeros((n, d)), np.empty((n, d))
        self.versions = np.zeros((n, n), dtype=np.int32)

    def round(self, features, labels):
        blocks, t = self.blocks, self.t
        g = self.gradient(features, labels)
        if self.scale > 0.0:
            g += self.rng.laplace(0.0, self.scale, self.d)
        self.sums[blocks.owner, blocks.place] += g
        np.fill_diagonal(self.versions, t + 1)
        self.exchange(*self.links[t % len(self.links)])
        np.multiply(self.sums, -self.step / np.sqrt(t + 1), out=self.y)
        self.set.project(self.y)
        self.t += 1

    def exchange(self, senders, receivers):
        """The newer of two versions of each block, from what everybody knew before this exchange."""
        wide = self.d == self.n
        if self.single:
            order = np.empty(self.n, dtype=np.intp)
            order[receivers] = senders
            theirs = self.versions[order]
            newer = theirs > self.versions
            np.take(self.sums, order, axis=0, out=self.old, mode="clip")
            mask = newer if wide else np.repeat(newer, self.blocks.sizes, axis=1)
            np.copyto(self.sums, self.old, where=mask)
            np.copyto(self.versions, theirs, where=newer)
            return
        known, versions = self.sums.copy(), self.versions.copy()
        for sender, receiver in zip(senders, receivers):
            newer = versions[sender] > self.versions[receiver]
            mask = newer if wide else np.repeat(newer, self.blocks.sizes)
            np.copyto(self.sums[receiver], known[sender], where=mask)
            np.copyto(self.versions[receiver], versions[sender], where=newer)
