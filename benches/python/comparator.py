"""The best decision in hindsight, by SciPy's fastest way for the case, to about 1e-6 of the value."""

import threads  # noqa: F401  (before numpy)
import numpy as np

from common import Ball, values


def best(loss, features, labels, bounds):
    """The decision, and the name of what found it."""
    if loss == "logistic" and features.shape[1] <= 400:
        return newton(features, labels, bounds.radius), "Newton on the ball"
    x, how = quadratic(features, labels) if loss == "squared" else smooth(loss, features, labels)
    if bounds.holds(x):
        return x, how
    if isinstance(bounds, Ball):
        return on_sphere(loss, features, labels, bounds.radius, x), "L-BFGS on the sphere"
    return in_box(loss, features, labels, bounds), "L-BFGS-B"


def quadratic(features, labels):
    """Least squares without a set. SciPy is imported only where it saves more than its import takes."""
    m, d = features.shape
    if m < d:
        # The shortest of all decisions without error.
        return features.T @ solve(features @ features.T, labels), "normal equations, samples x samples"
    if d >= 500 and m > 1.5 * d:
        # Many well-conditioned samples: a few passes cost less than their second moments.
        return conjugate_gradients(features, labels), "conjugate gradients"
    return solve(features.T @ features, features.T @ labels), "normal equations, features x features"


def solve(moments, right):
    size = len(moments)
    moments[np.diag_indices(size)] += 1e-12 * np.trace(moments) / size
    if size < 1500:
        return np.linalg.solve(moments, right)
    from scipy.linalg import cho_factor, cho_solve

    return cho_solve(cho_factor(moments, overwrite_a=True, check_finite=False), right, check_finite=False)


def conjugate_gradients(features, labels, tolerance=1e-5):
    """On the normal equations, as `scipy.sparse.linalg.cg` does it."""
    x = np.zeros(features.shape[1])
    rest = features.T @ labels
    along, square = rest.copy(), rest @ rest
    least = tolerance**2 * square
    while square > least:
        image = features @ along
        length = square / (image @ image)
        x += length * along
        rest -= length * (features.T @ image)
        before, square = square, rest @ rest
        along *= square / before
        along += rest
    return x


def pair(loss, features, labels, ridge=0.0):
    """Value and gradient of the mean loss, with a penalty."""
    m = len(labels)

    def squared(x):
        error = features @ x - labels
        return error @ error / m, features.T @ (error * (2.0 / m))

    def logistic(x):
        margins = labels * (features @ x)
        slopes = -labels / (m * (1.0 + np.exp(np.minimum(margins, 700.0))))
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


def newton(features, labels, radius, tolerance=1e-6):
    """Few features: second moments are cheap. Each step minimises the model on the ball, by Newton on the multiplier."""
    m, d = features.shape
    x, multiplier, one = np.zeros(d), 0.0, np.eye(d)

    def slopes(x):
        chances = 1.0 / (1.0 + np.exp(np.minimum(labels * (features @ x), 700.0)))
        return features.T @ (chances * (-labels / m)), chances

    gradient, chances = slopes(x)
    for _ in range(50):
        half = features * np.sqrt(chances * (1.0 - chances) / m)[:, None]
        hessian = half.T @ half
        right = hessian @ x - gradient
        for _ in range(30):
            matrix = hessian + (multiplier + 1e-10) * one
            y = np.linalg.solve(matrix, right)
            length = np.linalg.norm(y)
            if abs(length / radius - 1.0) < 1e-9 or (multiplier == 0.0 and length <= radius):
                break
            change = (length / radius - 1.0) * length**2 / (y @ np.linalg.solve(matrix, y))
            multiplier = max(0.0, multiplier + change)
        before, step, along = value("logistic", features, labels, x), 1.0, y - x
        while step > 1e-6 and value("logistic", features, labels, x + step * along) > before + 1e-4 * step * (gradient @ along):
            step *= 0.5
        x = x + step * along
        gradient, chances = slopes(x)
        if gradient @ x + radius * np.linalg.norm(gradient) < tolerance:  # no decision on the ball is better by more
            break
    return x


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
