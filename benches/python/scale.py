"""DPSDA-R with very many nodes, on paper: what a node sends, stores and verifies per round, how old its copies are, and what
Theorem A (docs/bounds.md) makes of that. Formulas only, no simulation; nothing but Python is needed. docs/scale.md explains them.
"""

import argparse
import math

parser = argparse.ArgumentParser()
add = parser.add_argument
add("--nodes", type=int, nargs="+", default=[100_000, 1_000_000])
add("--coordinates", type=float, default=1.0, help="per node")
add("--bits", type=float, default=20.0, help="per coordinate of a sum")
add("--overhead", type=float, default=80.0, help="bytes per entry: signature, owner, version")
add("--line", type=float, default=100e6, help="bits per second that a node can send")
add("--verify", type=float, default=20_000.0, help="signatures per second that a node can verify")
add("--latency", type=float, default=0.1, help="seconds that a round takes at least")
add("--kappa", type=float, default=1.0, help="D G / L: how much curvature a stale gradient meets")
options = parser.parse_args()


def graphs(n):
    """Name, links that a node sends on per round, largest hop distance."""
    ring = math.isqrt(n)
    yield "ring", 2, n // 2
    yield "ring of rings", 2, ring // 2 + (n // ring) // 2
    yield "square grid, 4 neighbours", 4, 2 * (math.isqrt(n) - 1)
    yield "random, 8 neighbours", 8, math.ceil(math.log(n * math.log(n)) / math.log(7))
    yield "exponential, one peer per round", 1, (n - 1).bit_length()


def scaled(value, steps):
    size, name = next(((size, name) for size, name in steps if value >= size), steps[-1])
    return f"{value / size:.3g} {name}"


def size(count):
    return scaled(count, [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")])


def time(seconds):
    return scaled(seconds, [(86400, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")])


print("| n | graph | hops h | entries per message | sent per node and round | a round takes | age tau | rounds for the same regret, times | time per round of the floor |")
print("|---" * 9 + "|")
for n in options.nodes:
    entry = math.ceil(options.coordinates * options.bits / 8) + options.overhead
    for name, degree, hops in graphs(n):
        for share in (1, max(1, hops)):
            period = min(n, share)  # owners take turns: each release enters the network once in so many rounds
            entries = math.ceil(n / period)
            sent = degree * entries * entry
            takes = max(options.latency, 8 * sent / options.line, entries / options.verify)
            tau = hops + period - 1
            slower = 1 + 2 * options.kappa * tau
            print(f"| {n:,} | {name} | {hops:,} | {entries:,} | {size(sent)} | {time(takes)} | {tau:,} | {slower:,.0f} | "
                  f"{time(takes * slower)} |")
    print(f"| {n:,} | *kept by a node:* | | {n:,} | {size(n * entry)} | | | | |")
