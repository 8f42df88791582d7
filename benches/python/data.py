"""The same problems that dpsda reads: synthetic regression (section 6.1), mushroom and MNIST 6/8."""

import threads  # noqa: F401  (before numpy)
import gzip
from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[2] / "crates/dpsda-data/data"


def regression(d, count, truth_seed, seed):
    """Features uniform in [-0.5, 0.5], labels linear in them with errors of variance 0.2."""
    truth = np.random.default_rng(truth_seed).standard_normal(d)
    rng = np.random.default_rng([seed, 1])
    features = rng.random((count, d))
    features -= 0.5
    return features, features @ truth + np.sqrt(0.2) * rng.standard_normal(count)


def mushroom():
    with gzip.open(DATA / "agaricus-lepiota.data.gz", "rt") as file:
        rows = np.array([line.strip().split(",") for line in file])
    columns = [rows[:, k] == letter for k in range(1, 23) if k != 11 for letter in np.unique(rows[:, k])]
    return np.stack(columns, 1).astype(float), np.where(rows[:, 0] == "p", 1.0, -1.0)


def mnist():
    with gzip.open(DATA / "train-68-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(DATA / "train-68-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    return images / 255.0, np.where(digits == 8, 1.0, -1.0)


def csv(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return np.ascontiguousarray(table[:, :-1]), np.ascontiguousarray(table[:, -1])
