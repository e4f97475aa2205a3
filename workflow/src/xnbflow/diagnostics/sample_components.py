"""Principal components of the samples of a series: outliers, and columns that they follow.

A component that follows a column of the samples (a batch, a site, an age) explains part of all
comparisons of these samples, whether or not the classes differ in it.
"""

import numpy as np
import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.data.dataset import DataSet, row_slices
from xnbflow.diagnostics.association import share_of_variance
from xnbflow.diagnostics.columns import has_value
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.diagnostics.features import MAD_TO_SD, is_unlogged, linear_values, logged

#: Most samples that are compared pair by pair, and drawn; more are thinned evenly.
MOST_COMPARED_SAMPLES = 1000
#: Robust standard deviations from its class beyond which a sample is an outlier.
_OUTLYING = 6.0
#: Far samples of a class are a group, such as a batch, and no outliers, if there are at least three
#: and they are more than this share of the class.
_FEWEST_OF_GROUP = 3
_SHARE_OF_GROUP = 0.2
#: Number of principal components in the table.
_COMPONENTS = 5
#: Number of principal components in which outliers are searched.
_OUTLIER_COMPONENTS = 3
#: Least number of samples for outliers.
_FEWEST_FOR_OUTLIERS = 10
#: Level of the association of a component with a column, adjusted over all of both, and the least
#: share of the component's variance: with many samples weaker ones are certain, and explain little.
_COMPONENT_LEVEL = 0.01
_COMPONENT_SHARE = 0.25


def compared_positions(n_samples: int) -> np.ndarray:
    """Return the positions of the samples that are compared: all, or 1,000 evenly spaced ones."""
    n_compared = min(n_samples, MOST_COMPARED_SAMPLES)
    return np.unique(np.linspace(0, n_samples - 1, n_compared).astype(int))


def principal_components(series: DataSet) -> tuple[pd.DataFrame, list[Finding]]:
    """Return the first components of the standardised features, their shares, and outliers.

    They are computed from the eigenvectors of the Gram matrix of the samples, which are those of a
    singular value decomposition. Features that are constant or have missing values are omitted. An
    outlier is a sample that is more than 6 robust standard deviations (1.4826 times the median
    absolute deviation) from the median of its class on one of the first three components. More
    than a fifth of a class is no set of outliers but a group, for example a batch, and one finding.
    Values that look like intensities are replaced by their logarithms, those below 1 by 0.

    The components have the columns of the contract and further components, except that
    ``position``, the sample's position in the series, replaces the phenotype. If there are more
    than 1,000 samples, some are omitted.
    """
    positions = compared_positions(series.n_samples)

    # The inner products of samples over standardised features, (n_positions, n_positions).
    features = linear_values(series)
    gram = np.zeros((len(positions), len(positions)))
    takes_logarithms = is_unlogged(series)
    for block in row_slices((len(features), len(positions))):
        values = features[block][:, positions]
        if takes_logarithms:
            values = logged(values)
        spread = values.std(axis=1)
        varies = spread > 1e-12 * np.abs(values).max(axis=1, initial=0)
        is_usable = np.isfinite(spread) & varies
        values = values[is_usable]
        values -= values.mean(axis=1, keepdims=True)
        values /= spread[is_usable][:, None]
        gram += values.T @ values

    # Its eigenvectors, times the roots of its eigenvalues, are the scores of the samples.
    total = max(float(np.trace(gram)), 1e-300)
    n_components = min(_COMPONENTS, max(2, len(positions) - 1), len(positions))
    eigenvalues, vectors = np.linalg.eigh(gram)  # in ascending order
    eigenvalues = eigenvalues[::-1][:n_components].clip(min=0)
    vectors = vectors[:, ::-1][:, :n_components]
    # The sign of an eigenvector is arbitrary: its largest entry becomes positive.
    signs = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), range(n_components)])
    scores = vectors * signs * np.sqrt(eigenvalues)

    # The table, with outliers by the first components; groups of far samples are no outliers.
    labels = series.labels[positions]
    distances = _distances_from_class(scores[:, :_OUTLIER_COMPONENTS], labels)
    is_far = distances > _OUTLYING
    groups = _groups_apart(is_far, labels)
    is_outlying = is_far & ~np.isin(labels, list(groups))
    table = pd.DataFrame(
        {
            "sample": series.samples[positions],
            "class": labels,
            "component_1": scores[:, 0],
            "component_2": scores[:, 1] if n_components > 1 else np.zeros(len(positions)),
            "outlying": is_outlying,
            "position": positions,
        }
    )
    for i in range(2, n_components):
        table[f"component_{i + 1}"] = scores[:, i]

    shares = eigenvalues / total
    for i in range(2):  # as the figure of the components has them
        table[f"share_{i + 1}"] = shares[i] if i < n_components else 0.0

    # What the audit has about them.
    findings = []
    outliers = table["sample"][is_outlying]
    for name, distance in zip(outliers, distances[is_outlying].tolist(), strict=True):
        finding = Finding(
            code="samples",
            kind="outlier",
            dataset=series.name,
            severity="notice",
            subject=str(name),
            numbers={"estimate": distance},
        )
        findings.append(finding)
    for label, n_far in groups.items():
        finding = Finding(
            code="samples",
            kind="group apart",
            dataset=series.name,
            severity="notice",
            subject=label,
            label=label,
            numbers={"count": n_far, "total": int((labels == label).sum())},
        )
        findings.append(finding)
    return table, findings


def _groups_apart(is_far: np.ndarray, labels: np.ndarray) -> dict[str, int]:
    """Return the classes whose far samples are a group, with the numbers of these samples."""
    groups = {}
    for label in np.unique(labels):
        far_members = is_far[labels == label]
        n_far = int(far_members.sum())
        if n_far >= _FEWEST_OF_GROUP and n_far > _SHARE_OF_GROUP * len(far_members):
            groups[str(label)] = n_far
    return groups


def _distances_from_class(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the largest distance of each sample from its class, in robust standard deviations.

    With fewer than ten samples there is no robust standard deviation, and all distances are 0.
    """
    if len(labels) < _FEWEST_FOR_OUTLIERS:
        return np.zeros(len(labels))
    deviations = scores.copy()
    for label in np.unique(labels):
        members = labels == label
        deviations[members] -= np.median(scores[members], axis=0)
    deviations = np.abs(deviations)
    spread = MAD_TO_SD * np.median(deviations, axis=0)
    distances = np.divide(deviations, spread, out=np.zeros_like(deviations), where=spread > 0)
    return np.asarray(distances.max(axis=1))


def component_associations(components: pd.DataFrame, phenotype: pd.DataFrame) -> pd.DataFrame:
    """Return the association of each principal component with each column of the samples.

    Categories, also days of dates, are tested by the test of Kruskal and Wallis, numbers by
    Spearman's rank correlation. Names of columns decide nothing, and neither does the class: a
    component that follows a column explains part of all comparisons of these samples.

    Parameters
    ----------
    components : DataFrame with columns ``component_1``, ``component_2``, ...
    phenotype : DataFrame with as many rows

    Returns
    -------
    DataFrame
        ``component``, ``column``, ``share`` (of the variance of the ranks of the component), ``p``
        and ``p_holm``, adjusted over all components and columns.

    Examples
    --------
    >>> scores = pd.DataFrame({"component_1": [1.0, 2, 3, 4, 15, 16, 17, 18]})
    >>> phenotype = pd.DataFrame({"library": ["single"] * 4 + ["paired"] * 4})
    >>> component_associations(scores, phenotype)[["column", "share"]].round(2).values.tolist()
    [['library', 0.72]]
    """
    rows = []
    names = [name for name in components if str(name).startswith("component_")]
    for column, all_cells in phenotype.items():
        present = has_value(all_cells).to_numpy(dtype=bool)
        cells = all_cells[present].str.strip()
        for name in names:
            scores = components[name].to_numpy()[present]
            tested = share_of_variance(scores, cells)
            if tested is not None:
                share, p = tested
                rows.append({"component": name, "column": str(column), "share": share, "p": p})
    table = pd.DataFrame(rows, columns=["component", "column", "share", "p"])
    return table.assign(p_holm=holm(table["p"].to_numpy(dtype=float)))


def component_findings(dataset: str, associations: pd.DataFrame) -> list[Finding]:
    """Return a notice for each component that follows a column (`component_associations`)."""
    is_strong = associations["p_holm"] <= _COMPONENT_LEVEL
    is_strong &= associations["share"] >= _COMPONENT_SHARE
    findings = []
    for association in associations[is_strong].to_dict("records"):
        finding = Finding(
            code="column",
            kind="component",
            dataset=dataset,
            severity="notice",
            subject=association["component"].replace("_", " "),
            other=association["column"],
            numbers={
                "estimate": association["share"],
                "p": association["p"],
                "p_holm": association["p_holm"],
            },
        )
        findings.append(finding)
    return findings
