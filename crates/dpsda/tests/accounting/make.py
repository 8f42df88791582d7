"""What other accountants say, as JSON, for the tests of dpsda::privacy::accounting.

    python make.py dp-accounting > dp-accounting.json     (needs dp-accounting 0.6.0)
    python make.py opendp        > opendp.json            (needs opendp 0.16.0)

Every run prints the same. A line is one question and its answer; `exact` lines come from mpmath with 60 digits.
"""

import json
import math
import sys

# Not smaller: numpy's FFT makes of 1e-9 what the processor likes.
DELTAS = [1e-2, 1e-4, 1e-6]
TIMES = [1, 10, 100, 1000]


def dp_accounting():
    import dp_accounting as dpa
    import mpmath
    from dp_accounting.pld import common, privacy_loss_distribution as pld
    from dp_accounting.rdp import RdpAccountant

    rows = []

    def composed(kind, parameter, step, one):
        """Epsilon at each delta, and delta at half of that epsilon, of `times` releases."""
        for times in TIMES:
            law = one.self_compose(times)
            for delta in DELTAS:
                epsilon = law.get_epsilon_for_delta(delta)
                if not 0 < epsilon < math.inf:
                    continue
                row = {"kind": kind, "parameter": parameter, "step": step, "times": times}
                row |= {"delta": delta, "epsilon": epsilon}
                row |= {"half": epsilon / 2, "delta_at_half": law.get_delta_for_epsilon(epsilon / 2)}
                rows.append(row)

    # Steps of a hundredth of one loss or less, so that both discretisations are near the truth.
    for ratio in [1.0, 0.2, 0.05]:
        step = ratio / 200
        law = pld.from_laplace_mechanism(1 / ratio, value_discretization_interval=step)
        composed("laplace", ratio, step, law)
    for mu in [1.0, 0.2, 0.05]:
        step = mu / 200
        law = pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=step)
        composed("gaussian", mu, step, law)
    for epsilon in [1.0, 0.2, 0.05]:
        step = epsilon / 20
        given = common.DifferentialPrivacyParameters(epsilon, 0)
        law = pld.from_privacy_parameters(given, value_discretization_interval=step)
        composed("pure", epsilon, step, law)
    # Two kinds together.
    both = pld.from_laplace_mechanism(5, value_discretization_interval=1e-3)
    both = both.self_compose(30)
    other = pld.from_gaussian_mechanism(4, value_discretization_interval=1e-3)
    both = both.compose(other.self_compose(20))
    for delta in DELTAS:
        epsilon = both.get_epsilon_for_delta(delta)
        rows.append({"kind": "mixed", "step": 1e-3, "delta": delta, "epsilon": epsilon})

    # Its orders are a fixed list: an upper bound, close where the best order is near one of them.
    for rho in [1e-3, 1e-2, 0.1, 1.0, 5.0]:
        for delta in DELTAS:
            accountant = RdpAccountant()
            accountant.compose(dpa.ZCDpEvent(rho=rho))
            rows.append({"kind": "zcdp", "rho": rho, "delta": delta, "epsilon": accountant.get_epsilon(delta)})

    for mu in [1e-3, 0.1, 1.0, 4.0]:
        for delta in DELTAS:
            epsilon = dpa.get_epsilon_gaussian(1 / mu, delta)
            rows.append({"kind": "gaussian-curve", "mu": mu, "delta": delta, "epsilon": epsilon})

    # Exact: Phi(-a) - e^eps Phi(-b), with digits to spare.
    mpmath.mp.dps = 60
    phi = lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2
    for mu in [1e-6, 1e-3, 0.05, 0.5, 1.0, 3.0, 20.0]:
        # Epsilons in units of mu around the mean loss, as doubles.
        for z in [-1.0, 0.0, 1.0, 4.0, 8.0, 15.0, 30.0]:
            epsilon = mu * mu / 2 + z * mu
            if epsilon < 0:
                continue
            m, e = mpmath.mpf(mu), mpmath.mpf(epsilon)
            delta = phi(m / 2 - e / m) - mpmath.exp(e) * phi(-m / 2 - e / m)
            rows.append({"kind": "exact-gaussian", "mu": mu, "epsilon": epsilon, "delta": float(delta)})

    # Exact: k-fold randomised response, summed over all outcomes.
    for one in [0.01, 0.1, 1.0]:
        for times in [1, 2, 7, 100, 1000]:
            p = mpmath.exp(one) / (1 + mpmath.exp(one))
            for share in [0.0, 0.1, 0.37, 0.8]:
                epsilon = share * times * one
                delta = mpmath.mpf(0)
                for lies in range(times + 1):
                    loss = (times - 2 * lies) * mpmath.mpf(one)
                    mass = mpmath.binomial(times, lies) * p ** (times - lies) * (1 - p) ** lies
                    delta += mass * max(mpmath.mpf(0), 1 - mpmath.exp(mpmath.mpf(epsilon) - loss))
                if not 1e-290 < delta < 0.9:
                    continue  # next to 1 the curve is flat, and epsilon a matter of rounding
                row = {"kind": "exact-pure", "one": one, "times": times, "epsilon": epsilon}
                rows.append(row | {"delta": float(delta)})
    return rows


def opendp():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    rows = []
    vector = dp.vector_domain(dp.atom_domain(T=int))

    # sigma is chosen so that the discrete Gaussian of sensitivity 1 has this rho.
    for rho in [1e-3, 1e-2, 0.1, 1.0, 5.0]:
        scale = 1 / math.sqrt(2 * rho)
        gaussian = dp.m.make_gaussian(vector, dp.l2_distance(T=float), scale=scale)
        curve = dp.c.make_zCDP_to_approxDP(gaussian).map(1.0)
        for delta in DELTAS:
            epsilon = curve.epsilon(delta)
            row = {"kind": "zcdp", "rho": gaussian.map(1.0), "delta": delta, "epsilon": epsilon}
            rows.append(row | {"half": epsilon / 2, "delta_at_half": curve.delta(epsilon / 2)})

    # The price of exact discrete noise by sensitivity and scale.
    for scale in [0.5, 1.0, 3.0, 40.0]:
        laplace = dp.m.make_laplace(vector, dp.l1_distance(T=float), scale=scale)
        gaussian = dp.m.make_gaussian(vector, dp.l2_distance(T=float), scale=scale)
        for by in [1.0, 2.0, 7.0]:
            row = {"kind": "discrete", "scale": scale, "sensitivity": by}
            rows.append(row | {"laplace_epsilon": laplace.map(by), "gaussian_rho": gaussian.map(by)})
    return rows


MAKERS = {"dp-accounting": dp_accounting, "opendp": opendp}


def text(rows):
    """One row a line."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__)
    sys.stdout.write(text(MAKERS[sys.argv[1]]()))
