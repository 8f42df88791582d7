"""Rounds on request: `go K` on standard input, seconds per round on standard output. The caller measures itself in between."""

import argparse
import sys
import time

import threads
import numpy as np

from common import Box
from mixing import Mixing
from relay import Relay


def main():
    parser = argparse.ArgumentParser()
    add = parser.add_argument
    add("n", type=int)
    add("d", type=int)
    add("batch", type=int)
    add("algorithm")
    add("--noise", default="all")
    add("--draws", default="laplace")
    add("--batches", type=int, default=8, help="different batches, used in turn")
    options = parser.parse_args()
    n, d = options.n, options.d
    graph, box = "paper-fig2" if n == 7 else "exponential", Box(-5.0, 5.0)
    if options.algorithm == "dpsda-r":
        node = Relay(n, d, graph, box, scale=1.0 / n)
    else:
        rule = {"dpsda-c": "metropolis", "dpsda-ps": "push-sum"}[options.algorithm]
        node = Mixing(n, d, rule, graph, box, scale=1.0, noise=options.noise, draws=options.draws)
    rng = np.random.default_rng(2)
    batches = [(rng.random((options.batch, d)) - 0.5, rng.standard_normal(options.batch)) for _ in range(options.batches)]
    print("ready, NumPy", np.__version__, "BLAS threads", threads.COUNT, flush=True)
    for line in sys.stdin:
        count = int(line.split()[1])
        start = time.perf_counter()
        for _ in range(count):
            node.decision()
            node.round(*batches[node.t % len(batches)])
        print((time.perf_counter() - start) / count, flush=True)


main()
