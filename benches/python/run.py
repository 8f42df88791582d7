"""A whole experiment as one would write it with NumPy and SciPy: data, rounds, regret at the end, and a table."""

import argparse
import json
import time

import threads
import numpy as np

import comparator
import data
from common import Ball, Box, values
from mixing import Mixing
from relay import Relay

WEIGHTS = {"dpsda-c": "metropolis", "dpsda-ps": "push-sum"}


def learner(name, n, d, options, bounds, loss, level, seed):
    shared = {"graph": options.graph, "bounds": bounds, "loss": loss, "error": options.error**0.5, "seed": seed}
    if name == "dpsda-r":
        return Relay(n, d, scale=1.0 / (n * level), **shared)
    rule = options.weights or WEIGHTS[name]
    return Mixing(n, d, rule if name == "dpsda-c" else "push-sum", scale=1.0 / level, draws=options.draws, **shared)


def play(node, features, labels, batch, loss):
    """All rounds. The costs of the decisions, and the mean decision."""
    costs, mean = [], np.zeros(node.d)
    for top in range(0, len(labels) - batch + 1, batch):
        rows, truth = features[top : top + batch], labels[top : top + batch]
        x = node.decision()
        costs.append(values(loss, rows @ x, truth))
        mean += x
        node.round(rows, truth)
    return np.array(costs), mean / max(1, len(costs))


def experiment(options):
    classify = options.data in ("mushroom", "mnist-68")
    loss, bounds = ("logistic", Ball(5.0)) if classify else ("squared", Box(-5.0, 5.0))
    whole = {"mushroom": data.mushroom, "mnist-68": data.mnist}.get(options.data)
    whole = whole() if whole else None
    table, curves = [], []
    for trial in range(options.trials):
        test = None
        if whole:
            order = np.random.default_rng([options.seed, trial]).permutation(len(whole[1]))
            train, held = order[: options.train], order[options.train : options.train + options.test]
            features, labels = whole[0][train], whole[1][train]
            test = whole[0][held], whole[1][held]
        elif options.data == "synthetic":
            count = options.rounds * options.batch
            features, labels = data.regression(options.d, count, options.seed, 1000 * options.seed + trial)
        else:
            features, labels = data.csv(options.data)
        rounds = len(labels) // options.batch
        used = rounds * options.batch
        features, labels = features[:used], labels[:used]
        answer, how = comparator.best(loss, features, labels, bounds)
        least = comparator.value(loss, features, labels, answer)
        for name in options.algorithms:
            for level in options.levels:
                node = learner(name, options.n, features.shape[1], options, bounds, loss, level, trial)
                costs, mean = play(node, features, labels, options.batch, loss)
                row = {"algorithm": name, "level": level, "trial": trial, "fitness": costs.mean(),
                       "regret_per_round": costs.mean() - least, "least": least, "comparator": how,
                       "averaged": comparator.value(loss, features, labels, mean), "last": node.decision().tolist()}
                if test:
                    row["accuracy_test"] = np.mean((test[0] @ node.decision() > 0) == (test[1] > 0))
                table.append(row)
                curves.append(np.cumsum(costs) / np.arange(1, rounds + 1))
    return table, curves


def main():
    start = time.perf_counter()
    parser = argparse.ArgumentParser()
    add = parser.add_argument
    add("--data", default="synthetic")
    add("--n", type=int, default=7)
    add("--d", type=int, default=112)
    add("--batch", type=int, default=100)
    add("--rounds", type=int, default=100)
    add("--graph", default="paper-fig2")
    add("--weights", default="")
    add("--algorithms", nargs="+", default=["dpsda-c"])
    add("--levels", nargs="+", type=float, default=[1.0])
    add("--trials", type=int, default=1)
    add("--train", type=int, default=6000)
    add("--test", type=int, default=2000)
    add("--error", type=float, default=0.0, help="variance of the gradient error")
    add("--draws", default="laplace", help="laplace or exponentials")
    add("--seed", type=int, default=1)
    add("--out", default="", help="a prefix: .csv and .json are written")
    options = parser.parse_args()
    table, curves = experiment(options)
    if options.out:
        np.savetxt(options.out + ".csv", np.stack(curves, 1), delimiter=",")
        with open(options.out + ".json", "w") as file:
            json.dump(table, file)
    for row in table if len(table) < 50 else []:
        print(f"{row['algorithm']:10} {row['level']:6} {row['fitness']:12.6g} {row['regret_per_round']:12.6g} "
              f"{row['comparator']}")
    print(f"{time.perf_counter() - start:.2f} s, BLAS threads {threads.COUNT}")


main()
