#!/usr/bin/env python3
"""Drives dpsda nodes with a cost of its own, over HTTP. It needs nothing but Python's standard library.

    python3 agent.py rows.csv ada=http://127.0.0.1:4780 [bob=http://127.0.0.1:4781 ...]

Every row of rows.csv is a round. The columns `reference` and `sun` are public; the columns `ada`, `bob`, ... are the agents' own
wishes. An agent's own host needs its own column only. Here the set-point of agent i is s_i = x_i0 + x_i1 sun, and the cost is

    (sum_i s_i - reference)^2 + sum_i (s_i - wish_i)^2.

For another cost, change `Cost`. The rest stays as it is: it survives crashes of the node and of this program.
"""

import csv
import http.client
import json
import random
import sys
import threading
import time
import urllib.error
import urllib.request


class Cost:
    """What one agent knows: the public columns, and its own wish."""

    def __init__(self, path, own):
        with open(path, newline="") as file:
            self.rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        self.own = own

    def gradient(self, t, estimate, start, end):
        """The coordinates start..end of the gradient of round t: what depends on the agent's wish, and the public rest."""
        row = self.rows[t]
        signals = [1.0, row["sun"]]
        width = len(signals)

        def set_point(agent):
            total = 0.0
            for k in range(width):
                total += signals[k] * estimate[agent * width + k]
            return total

        error = 0.0
        for agent in range(len(estimate) // width):
            error += set_point(agent)
        error -= row["reference"]
        own, public = [], []
        for k in range(start, end):
            signal = signals[k % width]
            own.append(-2.0 * row[self.own] * signal)
            public.append(2.0 * error * signal + 2.0 * set_point(k // width) * signal)
        return own, public


LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a node is on this host: never ask a proxy


def ask(url, lines=None):
    """The status and the answer; status 0 if nobody answers."""
    try:
        with LOCAL.open(url, data=lines, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except (OSError, http.client.HTTPException):
        return 0, b""


def finite(numbers):
    """JSON has no NaN and no infinity. Inside a node they count as zero, and so they do here."""
    return [x if abs(x) < float("inf") else 0.0 for x in numbers]


def falls(cost, view):
    """Whether a few random points show that the gradient falls from one to another. That of a convex cost never does.

    Change the distance 1.0 to the size of your set.
    """
    draw = random.Random(1)
    start, end = view["block"]
    for _ in range(8):
        x = [a + draw.uniform(-1.0, 1.0) for a in view["estimate"]]
        y = x[:start] + [a + draw.uniform(-1.0, 1.0) for a in x[start:end]] + x[end:]
        at_x, at_y = ([sum(parts) for parts in zip(*cost.gradient(view["t"], z, start, end))] for z in (x, y))
        rise = sum((a - b) * (u - v) for a, b, u, v in zip(at_x, at_y, x[start:end], y[start:end]))
        if not rise >= -1e-9:
            return True
    return False


def drive(name, url, cost):
    """Answers every estimate of one node with a gradient, until the run is over."""
    after = None  # the last round that is done, as far as we know
    while True:
        status, answer = ask(url + "/estimate" + ("" if after is None else f"?after={after}"))
        if status != 200:
            if status != 204:  # 204: no new round yet
                after = None  # the node is starting, stopping or gone: ask it where it is
                time.sleep(0.1)
            continue
        view = json.loads(answer)
        t = view["t"]
        if t >= view["rounds"]:
            return
        if after is None and falls(cost, view):
            print(f"{name}: warning: the cost of round {t} is not convex, or its gradient is wrong", file=sys.stderr)
        own, public = cost.gradient(t, view["estimate"], *view["block"])
        line = {"t": t, "at": view["at"], "gradient": finite(own), "public": finite(public)}
        status, answer = ask(url + "/costs", json.dumps(line).encode())
        if status in (400, 404, 413):  # a mistake of ours
            print(f"{name}: {answer.decode()}", file=sys.stderr)
            return
        if status not in (200, 409):  # nobody knows whether it was taken: if it was, it will be a duplicate
            after = None
            time.sleep(0.1)
            continue
        said = json.loads(answer)
        print(json.dumps({"node": name, **said}) + "\n", end="", flush=True)  # one write: threads do not mix lines
        if "taken" in said or "spent" in said:  # a node whose budget is spent still takes part: its rounds go on
            after = t
        elif "next" in said:  # a duplicate, or too early
            after = said["next"] - 1 if said["next"] > 0 else None
        elif "stale" not in said:  # stale: the node restarted with another estimate, so ask again
            return  # over or halted


def main():
    if len(sys.argv) < 3 or not all("=" in pair for pair in sys.argv[2:]):
        raise SystemExit(__doc__)
    threads = []
    for pair in sys.argv[2:]:
        name, url = pair.split("=", 1)
        threads.append(threading.Thread(target=drive, args=(name, url, Cost(sys.argv[1], name))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
