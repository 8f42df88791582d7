"""Writes samples that dpsda reads, and compares its decisions with ours: without noise both compute the same."""

import sys
from pathlib import Path

import threads  # noqa: F401  (before numpy)
import numpy as np

from common import Box
from mixing import Mixing
from relay import Relay

n, d, batch, rounds = (int(word) for word in sys.argv[1:5])
algorithm, graph, task, place = sys.argv[5:9]
place = Path(place)
rng = np.random.default_rng(5)
features = rng.random((rounds * batch, d)) - 0.5
labels = 3.0 * rng.standard_normal(rounds * batch)

if task == "write":
    names = ",".join([f"x{k}" for k in range(d)] + ["label"])
    table = np.column_stack([features, labels])
    np.savetxt(place / "agree.csv", table, fmt="%.17g", delimiter=",", header=names, comments="")
else:
    if algorithm == "dpsda-r":
        node = Relay(n, d, graph, Box(-5.0, 5.0))
    else:
        rule = {"dpsda-c": "metropolis", "dpsda-ps": "push-sum"}[algorithm]
        node = Mixing(n, d, rule, graph, Box(-5.0, 5.0))
    ours = []
    for top in range(0, len(labels), batch):
        ours.append(node.decision())
        node.round(features[top : top + batch], labels[top : top + batch])
    ours.append(node.decision())
    table = np.genfromtxt(place / "run/decisions.csv", delimiter=",", names=True)
    first = table.dtype.names.index("x0")
    theirs = np.array([list(row)[first : first + d] for row in table])
    print(np.abs(theirs - np.array(ours)[: len(theirs)]).max())
