"""Who hears whom in each round, and the mixing matrices. Nodes count from 0."""

import threads  # noqa: F401  (before numpy)
import numpy as np

FIG2 = [
    [(2, 5), (2, 6), (3, 2), (4, 2), (4, 5), (5, 3), (6, 4)],
    [(0, 1), (2, 1)],
    [(0, 2), (1, 2), (3, 4), (3, 6), (4, 5), (5, 3), (6, 4)],
    [(1, 0)],
]


def links(graph, n):
    """Links (sender, receiver) of every round of the period, as two arrays."""
    if graph == "paper-fig2":
        return [tuple(np.array(pairs).T) for pairs in FIG2]
    if graph == "exponential":
        everybody = np.arange(n)
        period = max(1, (n - 1).bit_length())
        return [(everybody, (everybody + (1 << k)) % n) for k in range(period)]
    raise ValueError(f"unknown graph {graph}")


def undirected(senders, receivers):
    """Every link both ways, once."""
    pairs = np.unique(np.concatenate([np.stack([senders, receivers], 1), np.stack([receivers, senders], 1)]), axis=0)
    return pairs[:, 0], pairs[:, 1]


def triplets(rule, n, senders, receivers):
    """The entries of the mixing matrix of one round: receivers, senders, weights."""
    if rule in ("metropolis", "uniform"):
        senders, receivers = undirected(senders, receivers)
    told = 1 + np.bincount(senders, minlength=n)
    heard = 1 + np.bincount(receivers, minlength=n)
    if rule == "push-sum":
        weights, own = 1.0 / told[senders], 1.0 / told
    elif rule == "uniform":
        weights, own = 1.0 / heard[receivers], 1.0 / heard
    elif rule == "metropolis":
        weights = 1.0 / np.maximum(heard[senders], heard[receivers])
        own = 1.0 - np.bincount(receivers, weights, minlength=n)
    else:
        raise ValueError(f"unknown weights {rule}")
    every = np.arange(n)
    return np.concatenate([receivers, every]), np.concatenate([senders, every]), np.concatenate([weights, own])


def dense(rule, n, senders, receivers):
    rows, columns, weights = triplets(rule, n, senders, receivers)
    matrix = np.zeros((n, n))
    matrix[rows, columns] = weights
    return matrix


def sparse(rule, n, senders, receivers):
    from scipy.sparse import csr_array

    rows, columns, weights = triplets(rule, n, senders, receivers)
    return csr_array((weights, (rows, columns)), shape=(n, n))
