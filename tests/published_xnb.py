"""XNB in plain NumPy, feature by feature, as its authors published it: the tests' oracle.

It follows the paper (Algorithm 1) and where the paper is silent the behaviour of the authors'
program, PyPI xnb 0.5.1; written for these tests, without regard to speed.
"""

import numpy as np
from scipy.special import logsumexp


def bandwidth(values):
    """Silverman's rule; quartiles by Hazen's plotting position."""
    ascending = np.sort(values)
    n = len(values)
    if ascending[0] == ascending[-1]:
        return 0.9e-7 * n**-0.2
    lower, upper = np.interp([0.25, 0.75], (np.arange(n) + 0.5) / n, ascending)
    deviation, quartiles = np.std(ascending, ddof=1), (upper - lower) / 1.349
    return 0.9 * (min(deviation, quartiles) if quartiles > 0 else deviation) * n**-0.2


def log_density(points, values, h):
    """The kernel density estimate, Eq. 3 with the kernel of Eq. 6."""
    exponents = -0.5 * ((np.asarray(points)[:, None] - values[None, :]) / h) ** 2
    return logsumexp(exponents, axis=1) - np.log(len(values) * h * np.sqrt(2 * np.pi))


def distances(features, codes, n_grid=50):
    """Hellinger distances, Eq. 9, shape (n_pairs, n_features)."""
    n_classes = codes.max() + 1
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    out = np.empty((len(pairs), len(features)))
    for f, row in enumerate(features):
        points = np.linspace(row.min(), row.max(), n_grid)
        densities = []
        for c in range(n_classes):
            values = row[codes == c]
            density = np.exp(log_density(points, values, bandwidth(values)))
            densities.append(density / density.sum() if density.sum() > 0 else density)
        for pair, (a, b) in enumerate(pairs):
            overlap = np.sqrt(densities[a] * densities[b]).sum()
            out[pair, f] = np.sqrt(max(0.0, 1.0 - overlap))
    return out


def selection_for_pair(row, names, cut, threshold=0.999):
    """The features that separate one pair of classes, in the order in which they are taken."""
    ranking = sorted(range(len(row)), key=lambda f: (-row[f], names[f]))
    chosen, left = [], 1.0
    for f in ranking:
        if row[f] <= cut:
            break
        chosen.append(f)
        left *= 1.0 - row[f]
        if 1.0 - left >= threshold:
            break
    return chosen


def selection(pair_distances, names, n_classes, min_distance):
    """The features of each class: the union over its pairs."""
    cut = pair_distances.mean() if min_distance == "mean" else min_distance
    classes = [set() for _ in range(n_classes)]
    pairs = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for row, pair in zip(pair_distances, pairs, strict=True):
        for code in pair:
            classes[code].update(selection_for_pair(row, names, cut))
    return classes


def joint_log_likelihood(features, codes, chosen, samples):
    """Eq. 12 in log space, shape (n_samples, n_classes)."""
    n_classes = codes.max() + 1
    joint = np.tile(np.log(np.bincount(codes) / len(codes)), (samples.shape[1], 1))
    for c in range(n_classes):
        for f in chosen[c]:
            values = features[f, codes == c]
            joint[:, c] += log_density(samples[f], values, bandwidth(values))
    return joint
