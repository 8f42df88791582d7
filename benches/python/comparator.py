"""The best decision in hindsight, by SciPy's fastest way for the case, to about 1e-6 of the value."""

import threads  # noqa: F401  (before numpy)
import numpy as np

from common import Ball, values


def best(loss, features, labels, bounds):
    """The decision, and the name of what found it."""
    x, how = quadratic(features, labels) if loss == "squared" else smooth(loss, features, labels)
    if bounds.holds(x):
        return x, how
    if isinstance(bounds, Ball):
        return on_sphere(loss, features, labels, bounds.radius, x), "L-BFGS on the sphere"
    return in_box(loss, features, labels, bounds), "L-BFGS-B"


def quadratic(features, labels):
    """Least squares without a set."""
    from scipy.linalg import cho_factor, cho_solve

    m, d = features.shape
    if m < d:
        # The shortest of all decisions without error.
        kernel = features @ features.T
        kernel[np.diag_indices(m)] += 1e-12 * np.trace(kernel) / m
        return features.T @ cho_solve(cho_factor(kernel, overwrite_a=True), labels), "Cholesky, samples x samples"
    if d >= 1000 and m > 3 * d:
        from scipy.sparse.linalg import LinearOperator, cg

        # Many well-conditioned samples: a few passes cost less than their second moments.
        moments = LinearOperator((d, d), matvec=lambda x: features.T @ (features @ x), dtype=float)
        return cg(moments, features.T @ labels, rtol=1e-5)[0], "conjugate gradients"
    moments = features.T @ features
    moments[np.diag_indices(d)] += 1e-12 * np.trace(moments) / d
    return cho_solve(cho_factor(moments, overwrite_a=True), features.T @ labels), "Cholesky, features x features"


def pair(loss, features, labels, ridge=0.0):
    """Value and gradient of the mean loss, with a penalty."""
    m = len(labels)

    def squared(x):
        error = features @ x - labels
        return error @ error / m, features.T @ (error * (2.0 / m))

    def logistic(x):
        margins = labels * (features @ x)
        slopes = -labels / (m * (1.0 + np.exp(margins)))
        return np.logaddexp(0.0, -margins).sum() / m + 0.5 * ridge * (x @ x), features.T @ slopes + ridge * x

    return squared if loss == "squared" else logistic


def smooth(loss, features, labels, ridge=0.0, start=None):
    from scipy.optimize import minimize

    start = np.zeros(features.shape[1]) if start is None else start
    options = {"maxcor": 20, "ftol": 1e-12, "gtol": 1e-7, "maxiter": 5000, "maxfun": 10000}
    found = minimize(pair(loss, features, labels, ridge), start, jac=True, method="L-BFGS-B", options=options)
    return found.x, "L-BFGS"


def in_box(loss, features, labels, bounds):
    from scipy.optimize import minimize

    d = features.shape[1]
    options = {"maxcor": 20, "ftol": 1e-12, "gtol": 1e-7, "maxiter": 5000, "maxfun": 10000}
    box = [(bounds.low, bounds.high)] * d
    start = np.clip(np.zeros(d), bounds.low, bounds.high)
    return minimize(pair(loss, features, labels), start, jac=True, method="L-BFGS-B", bounds=box, options=options).x


def on_sphere(loss, features, labels, radius, outside):
    """The multiplier at which the penalised answer is as long as the radius: the secant method on 1/length."""
    before = (0.0, 1.0 / np.linalg.norm(outside))
    ridge, x = 1e-3, outside
    for _ in range(20):
        x, _ = smooth(loss, features, labels, ridge, x)
        now = 1.0 / np.linalg.norm(x)
        if abs(now * radius - 1.0) < 1e-4:
            break
        slope = (now - before[1]) / (ridge - before[0])
        before, ridge = (ridge, now), max(1e-9, ridge + (1.0 / radius - now) / slope)
    return x * min(1.0, radius / np.linalg.norm(x))


def value(loss, features, labels, x):
    return values(loss, features @ x, labels)
